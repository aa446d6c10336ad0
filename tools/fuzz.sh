#!/bin/bash
# fuzz.sh SECONDS [NAME...] - build the fuzz targets of fuzz/ into build/fuzz
# and run each, or the named ones, that long from its seeds in fuzz/seeds/NAME.
#
# The input of a crash is kept in build/fuzz/crashes; run it again with
#   build/fuzz/fuzzers/fuzz_NAME FILE
# The last line is "N passed, N failed"; the status is 1 if one failed.
set -u
cd "$(dirname "$0")/.." || exit 2
export seconds=${1:?fuzz.sh: how many seconds?}
shift
# shellcheck disable=SC2046  # one word a target
[ $# -gt 0 ] || set -- $(basename -s .c fuzz/fuzz_*.c | sed 's/^fuzz_//')

sanitizers='-fsanitize=fuzzer-no-link,address,undefined'
make fuzzers BUILD=build/fuzz CC=clang-14 CFLAGS='-O1 -g' \
    EXTRA="$sanitizers -fno-sanitize-recover=all" || exit 2

mkdir -p build/fuzz/crashes
work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT
export ASAN_OPTIONS=allocator_may_return_null=1
export ASAN_SYMBOLIZER_PATH=/usr/bin/llvm-symbolizer-14

fuzz_one() {
    mkdir "$work/$1"
    cp -r "fuzz/seeds/$1/." "$work/$1/" 2>/dev/null
    "build/fuzz/fuzzers/fuzz_$1" "$work/$1" -max_total_time="$seconds" \
        -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/crashes/$1-" >"$work/$1.log" 2>&1
    echo $? >"$work/$1.status"
}
export -f fuzz_one
printf '%s\n' "$@" | xargs -n 1 -P "$(nproc)" bash -c 'fuzz_one "$@"' fuzz_one

passed=0 failed=0
for name in "$@"; do
    log=$work/$name.log
    runs=$(sed -n 's/^stat::number_of_executed_units: //p' "$log")
    if [ "$(cat "$work/$name.status")" -eq 0 ] && [ "${runs:-0}" -gt 0 ]; then
        passed=$((passed + 1))
        echo "ok     fuzz_$name: $runs runs"
    else
        failed=$((failed + 1))
        input=$(sed -n 's/.*Test unit written to //p' "$log")
        echo "FAILED fuzz_$name${input:+: its input is $input}"
        grep -vE '^(#[0-9]+\s|stat::|INFO:)|NEW_FUNC' "$log" | head -60 |
            sed 's/^/    /'
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
