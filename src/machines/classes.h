/* classes.h - classes, and the functions f that tell them apart.
 *
 * Two classes need one function, positive for the last.  Several have one for
 * each pair a < b, positive for b, zero in y where a row is of neither; or one
 * for each class, positive for it; or, fitted jointly (softmax), one each.
 */
#ifndef GI_CLASSES_H
#define GI_CLASSES_H

#include "data/table/table.h"
#include "gram.h"
#include "losses/loss.h"

typedef enum gi_coding {
    GI_CODING_NONE, /* no classes: regression */
    GI_CODING_PAIRS,
    GI_CODING_REST,
    GI_CODING_JOINT
} gi_coding;

/* How decision values become probabilities. */
typedef enum gi_link {
    GI_LINK_NONE,
    GI_LINK_LOGISTIC, /* 1/(1 + exp(-f)) */
    GI_LINK_SIGMOID,  /* 1/(1 + exp(a f + b)), a and b from folds */
    GI_LINK_PROCESS   /* the mean of 1/(1 + exp(-f)) over the posterior of f, by
                         gi_query_process; two classes */
} gi_link;

typedef struct gi_classes {
    gi_coding coding;
    size_t count;
    char **name; /* sorted: numbers, then text */
    gi_link link;
    double *sigmoid; /* a and b of each function, or NULL */
    size_t *order;   /* place of class k where votes tie: the first wins, as in
                        a LIBSVM model; NULL: as sorted */
} gi_classes;

void gi_classes_free(gi_classes *c); /* what is inside */

/* Functions that the coding needs. */
size_t gi_classes_functions(const gi_classes *c);

/* The classes a < b of function q of PAIRS. */
void gi_classes_pair(const gi_classes *c, size_t q, size_t *a, size_t *b);

/* y of function q for a row of class k: 1, -1, or 0: it takes no part (JOINT:
 * 1 or 0). */
double gi_classes_sign(const gi_classes *c, size_t q, size_t k);

/* The classes of a target column, and which each row has: names of levels that
 * occur, or numbers as text, sorted.  Errors: RANGE (a missing cell, more than
 * 10,000 classes), SHAPE, MEMORY. */
gram_status gi_classes_read(gi_run *run, const gi_column *c, size_t rows,
                            gi_classes *out, int *code);

/* Which class each row of a column has; -1: none of these. */
gram_status gi_classes_find(gi_run *run, const gi_classes *c,
                            const gi_column *column, size_t rows, int *code);

/* Weights of the classes: "balanced", n/(classes * rows of the class), or
 * "ham=1,spam=5", 1 where nothing is said.  Errors: PARSE, NAME, RANGE. */
gram_status gi_classes_weights(gi_run *run, const gi_classes *c,
                               const char *text, const int *code, size_t rows,
                               double *out);

/* From rows x functions decision values: the classes, and rows x count
 * probabilities (which need a link, but PROCESS).  Where there is a link the
 * class is the most probable one. */
gram_status gi_classes_label(gi_run *run, const gi_classes *c, const double *f,
                             size_t rows, int *label);
gram_status gi_classes_proba(gi_run *run, const gi_classes *c, const double *f,
                             size_t rows, double *proba);

/* a and b of one function from decision values on rows that it had not seen
 * (Platt 1999, as Lin, Lin and Weng 2007 compute it); rows with y = 0 do not
 * count. */
void gi_sigmoid_fit(const double *f, const double *y, const double *weight,
                    size_t n, size_t stride, double *a, double *b);

#endif
