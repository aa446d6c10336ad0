/* points.h - the rows of a table as a program sees them.
 *
 * Per view of the program one row-major matrix of doubles, categories turned
 * into numbers and maps applied, and beside it the rows of a sparse block if
 * the view has one.  Gathering costs O(rows * columns); the engine scales,
 * centres, converts and packs for each run, since weights may change.
 */
#ifndef GI_POINTS_H
#define GI_POINTS_H

#include "kernels/program.h"

typedef struct gi_rows {
    double *dense; /* rows x width of the view; NULL if width is 0, or if no
                      instruction looks at the view */
    /* sparse part, own copies; NULL: none */
    size_t *start;
    unsigned *index;
    double *entries;
    size_t sparse_width; /* above every index; other tables differ */
} gi_rows;

struct gi_points {
    size_t rows;
    gi_precision precision; /* of the tiles */
    unsigned long table;    /* serial number of the table: white */
    size_t views;
    gi_rows *view;
};

#endif
