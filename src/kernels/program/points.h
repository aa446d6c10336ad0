/* points.h - the rows of a table as a program sees them.
 *
 * Per view of the program one row-major matrix of doubles, categories turned
 * into numbers and maps applied, and beside it the rows of a sparse block if
 * the view has one.  Gathering costs O(rows * columns); the engine scales,
 * centres, converts and packs for each run, since weights may change.
 */
#ifndef GI_POINTS_H
#define GI_POINTS_H

#include "kernels/program/program.h"

typedef struct gi_rows {
    double *dense; /* rows x width of the view; NULL if width is 0, or if no
                      instruction looks at the view */
    /* sparse part, own copies; NULL: none */
    size_t *start;
    unsigned *index;
    double *entries;
    size_t sparse_width; /* above every index; other tables differ */
    size_t known_width;  /* the same without levels never seen (unseen.c) */
} gi_rows;

struct gi_points {
    size_t rows;
    gi_precision precision; /* of the tiles */
    unsigned long table;    /* serial number of the table */
    size_t *number; /* of each row in the table, where rows were selected and
                       the program addresses them by it; NULL: 0, 1, ... */
    size_t views;
    gi_rows *view;
    int borrowed; /* view belongs to other points */
};

static inline size_t gi_points_number(const gi_points *x, size_t row)
{
    return x->number ? x->number[row] : row;
}

/* Add the levels of `t` that the program does not know to gathered rows, and
 * say which columns have the weights that those of index `feature` is like.
 * (unseen.c) */
gram_status gi_unseen_add(gi_run *run, const gram_program *p, const gi_view *v,
                          const gram_table *t, gi_rows *rows);
void gi_unseen_like(const gram_program *p, const gi_view *v,
                    const gi_rows *rows, size_t feature, size_t *first,
                    size_t *count);

/* Do the unknown levels of x mean something else to t? */
int gi_unseen_clash(const gi_points *x, const gi_points *t, size_t view);

#endif
