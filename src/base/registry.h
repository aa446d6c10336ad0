/* registry.h - classes by name: built-in ones from a .def file, then those that
 * were registered, in order.  Kernels, maps and losses have one each.
 */
#ifndef GI_REGISTRY_H
#define GI_REGISTRY_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/status.h"
#include "gram_plugin.h"

typedef struct gi_entry {
    const char *name;
    const void *class_;
    struct gi_entry *_Atomic next;
} gi_entry;

typedef struct gi_registry {
    const char *what;        /* "kernel" */
    const gi_entry *builtin; /* ended by one without a name */
    struct gi_entry *_Atomic first;
    pthread_mutex_t lock;
} gi_registry;

/* By number, NULL at the end; by name, or NULL. */
const void *gi_registry_at(gi_registry *r, size_t i);
const void *gi_registry_find(gi_registry *r, const char *name);

/* The end of a sentence about an unknown name; see gi_did_you_mean. */
const char *gi_registry_hint(gi_registry *r, const char *word, char *out,
                             size_t size);

/* Keep a class.  `complete`: does it have all its functions?
 * Errors: NAME (taken, or it cannot be written), RANGE (its parameters, or a
 * function is missing), MEMORY. */
gram_status gi_registry_add(gi_registry *r, const char *name,
                            const gram_param *params, int complete,
                            const void *class_);

#endif
