/* tiles.h - what the files of the tile engine share.
 *
 * A run is set up once: every leaf of the program gets its operand (the rows
 * it looks at: scaled, centred, rounded and packed, operands.c), the
 * instructions become steps on few registers (schedule.c), every thread gets
 * its workplace.  Then tasks, square blocks of tiles, are swept (engine.c):
 * on each tile all steps are done (tiles.c), and somebody takes the result.
 */
#ifndef GI_TILES_H
#define GI_TILES_H

#include <math.h>

#include "base/limits.h"
#include "base/mem.h"
#include "cpu/cpu.h"
#include "kernels/engine/engine.h"
#include "kernels/program/points.h"

/* Elements of a tile. */
enum { GI_TILE_SIZE = GI_TILE_ROWS * GI_TILE_COLS };

struct gi_engine;
struct gi_worker;
struct gi_step;

/* One instruction on one tile: y from a and b; registers have GI_TILE_COLS
 * columns.  (SQDIST may write an inner product to b.) */
typedef void gi_tile_op(struct gi_worker *w, const struct gi_step *s, void *y,
                        const void *a, void *b);

/* Everything that depends on the type of the elements. */
typedef struct gi_lanes {
    size_t size;      /* bytes of an element */
    double unit;      /* half the distance of 1 to its neighbour */
    double tolerance; /* error allowed to distances from inner products */
    int exponent;     /* data beyond 2^+-exponent are rescaled */
    size_t (*row_unit)(void); /* rows of a packed panel of x, of t */
    size_t (*col_unit)(void);
    /* n rows of d numbers into panels of w rows */
    void (*pack)(size_t w, size_t n, size_t d, const double *x, void *panels);
    /* squared norm of the rounded row, in double */
    double (*norm)(size_t d, const double *x);
    /* sum of x_i z_i, in double */
    double (*dot)(const void *x, const void *z, size_t n);
    double (*get)(const void *a, size_t i);
    void (*set)(void *a, size_t i, double v);
    gi_tile_op *const *op; /* by opcode */
    /* K(i,j) of a matrix from where the tile begins in it; K(j,i) from where
     * the transposed one does; both, of a tile cut by the diagonal. */
    void (*put)(const gi_tile *t, int stream, void *K, size_t ld);
    void (*put_mirrored)(const gi_tile *t, int stream, void *spare, void *K,
                         size_t ld);
    void (*put_cut)(const gi_tile *t, void *K, size_t ld);
    /* the tile, or what of it is above the diagonal, in one of `rows` rows and
     * all columns that has zeros elsewhere */
    void (*trim)(const gi_tile *t, int upper, size_t rows, void *out);
    /* of `rows` rows of a tile, a multiple of GI_TIMES_ROWS, and of full tiles,
     * as cpu_tile.def has them */
    void (*times)(const void *tile, size_t rows, const void *v, size_t r,
                  void *y);
    void (*times_both)(const void *tile, const void *v, const void *w, size_t r,
                       void *y, void *z);
    /* y_i += k(i,i) w_i for what of the diagonal is in the tile */
    void (*add_diagonal)(const gi_tile *t, const void *w, size_t r, void *y);
    /* v_j(q) = v[j*ld + q] scale[q], where v was 0 */
    void (*pack_vectors)(size_t n, const double *v, size_t ld, size_t r,
                         const double *scale, void *packed);
    /* out[i*ld + q] += y_i(q), out[j*ld + q] += z_j(q) */
    void (*row_sums)(size_t n, const void *y, size_t r, double *out, size_t ld);
    void (*col_sums)(size_t n, const void *z, size_t r, double *out, size_t ld);
    /* of `rows` rows of a full tile from row `first`: sums[q*stride + s] +=
     * the sum of power 2^q over columns cut[s] .. cut[s + 1] - 1, for `cuts`
     * of them; cols[j] += that of column j (NULL: not wanted) */
    void (*bins)(const void *tile, size_t first, size_t rows, size_t powers,
                 const size_t *cut, size_t cuts, double *sums, size_t stride,
                 double *cols);
} gi_lanes;

extern const gi_lanes gi_lanes_d, gi_lanes_s; /* double, single */

