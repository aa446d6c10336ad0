/* test.h - the inside of a test and its report.
 */
#ifndef GI_TEST_H
#define GI_TEST_H

#include "samples/mmd.h"

struct gram_test {
    gi_joined joined; /* what was tested; n = 0: independence */
    gi_buf other;     /* independence: the kernel of y */
    double *witness;  /* per row; NULL: independence */
    gi_dict warnings; /* sentences */
    const char **sentence;
    gram_test_report report;
};

/* The words for a gram_test_statistic and a gram_test_method, NULL at the
 * end. */
extern const char *const gi_test_statistics[], *const gi_test_methods[];

/* options with the defaults filled in.  Errors: RANGE. */
gram_status gi_test_options_read(const gram_test_options *given,
                                 gram_test_options *out);

/* Put the report's pointers in place. */
gram_status gi_test_refer(gi_run *run, gram_test *t);

/* gram_test_samples() within a run. */
gram_status gi_test_samples(gi_run *run, const gram_table *a,
                            const gram_table *b,
                            const gram_test_options *options, gram_test **out);

/* split.c: choose the width of greatest power on some of the rows; p is left
 * with that kernel and the other rows. */
gram_status gi_joined_split(gi_run *run, const gram_test_options *o,
                            gi_joined *p);

#endif
