/* model_parts.c - the parts of a model file: what a machine has, each with one
 * function that counts, writes and reads it (codec.h).
 */
#include "machines/files/model.h"

#include <math.h>

#include "kernels/features/features.h"
#include "kernels/program/learned.h"
#include "solvers/solver.h"

gram_status gi_model_bad(const gi_codec *c, const char *what)
{
    return gi_fail(GRAM_ERR_PARSE, "%s: not a valid model: %s",
                   gi_input_name(c->in), what);
}

/* ----------------------------------------------------------------- kernel */

gram_status gi_model_rows(gi_codec *c, gram_machine *m)
{
    gram_status status;

    GI_TRY(gi_model_code_table(c, &m->expansion.table));
    m->expansion.n = m->expansion.table->rows;
done:
    return status;
}

static gram_status code_state(gi_codec *c, gi_state *s)
{
    gram_status status;

    GI_TRY(gi_codec_size(c, &s->columns));
    GI_TRY(gi_codec_size(c, &s->length));
    GI_TRY(gi_codec_size(c, &s->features));
    GI_TRY(gi_codec_reals(c, &s->list, s->length));
    GI_TRY(gi_codec_reals(c, &s->divisor, s->features));
done:
    return status;
}

/* Numbers of the slots, and what maps have learned. */
static gram_status code_values(gi_codec *c, gi_values *v)
{
    gram_status status;
    size_t states = v->states;

    GI_TRY(gi_codec_size(c, &v->slots));
    GI_TRY(gi_codec_sizes(c, &v->count, v->slots));
    v->thetas = 0;
    for (size_t s = 0; s < v->slots; s++) {
        GI_TRY(gi_codec_expect(c, v->count[s], sizeof *v->theta));
        v->thetas += v->count[s];
    }
    GI_TRY(gi_codec_reals(c, &v->theta, v->thetas));
    GI_TRY(gi_codec_size(c, &states));
    GI_TRY(gi_codec_expect(c, states, 3 * sizeof(uint64_t)));
    if (gi_codec_reads(c)) {
        GI_TRY(GI_NEW_ZERO(c->run, v->state, states));
        v->states = states;
    }
    for (size_t i = 0; i < states; i++)
        GI_TRY(code_state(c, &v->state[i]));
done:
    return status;
}

/* Structure as text, values as numbers; reading ends with the rows compiled. */
gram_status gi_model_kernel(gi_codec *c, gram_machine *m)
{
    gram_status status = GRAM_OK;
    const int reads = gi_codec_reads(c);
    gi_values values = {0};
    gi_buf structure = {0};
    char *text = NULL;

    if (!reads) {
        GI_TRY(gi_program_print_structure(c->run, m->expansion.program,
                                          &structure));
        GI_TRY(gi_values_of(c->run, m->expansion.program, &values));
        text = structure.s;
    }
    GI_TRY(gi_codec_text(c, &text));
    GI_TRY(code_values(c, &values));
    if (reads) {
        GI_TRY(gi_context(gi_kernel_new(c->run, text, &m->expansion.kernel),
                          "%s", gi_input_name(c->in)));
        GI_TRY(gi_context(gi_expansion_compile(c->run, &m->expansion, &values),
                          "%s", gi_input_name(c->in)));
    }
done:
    gi_values_free(&values);
    gi_buf_free(&structure);
    if (reads)
        gi_free(text);
    return status;
}

/* ---------------------------------------------------------------- targets */

gram_status gi_model_loss(gi_codec *c, gram_machine *m)
{
    gram_status status = GRAM_OK;

    GI_TRY(gi_codec_text(c, &m->outputs.loss_text));
    if (gi_codec_reads(c))
        GI_TRY(gi_context(gi_losses_new(c->run, m->outputs.loss_text,
                                        &m->outputs.loss, &m->outputs.losses),
                          "%s", gi_input_name(c->in)));
done:
    return status;
}

/* Where classes stand in votes that tie. */
static gram_status code_order(gi_codec *c, gi_classes *k)
{
    gram_status status = GRAM_OK;
    unsigned char there = k->order != NULL;

    GI_TRY(gi_codec_bytes(c, &there, 1));
    if (there)
        GI_TRY(gi_codec_sizes(c, &k->order, k->count));
    for (size_t i = 0; there && i < k->count; i++)
        if (k->order[i] >= k->count)
            GI_TRY(gi_model_bad(c, "a class in a place that is not there"));
done:
    return status;
}

