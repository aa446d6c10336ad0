#!/bin/bash
# check_runs.sh - a call has one run: only public functions begin one, and the
# library calls none that does, since budget, progress and Ctrl-C of the caller
# would be lost.  What is needed on both sides is a gi_ function that takes the
# run, and a public one that begins it.
set -u
cd "$(dirname "$0")/.." || exit 2

bad=0
fault() {
    echo "$*"
    bad=1
}

# FUNCTION for each one with a run of its own.  Definitions begin in the first
# column; the name is the last word before the first parenthesis.
beginners() {
    find src -name '*.c' ! -path src/base/run.c -exec awk '
        FNR == 1 { name = "" }
        /^[a-z].*\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
        /GI_RUN\(|gi_run_begin\(/ { print name }' {} + | sort -u
}

public=
for name in $(beginners); do
    case $name in
    gram_*) public+="|$name" ;;
    *) fault "$name: begins a run, which only public functions do" ;;
    esac
done

while read -r line; do
    fault "$line: begins a run inside a run; call a gi_ function with the run"
done < <(grep -rnE "^ .*\b(${public#|})\(" src --include='*.c' --include='*.inc')

while read -r line; do
    fault "$line: a gram_exec is made by callers of the library only"
done < <(grep -rnE '\(gram_exec\)|\bgram_exec [a-z]+( =|;)' src \
    --include='*.[ch]' | grep -v 'static const gram_exec defaults')

exit $bad
