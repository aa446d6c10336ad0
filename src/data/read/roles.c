/* roles.c - what columns are for: target, weight, noise, group.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/read/reader.h"
#include "data/table/table.h"

/* Weights and noise variances are numbers, none below 0. */
static gram_status check_amounts(const gram_table *t, const gi_column *c,
                                 gram_role role)
{
    if (c->type != GRAM_TYPE_NUMBER)
        return gi_fail(GRAM_ERR_RANGE,
                       "column \"%s\": a %s must be a number, it is a %s",
                       c->name, gram_role_name(role), gram_type_name(c->type));
    for (size_t i = 0; i < t->rows; i++)
        if (c->values[i] < 0)
            return gi_fail(GRAM_ERR_RANGE,
                           "row %zu, column \"%s\": %s %g, must be 0 or more",
                           i + 1, c->name, gram_role_name(role), c->values[i]);
    return GRAM_OK;
}

/* Append the columns of a file of targets to the table.  A single one is called
 * by the file's name without folder and extension. */
static gram_status add_target_file(gi_run *run, gram_table *t, const char *path)
{
    const gram_read_options options = {.missing = GRAM_MISSING_KEEP};
    gram_status status = GRAM_OK;
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    char *base = NULL;
    gram_table *y = NULL;
    size_t j = t->cols;

    GI_TRY(gi_table_read(run, path, &options, NULL, 0, &y));
    if (y->rows != t->rows)
        GI_TRY(gi_fail(GRAM_ERR_SHAPE, "%s: %zu rows, the table has %zu", path,
                       y->rows, t->rows));
    GI_TRY(gi_strndup(run, name, strcspn(name, "."), &base));
    for (size_t k = 0; k < y->cols; k++)
        GI_TRY(gram_table_add_numbers(t,
                                      y->cols == 1 ? base : y->column[k].name,
                                      y->column[k].values, 1));
    for (; j < t->cols; j++)
        t->column[j].role = GRAM_ROLE_TARGET;
done:
    gi_free(base);
    gram_table_free(y);
    return status;
}

gram_status gram_table_set_role(gram_table *t, const char *name, gram_role role)
{
    gram_status status = GRAM_OK;
    size_t j = 0;

    GI_TRY(gi_check_choice("role", (int)role, 0, GRAM_ROLE_GROUP));
    if (role == GRAM_ROLE_TARGET && gi_path_has_extension(name, "npy") &&
        gi_dict_find(&t->names, name, strlen(name)) < 0 &&
        access(name, F_OK) == 0) {
        GI_RUN(run, NULL);

        return add_target_file(&run, t, name);
    }
    GI_TRY(gram_table_find(t, name, &j));
    if (role == GRAM_ROLE_WEIGHT || role == GRAM_ROLE_NOISE)
        GI_TRY(check_amounts(t, &t->column[j], role));
    t->column[j].role = role;
done:
    return gi_table_context(status, t);
}