/* Classes, and how many functions they and the losses make. */
gram_status gi_model_classes(gi_codec *c, gram_machine *m)
{
    gram_status status = GRAM_OK;
    gi_classes *k = &m->outputs.classes;
    int coding = (int)k->coding, link = (int)k->link;
    size_t functions = m->outputs.losses > 1     ? m->outputs.losses
                       : m->outputs.target_count ? m->outputs.target_count
                                                 : 1;

    GI_TRY(gi_codec_whole(c, &coding));
    GI_TRY(gi_codec_whole(c, &link));
    GI_TRY(gi_codec_texts(c, &k->name, &k->count));
    if (coding < GI_CODING_NONE || coding > GI_CODING_JOINT ||
        link < GI_LINK_NONE || link > GI_LINK_PROCESS)
        GI_TRY(gi_model_bad(c, "classes of no known kind"));
    k->coding = (gi_coding)coding;
    k->link = (gi_link)link;
    if (k->coding != GI_CODING_NONE) {
        if (k->count < 2 ||
            k->count > m->expansion.n * m->expansion.n + m->outputs.count + 1)
            GI_TRY(gi_model_bad(c, "a number of classes that cannot be"));
        functions = gi_classes_functions(k);
    }
    if (k->link == GI_LINK_PROCESS && functions != 1)
        GI_TRY(gi_model_bad(c, "a process of more than two classes"));
    if (functions != m->outputs.count)
        GI_TRY(gi_model_bad(c, "more or fewer functions than classes need"));
    GI_TRY(gi_codec_optional_reals(c, &k->sigmoid, 2 * m->outputs.count));
    if (k->link == GI_LINK_SIGMOID && !k->sigmoid)
        GI_TRY(gi_model_bad(c, "no numbers for probabilities"));
    GI_TRY(code_order(c, k));
done:
    return status;
}

/* What was fitted to, and the numbers per target. */
gram_status gi_model_targets(gi_codec *c, gram_machine *m)
{
    gram_status status = GRAM_OK;
    int mode = (int)m->training.amplitude_mode;

    GI_TRY(gi_codec_size(c, &m->training.rows));
    GI_TRY(gi_codec_texts(c, &m->outputs.target, &m->outputs.target_count));
    GI_TRY(gi_codec_texts(c, &m->outputs.name, &m->outputs.count));
    if (m->outputs.count == 0 || m->expansion.n == 0)
        GI_TRY(gi_model_bad(c, "no rows or no functions"));
    GI_TRY(gi_codec_expect(c, m->outputs.count, m->expansion.n));
    GI_TRY(
        gi_codec_reals(c, &m->training.y, m->expansion.n * m->outputs.count));
    GI_TRY(gi_codec_reals(c, &m->outputs.shift, m->outputs.count));
    GI_TRY(gi_codec_optional_reals(c, &m->training.noise, m->expansion.n));
    GI_TRY(gi_codec_optional_text(c, &m->training.noise_column));
    GI_TRY(gi_codec_reals(c, &m->training.row, m->expansion.n));
    GI_TRY(gi_codec_whole(c, &m->training.intercept));
    GI_TRY(gi_codec_whole(c, &mode));
    if (mode < GI_AMPLITUDE_PROFILED || mode > GI_AMPLITUDE_INVERSE)
        GI_TRY(gi_model_bad(c, "an amplitude mode that is not there"));
    m->training.amplitude_mode = (gi_amplitude)mode;
    GI_TRY(gi_codec_reals(c, &m->outputs.lambda, m->outputs.count));
    GI_TRY(gi_codec_reals(c, &m->outputs.amplitude, m->outputs.count));
    GI_TRY(gi_codec_reals(c, &m->outputs.variance, m->outputs.count));
    GI_TRY(gi_codec_reals(c, &m->outputs.evidence, m->outputs.count));
    GI_TRY(gi_codec_reals(c, &m->outputs.constant, m->outputs.count));
done:
    return status;
}

/* --------------------------------------------------------------- solutions */

/* The rows of the lower triangle, one after the other, as doubles. */
static gram_status code_factor(gi_codec *c, gi_chol **factor, size_t n)
{
    gram_status status = GRAM_OK;
    unsigned char kind = 0; /* 0: none, 4 or 8: bytes of its elements */
    double *row = NULL;

    if (*factor)
        kind = (unsigned char)gi_chol_blas(*factor)->size;
    GI_TRY(gi_codec_bytes(c, &kind, 1));
    if (kind == 0)
        return status;
    if (kind != gi_blas_double.size && kind != gi_blas_single.size)
        GI_TRY(gi_model_bad(c, "a factor of no known precision"));
    GI_TRY(gi_codec_expect(c, n / 2, n * sizeof *row));
    if (gi_codec_reads(c))
        GI_TRY(gi_chol_new(c->run,
                           kind == gi_blas_double.size ? &gi_blas_double
                                                       : &gi_blas_single,
                           n, 0, factor));
    for (size_t i = 0; i < n; i++) {
        if (!gi_codec_reads(c)) {
            if (!row)
                GI_TRY(GI_NEW(c->run, row, n));
            gi_chol_copy(*factor, i, 1, 0, i + 1, row, n);
        }
        GI_TRY(gi_codec_reals(c, &row, i + 1));
        if (gi_codec_reads(c)) {
            gi_chol_set_row(*factor, i, row);
            gi_free(row);
            row = NULL;
        }
    }
done:
    gi_free(row);
    return status;
}

