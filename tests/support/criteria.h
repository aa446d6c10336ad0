/* criteria.h - criteria at two places, bit for bit: for tests.
 */
#ifndef TEST_CRITERIA_H
#define TEST_CRITERIA_H

#include <stddef.h>
#include <string.h>

#include "solvers/path.h"

/* The bytes after the last member are padding. */
static inline int criteria_equal(const gi_criteria *a, const gi_criteria *b,
                                 size_t count)
{
    const size_t bytes = offsetof(gi_criteria, edge) + sizeof a->edge;

    for (size_t i = 0; i < count; i++)
        if (memcmp(&a[i], &b[i], bytes) != 0)
            return 0;
    return 1;
}

#endif
