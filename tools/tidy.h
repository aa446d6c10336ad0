/* tidy.h - what clang-tidy is told about functions of other files, since it
 * sees one file at a time: a failure returns the status it was given.
 */
#include "base/spec.h"
#include "base/status.h"
#include "data/read/load.h"

#define gi_fail(status, ...) (gi_fail(status, __VA_ARGS__), (status))
#define gi_context(status, ...) (gi_context(status, __VA_ARGS__), (status))
#define gi_work_fail(work, status, ...)                                        \
    (gi_work_fail(work, status, __VA_ARGS__), (status))
#define gi_spec_fail(spec, at, status, ...)                                    \
    (gi_spec_fail(spec, at, status, __VA_ARGS__), (status))
