#!/bin/sh
# test_help.sh - help of every command, man page, completion, version.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

run help
exits 0 "help"
cp out help
run --help
same "$(cat help)" "$(cat out)" "--help is the same as help"
run help help
cp out help
run help --help
same "$(cat help)" "$(cat out)" "help --help explains help"

"$GRAM" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' >commands
holds "help lists the commands" [ "$(wc -l <commands)" -ge 7 ]
while read -r command; do
    run help "$command"
    exits 0 "help $command"
    cp out help
    holds "help $command fits in 80 columns" [ "$(widest <help)" -le 79 ]
    prints "usage: gram $command" "help $command has a usage line"
    run "$command" --help
    same "$(cat help)" "$(cat out)" "$command --help is help $command"
    run "$command" --nosuchoption
    holds "$command refuses an unknown option" [ "$code" -eq 2 ]
done <commands

for topic in data formats; do
    run help $topic
    exits 0 "help $topic"
    holds "help $topic fits in 80 columns" [ "$(widest <out)" -le 80 ]
done
run help data
prints "builtin:iris" "help data lists iris"
run help formats
prints "csv" "help formats lists csv"

run help --man
exits 0 "the man page"
holds "the man page has a title" grep -q '^\.TH GRAM 1' out
for name in "SH NAME" "SH COMMANDS" "SH OPTIONS" "SH \"EXIT STATUS\""; do
    prints ".$name" "the man page has $name"
done
while read -r command; do
    prints ".SS \"gram $command" "the man page has $command"
done <commands
if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww out >rendered 2>warnings
    holds "groff is content with it" [ ! -s warnings ]
fi

run completion bash
exits 0 "completion for bash"
if command -v bash >/dev/null; then
    # shellcheck disable=SC2016
    complete='. ./out; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gram
        echo "${COMPREPLY[*]}"'
    same describe "$(bash -c "$complete" x gram desc)" "it completes commands"
    same --scale "$(bash -c "$complete" x gram convert a --sc)" \
        "it completes options"
    same "mean" "$(bash -c "$complete" x gram describe --missing m)" \
        "it completes choices"
fi
run completion zsh
prints "#compdef gram" "completion for zsh"
run completion bush
refuses 1 'gram completion: "bush" is not one of bash, zsh (did you mean "bash"?)' \
    "completion for another shell"

run version
exits 0 "version"
cp out version
holds "the version has three numbers" grep -Eqx 'gram [0-9]+\.[0-9]+\.[0-9]+' \
    out
run --version
same "$(cat version)" "$(cat out)" "--version is the same as version"
run version --json
holds "version --json is JSON" is_json out
