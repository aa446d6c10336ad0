/* model.c - machines as files; docs/manual/model.md has the format byte by
 * byte.
 *
 *     magic  8 bytes, then the version and the length of the body
 *     body   the fields of a machine, in the order of code_machine()
 *     CRC-32 of all that
 *
 * One walk through the fields counts, writes and reads (codec.h).  A file is
 * read twice: the checksum of the whole is right before anything is believed,
 * and even then every count is checked before it asks for memory.
 */
#include "machines/files/model.h"

#include <math.h>
#include <string.h>

#include "kernels/features/features.h"
#include "machines/files/libsvm_machine.h"
#include "machines/machine.h"

static const char magic[8] = {'G', 'R', 'A', 'M', '\r', '\n', 0x1a, '\n'};

enum { VERSION = 1, HEADER = 24, TRAILER = 4 };

static gram_status bad_model(const gi_codec *c, const char *what)
{
    return gi_fail(GRAM_ERR_PARSE, "%s: not a valid model: %s",
                   gi_input_name(c->in), what);
}

/* ------------------------------------------------------------------ parts */

/* Kernel and rows; reading ends with them compiled. */
static gram_status code_kernel(gi_codec *c, gram_machine *m)
{
    gram_status status = GRAM_OK;
    char *text = m->text;

    GI_TRY(gi_codec_text(c, &text));
    GI_TRY(gi_model_code_table(c, &m->table));
    if (gi_codec_reads(c)) {
        GI_TRY(gi_context(gi_kernel_new(c->run, text, &m->kernel), "%s",
                          gi_input_name(c->in)));
        GI_TRY(gi_context(gi_machine_compile(c->run, m, NULL), "%s",
                          gi_input_name(c->in)));
        m->n = m->table->rows;
    }
done:
    if (gi_codec_reads(c))
        gi_free(text);
    return status;
}

static gram_status code_loss(gi_codec *c, gram_machine *m)
{
    gram_status status = GRAM_OK;

    GI_TRY(gi_codec_text(c, &m->loss_text));
    if (gi_codec_reads(c))
        GI_TRY(gi_context(
            gi_losses_new(c->run, m->loss_text, &m->loss, &m->losses), "%s",
            gi_input_name(c->in)));
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
            GI_TRY(bad_model(c, "a class in a place that is not there"));
done:
    return status;
}

/* Classes, and how many functions they and the losses make. */
static gram_status code_classes(gi_codec *c, gram_machine *m)
{
    gram_status status = GRAM_OK;
    gi_classes *k = &m->classes;
    int coding = (int)k->coding, link = (int)k->link;
    size_t functions = m->losses > 1 ? m->losses : m->columns ? m->columns : 1;

    GI_TRY(gi_codec_whole(c, &coding));
    GI_TRY(gi_codec_whole(c, &link));
    GI_TRY(gi_codec_texts(c, &k->name, &k->count));
    if (coding < GI_CODING_NONE || coding > GI_CODING_JOINT ||
        link < GI_LINK_NONE || link > GI_LINK_PROCESS)
        GI_TRY(bad_model(c, "classes of no known kind"));
    k->coding = (gi_coding)coding;
    k->link = (gi_link)link;
    if (k->coding != GI_CODING_NONE) {
        if (k->count < 2 || k->count > m->n * m->n + m->targets + 1)
            GI_TRY(bad_model(c, "a number of classes that cannot be"));
        functions = gi_classes_functions(k);
    }
    if (k->link == GI_LINK_PROCESS && functions != 1)
        GI_TRY(bad_model(c, "a process of more than two classes"));
    if (functions != m->targets)
        GI_TRY(bad_model(c, "more or fewer functions than classes need"));
    GI_TRY(gi_codec_optional_reals(c, &k->sigmoid, 2 * m->targets));
    if (k->link == GI_LINK_SIGMOID && !k->sigmoid)
        GI_TRY(bad_model(c, "no numbers for probabilities"));
    GI_TRY(code_order(c, k));
done:
    return status;
}

