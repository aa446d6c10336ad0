/* prediction_plot.c - the pictures of gram predict --plot.
 *
 * Functions of one column of numbers, each a picture: of several quantiles one,
 * the middle one in a band that holds all; of classes the probability of each,
 * of two that of the last, or if there are none the values that decide.  The
 * rows' own targets are points, where they are known.
 */
#include <math.h>
#include <stdlib.h>

#include "cli.h"

typedef struct picture {
    const gram_machine *m;
    const gram_report *r;
    const gram_table *data;
    const gram_prediction *p;
    size_t rows;
    gram_column x;
} picture;

/* Column q of a matrix with `stride` of them; NULL has none. */
static double *pick(const double *v, size_t rows, size_t stride, size_t q)
{
    double *out = v ? cli_alloc(rows, sizeof *out) : NULL;

    for (size_t i = 0; v && i < rows; i++)
        out[i] = v[i * stride + q];
    return out;
}

static const double *target_of(const picture *t, const char *name)
{
    size_t j;

    return gram_table_find(t->data, name, &j) == GRAM_OK
               ? gram_table_column(t->data, j).values
               : NULL;
}

static void show(const picture *t, const char *title, const double *points,
                 const double *mean, const double *lower, const double *upper)
{
    cli_plot_print(stdout, &(cli_plot){.n = t->rows,
                                       .x = t->x.values,
                                       .mean = mean,
                                       .lower = lower,
                                       .upper = upper,
                                       .points = points ? t->rows : 0,
                                       .point_x = t->x.values,
                                       .point_y = points,
                                       .x_name = t->x.name,
                                       .x_date = t->x.type == GRAM_TYPE_DATE,
                                       .y_name = title});
}

static void draw_output(const picture *t, size_t q)
{
    const gram_report *r = t->r;
    const double *points = NULL;
    const char *title = "decision";
    double *mean = pick(t->p->mean, t->rows, r->outputs, q);
    double *lower = pick(t->p->lower, t->rows, r->outputs, q);
    double *upper = pick(t->p->upper, t->rows, r->outputs, q);

    if (r->outputs > 1)
        title = r->output[q];
    if (r->classes == 0 && r->targets > 0) {
        title = r->target[q];
        points = target_of(t, title);
    }
    show(t, title, points, mean, lower, upper);
    free(mean);
    free(lower);
    free(upper);
}

static void draw_quantiles(const picture *t)
{
    const gram_report *r = t->r;
    size_t n = r->outputs;
    double *mean = pick(t->p->mean, t->rows, n, n / 2);
    double *lower = pick(t->p->mean, t->rows, n, 0);
    double *upper = pick(t->p->mean, t->rows, n, 0);

    for (size_t i = 0; i < t->rows * n; i++) {
        lower[i / n] = fmin(lower[i / n], t->p->mean[i]);
        upper[i / n] = fmax(upper[i / n], t->p->mean[i]);
    }
    show(t, r->target[0], target_of(t, r->target[0]), mean, lower, upper);
    free(mean);
    free(lower);
    free(upper);
}

/* Points are 1 for rows of the class and 0 for others. */
static void draw_class(const picture *t, const int *code, size_t k)
{
    double *mean = pick(t->p->proba, t->rows, t->r->classes, k);
    double *points = code ? cli_alloc(t->rows, sizeof *points) : NULL;
    char *title = NULL;

    for (size_t i = 0; code && i < t->rows; i++)
        points[i] = code[i] == (int)k;
    if (asprintf(&title, "p_%s", t->r->class_name[k]) < 0)
        exit(cli_fail("out of memory"));
    show(t, title, points, mean, NULL, NULL);
    free(title);
    free(points);
    free(mean);
}

static void draw_classes(const picture *t, const gram_exec *exec)
{
    size_t classes = t->r->classes;
    int *code = cli_alloc(t->rows, sizeof *code);
    int known = gram_machine_classes(t->m, t->data, exec, code) == GRAM_OK;

    for (size_t k = classes == 2; k < classes; k++)
        draw_class(t, known ? code : NULL, k);
    free(code);
}

int cli_prediction_plot(const gram_machine *m, const gram_table *data,
                        const gram_prediction *p, const gram_exec *exec)
{
    const gram_report *r = gram_machine_report(m);
    picture t = {m, r, data, p, gram_table_rows(data), {0}};
    const char *name = gram_machine_column(m, 0);
    size_t j;

    if (r->d != 1)
        return cli_fail("--plot: the kernel looks at %zu columns, must look at "
                        "one of numbers",
                        r->d);
    if (gram_table_find(data, name, &j) == GRAM_OK)
        t.x = gram_table_column(data, j);
    if (!t.x.values)
        return cli_fail(
            "--plot: column \"%s\" is of type %s, must be number or "
            "date",
            name, gram_type_name(t.x.type));
    if (t.rows == 0)
        return cli_fail("--plot: there are no rows to draw");
    if (p->proba)
        draw_classes(&t, exec);
    else if (r->classes == 0 && r->targets == 1 && r->outputs > 1)
        draw_quantiles(&t);
    else
        for (size_t q = 0; q < r->outputs; q++)
            draw_output(&t, q);
    return CLI_GOOD;
}
