/* model.c - machines as files; docs/manual/model.md has the format byte by
 * byte.
 *
 *     magic  8 bytes, then the version and the length of the body
 *     body   chunks: a name, flags, a length, the fields of a part
 *     CRC-32 of all that
 *
 * One walk through the fields counts, writes and reads (codec.h).  A file is
 * read twice: the checksum of the whole is right before anything is believed,
 * and even then every count is checked before it asks for memory.  A chunk of a
 * name that is not known is passed over, unless its flags say that a machine
 * without it would be another one.
 */
#include "machines/files/model.h"

#include <string.h>

#include "machines/files/libsvm_machine.h"

static const char magic[8] = {'G', 'R', 'A', 'M', '\r', '\n', 0x1a, '\n'};

enum { VERSION = 2, HEADER = 24, TRAILER = 4, NAME = 16 };

/* Flags of a chunk. */
enum { NEEDED = 1 };

/* In the order in which they are written; reading needs it, too. */
static const struct chunk {
    char name[NAME];
    int flags;
    gram_status (*code)(gi_codec *c, gram_machine *m);
} chunks[] = {
    {"rows", NEEDED, gi_model_rows},
    {"kernel", NEEDED, gi_model_kernel},
    {"loss", NEEDED, gi_model_loss},
    {"targets", NEEDED, gi_model_targets},
    {"classes", NEEDED, gi_model_classes},
    {"solutions", NEEDED, gi_model_solutions},
    {"report", NEEDED, gi_model_report},
    {"options", 0, gi_model_options},
    {"schema", 0, gi_model_schema},
    {"warnings", 0, gi_model_warnings},
    {"notes", 0, gi_model_notes},
};

enum { CHUNKS = sizeof chunks / sizeof *chunks };

/* ----------------------------------------------------------------- chunks */

/* What stands in front of the fields of a chunk. */
typedef struct heading {
    char name[NAME]; /* zeros behind it */
    uint64_t flags, length;
} heading;

static gram_status code_heading(gi_codec *c, heading *h)
{
    gram_status status;

    GI_TRY(gi_codec_bytes(c, h->name, NAME));
    GI_TRY(gi_codec_number(c, &h->flags));
    GI_TRY(gi_codec_number(c, &h->length));
done:
    return status;
}

/* Counts or writes; nothing of m is changed. */
static gram_status write_chunk(gi_codec *c, const struct chunk *k,
                               gram_machine *m)
{
    gram_status status = GRAM_OK;
    gi_codec count = {.run = c->run};
    heading h = {.flags = (uint64_t)k->flags};

    GI_TRY(k->code(&count, m));
    memcpy(h.name, k->name, NAME);
    h.length = count.at;
    GI_TRY(code_heading(c, &h));
    GI_TRY(k->code(c, m));
done:
    return status;
}

static gram_status write_chunks(gi_codec *c, const gram_machine *m)
{
    gram_status status = GRAM_OK;

    for (size_t i = 0; i < CHUNKS; i++)
        GI_TRY(write_chunk(c, &chunks[i], (gram_machine *)m));
done:
    return status;
}

/* Pass over the fields of a chunk that is not known. */
static gram_status skip_chunk(gi_codec *c, const heading *h)
{
    if (h->flags & NEEDED)
        return gi_fail(GRAM_ERR_PARSE,
                       "%s: the model has a part \"%.*s\", which this gram %s "
                       "does not know: it was written by a newer one",
                       gi_input_name(c->in), NAME, h->name, gram_version());
    return gi_codec_skip(c, h->length);
}

/* The next chunk, which must not stand behind one that comes after it. */
static gram_status read_chunk(gi_codec *c, gram_machine *m, size_t *next)
{
    gram_status status = GRAM_OK;
    heading h = {{0}, 0, 0};
    uint64_t end;
    size_t i = 0;

    GI_TRY(code_heading(c, &h));
    GI_TRY(gi_codec_expect(c, (size_t)h.length, 1));
    end = c->at + h.length;
    while (i < CHUNKS && memcmp(h.name, chunks[i].name, NAME) != 0)
        i++;
    if (i == CHUNKS)
        return skip_chunk(c, &h);
    for (; *next < i; ++*next)
        if (chunks[*next].flags & NEEDED)
            break;
    if (*next != i)
        GI_TRY(gi_model_bad(c, "parts in another order"));
    ++*next;
    GI_TRY(chunks[i].code(c, m));
    if (c->at != end)
        GI_TRY(
            gi_model_bad(c, "a part that is longer or shorter than it says"));
done:
    return status;
}

static gram_status read_chunks(gi_codec *c, gram_machine *m)
{
    gram_status status = GRAM_OK;
    size_t next = 0;

    while (c->at < c->total)
        GI_TRY(read_chunk(c, m, &next));
    for (; next < CHUNKS; next++)
        if (chunks[next].flags & NEEDED)
            GI_TRY(gi_model_bad(c, "a part is missing"));
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
    gram_status status = write_chunks(&count, m);

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
    GI_TRY(write_chunks(c, m));
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
static gram_status check_file(gi_codec *c, uint64_t *version)
{
    gram_status status = GRAM_OK;
    uint64_t length = 0;
    uint32_t crc = 0, found;
    unsigned char block[1 << 16], more;
    size_t got = 0;

    GI_TRY(gi_input_peek(c->in, block, HEADER, &got));
    if (got < HEADER || memcmp(block, magic, sizeof magic) != 0)
        GI_TRY(gi_fail(GRAM_ERR_PARSE, "%s: not a model of gram",
                       gi_input_name(c->in)));
    GI_TRY(code_header(c, version, &length));
    if (*version < 1 || *version > VERSION)
        GI_TRY(gi_fail(GRAM_ERR_PARSE,
                       "%s: a model of version %llu, this is gram %s, which "
                       "reads versions 1 to %d",
                       gi_input_name(c->in), (unsigned long long)*version,
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
        GI_TRY(gi_fail(GRAM_ERR_PARSE,
                       "%s: unexpected bytes after the end of the model",
                       gi_input_name(c->in)));
    c->total = HEADER + length;
done:
    return status;
}

gram_status gi_model_read(gi_run *run, gi_input *in, gram_machine **out)
{
    gram_status status = GRAM_OK;
    gi_codec c = {.run = run, .in = in};
    uint64_t version = 0, length;
    gram_machine *m = NULL;

    GI_TRY(check_file(&c, &version));
    GI_TRY(gi_input_rewind(in));
    c.at = 0;
    GI_TRY(code_header(&c, &version, &length));
    GI_TRY(GI_NEW_ZERO(run, m, 1));
    GI_TRY(version == 1 ? gi_model_read_v1(&c, m) : read_chunks(&c, m));
    if (c.at != c.total)
        GI_TRY(gi_model_bad(&c, "fields that end before the file does"));
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
