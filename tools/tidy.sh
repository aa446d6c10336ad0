#!/bin/bash
# tidy.sh [FILE...] - clang-tidy, as .clang-tidy says, on all of src/ and front/
# or on the files named.  Prints what it finds; status 1 if that is something.
set -u
cd "$(dirname "$0")/.." || exit 2
shopt -s globstar
[ $# -gt 0 ] || set -- src/**/*.c front/**/*.c

tidy_one() {
    local prelude='-include tools/tidy.h'
    grep -q '^gram_status gi_[a-z_]*fail(' "$1" && prelude=
    # shellcheck disable=SC2086  # $prelude is an option and its value
    clang-tidy-14 --quiet "$1" -- -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -Ifront/cli \
        -fopenmp $prelude 2> >(grep -v 'warnings\? .*generated\|^Error while')
}
export -f tidy_one
# One file at a time: with several, the checker of va_list loses its way.
printf '%s\n' "$@" | xargs -n 1 -P "$(nproc)" bash -c 'tidy_one "$@"' tidy_one
