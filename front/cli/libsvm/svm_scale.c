/* svm_scale.c - svm-scale: features of LIBSVM text to a common range, the
 * same bytes as LIBSVM's.
 *
 *     x' = lower + (upper - lower) (x - min)/(max - min)
 *
 * with min and max of every feature over the rows, zeros that are not written
 * included, or from a range file.  A feature of one value only is left out.
 * Zero may become something else: `filled` lists the features where it does.
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "svm.h"

const char svm_scale_usage[] =
    "Usage: svm-scale [options] data_filename\n"
    "options:\n"
    "-l lower : x scaling lower limit (default -1)\n"
    "-u upper : x scaling upper limit (default +1)\n"
    "-y y_lower y_upper : y scaling limits (default: no y scaling)\n"
    "-s save_filename : save scaling parameters to save_filename\n"
    "-r restore_filename : restore scaling parameters from "
    "restore_filename\n";

/* An interval, and what is mapped to it. */
typedef struct range {
    double lower, upper, min, max;
} range;

static struct {
    double lower, upper;
    range y;
    int scale_y;
    const char *save, *restore, *data;
} o;

/* The features, from 0; min = max: left out. */
static struct {
    double *min, *max;
    size_t width;
    double *zero;   /* what 0 becomes */
    size_t *filled; /* features where that is not 0, ascending */
    size_t fills;
} f;

static double scaled(const range *r, double x)
{
    if (x == r->min)
        return r->lower;
    if (x == r->max)
        return r->upper;
    return r->lower + (r->upper - r->lower) * (x - r->min) / (r->max - r->min);
}

/* ------------------------------------------------------------- command line */

static int parse(int argc, char **argv)
{
    int code = CLI_GOOD, at = 1;
    svm_option opt;

    o.lower = -1;
    o.upper = 1;
    for (;;) {
        CLI_TRY(svm_option_next(argc, argv, "lusr", "", "y", svm_scale_usage,
                                &at, &opt));
        if (opt.letter == 'l')
            CLI_TRY(svm_real(&opt, &o.lower));
        else if (opt.letter == 'u')
            CLI_TRY(svm_real(&opt, &o.upper));
        else if (opt.letter == 's')
            o.save = *opt.value;
        else if (opt.letter == 'r')
            o.restore = *opt.value;
        else if (opt.letter == 'y') {
            CLI_TRY(svm_real(&opt, &o.y.lower));
            opt.value++;
            CLI_TRY(svm_real(&opt, &o.y.upper));
            o.scale_y = 1;
        } else
            break;
    }
    if (!(o.upper > o.lower) || (o.scale_y && !(o.y.upper > o.y.lower)))
        return cli_fail("inconsistent lower/upper specification");
    if (o.restore && o.save)
        return cli_fail("cannot use -r and -s simultaneously");
    if (argc != at + 1)
        return svm_usage(svm_scale_usage);
    o.data = argv[at];
done:
    return code;
}

/* -------------------------------------------------------------- range files */

static int range_fail(const char *line, size_t number)
{
    size_t n = strcspn(line, "\r\n");

    return cli_fail("%s:%zu: \"%.*s\" is no line of a range file", o.restore,
                    number, n < 40 ? (int)n : 40, line);
}

/* One line of the range file with its `count` numbers. */
static int numbers(const char *line, double *out, int count)
{
    char *end;

    for (int i = 0; i < count; i++, line = end) {
        out[i] = strtod(line, &end);
        if (end == line || !isfinite(out[i]))
            return 0;
    }
    return line[strspn(line, " \t\r\n")] == '\0';
}

/* Features up to `width`: those that are new were never seen. */
static void widen(size_t width)
{
    size_t room = width > f.width ? width : f.width;
    double *min = cli_alloc(room, sizeof *min);
    double *max = cli_alloc(room, sizeof *max);

    if (f.width) {
        memcpy(min, f.min, f.width * sizeof *min);
        memcpy(max, f.max, f.width * sizeof *max);
    }
    free(f.min);
    free(f.max);
    f.min = min;
    f.max = max;
    f.width = room;
}

