/* views.h - which columns of a table a leaf of an expression looks at.
 */
#ifndef GI_VIEWS_H
#define GI_VIEWS_H

#include "kernels/program/program.h"

/* What stands around a leaf: the columns it inherits, and the maps. */
typedef struct gi_scope {
    const gi_column_item *columns; /* NULL: all features */
    const gi_map *map;             /* NULL: none at this level */
    const struct gi_scope *outer;  /* the scope around, or NULL */
} gi_scope;

/* What a leaf needs of its columns. */
typedef struct gi_need {
    const char *kernel; /* for messages */
    size_t at;          /* where it stands in the text */
    int exact;          /* categories as they are */
    int nonnegative;
} gi_need;

/* The number of the view of a leaf there, made if there is none like it; maps
 * learn from `t`.  Errors: NAME, SHAPE, RANGE, with the place in the text. */
gram_status gi_view_find(gram_program *p, const gram_table *t,
                         const gi_scope *scope, const gi_need *need, int *view);

/* The view that sees F x where `view` sees x. */
gram_status gi_view_transform(gram_program *p, int view, const gi_matrix *F,
                              int *out);

void gi_view_clear(gi_view *v);

#endif
