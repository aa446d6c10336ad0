/* test_libsvm_model.c - LIBSVM's model files: what is read is what stands
 * there, what is printed reads back to the same bits, and files that lie are
 * refused with the line where they do.
 */
#include <math.h>

#include "base/mem.h"
#include "check.h"
#include "machines/files/libsvm_model.h"
#include "runs.h"

static gi_run run;

static gram_status read_text(const char *text, gi_libsvm *m)
{
    gi_input *in = NULL;
    gram_status status;

    run_again(&run, NULL);
    memset(m, 0, sizeof *m);
    CHECK_OK(gi_input_memory(&run, "m", text, strlen(text), &in));
    status = gi_libsvm_read(&run, in, m);
    gi_input_free(in);
    return status;
}

/* As svm-train 3.24 wrote it for nine rows of three classes. */
static const char three[] = "svm_type c_svc\n"
                            "kernel_type polynomial\n"
                            "degree 2\n"
                            "gamma 0.20000000000000001\n"
                            "coef0 -1.5\n"
                            "nr_class 3\n"
                            "total_sv 4\n"
                            "rho 0.052 -0.11 1e-17\n"
                            "label 3 1 -2\n"
                            "probA -1 -2 -3.5\n"
                            "probB 0 0.25 -0\n"
                            "nr_sv 1 2 1\n"
                            "SV\n"
                            "1 0.5 1:0.5 2:1 \n"
                            "-1 0.25 1:-1 3:2 \n"
                            "0 0.75 \n"
                            "-0.5 -1 2:-1 3:0 2147483647:1e-300 \n";

TEST(a_model_is_what_its_lines_say)
{
    gi_libsvm m;
    const double rho[] = {0.052, -0.11, 1e-17};
    const double coef[] = {1, 0.5, -1, 0.25, 0, 0.75, -0.5, -1};
    const unsigned index[] = {0, 1, 0, 2, 1, 2147483646};

    CHECK_OK(read_text(three, &m));
    CHECK(m.type == GI_LIBSVM_C_SVC && m.kernel == GI_LIBSVM_POLY);
    CHECK(m.degree == 2 && m.gamma == 0.2 && m.coef0 == -1.5);
    CHECK(m.classes == 3 && m.n == 4 && !m.marks && !m.serial);
    CHECK(memcmp(m.rho, rho, sizeof rho) == 0);
    CHECK(m.label[0] == 3 && m.label[1] == 1 && m.label[2] == -2);
    CHECK(m.count[0] == 1 && m.count[1] == 2 && m.count[2] == 1);
    CHECK(m.prob_a[2] == -3.5 && m.prob_b[2] == 0 && signbit(m.prob_b[2]));
    CHECK(memcmp(m.coef, coef, sizeof coef) == 0);
    /* a zero is not stored, an empty row is a row */
    CHECK(m.x.start[2] == 4 && m.x.start[3] == 4 && m.x.start[4] == 6);
    CHECK(memcmp(m.x.index, index, sizeof index) == 0);
    CHECK(m.x.entries[5] == 1e-300 && m.x.width == 2147483647);
    gi_libsvm_free(&m);
}

static void check_round_trip(const char *text)
{
    gi_libsvm m, again;
    gi_buf once = {0}, twice = {0};

    CHECK_OK(read_text(text, &m));
    CHECK_OK(gi_libsvm_print(&run, &m, &once));
    CHECK_OK(read_text(once.s, &again));
    CHECK_OK(gi_libsvm_print(&run, &again, &twice));
    CHECK_STR(once.s, twice.s);
    CHECK(m.n == again.n && m.x.start[m.n] == again.x.start[m.n]);
    CHECK(memcmp(m.coef, again.coef, m.n * (m.classes - 1) * sizeof *m.coef) ==
          0);
    CHECK(memcmp(m.x.entries, again.x.entries,
                 m.x.start[m.n] * sizeof *m.x.entries) == 0);
    gi_libsvm_free(&m);
    gi_libsvm_free(&again);
    gi_buf_free(&once);
    gi_buf_free(&twice);
}

