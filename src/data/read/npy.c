/* npy.c - headers of .npy arrays, and their elements as doubles.
 *
 * The dict literal is parsed as Python would: keys in any order, blanks, a
 * trailing comma, either quote; also the suffix L that Python 2 wrote behind
 * integers.  A header may be wrong, so shape and dtype are compared with the
 * bytes that are really there before anything is allocated for them.
 */
#include "data/read/npy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HOST_ORDER '<'
#else
#define HOST_ORDER '>'
#endif

enum { HEADER_MOST = 65535, KEYS = 3 };

static const char MAGIC[] = "\x93NUMPY";

/* A position in the literal. */
typedef struct cursor {
    const char *name, *begin, *p, *end;
} cursor;

static gram_status fail_at(const cursor *c, const char *what)
{
    return gi_fail(GRAM_ERR_PARSE, "%s: npy header, character %zu: %s", c->name,
                   (size_t)(c->p - c->begin) + 1, what);
}

static char peek(cursor *c)
{
    while (c->p < c->end && (*c->p == ' ' || (*c->p >= '\t' && *c->p <= '\r')))
        c->p++;
    return c->p < c->end ? *c->p : '\0';
}

static int accept(cursor *c, char want)
{
    if (want != peek(c) || c->p == c->end)
        return 0;
    c->p++;
    return 1;
}

static gram_status parse_string(cursor *c, const char **s, size_t *n)
{
    char quote = peek(c);

    if (quote != '\'' && quote != '"')
        return fail_at(c, "a string must be here");
    *s = ++c->p;
    while (c->p < c->end && *c->p != quote)
        c->p++;
    if (c->p == c->end)
        return fail_at(c, "a string that does not end");
    *n = (size_t)(c->p++ - *s);
    return GRAM_OK;
}

static gram_status parse_size(cursor *c, size_t *out)
{
    size_t x = 0;
    char digit = peek(c);

    if (digit < '0' || digit > '9')
        return fail_at(c, "a size must be here");
    for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++)
        if (__builtin_mul_overflow(x, 10, &x) ||
            __builtin_add_overflow(x, (size_t)(*c->p - '0'), &x))
            return fail_at(c, "a size that is too large");
    if (c->p < c->end && *c->p == 'L')
        c->p++;
    *out = x;
    return GRAM_OK;
}

/* Skip a list or tuple: a record or subarray, which cannot be read. */
static gram_status skip_nested(cursor *c)
{
    gram_status status = GRAM_OK;
    size_t depth = 0, n;
    const char *s;

    do {
        char next = peek(c);

        if (next == '\'' || next == '"') {
            GI_TRY(parse_string(c, &s, &n));
            continue;
        }
        if (c->p == c->end)
            return fail_at(c, "a bracket that does not close");
        depth += next == '[' || next == '(';
        depth -= next == ']' || next == ')';
        c->p++;
    } while (depth > 0);
done:
    return status;
}

/* "<f8": byte order, kind, size.  A string of other form keeps kind 0. */
static void read_dtype(gi_npy *a, const char *s, size_t n)
{
    const char *p = s, *end = s + n;
    char order = HOST_ORDER;
    size_t size = 0;

    snprintf(a->dtype, sizeof a->dtype, "%.*s", n < 31 ? (int)n : 31, s);
    if (p < end && memchr("<>|=", *p, 4))
        order = *p++;
    if (end - p < 2 || end - p > 8)
        return;
    a->swapped = order != HOST_ORDER && (order == '<' || order == '>');
    for (const char *q = p + 1; q < end; q++) {
        if (*q < '0' || *q > '9')
            return;
        size = 10 * size + (size_t)(*q - '0');
    }
    a->kind = *p;
    a->size = *p == 'U' ? 4 * size : size;
}

static gram_status parse_descr(cursor *c, gi_npy *a)
{
    gram_status status = GRAM_OK;
    char first = peek(c);
    const char *s;
    size_t n;

    if (first == '[' || first == '(') {
        snprintf(a->dtype, sizeof a->dtype, "structured");
        GI_TRY(skip_nested(c));
    } else {
        GI_TRY(parse_string(c, &s, &n));
        read_dtype(a, s, n);
    }
done:
    return status;
}

static gram_status parse_order(cursor *c, gi_npy *a)
{
    static const char *const words[] = {"False", "True"};

    peek(c);
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(words[i]);

        if ((size_t)(c->end - c->p) >= n && memcmp(c->p, words[i], n) == 0) {
            a->fortran = i;
            c->p += n;
            return GRAM_OK;
        }
    }
    return fail_at(c, "True or False must be here");
}

