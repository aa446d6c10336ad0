/* starts.c - where searches of a kernel's numbers begin.
 */
#include "solvers/search/starts.h"

#include <math.h>
#include <stdint.h>

/* What numbers that set a length are multiplied by, and lambda relative to its
 * scale.  On eight sets of real data these five reached the best optimum of
 * thirty such starts.  From the second on leaves take turns with the factors:
 * equal leaves that begin equal would stay so. */
static const struct {
    double factor, lambda;
} starts[GI_STARTS] = {{1, 1e-2}, {0.3, 1e-3}, {3, 1}, {10, 0.1}, {0.1, 0.1}};

void gi_start_at(const gi_search_space *v, const gi_face *face, size_t start,
                 double *x)
{
    const gi_slot *slots = v->s->program->kernel->slot;
    size_t leaf = 0, last = SIZE_MAX;

    for (size_t k = 0; k < v->opens; k++) {
        const gi_unknown *u = &v->s->unknown[v->open[k]];
        const gram_param *param = slots[u->slot].param;
        double factor = 1;

        if (param && param->per_column && gi_face_has(face, k)) { /* a length */
            leaf += u->slot != last && last != SIZE_MAX;
            last = u->slot;
            factor = starts[start ? (start + leaf) % GI_STARTS : 0].factor;
        }
        x[k] = u->log ? log(u->start * factor) : u->start;
    }
    if (v->variables > v->opens)
        x[v->opens] = log(starts[start].lambda * face->scale);
    for (size_t k = 0; k < v->variables; k++)
        x[k] = fmin(fmax(x[k], v->lower[k]), v->upper[k]);
}

int gi_start_is_new(const gi_search_space *v, const gi_face *face, size_t start,
                    const double *x, double *other)
{
    for (size_t i = 0; i < start; i++) {
        size_t k = 0;

        gi_start_at(v, face, i, other);
        while (k < v->variables && (!gi_face_has(face, k) || x[k] == other[k]))
            k++;
        if (k == v->variables)
            return 0;
    }
    return 1;
}
