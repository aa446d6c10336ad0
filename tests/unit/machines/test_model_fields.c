/* test_model_fields.c - fields with names: read as they were written, by those
 * who know more or fewer of them, too.
 */
#include "check.h"

#include "base/fields.h"
#include "base/run.h"
#include "machines/files/model.h"

typedef struct thing {
    double x;
    size_t n;
    int flag;
    int choice;
    const char *word;
    double seconds; /* is not kept */
} thing;

#define FIELD(kind, member) GI_FIELD(#member, kind, thing, member)

static const char *const words[] = {"loo", "cv", NULL};
static const gram_field all[] = {
    {FIELD(REAL, x), .kept = 1},
    {FIELD(WHOLE, n), .kept = 1},
    {FIELD(FLAG, flag), .kept = 1},
    {FIELD(CHOICE, choice), .words = words, .kept = 1},
    {FIELD(TEXT, word), .words = words, .kept = 1},
    {FIELD(REAL, seconds)},
    {.name = NULL},
};
static const gram_field few[] = {
    {FIELD(TEXT, word), .words = words, .kept = 1},
    {FIELD(REAL, x), .kept = 1},
    {.name = NULL},
};

static const thing sample = {0.1, 7, 1, 1, "cv", 3};
static const thing usual = {-1, 5, 0, 0, "loo", -1};

enum { ROOM = 256 };

static size_t put(const gram_field *fields, char *out)
{
    GI_RUN(run, NULL);
    gi_codec count = {.run = &run}, write = {.run = &run, .memory = out};
    thing copy = sample;

    CHECK_OK(gi_model_code_fields(&count, fields, &copy));
    CHECK_OK(gi_model_code_fields(&write, fields, &copy));
    CHECK(write.at == count.at && write.at < ROOM);
    return (size_t)write.at;
}

static gram_status get(const gram_field *fields, const char *bytes, size_t n,
                       thing *out)
{
    GI_RUN(run, NULL);
    gi_input *in = NULL;
    gi_codec c = {.run = &run, .total = n};
    gram_status status;

    CHECK_OK(gi_input_memory(&run, "m", bytes, n, &in));
    c.in = in;
    *out = usual;
    status = gi_model_code_fields(&c, fields, out);
    CHECK(status != GRAM_OK || c.at == n);
    gi_input_free(in);
    return status;
}

TEST(what_is_kept_is_read_as_it_was_written)
{
    char bytes[ROOM];
    thing t;

    CHECK_OK(get(all, bytes, put(all, bytes), &t));
    CHECK(t.x == sample.x && t.n == sample.n && t.flag == sample.flag);
    CHECK(t.choice == sample.choice && t.word == words[1]);
    CHECK(t.seconds == usual.seconds);
}

TEST(fields_that_are_not_known_are_passed_over)
{
    char bytes[ROOM];
    thing t;

    CHECK_OK(get(few, bytes, put(all, bytes), &t));
    CHECK(t.x == sample.x && t.n == usual.n && t.flag == usual.flag);
    CHECK(t.word == words[1]);
}

TEST(fields_that_are_not_there_stay_as_they_were)
{
    char bytes[ROOM];
    thing t;

    CHECK_OK(get(all, bytes, put(few, bytes), &t));
    CHECK(t.x == sample.x && t.n == usual.n && t.flag == usual.flag);
    CHECK(t.word == words[1]);
}

TEST(nothing_is_believed_that_does_not_fit)
{
    char bytes[ROOM];
    size_t n = put(all, bytes);
    thing t;

    for (size_t less = 0; less < n; less++)
        CHECK(get(all, bytes, less, &t) != GRAM_OK);
    bytes[8 + 8 + 1]++; /* how long the first value is */
    CHECK_FAILS(get(all, bytes, n, &t), GRAM_ERR_PARSE,
                "m: not a valid model: a field longer or shorter than it says");
    bytes[8 + 8 + 1]--;
    bytes[n - 1]++; /* of the last word */
    CHECK_FAILS(get(all, bytes, n, &t), GRAM_ERR_PARSE,
                "m: not a valid model: \"cw\" is not one of the words "
                "allowed there");
}

TESTS(SMALL(what_is_kept_is_read_as_it_was_written),
      SMALL(fields_that_are_not_known_are_passed_over),
      SMALL(fields_that_are_not_there_stay_as_they_were),
      SMALL(nothing_is_believed_that_does_not_fit))