/* What was fitted to, and the numbers per target. */
static gram_status code_targets(gi_codec *c, gram_machine *m)
{
    gram_status status = GRAM_OK;
    int mode = (int)m->amplitude_mode;

    GI_TRY(gi_codec_size(c, &m->trained));
    GI_TRY(gi_codec_texts(c, &m->target, &m->columns));
    GI_TRY(gi_codec_texts(c, &m->output, &m->targets));
    if (m->targets == 0 || m->n == 0)
        GI_TRY(bad_model(c, "no rows or no functions"));
    GI_TRY(gi_codec_expect(c, m->targets, m->n));
    GI_TRY(gi_codec_reals(c, &m->y, m->n * m->targets));
    GI_TRY(gi_codec_reals(c, &m->shift, m->targets));
    GI_TRY(gi_codec_optional_reals(c, &m->noise, m->n));
    GI_TRY(gi_codec_optional_text(c, &m->noise_column));
    GI_TRY(gi_codec_reals(c, &m->row, m->n));
    GI_TRY(gi_codec_whole(c, &m->intercept));
    GI_TRY(gi_codec_whole(c, &mode));
    if (mode < GI_AMPLITUDE_PROFILED || mode > GI_AMPLITUDE_INVERSE)
        GI_TRY(bad_model(c, "an amplitude mode that is not there"));
    m->amplitude_mode = (gi_amplitude)mode;
    GI_TRY(gi_codec_reals(c, &m->lambda, m->targets));
    GI_TRY(gi_codec_reals(c, &m->amplitude, m->targets));
    GI_TRY(gi_codec_reals(c, &m->variance, m->targets));
    GI_TRY(gi_codec_reals(c, &m->evidence, m->targets));
    GI_TRY(gi_codec_reals(c, &m->constant, m->targets));
done:
    return status;
}

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
        GI_TRY(bad_model(c, "a factor of no known precision"));
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

    GI_TRY(gi_features_new(c->run, m->program, NULL, GI_OPERATOR_FEATURES, &f));
    *count = f ? gi_features_count(f) : 0;
done:
    gi_features_free(f);
    return status;
}

static gram_status code_solution(gi_codec *c, const gram_machine *m,
                                 size_t features, gi_solution *s)
{
    gram_status status = GRAM_OK;
    size_t targets = m->solutions > 1 ? 1 : m->targets;

    GI_TRY(code_solver(c, &s->solver));
    GI_TRY(gi_codec_word(c, gi_solution_precisions, &s->precision));
    GI_TRY(gi_codec_optional_reals(c, &s->alpha, m->n * targets));
    GI_TRY(gi_codec_reals(c, &s->intercept, targets));
    GI_TRY(gi_codec_optional_reals(c, &s->weights, features * targets));
    GI_TRY(gi_codec_optional_reals(c, &s->inverse_one, m->n));
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
        GI_TRY(bad_model(c, "no coefficients"));
    GI_TRY(code_factor(c, &s->factor, s->weights ? features : m->n));
done:
    return status;
}

/* What was measured depends on the machine and its threads: nothing of it is
 * kept, so that equal fits are equal files.  Its places stay, and what older
 * files have there is passed over. */
static gram_status code_measured(gi_codec *c, gram_report *r)
{
    gram_status status = GRAM_OK;
    double seconds = NAN;
    size_t plan_bytes = 0, peak_bytes = 0;

    GI_TRY(gi_codec_real(c, &seconds));
    GI_TRY(gi_codec_size(c, &plan_bytes));
    GI_TRY(gi_codec_size(c, &peak_bytes));
    if (gi_codec_reads(c))
        r->seconds = NAN;
done:
    return status;
}

