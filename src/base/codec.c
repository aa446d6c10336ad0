/* codec.c - counting, writing and reading fields; see codec.h.
 *
 * Arrays pass through a small buffer in which their bytes are put in order, so
 * that a file is the same on every machine.
 */
#include "base/codec.h"

#include "base/limits.h"

#include <string.h>
#include <zlib.h>

enum { CHUNK = GI_CODEC_BYTES };

/* Progress of a read: its first half was the pass for the checksum. */
static double done_of(const gi_codec *c)
{
    double part = (double)c->at / (double)c->total;

    return gi_codec_reads(c) ? (1 + part) / 2 : part;
}

gram_status gi_codec_bytes(gi_codec *c, void *data, size_t n)
{
    gram_status status = GRAM_OK;

    if (gi_codec_reads(c))
        GI_TRY(gi_input_exactly(c->in, data, n));
    else if (c->out)
        GI_TRY(gi_output_write(c->out, data, n));
    else if (c->memory)
        memcpy(c->memory + c->at, data, n);
    for (size_t i = 0; (c->in || c->out || c->memory) && i < n; i += CHUNK) {
        size_t some = n - i < CHUNK ? n - i : CHUNK;

        c->crc = (uint32_t)crc32(c->crc, (const Bytef *)data + i, (uInt)some);
    }
    c->at += n;
    if (n >= CHUNK / 16 && c->total > 0)
        GI_TRY(gi_run_tick(c->run, done_of(c)));
done:
    return status;
}

gram_status gi_codec_skip(gi_codec *c, uint64_t n)
{
    gram_status status = GRAM_OK;
    unsigned char block[256];

    for (uint64_t some; n > 0; n -= some) {
        some = n < sizeof block ? n : sizeof block;
        GI_TRY(gi_codec_bytes(c, block, (size_t)some));
    }
done:
    return status;
}

gram_status gi_codec_expect(const gi_codec *c, size_t count, size_t size)
{
    uint64_t left = c->total > c->at ? c->total - c->at : 0;

    if (gi_codec_reads(c) && count > left / (size > 0 ? size : 1))
        return gi_fail(GRAM_ERR_PARSE,
                       "%s: not a valid model: %zu elements at byte %llu go "
                       "past the end of the file",
                       gi_input_name(c->in), count, (unsigned long long)c->at);
    return GRAM_OK;
}

/* ---------------------------------------------------------------- numbers */

static void put_little(unsigned char *p, uint64_t x, size_t size)
{
    for (size_t b = 0; b < size; b++)
        p[b] = (unsigned char)(x >> (8 * b));
}

static uint64_t get_little(const unsigned char *p, size_t size)
{
    uint64_t x = 0;

    for (size_t b = 0; b < size; b++)
        x |= (uint64_t)p[b] << (8 * b);
    return x;
}

gram_status gi_codec_number(gi_codec *c, uint64_t *x)
{
    unsigned char raw[8];
    gram_status status;

    put_little(raw, *x, sizeof raw);
    status = gi_codec_bytes(c, raw, sizeof raw);
    if (status == GRAM_OK && gi_codec_reads(c))
        *x = get_little(raw, sizeof raw);
    return status;
}

gram_status gi_codec_size(gi_codec *c, size_t *x)
{
    uint64_t wide = *x;
    gram_status status = gi_codec_number(c, &wide);

    *x = (size_t)wide;
    return status;
}

gram_status gi_codec_whole(gi_codec *c, int *x)
{
    unsigned char raw[4];
    gram_status status;

    put_little(raw, (uint32_t)*x, sizeof raw);
    status = gi_codec_bytes(c, raw, sizeof raw);
    if (status == GRAM_OK && gi_codec_reads(c))
        *x = (int)(int32_t)get_little(raw, sizeof raw);
    return status;
}

gram_status gi_codec_real(gi_codec *c, double *x)
{
    uint64_t bits;
    gram_status status;

    memcpy(&bits, x, sizeof bits);
    status = gi_codec_number(c, &bits);
    memcpy(x, &bits, sizeof bits);
    return status;
}

/* ----------------------------------------------------------------- arrays */

/* Elements of `size` bytes in memory, as they are in the file. */
static void order_bytes(unsigned char *raw, size_t n, size_t size)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t i = 0; i < n; i += size)
        for (size_t b = 0; b < size / 2; b++) {
            unsigned char keep = raw[i + b];

            raw[i + b] = raw[i + size - 1 - b];
            raw[i + size - 1 - b] = keep;
        }
