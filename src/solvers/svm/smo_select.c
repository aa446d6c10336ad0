/* smo_select.c - which variables are worked on next.
 *
 * Half of the new ones are those that would rise with the largest -gradient,
 * half those that would fall with the least; each is found by partition, not
 * by sorting.  Variables of the last set that are at no bound stay, at most
 * half of the set: without them they would be moved to and fro between sets.
 */
#include "base/limits.h"
#include "base/mem.h"
#include "solvers/svm/smo_inside.h"

#include <math.h>
#include <string.h>

/* Variables of a set, at least; where more are free it is larger, so that they
 * are in it together. */
enum { MIN_VARIABLES = GI_SMO_SET_MIN };

static double max_of(double a, double b)
{
    return a > b ? a : b;
}

void gi_smo_look(gi_smo_state *s)
{
    const gi_smo *q = s->q;
    const double rest = q->groups ? INFINITY : 0;

    for (size_t g = 0; g < GI_SMO_GROUPS; g++) {
        s->top[g] = -rest;
        s->bottom[g] = rest;
    }
    s->free = 0;
    for (size_t v = 0; v < q->variables; v++) {
        const double value = -(s->f[gi_smo_row(q, v)] + q->linear[v]);
        const size_t g = gi_smo_group(q, v);
        const int up = s->a[v]<q->high[v], down = s->a[v]> q->low[v];

        if (up && value > s->top[g])
            s->top[g] = value;
        if (down && value < s->bottom[g])
            s->bottom[g] = value;
        s->free += up && down;
    }
    s->violation = 0;
    for (size_t g = 0; g < GI_SMO_GROUPS; g++)
        s->violation = max_of(s->violation, s->top[g] - s->bottom[g]);
}

/* Move the k best to the front (Hoare's selection; the order of equals follows
 * from the numbers alone). */
static void partition(gi_smo_candidate *c, size_t n, size_t k)
{
    size_t first = 0, last = n;

    while (last - first > 1 && k > first && k < last) {
        const double pivot = c[first + (last - first) / 2].score;
        size_t i = first, j = last - 1;

        for (;;) {
            gi_smo_candidate t;

            while (c[i].score > pivot)
                i++;
            while (c[j].score < pivot)
                j--;
            if (i >= j)
                break;
            t = c[i];
            c[i++] = c[j];
            c[j--] = t;
        }
        /* c[first..i) >= pivot >= c[i..last), or i stands on a pivot */
        i += i == first;
        if (k < i)
            last = i;
        else
            first = i;
    }
}

static void add(gi_smo_state *s, size_t v)
{
    if (s->chosen[v] || s->size == s->room)
        return;
    s->chosen[v] = 1;
    s->set[s->size++] = v;
}

/* Variables of the last set at no bound, to the front. */
static size_t find_free(gi_smo_state *s)
{
    const gi_smo *q = s->q;
    size_t count = 0;

    for (size_t i = 0; i < s->size; i++) {
        const size_t v = s->set[i];

        s->chosen[v] = 0;
        if (s->a[v] > q->low[v] && s->a[v] < q->high[v])
            s->set[count++] = v;
    }
    return count;
}

/* Group 0 to the front, each in the order of the rows, which are read in that
 * order then. */
static void order(gi_smo_state *s)
{
    s->size = 0;
    for (size_t g = 0; g < GI_SMO_GROUPS; g++) {
        for (size_t v = 0; v < s->q->variables; v++)
            if (s->chosen[v] && gi_smo_group(s->q, v) == g)
                s->set[s->size++] = v;
        if (g == 0)
            s->second = s->size;
    }
}

/* Variables not in the set yet that would move, since they are on the wrong
 * side of the middle. */
static void find_candidates(gi_smo_state *s, size_t *rise, size_t *fall)
{
    const gi_smo *q = s->q;
    double middle[GI_SMO_GROUPS];

    for (size_t g = 0; g < GI_SMO_GROUPS; g++)
        middle[g] = q->groups ? (s->top[g] + s->bottom[g]) / 2 : 0;
    *rise = *fall = 0;
    for (size_t v = 0; v < q->variables; v++) {
        const double value = -(s->f[gi_smo_row(q, v)] + q->linear[v]) -
                             middle[gi_smo_group(q, v)];

        if (s->chosen[v])
            continue;
        if (value > 0 && s->a[v] < q->high[v])
            s->rise[(*rise)++] = (gi_smo_candidate){value, v};
        if (value < 0 && s->a[v] > q->low[v])
            s->fall[(*fall)++] = (gi_smo_candidate){-value, v};
    }
}

void gi_smo_choose(gi_smo_state *s)
{
    size_t rise, fall, up, down, stay, room;

    stay = find_free(s);
    s->room = 3 * s->free / 2 < MIN_VARIABLES ? MIN_VARIABLES : 3 * s->free / 2;
    s->room = gi_min_size(s->room, s->most);
    room = s->room - gi_min_size(stay, s->room / 2);
    s->size = gi_min_size(stay, s->room / 2);
    for (size_t i = 0; i < s->size; i++)
        s->chosen[s->set[i]] = 1;
    find_candidates(s, &rise, &fall);
    up = gi_min_size(rise, room / 2);
    down = gi_min_size(fall, room - up);
    up = gi_min_size(rise, room - down);
    partition(s->rise, rise, up);
    partition(s->fall, fall, down);
    for (size_t i = 0; i < up; i++)
        add(s, s->rise[i].variable);
    for (size_t i = 0; i < down; i++)
        add(s, s->fall[i].variable);
    order(s);
}
