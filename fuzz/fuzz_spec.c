/* fuzz_spec.c - any text as an expression, a column list and column pairs:
 * what parses must print to text that parses to the same tree and prints to
 * the same text; what does not must say so in a sentence.
 */
#include "../tests/support/specs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

typedef gram_status (*parser)(gi_run *, const char *, const char *, gi_spec **);

static void must(int condition)
{
    if (!condition)
        abort();
}

static void print(const gi_spec *spec, gi_buf *b)
{
    must((spec->root
              ? gi_spec_print(NULL, spec->root, b)
              : gi_spec_print_columns(NULL, spec->columns, b)) == GRAM_OK);
}

static void try_text(parser parse, const char *text)
{
    gi_spec *spec = NULL, *again = NULL;
    gi_buf first = {0}, second = {0};

    if (parse(NULL, "fuzz", text, &spec) != GRAM_OK) {
        must(!spec && strncmp(gram_error_message(), "fuzz \"", 6) == 0);
        return;
    }
    print(spec, &first);
    must(parse(NULL, "fuzz", first.s, &again) == GRAM_OK);
    must(spec->root ? nodes_equal(spec->root, again->root)
                    : columns_equal(spec->columns, again->columns));
    print(again, &second);
    must(strcmp(first.s, second.s) == 0);
    gi_buf_free(&first);
    gi_buf_free(&second);
    gi_spec_free(spec);
    gi_spec_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *text = malloc(n + 1);

    must(text != NULL);
    memcpy(text, data, n);
    text[n] = '\0';
    try_text(gi_spec_parse, text);
    try_text(gi_spec_parse_columns, text);
    try_text(gi_spec_parse_pairs, text);
    free(text);
    return 0;
}