static gram_status parse_shape(cursor *c, gi_npy *a)
{
    gram_status status = GRAM_OK;
    int comma = 1;
    size_t n = 0;

    if (!accept(c, '('))
        return fail_at(c, "a tuple must be here");
    while (comma && peek(c) != ')') {
        GI_TRY(parse_size(c, &n));
        if (a->rank < 2)
            a->shape[a->rank] = n;
        a->rank++;
        comma = accept(c, ',');
    }
    if ((a->rank == 1 && !comma) || !accept(c, ')'))
        return fail_at(c, "\",\" or \")\" must be here");
done:
    return status;
}

static const struct {
    const char *key;
    gram_status (*parse)(cursor *c, gi_npy *a);
} keys[KEYS] = {
    {"descr", parse_descr},
    {"fortran_order", parse_order},
    {"shape", parse_shape},
};

static int key_number(const char *s, size_t n)
{
    for (int i = 0; i < KEYS; i++)
        if (strlen(keys[i].key) == n && memcmp(keys[i].key, s, n) == 0)
            return i;
    return -1;
}

static gram_status parse_dict(cursor *c, gi_npy *a)
{
    gram_status status = GRAM_OK;
    unsigned seen = 0;
    int comma = 1;

    if (!accept(c, '{'))
        return fail_at(c, "\"{\" must be here");
    while (comma && peek(c) != '}') {
        const char *s;
        size_t n;
        int key;

        GI_TRY(parse_string(c, &s, &n));
        key = key_number(s, n);
        if (key < 0 || seen & 1u << key)
            return fail_at(c, key < 0 ? "an unknown key" : "a second such key");
        if (!accept(c, ':'))
            return fail_at(c, "\":\" must be here");
        GI_TRY(keys[key].parse(c, a));
        seen |= 1u << key;
        comma = accept(c, ',');
    }
    if (!accept(c, '}'))
        return fail_at(c, "\",\" or \"}\" must be here");
    peek(c);
    if (c->p != c->end)
        return fail_at(c, "the header must end here");
    if (seen != (1u << KEYS) - 1)
        return fail_at(c, "descr, fortran_order and shape must all be there");
done:
    return status;
}

/* Where the literal begins and how long it is.  Reads go forward only: bytes
 * inside a zip file are expensive to go back to. */
static gram_status read_preamble(const gi_bytes *b, size_t *begin, size_t *n)
{
    gram_status status = GRAM_OK;
    unsigned char head[12] = {0};

    if (b->size < 10)
        return gi_fail(GRAM_ERR_PARSE, "%s: not an npy file", b->name);
    GI_TRY(b->at(b->context, 0, head, 10));
    if (memcmp(head, MAGIC, 6) != 0)
        return gi_fail(GRAM_ERR_PARSE, "%s: not an npy file", b->name);
    if (head[6] < 1 || head[6] > 3)
        return gi_fail(GRAM_ERR_PARSE,
                       "%s: npy version %d.%d, must be 1, 2 or 3", b->name,
                       head[6], head[7]);
    *begin = head[6] == 1 ? 10 : 12;
    if (head[6] > 1 && b->size >= 12)
        GI_TRY(b->at(b->context, 10, head + 10, 2));
    *n = head[8] | (size_t)head[9] << 8 | (size_t)head[10] << 16 |
         (size_t)head[11] << 24;
    if (*n > HEADER_MOST || b->size < *begin || *n > b->size - *begin)
        return gi_fail(GRAM_ERR_PARSE,
                       "%s: npy header of %zu bytes, must be within the file "
                       "and at most %d",
                       b->name, *n, HEADER_MOST);
done:
    return status;
}

gram_status gi_npy_open(gi_run *run, const gi_bytes *bytes, gi_npy *out)
{
    gram_status status = GRAM_OK;
    gi_npy a = {.shape = {1, 1}};
    size_t begin = 0, n = 0;
    char *text = NULL;
    cursor c;

    GI_TRY(read_preamble(bytes, &begin, &n));
    GI_TRY(GI_NEW(run, text, n));
    GI_TRY(bytes->at(bytes->context, begin, text, n));
    c = (cursor){bytes->name, text, text, text + n};
    GI_TRY(parse_dict(&c, &a));
    a.data = begin + n;
    *out = a;
done:
    gi_free(text);
    return status;
}

static double half(uint16_t h)
{
    uint32_t bits = (uint32_t)(h & 0x7fff) << 13;
    float f;

    if ((h & 0x7c00) == 0x7c00)
        bits |= 0x7f800000; /* infinity, NaN */
    memcpy(&f, &bits, sizeof f);
    if ((h & 0x7c00) != 0x7c00)
        f *= 0x1p112f; /* 2^(127-15): the exponents' biases; exact */
    return h & 0x8000 ? -(double)f : (double)f;
}

static double same(double x)
{
    return x;
}

