/* diagonal.c - values on the diagonal: those of the kernel, and those that
 * `self` needs of what it normalises.
 *
 * They come from the tiles that the diagonal touches, and have the same bits as
 * in a run over all pairs.
 */
#include "base/mem.h"
#include "kernels/engine/tiles.h"

/* -------------------------------------------------------------------- selves
 */

static gram_status new_self(const gi_engine *e, size_t rows, gi_self *s)
{
    size_t room = gi_round_up(rows, GI_TILE_COMMON);
    gram_status status;

    GI_TRY(gi_alloc_zero(e->run, &s->square, room, e->lanes->size));
    GI_TRY(gi_alloc_zero(e->run, &s->power, room, e->lanes->size));
done:
    return status;
}

gram_status gi_selves_find(const gi_engine *e, const gi_points *x,
                           gi_self **out)
{
    static const gi_sweep nothing;
    gi_run quiet = *e->run;
    gi_engine inner;
    gram_status status;

    quiet.progress = NULL;
    GI_TRY(gi_engine_begin_for(&inner, &quiet, e->p, e->theta, x, NULL,
                               e->judge, e->lanes,
                               GI_DIAGONAL | GI_SELVES | GI_ALONE));
    GI_TRY(gi_engine_sweep(&quiet, &inner, &nothing));
    *out = inner.self_x;
    inner.self_x = inner.self_t = NULL;
done:
    gi_engine_end(&inner);
    return status;
}

gram_status gi_selves_new(gi_engine *e, const char *needed)
{
    gram_status status = GRAM_OK;
    int any = 0;

    for (size_t i = 0; i < e->p->ops; i++)
        any |= needed[i] && e->p->op[i].code == GI_OP_SELF;
    if (!any)
        return status;
    if (e->mode & GI_DIAGONAL) {
        GI_TRY(GI_NEW_ZERO(e->run, e->self_x, e->p->ops));
        for (size_t i = 0; i < e->p->ops; i++)
            if (needed[i] && e->p->op[i].code == GI_OP_SELF)
                GI_TRY(new_self(e, e->x->rows, &e->self_x[i]));
    } else {
        GI_TRY(gi_selves_find(e, e->x, &e->self_x));
        if (!e->symmetric)
            GI_TRY(gi_selves_find(e, e->t, &e->self_t));
    }
    if (e->symmetric)
        e->self_t = e->self_x;
done:
    return status;
}

void gi_selves_free(gi_self *s, size_t ops)
{
    for (size_t i = 0; s && i < ops; i++) {
        gi_free(s[i].square);
        gi_free(s[i].power);
    }
    gi_free(s);
}

gram_status gi_selves_set(gi_engine *e)
{
    gram_status status = GRAM_OK;

    if (e->owner) {
        e->self_x = e->self_t = e->owner->self_x;
    } else if (e->self_x) {
        gi_selves_free(e->self_x, e->p->ops);
        e->self_x = e->self_t = NULL;
        GI_TRY(gi_selves_find(e, e->x, &e->self_x));
        e->self_t = e->self_x;
    }
done:
    return status;
}

/* ----------------------------------------------------------------- interface
 */

static gram_status take_diagonal(void *user, gi_worker *w)
{
    double *out = user;
    const double *value = w->tile.value;

    for (size_t i = 0; i < w->tile.rows; i++) {
        size_t row = w->tile.row + i;

        if (row >= w->tile.col && row < w->tile.col + w->tile.cols)
            out[row] = value[i * GI_TILE_COLS + row - w->tile.col];
    }
    return GRAM_OK;
}

static gram_status find_diagonal(gi_run *run, const gram_program *p,
                                 const double *theta, const gi_points *x,
                                 const gi_points *judge, int mode, double *out)
{
    gi_engine e;
    gram_status status;
    gi_run quiet = gi_run_quiet(run);

    GI_TRY(gi_engine_begin_for(&e, run, p, theta, x, NULL, judge, &gi_lanes_d,
                               mode));
    GI_TRY(gi_engine_sweep(&quiet, &e,
                           &(gi_sweep){.tile = take_diagonal, .user = out}));
done:
    gi_engine_end(&e);
    return status;
}

gram_status gi_engine_diagonal(gi_run *run, const gram_program *p,
                               const double *theta, const gi_points *x,
                               double *out)
{
    return find_diagonal(run, p, theta, x, x, GI_DIAGONAL, out);
}

gram_status gi_engine_alone(gi_run *run, const gram_program *p,
                            const double *theta, const gi_points *x,
                            const gi_points *t, double *out)
{
    return find_diagonal(run, p, theta, x, t, GI_DIAGONAL | GI_ALONE, out);
}
