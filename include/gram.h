/* gram.h - the public interface of libgram: kernel methods in C.
 *
 * This is the only header a user includes; authors of kernels also include
 * gram_plugin.h.
 *
 * Every function that can fail returns a gram_status and says why through
 * gram_error_message().  Inputs come first, outputs last.  Input arrays and
 * strings are borrowed for the length of the call; nothing is kept unless the
 * comment says "Keeps".  What a call hands out through a gram_... **out is new
 * and is freed by the _free function of its type; every _free accepts NULL.
 * Strings and structs that are returned belong to the object they are of; what
 * has no object (names, entries of lists) is static.  When a call fails its
 * outputs are NULL or untouched, and no file that was to be written has
 * changed.  A function that returns no status cannot fail.
 *
 * Option structs are all zero by default: {0}, or a NULL pointer, asks for
 * what most people want.
 *
 * Different objects may be used from different threads at the same time; one
 * object may be read, not changed, from many.
 */
#ifndef GRAM_H
#define GRAM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GRAM_API __attribute__((visibility("default")))

#define GRAM_VERSION_MAJOR 0
#define GRAM_VERSION_MINOR 1
#define GRAM_VERSION_PATCH 0

/* ---------------------------------------------------------------- status */

typedef enum gram_status {
    GRAM_OK = 0,
    GRAM_ERR_MEMORY = -1,   /* an allocation failed, or passed the budget */
    GRAM_ERR_PARSE = -2,    /* text or a file not of the expected form */
    GRAM_ERR_NAME = -3,     /* no column, kernel, parameter, ... of that name */
    GRAM_ERR_RANGE = -4,    /* a value outside its range, or NaN */
    GRAM_ERR_SHAPE = -5,    /* sizes that do not fit together */
    GRAM_ERR_NUMERIC = -6,  /* not positive definite, overflow, ... */
    GRAM_ERR_IO = -7,       /* the operating system said no */
    GRAM_ERR_CANCELLED = -8 /* the progress callback asked to stop */
} gram_status;

/* One sentence on the last failure in this thread, e.g.
 *   train.csv:17: column "age": "abc" is not a number
 * Valid until the next failing call in this thread; never NULL. */
GRAM_API const char *gram_error_message(void);

/* "0.1.0": the version of the library that is running. */
GRAM_API const char *gram_version(void);

/* Of `count` names the one that a writer of `word` most likely meant, or NULL
 * if none is near: for "did you mean" in messages. */
GRAM_API const char *gram_suggest(const char *word, const char *const *names,
                                  size_t count);

enum { GRAM_NUMBER_ROOM = 32 };

/* The shortest decimal that reads back as the same double, as in files that
 * are written: "0.1", "-0", "1e30", "nan", "inf".  out has room for
 * GRAM_NUMBER_ROOM bytes; returns the length. */
GRAM_API size_t gram_number_print(double x, char *out);

/* An amount of memory, in powers of 1024: "12.5 GiB", "512 MiB", "96 bytes".
 * out has room for GRAM_NUMBER_ROOM bytes; returns out. */
GRAM_API char *gram_bytes_print(double bytes, char *out);

/* ----------------------------------------------------------------- fields */

/* How a member of a struct is stored. */
typedef enum gram_field_type {
    GRAM_FIELD_REAL,   /* double; of a report NaN: not known */
    GRAM_FIELD_WHOLE,  /* size_t */
    GRAM_FIELD_BYTES,  /* size_t, an amount of memory; 0: not known */
    GRAM_FIELD_FLAG,   /* int, 0 or 1 */
    GRAM_FIELD_CHOICE, /* int or an enumeration, one of `words` */
    GRAM_FIELD_CHAR,   /* char */
    GRAM_FIELD_TEXT,   /* const char *; NULL: none */
    GRAM_FIELD_LINES,  /* char array, texts with a newline behind each */
    GRAM_FIELD_REALS,  /* const double *, a number for each output */
    GRAM_FIELD_TEXTS   /* const char *const * */
} gram_field_type;

/* A field of a struct of options or of a report.  A function gram_..._fields()
 * gives the table of each such struct, which ends with a field without a name:
 * for programs that read options or show reports without knowing what is in
 * them, as the command does to make its options, help and JSON.  Callbacks and
 * pointers to objects are no fields. */
typedef struct gram_field {
    const char *name; /* as in JSON; the member may be called otherwise */
    gram_field_type type;
    int kept;      /* a model file has it */
    size_t offset; /* of the member in the struct */
    size_t count;  /* REALS, TEXTS: offset of the size_t that says how many */
    /* Of a choice the words for least, least + 1, ...; of other options one
     * word that stands for the value, as X does in "--lambda X"; of a text that
     * a report keeps, all that it may be.  Ends in NULL; NULL: there are none. */
    const char *const *words;
    /* Options: a whole number is from least to most or 0, which is always the
     * default; a real one is at least 0 and below most.  most 0: no limit. */
    size_t least, most;
    const char *help; /* options: what it does; NULL: the command has none */
    int (*applies)(const void *of); /* does this struct have it?  NULL: yes */
} gram_field;

/* ------------------------------------------------------------- execution */

/* How to run a long call.  NULL, or all zeros, means the defaults. */
typedef struct gram_exec {
    int threads;             /* 0: one per core; results do not depend on it */
    unsigned long long seed; /* the only source of randomness */
    /* bytes the call may hold, with `held`: what it allocates counts until it
     * is freed, tables and machines it is given do not.  0: three quarters of
     * RAM, less what the library holds in the process when the call begins */
    size_t memory;
    /* how much of the call is done, 0..1, by the work that is left; it never
     * goes back.  Called every few milliseconds; non-zero: stop */
    int (*progress)(void *user, double done);
    void *user; /* handed to progress and to stage */
    /* what the call goes over to: "reading", "choosing" (numbers that are
     * open), "fitting", "writing"; a text that stays */
    void (*stage)(void *user, const char *name);
    /* bytes of `memory` that are taken already: gram_memory_used() makes it a
     * budget of the process */
    size_t held;
} gram_exec;

/* Bytes the library holds in this process now, and the most it ever held
 * since the start or the last reset.  Beside them, blocks of 4 MiB and more
 * that were freed stay mapped for later ones: at most 1 GiB, never more than
 * would make the process larger than it was at its peak, and given back before
 * memory is said to be out. */
GRAM_API size_t gram_memory_used(void);
GRAM_API size_t gram_memory_peak(void);
GRAM_API void gram_memory_reset_peak(void);

/* Room for `count` elements of `size` bytes, for matrices of the caller's: on
 * 64-byte boundaries, with huge pages where it is large, counted as the
 * library's own and kept within the budget.  Not zeroed.  Errors: MEMORY. */
GRAM_API gram_status gram_memory_new(size_t count, size_t size,
                                     const gram_exec *exec, void **out);
GRAM_API void gram_memory_free(void *p);

/* What the library found on this machine.  The strings are static. */
typedef struct gram_system {
    const char *cpu;          /* the processor's own name */
    const char *cpu_features; /* "avx2 fma avx512f ...", those that matter */
    const char *cpu_table;    /* operations in use: generic, avx2, avx512 */
    const char *blas;         /* "OpenBLAS 0.3.21" */
    const char *blas_core;    /* "SkylakeX": the kernels it chose */
    int cores;                /* processors this process may run on */
    size_t memory_total;      /* RAM in bytes */
    size_t memory_available;  /* of it, not in use */
} gram_system;

GRAM_API void gram_system_get(gram_system *out);

/* Speeds measured now, in about a second: best of several runs. */
typedef struct gram_rates {
    double gemm_double; /* matrix product, flop/s */
    double gemm_single;
    double bandwidth; /* triad a = b + s c, bytes/s */
} gram_rates;

