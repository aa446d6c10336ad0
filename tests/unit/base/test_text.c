/* test_text.c - messages, growing text, dictionaries, nearest names. */
#include "check.h"

#include "base/mem.h"
#include "base/text.h"

TEST(context_goes_in_front_and_sentences_stay_one_line)
{
    gram_status status = gi_fail(GRAM_ERR_RANGE, "gamma = %d\nmust be", -1);

    CHECK(status == GRAM_ERR_RANGE);
    CHECK_STR(gram_error_message(), "gamma = -1?must be");
    CHECK(gi_context(status, "kernel %d", 2) == GRAM_ERR_RANGE);
    CHECK_STR(gram_error_message(), "kernel 2: gamma = -1?must be");
    CHECK(gi_context(GRAM_OK, "nothing") == GRAM_OK);
    CHECK_STR(gram_error_message(), "kernel 2: gamma = -1?must be");
}

TEST(a_long_sentence_is_cut_at_a_character)
{
    char text[3000];

    for (size_t i = 0; i + 1 < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa4", 2); /* a umlaut */
    text[sizeof text - 2] = '\0';
    gi_fail(GRAM_ERR_PARSE, "x%s", text); /* 1023 bytes end inside a letter */
    CHECK(strlen(gram_error_message()) <= 1023);
    CHECK(
        (unsigned char)gram_error_message()[strlen(gram_error_message()) - 1] ==
        0xa4);
}

TEST(text_grows_and_stays_terminated)
{
    gi_buf b = {0};

    for (int i = 0; i < 1000; i++)
        CHECK_OK(gi_buf_printf(NULL, &b, "%d,", i % 10));
    CHECK(b.n == 2000 && strlen(b.s) == 2000);
    CHECK(memcmp(b.s + 1990, "5,6,7,8,9,", 10) == 0);
    gi_buf_free(&b);
    CHECK(b.s == NULL && b.n == 0);
}

TEST(amounts_of_memory_are_in_powers_of_1024)
{
    static const struct {
        double bytes;
        const char *text;
    } cases[] = {{0, "0 bytes"},
                 {1023, "1023 bytes"},
                 {1024, "1.0 KiB"},
                 {102400, "100 KiB"},
                 {0x1p20, "1.0 MiB"},
                 {1.5 * 0x1p30, "1.5 GiB"},
                 {512 * 0x1p20, "512 MiB"},
                 {0x1p50, "1024 TiB"}};
    char out[GRAM_NUMBER_ROOM];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_STR(gram_bytes_print(cases[i].bytes, out), cases[i].text);
}

TEST(a_dictionary_numbers_strings_in_order_of_arrival)
{
    gi_dict d = {0};
    char s[16];
    int code = -1;

    CHECK(gi_dict_find(&d, "x", 1) == -1);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 5000; i++) {
            int n = snprintf(s, sizeof s, "%d", i * 7919);

            CHECK_OK(gi_dict_add(NULL, &d, s, (size_t)n, &code));
            CHECK(code == i);
        }
    CHECK(d.count == 5000);
    CHECK_STR(gi_dict_at(&d, 3), "23757");
    CHECK(gi_dict_find(&d, "23757", 5) == 3);
    CHECK(gi_dict_find(&d, "2375", 4) == -1);
    CHECK_OK(gi_dict_add(NULL, &d, "", 0, &code));
    CHECK(code == 5000 && gi_dict_find(&d, "", 0) == 5000);
    gi_dict_pop(&d);
    CHECK(gi_dict_find(&d, "", 0) == -1 && d.count == 5000);
    gi_dict_seal(&d);
    CHECK_STR(gi_dict_at(&d, 4999), "39587081");
    gi_dict_free(&d);
}

TEST(the_nearest_name_is_suggested_and_far_ones_are_not)
{
    static const char *const names[] = {"gamma", "degree", "offset", "Length"};

    CHECK_STR(gram_suggest("gama", names, 4), "gamma");
    CHECK_STR(gram_suggest("gamam", names, 4), "gamma");
    CHECK_STR(gram_suggest("length", names, 4), "Length");
    CHECK_STR(gram_suggest("degre", names, 4), "degree");
    CHECK(gram_suggest("kernel", names, 4) == NULL);
    CHECK(gram_suggest("", names, 4) == NULL);
    CHECK(gram_suggest("x", names, 4) == NULL);
}

TEST(names_sort_as_numbers_first_then_as_text)
{
    static const char *const sorted[] = {"-3", "2", "10", "1e2", "B", "a", "b"};

    for (size_t i = 0; i < 7; i++)
        for (size_t j = 0; j < 7; j++) {
            int c = gi_name_compare(sorted[i], sorted[j]);

            CHECK((i < j) == (c < 0) && (i == j) == (c == 0));
        }
}

TESTS(SMALL(context_goes_in_front_and_sentences_stay_one_line),
      SMALL(a_long_sentence_is_cut_at_a_character),
      SMALL(text_grows_and_stays_terminated),
      SMALL(amounts_of_memory_are_in_powers_of_1024),
      SMALL(a_dictionary_numbers_strings_in_order_of_arrival),
      SMALL(the_nearest_name_is_suggested_and_far_ones_are_not),
      SMALL(names_sort_as_numbers_first_then_as_text))