#else
    (void)raw, (void)n, (void)size;
#endif
}

/* `array` is the address of the pointer to n elements of `size` bytes. */
static gram_status code_array(gi_codec *c, void *array, size_t n, size_t size)
{
    gram_status status = GRAM_OK;
    unsigned char raw[CHUNK], *data = NULL;

    GI_TRY(gi_codec_expect(c, n, size));
    if (gi_codec_reads(c))
        GI_TRY(gi_alloc(c->run, array, n, size));
    memcpy(&data, array, sizeof data);
    for (size_t i = 0, bytes = n * size; i < bytes; i += CHUNK) {
        size_t some = bytes - i < CHUNK ? bytes - i : CHUNK;

        if (!gi_codec_reads(c)) {
            memcpy(raw, data + i, some);
            order_bytes(raw, some, size);
        }
        GI_TRY(gi_codec_bytes(c, raw, some));
        if (gi_codec_reads(c)) {
            order_bytes(raw, some, size);
            memcpy(data + i, raw, some);
        }
    }
done:
    return status;
}

gram_status gi_codec_reals(gi_codec *c, double **x, size_t n)
{
    return code_array(c, x, n, sizeof **x);
}

gram_status gi_codec_sizes(gi_codec *c, size_t **x, size_t n)
{
    return code_array(c, x, n, sizeof **x);
}

gram_status gi_codec_unsigned(gi_codec *c, unsigned **x, size_t n)
{
    return code_array(c, x, n, sizeof **x);
}

gram_status gi_codec_wholes(gi_codec *c, int **x, size_t n)
{
    return code_array(c, x, n, sizeof **x);
}

gram_status gi_codec_optional_reals(gi_codec *c, double **x, size_t n)
{
    unsigned char there = *x != NULL;
    gram_status status = GRAM_OK;

    GI_TRY(gi_codec_bytes(c, &there, 1));
    if (there)
        GI_TRY(gi_codec_reals(c, x, n));
done:
    return status;
}

/* ------------------------------------------------------------------- text */

gram_status gi_codec_text(gi_codec *c, char **s)
{
    size_t n = gi_codec_reads(c) ? 0 : strlen(*s);
    gram_status status = GRAM_OK;

    GI_TRY(gi_codec_size(c, &n));
    GI_TRY(gi_codec_expect(c, n, 1));
    if (gi_codec_reads(c))
        GI_TRY(GI_NEW_ZERO(c->run, *s, n + 1));
    GI_TRY(gi_codec_bytes(c, *s, n));
    if (strlen(*s) != n)
        status = gi_fail(GRAM_ERR_PARSE,
                         "%s: not a valid model: a text with a zero byte",
                         gi_input_name(c->in));
done:
    return status;
}

gram_status gi_codec_optional_text(gi_codec *c, char **s)
{
    gram_status status = GRAM_OK;
    unsigned char there = *s != NULL;

    GI_TRY(gi_codec_bytes(c, &there, 1));
    if (there && (gi_codec_reads(c) || *s))
        GI_TRY(gi_codec_text(c, s));
done:
    return status;
}

gram_status gi_codec_texts(gi_codec *c, char ***texts, size_t *count)
{
    gram_status status = GRAM_OK;
    size_t wanted = *count;

    GI_TRY(gi_codec_size(c, &wanted));
    GI_TRY(gi_codec_expect(c, wanted, sizeof(uint64_t)));
    if (gi_codec_reads(c)) {
        GI_TRY(GI_NEW_ZERO(c->run, *texts, wanted));
        *count = wanted;
    }
    for (size_t i = 0; i < wanted; i++)
        GI_TRY(gi_codec_text(c, &(*texts)[i]));
done:
    return status;
}

gram_status gi_codec_word(gi_codec *c, const char *const *words,
                          const char **word)
{
    char *text = gi_codec_reads(c) ? NULL : (char *)*word;
    gram_status status = GRAM_OK;

    GI_TRY(gi_codec_text(c, &text));
    if (!gi_codec_reads(c))
        return status;
    while (*words && strcmp(*words, text) != 0)
        words++;
    *word = *words;
    if (!*word)
        status = gi_fail(GRAM_ERR_PARSE,
                         "%s: not a valid model: \"%s\" is not one of the "
                         "words allowed there",
                         gi_input_name(c->in), text);
done:
    if (gi_codec_reads(c))
        gi_free(text);
    return status;
}
