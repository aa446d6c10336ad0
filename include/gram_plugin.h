/* gram_plugin.h - what the author of a kernel, a map or a loss needs.
 *
 * A kernel is described, not programmed: a class gives its parameters, says
 * why it is positive semidefinite, and emits a short program of instructions
 * on registers, each of which stands for the matrix of one quantity over all
 * pairs of rows.  The tile engine runs the program on tiles that stay in the
 * cache, on all threads, in double or single precision, and differentiates
 * it; a kernel contains no loop over rows or columns and no gradient.
 *
 * This header is self-contained; a class made with it is registered by
 * gram_kernel_register() and is then written in expressions like any other.
 */
#ifndef GRAM_PLUGIN_H
#define GRAM_PLUGIN_H

#include <math.h>

#include "gram.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------- parameters */

typedef enum gram_range {
    GRAM_REAL,        /* any finite number */
    GRAM_POSITIVE,    /* > 0 */
    GRAM_NONNEGATIVE, /* >= 0 */
    GRAM_FRACTION,    /* > 0 and < 1 */
    GRAM_SHARE,       /* > 0 and <= 1, or the default */
    GRAM_NATURAL,     /* 0, 1, ..., GRAM_NATURAL_MAX: chosen, never learned */
    GRAM_COUNT,       /* the same from 1 */
    GRAM_FLAG,        /* 1 if its bare name is written, as in rbf(ard) */
    GRAM_FILE         /* the name of a file, in quotes; must be given */
} gram_range;

enum { GRAM_NATURAL_MAX = 1024 };

/* Default values: learned unless given; for whole numbers, written `all`:
 * without limit. */
#define GRAM_OPEN NAN
#define GRAM_ALL INFINITY

typedef struct gram_param {
    const char *name;
    gram_range range;
    int fixed;    /* a real number that is never learned, as whole ones are */
    double value; /* default, or GRAM_OPEN */
    const char *help;
    const double *choices; /* the only values allowed, ended by a NaN; such a
                              parameter is never learned */
    int per_column;        /* with the flag `ard` it has one value per column;
                              of a loss: a list stands for several losses */
    /* Another way to write a parameter of this class: that one is
     * factor * this^power.  stands_for is its index + 1; 0: none.  Those that
     * stand for others come behind them, flags at the end. */
    int stands_for;
    double factor, power;
} gram_param;

/* --------------------------------------------------------------- programs */

/* A program under construction, with the columns and parameters of the node
 * that is being compiled.  Registers are numbers from 0; a negative register
 * means that something failed before, and everything made from it is negative
 * too, so that only the last one need be returned. */
typedef struct gram_program gram_program;

/* Leaves: a quantity of x and t over the node's columns.  A param >= 0 must be
 * one that is per_column: if the kernel is written with `ard`, column k has
 * the weight param_k^power, otherwise the weight is 1. */
GRAM_API int gram_emit_dot(gram_program *p); /* sum x t */
GRAM_API int gram_emit_sqdist(gram_program *p, int param,
                              double power); /* sum w (x-t)^2 */
GRAM_API int gram_emit_l1(gram_program *p, int param,
                          double power); /* sum w |x-t| */

/* A pair of cells, combined over the columns by a sum or a product. */
typedef enum gram_pair {
    GRAM_PAIR_MIN_SUM,     /* sum min(x,t) */
    GRAM_PAIR_MIN_PRODUCT, /* product min(x,t) */
    GRAM_PAIR_CHI2,        /* sum (x-t)^2/(x+t), 0/0 = 0 */
    GRAM_PAIR_SIN2,        /* sum sin^2(pi (x-t)/param) */
    GRAM_PAIR_COS,         /* product cos(2 pi (x-t)/param) */
    GRAM_PAIR_ANOVA,       /* product (1 + x t) */
    GRAM_PAIR_EQUAL        /* 1 if all columns are equal, else 0 */
} gram_pair;
GRAM_API int gram_emit_columns(gram_program *p, gram_pair pair, int param);

/* sum of the products of at most `degree` different columns of x t; 1 is the
 * empty product */
GRAM_API int gram_emit_elementary(gram_program *p, int degree);

