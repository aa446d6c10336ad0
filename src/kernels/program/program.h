/* program.h - a kernel compiled for the columns of a table: instructions on
 * tiles.
 *
 * Instructions are numbered; number i writes register i.  Equal instructions
 * are one (hash-consed at emission), so terms share inner products without
 * asking for it.  Parameters are read from theta at run time: changing them
 * needs no compilation.
 */
#ifndef GI_PROGRAM_H
#define GI_PROGRAM_H

#include "data/table/table.h"
#include "kernels/expression/kernel.h"

typedef enum gi_opcode {
    /* leaves */
    GI_OP_CONSTANT,   /* factor */
    GI_OP_DOT,        /* view */
    GI_OP_SQDIST,     /* view, weight */
    GI_OP_L1,         /* view, weight */
    GI_OP_COLUMNS,    /* view, n: gram_pair, slot: its parameter */
    GI_OP_ELEMENTARY, /* view, n: degree */
    GI_OP_SAME_ROW,
    GI_OP_MATRIX, /* matrix */
    GI_OP_PAIRS,  /* view, pair, user */
    GI_OP_SELF,   /* sqrt(a(x,x) a(t,t)) */
    /* of one register */
    GI_OP_SCALE, /* a * factor */
    GI_OP_EXP,
    GI_OP_SQRT,
    GI_OP_TANH,
    GI_OP_POWER,    /* a^n */
    GI_OP_POWER_OF, /* a^factor */
    GI_OP_ARCCOS,   /* n: order */
    GI_OP_AT_MOST,  /* c */
    GI_OP_FUNCTION, /* h, slope, user */
    /* of two */
    GI_OP_ADD,
    GI_OP_MULTIPLY,
    GI_OP_DIVIDE,
    GI_OPCODES
} gi_opcode;

/* Instruction.  Its factor is c * theta[slot]^power, or c if slot < 0; the
 * weight of column k is theta[slot + k]^power, or 1. */
typedef struct gi_op {
    gi_opcode code;
    int a, b;
    int view;
    int n;
    double c;
    int slot;
    double power;
    const struct gi_matrix *matrix;
    double (*pair)(void *, const double *, const double *, size_t);
    double (*h)(void *, double);
    double (*slope)(void *, double);
    void *user;
} gi_op;

/* An instruction on registers a and b (-1: none) with no factor. */
#define GI_OP(code_, a_, b_)                                                   \
    ((gi_op){.code = (code_),                                                  \
             .a = (a_),                                                        \
             .b = (b_),                                                        \
             .view = -1,                                                       \
             .c = 1,                                                           \
             .slot = -1,                                                       \
             .power = 1})

/* An input column of the program, found by name in every table. */
typedef struct gi_source {
    char *name;
    gram_type type;
    gi_dict levels;   /* category: those of the table compiled for, number =
                         code; sparse: names of the features, if it has any */
    size_t width;     /* sparse */
    char *block;      /* a number that is feature `name` of this sparse column,
                         else NULL */
    unsigned feature; /* and its index in the table compiled for */
} gi_source;

/* A matrix from a file. */
typedef struct gi_matrix {
    const char *path; /* the kernel's */
    int factor;       /* F with A = F'F of the A in the file */
    int symmetric;
    double *data; /* row-major */
    size_t rows, cols;
} gi_matrix;

/* Columns that leaves look at, possibly through maps.  A row of a view is its
 * dense numbers - number and date columns in order, through the maps, then
 * category columns in order - and beside them the entries of a sparse block.
 * Maps are of numbers: categories pass by them, and a sparse block goes through
 * those that can do it by dividing. */
typedef struct gi_view {
    int *source; /* indices of sources, in order */
    size_t count;
    int exact;          /* categories enter as codes (delta), not as one-hot */
    const gi_map **map; /* of the kernel, the first to be applied first */
    gi_state *state;    /* of each map */
    size_t maps;
    const gi_matrix *metric; /* then x -> F x, and source, map and state are
                                those of another view; or NULL */
    size_t width;            /* dense numbers per row after all that */
    int sparse;              /* source of the sparse block, or -1 */
    size_t sparse_width;     /* in the table compiled for */
    const char *nonnegative; /* the kernel that needs x >= 0, or NULL; checked
                                when rows are gathered */
} gi_view;

/* Which view a node reads: a leaf's, or that of the factor of a weight. */
typedef struct gi_view_use {
    const gi_kernel_node *node;
    int view;
} gi_view_use;

/* What an expression has beside its structure: numbers and what its maps know.
 * States stand in the order in which compiling meets the views. */
typedef struct gi_values {
    size_t *count; /* numbers of each slot of the kernel */
    size_t slots;
    double *theta; /* the numbers of all slots */
    size_t thetas;
    gi_state *state; /* of each map of each view */
    size_t states;
    int borrowed; /* theta and what is in the states belong to a program */
} gi_values;