TEST(what_is_printed_reads_back_to_the_same_bits)
{
    static const char one_class[] =
        "svm_type one_class\nkernel_type sigmoid\ngamma 0.5\ncoef0 0\n"
        "nr_class 2\ntotal_sv 2\nrho 3.0000000000000004\n"
        "prob_density_marks 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1\n"
        "SV\n0.1 1:0.33333333333333331 \n1e-310 2:-1e300 \n";

    check_round_trip(three);
    check_round_trip(one_class);
}

TEST(text_as_libsvm_lays_it_out_is_printed_unchanged)
{
    static const char *const texts[] = {
        "svm_type epsilon_svr\nkernel_type linear\nnr_class 2\ntotal_sv 1\n"
        "rho -0.5\nprobA 0.125\nSV\n1 2:3.5 7:-1 \n",
        "svm_type c_svc\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\n"
        "rho 0.25\nlabel 1 -1\nnr_sv 1 1\nSV\n1 0:2 \n-1 0:7 \n",
        "svm_type nu_svr\nkernel_type rbf\ngamma 0.25\nnr_class 2\n"
        "total_sv 0\nrho 0\nSV\n",
        "svm_type nu_svc\nkernel_type rbf\ngamma 0.25\nnr_class 1\n"
        "total_sv 0\nrho\nlabel 7\nnr_sv 0\nSV\n",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gi_libsvm m;
        gi_buf out = {0};

        CHECK_OK(read_text(texts[i], &m));
        CHECK_OK(gi_libsvm_print(&run, &m, &out));
        CHECK_STR(out.s, texts[i]);
        gi_libsvm_free(&m);
        gi_buf_free(&out);
    }
}

TEST(carriage_returns_blank_lines_and_any_order_are_read)
{
    gi_libsvm m;

    CHECK_OK(read_text("svm_type nu_svr\r\nrho 1\r\n\r\ntotal_sv 1\r\n"
                       "nr_class 2\r\nkernel_type linear\r\nSV\r\n"
                       "0.5 1:2\r\n\r\n",
                       &m));
    CHECK(m.type == GI_LIBSVM_NU_SVR && m.n == 1 && m.coef[0] == 0.5);
    gi_libsvm_free(&m);
}

/* `three` with the line that starts with `key` replaced. */
static char *altered(const char *key, const char *line)
{
    static char text[2048];
    const char *at = strstr(three, key);

    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - three), three, line,
             strchr(at, '\n') + 1);
    return text;
}

static const struct lie {
    const char *key, *line, *sentence;
} lies[] = {
    {"svm_type", "svm_type c_svm\n", "m:1: svm_type: there is no \"c_svm\""},
    {"kernel_type", "kernel_type\n", "m:2: kernel_type: there is no \"\""},
    {"kernel_type", "", "m: no line \"kernel_type\""},
    {"degree", "", "m: no line \"degree\""},
    {"degree", "degree 2.5\n",
     "m:3: degree 2.5, must be a whole number from 0 to 2147483647"},
    {"gamma", "gamma nan\n", "m:4: gamma: \"nan\" is not a finite number"},
    {"gamma", "gamma 1e999\n", "m:4: gamma: \"1e999\" is not a finite number"},
    {"gamma", "gama 1\n",
     "m:4: \"gama\" is no line of a LIBSVM model's header"},
    {"gamma", "gamma 1 2\n", "m:4: gamma has 2 values, must have 1"},
    {"gamma", "degree 1\n", "m:4: degree stands in line 3 already"},
    {"nr_class", "nr_class 0\n",
     "m:6: nr_class 0, must be a whole number from 1 to 2147483647"},
    {"nr_class", "nr_class 2000000000\n",
     "m:8: rho has 3 values, must have 1999999999000000000"},
    {"total_sv", "total_sv 5\n", "m:12: nr_sv adds up to 4, total_sv is 5"},
    {"rho", "rho 1 2\n", "m:8: rho has 2 values, must have 3"},
    {"rho", "rho 1 inf 2\n", "m:8: rho: \"inf\" is not a finite number"},
    {"label", "", "m: no line \"label\""},
    {"label", "label 1 2 1\n", "m:9: label 1 stands there twice"},
    {"label", "label 1 2 9999999999\n",
     "m:9: label 9999999999, must be a whole number from -2147483648 to "
     "2147483647"},
    {"probB", "", "m:10: probA and probB must stand there both or neither"},
    {"nr_sv", "nr_sv 1 3\n", "m:12: nr_sv has 2 values, must have 3"},
    {"nr_sv", "nr_sv 1 3 -1\n",
     "m:12: nr_sv -1, must be a whole number from 0 to 2147483647"},
    {"1 0.5", "1 1:0.5 2:1\n",
     "m:14: \"1:0.5\" is not coefficient 2 of 2, a finite number"},
    {"1 0.5", "1 nan 2:1\n",
     "m:14: \"nan\" is not coefficient 2 of 2, a finite number"},
    {"1 0.5", "\n", "m:14: \"\" is not coefficient 1 of 2, a finite number"},
    {"1 0.5", "1 0.5 0:1\n",
     "m:14: feature index 0, must be from 1 to 2147483647"},
    {"1 0.5", "1 0.5 2147483648:1\n",
     "m:14: feature index 2147483648, must be from 1 to 2147483647"},
    {"1 0.5", "1 0.5 2:1 2:1\n",
     "m:14: feature index 2 after 2, must increase"},
    {"1 0.5", "1 0.5 1:inf\n",
     "m:14: feature 1: \"inf\" is not a finite number"},
    {"1 0.5", "1 0.5 0.25\n", "m:14: \"0.25\" is not index:value"},
    {"0 0.75", "", "m:7: total_sv 4, but 3 support vectors follow"},
    {"0 0.75", "0 1\n0 1\n", "m:18: another support vector, total_sv is 4"},
};