/* Errors: MEMORY (about 150 MiB are needed), CANCELLED. */
GRAM_API gram_status gram_system_measure(const gram_exec *exec,
                                         gram_rates *out);

/* ---------------------------------------------------------------- tables */

/* Rows of typed, named columns. */
typedef struct gram_table gram_table;

typedef enum gram_type {
    GRAM_TYPE_NUMBER,   /* a finite double */
    GRAM_TYPE_CATEGORY, /* one of a few names, sorted: numbers, then text */
    GRAM_TYPE_TEXT,     /* a string */
    GRAM_TYPE_DATE,     /* days since 1970-01-01 as a double, with fraction */
    GRAM_TYPE_SPARSE    /* a block of many number columns, mostly zero */
} gram_type;

/* "number", "category", "text", "date", "sparse". */
GRAM_API const char *gram_type_name(gram_type type);

/* What a column is for.  Kernels see the features. */
typedef enum gram_role {
    GRAM_ROLE_FEATURE,
    GRAM_ROLE_TARGET,
    GRAM_ROLE_WEIGHT, /* of the row; finite, at least 0 */
    GRAM_ROLE_NOISE,  /* variance of the row's target; finite, at least 0 */
    GRAM_ROLE_GROUP   /* rows of one group stay together in splits */
} gram_role;

/* "feature", "target", "weight", "noise", "group". */
GRAM_API const char *gram_role_name(gram_role role);

/* A look at one column; all pointers belong to the table.  A missing cell is
 * NaN in values and -1 in codes. */
typedef struct gram_column {
    const char *name;
    gram_type type;
    gram_role role;
    size_t missing;       /* how many cells are missing */
    const double *values; /* number, date: one a row */
    const int *codes;     /* category, text: one a row, an index of levels */
    const char *const *levels;
    size_t level_count;
    /* sparse: row i has entries start[i] .. start[i+1]-1, ascending by index;
     * index j, from 0, is the feature called feature_names[j], or j+1 in
     * decimal if feature_names is NULL */
    const size_t *start;
    const unsigned *index;
    const double *entries;
    size_t width;
    const char *const *feature_names;
} gram_column;

/* What to do with missing cells. */
typedef enum gram_missing {
    GRAM_MISSING_AUTO,     /* reading: refuse; fitting: refuse those that the
                              kernel looks at; predicting: as it was fitted */
    GRAM_MISSING_REFUSE,   /* an error that names row and column */
    GRAM_MISSING_KEEP,     /* leave them: NaN, -1 */
    GRAM_MISSING_DROP,     /* leave out the rows that have one */
    GRAM_MISSING_MEAN,     /* the column's mean; the most frequent category */
    GRAM_MISSING_INDICATOR /* mean, and a 0/1 column NAME_missing; for a
                              category the level "(missing)" */
} gram_missing;

typedef struct gram_read_options {
    const char *format; /* "csv", "libsvm", ...; NULL: by name and content */
    const char *types;  /* "age=number,city=category,when=date"; NULL: infer */
    const char *drop;   /* columns to leave out: "id,3:5,temp*" */
    int header;         /* CSV: 0 find out, 1 there is one, -1 there is none */
    char separator;     /* CSV: 0 find out */
    gram_missing missing;
    /* Names of columns, NULL at the end, whose cells also keep the text they
     * have in the file, so that a copy of them is one to the last byte: "007",
     * "1.50", a date as it was spelt, NA; "*": all columns; NULL: none.  Names
     * that the file lacks do not matter; .npy and .npz files have no text.
     * Memory: the text and 9 bytes a cell. */
    const char *const *verbatim;
} gram_read_options;

GRAM_API const gram_field *gram_read_option_fields(void);

/* Read a table from a file, from standard input ("-") or from the program
 * itself ("builtin:iris").  A name that ends in .gz, or content that is gzip,
 * is unpacked on the way.  The format is found by extension and content; the
 * types of CSV columns by looking at every cell.
 *
 * Cost:   one pass over the file, two if a column changes its looks after the
 *         first megabytes; memory: the table and about 20 MiB.
 * Errors: IO, PARSE, NAME, RANGE (a value that is not finite, a missing
 *         cell), MEMORY, CANCELLED. */
GRAM_API gram_status gram_table_read(const char *path,
                                     const gram_read_options *options,
                                     const gram_exec *exec, gram_table **out);

/* Its first rows only, at most `rows`, to see what is there: names are those of
 * the file, types as far as its first megabytes tell.  Missing cells stay. */
GRAM_API gram_status gram_table_read_head(const char *path,
                                          const gram_read_options *options,
                                          size_t rows, const gram_exec *exec,
                                          gram_table **out);

/* An empty table of that many rows, for the _add functions. */
GRAM_API gram_status gram_table_new(size_t rows, gram_table **out);

GRAM_API void gram_table_free(gram_table *table);

/* Add a column at the end.  The arrays have one element a row and are copied;
 * `values` is read at every stride-th element; NaN is a missing cell, and so
 * is a NULL string.  Errors: NAME (the name is taken), RANGE (infinite),
 * MEMORY. */
GRAM_API gram_status gram_table_add_numbers(gram_table *table, const char *name,
                                            const double *values,
                                            size_t stride);
/* The same for dates: days since 1970-01-01. */
GRAM_API gram_status gram_table_add_dates(gram_table *table, const char *name,
                                          const double *values, size_t stride);
/* Give column j, numbers or dates, other values, as of a table of one row that
 * is predicted again and again.
 * Errors: RANGE (infinite; no such column), SHAPE (another type). */
GRAM_API gram_status gram_table_set_values(gram_table *table, size_t j,
                                           const double *values, size_t stride);
/* Add the columns of a matrix, values[i*down + j*across], in one go; a column
 * that becomes number j of the table is called "c<j>", as in .npy files. */
GRAM_API gram_status gram_table_add_matrix(gram_table *table,
                                           const double *values, size_t cols,
                                           size_t down, size_t across);
GRAM_API gram_status gram_table_add_matrix_single(gram_table *table,
                                                  const float *values,
                                                  size_t cols, size_t down,
                                                  size_t across);
GRAM_API gram_status gram_table_add_strings(gram_table *table, const char *name,
                                            gram_type type,
                                            const char *const *strings);
/* Rows as in gram_column; indices ascend within a row and are below width. */
GRAM_API gram_status gram_table_add_sparse(gram_table *table, const char *name,
                                           size_t width, const size_t *start,
                                           const unsigned *index,
                                           const double *entries);

/* Add a copy of the column `name` of `count` other tables, their rows one
 * behind the other, with its type and the texts of its cells; no role.  Row i
 * is their row rows[i], counted through all of them; NULL: every row.
 * Errors: NAME (no such column, or the name is taken), SHAPE (types differ, it
 * is sparse, the numbers of rows do not fit), RANGE (no such row), MEMORY. */
GRAM_API gram_status gram_table_add_copy(gram_table *table, const char *name,
                                         const gram_table *const *from,
                                         size_t count, const size_t *rows);

GRAM_API size_t gram_table_rows(const gram_table *table);
GRAM_API size_t gram_table_cols(const gram_table *table);

/* Column j, 0 <= j < gram_table_cols(). */
GRAM_API gram_column gram_table_column(const gram_table *table, size_t j);

/* The text that cell j of row i has in the file, blanks around it and quotes
 * left out; NULL if it was not kept, or the cell has been filled in or scaled
 * since.  Belongs to the table. */
GRAM_API const char *gram_table_text(const gram_table *table, size_t j,
                                     size_t i);

/* The index of the column of that name.  Errors: NAME, with the nearest name
 * as a suggestion. */
GRAM_API gram_status gram_table_find(const gram_table *table, const char *name,
                                     size_t *j);

