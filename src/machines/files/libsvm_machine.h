/* libsvm_machine.h - machines from LIBSVM's models, and models from machines.
 *
 * Classes of a machine are sorted and function (a, b), a < b, is positive for
 * b; those of a model stand in an order of its own and (i, j), i < j, is
 * positive for i.  So a function is one of the model's, or minus one.
 */
#ifndef GI_LIBSVM_MACHINE_H
#define GI_LIBSVM_MACHINE_H

#include "machines/files/libsvm_model.h"
#include "machines/machine.h"

/* Where function (a, b) of a machine is found in a model, place[a] being the
 * place of class a among the model's k labels. */
typedef struct gi_libsvm_function {
    size_t i, j; /* the classes, i < j, in the model's order */
    size_t pair; /* its number */
    double sign; /* of what is the machine's in terms of the model's */
} gi_libsvm_function;

gi_libsvm_function gi_libsvm_locate(const size_t *place, size_t k, size_t a,
                                    size_t b);

/* The coefficient of support vector s, which is of class `of`, in function
 * (i, j); NULL: it has none. */
double *gi_libsvm_coef(const gi_libsvm *m, size_t s, size_t of, size_t i,
                       size_t j);

/* The machine in a file that was opened.  Errors: as gi_libsvm_read, RANGE (a
 * kernel that the language cannot write, one class). */
gram_status gi_libsvm_load(gi_run *run, gi_input *in, gram_machine **out);

#endif