/* 1 for the same row of the same table, else 0. */
GRAM_API int gram_emit_same_row(gram_program *p);

/* Entry (row of x, row of t) of the matrix in the file parameter. */
GRAM_API int gram_emit_matrix(gram_program *p, int param);

/* x' A t with A from the file parameter. */
GRAM_API int gram_emit_metric(gram_program *p, int param);

/* A function of two rows of d numbers; called from many threads. */
GRAM_API int gram_emit_pairs(gram_program *p,
                             double (*pair)(void *user, const double *x,
                                            const double *t, size_t d),
                             void *user);

/* c * param^power; param < 0: c alone. */
GRAM_API int gram_emit_constant(gram_program *p, double c, int param,
                                double power);

/* a times c * param^power; a per-column parameter of a kernel with `ard` is
 * passed over, since it is in the leaf. */
GRAM_API int gram_emit_scale(gram_program *p, int a, double c, int param,
                             double power);

GRAM_API int gram_emit_add(gram_program *p, int a, int b);
GRAM_API int gram_emit_multiply(gram_program *p, int a, int b);
GRAM_API int gram_emit_divide(gram_program *p, int a, int b); /* 0 if b = 0 */
GRAM_API int gram_emit_exp(gram_program *p, int a);
GRAM_API int gram_emit_sqrt(gram_program *p, int a);
GRAM_API int gram_emit_tanh(gram_program *p, int a);

/* a^n by multiplications; a^(c * param), for a > 0. */
GRAM_API int gram_emit_power(gram_program *p, int a, int n);
GRAM_API int gram_emit_power_of(gram_program *p, int a, double c, int param);

/* J_order(arccos a)/pi of the arc-cosine kernels (Cho and Saul 2009, eq. 5 to
 * 7), a = cos theta clipped to [-1, 1]. */
GRAM_API int gram_emit_arccos(gram_program *p, int a, int order);

/* sqrt(a(x,x) a(t,t)): what normalises a. */
GRAM_API int gram_emit_self(gram_program *p, int a);

/* 1 if a <= c, else 0.  Its derivative is 0. */
GRAM_API int gram_emit_at_most(gram_program *p, int a, double c);

/* h(a) and its derivative (NULL: none, gradients are then refused). */
GRAM_API int gram_emit_function(gram_program *p, int a,
                                double (*h)(void *user, double a),
                                double (*slope)(void *user, double a),
                                void *user);

/* The value of a parameter that is not learned: a whole number, a flag, one
 * that is fixed or has choices. */
GRAM_API double gram_arg(const gram_program *p, int param);

/* The number of columns that the node sees. */
GRAM_API size_t gram_arg_columns(const gram_program *p);

/* ----------------------------------------------------------------- classes */

typedef enum gram_psd {
    GRAM_PSD_CERTIFIED, /* for all data in the domain */
    GRAM_PSD_REFUTED,   /* points are known whose matrix is not PSD */
    GRAM_PSD_UNKNOWN    /* depends on the data */
} gram_psd;

/* What is known of a kernel with certain values of its parameters. */
typedef struct gram_verdict {
    gram_psd psd;
    const char *why;      /* a sentence: the theorem, or what goes wrong */
    const char *instead;  /* REFUTED, UNKNOWN: a spec that is PSD, or NULL */
    const double *points; /* REFUTED: count rows of d numbers whose matrix has
                             a negative eigenvalue, or NULL; valid until this
                             thread asks the class again */
    size_t count, d;
} gram_verdict;

enum {
    GRAM_KERNEL_UNIVERSAL = 1,    /* sees every difference of distributions */
    GRAM_KERNEL_STATIONARY = 2,   /* a function of x - t */
    GRAM_KERNEL_DIVISIBLE = 4,    /* k^p is PSD for every p > 0 */
    GRAM_KERNEL_NONNEGATIVE = 8,  /* its columns must be >= 0 */
    GRAM_KERNEL_CATEGORIES = 16,  /* compares category columns as they are */
    GRAM_KERNEL_SCALED = 32,      /* --scale auto standardises its columns */
    GRAM_KERNEL_FEATURES = 64,    /* has a finite explicit feature map */
    GRAM_KERNEL_NO_COLUMNS = 128, /* does not look at columns */
    /* Tells all distributions of what it looks at apart, as UNIVERSAL ones do.
     */
    GRAM_KERNEL_CHARACTERISTIC = 256,
    GRAM_KERNEL_MEANS = 512,    /* compares means of distributions, no more */
    GRAM_KERNEL_MOMENTS = 1024, /* compares moments up to its degree, no more */
    GRAM_KERNEL_CONSTANT = 2048, /* is the value of parameter 0 everywhere */
    GRAM_KERNEL_NOISE = 4096,    /* noise of each row, as lambda is */
    GRAM_KERNEL_MARKOV = 8192    /* says its process by `markov` */
};