/* Say what the column `name` is for.  A target may also be a file of its own:
 * if no column has that name and it is the name of an .npy file with one row
 * per row of the table, its columns are added.
 * Errors: NAME, RANGE (a weight or noise below 0), SHAPE. */
GRAM_API gram_status gram_table_set_role(gram_table *table, const char *name,
                                         gram_role role);

/* Carry out a policy on a table that was read with GRAM_MISSING_KEEP, after
 * roles were set: a target, weight, noise or group cell that is missing is an
 * error for REFUSE, MEAN and INDICATOR; DROP leaves out its row.
 * Errors: RANGE (a missing cell; no rows are left), NAME (there is a column
 *         NAME_missing), MEMORY. */
GRAM_API gram_status gram_table_fill_missing(gram_table *table,
                                             gram_missing policy,
                                             const gram_exec *exec);

typedef struct gram_write_options {
    const char *format; /* "csv", "tsv", "npy", "libsvm"; NULL: by name */
} gram_write_options;

/* Write a table to a file, or to standard output ("-").  Numbers keep every
 * bit; in CSV and TSV a cell whose text was kept is written as that text.  The
 * file is written beside its place, synced and renamed, so that a
 * reader sees the old file or the new one, whole.  .gz packs it.  LIBSVM text
 * needs a target; it and .npy hold numbers only.
 * Errors: IO, NAME (unknown format), SHAPE (columns the format cannot hold),
 *         MEMORY, CANCELLED. */
GRAM_API gram_status gram_table_write(const gram_table *table, const char *path,
                                      const gram_write_options *options,
                                      const gram_exec *exec);

/* Write a rows x cols matrix, row-major without gaps, as .npy: float64, or
 * float32.  The name must end in .npy or .npy.gz, or be "-"; the file appears
 * as that of a table does.  Errors: IO, NAME, MEMORY, CANCELLED. */
GRAM_API gram_status gram_matrix_write(const double *data, size_t rows,
                                       size_t cols, const char *path,
                                       const gram_exec *exec);
GRAM_API gram_status gram_matrix_write_single(const float *data, size_t rows,
                                              size_t cols, const char *path,
                                              const gram_exec *exec);

/* -------------------------------------------------------------- streaming */

/* A file read piece by piece, for tables that do not fit in memory.  Types
 * and categories are those of the whole file. */
typedef struct gram_reader gram_reader;

/* Keeps the file open.  Types that `options` leaves open are found by one
 * pass over the whole file.  The missing policies MEAN and INDICATOR need
 * the whole table and are refused here.  Errors: as gram_table_read. */
GRAM_API gram_status gram_reader_open(const char *path,
                                      const gram_read_options *options,
                                      const gram_exec *exec, gram_reader **out);

/* The next rows, at most `rows` of them; *out is NULL at the end. */
GRAM_API gram_status gram_reader_next(gram_reader *reader, size_t rows,
                                      gram_table **out);

GRAM_API void gram_reader_free(gram_reader *reader);

/* ---------------------------------------------------------- what is there */

/* A file format; i counts from 0, NULL at the end. */
typedef struct gram_format {
    const char *name, *brief, *extensions;
    int can_read, can_write;
    int keeps_texts; /* writes the texts of cells that were kept */
} gram_format;

GRAM_API const gram_format *gram_format_at(size_t i);

/* The format in which gram_table_write would write `path`.  Errors: NAME. */
GRAM_API gram_status gram_format_to_write(const char *path,
                                          const gram_write_options *options,
                                          const gram_format **out);

/* A data set inside the library, read as "builtin:NAME". */
typedef struct gram_builtin {
    const char *name, *brief, *target, *origin;
} gram_builtin;

GRAM_API const gram_builtin *gram_builtin_at(size_t i);

/* A method that computes f, for gram_fit_options.solver; i counts from 0, the
 * name is NULL at the end.  Which of them can solve a problem depends on its
 * loss and kernel: gram_machine_plan says what each would take. */
typedef struct gram_solver {
    const char *name, *brief;
} gram_solver;

GRAM_API gram_solver gram_solver_at(size_t i);

/* ------------------------------------------------------------ description */

enum { GRAM_HISTOGRAM_BINS = 16 };

/* What a column looks like, its missing cells left out.  For a category or
 * text, `distinct` and `histogram` count levels (the first bins in order of
 * levels); for a sparse block the numbers are those of the stored entries. */
typedef struct gram_summary {
    size_t count;    /* cells that are there; entries of a sparse block */
    size_t distinct; /* category, text: levels that occur */
    double min, max, mean, std; /* number, date, sparse; NaN if there are none;
                                   std with denominator count - 1 */
    size_t histogram[GRAM_HISTOGRAM_BINS]; /* equal bins from min to max */
} gram_summary;

/* Cost: O(rows).  Errors: RANGE (no column j), MEMORY. */
GRAM_API gram_status gram_table_summary(const gram_table *table, size_t j,
                                        gram_summary *out);

/* ---------------------------------------------------- scaling and splits */

typedef enum gram_scale {
    GRAM_SCALE_NONE,
    GRAM_SCALE_STANDARD, /* mean 0, standard deviation 1 */
    GRAM_SCALE_MINMAX    /* from 0 to 1 */
} gram_scale;

/* Shifts and factors learned from one table, for it and for others.  Number
 * and date columns that are features are shifted and divided; a sparse block
 * is divided, feature by feature, and stays sparse: by the deviation with its
 * zeros counted, or by max |x|.  What is constant is divided by 1. */
typedef struct gram_scaler gram_scaler;

/* Errors: RANGE (missing cells, no rows, max - min overflows), MEMORY. */
GRAM_API gram_status gram_scaler_new(const gram_table *table, gram_scale scale,
                                     const gram_exec *exec, gram_scaler **out);

GRAM_API void gram_scaler_free(gram_scaler *scaler);

/* Scale in place; columns are matched by name, and missing cells stay so.  A
 * date becomes a number.
 * A sparse block may be narrower or wider: features that were not there were
 * constant.  Errors: NAME (a column is not there, features have other names),
 * SHAPE (it has another type), RANGE (a number overflows), MEMORY. */
GRAM_API gram_status gram_scaler_apply(const gram_scaler *scaler,
                                       gram_table *table);

/* What the scaler does to number or date column `name`: (x - shift) / factor.
 * Errors: NAME, SHAPE (it is sparse). */
GRAM_API gram_status gram_scaler_get(const gram_scaler *scaler,
                                     const char *name, double *shift,
                                     double *factor);

typedef struct gram_fold_options {
    size_t folds;         /* 0: 5, or as many as there are rows or groups */
    const char *stratify; /* category column whose shares every fold keeps */
    const char *group;    /* column whose equal values stay in one fold */
    const char *given;    /* column that holds the folds: each value is one */
} gram_fold_options;

/* fold[i] in 0 .. *count-1 for every row, from exec->seed alone.  Folds differ
 * in size by at most one row (stratified: per class; grouped: the largest
 * groups first, each to the smallest fold).  At most one of stratify, group
 * and given.  Errors: NAME, RANGE (folds < 2, more folds than rows or groups,
 * a missing cell), SHAPE (a sparse column), MEMORY. */
GRAM_API gram_status gram_table_folds(const gram_table *table,
                                      const gram_fold_options *options,
                                      const gram_exec *exec, int *fold,
                                      size_t *count);

/* --------------------------------------------------------------- kernels */

/* A kernel k(x,t), written as an expression over columns.  Immutable once
 * made, so one kernel may be used from many threads. */
typedef struct gram_kernel gram_kernel;