/* from[0], from[stride], ... of `type` to doubles. */
#define DECODER(name, type, convert)                                           \
    static void name(const void *from, size_t stride, size_t n, double *to)    \
    {                                                                          \
        const unsigned char *p = from;                                         \
        type x;                                                                \
                                                                               \
        for (size_t i = 0; i < n; i++) {                                       \
            memcpy(&x, p + i * stride * sizeof x, sizeof x);                   \
            to[i] = convert;                                                   \
        }                                                                      \
    }

DECODER(decode_f2, uint16_t, half(x))
DECODER(decode_f4, float, x)
DECODER(decode_f8, double, same(x))
DECODER(decode_i1, int8_t, x)
DECODER(decode_i2, int16_t, x)
DECODER(decode_i4, int32_t, x)
DECODER(decode_i8, int64_t, (double)x)
DECODER(decode_u1, uint8_t, x)
DECODER(decode_u2, uint16_t, x)
DECODER(decode_u4, uint32_t, x)
DECODER(decode_u8, uint64_t, (double)x)
DECODER(decode_b1, uint8_t, x != 0)

static const struct dtype {
    char kind;
    size_t size;
    void (*decode)(const void *from, size_t stride, size_t n, double *to);
} dtypes[] = {
    {'f', 8, decode_f8}, {'f', 4, decode_f4}, {'f', 2, decode_f2},
    {'i', 8, decode_i8}, {'i', 4, decode_i4}, {'i', 2, decode_i2},
    {'i', 1, decode_i1}, {'u', 8, decode_u8}, {'u', 4, decode_u4},
    {'u', 2, decode_u2}, {'u', 1, decode_u1}, {'b', 1, decode_b1},
};

static const struct dtype *find_dtype(const gi_npy *a)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (dtypes[i].kind == a->kind && dtypes[i].size == a->size)
            return &dtypes[i];
    return NULL;
}

gram_status gi_npy_check(const gi_bytes *bytes, const gi_npy *a)
{
    uint64_t need = 0, have = bytes->size - a->data;

    if (!find_dtype(a))
        return gi_fail(GRAM_ERR_PARSE,
                       "%s: dtype \"%s\", must be a float of 2, 4 or 8 bytes, "
                       "an integer or a bool",
                       bytes->name, a->dtype);
    if (a->rank != 1 && a->rank != 2)
        return gi_fail(GRAM_ERR_PARSE,
                       "%s: %zu dimensions, must be 1 (a column) or 2 (rows "
                       "and columns)",
                       bytes->name, a->rank);
    if (__builtin_mul_overflow(a->shape[0], a->shape[1], &need) ||
        __builtin_mul_overflow(need, a->size, &need) || need != have)
        return gi_fail(GRAM_ERR_PARSE,
                       "%s: shape %zu x %zu of dtype \"%s\" does not fit the "
                       "%llu bytes behind the header",
                       bytes->name, a->shape[0], a->shape[1], a->dtype,
                       (unsigned long long)have);
    return GRAM_OK;
}

static void swap_bytes(unsigned char *p, size_t size, size_t n)
{
    for (size_t i = 0; i < n; i++, p += size)
        for (size_t low = 0, high = size - 1; low < high; low++, high--) {
            unsigned char keep = p[low];

            p[low] = p[high];
            p[high] = keep;
        }
}

gram_status gi_npy_read(const gi_bytes *bytes, const gi_npy *a, uint64_t first,
                        size_t n, void *buffer)
{
    gram_status status = bytes->at(bytes->context, a->data + first * a->size,
                                   buffer, n * a->size);

    if (status == GRAM_OK && a->swapped)
        swap_bytes(buffer, a->kind == 'U' ? 4 : a->size,
                   a->kind == 'U' ? n * a->size / 4 : n);
    return status;
}

size_t gi_npy_decode(const gi_npy *a, const void *from, size_t stride, size_t n,
                     double *to)
{
    int infinite = 0;
    size_t i = 0;

    find_dtype(a)->decode(from, stride, n, to);
    if (a->kind != 'f')
        return n;
    for (size_t k = 0; k < n; k++)
        infinite |= fabs(to[k]) > 0x1.fffffffffffffp1023;
    if (!infinite)
        return n;
    while (!isinf(to[i]))
        i++;
    return i;
}

void gi_npy_header(size_t rows, size_t cols, size_t size,
                   char out[GI_NPY_HEADER])
{
    int n = snprintf(out, GI_NPY_HEADER,
                     "%s%c%c%c%c{'descr': '%cf%zu', 'fortran_order': False, "
                     "'shape': (%zu, %zu), }",
                     MAGIC, 1, 0, GI_NPY_HEADER - 10, 0, HOST_ORDER, size, rows,
                     cols);

    memset(out + n, ' ', (size_t)(GI_NPY_HEADER - n));
    out[GI_NPY_HEADER - 1] = '\n';
}
