#!/bin/bash
# check_symbols.sh BUILD - names that the linker and other people's compilers
# see: the public headers stand alone in C and C++, the shared library exports
# what they declare and nothing else, names inside begin with gi_, the program
# uses the public ones, and start.c has the only constructor.
set -u
build=${1:?check_symbols.sh: which build folder?}
cd "$(dirname "$0")/.." || exit 2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# fault_if_any SENTENCE: the names on stdin, if there are some, break a rule
fault_if_any() {
    local names
    names=$(paste -sd' ')
    [ -z "$names" ] || echo "$1: $names"
}

# declared FILE: every f of "GRAM_API type f(...)"
declared() {
    sed '/^#/d' "$1" | tr '\n' ' ' | grep -oE 'GRAM_API [^;(]*\(' |
        sed -E 's/.*[ *]([a-z0-9_]+)\($/\1/'
}

headers() {
    local header language
    for header in include/*.h; do
        for language in 'gcc -std=c11 -x c -Wstrict-prototypes' \
            'g++ -std=c++11 -x c++'; do
            $language -Wall -Wextra -Wshadow -pedantic -Werror -Iinclude \
                -fsyntax-only -include "${header#include/}" /dev/null 2>&1
        done
        declared "$header" >>"$work/declared"
    done
    sort -u -o "$work/declared" "$work/declared"
}

exports() {
    nm -D --defined-only "$build/libgram.so" | awk '{print $3}' | sort \
        >"$work/exported"
    comm -23 "$work/declared" "$work/exported" |
        fault_if_any "declared but not exported by libgram.so"
    comm -13 "$work/declared" "$work/exported" |
        fault_if_any "exported by libgram.so but not declared"
}

names() {
    nm --defined-only --extern-only "$build/libgram.a" |
        awk 'NF == 3 {print $3}' | sort -u >"$work/inside"
    grep -vE '^(gram|gi)_' "$work/inside" |
        fault_if_any "global in libgram.a, must begin with gi_ or gram_"
    nm --undefined-only "$build"/front/cli/{,*/}*.o | awk '$1 == "U" {print $2}' |
        sort -u | comm -12 - "$work/inside" | grep -v '^gram_' |
        fault_if_any "used by the program but not public"
}

constructors() {
    objdump -h "$build/libgram.a" |
        awk '/file format/ {o = $1} $2 ~ /^\.(init_array|ctors)/ {print o $2}' |
        diff <(echo start.o:.init_array.00101) - | grep '^[<>]' |
        fault_if_any "constructors (< missing, > not allowed)"
}

faults=$(headers 2>&1; exports 2>&1; names 2>&1; constructors 2>&1)
[ -z "$faults" ] || { echo "$faults"; exit 1; }
