/* version.c - the version of the library that is running.
 */
#include "gram.h"

#define TEXT(x) #x
#define DOTTED(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *gram_version(void)
{
    return DOTTED(GRAM_VERSION_MAJOR, GRAM_VERSION_MINOR, GRAM_VERSION_PATCH);
}
