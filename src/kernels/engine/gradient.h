/* gradient.h - reverse mode, set up once; and what its files share.
 */
#ifndef GI_GRADIENT_H
#define GI_GRADIENT_H

#include "kernels/engine/tiles.h"

/* Backwards through an engine in double, whose rows it shares and which must
 * stay. */
typedef struct gi_gradient gi_gradient;
gram_status gi_gradient_new(gi_run *run, const gi_engine *e, gi_gradient **out);
void gi_gradient_free(gi_gradient *g);

/* After the engine was, see gi_engine_set. */
gram_status gi_gradient_set(gi_run *run, gi_gradient *g,
                            const unsigned char *moved, int *fits);

/* gi_engine_gradient */
gram_status gi_gradient_add(gi_run *run, gi_gradient *g, gi_seed *seed,
                            void *user, double *grad);

/* ------------------------------------------------------------------- inside */

/* The rows x, or t; of a symmetric run both are the same. */
typedef struct gi_gradient_side {
    const gi_points *rows;
    double **centred; /* per instruction: those of a leaf with weights */
    double **self;    /* per instruction: adjoints of a(x_i,x_i) */
} gi_gradient_side;

struct gi_gradient {
    gi_engine e;
    gi_gradient_side x, t;
    char *active;                /* per instruction: some parameter moves it */
    int selves;                  /* one of them is `self` */
    size_t widest;               /* columns of a leaf with weights */
    struct gi_back_place *place; /* per thread */
    /* of the sweep at hand */
    gi_seed *seed;
    void *user;
    double *grad;
};

/* What a thread keeps beside its workplace. */
typedef struct gi_back_place {
    gi_gradient *g;
    const gi_gradient_side *own; /* of a sweep over a diagonal: whose it is */
    gi_worker *w;
    double *adjoint; /* registers */
    double *sum;     /* of a task, per parameter */
    double **self;   /* of a task, per `self`: its block's rows, columns */
    double *product; /* a tile's rows of `widest` columns, and one more */
} gi_back_place;

/* One row of n elements of a tile: the values that an instruction wrote and
 * read, the adjoint of what it wrote, and where to add those of what it read
 * (NULL: nothing depends on that). */
typedef struct gi_back {
    const double *y, *dy, *a, *b;
    double *da, *db;
} gi_back;

/* Returns sum dy * (derivative by the factor). */
typedef double gi_back_row(const gi_step *s, size_t n, const gi_back *r);

/* By opcode; NULL for leaves. */
extern gi_back_row *const gi_back_rows[GI_OPCODES];

/* A leaf takes the tile's adjoint; by opcode, NULL: it depends on no parameter.
 */
typedef void gi_back_leaf(const gi_back_place *p, const gi_step *s,
                          const gi_back *r);
extern gi_back_leaf *const gi_back_leaves[GI_OPCODES];

#endif