static gram_status code_solver(gi_codec *c, const gi_solver **solver)
{
    gram_status status = GRAM_OK;
    char *name = gi_codec_reads(c) ? NULL : (char *)(*solver)->name;

    GI_TRY(gi_codec_text(c, &name));
    if (gi_codec_reads(c))
        GI_TRY(gi_context(gi_solver_find(name, solver), "%s",
                          gi_input_name(c->in)));
done:
    if (gi_codec_reads(c))
        gi_free(name);
    return status;
}

/* Features of the kernel, for a machine that has weights. */
static gram_status count_features(gi_codec *c, const gram_machine *m,
                                  size_t *count)
{
    gram_status status = GRAM_OK;
    gi_features *f = NULL;

    GI_TRY(gi_features_new(c->run, m->expansion.program, NULL,
                           GI_OPERATOR_FEATURES, &f));
    *count = gi_features_count(f);
done:
    gi_features_free(f);
    return status;
}

static gram_status code_solution(gi_codec *c, const gram_machine *m,
                                 size_t features, gi_solution *s)
{
    gram_status status = GRAM_OK;
    size_t targets = m->expansion.solutions > 1 ? 1 : m->outputs.count;

    GI_TRY(code_solver(c, &s->solver));
    GI_TRY(gi_codec_word(c, gi_solution_precisions, &s->precision));
    GI_TRY(gi_codec_optional_reals(c, &s->alpha, m->expansion.n * targets));
    GI_TRY(gi_codec_reals(c, &s->intercept, targets));
    GI_TRY(gi_codec_optional_reals(c, &s->weights, features * targets));
    GI_TRY(gi_codec_optional_reals(c, &s->inverse_one, m->expansion.n));
    GI_TRY(gi_codec_optional_reals(c, &s->primal_mean, features));
    GI_TRY(gi_codec_real(c, &s->residual));
    GI_TRY(gi_codec_real(c, &s->condition));
    GI_TRY(gi_codec_real(c, &s->jitter));
    GI_TRY(gi_codec_size(c, &s->rank));
    GI_TRY(gi_codec_size(c, &s->steps));
    GI_TRY(gi_codec_whole(c, &s->converged));
    GI_TRY(gi_codec_real(c, &s->objective));
    GI_TRY(gi_codec_real(c, &s->gap));
    GI_TRY(gi_codec_real(c, &s->lambda));
    GI_TRY(gi_codec_real(c, &s->epsilon));
    if (s->weights ? features == 0 : !s->alpha)
        GI_TRY(gi_model_bad(c, "no coefficients"));
    GI_TRY(code_factor(c, &s->factor, s->weights ? features : m->expansion.n));
done:
    return status;
}

/* How many there are, then each. */
gram_status gi_model_solutions(gi_codec *c, gram_machine *m)
{
    gram_status status = GRAM_OK;
    size_t solutions = m->expansion.solutions;

    GI_TRY(count_features(c, m, &m->expansion.features));
    GI_TRY(gi_codec_size(c, &solutions));
    if (solutions != 1 && solutions != m->outputs.count)
        GI_TRY(gi_model_bad(c, "more solutions than targets"));
    if (gi_codec_reads(c)) {
        GI_TRY(GI_NEW_ZERO(c->run, m->expansion.solution, solutions));
        m->expansion.solutions = solutions;
    }
    for (size_t q = 0; q < solutions; q++)
        GI_TRY(code_solution(c, m, m->expansion.features,
                             &m->expansion.solution[q]));
done:
    return status;
}

/* ----------------------------------------------------------------- report */

/* How it went.  What was timed or measured depends on the machine and its
 * threads and is not kept, so that equal fits are equal files. */
gram_status gi_model_report(gi_codec *c, gram_machine *m)
{
    if (gi_codec_reads(c))
        m->report = (gram_report){
            .criterion = gi_select_names[GRAM_SELECT_NONE], .seconds = NAN};
    return gi_model_code_fields(c, gram_report_fields(), &m->report);
}

gram_status gi_model_options(gi_codec *c, gram_machine *m)
{
    return gi_model_code_fields(c, gram_fit_option_fields(),
                                &m->training.options);
}

gram_status gi_model_warnings(gi_codec *c, gram_machine *m)
{
    return gi_codec_texts(c, &m->warning, &m->warnings);
}

gram_status gi_model_notes(gi_codec *c, gram_machine *m)
{
    return gi_codec_texts(c, &m->note, &m->notes);
}
