/* runs.h - runs of tests.
 */
#ifndef TEST_RUNS_H
#define TEST_RUNS_H

#include "base/run.h"

/* End a run that began, or is zero, and begin it anew. */
static inline void run_again(gi_run *run, const gram_exec *exec)
{
    gi_run_end(run);
    *run = gi_run_begin(exec);
}

#endif