/* A feature of the data that the range file passes over. */
static void pass_over(size_t from, size_t to)
{
    for (size_t j = from; j < to && j < f.width; j++)
        if (f.min[j] != f.max[j]) {
            fprintf(stderr,
                    "WARNING: feature index %zu appeared in file %s was not "
                    "seen in the scaling factor file %s. The feature is scaled "
                    "to 0.\n",
                    j + 1, o.data, o.restore);
            f.min[j] = f.max[j] = 0;
        }
}

/* A line of the part that lists features; *next is the least that may come. */
static int restore_feature(const char *line, size_t number, size_t *next)
{
    static const double most = 2147483647;
    double x[3];

    if (!numbers(line, x, 3) || x[0] != floor(x[0]) || x[0] > most ||
        x[0] < (double)*next + 1)
        return range_fail(line, number);
    size_t j = (size_t)x[0] - 1;
    if (j >= f.width)
        widen(2 * (j + 1));
    pass_over(*next, j);
    f.min[j] = x[1];
    f.max[j] = x[2];
    *next = j + 1;
    return CLI_GOOD;
}

/* y, its two lines, x, its line, and a line for every feature. */
static int restore_lines(FILE *in)
{
    int code = CLI_GOOD;
    char *line = NULL;
    size_t room = 0, number = 0, next = 0;
    enum { START, Y_TO, Y_FROM, X_START, X_TO, FEATURES } want = START;

    while (getline(&line, &room, in) >= 0) {
        double a[2];

        number++;
        if (want == FEATURES)
            CLI_TRY(restore_feature(line, number, &next));
        else if (want == START && *line == 'y')
            want = Y_TO;
        else if ((want == START || want == X_START) && *line == 'x')
            want = X_TO;
        else if (want == START || want == X_START || !numbers(line, a, 2))
            CLI_TRY(range_fail(line, number));
        else if (want == Y_TO) {
            o.scale_y = 1;
            o.y.lower = a[0];
            o.y.upper = a[1];
            want = Y_FROM;
        } else if (want == Y_FROM) {
            o.y.min = a[0];
            o.y.max = a[1];
            want = X_START;
        } else {
            o.lower = a[0];
            o.upper = a[1];
            want = FEATURES;
        }
    }
    if (want != FEATURES)
        code = cli_fail("%s: no range file: it ends in line %zu", o.restore,
                        number);
    pass_over(next, f.width);
done:
    free(line);
    return code;
}

static int restore(void)
{
    FILE *in = fopen(o.restore, "r");
    int code;

    if (!in)
        return cli_fail("can't open file %s", o.restore);
    code = restore_lines(in);
    fclose(in);
    return code;
}

static int save(void)
{
    FILE *out = fopen(o.save, "w");

    if (!out)
        return cli_fail("can't open file %s", o.save);
    if (o.scale_y)
        fprintf(out, "y\n%.17g %.17g\n%.17g %.17g\n", o.y.lower, o.y.upper,
                o.y.min, o.y.max);
    fprintf(out, "x\n%.17g %.17g\n", o.lower, o.upper);
    for (size_t j = 0; j < f.width; j++)
        if (f.min[j] != f.max[j])
            fprintf(out, "%zu %.17g %.17g\n", j + 1, f.min[j], f.max[j]);
    int failed = ferror(out);
    if (fclose(out) != 0 || failed)
        return cli_fail("%s: %s", o.save, strerror(errno));
    return CLI_GOOD;
}

/* ------------------------------------------------------------------ scaling */

