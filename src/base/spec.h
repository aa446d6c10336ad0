/* spec.h - the grammar that kernels, maps, losses and models are written in.
 *
 *   expr    := term { ('+' | '-') term }
 *   term    := factor { '*' factor }
 *   factor  := base [ '^' NUMBER ]
 *   base    := NUMBER | OPEN
 *            | NAME [ '(' arg { ',' arg } ')' ] [ columns ]
 *            | '(' expr ')' [ columns ]
 *   arg     := [ NAME '=' ] ( expr | list | TEXT )
 *   list    := '[' NUMBER { ',' NUMBER } ']'
 *   OPEN    := '?' [ NUMBER | list ]
 *   columns := '[' column { ',' column } ']'
 *   column  := WORD | TEXT | INDEX ':' INDEX
 *
 * Blanks, tabs and line ends may stand between any two tokens.
 *   NAME    letters, digits, _ and bytes from 0x80, not a digit first.
 *   NUMBER  a finite decimal.  A '-' belongs to it where a value must stand,
 *           and touches its first digit; so -2*a, a*-2 and a - -2 are read as
 *           written.  -2^2 is refused: (-2)^2 or -1*2^2 must be chosen.
 *   OPEN    ?-1 starts at -1, while ? - 1 is a difference: a negative start
 *           touches its question mark.
 *   TEXT    "anything", a quote inside it doubled: "a ""b"" c".
 *   WORD    what a column is called, without blanks and , : = ( ) [ ] ".
 *           With a '*' it is a pattern, '*' standing for any characters; of
 *           digits only it is the name if there is such a column, else an
 *           index from 0.  Quotes make it a name and nothing else.
 *   a:b     the columns from index a up to and without b; a < b.
 * Parentheses nest at most GI_SPEC_DEPTH deep.
 */
#ifndef GI_SPEC_H
#define GI_SPEC_H

#include <stddef.h>

#include "base/run.h"
#include "base/status.h"
#include "base/text.h"

enum { GI_SPEC_DEPTH = 256 };

typedef enum gi_column_kind {
    GI_COLUMN_NAME,   /* name */
    GI_COLUMN_INDEX,  /* name as written, and its value in from */
    GI_COLUMN_RANGE,  /* from .. to - 1 */
    GI_COLUMN_PATTERN /* name, with '*' */
} gi_column_kind;

/* One item of a column list. */
typedef struct gi_column_item {
    gi_column_kind kind;
    size_t at; /* byte offset in the text */
    const char *name;
    size_t from, to;
    const char *value; /* of column=value, from gi_spec_parse_pairs() */
    size_t value_at;
    struct gi_column_item *next;
} gi_column_item;

typedef enum gi_node_kind {
    GI_NODE_NUMBER,  /* number */
    GI_NODE_OPEN,    /* number: the start, or NaN; kids: the candidates */
    GI_NODE_CALL,    /* name, kids: the arguments, columns */
    GI_NODE_GROUP,   /* kids: what is in the parentheses; columns */
    GI_NODE_SUM,     /* kids: two or more terms, `minus` where subtracted */
    GI_NODE_PRODUCT, /* kids: two or more factors */
    GI_NODE_POWER,   /* kids: the base; number: the exponent */
    GI_NODE_LIST,    /* kids: numbers; only as an argument */
    GI_NODE_TEXT     /* name: the text; only as an argument */
} gi_node_kind;

/* A node of the tree.  a+b+c is one sum of three terms; a+(b+c) is a sum of
 * two, the second a sum itself.  Parentheses that change nothing leave no
 * trace: a GROUP is one with columns behind it. */
typedef struct gi_node {
    gi_node_kind kind;
    int minus; /* a term that its sum subtracts; never the first */
    size_t at; /* byte offset in the text */
    double number;
    const char *name;
    struct gi_node *kids; /* the first; the others follow by next */
    gi_column_item *columns;
    const char *label; /* an argument's name=, or NULL */
    size_t label_at;
    struct gi_node *next;
} gi_node;

/* A text and its tree, in memory that gi_spec_free() gives back at once. */
typedef struct gi_spec {
    const char *what; /* "kernel", "columns", ...: what messages call it */
    const char *text;
    gi_node *root;           /* from gi_spec_parse() */
    gi_column_item *columns; /* from the other two */
    struct gi_spec_block *blocks;
} gi_spec;

/* Read an expression.  `what` and `text` are copied.
 * Cost: O(length).  Errors: PARSE, RANGE (a number too large, a range of
 * columns that is empty), MEMORY; *out is then NULL. */
gram_status gi_spec_parse(gi_run *run, const char *what, const char *text,
                          gi_spec **out);

/* Read column { ',' column }, as in --drop. */
gram_status gi_spec_parse_columns(gi_run *run, const char *what,
                                  const char *text, gi_spec **out);

/* Read column=NAME { ',' column=NAME }, as in --types. */
gram_status gi_spec_parse_pairs(gi_run *run, const char *what, const char *text,
                                gi_spec **out);

void gi_spec_free(gi_spec *spec);

/* Write this thread's sentence about byte `at` of the text, as in
 *   kernel "rbf(gama=1)", character 5: rbf has no parameter "gama"
 * with characters counted from 1 and a long text shown only around it, and
 * return `status`. */
gram_status gi_spec_fail(const gi_spec *spec, size_t at, gram_status status,
                         const char *format, ...) GI_PRINTF(4, 5);

/* Bind the arguments of a CALL to `count` parameters: out[i] is the value of
 * params[i], or NULL if it is not given.  The last `flags` parameters are
 * flags: the bare name gives them, anywhere, as in rbf(ard).  The others may
 * be given without their names, in order, before those with names.
 * Errors: NAME (no such parameter), PARSE (twice, too many, out of order). */
gram_status gi_spec_bind(const gi_spec *spec, const gi_node *call,
                         const char *const *params, size_t count, size_t flags,
                         const gi_node **out);

/* Does the item name this column: the very name, or a pattern that fits it?
 * Never true for a range. */
int gi_column_matches(const gi_column_item *item, const char *name);

/* What a word without quotes is; *index is set for an index.  Digits too large
 * for one are a name. */
gi_column_kind gi_column_classify(const char *word, size_t *index);

/* May this name of a column be written without quotes? */
int gi_column_is_bare(const char *name);

/* Add text to `b` that parses to the same tree or list, with no parentheses
 * but those needed. */
gram_status gi_spec_print(gi_run *run, const gi_node *node, gi_buf *b);
gram_status gi_spec_print_columns(gi_run *run, const gi_column_item *items,
                                  gi_buf *b);

#endif
