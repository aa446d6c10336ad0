/* registry.c - lists of classes that may grow while they are read.
 *
 * The list of registered classes only grows, at its end.  Adding takes a lock.
 * Reading needs none, since an entry is complete before the pointer to it is
 * stored and never changes afterwards.
 */
#include "base/registry.h"

#include <string.h>

#include "base/mem.h"
#include "base/bind.h"

/* ------------------------------------------------------------------ look */

/* Entry i, or NULL. */
static const gi_entry *entry_at(gi_registry *r, size_t i)
{
    const gi_entry *e;

    for (e = r->builtin; e->name; e++)
        if (i-- == 0)
            return e;
    for (e = atomic_load(&r->first); e; e = atomic_load(&e->next))
        if (i-- == 0)
            return e;
    return NULL;
}

const void *gi_registry_at(gi_registry *r, size_t i)
{
    const gi_entry *e = entry_at(r, i);

    return e ? e->class_ : NULL;
}

const void *gi_registry_find(gi_registry *r, const char *name)
{
    const gi_entry *e;

    for (e = r->builtin; e->name; e++)
        if (strcmp(e->name, name) == 0)
            return e->class_;
    for (e = atomic_load(&r->first); e; e = atomic_load(&e->next))
        if (strcmp(e->name, name) == 0)
            return e->class_;
    return NULL;
}

const char *gi_registry_hint(gi_registry *r, const char *word, char *out,
                             size_t size)
{
    enum { MOST = 256 };
    const char *names[MOST];
    const gi_entry *e;
    size_t count = 0;

    while (count < MOST && (e = entry_at(r, count)))
        names[count++] = e->name;
    return gi_did_you_mean(word, names, count, out, size);
}

/* ------------------------------------------------------------------- add */

/* Can it be written in an expression without meaning something else? */
static gram_status check_name(const gi_registry *r, const char *name)
{
    gram_status status = GRAM_OK;
    gi_spec *spec = NULL;

    if (gi_spec_parse(NULL, r->what, name, &spec) != GRAM_OK ||
        spec->root->kind != GI_NODE_CALL || strcmp(spec->root->name, name) != 0)
        status = gi_fail(GRAM_ERR_NAME,
                         "%s \"%s\": the name must be letters, digits and _, "
                         "not a digit first",
                         r->what, name);
    gi_spec_free(spec);
    return status;
}

static gram_status append(gi_registry *r, const char *name, const void *class_)
{
    gram_status status = GRAM_OK;
    struct gi_entry *_Atomic *end = &r->first;
    gi_entry *e = NULL;

    pthread_mutex_lock(&r->lock);
    if (gi_registry_find(r, name)) {
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

gram_status gi_registry_add(gi_registry *r, const char *name,
                            const gram_param *params, int complete,
                            const void *class_)
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
