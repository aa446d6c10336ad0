/* arrays.h - number arrays side by side become the columns of a table.
 *
 * A .npy file is one array, an .npz file several with equally many rows.
 */
#ifndef GI_ARRAYS_H
#define GI_ARRAYS_H

#include "data/read/npy.h"
#include "data/read/reader.h"

typedef struct gi_array {
    gi_bytes bytes;
    gi_npy npy;
    size_t first; /* number of its first column */
    size_t cols;  /* 1 unless it has two dimensions */
    int used;     /* not all of them are dropped */
} gi_array;

typedef struct gi_arrays {
    gram_reader *reader;
    gi_array *array;
    size_t count;
    size_t rows;
    gi_dict names; /* of all columns */
    /* per column, dropped or not */
    unsigned char *drop;
    int *type;
    gi_dict *levels; /* categories of a stream */
    double **to;     /* where decoded numbers go; NULL: nowhere */
    /* while reading */
    unsigned char *buffer; /* elements of the file */
    double *scratch;       /* numbers that become strings */
    double work, worked;   /* elements to be read in all, and so far */
} gi_arrays;

/* Add the array in `bytes`; its columns are called stem0, stem1, ... or, if it
 * has one dimension and `plain` is set, just stem.  The caller has allocated
 * a->array.  Errors: PARSE, NAME (two columns of one name), IO, MEMORY. */
gram_status gi_arrays_add(gi_arrays *a, gi_bytes bytes, const char *stem,
                          int plain);

/* All arrays are there: apply the reader's options, check what is used.
 * Errors: as gi_reader_choose; PARSE, SHAPE (different numbers of rows). */
gram_status gi_arrays_begin(gi_arrays *a);

/* reader.next: the rows after those handed out so far. */
gram_status gi_arrays_next(gi_arrays *a, size_t rows, gram_table *t);

void gi_arrays_free(gi_arrays *a);

#endif
