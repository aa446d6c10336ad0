/* reader.h - what a file format must provide to be read.
 *
 * A format is one file read_<name>.c that exports gi_reader_<name> and one
 * line READER(name) in readers.def.  reader.c opens the input, picks the
 * class, applies the options that are common to all, and owns the reader.
 */
#ifndef GI_READER_H
#define GI_READER_H

#include "base/file.h"
#include "base/run.h"
#include "base/text.h"
#include "data/table/table.h"

typedef struct gi_reader_class gi_reader_class;

/* The type that a column of that name has, unless options say otherwise. */
typedef struct gi_type_hint {
    const char *name;
    gram_type type;
} gi_type_hint;

struct gram_reader {
    const gi_reader_class *class;
    gi_run run;
    int owns_run; /* the run began with the reader, and ends with it */
    gi_input *in;
    const struct gi_builtin *builtin; /* the data set, or NULL */
    gi_buf text;                      /* its text */
    gram_read_options options;
    char *types, *drop; /* own copies of those options */
    gi_dict typed;      /* columns whose types were given */
    gi_dict hinted;     /* columns of `hint`, in its order */
    const gi_type_hint *hint;
    int whole;   /* the whole table is read at once: types may be guessed from
                    the first rows and corrected later */
    size_t seen; /* rows handed out so far */
    void *state; /* of the class */
};

struct gi_reader_class {
    const char *name, *brief;
    const char *extensions; /* "csv,tsv,txt" */

    /* Does a file with these first bytes look like this format?  0: no; 1: it
     * could; 2: certainly. */
    int (*probe)(const char *head, size_t n);

    /* Read the header; set r->state.  On failure close() is still called. */
    gram_status (*open)(gram_reader *r);

    /* Append up to `rows` rows to `t`, which is empty: add the columns, fill
     * them, set t->rows, which stays 0 at the end of the file. */
    gram_status (*next)(gram_reader *r, size_t rows, gram_table *t);

    /* Free r->state, which may be NULL. */
    void (*close)(gram_reader *r);
};

/* gram_table_read() within a run, with the types that columns have unless the
 * options say otherwise. */
gram_status gi_table_read(gi_run *run, const char *path,
                          const gram_read_options *options,
                          const gi_type_hint *hint, size_t hints,
                          gram_table **out);

/* The i-th format, NULL at the end. */
const gi_reader_class *gi_reader_class_at(size_t i);

/* Which columns are left out and which types are asked for, by --drop and
 * --types.  `names` are all columns of the file in order; drop[j] is set for
 * those left out, type[j] to the gram_type asked for or -1.
 * Errors: NAME (no such column, with a suggestion), PARSE. */
gram_status gi_reader_choose(gram_reader *r, const char *const *names,
                             size_t count, unsigned char *drop, int *type);

/* Are the texts of the column's cells asked for?  To be called by open() only:
 * the names are the caller's. */
int gi_reader_keeps_text(const gram_reader *r, const char *name);

#endif
