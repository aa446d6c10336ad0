/* test_cpu_tile.c - every CPU table's operations on tiles, in both precisions
 * (cpu_tile_cases.inc), against sums in long double or the bits of generic C.
 */
#include "check.h"

#include <float.h>

#include "base/rng.h"
#include "cpu/cpu.h"

/* The most rows of a tile, and columns of the data, in these tests. */
enum { ROOM = 100, WIDEST = 600 };

/* What must not be written over. */
static const double untouched = -7.25;

static gi_rng rng;

/* Calls f(table) for every table. */
static void for_each_table(void (*f)(const gi_cpu *))
{
    for (size_t i = 0; gi_cpu_at(i); i++) {
        rng = gi_rng_new(3, 0);
        f(gi_cpu_at(i));
    }
}

#define REAL double
#define OF(name) name##_d
#define EPSILON DBL_EPSILON
#include "cpu_tile_cases.inc"
#undef REAL
#undef OF
#undef EPSILON
#define REAL float
#define OF(name) name##_s
#define EPSILON FLT_EPSILON
#include "cpu_tile_cases.inc"

#define BOTH(sentence)                                                         \
    TEST(sentence)                                                             \
    {                                                                          \
        for_each_table(sentence##_d);                                          \
        for_each_table(sentence##_s);                                          \
    }

BOTH(register_blocks_divide_the_tile)
BOTH(panels_hold_the_rows_and_then_zeros)
BOTH(dot_is_the_inner_product)
BOTH(sqdist_is_the_squared_distance)
BOTH(l1_and_min_sum_have_the_bits_of_generic)
BOTH(swapping_the_operands_changes_no_bit)
BOTH(equal_rows_have_distance_zero)
BOTH(norms_and_inner_products_give_distances)
BOTH(distances_small_beside_the_norms_are_told)
BOTH(transposing_and_streaming_move_every_number_once)
BOTH(tiles_multiply_vectors)
BOTH(powers_of_a_tile_are_summed_by_column)
BOTH(products_are_summed_in_double)

TESTS(SMALL(register_blocks_divide_the_tile),
      SMALL(panels_hold_the_rows_and_then_zeros),
      NORMAL(dot_is_the_inner_product), NORMAL(sqdist_is_the_squared_distance),
      SMALL(l1_and_min_sum_have_the_bits_of_generic),
      SMALL(swapping_the_operands_changes_no_bit),
      SMALL(equal_rows_have_distance_zero),
      SMALL(norms_and_inner_products_give_distances),
      SMALL(distances_small_beside_the_norms_are_told),
      SMALL(transposing_and_streaming_move_every_number_once),
      SMALL(tiles_multiply_vectors),
      SMALL(powers_of_a_tile_are_summed_by_column),
      SMALL(products_are_summed_in_double))
