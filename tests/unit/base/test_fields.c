/* test_fields.c - the tables of fields are complete, and options are taken up
 * to the ends of their ranges and not beyond.
 */
#include "check.h"

#include <math.h>

#include "base/fields.h"

enum { TABLES = 10, OPTIONS = 4 };

/* Those of options first. */
static const struct {
    const gram_field *(*fields)(void);
    size_t size;
} tables[TABLES] = {
    {gram_read_option_fields, sizeof(gram_read_options)},
    {gram_fit_option_fields, sizeof(gram_fit_options)},
    {gram_predict_option_fields, sizeof(gram_predict_options)},
    {gram_test_option_fields, sizeof(gram_test_options)},
    {gram_plan_fields, sizeof(gram_plan)},
    {gram_report_fields, sizeof(gram_report)},
    {gram_score_fields, sizeof(gram_score)},
    {gram_path_row_fields, sizeof(gram_path_row)},
    {gram_test_report_fields, sizeof(gram_test_report)},
    {gram_drift_report_fields, sizeof(gram_drift_report)},
};

static size_t count_words(const gram_field *f)
{
    size_t n = 0;

    while (f->words && f->words[n])
        n++;
    return n;
}

TEST(a_field_is_called_by_one_name_and_stands_within_its_struct)
{
    for (size_t t = 0; t < TABLES; t++)
        for (const gram_field *f = tables[t].fields(); f->name; f++) {
            CHECK(f->offset < tables[t].size && f->count < tables[t].size);
            for (const gram_field *g = tables[t].fields(); g < f; g++)
                CHECK(strcmp(f->name, g->name) != 0 && f->offset != g->offset);
        }
}

TEST(a_field_has_what_its_type_needs)
{
    for (size_t t = 0; t < TABLES; t++)
        for (const gram_field *f = tables[t].fields(); f->name; f++) {
            int list =
                f->type == GRAM_FIELD_REALS || f->type == GRAM_FIELD_TEXTS;

            CHECK(list == (f->count > 0));
            if (f->type == GRAM_FIELD_CHOICE)
                CHECK(count_words(f) > 1);
            else if (t < OPTIONS)
                CHECK(count_words(f) == (f->type != GRAM_FIELD_FLAG));
            if (f->kept)
                CHECK(f->type == GRAM_FIELD_REAL ||
                      f->type == GRAM_FIELD_WHOLE ||
                      f->type == GRAM_FIELD_FLAG ||
                      (f->type == GRAM_FIELD_CHOICE && f->least == 0) ||
                      (f->type == GRAM_FIELD_TEXT && count_words(f) > 1));
        }
}

/* The one option in an otherwise empty struct; NULL: it is in order. */
static void check_option(size_t t, const gram_field *f, const void *x,
                         size_t size, const char *sentence)
{
    char *of = calloc(1, tables[t].size);
    gram_status status;

    memcpy(of + f->offset, x, size);
    status = gi_fields_check(tables[t].fields(), of);
    if (sentence)
        CHECK_FAILS(status, GRAM_ERR_RANGE, sentence);
    else
        CHECK_OK(status);
    free(of);
}

static void check_choice(size_t t, const gram_field *f)
{
    const int most = (int)(f->least + count_words(f)) - 1;
    char sentence[128];

    for (int x = -1; x <= most + 1; x++) {
        snprintf(sentence, sizeof sentence, "%s = %d, must be 0 to %d", f->name,
                 x, most);
        check_option(t, f, &x, sizeof x, x < 0 || x > most ? sentence : NULL);
    }
}

static void check_whole(size_t t, const gram_field *f)
{
    const size_t good[] = {0, f->least, f->most ? f->most : SIZE_MAX};
    const size_t below = f->least - 1, above = f->most + 1;
    char sentence[128];

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        check_option(t, f, &good[i], sizeof *good, NULL);
    snprintf(sentence, sizeof sentence, "%s = %zu, must be at least %zu",
             f->name, below, f->least);
    if (below > 0)
        check_option(t, f, &below, sizeof below, sentence);
    snprintf(sentence, sizeof sentence, "%s = %zu, must be at most %zu",
             f->name, above, f->most);
    if (f->most > 0)
        check_option(t, f, &above, sizeof above, sentence);
}

static void check_real(size_t t, const gram_field *f)
{
    const double most = f->most ? (double)f->most : INFINITY;
    const double good[] = {0, nextafter(0, 1), nextafter(most, 0)};
    const double bad[] = {-nextafter(0, 1), most, NAN};
    char sentence[128];

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        check_option(t, f, &good[i], sizeof *good, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(sentence, sizeof sentence, "%s = %g, must be %s", f->name,
                 bad[i], f->most ? "between 0 and 1" : "0 or more");
        check_option(t, f, &bad[i], sizeof *bad, sentence);
    }
}

TEST(options_end_where_their_fields_say)
{
    for (size_t t = 0; t < OPTIONS; t++)
        for (const gram_field *f = tables[t].fields(); f->name; f++)
            if (f->type == GRAM_FIELD_CHOICE)
                check_choice(t, f);
            else if (f->type == GRAM_FIELD_WHOLE)
                check_whole(t, f);
            else if (f->type == GRAM_FIELD_REAL)
                check_real(t, f);
}

TESTS(SMALL(a_field_is_called_by_one_name_and_stands_within_its_struct),
      SMALL(a_field_has_what_its_type_needs),
      SMALL(options_end_where_their_fields_say))