/* Make a kernel from its text: "rbf(gamma=0.5)", "2*rbf[age,bmi] +
 * poly(degree=2)[bmi]*delta[city]".  `gram kernels` lists names and
 * parameters, docs/manual/kernels.md has the language.  A text that parses but
 * is not positive semidefinite makes a kernel too; its proof says so.
 *
 * Errors: PARSE, NAME, RANGE, with the place in the text; *out is then NULL. */
GRAM_API gram_status gram_kernel_new(const char *text, gram_kernel **out);

GRAM_API void gram_kernel_free(gram_kernel *k);

/* Text that makes the same kernel, with all values it has. */
GRAM_API const char *gram_kernel_text(const gram_kernel *k);

/* A number of the expression that a criterion may learn. */
typedef struct gram_kernel_param {
    const char *name; /* "rbf.gamma", "amplitude"; the same name may recur */
    int open;         /* still to be learned */
    double value;     /* NaN if open without a start */
} gram_kernel_param;

GRAM_API size_t gram_kernel_param_count(const gram_kernel *k);
GRAM_API gram_kernel_param gram_kernel_param_at(const gram_kernel *k, size_t i);

/* K[i*ld + j] = k(row i of a, row j of b).  b NULL means a itself: one
 * triangle is computed and mirrored, so K is symmetric to the bit, and rows of
 * the same table know that they are (white).  Columns are matched by name;
 * maps that learn (standardize) learn from a.
 *
 * Cost:   O(rows * rows * columns) at the speed of a matrix product.
 * Errors: NAME (open parameters, columns that are not there), SHAPE, RANGE (a
 *         cell outside the kernel's domain, or missing), MEMORY, CANCELLED. */
GRAM_API gram_status gram_kernel_matrix(const gram_kernel *k,
                                        const gram_table *a,
                                        const gram_table *b,
                                        const gram_exec *exec, double *K,
                                        size_t ld);
GRAM_API gram_status gram_kernel_matrix_single(const gram_kernel *k,
                                               const gram_table *a,
                                               const gram_table *b,
                                               const gram_exec *exec, float *K,
                                               size_t ld);

/* k(x,x) for every row. */
GRAM_API gram_status gram_kernel_diagonal(const gram_kernel *k,
                                          const gram_table *a,
                                          const gram_exec *exec, double *out);

/* out = K V without K in memory: V is rows(b) x r, out rows(a) x r, row-major
 * without gaps.  `single` computes tiles in single precision, and sums of a
 * few hundred terms, which are added in double.
 * Cost: as the matrix, and 2 rows(a) rows(b) r. */
GRAM_API gram_status gram_kernel_product(
    const gram_kernel *k, const gram_table *a, const gram_table *b,
    const gram_exec *exec, int single, const double *V, size_t r, double *out);

/* Where the numbers of k are when it meets the columns of `a`: those of
 * gram_kernel_param_at(k, p) are first[p] .. first[p + 1] - 1, one, or with
 * `ard` one per column; `first` has room for gram_kernel_param_count(k) + 1,
 * and its last entry says how many numbers there are.  Without `ard`, first[p]
 * is p.  Errors: NAME, SHAPE, RANGE, as the matrix, except open parameters. */
GRAM_API gram_status gram_kernel_param_layout(const gram_kernel *k,
                                              const gram_table *a,
                                              size_t *first);

/* out[m] = sum over i, j of G[i*ld + j] dk(a_i, a_j)/d(number m), for every
 * number of gram_kernel_param_layout, fixed ones too: the values in the text
 * are where the derivative is taken.  G need not be symmetric.
 *
 * Cost:   a few times the matrix, in one sweep for all numbers.
 * Errors: as gram_kernel_matrix. */
GRAM_API gram_status gram_kernel_gradient(const gram_kernel *k,
                                          const gram_table *a,
                                          const gram_exec *exec,
                                          const double *G, size_t ld,
                                          double *out);

/* ------------------------------------------------------------ certificates */

/* One step of the proof that a kernel is positive semidefinite, or of why it
 * is not: a node of the expression, its parts following it one deeper. */
typedef struct gram_proof_step {
    int depth;
    const char *text;     /* the node, as an expression */
    int psd;              /* 1 certified, 0 unknown, -1 refuted */
    const char *rule;     /* "sum", "product", "radial family", ... */
    const char *why;      /* a sentence */
    const char *instead;  /* not certified: an expression that is, or NULL */
    const double *points; /* refuted: count rows of d numbers, or NULL */
    size_t count, d;
    double eigenvalue; /* the smallest of the matrix of points, or NaN */
} gram_proof_step;

typedef struct gram_proof gram_proof;

GRAM_API gram_status gram_proof_new(const gram_kernel *k, gram_proof **out);
GRAM_API void gram_proof_free(gram_proof *proof);
/* 1 certified, 0 unknown, -1 refuted: the verdict on the whole. */
GRAM_API int gram_proof_psd(const gram_proof *proof);
GRAM_API size_t gram_proof_count(const gram_proof *proof);
GRAM_API gram_proof_step gram_proof_at(const gram_proof *proof, size_t i);

/* What the matrix of a kernel on data looks like. */
typedef struct gram_spectrum {
    double min_eigenvalue, max_eigenvalue;
    double error;     /* bound on the error of min_eigenvalue; from Lanczos, on
                         its distance to some eigenvalue */
    int psd;          /* 1: PSD up to rounding, -1: certainly not, 0: open */
    size_t rank;      /* eigenvalues above n u max_eigenvalue; 0: unknown */
    double condition; /* max/min eigenvalue; inf: singular, NaN: unknown */
    int identity;     /* off-diagonal entries are nearly 0, but for at most one
                         in ten rows, which may be duplicates */
    int constant;     /* all entries are nearly the same */
    int exact;        /* 1: all eigenvalues; 0: Lanczos */
} gram_spectrum;

/* Cost: n^3 up to 2000 rows, Lanczos without a matrix in memory beyond. */
GRAM_API gram_status gram_kernel_spectrum(const gram_kernel *k,
                                          const gram_table *a,
                                          const gram_exec *exec,
                                          gram_spectrum *out);

/* The kernel with what its maps learn from the rows of `a` written in: it
 * means the same on any table.  Errors: as gram_kernel_matrix. */
GRAM_API gram_status gram_kernel_learn(const gram_kernel *k,
                                       const gram_table *a,
                                       const gram_exec *exec,
                                       gram_kernel **out);

/* --------------------------------------------------------------- features */

/* An explicit map phi with phi(x).phi(t) = k(x,t), where it is finite: the
 * number of features (at most 2^20), then F[i*ld + j] = phi_j(row i of a).
 * Errors: RANGE (the kernel has no finite map, or too many features). */
GRAM_API gram_status gram_kernel_feature_count(const gram_kernel *k,
                                               const gram_table *a,
                                               size_t *count);
GRAM_API gram_status gram_kernel_features(const gram_kernel *k,
                                          const gram_table *a,
                                          const gram_exec *exec, double *F,
                                          size_t ld);

/* -------------------------------------------------------------- functions */

/* f = sum_i alpha_i k(x_i, .), an element of the kernel's space. */
typedef struct gram_function gram_function;

/* Keeps copies of what it needs of `a` and alpha; k must stay. */
GRAM_API gram_status gram_function_new(const gram_kernel *k,
                                       const gram_table *a, const double *alpha,
                                       const gram_exec *exec,
                                       gram_function **out);
GRAM_API void gram_function_free(gram_function *f);

/* out[i] = f(row i of t). */
GRAM_API gram_status gram_function_values(const gram_function *f,
                                          const gram_table *t,
                                          const gram_exec *exec, double *out);

/* <f, g>, of functions of the same kernel.  <f, f> is the squared norm. */
GRAM_API gram_status gram_function_inner(const gram_function *f,
                                         const gram_function *g,
                                         const gram_exec *exec, double *out);

