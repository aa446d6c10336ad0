/* fit.h - a fit on its way: what the parts of fitting hand to each other.
 *
 *     gi_fit_begin   options checked, table read, kernel compiled, solver and
 *                    memory planned: all that gram_machine_plan does
 *     gi_select      open numbers found
 *     gi_fit_finish  numbers written into the kernel, machine solved
 */
#ifndef GI_FIT_H
#define GI_FIT_H

#include "machines/machine.h"
#include "solvers/path/criterion.h"
#include "kernels/program/unknowns.h"

/* lambda as it was asked for. */
typedef struct gi_lambda {
    double value;      /* NaN: to be found */
    double *candidate; /* the only ones allowed, or NULL */
    size_t count;
} gi_lambda;

/* What a fit will take. */
typedef struct gi_fit_plan {
    const gi_solver *solver;
    const char *selection; /* a sentence */
    size_t rows;           /* that selection looks at */
    double bytes, seconds;
    double share; /* of the seconds that selection takes */
} gi_fit_plan;

typedef struct gi_fit {
    gi_run *run;
    const gram_fit_options *o;
    const gram_table *table; /* as given */
    const gi_fills *fills;   /* of a machine that came before, or NULL */
    gram_table *part;        /* of it the rows that count, if not all do, with
                                missing cells filled in */
    size_t *source;          /* which rows of `table` those are, if some were
                                left out for missing cells */
    gram_machine *m;         /* being made */
    int classes;             /* the target has them */

    gram_kernel *kernel; /* scaled; numbers may be open */
    gram_program *program;
    gi_points *x;
    gi_operator *K; /* of all rows; selection moves it about */
    gi_unknown *unknown;
    size_t unknowns;
    double *theta;   /* starts, then what was found */
    int hold;        /* the slot of an overall ? that stays 1, or -1 */
    int unknown_psd; /* rows must tell whether the kernel is one */
    gi_lambda lambda;
    gram_select select; /* never AUTO; NONE if nothing is open */
    gi_fit_plan plan;
    double seconds; /* that beginning took */

    /* found */
    double value;
    size_t evaluations;
    int lambda_edge, edge; /* as in gi_found; edge 1 + the unknown, 0: none */
} gi_fit;

/* The table that kernels are compiled for: the rows that count. */
static inline const gram_table *gi_fit_table(const gi_fit *f)
{
    return f->part ? f->part : f->table;
}

/* All but run, o and table is zero; gi_fit_end() after a failure, too. */
gram_status gi_fit_begin(gi_fit *f);
gram_status gi_fit_finish(gi_fit *f);
void gi_fit_end(gi_fit *f);

/* From after gi_fit_begin() to a machine. */
gram_status gi_fit_run(gi_run *run, gi_fit *f, gram_machine **out);

/* gram_machine_fit() within a run. */
gram_status gi_machine_fit(gi_run *run, const gram_table *table,
                           const gram_fit_options *options, gram_machine **out);

/* options.c: are the options in order, and what is lambda? */
gram_status gi_fit_options_check(const gram_fit_options *o);
gram_status gi_lambda_read(gi_run *run, const char *text, gi_lambda *out);

/* complete.c: what stands for missing cells, and the table with it. */
gram_status gi_fit_complete(gi_fit *f);

/* task.c: reads the loss, and says whether the first of `targets` columns,
 * `target`, has classes. */
gram_status gi_fit_task(gi_fit *f, const gi_column *target, size_t targets);

/* targets.c: targets, weights and noise of the table, into the machine. */
gram_status gi_fit_targets(gi_fit *f);

/* The name of the target column if a fit with these options would take it for
 * classes, else NULL. */
gram_status gi_fit_classes(gi_run *run, const gram_table *t,
                           const gram_fit_options *o, const char **out);

/* certificate.c: of a kernel that no rule certifies, ask the machine's rows,
 * when all numbers are known. */
gram_status gi_fit_check_rows(gi_run *run, const gram_machine *m);

/* The problem without lambda, with K at theta. */
gi_problem gi_fit_problem(const gi_fit *f);

/* plan.c */
gram_status gi_fit_make_plan(gi_fit *f, gram_plan *out);

/* notes.c: what the user should know of table and optimum, as warnings. */
gram_status gi_fit_notes(gi_fit *f);

/* select.c: find theta and lambda. */
gram_status gi_select(gi_fit *f);

#endif
