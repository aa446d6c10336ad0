/* cmd_doctor.c - gram doctor: what the machine offers and what is used of it.
 *
 * The speed of everything rests on BLAS, and an old BLAS on a new processor
 * quietly runs kernels of an older one at a fifth of the speed: that is the
 * first thing to look for.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct checkup {
    gram_system system;
    gram_rates rates;
    int threads;
    size_t budget;
    char huge_pages[16]; /* always, madvise, never, or unknown */
    const char *warning[8];
    size_t warnings;
} checkup;

/* ---------------------------------------------------------------- advice */

static int has_feature(const checkup *c, const char *name)
{
    size_t n = strlen(name);

    for (const char *s = c->system.cpu_features; (s = strstr(s, name)); s += n)
        if ((s == c->system.cpu_features || s[-1] == ' ') &&
            (s[n] == ' ' || s[n] == '\0'))
            return 1;
    return 0;
}

static int core_is_one_of(const checkup *c, const char *const *names)
{
    for (; *names; names++)
        if (strcasecmp(c->system.blas_core, *names) == 0)
            return 1;
    return 0;
}

static int blas_misses_avx512(const checkup *c)
{
    static const char *const good[] = {"SkylakeX", "Cooperlake",
                                       "Sapphirerapids", NULL};

    return has_feature(c, "avx512f") && !core_is_one_of(c, good);
}

static int blas_misses_avx2(const checkup *c)
{
    static const char *const old[] = {"Prescott",    "Core2",   "Penryn",
                                      "Dunnington",  "Nehalem", "Atom",
                                      "Sandybridge", NULL};

    return has_feature(c, "avx2") && !has_feature(c, "avx512f") &&
           core_is_one_of(c, old);
}

static int table_is_forced(const checkup *c)
{
    (void)c;
    return getenv("GRAM_CPU") != NULL;
}

static int more_threads_than_cores(const checkup *c)
{
    return c->threads > c->system.cores;
}

static int huge_pages_are_off(const checkup *c)
{
    return strcmp(c->huge_pages, "never") == 0;
}

static int memory_is_short(const checkup *c)
{
    return c->system.memory_available < c->system.memory_total / 8;
}

static const struct advice {
    int (*applies)(const checkup *);
    const char *text;
} advice[] = {
    {blas_misses_avx512,
     "BLAS does not use this CPU's AVX-512 and is several times slower than "
     "it could be: set OPENBLAS_CORETYPE=SkylakeX"},
    {blas_misses_avx2,
     "BLAS does not use this CPU's AVX2 and is several times slower than it "
     "could be: set OPENBLAS_CORETYPE=Haswell"},
    {table_is_forced,
     "GRAM_CPU is set: unset it to use the best operations of this CPU"},
    {more_threads_than_cores,
     "more threads than cores only slow each other down: use fewer --threads"},
    {huge_pages_are_off,
     "transparent huge pages are off, large tables are slower: write madvise "
     "to /sys/kernel/mm/transparent_hugepage/enabled"},
    {memory_is_short,
     "less than an eighth of the memory is free: end other programs, or give "
     "a smaller --mem"},
};

/* The word in brackets: "always [madvise] never". */
static void look_at_huge_pages(checkup *c)
{
    FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");

    strcpy(c->huge_pages, "unknown");
    if (f) {
        if (fscanf(f, "%*[^[][%15[^]]", c->huge_pages) != 1) {
            rewind(f);
            if (fscanf(f, "[%15[^]]", c->huge_pages) != 1)
                strcpy(c->huge_pages, "unknown");
        }
        fclose(f);
    }
}

static int examine(checkup *c)
{
    gram_exec exec = cli_exec("measuring");

    gram_system_get(&c->system);
    c->threads = cli.threads ? (int)cli.threads : c->system.cores;
    c->budget = cli.memory ? cli.memory : c->system.memory_total / 4 * 3;
    look_at_huge_pages(c);
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
        if (advice[i].applies(c))
            c->warning[c->warnings++] = advice[i].text;
    return cli_status(gram_system_measure(&exec, &c->rates));
}

/* ---------------------------------------------------------------- reports */

static int print_json(const checkup *c)
{
    const gram_system *s = &c->system;
    json_t *warnings = json_array();

    for (size_t i = 0; i < c->warnings; i++)
        json_array_append_new(warnings, json_string(c->warning[i]));
    return cli_json_print(json_pack(
        "{s:s, s:s, s:s, s:s, s:i, s:i, s:s, s:s, s:o, s:o, s:o, s:I, s:I, "
        "s:I, s:s, s:o}",
        "version", gram_version(), "cpu", s->cpu, "cpu_features",
        s->cpu_features, "cpu_table", s->cpu_table, "cores", s->cores,
        "threads", c->threads, "blas", s->blas, "blas_core", s->blas_core,
        "gemm_double_gflops", cli_json_number(c->rates.gemm_double * 1e-9),
        "gemm_single_gflops", cli_json_number(c->rates.gemm_single * 1e-9),
        "bandwidth_gbytes", cli_json_number(c->rates.bandwidth * 1e-9),
        "memory_total", (json_int_t)s->memory_total, "memory_available",
        (json_int_t)s->memory_available, "memory_budget", (json_int_t)c->budget,
        "huge_pages", c->huge_pages, "warnings", warnings));
}

static void print_text(const checkup *c)
{
    const gram_system *s = &c->system;
    char a[CLI_ROOM], b[CLI_ROOM], d[CLI_ROOM];

    printf("gram            %s\n", gram_version());
    printf("processor       %s\n", s->cpu);
    printf("features        ");
    cli_wrap(stdout, s->cpu_features, 16, 16);
    printf("operations      %s\n", s->cpu_table);
    printf("BLAS            %s, %s kernels\n", s->blas, s->blas_core);
    printf("matrix product  %s GFLOP/s double, %s GFLOP/s single\n",
           cli_number(a, c->rates.gemm_double * 1e-9, 3),
           cli_number(b, c->rates.gemm_single * 1e-9, 3));
    printf("bandwidth       %s GB/s\n",
           cli_number(a, c->rates.bandwidth * 1e-9, 3));
    printf("threads         %d, on %d core%s\n", c->threads, s->cores,
           s->cores == 1 ? "" : "s");
    printf("memory          %s, of it %s free; gram takes at most %s\n",
           cli_bytes(a, s->memory_total), cli_bytes(b, s->memory_available),
           cli_bytes(d, c->budget));
    printf("huge pages      %s\n", c->huge_pages);
    printf("verdict         %s\n",
           c->warnings ? "could be faster" : "all is well");
    for (size_t i = 0; i < c->warnings; i++) {
        int n = printf("warning         ");
        cli_wrap(stdout, c->warning[i], 16, (size_t)n);
    }
}

static int run(int count, char **operands)
{
    checkup c = {.warnings = 0};
    int code = examine(&c);

    (void)count;
    (void)operands;
    if (code != CLI_GOOD)
        return code;
    if (cli.json)
        return print_json(&c);
    print_text(&c);
    return CLI_GOOD;
}

const cli_command cmd_doctor = {
    .operands = "",
    .about = "Show the processor, the operations and the BLAS kernels in use, "
             "their speeds measured now, threads and memory, and say what "
             "could be better. Takes about a second.",
    .examples = "gram doctor\n"
                "gram doctor --json\n",
    .groups = {&cli_group_running, &cli_group_output, &cli_group_help},
    .run = run,
};
