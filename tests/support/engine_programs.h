/* engine_programs.h - tile programs written by hand, at least one for every
 * instruction, so that tests of the engine do not depend on how kernels are
 * compiled.
 */
#ifndef ENGINE_PROGRAMS_H
#define ENGINE_PROGRAMS_H

#include "check.h"

#include "base/mem.h"
#include "base/rng.h"
#include "kernels/engine/engine.h"
#include "kernels/program/points.h"

enum { OPS = 24, THETAS = 32, WIDTH = 3, FEATURES = 9 };

typedef struct world {
    gi_run run;
    gram_program p;
    gi_op op[OPS];
    gi_view view;
    gi_matrix matrix;
    double theta[THETAS];
} world;

static inline int emit(world *w, gi_op op)
{
    w->op[w->p.ops] = op;
    w->p.result = (int)w->p.ops;
    return (int)w->p.ops++;
}

static inline int leaf(world *w, gi_opcode code)
{
    gi_op op = GI_OP(code, -1, -1);

    op.view = 0;
    return emit(w, op);
}

/* With a factor c theta[slot]^power. */
static inline int with(world *w, gi_opcode code, int a, double c, int slot,
                       double power)
{
    gi_op op = GI_OP(code, a, -1);

    op.c = c;
    op.slot = slot;
    op.power = power;
    return emit(w, op);
}

static inline int weighted(world *w, gi_opcode code, double power)
{
    gi_op op = GI_OP(code, -1, -1);

    op.view = 0;
    op.slot = 8;
    op.power = power;
    return emit(w, op);
}

static inline int with_n(world *w, gi_opcode code, int a, int n)
{
    gi_op op = GI_OP(code, a, -1);

    op.n = n;
    op.view = a < 0 ? 0 : -1;
    return emit(w, op);
}

static inline int columns(world *w, gram_pair pair, int slot)
{
    int i = with_n(w, GI_OP_COLUMNS, -1, (int)pair);

    w->op[i].slot = slot;
    return i;
}

static inline void constant(world *w)
{
    with(w, GI_OP_CONSTANT, -1, 2, 0, 2);
}

static inline void dot(world *w)
{
    with(w, GI_OP_SCALE, leaf(w, GI_OP_DOT), 2, 0, -1);
}

static inline void rbf(world *w)
{
    int d2 = leaf(w, GI_OP_SQDIST);

    emit(w, GI_OP(GI_OP_EXP, with(w, GI_OP_SCALE, d2, -1, 0, 1), -1));
}

static inline void rbf_weights(world *w)
{
    int d2 = weighted(w, GI_OP_SQDIST, 1);

    emit(w, GI_OP(GI_OP_EXP, with(w, GI_OP_SCALE, d2, -0.3, -1, 1), -1));
}

static inline void lengths(world *w)
{
    int d2 = weighted(w, GI_OP_SQDIST, -2);
    int r = emit(w, GI_OP(GI_OP_SQRT, d2, -1));

    emit(w, GI_OP(GI_OP_EXP, with(w, GI_OP_SCALE, r, -0.5, -1, 1), -1));
}

static inline void laplace(world *w)
{
    int l1 = leaf(w, GI_OP_L1);

    emit(w, GI_OP(GI_OP_EXP, with(w, GI_OP_SCALE, l1, -0.2, 0, 2), -1));
}

static inline void laplace_weights(world *w)
{
    int l1 = weighted(w, GI_OP_L1, 1);

    emit(w, GI_OP(GI_OP_EXP, with(w, GI_OP_SCALE, l1, -0.2, -1, 1), -1));
}

static inline void matern(world *w)
{
    int d = emit(w, GI_OP(GI_OP_SQRT, leaf(w, GI_OP_SQDIST), -1));
    int r = with(w, GI_OP_SCALE, d, sqrt(3), 0, -1);
    int decay =
        emit(w, GI_OP(GI_OP_EXP, with(w, GI_OP_SCALE, r, -1, -1, 1), -1));
    int one = with(w, GI_OP_CONSTANT, -1, 1, -1, 1);
    int sum = emit(w, GI_OP(GI_OP_ADD, one, r));

    emit(w, GI_OP(GI_OP_MULTIPLY, sum, decay));
}