/* --------------------------------------------------------------- machines */

/* A kernel, a loss and lambda, fitted to rows: f(x) = sum_i alpha_i k(x_i, x)
 * + b minimises
 *
 *     sum_i w_i V(y_i, f(x_i)) + lambda |f|^2
 *
 * with a loss V of the catalogue (`gram losses`, gram_loss_at).  A target that
 * is a category, or a loss for classes, makes it a classifier; several classes
 * need several functions f, the outputs.
 *
 * Read as a Gaussian process, f of the squared loss, V = (y - f)^2, has
 * covariance amplitude * k and row i noise variance noise_variance/w_i,
 * noise_variance = amplitude * lambda.  The amplitude is the one of greatest
 * evidence, unless the kernel has a number in front and lambda is a number:
 * then it is 1.  A noise column v makes the noise variance v_i/w_i, and the
 * amplitude 1/lambda.  A machine keeps the columns that its kernel looks at; it
 * does not change. */
typedef struct gram_machine gram_machine;

/* How numbers that are left open are chosen. */
typedef enum gram_select {
    GRAM_SELECT_AUTO, /* squared loss: evidence if the kernel has open numbers,
                         loo if only lambda is open; other losses: cv;
                         one_class, which has no target: none */
    GRAM_SELECT_EVIDENCE, /* marginal likelihood, restricted with intercept; of
                             logistic with two classes by Laplace's method; of
                             other losses an error */
    GRAM_SELECT_LOO,      /* leave-one-out squared error, in closed form; only
                             of the squared loss */
    GRAM_SELECT_GCV,      /* generalised cross-validation; likewise */
    GRAM_SELECT_CV,       /* folds, all lambdas at once: squared error, of
                             classes the error rate, else the mean loss */
    GRAM_SELECT_NONE      /* the start values, which the report mentions */
} gram_select;

/* Scaling as a part of the kernel: which leaves get a map(standardize, .). */
typedef enum gram_kernel_scale {
    GRAM_KERNEL_SCALE_AUTO, /* inner products and distances whose scale no
                               number in the text fixes */
    GRAM_KERNEL_SCALE_NONE,
    GRAM_KERNEL_SCALE_STANDARD, /* all that look at numbers */
    GRAM_KERNEL_SCALE_MINMAX
} gram_kernel_scale;

/* How functions f tell several classes apart. */
typedef enum gram_classes {
    GRAM_CLASSES_AUTO, /* hinge of up to 100 classes: one against one, else one
                          against the rest */
    GRAM_CLASSES_ONE_VS_ONE,
    GRAM_CLASSES_ONE_VS_REST
} gram_classes;

/* What the target is taken for. */
typedef enum gram_task {
    GRAM_TASK_AUTO, /* classes if it is a category or the loss is for classes;
                       with no loss given also if it is a number column of two
                       values in five or more rows, or the label of a LIBSVM
                       file with at most 100, all whole, unless its type was
                       given; else numbers */
    GRAM_TASK_REGRESSION,
    GRAM_TASK_CLASSIFICATION
} gram_task;

typedef struct gram_fit_options {
    const char *kernel; /* NULL: "rbf" */
    gram_task task;
    const char *loss; /* "hinge", "quantile(tau=0.9)", ...; NULL: squared for
                         numbers, logistic for classes.  one_class does not
                         look at a target, which is no feature either */
    gram_missing missing;      /* learned from the rows of the fit, kept in the
                                  machine, and used for all rows that come later */
    const char *class_weights; /* "balanced", "ham=1,spam=5"; NULL: all 1 */
    gram_classes classes;      /* how several classes become outputs */
    int probability;           /* losses without one: calibrate it on folds */
    const char *lambda;        /* "0.1", "?[0.01,0.1,1]", "auto"; NULL: auto */
    const char *solver; /* a name of gram_solver_at; NULL, "auto": the cheapest
                           that answers to rounding and fits in memory */
    gram_select select;
    gram_kernel_scale scale;
    int no_intercept;
    int per_target;       /* a lambda of its own for every target */
    int allow_indefinite; /* kernels that are not known to be PSD */
    int precision; /* of the factor: 0 auto, 1 double, 2 single + refinement */
    double jitter; /* added to the diagonal; 0: only where the factorisation
                      fails, and reported; -1: never */
    double tolerance; /* solvers that go step by step stop at it; 0: their own.
                         cg, gd: relative residual; newton, softmax: relative
                         gradient; prox: relative gap; smo: violation of the
                         conditions of an optimum */
    size_t steps;     /* of these solvers, at most; 0: their own limit */
    double step;      /* gd: step size; 0: 1/(2 (lambda_max + lambda)) */
    double holdout;   /* gd: share of rows that tells when to stop; 0: none */
    gram_fold_options folds;  /* cv */
    size_t tries;             /* cv: random points instead of a grid */
    int keep_factor;          /* in the model file, for variances and updates */
    const gram_machine *from; /* its kernel and lambda, whatever is above */
    /* cv: every kernel and lambda that is tried.  `known` may put the error of
     * a cell in *error and return 1, so that it need not be computed; `found`
     * is told each error that was. */
    int (*known)(void *user, const char *kernel, double lambda, double *error);
    void (*found)(void *user, const char *kernel, double lambda, double error);
    void *cell_user;
    /* gd, cg, newton: after every step; non-zero: stop */
    int (*trace)(void *user, size_t step, double loss, double held_out);
    void *trace_user;
} gram_fit_options;

GRAM_API const gram_field *gram_fit_option_fields(void);

/* What a fit would do. */
typedef struct gram_plan {
    const char *solver;    /* its name */
    const char *selection; /* a sentence: what is searched, and how */
    size_t bytes;          /* at the peak, the table not counted */
    double seconds;        /* a rough guess */
    char others[512];      /* the other solvers, with bytes, one a line */
} gram_plan;

GRAM_API const gram_field *gram_plan_fields(void);

/* Reads the table, computes nothing.  Errors: as gram_machine_fit, MEMORY with
 * what would fit. */
GRAM_API gram_status gram_machine_plan(const gram_table *table,
                                       const gram_fit_options *options,
                                       const gram_exec *exec, gram_plan *out);

/* Fit to the rows of a table with at least one target column; its weight,
 * noise and group columns are used.
 *
 * Cost:   dual n^3/3 flops and n^2/2 numbers of memory; primal O(n N^2) for a
 *         kernel with N features; O(n) for Markov kernels of one column.
 * Errors: NAME, RANGE (a missing cell, lambda < 0, a target that is text),
 *         SHAPE (no rows, no target), NUMERIC (not positive definite), MEMORY
 *         (with what would fit), CANCELLED.  Not converging is none. */
GRAM_API gram_status gram_machine_fit(const gram_table *table,
                                      const gram_fit_options *options,
                                      const gram_exec *exec,
                                      gram_machine **out);
GRAM_API void gram_machine_free(gram_machine *m);

/* The same in two steps, for callers who look at the plan in between: what
 * planning has set up - targets, compiled kernel, gathered rows - the fit goes
 * on with.  The seed is that of gram_fit_new; threads, budget and progress of
 * gram_fit_run are its own.
 *
 * gram_fit_new keeps the table and what the options point to.  gram_fit_run may
 * be called once.  Errors: as gram_machine_fit; RANGE (a second run). */
typedef struct gram_fit gram_fit;
GRAM_API gram_status gram_fit_new(const gram_table *table,
                                  const gram_fit_options *options,
                                  const gram_exec *exec, gram_fit **out);
GRAM_API const gram_plan *gram_fit_plan(const gram_fit *fit);
GRAM_API gram_status gram_fit_run(gram_fit *fit, const gram_exec *exec,
                                  gram_machine **out);
