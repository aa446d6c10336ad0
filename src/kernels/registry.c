/* registry.c - the catalogue: kernels and maps by name, built-in ones from the
 * .def files, then those that were registered, in order.
 *
 * The list of registered classes only grows, at its end.  Who adds holds the
 * lock; who looks needs none, since an entry is complete before the pointer to
 * it is stored and never changes afterwards.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/bind.h"
#include "kernels/kernel.h"

#define KERNEL(word) extern const gram_kernel_class gi_kernel_##word;
#include "kernels/kernels.def"
#undef KERNEL
#define MAP(word) extern const gram_map_class gi_map_##word;
#include "kernels/maps.def"
#undef MAP

typedef struct entry {
    const char *name;
    const void *class_;
    struct entry *_Atomic next;
} entry;

typedef struct registry {
    const char *what;
    const entry *builtin; /* ended by one without a name */
    struct entry *_Atomic first;
    pthread_mutex_t lock;
} registry;

#define KERNEL(word) {.name = #word, .class_ = &gi_kernel_##word},
static const entry builtin_kernels[] = {
#include "kernels/kernels.def"
    {.name = NULL}};
#undef KERNEL

#define MAP(word) {.name = #word, .class_ = &gi_map_##word},
static const entry builtin_maps[] = {
#include "kernels/maps.def"
    {.name = NULL}};
#undef MAP

static registry kernels = {
    .what = "kernel",
    .builtin = builtin_kernels,
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

static registry maps = {
    .what = "map",
    .builtin = builtin_maps,
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

/* ------------------------------------------------------------------ look */

static const void *at(registry *r, size_t i)
{
    const entry *e;

    for (e = r->builtin; e->name; e++)
        if (i-- == 0)
            return e->class_;
    for (e = atomic_load(&r->first); e; e = atomic_load(&e->next))
        if (i-- == 0)
            return e->class_;
    return NULL;
}

static const void *find(registry *r, const char *name)
{
    const entry *e;

    for (e = r->builtin; e->name; e++)
        if (strcmp(e->name, name) == 0)
            return e->class_;
    for (e = atomic_load(&r->first); e; e = atomic_load(&e->next))
        if (strcmp(e->name, name) == 0)
            return e->class_;
    return NULL;
}

/* ------------------------------------------------------------------- add */

/* Can it be written in an expression, and mean this? */
static gram_status check_name(const registry *r, const char *name)
{
    gram_status status = GRAM_OK;
    gi_spec *spec = NULL;

    if (gi_spec_parse(NULL, r->what, name, &spec) != GRAM_OK ||
        spec->root->kind != GI_NODE_CALL || strcmp(spec->root->name, name) != 0)
        status = gi_fail(GRAM_ERR_NAME,
                         "%s \"%s\": the name must be letters, digits and _, "
                         "not a digit first",
                         r->what, name);
    else if (r == &kernels && gi_kernel_is_function(name))
        status =
            gi_fail(GRAM_ERR_NAME,
                    "kernel \"%s\": the name of a function of kernels", name);
    gi_spec_free(spec);
    return status;
}

static gram_status append(registry *r, const char *name, const void *class_)
{
    gram_status status = GRAM_OK;
    struct entry *_Atomic *end = &r->first;
    entry *e = NULL;

    pthread_mutex_lock(&r->lock);
    if (find(r, name)) {
        status = gi_fail(GRAM_ERR_NAME, "%s \"%s\": the name is taken", r->what,
                         name);
        goto done;
    }
    GI_TRY(GI_NEW_ZERO(NULL, e, 1));
    e->name = name;
    e->class_ = class_;
    while (atomic_load(end))
        end = &atomic_load(end)->next;
    atomic_store(end, e);
done:
    pthread_mutex_unlock(&r->lock);
    return status;
}

static gram_status add(registry *r, const char *name, const gram_param *params,
                       int complete, const void *class_)
{
    gram_status status = GRAM_OK;

    GI_TRY(check_name(r, name));
    GI_TRY(gi_params_check(name, params));
    if (!complete)
        return gi_fail(GRAM_ERR_RANGE, "%s \"%s\": a function is missing",
                       r->what, name);
    GI_TRY(append(r, name, class_));
done:
    return status;
}

/* ---------------------------------------------------------------- public */

gram_status gram_kernel_register(const gram_kernel_class *class_)
{
    return add(&kernels, class_->name, class_->params, class_->compile != NULL,
               class_);
}

gram_status gram_map_register(const gram_map_class *class_)
{
    return add(&maps, class_->name, class_->params, class_->apply != NULL,
               class_);
}

const gram_kernel_class *gram_kernel_class_at(size_t i)
{
    return at(&kernels, i);
}

const gram_map_class *gram_map_at(size_t i)
{
    return at(&maps, i);
}

const gram_kernel_class *gi_kernel_class_find(const char *name)
{
    return find(&kernels, name);
}

const gram_map_class *gi_map_class_find(const char *name)
{
    return find(&maps, name);
}
