/* machine.h - the inside of a fitted machine: an expansion, what it was trained
 * on, its outputs, and a report.
 *
 * It keeps a table of its own with the columns that the kernel looks at, and
 * the kernel compiled for them: the program has the numbers that were learned
 * and what maps know.  Program and points are made anew when a file is loaded.
 * Of the training rows only those that count are there (a weight of 0 drops a
 * row).  Operators are made by the calls that need one, since they belong to a
 * run and its threads while a machine may be read from many.
 */
#ifndef GI_MACHINE_H
#define GI_MACHINE_H

#include "data/table/missing.h"
#include "kernels/program/points.h"
#include "machines/classes.h"
#include "solvers/solver.h"

/* f = sum_i alpha_i k(x_i, .): all that predicting, compressing and exporting
 * need. */
typedef struct gi_expansion {
    gram_kernel *kernel; /* the structure; its columns may be places in the
                            table that was fitted to */
    gram_table *table;   /* the basis: source columns of the kernel, rows that
                            are kept, all or those with an alpha */
    gram_program *program;
    gi_points *x; /* the basis, in double */
    size_t n;     /* rows of it */
    char *text;   /* of the kernel with all it has learned */
    char **term;  /* the same of the terms of its outermost sum */
    size_t terms;
    /* per output if lambda differs (per_target), else one */
    size_t solutions;
    gi_solution *solution;
    size_t features; /* of the kernel's map: rows of solution->weights */
} gi_expansion;

/* What was fitted to and how, for variances, updates and refits. */
typedef struct gi_training {
    size_t rows;        /* that were fitted to; below, those of the basis */
    double *y;          /* n x outputs, less shift */
    double *noise;      /* D; NULL: ones */
    char *noise_column; /* where D came from, or NULL */
    double *row;        /* the row of the table given, from 0, for --why */
    int intercept;
    gi_amplitude amplitude_mode;
    gram_fit_options options; /* what a refit goes by: the kept fields */
} gi_training;

/* The functions f and what they mean. */
typedef struct gi_outputs {
    size_t target_count;
    char **target;    /* names of the target columns */
    int *target_type; /* their types, gram_type; NULL: not known */
    gi_fills fills;   /* what stands for missing cells */
    size_t count;     /* functions f: one per target column, tau, class, pair of
                         classes */
    char **name;      /* and their names */
    gi_loss *loss;    /* one, or one per function (quantiles) */
    size_t losses;
    char *loss_text;
    gi_classes classes;
    /* per function */
    double *shift; /* the mean of y if there is an intercept, which keeps
                          digits, else 0 */
    double *lambda;
    double *amplitude; /* s */
    double *variance;  /* s lambda */
    double *evidence;  /* NaN: not known */
    double *constant;  /* b, shift included */
} gi_outputs;

struct gram_machine {
    gi_expansion expansion;
    gi_training training;
    gi_outputs outputs;
    gram_report report; /* its pointers point into the machine or to texts */
    char **warning, **note;
    size_t warnings, notes;
};

/* The words for a gram_select, NULL at the end. */
extern const char *const gi_select_names[];

/* Put the report's pointers in place after the fields above have changed. */
void gi_machine_refer(gram_machine *m);

/* The name of function q, from its classes, its loss or its target. */
gram_status gi_machine_name_output(gi_run *run, gram_machine *m, size_t q);

/* Add a sentence to the warnings, or to the notes. */
gram_status gi_machine_warn(gi_run *run, gram_machine *m, const char *format,
                            ...) GI_PRINTF(3, 4);
gram_status gi_machine_note(gi_run *run, gram_machine *m, const char *format,
                            ...) GI_PRINTF(3, 4);

/* From kernel, values (NULL: those that are written) and table: program, points
 * and texts. */
gram_status gi_expansion_compile(gi_run *run, gi_expansion *e,
                                 const gi_values *values);

/* The basis from now on, and the same as its program sees it; both are the
 * expansion's then, and those before are freed. */
void gi_expansion_take_rows(gi_expansion *e, gram_table *table, gi_points *x);

/* Texts anew, after the program's numbers have changed. */
gram_status gi_expansion_print(gi_run *run, gi_expansion *e);
void gi_expansion_free(gi_expansion *e); /* what is inside */

/* The kernel was multiplied by s and the amplitude becomes 1: solutions and
 * lambda follow. */
gram_status gi_machine_scale(gi_run *run, gram_machine *m, double s);

/* Is V = (y - f)^2, so that there are deviations, evidence and all the rest? */
int gi_machine_is_squared(const gram_machine *m);

/* A sentence that says that `what` is for the squared loss alone, and for
 * numbers, if the machine has another one. */
gram_status gi_machine_must_be_squared(const gram_machine *m, const char *what);

/* The problem of solution q (one target, or all of them if there is one
 * solution) with K, the operator of m->x; y is borrowed, and is gathered into
 * `room`, n numbers, if q is one of several. */
gi_problem gi_machine_problem(const gram_machine *m, const gi_operator *K,
                              size_t q, double *room);

/* Which solution belongs to a target. */
static inline const gi_solution *gi_machine_solution(const gram_machine *m,
                                                     size_t target)
{
    return &m->expansion.solution[m->expansion.solutions > 1 ? target : 0];
}

/* complete.c: in a table of new rows, missing cells by the machine's policy, or
 * by that which is asked for. */
gram_status gi_machine_fill(gi_run *run, const gram_machine *m,
                            gram_missing policy, gram_table *t);

/* A copy of what matters in such a table, targets included, after that; NULL:
 * nothing has to change. */
gram_status gi_machine_complete(gi_run *run, const gram_machine *m,
                                gram_missing policy, const gram_table *t,
                                gram_table **out);

/* With K, the operator of m->x: solve for lambda and all targets: alpha,
 * intercepts, amplitudes, evidence where it is not known and cheap (a factor in
 * double, Markov, primal), the report's residual, rank, condition.  `o` has the
 * wishes of gd and cg; NULL: none. */
gram_status gi_machine_solve(gi_run *run, gram_machine *m, const gi_operator *K,
                             const gi_solver *solver,
                             const gram_fit_options *o);

/* The same with another loss than squared; then rows without an alpha may go,
 * which K would still look at. */
gram_status gi_machine_solve_loss(gi_run *run, gram_machine *m,
                                  const gi_operator *K, const gi_solver *solver,
                                  const gram_fit_options *o);
gram_status gi_machine_drop_rows(gi_run *run, gram_machine *m);

/* Bytes that support vector machines of pairs of classes take together;
 * infinite if they are solved one by one. */
double gi_machine_pairs_bytes(const gram_machine *m, const gi_solver *solver);

/* Are they solved together, with so many bytes to take? */
int gi_machine_pairs_fit(const gram_machine *m, const gi_solver *solver,
                         size_t room);

/* What the options say of gd and cg, into a problem; `held` of n rows if some
 * are held out. */
gram_status gi_machine_preferences(gi_run *run, const gram_fit_options *o,
                                   size_t n, gi_problem *p,
                                   unsigned char **held);

/* What follows from solution q of problem p: amplitudes, noise variances,
 * intercepts, evidences that are not known; its factor goes unless it is to
 * be kept.  After the last one, the report's worst residual, rank, ... */
gram_status gi_machine_conclude(gi_run *run, gram_machine *m, size_t q,
                                const gi_problem *p);
void gi_machine_summarise(gram_machine *m);

#endif