struct gram_program {
    gi_run *run;
    const gram_kernel *kernel;
    gi_op *op;
    size_t ops, ops_capacity;
    unsigned *op_slot; /* hash table of op: 0, or its number + 1 */
    size_t op_slots;   /* a power of two */
    int result;        /* register of the kernel's value */
    int *term;         /* registers of the terms of the outermost sum, which may
                          be behind maps; one if there is no sum */
    size_t terms;
    gi_source *source;
    size_t sources, sources_capacity;
    gi_dict source_names; /* string i is the name of source i */
    gi_view *view;
    size_t views, views_capacity;
    gi_view_use *view_use;
    size_t view_uses, view_uses_capacity;
    gi_matrix **matrix;
    size_t matrices;
    double *theta; /* values of the learnable numbers */
    size_t thetas;
    int *first_theta; /* per slot of the kernel */
    /* while compiling */
    const gi_kernel_node *node;
    int node_view;
    const gi_values *given; /* or NULL: maps learn */
    size_t given_states;    /* that are in use */
    gram_status status;
};

/* Compile for the columns of `t`.  Maps learn from it what they need.
 * Open parameters are an error that names them unless `open` is set.
 * Errors: NAME, RANGE, SHAPE (no columns, text columns, A not PSD), IO. */
gram_status gi_program_new(gi_run *run, const gram_kernel *k,
                           const gram_table *t, int open, gram_program **out);
void gi_program_free(gram_program *p);

/* The same with values that were learned before: nothing is learned, nothing
 * is open.  Copies them.  Errors: SHAPE (they do not fit the columns of t). */
gram_status gi_program_restore(gi_run *run, const gram_kernel *k,
                               const gi_values *values, const gram_table *t,
                               gram_program **out);

/* The values of a program, as long as it lives.  (values.c) */
gram_status gi_values_of(gi_run *run, const gram_program *p, gi_values *out);
void gi_values_free(gi_values *v); /* what is inside */

/* In values.c, for a view that is being made: the states that are given. */
gram_status gi_view_restore(gram_program *p, gi_view *v);

/* Term i as a program of its own, which borrows all it has from p. */
gram_program gi_program_term(const gram_program *p, size_t i);

/* The view of a leaf of the kernel, or of the factor of a weight; NULL: it
 * looks at no columns. */
const gi_view *gi_program_view(const gram_program *p,
                               const gi_kernel_node *node);

/* Does it address rows by index (a matrix from a file, or whether they are the
 * same), so that none may be dropped? */
int gi_program_addresses_rows(const gram_program *p);

/* Does it read a matrix from a file, which has a row for every row there is? */
int gi_program_reads_matrix(const gram_program *p);

/* How many numbers of theta a slot of the kernel has. */
size_t gi_program_count(const gram_program *p, size_t slot);

/* The text of the kernel with theta for the numbers that are open and with what
 * maps have learned.  A map whose leaves look at different columns is written
 * around each of them.  (print.c) */
gram_status gi_program_print(gi_run *run, const gram_program *p,
                             const double *theta, gi_buf *b);

/* The text of its structure: what is open stays open, maps have no state, and
 * columns are named, so that it means the same for the columns of any table. */
gram_status gi_program_print_structure(gi_run *run, const gram_program *p,
                                       gi_buf *b);

/* The text of term i with its values. */
gram_status gi_program_print_term(gi_run *run, const gram_program *p, size_t i,
                                  gi_buf *b);

/* The register of `op`, which is added unless an equal one is there.  Negative
 * after a failure, as the operands may be. */
int gi_program_emit(gram_program *p, gi_op op);

/* The rows of a table as the program sees them: one matrix per view, of the
 * precision asked for.  Columns are matched by name. */
typedef enum gi_precision { GI_DOUBLE, GI_SINGLE } gi_precision;
typedef struct gi_points gi_points;
gram_status gi_points_new(gi_run *run, const gram_program *p,
                          const gram_table *t, gi_precision precision,
                          gi_points **out);
/* The same, but a level of a category that the program does not know is one of
 * its own: unlike every known one, by an inner product of 0 and a distance of
 * 1, or one that fits the weights of the known ones if they have any.  Beside
 * them in a run may be points of known levels only. */
gram_status gi_points_new_unseen(gi_run *run, const gram_program *p,
                                 const gram_table *t, gi_precision precision,
                                 gi_points **out);
/* The rows row[0] .. row[m-1] of x, in that order, which stay rows of its
 * table: `white` and matrices from files see them as the rows they are. */
gram_status gi_points_select(gi_run *run, const gram_program *p,
                             const gi_points *x, const size_t *row, size_t m,
                             gi_points **out);

/* The same rows in another precision; borrows the numbers of x, which must
 * stay. */
gram_status gi_points_view(gi_run *run, const gi_points *x,
                           gi_precision precision, gi_points **out);

void gi_points_free(gi_points *x);
size_t gi_points_rows(const gi_points *x);

/* Can the program run on x and t (NULL: x itself)?  Matrices from files must
 * have that many rows and columns, and be symmetric if t is NULL; column
 * weights must be there for all features of a sparse block.
 * Every run begins with this.  Errors: SHAPE. */
gram_status gi_points_check(const gram_program *p, const gi_points *x,
                            const gi_points *t);

#endif