/* J_order(arccos a)/pi, a clipped to [-1, 1]. */
double gi_arccos(int order, double a);

/* ---------------------------------------------------------------- operands */

/* The rows of one side, x or t. */
typedef struct gi_side {
    void *panels;        /* dense part */
    void *norm;          /* squared norms, with the sparse part; SQDIST */
    void *shift;         /* what makes a product of centred rows one of rows */
    const gi_rows *rows; /* as gathered */
    double *entries;     /* sparse part, scaled */
    gi_rows completed;   /* what `rows` is if it came without entries, */
    size_t *no_entries;  /* and the other side has some */
    double *expanded;    /* dense and sparse part, if written out */
    const gi_rows *wide; /* as gathered, if entries were left out of that */
    unsigned char *far;  /* of x, by row: GI_FAR, GI_BEYOND; NULL: none is */
} gi_side;

/* Rows of x that are far from all of t: distances are taken from differences;
 * or so far that numbers of the tile would overflow (far.c). */
enum { GI_FAR = 1, GI_BEYOND = 2 };

/* What a leaf looks at.  Rows are (x - centre) * weight. */
typedef struct gi_operand {
    size_t width;   /* dense columns, all of t if sparse ones are written out */
    size_t dense;   /* dense columns of the view */
    size_t columns; /* dense and sparse */
    size_t known;   /* those that t, or another judge, has */
    int sparse, expanded;
    double *centre, *weight, *reach; /* reach: the largest |t - centre| of each
                                        dense column */
    double period;                   /* > 0: rows are (x mod period) / period */
    double back;  /* the power of 2 that rows were divided by */
    int direct;   /* SQDIST from differences, not from inner products */
    double steep; /* by how much errors of distances grow later */
    double near;  /* d^2 < near (h_i + h_j) is computed from differences */
    int twin;     /* SQDIST and DOT that share a product: each other, or -1 */
    gi_side x, t; /* of a symmetric run, t borrows what is equal */
    int block;    /* number of the sparse product, or -1 */
} gi_operand;

/* a(x,x) = square * power^2 with 1/2 <= square < 2 and a power of 2, so that
 * sqrt(a(x,x) a(t,t)) neither overflows on the way nor misses an exact
 * square. */
typedef struct gi_self {
    void *square, *power; /* per row */
} gi_self;

/* ---------------------------------------------------------------- schedule */

typedef struct gi_step {
    const gi_op *op;
    int number;    /* of the instruction */
    int y, a, b;   /* registers; -1: none */
    double factor; /* c theta^power */
    const gi_operand *operand;
} gi_step;

/* ------------------------------------------------------------------- runs */

enum {
    GI_KEEP = 1,     /* every register stays, for going backwards */
    GI_DIAGONAL = 2, /* pairs (i,i) alone */
    GI_SELVES = 4,   /* what SELF needs, not the kernel's value */
    GI_ANYWHERE = 8, /* a workplace for every thread of the run, however few
                        the tasks */
    GI_ALONE = 16    /* on the diagonal: a row's bits are its own, but need not
                        be those of a run over all pairs */
};

typedef struct gi_strip gi_strip; /* sparse.c */

/* The workplace of a thread. */
typedef struct gi_worker {
    const struct gi_engine *e;
    const gi_cpu *cpu;
    gi_tile tile; /* the one being computed; value: the result */
    size_t task;
    size_t block_row, block_col; /* where its block begins */
    char *registers;             /* tiles */
    void *spare;                 /* a tile */
    void *rows;       /* as many rows of a tile as a step works with */
    gi_strip **strip; /* per sparse product */
    double **block;   /* per sparse product: its values on the block */
} gi_worker;

