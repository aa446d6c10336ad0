/* model_schema.c - what a model file keeps of the table that was fitted to: the
 * types of targets, and what stands for missing cells.
 */
#include "data/table/missing.h"
#include "machines/machine.h"
#include "machines/files/model.h"

static gram_status code_types(gi_codec *c, gram_machine *m)
{
    gram_status status = GRAM_OK;
    unsigned char there = m->outputs.target_type != NULL;

    GI_TRY(gi_codec_bytes(c, &there, 1));
    if (!there)
        return status;
    GI_TRY(
        gi_codec_wholes(c, &m->outputs.target_type, m->outputs.target_count));
    for (size_t k = 0; k < m->outputs.target_count; k++)
        if (m->outputs.target_type[k] < GRAM_TYPE_NUMBER ||
            m->outputs.target_type[k] > GRAM_TYPE_SPARSE)
            GI_TRY(gi_model_bad(c, "a target of no known type"));
done:
    return status;
}

static gram_status code_fill(gi_codec *c, gi_fill *f)
{
    gram_status status = GRAM_OK;

    GI_TRY(gi_codec_text(c, &f->column));
    GI_TRY(gi_codec_real(c, &f->value));
    GI_TRY(gi_codec_optional_text(c, &f->level));
    GI_TRY(gi_codec_whole(c, &f->indicated));
done:
    return status;
}

gram_status gi_model_schema(gi_codec *c, gram_machine *m)
{
    gram_status status = GRAM_OK;
    gi_fills *f = &m->outputs.fills;
    int policy = (int)f->policy;
    size_t count = f->count;

    GI_TRY(code_types(c, m));
    GI_TRY(gi_codec_whole(c, &policy));
    if (policy < GRAM_MISSING_AUTO || policy > GRAM_MISSING_INDICATOR)
        GI_TRY(gi_model_bad(c, "a missing policy that is not there"));
    f->policy = (gram_missing)policy;
    GI_TRY(gi_codec_size(c, &count));
    GI_TRY(gi_codec_expect(c, count, sizeof(uint64_t)));
    if (gi_codec_reads(c)) {
        GI_TRY(GI_NEW_ZERO(c->run, f->fill, count));
        f->count = count;
    }
    for (size_t k = 0; k < count; k++)
        GI_TRY(code_fill(c, &f->fill[k]));
done:
    return status;
}
