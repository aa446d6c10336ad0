/* cpu.h - what the processor can do, and the inner loops written for it.
 *
 * A table holds one pointer per operation of cpu.def.  There is one table per
 * instruction set; each replaces what it does better and inherits the rest
 * from the one before it, down to generic C, which is the definition.
 *
 * The best table the machine supports is chosen once, at the first call.  The
 * environment variable GRAM_CPU=generic|avx2|avx512 chooses a lesser one, for
 * tests; a name that is unknown or that the machine lacks is ignored.
 */
#ifndef GI_CPU_H
#define GI_CPU_H

#include <stddef.h>

/* Of a product of a tile with vectors: how many vectors at once, how many
 * numbers the sums of one row take, what the number of rows is a multiple of. */
enum { GI_TIMES = 8, GI_TIMES_SUMS = 16, GI_TIMES_ROWS = 8 };

/* What step_pair finds; and the curvature that best_partner takes in place of
 * one that is not positive. */
typedef struct gi_extremes {
    float most, least;
    size_t most_at, least_at;
} gi_extremes;

#define GI_CURVATURE 1e-12f

/* Powers x, x^2, x^4, ... that are added up at once. */
enum { GI_POWERS = 10 };

typedef struct gi_cpu {
    const char *name;
#define OPERATION(result, name, arguments) result(*name) arguments;
#include "cpu/cpu.def"
#undef OPERATION
} gi_cpu;

/* The table in use. */
const gi_cpu *gi_cpu_table(void);

/* The i-th table this machine supports, from generic up; NULL at the end. */
const gi_cpu *gi_cpu_at(size_t i);

/* The processor's own name. */
const char *gi_cpu_name(void);

/* Instruction sets that matter here and that both the processor and the
 * operating system support: "sse2 avx avx2 fma ...". */
const char *gi_cpu_features(void);

/* Are all features of the list, such as "avx2 fma", there?  Safe to call from
 * a constructor. */
int gi_cpu_has(const char *features);

/* What each instruction set brings; NULL stands for "inherited". */
extern const gi_cpu gi_cpu_generic, gi_cpu_avx2, gi_cpu_avx512;

#endif
