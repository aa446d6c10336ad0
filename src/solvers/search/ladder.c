/* ladder.c - faces of a space of variables, from those of the smallest kernels
 * that are contained in a kernel to that of the whole.
 */
#include "solvers/search/ladder.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/program/live.h"

typedef struct builder {
    gi_run *run;
    const gi_search_space *v;
    unsigned char *off, *live; /* per number of theta */
    int scaled;                /* every term has an amplitude */
} builder;

static const gi_unknown *unknown_of(const gi_search_space *v, size_t k)
{
    return &v->s->unknown[v->open[k]];
}

/* A `?` that stands by itself: at 0 something is left out. */
static int is_amplitude(const gi_search_space *v, size_t k)
{
    const gi_unknown *u = unknown_of(v, k);

    return !v->s->program->kernel->slot[u->slot].param && u->log;
}

/* -------------------------------------------------------------------- faces */

static void free_face(gi_face *f)
{
    gi_free(f->at);
    gi_free(f->lower);
    gi_free(f->upper);
}

/* Where lambda is free, too, an amplitude of all terms cannot be told from it.
 */
static int is_relative(const gi_search *s)
{
    return isnan(s->lambda) && !s->lambdas &&
           !(s->criterion == GI_WANT_EVIDENCE &&
             s->problem.amplitude == GI_AMPLITUDE_ONE);
}

/* Bounds of a variable that stands for several are around all of theirs. */
static gram_status new_face(const builder *b, int tied, gi_face *f)
{
    const gi_search_space *v = b->v;
    int pin = b->scaled && is_relative(v->s);
    gram_status status;

    GI_TRY(GI_NEW(b->run, f->at, v->variables));
    GI_TRY(GI_NEW(b->run, f->lower, v->variables));
    GI_TRY(GI_NEW(b->run, f->upper, v->variables));
    for (size_t k = 0; k < v->variables; k++) {
        int open = k < v->opens;
        size_t theta = open ? unknown_of(v, k)->theta : 0, at = f->variables;

        if (open && !b->live[theta]) {
            f->at[k] = b->off[theta] ? GI_OFF : GI_UNSEEN;
            continue;
        }
        if (pin && open && is_amplitude(v, k)) { /* the first one stays */
            f->at[k] = GI_UNSEEN;
            pin = 0;
            continue;
        }
        if (tied && k > 0 && open &&
            unknown_of(v, k)->slot == unknown_of(v, k - 1)->slot)
            at = f->at[k - 1];
        f->at[k] = at;
        if (at == f->variables) {
            f->lower[at] = v->lower[k];
            f->upper[at] = v->upper[k];
            f->variables++;
        }
        f->lower[at] = fmin(f->lower[at], v->lower[k]);
        f->upper[at] = fmax(f->upper[at], v->upper[k]);
    }
done:
    return status;
}

/* -------------------------------------------------------------------- parts */

/* The faces of what is on. */
static gram_status add_faces(const builder *b, gi_ladder *l)
{
    const gi_search_space *v = b->v;
    gi_face *tied = &l->tied[l->parts], *free_ = &l->free[l->parts];
    double *theta = NULL;
    gram_status status;

    l->parts++; /* first, so that what follows is freed */
    GI_TRY(new_face(b, 1, tied));
    GI_TRY(new_face(b, 0, free_));
    GI_TRY(GI_NEW(b->run, theta, v->s->program->thetas));
    for (size_t i = 0; i < v->s->program->thetas; i++)
        theta[i] = b->off[i] ? 0 : v->theta[i];
    GI_TRY(gi_search_space_scale(b->run, v, theta, &tied->scale));
    free_->scale = tied->scale;
done:
    gi_free(theta);
    return status;
}

/* The part in which only that amplitude is on, SIZE_MAX: none, if it is one. */
static gram_status add_part(builder *b, size_t on, gi_ladder *l)
{
    const gi_search_space *v = b->v;
    size_t offs = 0;
    int any = 0;
    gram_status status;

    memset(b->off, 0, v->s->program->thetas);
    for (size_t k = 0; k < v->opens; k++)
        if (is_amplitude(v, k) && k != on) {
            b->off[unknown_of(v, k)->theta] = 1;
            offs++;
        }
    GI_TRY(gi_program_live(b->run, v->s->program, b->off, b->live, &any));
    if (on == SIZE_MAX)
        b->scaled = !any;
    if (!any || offs == 0)
        goto done;
    GI_TRY(add_faces(b, l));
done:
    return status;
}

/* After the parts. */
static gram_status add_whole(const builder *b, gi_ladder *l)
{
    memset(b->off, 0, b->v->s->program->thetas);
    memset(b->live, 1, b->v->s->program->thetas);
    return add_faces(b, l);
}

/* Bounds of lambda are relative to what a part is measured by; those of the
 * whole kernel are around all of them. */
static void set_lambda_bounds(gi_search_space *v, const gi_ladder *l)
{
    const size_t k = v->opens;
    const double lower = k < v->variables ? v->lower[k] : 0;
    const double upper = k < v->variables ? v->upper[k] : 0;

    for (size_t i = 0; k < v->variables && i < l->parts; i++) {
        gi_face *face[] = {&l->tied[i], &l->free[i]};
        const int whole = i == l->parts - 1;
        const double shift = log(face[0]->scale / v->scale);

        v->lower[k] = fmin(v->lower[k], lower + shift);
        v->upper[k] = fmax(v->upper[k], upper + shift);
        for (size_t j = 0; j < 2; j++) {
            size_t at = face[j]->at[k];

            face[j]->lower[at] = whole ? v->lower[k] : lower + shift;
            face[j]->upper[at] = whole ? v->upper[k] : upper + shift;
        }
    }
}

gram_status gi_ladder_new(gi_run *run, gi_search_space *v, gi_ladder *l)
{
    const size_t thetas = v->s->program->thetas;
    builder b = {.run = run, .v = v};
    gram_status status;

    GI_TRY(GI_NEW_ZERO(run, b.off, thetas));
    GI_TRY(GI_NEW_ZERO(run, b.live, thetas));
    GI_TRY(GI_NEW_ZERO(run, l->tied, v->opens + 2));
    GI_TRY(GI_NEW_ZERO(run, l->free, v->opens + 2));
    GI_TRY(add_part(&b, SIZE_MAX, l));
    for (size_t k = 0; k < v->opens; k++)
        if (is_amplitude(v, k))
            GI_TRY(add_part(&b, k, l));
    GI_TRY(add_whole(&b, l));
    set_lambda_bounds(v, l);
done:
    gi_free(b.off);
    gi_free(b.live);
    return status;
}

void gi_ladder_free(gi_ladder *l)
{
    for (size_t i = 0; i < l->parts; i++) {
        free_face(&l->tied[i]);
        free_face(&l->free[i]);
    }
    gi_free(l->tied);
    gi_free(l->free);
}