TEST(models_that_lie_are_refused_with_their_line)
{
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        gi_libsvm m;

        CHECK_FAILS(read_text(altered(lies[i].key, lies[i].line), &m),
                    GRAM_ERR_PARSE, lies[i].sentence);
        gi_libsvm_free(&m);
    }
}

TEST(a_file_cut_anywhere_is_refused_or_whole)
{
    const char *last = strstr(three, "-1 2:-1");
    char text[sizeof three];

    for (size_t n = 0; n + 2 < sizeof three; n++) {
        gi_libsvm m;

        memcpy(text, three, n);
        text[n] = '\0';
        /* cut within the last row's features, it is another row */
        if (read_text(text, &m) == GRAM_OK)
            CHECK(n >= (size_t)(last - three) && m.n == 4);
        gi_libsvm_free(&m);
    }
}

TEST(precomputed_rows_have_a_serial_number_and_nothing_else)
{
    static const char *const rows[][2] = {
        {"1 0:0\n", "m:7: 0:0, must be 0:serial_number, from 1 to 2147483647"},
        {"1 1:2\n", "m:7: 1:2, must be 0:serial_number, from 1 to 2147483647"},
        {"1 0:1.5\n",
         "m:7: 0:1.5, must be 0:serial_number, from 1 to 2147483647"},
        {"1\n", "m:7: no 0:serial_number"},
        {"1 0:1 1:2\n", "m:7: more than 0:serial_number"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        gi_libsvm m;

        snprintf(text, sizeof text,
                 "svm_type one_class\nkernel_type precomputed\nnr_class 2\n"
                 "total_sv 1\nrho 1\nSV\n%s",
                 rows[i][0]);
        CHECK_FAILS(read_text(text, &m), GRAM_ERR_PARSE, rows[i][1]);
        gi_libsvm_free(&m);
    }
}

TEST(its_first_word_tells_a_model)
{
    CHECK(gi_libsvm_probe(three, strlen(three)));
    CHECK(!gi_libsvm_probe("svm_types", 9) && !gi_libsvm_probe("svm_type", 8));
    CHECK(!gi_libsvm_probe("GRAM", 4) && !gi_libsvm_probe("", 0));
}

TESTS(SMALL(a_model_is_what_its_lines_say),
      SMALL(what_is_printed_reads_back_to_the_same_bits),
      SMALL(text_as_libsvm_lays_it_out_is_printed_unchanged),
      SMALL(carriage_returns_blank_lines_and_any_order_are_read),
      SMALL(models_that_lie_are_refused_with_their_line),
      SMALL(a_file_cut_anywhere_is_refused_or_whole),
      SMALL(precomputed_rows_have_a_serial_number_and_nothing_else),
      SMALL(its_first_word_tells_a_model))