typedef struct gi_engine {
    gi_run *run;
    const gram_program *p;
    const double *theta;
    const gi_points *x, *t; /* of a symmetric run the same */
    const gi_points *judge; /* decides whether sparse columns are written out:
                               t, or of GI_ALONE the t of another run */
    int symmetric;
    const struct gi_engine *lender; /* of all that t has; NULL: it is our own */
    const struct gi_engine *owner;  /* of the rows on both sides; or NULL */
    int mode;
    const gi_lanes *lanes;
    gi_operand *operand;      /* per instruction */
    gi_self *self_x, *self_t; /* per instruction */
    gi_step *step;
    size_t steps, registers;
    size_t constants; /* steps to do once per thread, the first ones */
    size_t products;  /* of sparse parts */
    int *where;       /* register of an instruction, or -1 */
    int result;       /* register of the kernel's value, or -1 */
    size_t strip;     /* rows of a tile that all steps are done for at a time */
    size_t tile_rows; /* of a register: few if x has few */
    size_t edge, block_rows, block_cols, tasks;
    size_t threads;  /* at most */
    gi_worker *work; /* per thread */
} gi_engine;

/* What happens to tiles: `tile` when its registers are filled, on many
 * threads; `end` after the last tile of a task, in the order of the tasks,
 * one at a time, so that whatever it adds is added in that order. */
typedef struct gi_sweep {
    gram_status (*tile)(void *user, gi_worker *w);
    void (*end)(void *user, gi_worker *w);
    void *user;
} gi_sweep;

/* engine.c: set up, use any number of times, tear down.  t NULL: symmetric. */
gram_status gi_engine_begin(gi_engine *e, gi_run *run, const gram_program *p,
                            const double *theta, const gi_points *x,
                            const gi_points *t, const gi_lanes *lanes,
                            int mode);
/* The same, where others than t decide what gi_engine.judge does. */
gram_status gi_engine_begin_for(gi_engine *e, gi_run *run,
                                const gram_program *p, const double *theta,
                                const gi_points *x, const gi_points *t,
                                const gi_points *judge, const gi_lanes *lanes,
                                int mode);
/* Other rows x with the t of an engine that stays, where it lends it to them
 * (it has all their columns): only x is set up. */
int gi_engine_lends(const gi_engine *lender, const gi_points *x);
gram_status gi_engine_rows(gi_engine *e, gi_run *run, const gi_engine *lender,
                           const gi_points *x);
/* The rows of an engine that stays, in another mode. */
gram_status gi_engine_again(gi_engine *e, gi_run *run, const gi_engine *owner,
                            int mode);
/* Follow e->theta, in which the marked numbers have changed, in the memory
 * there is.  Where that cannot be, *fits is 0, and the engine is to be made
 * anew.  After a failure nothing can be done with it but to end it. */
gram_status gi_engine_set(gi_engine *e, gi_run *run, const unsigned char *moved,
                          int *fits);
gram_status gi_engine_sweep(gi_run *run, gi_engine *e, const gi_sweep *sweep);
void gi_engine_end(gi_engine *e);
size_t gi_engine_edge(size_t cols); /* of a block, t having so many rows */

/* engine.c: make ready for tiles of rows row .. row_end-1, at most e->edge of
 * them, and of columns from col to the next multiple of e->edge; then for each
 * whose place is in w->tile, leave its value there.  Rows begin at multiples
 * of lanes->row_unit(), columns at multiples of GI_TILE_COLS. */
void gi_worker_block(gi_worker *w, size_t row, size_t row_end, size_t col);
void gi_worker_tile(gi_worker *w);

/* consume.c: V, as many rows as t and r columns, as products want it; and
 * out = K V. */
gram_status gi_engine_pack(gi_run *run, const gi_engine *e, const double *V,
                           size_t r, gi_vectors **out);
gram_status gi_engine_multiply(gi_run *run, gi_engine *e, const gi_vectors *V,
                               double *out);

const gi_lanes *gi_lanes_of(const gi_points *x);

/* operands.c: the operands of all leaves among the needed instructions; those
 * of the lender with the rows of x. */
gram_status gi_operands_new(gi_engine *e, const char *needed);
gram_status gi_operands_borrow(gi_engine *e);
void gi_operands_free(gi_engine *e);

/* As gi_engine_set, of a symmetric engine. */
gram_status gi_operands_set(gi_engine *e, const unsigned char *moved,
                            int *fits);

/* transform.c: what numbers of the kernel do to the rows of a leaf, by opcode;
 * without `forward` there are no rows. */
