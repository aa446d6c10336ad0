/* catalogue.c - kernels and maps by name, built-in ones from the .def files,
 * then those that were registered, in order (registry.h).
 */
#include "kernels/expression/kernel.h"
#include "base/registry.h"

#define KERNEL(word) extern const gram_kernel_class gi_kernel_##word;
#include "kernels/catalogue/kernels.def"
#undef KERNEL
#define MAP(word) extern const gram_map_class gi_map_##word;
#include "kernels/catalogue/maps.def"
#undef MAP

#define KERNEL(word) {.name = #word, .class_ = &gi_kernel_##word},
static const gi_entry builtin_kernels[] = {
#include "kernels/catalogue/kernels.def"
    {.name = NULL}};
#undef KERNEL

#define MAP(word) {.name = #word, .class_ = &gi_map_##word},
static const gi_entry builtin_maps[] = {
#include "kernels/catalogue/maps.def"
    {.name = NULL}};
#undef MAP

static gi_registry kernels = {
    .what = "kernel",
    .builtin = builtin_kernels,
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

static gi_registry maps = {
    .what = "map",
    .builtin = builtin_maps,
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

gram_status gram_kernel_register(const gram_kernel_class *class_)
{
    if (gi_kernel_is_function(class_->name))
        return gi_fail(GRAM_ERR_NAME,
                       "kernel \"%s\": the name of a function of kernels",
                       class_->name);
    return gi_registry_add(&kernels, class_->name, class_->params,
                           class_->compile != NULL, class_);
}

gram_status gram_map_register(const gram_map_class *class_)
{
    return gi_registry_add(&maps, class_->name, class_->params,
                           class_->apply != NULL, class_);
}

const gram_kernel_class *gram_kernel_class_at(size_t i)
{
    return gi_registry_at(&kernels, i);
}

const gram_map_class *gram_map_at(size_t i)
{
    return gi_registry_at(&maps, i);
}

const gram_kernel_class *gi_kernel_class_find(const char *name)
{
    return gi_registry_find(&kernels, name);
}

const gram_map_class *gi_map_class_find(const char *name)
{
    return gi_registry_find(&maps, name);
}