static gram_status code_report(gi_codec *c, gram_machine *m)
{
    static const char *const criteria[] = {"evidence", "loo",  "gcv",
                                           "cv",       "none", NULL};
    gram_status status = GRAM_OK;
    gram_report *r = &m->report;
    int precision = (int)m->precision;

    GI_TRY(gi_codec_word(c, criteria, &r->criterion));
    GI_TRY(gi_codec_real(c, &r->criterion_value));
    GI_TRY(gi_codec_size(c, &r->evaluations));
    GI_TRY(gi_codec_real(c, &r->jitter));
    GI_TRY(gi_codec_real(c, &r->condition));
    GI_TRY(gi_codec_real(c, &r->residual));
    GI_TRY(gi_codec_size(c, &r->rank));
    GI_TRY(gi_codec_size(c, &r->steps));
    GI_TRY(gi_codec_whole(c, &r->converged));
    GI_TRY(gi_codec_real(c, &r->objective));
    GI_TRY(gi_codec_real(c, &r->gap));
    GI_TRY(gi_codec_size(c, &r->support));
    GI_TRY(code_measured(c, r));
    GI_TRY(gi_codec_whole(c, &precision));
    if (precision < GI_FACTOR_AUTO || precision > GI_FACTOR_SINGLE)
        GI_TRY(bad_model(c, "a precision that is not there"));
    m->precision = (gi_factor_precision)precision;
    GI_TRY(gi_codec_real(c, &m->jitter));
    GI_TRY(gi_codec_real(c, &m->tolerance));
    GI_TRY(gi_codec_whole(c, &m->keep_factor));
    GI_TRY(gi_codec_texts(c, &m->warning, &m->warnings));
done:
    return status;
}

static gram_status code_machine(gi_codec *c, gram_machine *m)
{
    gram_status status = GRAM_OK;
    size_t features = 0, solutions = m->solutions;

    GI_TRY(code_kernel(c, m));
    GI_TRY(code_loss(c, m));
    GI_TRY(code_targets(c, m));
    GI_TRY(code_classes(c, m));
    GI_TRY(count_features(c, m, &features));
    GI_TRY(gi_codec_size(c, &solutions));
    if (solutions != 1 && solutions != m->targets)
        GI_TRY(bad_model(c, "more solutions than targets"));
    if (gi_codec_reads(c)) {
        GI_TRY(GI_NEW_ZERO(c->run, m->solution, solutions));
        m->solutions = solutions;
        m->features = features;
    }
    for (size_t q = 0; q < solutions; q++)
        GI_TRY(code_solution(c, m, features, &m->solution[q]));
    GI_TRY(code_report(c, m));
    GI_TRY(gi_model_code_schema(c, m));
done:
    return status;
}

/* ------------------------------------------------------------------ files */

static gram_status code_header(gi_codec *c, uint64_t *version, uint64_t *length)
{
    gram_status status = GRAM_OK;
    char first[sizeof magic];

    memcpy(first, magic, sizeof magic);
    GI_TRY(gi_codec_bytes(c, first, sizeof first));
    if (memcmp(first, magic, sizeof magic) != 0)
        GI_TRY(gi_fail(GRAM_ERR_PARSE, "%s: not a model of gram",
                       gi_input_name(c->in)));
    GI_TRY(gi_codec_number(c, version));
    GI_TRY(gi_codec_number(c, length));
done:
    return status;
}

/* The CRC is not a part of what it is the CRC of. */
static gram_status code_trailer(gi_codec *c, uint32_t *crc)
{
    int word = (int)*crc;
    gram_status status = gi_codec_whole(c, &word);

    *crc = (uint32_t)word;
    return status;
}

static gram_status count_body(gi_run *run, const gram_machine *m,
                              uint64_t *length)
{
    gi_codec count = {.run = run};
    /* nothing is changed unless the codec reads */
    gram_status status = code_machine(&count, (gram_machine *)m);

    *length = count.at;
    return status;
}

static gram_status write_model(gi_codec *c, const gram_machine *m,
                               uint64_t length)
{
    gram_status status = GRAM_OK;
    uint64_t version = VERSION;
    uint32_t crc;

    c->total = HEADER + length + TRAILER;
    GI_TRY(code_header(c, &version, &length));
    GI_TRY(code_machine(c, (gram_machine *)m));
    crc = c->crc;
    GI_TRY(code_trailer(c, &crc));
done:
    return status;
}

gram_status gram_machine_save(const gram_machine *m, const char *path,
                              const gram_exec *exec)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gi_codec write = {.run = &run};
    uint64_t length;

    gi_run_stage(&run, "writing");
    GI_TRY(count_body(&run, m, &length));
    GI_TRY(gi_output_open(&run, path, &write.out));
    GI_TRY(write_model(&write, m, length));
    GI_TRY(gi_run_tick(&run, 1));
    GI_TRY(gi_output_commit(write.out));
done:
    gi_output_free(write.out);
    return status;
}

