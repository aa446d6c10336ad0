/* start.c - the only constructor of the library.  It corrects OpenBLAS's choice
 * of kernels before OpenBLAS makes it, and has forks watched from the start: the
 * parent may have OpenMP's threads from another library (scikit-learn), and the
 * first call of this one may come from the child.
 *
 * OpenBLAS 0.3.21 does not know processors newer than itself and falls back
 * to SSE kernels, at a fifth of the speed.  Its own constructor reads the
 * variable OPENBLAS_CORETYPE; ours has the earliest priority a program may
 * use and comes first on the link line, so that it runs before.  A value the
 * user has set stays.
 */
#include "linalg/dense/start.h"

#include <stdlib.h>

#include "base/parallel.h"
#include "cpu/cpu.h"

__attribute__((constructor(101))) static void start(void)
{
    gi_watch_forks();
    if (gi_cpu_has("avx512f avx512dq avx512bw avx512vl"))
        setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
}

void gi_start_link(void)
{
}
