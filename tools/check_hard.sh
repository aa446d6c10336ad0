#!/bin/bash
# check_hard.sh SIZE SECONDS - all that is checked, in stages: the tests of
# that size alone and under address+undefined sanitizers; the command on a
# covering design, under them too and with lowered limits; small tests under
# ThreadSanitizer, under valgrind and, if SIZE is long, on each CPU table; each
# fuzz target so many seconds; clang-tidy; mypy; the layout of the source.
#
# One headline a stage, what failed below it; the last line adds up all stages:
# "N passed, N failed".  The status is 1 if something failed.
set -u
cd "$(dirname "$0")/.." || exit 2
size=${1:?check_hard.sh: which size: normal, long?}
seconds=${2:?check_hard.sh: how many seconds for a fuzz target?}
# Started by make or not, builds below are the same.
unset MAKEFLAGS MFLAGS MAKELEVEL GRAM_CPU OPENBLAS_CORETYPE

log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0 skipped=0
count='^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$'

# stage NAME COMMAND...: the command says "N passed, N failed"; if it does not,
# or says 0 failed but has another status than 0, that is a failure.
stage() {
    local name=$1 p f s status start=$SECONDS
    shift
    "$@" >"$log" 2>&1
    status=$?
    read -r p _ f _ s _ < <(grep -E "$count" "$log" | tail -1)
    [ "$status" -eq 0 ] || [ $((f)) -gt 0 ] || f=1
    [ $((p + f)) -gt 0 ] || f=1
    printf '%-10s %4d passed, %d failed, %4d s\n' "$name" $((p)) $((f)) \
        $((SECONDS - start))
    [ $((f)) -eq 0 ] || grep -vE '^(ok |  (cc|ar|link) )' "$log" | head -300
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

# one COMMAND...: a command without a count is one test
one() {
    if "$@"; then
        echo "1 passed, 0 failed"
    else
        echo "0 passed, 1 failed"
        return 1
    fi
}

# built_tests BUILD OPTIONS...: `make tests` there, then run them
built_tests() {
    local build=$1
    shift
    make tests BUILD="$build" "$@" && tests/run.sh "$build" unit cli
}

asan() (
    # absurd sizes must fail as they do without it
    export ASAN_OPTIONS=allocator_may_return_null=1
    GRAM_TEST_SIZE=$size built_tests build/asan CFLAGS='-O1 -g' \
        EXTRA='-fsanitize=address,undefined -fno-sanitize-recover=all'
)

# Limits of size are so low that a hundred rows meet all of them.
cover() {
    local build=build/low sanitize=-fsanitize=address,undefined

    make $build/gram BUILD=$build CFLAGS='-O1 -g' \
        EXTRA="-DGRAM_LOW_LIMITS $sanitize -fno-sanitize-recover=all" &&
        tests/cover/cover.py $build/gram
}

# gcc's OpenMP gives false reports: ThreadSanitizer cannot see how its threads
# meet.  LLVM's tells it through Archer.
tsan() (
    export OMP_TOOL_LIBRARIES=/usr/lib/llvm-14/lib/libarcher.so
    export TSAN_OPTIONS=ignore_noninstrumented_modules=1
    export TSAN_SYMBOLIZER_PATH=/usr/bin/llvm-symbolizer-14
    GRAM_TEST_SIZE=small built_tests build/tsan CC=clang-14 CFLAGS='-O1 -g' \
        EXTRA=-fsanitize=thread
)

# valgrind knows no AVX-512, and hides it, so BLAS keeps its own core too.  A
# process takes a second to start under it; the program's many short runs are
# left to the sanitizers.
memory() (
    local runner="valgrind -q --error-exitcode=99 --leak-check=full \
        --errors-for-leak-kinds=definite --show-leak-kinds=definite \
        --suppressions=$PWD/tools/valgrind.supp"
    GRAM_CPU=avx2 GRAM_TEST_SIZE=small RUNNER=$runner LIMIT=600 \
        tests/run.sh build unit
)

stage check env GRAM_TEST_SIZE="$size" make check
stage asan asan
stage cover cover
stage tsan tsan
stage valgrind memory
if [ "$size" = long ]; then
    for table in generic avx2 avx512; do
        stage $table env GRAM_CPU=$table GRAM_TEST_SIZE=small \
            tests/run.sh build unit cli
    done
fi
stage fuzz tools/fuzz.sh "$seconds"
stage tidy one tools/tidy.sh
stage types one mypy --config-file python/pyproject.toml \
    --cache-dir build/mypy python/gram
stage layout one make format FORMAT='--dry-run -Werror'

[ "$skipped" -eq 0 ] && tail= || tail=", $skipped skipped"
echo "$passed passed, $failed failed$tail"
[ "$failed" -eq 0 ]
