/* plot.c - a curve with a band and points, drawn with characters.
 *
 * A cell shows the last of what falls in it: band, points, curve.  The curve
 * goes from cell to cell of neighbouring columns, so that it has no holes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { HEIGHT = 18, MARGIN = 9 };

typedef enum mark { NOTHING, BAND, POINT, CURVE, MARKS } mark;

typedef struct canvas {
    size_t width;
    double left, right, bottom, top;
    unsigned char *cell; /* HEIGHT x width of marks */
} canvas;

static void stretch(const double *v, size_t n, double *low, double *high)
{
    for (size_t i = 0; v && i < n; i++) {
        *low = fmin(*low, v[i]);
        *high = fmax(*high, v[i]);
    }
}

static size_t place(double v, double low, double high, size_t cells)
{
    double at = high > low ? (v - low) / (high - low) : 0.5;

    at = fmin(fmax(at, 0), 1) * (double)(cells - 1);
    return (size_t)lround(at);
}

static void set(canvas *c, size_t col, double y, mark m)
{
    size_t row = HEIGHT - 1 - place(y, c->bottom, c->top, HEIGHT);
    unsigned char *cell = &c->cell[row * c->width + col];

    if (m > *cell)
        *cell = (unsigned char)m;
}

/* From one height to another in the same column. */
static void set_span(canvas *c, size_t col, double y, double z, mark m)
{
    enum { STEPS = 2 * HEIGHT }; /* finer than the cells */

    for (int i = 0; i <= STEPS; i++)
        set(c, col, y + (z - y) * i / STEPS, m);
}

static int by_x(const void *a, const void *b, void *x)
{
    const double *value = x;
    double u = value[*(const size_t *)a], v = value[*(const size_t *)b];

    return (u > v) - (u < v);
}

/* The curve and its band at the middle of every column, between the two rows
 * that stand around it. */
static void draw_curve(canvas *c, const cli_plot *p, const size_t *order)
{
    double last = NAN;
    size_t j = 0;

    for (size_t col = 0; col < c->width; col++) {
        double x = c->left +
                   (c->right - c->left) * (double)col / (double)(c->width - 1);
        while (j + 2 < p->n && p->x[order[j + 1]] < x)
            j++;
        size_t a = order[j], b = order[j + 1 < p->n ? j + 1 : j];
        double gap = p->x[b] - p->x[a];
        double t = gap > 0 ? fmin(fmax((x - p->x[a]) / gap, 0), 1) : 0;
        double y = p->mean[a] + t * (p->mean[b] - p->mean[a]);

        if (p->lower && p->upper)
            set_span(c, col, p->lower[a] + t * (p->lower[b] - p->lower[a]),
                     p->upper[a] + t * (p->upper[b] - p->upper[a]), BAND);
        set_span(c, col, isnan(last) ? y : (last + y) / 2, y, CURVE);
        if (!isnan(last))
            set_span(c, col - 1, last, (last + y) / 2, CURVE);
        last = y;
    }
}

/* Dates have their time where the axis is a few days long. */
static void label_x(char out[CLI_ROOM], const canvas *c, const cli_plot *p,
                    double x)
{
    if (p->x_date)
        cli_date(out, x, c->right - c->left < 4);
    else
        cli_number(out, x, 4);
}

/* As many digits as the margin has room for. */
static void label_y(char out[CLI_ROOM], double y)
{
    for (int digits = 4; digits > 0; digits--)
        if (strlen(cli_number(out, y, digits)) <= MARGIN)
            return;
}

static void print_canvas(FILE *out, const canvas *c, const cli_plot *p)
{
    static const char *const glyphs[][MARKS] = {{" ", ".", "o", "#"},
                                                {" ", "░", "∘", "█"}};
    int utf8 = strcmp(cli_glyphs_get()->times, "x") != 0;
    char low[CLI_ROOM], high[CLI_ROOM];

    fprintf(out, "%*s  ", MARGIN, "");
    cli_put(out, p->y_name);
    putc('\n', out);
    for (size_t row = 0; row < HEIGHT; row++) {
        char label[CLI_ROOM] = "";

        if (row == 0 || row == HEIGHT - 1)
            label_y(label, row ? c->bottom : c->top);
        cli_cell_right(out, label, MARGIN);
        fputs(" |", out);
        size_t end = c->width;
        while (end > 0 && !c->cell[row * c->width + end - 1])
            end--;
        for (size_t col = 0; col < end; col++)
            fputs(glyphs[utf8][c->cell[row * c->width + col]], out);
        putc('\n', out);
    }
    fprintf(out, "%*s +", MARGIN, "");
    for (size_t col = 0; col < c->width; col++)
        putc('-', out);
    label_x(low, c, p, c->left);
    label_x(high, c, p, c->right);
    fprintf(out, "\n%*s  %s  ", MARGIN, "", low);
    size_t used = strlen(low) + strlen(high) + 2 + cli_width(p->x_name);
    fprintf(out, "%*s", c->width > used ? (int)((c->width - used) / 2) : 0, "");
    cli_put(out, p->x_name);
    fprintf(out, "%*s%s\n",
            c->width > used ? (int)((c->width - used + 1) / 2) : 1, "", high);
}

void cli_plot_print(FILE *out, const cli_plot *p)
{
    canvas c = {.width = cli_columns() - MARGIN - 3,
                .left = INFINITY,
                .right = -INFINITY,
                .bottom = INFINITY,
                .top = -INFINITY};
    size_t *order = cli_alloc(p->n + 1, sizeof *order);

    c.cell = cli_alloc(HEIGHT * c.width, 1);
    stretch(p->x, p->n, &c.left, &c.right);
    stretch(p->mean, p->n, &c.bottom, &c.top);
    stretch(p->lower, p->n, &c.bottom, &c.top);
    stretch(p->upper, p->n, &c.bottom, &c.top);
    stretch(p->point_y, p->points, &c.bottom, &c.top);
    for (size_t i = 0; i < p->n; i++)
        order[i] = i;
    qsort_r(order, p->n, sizeof *order, by_x, (void *)p->x);
    if (p->n > 0)
        draw_curve(&c, p, order);
    for (size_t i = 0; i < p->points; i++)
        if (p->point_x[i] >= c.left && p->point_x[i] <= c.right &&
            !isnan(p->point_y[i]))
            set(&c, place(p->point_x[i], c.left, c.right, c.width),
                p->point_y[i], POINT);
    print_canvas(out, &c, p);
    free(c.cell);
    free(order);
}