GRAM_API void gram_fit_free(gram_fit *fit);

/* What a fit found; arrays have one entry per target.  Valid as long as the
 * machine. */
typedef struct gram_report {
    size_t n, d; /* rows that count, columns that the kernel looks at */
    size_t targets;
    const char *const *target; /* names */
    const char *task;          /* "regression", "classification", "novelty" */
    const char *loss;          /* "squared", "huber(delta=2)", ... */
    int squared;               /* the loss is (y - f)^2, so that amplitude,
                                  noise_variance and log_evidence are known */
    gram_missing missing;      /* what becomes of missing cells */
    size_t classes;            /* 0: no classification */
    const char *const *class_name; /* sorted; of two the last is positive */
    const size_t *class_order; /* of a LIBSVM model: place[k] of class k among
                                  its labels; NULL: as class_name */
    int probabilities;         /* classes have them */
    size_t outputs; /* functions that were fitted: one per target, class, pair
                       of classes or tau */
    const char *const *output; /* their names */
    const char *kernel;        /* with all learned values */
    const char *solver, *precision;
    const char *criterion;  /* by which numbers were chosen, "none" */
    double criterion_value; /* larger is better for evidence only; loo, gcv and
                               cv are mean squared errors */
    size_t evaluations;     /* of the criterion */
    const double *lambda, *amplitude, *noise_variance;
    const double *log_evidence; /* NaN: cg, gd, a factor in single precision */
    const double *intercept;
    double jitter, condition, residual; /* NaN: unknown */
    double objective, gap; /* losses other than squared: the sum that is least,
                              all outputs, and a bound on what it is too large
                              by, computed anew in double */
    size_t support;        /* rows with an alpha that is not 0 */
    size_t rank, steps;
    int converged;
    double seconds;                /* NaN in a machine that was loaded */
    size_t plan_bytes, peak_bytes; /* of the call alone; 0 then */
    const char *const *warnings;   /* sentences on what may be wrong */
    size_t warning_count;
    const char *const *notes; /* and on what may be made better */
    size_t note_count;
} gram_report;

GRAM_API const gram_field *gram_report_fields(void);

GRAM_API const gram_report *gram_machine_report(const gram_machine *m);

/* What a fit found for one output; NaN: not known. */
typedef struct gram_output {
    double lambda, intercept;
    double epsilon;        /* of epsilon_insensitive: given, or found by nu */
    double objective, gap; /* of this output alone */
    size_t support;        /* rows with an alpha */
    size_t bounded;        /* of them those where it is as large as may be */
    double sum;            /* of |alpha| */
    size_t steps;
} gram_output;

/* q < outputs. */
GRAM_API gram_output gram_machine_output(const gram_machine *m, size_t q);

/* Names of the columns that the kernel looks at, NULL at the end. */
GRAM_API const char *gram_machine_column(const gram_machine *m, size_t i);

/* These columns, for the rows that are kept: the report's n, or with losses
 * other than squared those with an alpha that is not 0, and if none has, one.
 * Valid as long as the machine. */
GRAM_API const gram_table *gram_machine_table(const gram_machine *m);

/* alpha[i*outputs + t] for these rows, and row[i], the row of the table that
 * was fitted to, from 0, since rows of weight 0 are left out; NULL: not wanted.
 * Cost:   a copy; a prediction of all rows where only weights of features are
 *         kept.
 * Errors: NUMERIC (only weights are kept, and lambda is 0), MEMORY. */
GRAM_API gram_status gram_machine_alpha(const gram_machine *m,
                                        const gram_exec *exec, size_t *row,
                                        double *alpha);

/* -------------------------------------------------------------- prediction */

typedef enum gram_interval {
    GRAM_INTERVAL_GAUSSIAN, /* mean -+ z std: believes in the noise model */
    GRAM_INTERVAL_JACKKNIFE /* jackknife+, from leave-one-out residuals: holds
                               for exchangeable rows whatever the noise (Barber
                               et al. 2021) */
} gram_interval;

typedef struct gram_predict_options {
    double interval; /* 0.9: width of lower..upper */
    gram_interval method;
    size_t why;           /* rows to name */
    int unseen_error;     /* a new category is an error, not the prior */
    gram_missing missing; /* AUTO: as it was fitted.  MEAN: what the training
                             rows had.  DROP: the row's prediction stays empty,
                             NaN, class -1 */
    int votes; /* classes by votes even where there are probabilities */
} gram_predict_options;

GRAM_API const gram_field *gram_predict_option_fields(void);

/* Where predictions go: rows x outputs, row-major; NULL: not wanted.  Of a
 * classifier `mean` has the decision values f, `label` the class, `proba` rows
 * x classes probabilities; the most probable class is the label.  std is
 * that of a new y of weight 1, noise included; std_f that of f.  If the machine
 * had a noise column, so should the table; else the mean is taken. */
typedef struct gram_prediction {
    double *mean, *std, *std_f, *lower, *upper;
    int *label; /* index of class_name */
    double *proba;
    /* with one target: rows x gram_machine_terms(), the parts of f that the
     * terms of the kernel's outermost sum make, and their deviations; they and
     * the intercept add up to the mean */
    double *terms, *terms_std;
    /* with one target: rows x why, the training rows (from 0) with the largest
     * |alpha_i k(x_i, x)|, and these numbers; SIZE_MAX and 0 if there are
     * fewer */
    size_t *why;
    double *why_part;
} gram_prediction;

/* The terms of the kernel's outermost sum. */
GRAM_API size_t gram_machine_terms(const gram_machine *m);
GRAM_API const char *gram_machine_term(const gram_machine *m, size_t i);

/* What comes out for a row, to the last bit, depends on the machine and on that
 * row, not on the other rows of the table, their number or their order; so
 * requests may be answered in any batches.  (Kernels that know rows by their
 * number, white and precomputed, know them by that; and a factor that was not
 * kept is made in the precision that the memory left allows.)
 *
 * Cost:   O(n d) a row for the mean, with memory O(tile); n^2 a row for std
 *         from a dual machine, after a factorisation if none was kept.
 * Errors: NAME (a column is not there), SHAPE (it has another type), RANGE (a
 *         missing cell, an unseen category), MEMORY, CANCELLED. */
GRAM_API gram_status gram_machine_predict(const gram_machine *m,
                                          const gram_table *table,
                                          const gram_predict_options *options,
                                          const gram_exec *exec,
                                          const gram_prediction *out);

/* A machine made ready to predict: what depends on its own rows and on the
 * options is done once, by _new, and the same bits come out as from
 * gram_machine_predict, which is _new, _run and _free.  Keeps m, which must
 * stay as it is until _free; `options` are copied.
 *
 * It is immutable, and any number of threads may run it at once, each with its
 * own gram_exec: threads, budget and progress are those of the call.  Memory
 * that a call works in is kept for the next ones and taken without locks: after
 * a few calls, predictions of means of a few rows allocate nothing.  The factor
 * that std needs is made by the first call that asks for it, unless the machine
 * has kept it, and stays if it takes at most an eighth of that call's memory.
 *
 * A table of one row need not be made anew for each, see gram_table_set_values.
 *
 * Cost:   _new: O(n d), and the memory of the training rows once more; _run: as
 *         gram_machine_predict without that.
 * Errors: as gram_machine_predict. */
typedef struct gram_predictor gram_predictor;
GRAM_API gram_status gram_predictor_new(const gram_machine *m,
                                        const gram_predict_options *options,
                                        const gram_exec *exec,
                                        gram_predictor **out);
GRAM_API gram_status gram_predictor_run(const gram_predictor *p,
                                        const gram_table *table,
                                        const gram_exec *exec,
                                        const gram_prediction *out);
GRAM_API void gram_predictor_free(gram_predictor *p);

