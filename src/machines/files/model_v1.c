/* model_v1.c - model files of version 1, which are only read.
 *
 * The parts stand one after the other without names.  The kernel is a text with
 * all numbers in it, in front of the rows; behind the report are three numbers
 * that were measured; and the first files end without a schema.
 */
#include "machines/files/model.h"

#include <math.h>

/* All numbers are in the text. */
static gram_status read_kernel(gi_codec *c, gram_machine *m)
{
    gram_status status;
    char *text = NULL;

    GI_TRY(gi_codec_text(c, &text));
    GI_TRY(gi_model_rows(c, m));
    GI_TRY(gi_context(gi_kernel_new(c->run, text, &m->expansion.kernel), "%s",
                      gi_input_name(c->in)));
    GI_TRY(gi_context(gi_expansion_compile(c->run, &m->expansion, NULL), "%s",
                      gi_input_name(c->in)));
done:
    gi_free(text);
    return status;
}

/* In this order; then seconds, planned and peak bytes, which nobody needs. */
static gram_status read_report(gi_codec *c, gram_machine *m)
{
    static const char *const names[] = {
        "criterion", "criterion_value", "evaluations", "jitter",
        "condition", "residual",        "rank",        "steps",
        "converged", "objective",       "gap",         "support"};
    gram_status status;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        GI_TRY(gi_model_field(
            c, gi_model_field_find(gram_report_fields(), names[i]),
            &m->report));
    GI_TRY(gi_codec_skip(c, 3 * sizeof(uint64_t)));
    m->report.seconds = NAN;
done:
    return status;
}

static gram_status read_options(gi_codec *c, gram_machine *m)
{
    gram_status status;
    gram_fit_options *o = &m->training.options;

    GI_TRY(gi_codec_whole(c, &o->precision));
    if (o->precision < GI_FACTOR_AUTO || o->precision > GI_FACTOR_SINGLE)
        GI_TRY(gi_model_bad(c, "a precision that is not there"));
    GI_TRY(gi_codec_real(c, &o->jitter));
    GI_TRY(gi_codec_real(c, &o->tolerance));
    GI_TRY(gi_codec_whole(c, &o->keep_factor));
done:
    return status;
}

static gram_status read_schema(gi_codec *c, gram_machine *m)
{
    gram_status status = GRAM_OK;

    if (c->at == c->total)
        return status;
    GI_TRY(gi_model_schema(c, m));
    GI_TRY(gi_model_notes(c, m));
done:
    return status;
}

gram_status gi_model_read_v1(gi_codec *c, gram_machine *m)
{
    static gram_status (*const parts[])(gi_codec *, gram_machine *) = {
        read_kernel,      gi_model_loss,      gi_model_targets,
        gi_model_classes, gi_model_solutions, read_report,
        read_options,     gi_model_warnings,  read_schema,
    };
    gram_status status = GRAM_OK;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        GI_TRY(parts[i](c, m));
done:
    return status;
}
