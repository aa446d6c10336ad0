/* builtin_mixed.c - 300 flats to rent: numbers, a date, categories and text.
 *
 * The rent is a product of effects: area (falling per square metre), district,
 * age (old and new are dearer than the 1960s), floor (more so on the hill),
 * heating, words of the note, a trend of 4 % a year and 4 % noise.  Some cells
 * of `built` and `heating` are empty; the rent depends on what they would hold.
 */
#include "data/builtin/builtin.h"

#include <math.h>

#include "base/rng.h"

enum { SEED = 4, ROWS = 300, HILL = 1 };

/* A word and what it does to the rent. */
struct word {
    const char *text;
    double effect;
};

static const struct word districts[] = {{"harbour", 1.15}, {"hill", 1.20},
                                        {"market", 1.30},  {"meadow", 0.90},
                                        {"mill", 0.95},    {"station", 0.80}};
static const struct word heatings[] = {
    {"gas", 1.00}, {"electric", 0.96}, {"oil", 0.97}, {"heat pump", 1.06}};
static const struct word looks[] = {{"bright", 1.03},    {"quiet", 1.04},
                                    {"sunny", 1.03},     {"plain", 0.97},
                                    {"renovated", 1.08}, {"noisy", 0.92}};
static const struct word kinds[] = {
    {"flat", 1.00}, {"loft", 1.10}, {"attic flat", 0.96}, {"corner flat", 1.0}};
static const struct word extras[] = {{"balcony", 1.05}, {"terrace", 1.08},
                                     {"garden", 1.07},  {"lift", 1.02},
                                     {"parking", 1.04}, {"cellar", 1.00}};
static const struct word places[] = {{"near the park", 1.03},
                                     {"by the tram", 1.01},
                                     {"opposite the school", 1.0},
                                     {"above a bakery", 1.00},
                                     {"next to the ring road", 0.93}};

#define PICK(rng, list)                                                        \
    (&(list)[gi_rng_below(rng, sizeof(list) / sizeof *(list))])

struct flat {
    double area;
    int rooms, floor, built;
    int year, month, day; /* available from */
    const struct word *district, *heating, *look, *kind, *extra, *place;
};

static struct flat draw(gi_rng *rng)
{
    double u = gi_rng_uniform(rng);
    struct flat f = {.area = 25 + 100 * u * u};

    f.rooms = 1 + (int)((f.area - 20 + 15 * gi_rng_uniform(rng)) / 28);
    f.floor = (int)gi_rng_below(rng, 9);
    f.built = 1890 + (int)gi_rng_below(rng, 130);
    f.year = 2019 + (int)gi_rng_below(rng, 5);
    f.month = 1 + (int)gi_rng_below(rng, 12);
    f.day = gi_rng_below(rng, 2) ? 15 : 1;
    f.district = PICK(rng, districts);
    f.heating = PICK(rng, heatings);
    f.look = PICK(rng, looks);
    f.kind = PICK(rng, kinds);
    f.extra = PICK(rng, extras);
    f.place = PICK(rng, places);
    return f;
}

static double rent(const struct flat *f, gi_rng *rng)
{
    double age = (f->built - 1965) / 55.0;
    double level = f->district == &districts[HILL] ? 0.03 : 0.01;
    double years = f->year - 2019 + (f->month - 1) / 12.0;
    double per_metre = 8 + 40 / sqrt(f->area);

    return f->area * per_metre * (1 + 0.15 * age * age) *
           (f->floor ? 1 + level * f->floor : 0.96) * (1 + 0.04 * years) *
           f->district->effect * f->heating->effect * f->look->effect *
           f->kind->effect * f->extra->effect * f->place->effect *
           (1 + 0.04 * gi_rng_normal(rng));
}

static gram_status text(gi_run *run, gi_buf *out)
{
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(SEED, 0);

    GI_TRY(gi_buf_printf(run, out,
                         "area,rooms,floor,built,available,district,"
                         "heating,note,rent\n"));
    for (int i = 0; i < ROWS; i++) {
        struct flat f = draw(&rng);
        double price = rent(&f, &rng);
        int no_built = gi_rng_below(&rng, 25) == 0;
        int no_heating = gi_rng_below(&rng, 20) == 0;

        GI_TRY(gi_builtin_number(run, out, f.area, 1, ','));
        GI_TRY(gi_buf_printf(run, out, "%d,%d,", f.rooms, f.floor));
        if (!no_built)
            GI_TRY(gi_buf_printf(run, out, "%d", f.built));
        GI_TRY(gi_buf_printf(run, out, ",%d-%02d-%02d,%s,%s,", f.year, f.month,
                             f.day, f.district->text,
                             no_heating ? "" : f.heating->text));
        GI_TRY(gi_buf_printf(run, out, "\"%s %s with %s, %s\",", f.look->text,
                             f.kind->text, f.extra->text, f.place->text));
        GI_TRY(gi_builtin_number(run, out, price, 0, '\n'));
    }
done:
    return status;
}

const gi_builtin gi_builtin_mixed = {
    .info =
        {
            .name = "mixed",
            .brief = "300 flats to rent: numbers, dates, categories, text, "
                     "some cells missing",
            .target = "rent",
            .origin = "generated, seed 4",
        },
    .format = "csv",
    .types = "available=date,note=text",
    .text = text,
};
