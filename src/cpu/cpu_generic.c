/* cpu_generic.c - the operations in plain C: what they mean, for every
 * machine.  The other tables are compared with this one.
 */
#include "cpu/cpu.h"

#include <math.h>
#include <stdlib.h>

static size_t count_byte(const char *s, size_t n, char c)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += s[i] == c;
    return count;
}

static void triad(double *a, const double *b, const double *c, double s,
                  size_t n)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}

#define REAL double
#define OF(name) name##_d
#include "cpu/cpu_generic_tile.inc"
#undef REAL
#undef OF
#define REAL float
#define OF(name) name##_s
#include "cpu/cpu_generic_tile.inc"
#undef REAL
#undef OF

#define OPERATION(result, operation, arguments) .operation = operation,
const gi_cpu gi_cpu_generic = {
    .name = "generic",
#include "cpu/cpu.def"
};
