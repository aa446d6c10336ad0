/* fuzz_kernel.c - any text as a kernel: what is one must print to text that
 * makes a kernel of the same text and numbers; what is not
 * must say so in a sentence.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(int condition)
{
    if (!condition)
        abort();
}

static void check_same(const gram_kernel *a, const gram_kernel *b)
{
    must(strcmp(gram_kernel_text(a), gram_kernel_text(b)) == 0);
    must(gram_kernel_param_count(a) == gram_kernel_param_count(b));
    for (size_t i = 0; i < gram_kernel_param_count(a); i++) {
        gram_kernel_param p = gram_kernel_param_at(a, i);
        gram_kernel_param q = gram_kernel_param_at(b, i);

        must(strcmp(p.name, q.name) == 0 && p.open == q.open);
        must(p.value == q.value || (p.value != p.value && q.value != q.value));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *text = malloc(n + 1);
    gram_kernel *k = NULL, *again = NULL;

    must(text != NULL);
    memcpy(text, data, n);
    text[n] = '\0';
    if (gram_kernel_new(text, &k) == GRAM_OK) {
        must(gram_kernel_new(gram_kernel_text(k), &again) == GRAM_OK);
        check_same(k, again);
    } else {
        must(!k && strncmp(gram_error_message(), "kernel \"", 8) == 0);
    }
    gram_kernel_free(k);
    gram_kernel_free(again);
    free(text);
    return 0;
}
