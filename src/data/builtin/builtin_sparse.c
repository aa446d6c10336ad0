/* builtin_sparse.c - 400 short documents as counts of 2000 words.
 *
 * Word j is drawn with a probability that falls like 1/sqrt(j), or, one time
 * in eight, evenly from the 40 topic words of the document's class, which lie
 * TOPIC_STEP apart over the whole vocabulary.
 */
#include "data/builtin/builtin.h"

#include "base/rng.h"

enum {
    SEED = 7,
    ROWS = 400,
    WORDS = 2000,
    TOPIC_WORDS = 40,
    TOPIC_STEP = WORDS / TOPIC_WORDS,
    LEAST = 25, /* words of the shortest document */
    SPREAD = 16 /* and how much longer others are */
};

static size_t draw_word(gi_rng *rng, int positive)
{
    double u;

    if (gi_rng_below(rng, 8) == 0)
        return gi_rng_below(rng, TOPIC_WORDS) * TOPIC_STEP +
               (positive ? 9 : 29);
    u = gi_rng_uniform(rng);
    return (size_t)(WORDS * u * u);
}

static gram_status text(gi_run *run, gi_buf *out)
{
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(SEED, 0);

    for (int i = 0; i < ROWS; i++) {
        unsigned count[WORDS] = {0};
        int positive = i % 2;
        size_t length = LEAST + gi_rng_below(&rng, SPREAD);

        for (size_t w = 0; w < length; w++)
            count[draw_word(&rng, positive)]++;
        GI_TRY(gi_buf_printf(run, out, positive ? "+1" : "-1"));
        for (size_t j = 0; j < WORDS; j++)
            if (count[j])
                GI_TRY(gi_buf_printf(run, out, " %zu:%u", j + 1, count[j]));
        GI_TRY(gi_buf_printf(run, out, "\n"));
    }
done:
    return status;
}

const gi_builtin gi_builtin_sparse = {
    .info =
        {
            .name = "sparse",
            .brief = "word counts of 400 documents on two topics",
            .target = "label",
            .origin = "generated, seed 7",
        },
    .format = "libsvm",
    .text = text,
};
