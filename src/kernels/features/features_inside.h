/* features_inside.h - what the files of feature maps share: features_rules.c
 * knows instructions, features.c rows.
 */
#ifndef GI_FEATURES_INSIDE_H
#define GI_FEATURES_INSIDE_H

#include <stdint.h>

#include "kernels/features/features.h"

struct gi_features {
    const gram_program *program;
    const double *theta;
    size_t limit;   /* of features */
    size_t *width;  /* of every register */
    size_t *offset; /* of its vector in the scratch of a row */
    char *sparse;   /* does its vector have indices? */
    size_t total;   /* numbers of all vectors of a row */
    size_t cells;   /* numbers that a rule needs as scratch, at most */
    size_t bad;     /* the first instruction without a finite map, or that has
                       too many features; program->ops if there is none */
};

/* The features of one register of one row. */
typedef struct gi_vector {
    size_t count;
    const double *value;
    const unsigned *index; /* ascending; NULL: 0, 1, ..., count - 1 */
} gi_vector;

/* A row whose features are being computed. */
typedef struct gi_place {
    const gi_points *x;
    size_t row;
    gi_vector *in; /* the registers so far */
    double *value; /* where the next one goes */
    unsigned *index;
    double *cell; /* scratch of f->cells numbers */
} gi_place;

/* An instruction read as an operation on features. */
typedef struct gi_feature_rule {
    /* how many there are */
    size_t (*count)(const gi_features *f, const gi_op *op);
    /* those of a row, at value and index, or somewhere else */
    gi_vector (*fill)(const gi_features *f, const gi_op *op,
                      const gi_place *at);
    int passes; /* sparse operands give a sparse result */
} gi_feature_rule;

/* By opcode; what has no rule has no finite map. */
extern const gi_feature_rule gi_feature_rules[GI_OPCODES];

/* The count that means: no finite map. */
#define GI_FEATURES_NONE SIZE_MAX

/* All numbers of v, of which there are `width`. */
void gi_vector_spread(gi_vector v, size_t width, double *out);

/* The entries of v that are not 0, `offset` added to their indices; returns
 * their number. */
size_t gi_vector_pack(gi_vector v, size_t offset, double *value,
                      unsigned *index);

#endif
