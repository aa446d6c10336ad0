/* kernel.h - a kernel expression: the tree, its parameters, its text.
 *
 * A gram_kernel is a spec that was bound to the catalogue: every node knows
 * its class or rule, every parameter has a slot.  It does not know any data;
 * program.h compiles it for the columns of a table.
 */
#ifndef GI_KERNEL_H
#define GI_KERNEL_H

#include "base/spec.h"
#include "gram_plugin.h"

typedef enum gi_kernel_kind {
    GI_KERNEL_LEAF,      /* class, slots */
    GI_KERNEL_CONSTANT,  /* one slot: a number or ? */
    GI_KERNEL_SUM,       /* kids, minus where subtracted */
    GI_KERNEL_PRODUCT,   /* kids */
    GI_KERNEL_POWER,     /* one kid, exponent */
    GI_KERNEL_EXP,       /* one kid */
    GI_KERNEL_NORMALIZE, /* one kid */
    GI_KERNEL_MAP,       /* map, one kid: k(phi(x), phi(t)) */
    GI_KERNEL_WEIGHT     /* columns (one), one kid: f(x) k(x,t) f(t) */
} gi_kernel_kind;

/* A number in the expression: fixed, or open and learned. */
typedef struct gi_slot {
    char *name; /* "rbf.gamma", "amplitude" */
    const struct gi_kernel_node *node;
    const gram_param *param; /* range, help; NULL: a number by itself */
    double value;            /* NaN while open and not yet chosen */
    int open;
    double start;       /* ?0.5, else NaN */
    double *candidates; /* ?[...], else NULL */
    size_t candidate_count;
    int per_column; /* ard: one value per column of the node */
    double *values; /* per_column, given as a list: count of them; NULL: `value`
                       holds for every column */
    size_t count;
} gi_slot;

typedef struct gi_kernel_node {
    gi_kernel_kind kind;
    int minus;         /* a term that its sum subtracts */
    const gi_node *at; /* where it stands in the spec */
    const gram_kernel_class *class_;
    double *arg;       /* LEAF: value of every parameter of the class, NaN
                          if open; those with a slot are read from there */
    int *slot;         /* LEAF: per parameter its slot, or -1; CONSTANT: one */
    const char **file; /* LEAF: per parameter its text, or NULL */
    const gi_node **given; /* LEAF: per parameter what is written, or NULL */
    double exponent;       /* POWER */
    struct gi_map *map;    /* MAP */
    const gi_column_item *columns; /* behind the node, or NULL: inherited */
    gi_column_item factor;         /* WEIGHT: what `columns` points to */
    char factor_name[24];          /* its name, if it is an index */
    const gi_node *factor_at;      /* where it stands in the spec */
    struct gi_kernel_node *kids, *next;
} gi_kernel_node;

struct gram_kernel {
    gi_spec *spec;
    gi_kernel_node *root;
    gi_slot *slot;
    size_t slots;
    char *text; /* gram_kernel_text */
};

/* The kernel that is taken when none was asked for. */
#define GI_KERNEL_DEFAULT "rbf"

/* The outermost sum, behind maps or not, or NULL: its kids are the terms. */
const gi_kernel_node *gi_kernel_sum(const gram_kernel *k);

/* The first leaf whose class has the flag, or NULL. */
const gi_kernel_node *gi_kernel_leaf_with(const gram_kernel *k, unsigned flag);

/* gram_kernel_new() and gram_proof_new() within a run. */
gram_status gi_kernel_new(gi_run *run, const char *text, gram_kernel **out);
gram_status gi_proof_new(gi_run *run, const gram_kernel *k, gram_proof **out);

/* Add the text of a node. */
gram_status gi_kernel_print(gi_run *run, const gram_kernel *k,
                            const gi_kernel_node *node, gi_buf *b);

/* Add the text of the kernel with map(phi, .) around the leaves that want it
 * and have no map around them. */
typedef int gi_leaf_test(const gram_kernel *k, const gi_kernel_node *leaf);
gram_status gi_kernel_print_mapped(gi_run *run, const gram_kernel *k,
                                   const char *phi, gi_leaf_test *wants,
                                   gi_buf *b);

/* Would columns behind the node mean anything to what is inside? */
int gi_node_takes_columns(const gi_kernel_node *node);

/* The class of that name, built-in or registered, or NULL. */
const gram_kernel_class *gi_kernel_class_find(const char *name);
const gram_map_class *gi_map_class_find(const char *name);

typedef struct gi_map {
    const gram_map_class *class_;
    double *arg;           /* per parameter; NaN if it is a list or learned */
    const gi_node **given; /* per parameter what is written, or NULL */
    double *state;         /* as written; NULL: to be learned, or none */
    size_t state_size;     /* of it; gi_map_state_size() if it fits the data */
} gi_map;

/* How many columns d become, and how many numbers are learned from them. */
size_t gi_map_width(const gi_map *map, size_t d);
size_t gi_map_state_size(const gi_map *map, size_t d);

/* Fill `state`, gi_map_state_size() numbers, from n rows of d numbers. */
gram_status gi_map_learn(gi_run *run, const gi_map *map, const double *x,
                         size_t n, size_t d, double *state);

/* What a map knows of the columns it meets.  In a text the divisors stand
 * behind the columns in the last list, and zeros in the lists before it. */
typedef struct gi_state {
    double *list;    /* the lists of the map one after the other; or NULL */
    size_t length;   /* numbers in all lists together */
    size_t columns;  /* the length of each */
    double *divisor; /* of the features of a sparse block; or NULL */
    size_t features;
} gi_state;

/* The state that is written in the text, for d columns and, if `sparse`, any
 * number of features.  Errors: SHAPE, RANGE. */
gram_status gi_state_read(gi_run *run, const gi_spec *spec, const gi_map *map,
                          size_t d, int sparse, gi_state *out);
void gi_state_clear(gi_state *s);

/* Is there anything in it?  Is it the same in both, of one map? */
int gi_state_is_empty(const gi_state *s);
int gi_state_equal(const gi_map *map, const gi_state *a, const gi_state *b);

/* Read phi of map(phi, k). */
gram_status gi_map_new(gi_run *run, const gi_spec *spec, const gi_node *phi,
                       gi_map **out);
void gi_map_free(gi_map *map);
/* Add its text, with `state` (or NULL) if none is written. */
gram_status gi_map_print(gi_run *run, const gi_map *map, const gi_state *state,
                         gi_buf *b);

/* exp, normalize, map, weight: names that no kernel may have. */
int gi_kernel_is_function(const char *name);

#endif
