/* cpu.c - finds out what the processor can do and chooses the table.
 *
 * A feature counts if CPUID reports it and the operating system saves the
 * registers it needs, which XCR0 tells (Intel, Software Developer's Manual,
 * vol. 1, 13.3 and 14.3).  Everything is found once and then only read.
 */
#include "cpu/cpu.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 48, FEATURE_ROOM = 512 };

static char processor[NAME_ROOM + 1] = "unknown processor";
static char feature_list[FEATURE_ROOM];

#if defined(__x86_64__)
#include <cpuid.h>

/* Register state in XCR0 that the operating system has to save. */
enum {
    STATE_NONE = 0,
    STATE_AVX = 0x6,
    STATE_AVX512 = 0xe6,
    STATE_AMX = 0x60000
};

enum { EAX, EBX, ECX, EDX };

static const struct {
    const char *name;
    unsigned leaf, subleaf, reg, bit;
    uint64_t state;
} features[] = {
    {"sse2", 1, 0, EDX, 26, STATE_NONE},
    {"sse4_2", 1, 0, ECX, 20, STATE_NONE},
    {"popcnt", 1, 0, ECX, 23, STATE_NONE},
    {"avx", 1, 0, ECX, 28, STATE_AVX},
    {"f16c", 1, 0, ECX, 29, STATE_AVX},
    {"fma", 1, 0, ECX, 12, STATE_AVX},
    {"avx2", 7, 0, EBX, 5, STATE_AVX},
    {"avx_vnni", 7, 1, EAX, 4, STATE_AVX},
    {"avx512f", 7, 0, EBX, 16, STATE_AVX512},
    {"avx512dq", 7, 0, EBX, 17, STATE_AVX512},
    {"avx512bw", 7, 0, EBX, 30, STATE_AVX512},
    {"avx512vl", 7, 0, EBX, 31, STATE_AVX512},
    {"avx512_vnni", 7, 0, ECX, 11, STATE_AVX512},
    {"avx512_vpopcntdq", 7, 0, ECX, 14, STATE_AVX512},
    {"avx512_bf16", 7, 1, EAX, 5, STATE_AVX512},
    {"avx512_fp16", 7, 0, EDX, 23, STATE_AVX512},
    {"amx_tile", 7, 0, EDX, 24, STATE_AMX},
    {"amx_bf16", 7, 0, EDX, 22, STATE_AMX},
    {"amx_int8", 7, 0, EDX, 25, STATE_AMX},
};

static uint64_t registers_saved_by_os(void)
{
    enum { OSXSAVE = 1 << 27 };
    unsigned r[4], low, high;

    if (!__get_cpuid(1, &r[EAX], &r[EBX], &r[ECX], &r[EDX]) ||
        !(r[ECX] & OSXSAVE))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static void find_features(void)
{
    uint64_t state = registers_saved_by_os();

    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        unsigned r[4] = {0};

        __get_cpuid_count(features[i].leaf, features[i].subleaf, &r[EAX],
                          &r[EBX], &r[ECX], &r[EDX]);
        if (!(r[features[i].reg] >> features[i].bit & 1) ||
            (state & features[i].state) != features[i].state)
            continue;
        if (feature_list[0])
            strcat(feature_list, " ");
        strcat(feature_list, features[i].name);
    }
}

static void find_name(void)
{
    enum { BRAND = 0x80000002 };
    unsigned r[3][4];

    for (unsigned i = 0; i < 3; i++)
        if (!__get_cpuid(BRAND + i, &r[i][EAX], &r[i][EBX], &r[i][ECX],
                         &r[i][EDX]))
            return;
    memcpy(processor, r, NAME_ROOM);
    /* some processors put blanks in front */
    memmove(processor, processor + strspn(processor, " "),
            strlen(processor + strspn(processor, " ")) + 1);
}
#else
static void find_features(void)
{
}

static void find_name(void)
{
}
#endif

/* In order: each set needs all sets before it. */
static const struct {
    const gi_cpu *table;
    const char *needs;
} sets[] = {
    {&gi_cpu_generic, ""},
#if defined(__x86_64__)
    {&gi_cpu_avx2, "avx2 fma popcnt"},
    {&gi_cpu_avx512, "avx512f avx512dq avx512bw avx512vl"},
#endif
};

enum { SETS = sizeof sets / sizeof *sets };

static gi_cpu tables[SETS]; /* complete: nothing left to inherit */
static size_t table_count;
static const gi_cpu *chosen;
static pthread_once_t features_once = PTHREAD_ONCE_INIT;
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void find_all(void)
{
    find_name();
    find_features();
}

static void choose(void)
{
    const char *wish = getenv("GRAM_CPU");

    for (size_t i = 0; i < SETS && gi_cpu_has(sets[i].needs); i++) {
        gi_cpu *t = &tables[i];

        *t = *sets[i].table;
#define OPERATION(result, name, arguments)                                     \
    if (!t->name)                                                              \
        t->name = t[-1].name;
#include "cpu/cpu.def"
#undef OPERATION
        table_count = i + 1;
    }
    chosen = &tables[table_count - 1];
    for (size_t i = 0; wish && i < table_count; i++)
        if (strcmp(wish, tables[i].name) == 0)
            chosen = &tables[i];
}

const gi_cpu *gi_cpu_table(void)
{
    pthread_once(&tables_once, choose);
    return chosen;
}

const gi_cpu *gi_cpu_at(size_t i)
{
    pthread_once(&tables_once, choose);
    return i < table_count ? &tables[i] : NULL;
}

const char *gi_cpu_name(void)
{
    pthread_once(&features_once, find_all);
    return processor;
}

const char *gi_cpu_features(void)
{
    pthread_once(&features_once, find_all);
    return feature_list;
}

/* Does the list contain the word of n bytes? */
static int has_word(const char *list, const char *word, size_t n)
{
    while (*list) {
        size_t m = strcspn(list, " ");

        if (m == n && memcmp(list, word, n) == 0)
            return 1;
        list += m + strspn(list + m, " ");
    }
    return 0;
}

int gi_cpu_has(const char *wanted)
{
    const char *list = gi_cpu_features();

    while (*wanted) {
        size_t n = strcspn(wanted, " ");

        if (!has_word(list, wanted, n))
            return 0;
        wanted += n + strspn(wanted + n, " ");
    }
    return 1;
}
