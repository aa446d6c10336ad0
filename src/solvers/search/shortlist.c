/* shortlist.c - the best of many searches.
 */
#include "solvers/search/shortlist.h"

#include <math.h>

/* Searches that end closer than this have found the same. */
static const double same = 1e-3;

gram_status gi_shortlist_new(gi_run *run, const gi_search_space *v,
                             gi_shortlist *p)
{
    gram_status status = GRAM_OK;

    for (size_t i = 0; i <= GI_KEPT; i++)
        GI_TRY(gi_spot_new(run, v, &p->spot[i]));
    GI_TRY(gi_spot_new(run, v, &p->alike));
done:
    return status;
}

void gi_shortlist_free(gi_shortlist *p)
{
    for (size_t i = 0; i <= GI_KEPT; i++)
        gi_spot_free(&p->spot[i]);
    gi_spot_free(&p->alike);
}

static void swap(gi_spot *a, gi_spot *b)
{
    gi_spot other = *a;

    *a = *b;
    *b = other;
}

void gi_shortlist_keep(gi_shortlist *p)
{
    gi_spot *s = p->spot;

    for (size_t i = p->kept; i > 0 && s[i].value < s[i - 1].value; i--)
        swap(&s[i], &s[i - 1]);
    for (size_t i = 0; i < p->kept; i++)
        if (s[i + 1].value - s[i].value < same) {
            for (size_t j = i + 1; j < p->kept; j++)
                swap(&s[j], &s[j + 1]);
            return;
        }
    p->kept += p->kept < GI_KEPT;
}

void gi_shortlist_lead(gi_shortlist *p, size_t spot)
{
    if (p->spot[spot].value < p->spot[0].value)
        swap(&p->spot[0], &p->spot[spot]);
}

const gi_spot *gi_shortlist_best(const gi_shortlist *p)
{
    return p->alike.value < p->spot[0].value ? &p->alike : &p->spot[0];
}

void gi_shortlist_clear(gi_shortlist *p)
{
    p->kept = 0;
    p->spot[0].value = p->alike.value = INFINITY;
}