gram_status gram_machine_pack(const gram_machine *m, const gram_exec *exec,
                              void **bytes, size_t *length)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gi_codec write = {.run = &run};
    uint64_t body;

    GI_TRY(count_body(&run, m, &body));
    GI_TRY(GI_NEW(&run, write.memory, HEADER + body + TRAILER));
    GI_TRY(write_model(&write, m, body));
    *length = (size_t)write.at;
    *bytes = write.memory;
    write.memory = NULL;
done:
    gi_free(write.memory);
    return status;
}

/* Magic, version, length and checksum, in one pass over the file. */
static gram_status check_file(gi_codec *c)
{
    gram_status status = GRAM_OK;
    uint64_t version = 0, length = 0;
    uint32_t crc = 0, found;
    unsigned char block[1 << 16], more;
    size_t got = 0;

    GI_TRY(gi_input_peek(c->in, block, HEADER, &got));
    if (got < HEADER || memcmp(block, magic, sizeof magic) != 0)
        GI_TRY(gi_fail(GRAM_ERR_PARSE, "%s: not a model of gram",
                       gi_input_name(c->in)));
    GI_TRY(code_header(c, &version, &length));
    if (version != VERSION)
        GI_TRY(gi_fail(GRAM_ERR_PARSE,
                       "%s: a model of version %llu, this is gram %s, which "
                       "reads version %d",
                       gi_input_name(c->in), (unsigned long long)version,
                       gram_version(), VERSION));
    for (uint64_t left = length; left > 0;) {
        size_t some = left < sizeof block ? (size_t)left : sizeof block;

        GI_TRY(gi_context(gi_codec_bytes(c, block, some), "truncated model"));
        left -= some;
        GI_TRY(gi_run_tick(c->run, 0.5 * (1 - (double)left / (double)length)));
    }
    found = c->crc;
    GI_TRY(gi_context(code_trailer(c, &crc), "truncated model"));
    if (crc != found)
        GI_TRY(gi_fail(GRAM_ERR_PARSE,
                       "%s: a model whose bytes were altered: its checksum is "
                       "%08x, must be %08x",
                       gi_input_name(c->in), found, crc));
    GI_TRY(gi_input_read(c->in, &more, 1, &got));
    if (got > 0)
        GI_TRY(gi_fail(GRAM_ERR_PARSE, "%s: a model with more bytes behind it",
                       gi_input_name(c->in)));
    c->total = HEADER + length;
done:
    return status;
}

gram_status gi_model_read(gi_run *run, gi_input *in, gram_machine **out)
{
    gram_status status = GRAM_OK;
    gi_codec c = {.run = run, .in = in};
    uint64_t version, length;
    gram_machine *m = NULL;

    GI_TRY(check_file(&c));
    GI_TRY(gi_input_rewind(in));
    c.at = 0;
    GI_TRY(code_header(&c, &version, &length));
    GI_TRY(GI_NEW_ZERO(run, m, 1));
    GI_TRY(code_machine(&c, m));
    if (c.at != c.total)
        GI_TRY(bad_model(&c, "fields that end before the file does"));
    gi_machine_refer(m);
    *out = m;
    m = NULL;
done:
    gram_machine_free(m);
    return status;
}

gram_status gram_machine_load(const char *path, const gram_exec *exec,
                              gram_machine **out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gi_input *in = NULL;
    char head[16];
    size_t got = 0;

    *out = NULL;
    gi_run_stage(&run, "reading");
    GI_TRY(gi_input_open(&run, path, &in));
    GI_TRY(gi_input_peek(in, head, sizeof head, &got));
    GI_TRY(gi_libsvm_probe(head, got) ? gi_libsvm_load(&run, in, out)
                                      : gi_model_read(&run, in, out));
    status = gi_run_tick(&run, 1);
done:
    gi_input_free(in);
    return status;
}

gram_status gram_machine_unpack(const void *bytes, size_t length,
                                const gram_exec *exec, gram_machine **out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gi_input *in = NULL;

    *out = NULL;
    GI_TRY(gi_input_memory(&run, "model in memory", bytes, length, &in));
    GI_TRY(gi_model_read(&run, in, out));
done:
    gi_input_free(in);
    return status;
}