/* Kernels of one column of numbers whose Gaussian process is Markov, alone or
 * together with its derivatives, so that n rows take O(n); r = rate |s-t|. */
typedef enum gram_markov {
    GRAM_MARKOV_NONE,
    GRAM_MARKOV_MIN,         /* min(s,t), s, t >= 0 */
    GRAM_MARKOV_EXPONENTIAL, /* exp(-r) */
    GRAM_MARKOV_MATERN32,    /* (1 + r) exp(-r) */
    GRAM_MARKOV_MATERN52     /* (1 + r + r^2/3) exp(-r) */
} gram_markov;

typedef struct gram_kernel_class {
    const char *name;
    const char *formula; /* one line, in ASCII */
    const char *proof;   /* why it is PSD; NULL if it is not in general */
    unsigned flags;
    const gram_param *params; /* ended by one without a name; NULL: none */

    /* The register of k(x,t), or a negative number.  NULL: the class only
     * describes what is registered under other names, and is refused. */
    int (*compile)(gram_program *p);

    /* The verdict for these values of the parameters, in their order (an open
     * one is NaN); NULL: CERTIFIED for all that are in range. */
    gram_verdict (*judge)(const double *value);

    void *user; /* gram_arg_user() gives it to compile */

    /* With MARKOV, and not read without: which process it is on one column of
     * numbers, for these values of the parameters as judge has them, and in
     * *rate its rate (NaN while it is open; min has none). */
    gram_markov (*markov)(const double *value, double *rate);
} gram_kernel_class;

GRAM_API void *gram_arg_user(const gram_program *p);

/* Keeps the class, which must stay as it is until the program ends.  Kernels
 * cannot be unregistered.  May be called from any thread.
 * Errors: NAME (the name is taken or cannot be written in an expression),
 *         RANGE (no compile, or a table of parameters out of order), MEMORY. */
GRAM_API gram_status gram_kernel_register(const gram_kernel_class *class_);

/* Make a class from a function and register it; the name is copied, `user` is
 * kept.  The functions are called from many threads at the same time.
 *   radial: k(x,t) = h(|x-t|); slope is h', or NULL: no gradients.
 *   pairs:  k(x,t) of two rows of d numbers.
 * Nothing is known about them, so each matrix is checked numerically. */
GRAM_API gram_status
gram_kernel_register_radial(const char *name, double (*h)(void *user, double r),
                            double (*slope)(void *user, double r), void *user);
GRAM_API gram_status gram_kernel_register_pairs(
    const char *name,
    double (*pair)(void *user, const double *x, const double *t, size_t d),
    void *user);

/* The catalogue: built-in classes, then registered ones; NULL at the end. */
GRAM_API const gram_kernel_class *gram_kernel_class_at(size_t i);

/* ------------------------------------------------------------------- maps */

/* A map phi of rows for map(phi, k) = k(phi(x), phi(t)): d numbers become
 * width(d).  A parameter that is per_column, written as a list, is learned
 * from the data unless given: `state` holds these lists one after the other,
 * in the order of the parameters, d numbers each; so what a map has learned
 * can be printed and read again.  The other parameters are numbers, never
 * learned by a criterion; arg[i] is the value of parameter i. */
