/* arff.h - the parts of an ARFF file: attributes, and the items of a line.
 *
 * Lines are scanned with a gi_work, in the header, too: it has the line number
 * for messages and the scratch for items that must be rewritten.
 */
#ifndef GI_ARFF_H
#define GI_ARFF_H

#include "data/read/load.h"

#define GI_ARFF_NONE SIZE_MAX

typedef struct gi_arff_attribute {
    char *name;
    gram_type type;
    int nominal;
    gi_dict levels;       /* of a nominal one, until its field takes them */
    size_t field;         /* of its column, or NONE */
    size_t feature;       /* its place in the sparse block, or NONE */
    const char *fallback; /* the value that sparse rows leave out; NULL: none */
} gi_arff_attribute;

typedef struct gi_arff {
    gi_load load;
    gi_arff_attribute *attribute;
    size_t count, capacity;
    gi_dict names; /* of all attributes, which must differ */
    int sparse;    /* the first row is, and so must all be */
    size_t *owner; /* the attribute of each field but the last, the weight */
    const char **features; /* names of the sparse block */
} gi_arff;

/* Read up to the first row and set the attributes, `sparse` and load.body.
 * Errors: PARSE, NAME (a name twice), IO, MEMORY. */
gram_status gi_arff_read_header(gi_arff *s);

/* A name, value or word, its quotes off and its escapes resolved. */
typedef struct gi_arff_item {
    const char *s;
    size_t n;
    int quoted;
} gi_arff_item;

/* Where an item that is not quoted ends: as a cell of a dense row, as a value
 * in braces, as a word of the header. */
enum { GI_ARFF_CELL = 1, GI_ARFF_LIST = 2, GI_ARFF_WORD = 4 };

/* Read the item at *at and move *at past it. */
gram_status gi_arff_item_cut(gi_work *w, const char **at, int ends,
                             gi_arff_item *out);

/* Fail with the sentence `"REST" what`, where REST is the line from p on. */
gram_status gi_arff_unexpected(gi_work *w, const char *p, const char *what);

static inline int gi_arff_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static inline const char *gi_arff_skip(const char *p)
{
    while (gi_arff_is_blank(*p))
        p++;
    return p;
}

/* Is there nothing more on the line? */
static inline int gi_arff_is_over(const char *p)
{
    return *p == '\n' || *p == '%';
}

#endif
