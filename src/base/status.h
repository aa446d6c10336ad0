/* status.h - how functions fail: a code, and one sentence for people.
 *
 * The deepest function that knows the reason calls gi_fail(); callers may put
 * context in front with gi_context(), never replace the sentence.
 */
#ifndef GI_STATUS_H
#define GI_STATUS_H

#include "gram.h"

#define GI_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* Leave the function through its done: label if `call` fails. */
#define GI_TRY(call)                                                           \
    do {                                                                       \
        if ((status = (call)) != GRAM_OK)                                      \
            goto done;                                                         \
    } while (0)

/* Write this thread's sentence and return `status`. */
gram_status gi_fail(gram_status status, const char *format, ...)
    GI_PRINTF(2, 3);

/* Put "context: " in front of this thread's sentence and return `status`; does
 * nothing if `status` is GRAM_OK. */
gram_status gi_context(gram_status status, const char *format, ...)
    GI_PRINTF(2, 3);

/* RANGE unless least <= x <= most; `name` is what x is called. */
gram_status gi_check_choice(const char *name, int x, int least, int most);

#endif