/* The joint covariance of f at the rows of the table, C[i*ld + j], for a
 * target. */
GRAM_API gram_status gram_machine_covariance(const gram_machine *m,
                                             const gram_table *table,
                                             size_t target,
                                             const gram_exec *exec, double *C,
                                             size_t ld);

/* Functions drawn from the posterior at the rows of the table: out[i*count +
 * c], draw c of target 0; `noise` adds that of new measurements. */
GRAM_API gram_status gram_machine_sample(const gram_machine *m,
                                         const gram_table *table, size_t count,
                                         int noise, const gram_exec *exec,
                                         double *out);

/* The same from the prior: a kernel without open numbers. */
GRAM_API gram_status gram_kernel_sample(const gram_kernel *k,
                                        const gram_table *table, size_t count,
                                        const gram_exec *exec, double *out);

/* How good predictions are, for one output. */
typedef struct gram_score {
    size_t n;
    double rmse, mae, r2;
    double nlpd;     /* mean -log density of y under the predicted Gaussian */
    double coverage; /* share of y inside the interval */
    double interval; /* its nominal value */
    /* classification; NaN where there are no probabilities, or in auc other
     * than two classes */
    double accuracy, log_loss, auc, brier;
    double loss; /* mean of V(y, f); NaN for classifiers */
    int squared; /* V is (y - f)^2, and loss the square of rmse */
} gram_score;

GRAM_API const gram_field *gram_score_fields(void);

/* The table has the targets; scores[outputs], of a classifier one.  A class
 * that the machine does not know counts as wrong.  Where variances would not
 * fit in memory, nlpd and coverage are NaN.  Errors: as predict, NAME (no
 * target there). */
GRAM_API gram_status gram_machine_score(const gram_machine *m,
                                        const gram_table *table,
                                        const gram_predict_options *options,
                                        const gram_exec *exec,
                                        gram_score *scores);

/* The class that each row's target has, an index of class_name; -1: one that
 * the machine does not know.  Errors: NAME (no target there), RANGE (a missing
 * cell, no classifier), SHAPE. */
GRAM_API gram_status gram_machine_classes(const gram_machine *m,
                                          const gram_table *table,
                                          const gram_exec *exec, int *code);

/* --------------------------------------------------------------- selection */

/* One lambda of the path, for one target. */
typedef struct gram_path_row {
    double lambda, loo, gcv, log_evidence, df;
} gram_path_row;

GRAM_API const gram_field *gram_path_row_fields(void);

/* The criteria at `count` lambdas (NULL: a grid over the sensible range),
 * rows[i*targets + t]; the kernel's open numbers are chosen as options say
 * before.  best[3*t], and the two behind it: the index of the best by loo, gcv
 * and evidence for target t. */
GRAM_API gram_status gram_machine_path(const gram_table *table,
                                       const gram_fit_options *options,
                                       const double *lambdas, size_t count,
                                       const gram_exec *exec,
                                       gram_path_row *rows, size_t *best);

/* Cross-validation of kernels on the same folds: for kernel c and fold j the
 * squared error of the fold (mean over its rows and targets) is in
 * error[c*folds + j].  Everything that is open is chosen anew on the training
 * rows of each fold.  `folds` comes from options[0].folds, groups from the
 * table's group column if that says nothing.  total[c], NULL: not wanted: all
 * rows, each predicted by the machine that had not seen it, for the first
 * target. */
GRAM_API gram_status gram_machine_cv(const gram_table *table,
                                     const gram_fit_options *options,
                                     size_t count, const gram_exec *exec,
                                     double *error, gram_score *total);

/* ------------------------------------------------------------ model files */

/* Read rows for a machine: columns that it knows have the types they had when
 * it was fitted, whatever they look like here, unless options say otherwise;
 * missing cells are kept.  Errors: as gram_table_read. */
GRAM_API gram_status gram_table_read_for(const gram_machine *m,
                                         const char *path,
                                         const gram_read_options *options,
                                         const gram_exec *exec,
                                         gram_table **out);

/* In a table of new rows, missing cells as when the machine was fitted (AUTO),
 * or by another policy: filled with what its training rows had, or their rows
 * left out; only columns that it looks at and its targets matter.  Predictions
 * do the same by themselves; this is for those who look at the rows, too. */
GRAM_API gram_status gram_machine_fill(const gram_machine *m, gram_table *table,
                                       gram_missing policy,
                                       const gram_exec *exec);

/* Write a machine, whole or not at all; docs/manual/model.md has the format.
 * Equal fits give equal bytes, on any number of threads. */
GRAM_API gram_status gram_machine_save(const gram_machine *m, const char *path,
                                       const gram_exec *exec);
/* Reads LIBSVM's model files, too (docs/manual/libsvm.md).
 * Errors: IO, PARSE (not a model, truncated, altered, from a newer gram). */
GRAM_API gram_status gram_machine_load(const char *path, const gram_exec *exec,
                                       gram_machine **out);

/* The bytes of such a file in memory: *bytes is freed by gram_memory_free(). */
GRAM_API gram_status gram_machine_pack(const gram_machine *m,
                                       const gram_exec *exec, void **bytes,
                                       size_t *length);
GRAM_API gram_status gram_machine_unpack(const void *bytes, size_t length,
                                         const gram_exec *exec,
                                         gram_machine **out);

typedef struct gram_libsvm_options {
    const char *const *order; /* names of all classes in the order of the file;
                                 NULL: as it was read, or sorted */
    double laplace; /* regression: scale of its noise, probA; 0: not known */
    const size_t *serial; /* precomputed: the number of each row that was
                             trained with; NULL: 1, 2, ... */
} gram_libsvm_options;

/* Write a machine as a LIBSVM model file, numbers to the last bit.  Errors:
 * RANGE (another loss than hinge one against one, epsilon_insensitive,
 * one_class; another kernel than linear, poly, rbf, sigmoid, precomputed;
 * classes that are no whole numbers), SHAPE (columns that are no numbers),
 * NAME (a class that is not in `order`), IO, MEMORY. */
GRAM_API gram_status gram_machine_save_libsvm(
    const gram_machine *m, const char *path, const gram_libsvm_options *options,
    const gram_exec *exec);

/* The machine with more rows, or without those rows of its own (remove[i]
 * non-zero, NULL: none), its numbers unchanged: equal to a fit with them, and
 * cheaper where the factor was kept.  table NULL: no new rows. */
GRAM_API gram_status gram_machine_update(const gram_machine *m,
                                         const gram_table *table,
                                         const unsigned char *remove,
                                         const gram_exec *exec,
                                         gram_machine **out);

/* <f, g> of target 0 of two machines with the same kernel, their intercepts
 * left out; g NULL: f itself.  |f|^2 = <f, f>. */
GRAM_API gram_status gram_machine_inner(const gram_machine *f,
                                        const gram_machine *g,
                                        const gram_exec *exec, double *out);

/* How much of target 0 each column and each term explains: the mean squared
 * part of a term over the training rows, and the mean squared change of f when
 * a column is replaced by its values in another row (a seeded shuffle).
 * term[gram_machine_terms()], column[d]. */
GRAM_API gram_status gram_machine_importance(const gram_machine *m,
                                             const gram_exec *exec,
                                             double *term, double *column);

/* ------------------------------------------------------------------- tests */

/* Are two samples from the same distribution?  With m(P) the mean of k(x, .)
 * over P, the maximum mean discrepancy of P and Q is
 *
 *     MMD^2 = |m(P) - m(Q)|^2 = E k(x,x') + E k(y,y') - 2 E k(x,y)
 *
 * which is 0 only for P = Q if the kernel is characteristic, as rbf is.  The
 * mean m of a sample itself is a gram_function with alpha = 1/n. */