typedef struct gram_map_class {
    const char *name;
    const char *formula; /* one line, in ASCII */
    const char *help;
    const gram_param *params; /* as of a kernel; NULL: none */

    /* How many numbers d become; NULL: d. */
    size_t (*width)(const double *arg, size_t d);

    /* The per_column parameters, in their order, from the n >= 1 numbers of
     * one column; NULL: there are none. */
    void (*learn)(const double *arg, const double *column, size_t n,
                  double *value);

    /* For sparse blocks, whose zeros must stay: what a feature is divided by,
     * from those of its n numbers that are not zero.  In the state it is the
     * last per_column parameter, the others are 0.  NULL: sparse blocks are
     * refused. */
    double (*divisor)(const double *arg, const double *nonzero, size_t count,
                      size_t n);

    /* One row; 0 and a reason in *why ("log takes positive numbers") if it is
     * outside the domain.  Called from many threads. */
    int (*apply)(const double *arg, const double *state, const double *x,
                 size_t d, double *out, const char **why);
} gram_map_class;

/* As gram_kernel_register and gram_kernel_class_at. */
GRAM_API gram_status gram_map_register(const gram_map_class *class_);
GRAM_API const gram_map_class *gram_map_at(size_t i);

/* ----------------------------------------------------------------- losses */

enum {
    GRAM_LOSS_CLASSES = 1,   /* classification: y is -1 or 1 */
    GRAM_LOSS_SMOOTH = 2,    /* V is differentiable, and V'' exists but for
                                single points */
    GRAM_LOSS_JOINT = 4,     /* of several classes at once: value, slope and
                                curvature are not used (softmax alone) */
    GRAM_LOSS_NOVELTY = 8,   /* no target is needed: y is 1 */
    GRAM_LOSS_SQUARED = 16,  /* V is (y - f)^2: a linear system solves it, and f
                                is the mean of a Gaussian process */
    GRAM_LOSS_LOG_ODDS = 32, /* V is log(1 + exp(-y f)): f is the log odds of
                                class 1, so that classes have probabilities, and
                                two classes an evidence */
    /* A support vector machine, whose dual is a quadratic program with a box:
     * V is max(0, 1 - y f) with CLASSES, max(0, -f) with NOVELTY, else
     * max(0, |y - f| - arg[0]); a parameter nu > 0 stands for lambda or for
     * arg[0]. */
    GRAM_LOSS_SVM = 64,
    GRAM_LOSS_NU_LAMBDA = 128,  /* where its parameter nu is positive, lambda
                                   follows from it and cannot be given */
    GRAM_LOSS_INDEFINITE = 256, /* kernels that are refuted are taken with a
                                   warning: a stationary point is of use */
    GRAM_LOSS_PAIRS = 512 /* several classes are told apart in pairs, unless
                             something else is asked for */
};

/* A loss V(y, f), convex in f.  arg[i] is the value of parameter i.  The
 * functions are called from many threads. */
typedef struct gram_loss_class {
    const char *name;
    const char *formula; /* one line, in ASCII */
    const char *help;
    unsigned flags;
    const gram_param *params; /* numbers, none of them open, at most 4; NULL:
                                 none */

    /* 0 and a reason in *why ("must be 0 or more") if y cannot be a target;
     * NULL: every finite number can. */
    int (*accepts)(const double *arg, double y, const char **why);

    double (*value)(const double *arg, double y, double f);

    /* First and second derivative by f; where there is a kink, a number
     * between those on both sides.  No curvature: it is 0, for a loss that is
     * not SMOOTH. */
    double (*slope)(const double *arg, double y, double f);
    double (*curvature)(const double *arg, double y, double f);

    /* sup over f of a f - V(y, f), INFINITY outside its domain.  NULL: not
     * known, and then there is no duality gap. */
    double (*conjugate)(const double *arg, double y, double a);

    /* The f that makes V(y, f) + (f - v)^2/(2 t) least, t > 0.  NULL: not
     * known, and then the solver prox does not take the loss. */
    double (*prox)(const double *arg, double y, double v, double t);

    /* What is predicted for a new y where f is this; NULL: f. */
    double (*predict)(const double *arg, double f);
} gram_loss_class;

/* As gram_kernel_register and gram_kernel_class_at.  Errors of registering:
 * also RANGE (more than 4 parameters, or JOINT). */
GRAM_API gram_status gram_loss_register(const gram_loss_class *class_);
GRAM_API const gram_loss_class *gram_loss_at(size_t i);

#ifdef __cplusplus
}
#endif
#endif