/* Least and greatest of labels and features. */
static void survey(const svm_data *d)
{
    size_t *count = cli_alloc(d->x.width, sizeof *count);

    o.y.min = DBL_MAX;
    o.y.max = -DBL_MAX;
    for (size_t i = 0; i < d->rows; i++) {
        o.y.min = fmin(o.y.min, d->label[i]);
        o.y.max = fmax(o.y.max, d->label[i]);
    }
    widen(d->x.width);
    for (size_t j = 0; j < f.width; j++) {
        f.min[j] = DBL_MAX;
        f.max[j] = -DBL_MAX;
    }
    for (size_t e = 0; d->rows && e < d->x.start[d->rows]; e++) {
        size_t j = d->x.index[e];

        count[j]++;
        f.min[j] = fmin(f.min[j], d->x.entries[e]);
        f.max[j] = fmax(f.max[j], d->x.entries[e]);
    }
    for (size_t j = 0; j < f.width; j++)
        if (count[j] < d->rows) {
            f.min[j] = fmin(f.min[j], 0);
            f.max[j] = fmax(f.max[j], 0);
        }
    free(count);
}

static double scaled_feature(size_t j, double x)
{
    const range r = {o.lower, o.upper, f.min[j], f.max[j]};

    return f.min[j] == f.max[j] ? 0 : scaled(&r, x);
}

static void prepare_zeros(void)
{
    f.zero = cli_alloc(f.width, sizeof *f.zero);
    f.filled = cli_alloc(f.width, sizeof *f.filled);
    for (size_t j = 0; j < f.width; j++) {
        f.zero[j] = scaled_feature(j, 0);
        if (f.zero[j] != 0)
            f.filled[f.fills++] = j;
    }
}

static size_t put(size_t j, double x)
{
    if (x == 0)
        return 0;
    printf("%zu:%g ", j + 1, x);
    return 1;
}

/* All rows; returns how many features were printed. */
static size_t print_rows(const svm_data *d)
{
    size_t printed = 0;

    for (size_t i = 0; i < d->rows && !cli_signal(); i++) {
        size_t next = 0;

        printf("%.17g ", o.scale_y ? scaled(&o.y, d->label[i]) : d->label[i]);
        for (size_t e = d->x.start[i]; e < d->x.start[i + 1]; e++) {
            size_t j = d->x.index[e];

            for (; next < f.fills && f.filled[next] < j; next++)
                printed += put(f.filled[next], f.zero[f.filled[next]]);
            next += next < f.fills && f.filled[next] == j;
            printed += put(j, scaled_feature(j, d->x.entries[e]));
        }
        for (; next < f.fills; next++)
            printed += put(f.filled[next], f.zero[f.filled[next]]);
        putchar('\n');
    }
    return printed;
}

/* Features that are written in the file, zeros included: its colons; the
 * table has those that are not zero, and is asked if the file is packed. */
static size_t count_written(const svm_data *d)
{
    FILE *in = fopen(o.data, "rb");
    size_t colons = 0;
    int c = in ? getc(in) : EOF;

    if (c == EOF || c == 0x1f) {
        colons = d->x.start[d->rows];
        c = EOF;
    }
    for (; c != EOF; c = getc_unlocked(in))
        colons += c == ':';
    if (in)
        fclose(in);
    return colons;
}

static void warn_if_fuller(const svm_data *d, size_t after)
{
    if (d->rows == 0 || after <= d->x.start[d->rows])
        return;
    size_t before = count_written(d);
    if (after > before)
        fprintf(stderr,
                "WARNING: original #nonzeros %zu\n"
                "       > new      #nonzeros %zu\n"
                "If feature values are non-negative and sparse, use -l 0 "
                "rather than the default -l -1\n",
                before, after);
}

int svm_scale(int argc, char **argv)
{
    int code = CLI_GOOD;
    svm_data d = {0};

    CLI_TRY(parse(argc, argv));
    CLI_TRY(svm_data_read(o.data, &d));
    if (d.serial)
        CLI_TRY(cli_fail("%s: a precomputed kernel, which cannot be scaled",
                         o.data));
    survey(&d);
    if (o.restore)
        CLI_TRY(restore());
    if (o.save)
        CLI_TRY(save());
    prepare_zeros();
    warn_if_fuller(&d, print_rows(&d));
    if (cli_signal())
        code = cli_status(GRAM_ERR_CANCELLED);
done:
    svm_data_free(&d);
    free(f.min);
    free(f.max);
    free(f.zero);
    free(f.filled);
    return code;
}