typedef struct gi_transform {
    int centred;  /* at the means of t */
    int rescaled; /* by a power of 2, if squares, or sums, would overflow */
    /* The numbers are theta[op->slot] and so many less one behind it. */
    size_t (*count)(const gram_program *p, const gi_op *op);
    /* Weights and period of the operand at e->theta. */
    void (*forward)(const gi_engine *e, const gi_op *op, gi_operand *o);
    /* Add to grad what the sums over pairs of columns first .. first+count-1
     * say of the numbers; of a period there is one sum. */
    void (*adjoint)(const gi_op *op, const double *theta, size_t first,
                    size_t count, const double *sum, double *grad);
} gi_transform;
extern const gi_transform gi_transforms[GI_OPCODES];

/* Measure the columns of t, and set all to theta; theta has moved; does it,
 * where those numbers moved?  And rows and entries as the operand has them. */
gram_status gi_transform_new(const gi_engine *e, const gi_op *op,
                             gi_operand *o);
void gi_transform_set(const gi_engine *e, const gi_op *op, gi_operand *o);
int gi_transform_moves(const gram_program *p, const gi_op *op,
                       const unsigned char *moved);
void gi_transform_row(const gi_operand *o, const double *x, double *out);
double gi_transform_entry(const gi_operand *o, double v, unsigned k);

/* diagonal.c: what the needed `self` instructions keep of the rows of x and t;
 * of other rows; all of it again at e->theta. */
gram_status gi_selves_new(gi_engine *e, const char *needed);
gram_status gi_selves_find(const gi_engine *e, const gi_points *x,
                           gi_self **out);
gram_status gi_selves_set(gi_engine *e);
void gi_selves_free(gi_self *s, size_t ops);

/* schedule.c */
void gi_schedule_need(const gi_engine *e, char *needed);
gram_status gi_schedule_new(gi_engine *e, const char *needed);
void gi_schedule_set(gi_engine *e); /* at e->theta */

/* sparse.c: products of sparse parts on a block of pairs, through an inverted
 * index of the block's columns; and pair by pair. */
gram_status gi_strip_new(gi_run *run, const gi_engine *e, const gi_operand *o,
                         gi_strip **out);
void gi_strip_free(gi_strip *s);
void gi_strip_forget(gi_strip *s); /* entries have changed */
void gi_strip_product(gi_strip *s, const gi_operand *o, size_t row, size_t rows,
                      size_t col, size_t cols, double *out, size_t ld);

/* expand.c: do leaves of this instruction want sparse columns written out; do
 * so behind the dense ones, for o->width in all. */
int gi_expands(const gi_engine *e, const gi_op *op);
gram_status gi_expand(const gi_engine *e, const gi_operand *o,
                      const gi_points *p, gi_side *s);

/* The squared norm of what was left out of row i, since t has no such
 * columns. */
double gi_expand_rest(const gi_operand *o, const gi_side *s, size_t i);

/* far.c: the exponent of the largest number of row i of x; and for one beyond,
 * values with n rows of t from `col` on, at most `limit`. */
int gi_far_exponent(const gi_operand *o, size_t i);
void gi_far_values(const gi_operand *o, int opcode, size_t i, size_t col,
                   size_t n, double limit, double *out);

/* A walk through the indices k that row i of x or row j of t has an entry for,
 * with the cells of both. */
typedef struct gi_merge {
    const unsigned *i, *i_end, *j, *j_end;
    const double *x, *t;
} gi_merge;
void gi_merge_begin(gi_merge *m, const gi_operand *o, size_t i, size_t j);
int gi_merge_next(gi_merge *m, unsigned *k, double *x, double *t);

/* c theta[slot]^power; and the slope of theta[slot + k]^power. */
static inline double gi_op_factor(const gi_op *op, const double *theta)
{
    return op->slot < 0 ? op->c : op->c * pow(theta[op->slot], op->power);
}

static inline double gi_op_slope(const gi_op *op, const double *theta, size_t k)
{
    return op->power == 1
               ? 1
               : op->power * pow(theta[(size_t)op->slot + k], op->power - 1);
}

/* Element 0 of the register of an instruction. */
static inline void *gi_register(const gi_worker *w, int number)
{
    const gi_engine *e = w->e;

    return w->registers +
           (size_t)number * e->tile_rows * GI_TILE_COLS * e->lanes->size;
}

#endif