static inline void min_sum(world *w)
{
    columns(w, GRAM_PAIR_MIN_SUM, -1);
}

static inline void min_product(world *w)
{
    columns(w, GRAM_PAIR_MIN_PRODUCT, -1);
}

static inline void chi2(world *w)
{
    int sum = columns(w, GRAM_PAIR_CHI2, -1);

    emit(w, GI_OP(GI_OP_EXP, with(w, GI_OP_SCALE, sum, -1, 0, 1), -1));
}

static inline void periodic(world *w)
{
    int sum = columns(w, GRAM_PAIR_SIN2, 1);

    emit(w, GI_OP(GI_OP_EXP, with(w, GI_OP_SCALE, sum, -0.1, 0, -2), -1));
}

static inline void cosine(world *w)
{
    columns(w, GRAM_PAIR_COS, 1);
}

static inline void anova(world *w)
{
    columns(w, GRAM_PAIR_ANOVA, -1);
}

static inline void equal(world *w)
{
    columns(w, GRAM_PAIR_EQUAL, -1);
}

static inline void elementary(world *w)
{
    with_n(w, GI_OP_ELEMENTARY, -1, 2);
}

static inline void same_row(world *w)
{
    with(w, GI_OP_SCALE, emit(w, GI_OP(GI_OP_SAME_ROW, -1, -1)), 1, 0, 1);
}

static inline void matrix(world *w)
{
    gi_op op = GI_OP(GI_OP_MATRIX, -1, -1);

    op.matrix = &w->matrix;
    emit(w, op);
}

static inline double pair(void *user, const double *x, const double *t,
                          size_t d)
{
    double sum = *(const double *)user;

    for (size_t k = 0; k < d; k++)
        sum += x[k] * t[k] * (double)(k + 1);
    return sum;
}

static double pair_offset = 0.25;

static inline void pairs(world *w)
{
    int i = leaf(w, GI_OP_PAIRS);

    w->op[i].pair = pair;
    w->op[i].user = &pair_offset;
}

/* normalize(poly), inside another normalize */
static inline void normal(world *w)
{
    int a = with(w, GI_OP_SCALE, leaf(w, GI_OP_DOT), 1, 0, 1);
    int one = with(w, GI_OP_CONSTANT, -1, 1, 1, 1);
    int sum = emit(w, GI_OP(GI_OP_ADD, a, one));
    int cube = with_n(w, GI_OP_POWER, sum, 3);
    int self = emit(w, GI_OP(GI_OP_SELF, cube, -1));
    int ratio = emit(w, GI_OP(GI_OP_DIVIDE, cube, self));
    int more = emit(w, GI_OP(GI_OP_ADD, ratio, a));

    self = emit(w, GI_OP(GI_OP_SELF, more, -1));
    emit(w, GI_OP(GI_OP_DIVIDE, more, self));
}

static inline void sigmoid(world *w)
{
    int a = with(w, GI_OP_SCALE, leaf(w, GI_OP_DOT), 0.1, 0, 1);

    emit(w, GI_OP(GI_OP_TANH, a, -1));
}

static inline void rq(world *w)
{
    int a = with(w, GI_OP_SCALE, leaf(w, GI_OP_SQDIST), 0.5, 0, -2);
    int sum =
        emit(w, GI_OP(GI_OP_ADD, a, with(w, GI_OP_CONSTANT, -1, 1, -1, 1)));

    with(w, GI_OP_POWER_OF, sum, -1, 1, 1);
}

static inline void arc(world *w, int order)
{
    int a = leaf(w, GI_OP_DOT), self = emit(w, GI_OP(GI_OP_SELF, a, -1));
    int c = emit(w, GI_OP(GI_OP_DIVIDE, a, self));

    /* inside (-1, 1), where all orders have a slope */
    with_n(w, GI_OP_ARCCOS, with(w, GI_OP_SCALE, c, 0.7, 0, 0.5), order);
}

