/* bind.h - the arguments of a kernel or a map, matched with its table of
 * parameters and checked.
 */
#ifndef GI_BIND_H
#define GI_BIND_H

#include "base/spec.h"
#include "gram_plugin.h"

enum { GI_PARAMS_MAX = 16 };

/* What a call says about one parameter. */
typedef struct gi_value {
    const gi_node *given; /* the argument, or NULL: it has its default */
    const gram_param *as; /* the parameter it was written as: itself, or one
                             that stands for it */
    double number;        /* NaN if open, a list or a file */
    int open;             /* ? */
    double start;         /* ?0.5, else NaN */
    const gi_node *list;  /* numbers of [...] or ?[...], else NULL */
    const char *file;     /* "...", else NULL */
} gi_value;

/* How many parameters a table has; NULL: none. */
size_t gi_param_count(const gram_param *params);

/* May a criterion choose its value? */
int gi_param_is_learned(const gram_param *param);

/* Read the arguments of `call` for `params`: out[i] is the value of params[i],
 * in the units of params[i] however it is written, except for lists, whose
 * numbers gi_value_convert() turns into them.  Those that only stand for others
 * have no value.
 * Errors: NAME, PARSE, RANGE, with the place in the text. */
gram_status gi_params_bind(const gi_spec *spec, const gi_node *call,
                           const gram_param *params, gi_value *out);

double gi_value_convert(const gi_value *value, double x);

/* The sentence "gamma = -1, must be positive" at `at`, if x is out of range. */
gram_status gi_param_check(const gi_spec *spec, size_t at, const char *owner,
                           const gram_param *param, double x);

/* What an argument is: "a kernel", "a list", ... */
const char *gi_node_noun(const gi_node *node);

/* Is it a name and nothing more? */
int gi_node_is_name(const gi_node *node);

/* Is the table one that gi_params_bind() can read? */
gram_status gi_params_check(const char *owner, const gram_param *params);

#endif
