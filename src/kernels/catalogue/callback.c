/* callback.c - kernels that are functions in C: of a distance, or of a pair of
 * rows.
 *
 * Each becomes a class of its own with nothing to set.  Nobody can see from
 * outside whether it is PSD, so that is unknown.  The class stays until the
 * program ends, as every registered one does.
 */
#include <string.h>

#include "base/mem.h"
#include "kernels/program/program.h"

typedef struct callback {
    gram_kernel_class class_;
    double (*h)(void *user, double r);
    double (*slope)(void *user, double r);
    double (*pair)(void *user, const double *x, const double *t, size_t d);
    void *user;
    char name[];
} callback;

void *gram_arg_user(const gram_program *p)
{
    return p->node->class_->user;
}

static int compile_radial(gram_program *p)
{
    const callback *c = gram_arg_user(p);
    int distance = gram_emit_sqrt(p, gram_emit_sqdist(p, -1, 0));

    return gram_emit_function(p, distance, c->h, c->slope, c->user);
}

static int compile_pairs(gram_program *p)
{
    const callback *c = gram_arg_user(p);

    return gram_emit_pairs(p, c->pair, c->user);
}

static gram_verdict judge(const double *value)
{
    (void)value;
    return (gram_verdict){
        .psd = GRAM_PSD_UNKNOWN,
        .why = "a function in C: only its values can tell",
    };
}

/* Register a copy of `like` under that name. */
static gram_status add(const char *name, const callback *like)
{
    gram_status status = GRAM_OK;
    size_t size = strlen(name) + 1;
    callback *c = NULL;

    if (!like->h && !like->pair)
        return gi_fail(GRAM_ERR_RANGE, "kernel \"%s\": a function is missing",
                       name);
    GI_TRY(gi_alloc(NULL, &c, 1, sizeof *c + size));
    *c = *like;
    memcpy(c->name, name, size);
    c->class_.name = c->name;
    c->class_.judge = judge;
    c->class_.user = c;
    GI_TRY(gram_kernel_register(&c->class_));
    c = NULL;
done:
    gi_free(c);
    return status;
}

gram_status gram_kernel_register_radial(const char *name,
                                        double (*h)(void *user, double r),
                                        double (*slope)(void *user, double r),
                                        void *user)
{
    return add(name, &(callback){.class_ = {.formula = "h(|x-t|)",
                                            .flags = GRAM_KERNEL_STATIONARY,
                                            .compile = compile_radial},
                                 .h = h,
                                 .slope = slope,
                                 .user = user});
}

gram_status gram_kernel_register_pairs(
    const char *name,
    double (*pair)(void *user, const double *x, const double *t, size_t d),
    void *user)
{
    return add(name, &(callback){.class_ = {.formula = "a function of x and t",
                                            .compile = compile_pairs},
                                 .pair = pair,
                                 .user = user});
}