static inline void arccos0(world *w)
{
    arc(w, 0);
}

static inline void arccos1(world *w)
{
    arc(w, 1);
}

static inline void arccos2(world *w)
{
    arc(w, 2);
}

static inline void at_most(world *w)
{
    int i = with(w, GI_OP_AT_MOST, leaf(w, GI_OP_SQDIST), 4, -1, 1);

    (void)i;
}

static inline double cube_of(void *user, double a)
{
    (void)user;
    return a * a * a;
}

static inline double cube_slope(void *user, double a)
{
    (void)user;
    return 3 * a * a;
}

static inline void function(world *w)
{
    int a = with(w, GI_OP_SCALE, leaf(w, GI_OP_SQDIST), 0.1, 0, 1);
    gi_op op = GI_OP(GI_OP_FUNCTION, a, -1);

    op.h = cube_of;
    op.slope = cube_slope;
    emit(w, op);
}

/* theta_0 rbf + 0.5 (x.t + 1)^2 x.t: distances share the inner product */
static inline void shared(world *w)
{
    int d2 = leaf(w, GI_OP_SQDIST);
    int rad =
        emit(w, GI_OP(GI_OP_EXP, with(w, GI_OP_SCALE, d2, -0.1, 1, 1), -1));
    int a = leaf(w, GI_OP_DOT);
    int sum =
        emit(w, GI_OP(GI_OP_ADD, a, with(w, GI_OP_CONSTANT, -1, 1, -1, 1)));
    int poly =
        emit(w, GI_OP(GI_OP_MULTIPLY, with_n(w, GI_OP_POWER, sum, 2), a));

    rad = with(w, GI_OP_SCALE, rad, 1, 0, 1);
    emit(w, GI_OP(GI_OP_ADD, rad, with(w, GI_OP_SCALE, poly, 0.5, -1, 1)));
}

static const struct {
    const char *name;
    void (*write)(world *w);
    int dense_only;
} programs[] = {
    {"constant", constant, 0},
    {"dot", dot, 0},
    {"rbf", rbf, 0},
    {"rbf_weights", rbf_weights, 0},
    {"lengths", lengths, 0},
    {"laplace", laplace, 0},
    {"laplace_weights", laplace_weights, 0},
    {"matern", matern, 0},
    {"min_sum", min_sum, 0},
    {"min_product", min_product, 0},
    {"chi2", chi2, 0},
    {"periodic", periodic, 0},
    {"cosine", cosine, 0},
    {"anova", anova, 0},
    {"equal", equal, 0},
    {"elementary", elementary, 0},
    {"same_row", same_row, 0},
    {"matrix", matrix, 0},
    {"pairs", pairs, 1},
    {"normal", normal, 0},
    {"sigmoid", sigmoid, 0},
    {"rq", rq, 0},
    {"arccos0", arccos0, 0},
    {"arccos1", arccos1, 0},
    {"arccos2", arccos2, 0},
    {"at_most", at_most, 0},
    {"function", function, 0},
    {"shared", shared, 0},
};

enum { PROGRAMS = sizeof programs / sizeof *programs };

static inline world *new_world(size_t program, size_t width, size_t features)
{
    world *w = calloc(1, sizeof *w);

    w->run = gi_run_begin(NULL);
    w->run.threads = 2;
    w->p.run = &w->run;
    w->p.op = w->op;
    w->p.view = &w->view;
    w->p.views = 1;
    w->p.theta = w->theta;
    w->p.thetas = THETAS;
    w->view.width = width;
    w->view.sparse = features ? 0 : -1;
    w->view.sparse_width = features;
    for (int i = 0; i < THETAS; i++)
        w->theta[i] = 0.6 + 0.3 * sin(i);
    w->theta[1] = 1.3;
    programs[program].write(w);
    return w;
}

static inline size_t number_of(const char *name)
{
    size_t i = 0;

    while (strcmp(programs[i].name, name) != 0)
        i++;
    return i;
}

#endif