typedef struct gram_test gram_test;

typedef enum gram_test_statistic {
    GRAM_TEST_UNBIASED, /* MMD^2, pairs i != j: the U-statistic */
    GRAM_TEST_BIASED,   /* MMD^2, all pairs: the V-statistic, never below 0 */
    GRAM_TEST_BLOCK,    /* mean of unbiased ones of blocks; normal null */
    GRAM_TEST_LINEAR    /* the same with two rows of each sample a block */
} gram_test_statistic;

/* Where the p-value comes from. */
typedef enum gram_test_method {
    GRAM_TEST_PERMUTATION, /* exact level for exchangeable rows */
    GRAM_TEST_GAMMA,       /* a gamma distribution: for many rows */
    GRAM_TEST_SPECTRAL,    /* eigenvalues of the kernel: for many rows */
    GRAM_TEST_WILD         /* wild bootstrap: rows are in the order of time and
                              depend on their neighbours */
} gram_test_method;

typedef struct gram_test_options {
    const char *kernel; /* NULL: "rbf"; open numbers by the median distance */
    gram_kernel_scale scale;
    gram_missing missing; /* what stands for missing cells is learned from both
                             samples together, from the reference of a drift */
    gram_test_statistic statistic;
    gram_test_method method;
    size_t permutations; /* or draws; 0: 1000 */
    double alpha;        /* level; 0: 0.05 */
    int exact;           /* permute rows, not bins of rows */
    size_t bins;         /* of both samples together; 0: 256 */
    int sequential;      /* stop when the decision is certain */
    int aggregate;       /* over ten widths of rbf and of exponential, or of the
                            kernel that is given: the level holds */
    double split;        /* share of rows that choose the width of greatest
                            power; the others test; 0: none */
    size_t block;        /* rows of each sample in a block; 0: sqrt(n) */
    double dependence;   /* wild: rows that depend on each other; 0: 20 */
    int precision;       /* of tiles: 0 auto, 1 double, 2 single */
} gram_test_options;

GRAM_API const gram_field *gram_test_option_fields(void);

/* What a test found.  Valid as long as the test. */
typedef struct gram_test_report {
    size_t m, n;        /* rows of the first and of the second sample */
    size_t d;           /* columns that the kernel looks at */
    const char *kernel; /* with all its numbers */
    const char *other;  /* independence: the kernel of y; else NULL */
    const char *statistic_name, *method;
    double statistic, std_error; /* std_error NaN: not computed */
    double p_value, alpha;
    int reject;
    size_t permutations; /* or draws that were made; 0: none were */
    size_t bins;         /* that were permuted; m + n: every row */
    size_t kernels;      /* that were looked at */
    double rows_needed;  /* of each sample, to see this difference 8 times in
                            10; NaN: unknown, inf: none to be seen */
    double seconds;
    size_t peak_bytes;           /* of the call alone */
    const char *const *warnings; /* sentences */
    size_t warning_count;
} gram_test_report;

GRAM_API const gram_field *gram_test_report_fields(void);

/* The columns of a are found by name in b; a category that only one of them has
 * is one more level.  Scaling and open numbers are those of all rows together.
 *
 * Cost:   binned permutations: one pass over the kernel of all rows, memory
 *         O(rows + bins^2); exact ones: (m+n)^2 flops for each.
 * Errors: NAME, SHAPE (fewer than 2 rows, columns of other types), RANGE (a
 *         missing cell), MEMORY, CANCELLED. */
GRAM_API gram_status gram_test_samples(const gram_table *a, const gram_table *b,
                                       const gram_test_options *options,
                                       const gram_exec *exec, gram_test **out);

/* Are columns x and columns y, "a,b" and "c", of a table independent?  The
 * Hilbert-Schmidt independence criterion, MMD^2 between the joint distribution
 * and the product of the two, by permutation.  The kernel is used on both
 * sides; NULL: rbf.  statistic, method, bins, aggregate, split are not looked
 * at.
 *
 * Cost: n r^2 for a permutation, r the rank of the kernel matrices, at most
 * 500, at which they are approximated. */
GRAM_API gram_status gram_test_independence(const gram_table *table,
                                            const char *x, const char *y,
                                            const gram_test_options *options,
                                            const gram_exec *exec,
                                            gram_test **out);
GRAM_API void gram_test_free(gram_test *t);
GRAM_API const gram_test_report *gram_test_report_get(const gram_test *t);

/* The witness, mean of k(x, v) over the first sample minus that over the
 * second, at every row v of `table`: large where the first is denser.  table
 * NULL: at the rows tested, those of a before those of b, each row left out of
 * its own mean. */
GRAM_API gram_status gram_test_witness(const gram_test *t,
                                       const gram_table *table,
                                       const gram_exec *exec, double *out);

/* The columns by their part in the difference, the largest first: a table with
 * the columns column, part (the share of MMD^2 that goes when the column's
 * cells are shuffled among all rows; a sample of rows is used) and wasserstein
 * (of numbers, in standard deviations: the mean distance between the two
 * samples, ordered; else missing). */
GRAM_API gram_status gram_test_columns(const gram_test *t,
                                       const gram_exec *exec, gram_table **out);

/* Compare all groups of a category column pairwise: a table with the columns a,
 * b, rows_a, rows_b, statistic, p_value, p_holm (Holm's correction for the
 * number of pairs) and reject.  Errors: as gram_test_samples, SHAPE (one
 * group). */
GRAM_API gram_status gram_test_groups(const gram_table *table,
                                      const char *column,
                                      const gram_test_options *options,
                                      const gram_exec *exec, gram_table **out);

/* The distance of two samples of numbers, ordered: the integral of |F - G|. */
GRAM_API gram_status gram_wasserstein(const double *x, size_t m,
                                      const double *y, size_t n, double *out);

/* --------------------------------------------------------------- streams */

/* Batches of rows beside a reference, as they come.  Each is compared with all
 * that came before it; the p-values are independent as long as nothing changes,
 * so that bets on them seldom pay: the chance that the evidence ever passes
 * 1/alpha is at most alpha, however long one looks. */
typedef struct gram_drift gram_drift;

typedef struct gram_drift_report {
    size_t batch, rows; /* counted from 1; rows of the batch */
    double statistic, p_value;
    double evidence; /* what bets have made of 1: of 1/alpha, an alarm */
    int alarm;       /* this batch or one before it */
} gram_drift_report;

GRAM_API const gram_field *gram_drift_report_fields(void);

/* kernel, scale, missing, permutations, alpha and precision are looked at.
 * Keeps a copy
 * of the reference. */
GRAM_API gram_status gram_drift_new(const gram_table *reference,
                                    const gram_test_options *options,
                                    const gram_exec *exec, gram_drift **out);
/* Errors: as gram_test_samples; the batch then has not happened. */
GRAM_API gram_status gram_drift_add(gram_drift *d, const gram_table *batch,
                                    const gram_exec *exec,
                                    gram_drift_report *out);
GRAM_API void gram_drift_free(gram_drift *d);

/* ---------------------------------------------------------------- herding */

/* m rows of the table that stand for all of it: each next one is where the mean
 * of k(x, .) over all rows exceeds that over the rows chosen so far the most
 * (kernel herding).  row[m] in that order, without repetition; *distance: the
 * MMD between the m rows and all.  kernel NULL: rbf.
 *
 * Cost:   one pass over the kernel, and m rows of it.
 * Errors: as the kernel's; RANGE (m is 0 or above the number of rows). */
GRAM_API gram_status gram_herd(const gram_table *table, const char *kernel,
                               gram_kernel_scale scale, size_t m,
                               const gram_exec *exec, size_t *row,
                               double *distance);

#ifdef __cplusplus
}
#endif
#endif
