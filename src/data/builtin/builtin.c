/* builtin.c - the table of the data sets inside the library.
 */
#include "data/builtin/builtin.h"

#include <math.h>
#include <string.h>

#define BUILTIN(name) &gi_builtin_##name,
static const gi_builtin *const builtins[] = {
#include "data/builtin/builtins.def"
};
#undef BUILTIN

enum { COUNT = sizeof builtins / sizeof *builtins };

const gram_builtin *gram_builtin_at(size_t i)
{
    return i < COUNT ? &builtins[i]->info : NULL;
}

gram_status gi_builtin_find(const char *name, const gi_builtin **out)
{
    const char *names[COUNT];
    char near[256];

    for (size_t i = 0; i < COUNT; i++) {
        names[i] = builtins[i]->info.name;
        if (strcmp(name, names[i]) == 0) {
            *out = builtins[i];
            return GRAM_OK;
        }
    }
    return gi_fail(
        GRAM_ERR_NAME, "no data set \"%s\" is built in%s", name,
        gi_did_you_mean_one_of(name, names, COUNT, near, sizeof near));
}

gram_status gi_builtin_number(gi_run *run, gi_buf *out, double x, int decimals,
                              char end)
{
    long long unit = 1, n;

    for (int i = 0; i < decimals; i++)
        unit *= 10;
    n = llround(fabs(x) * (double)unit);
    if (decimals == 0)
        return gi_buf_printf(run, out, "%s%lld%c", x < 0 && n ? "-" : "", n,
                             end);
    return gi_buf_printf(run, out, "%s%lld.%0*lld%c", x < 0 && n ? "-" : "",
                         n / unit, decimals, n % unit, end);
}
