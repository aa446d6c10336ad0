#!/bin/sh
# test_usage.sh - commands, options, operands, and what is said about mistakes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

printf 'a,b\n1,2\n3,4\n' >data.csv

run
holds "no command is an error with help on stderr" [ "$code" -eq 2 ]
holds "that help is not on stdout" [ ! -s out ]
run descrbe
refuses 2 'gram: unknown command "descrbe" (did you mean "describe"?)' \
    "a mistyped command gets a suggestion"
run frobnicate
refuses 2 'gram: unknown command "frobnicate" ("gram help" lists them)' \
    "a strange command gets a hint"
run --hepl
refuses 2 'gram: unknown option "--hepl" (did you mean "--help"?)' \
    "a mistyped option without a command"
run --json describe data.csv
exits 2 "an option before the command"
same 'gram: unknown option "--json" (options follow the command)' \
    "$(cat err)" "is refused"
same '{"error":"unknown option \"--json\" (options follow the command)"}' \
    "$(cat out)" "in JSON, too, which was asked for"
run descrbe data.csv --json
same '2 {"error":"unknown command \"descrbe\" (did you mean \"describe\"?)"}' \
    "$code $(cat out)" "JSON about a mistyped command"
run describe no.csv --json
same '1 {"error":"no.csv: cannot be opened: No such file or directory"}' "$code $(cat out)" \
    "JSON about a file that is not there"
same 'gram describe: no.csv: cannot be opened: No such file or directory' "$(cat err)" \
    "beside the sentence"
run describe data.csv --json --tpyes a=text
same 2 "$code" "an error beside --json has its exit code"
holds "and is JSON" is_json out
run describe --jason data.csv
refuses 2 'gram describe: unknown option "--jason" (did you mean "--json"?)' \
    "a mistyped option gets a suggestion"
run describe -x data.csv
refuses 2 'gram describe: unknown option "-x"' "an unknown letter"
run describe
refuses 2 \
    'gram describe: missing operand (usage: gram describe [options] DATA)' \
    "a missing operand"
run convert data.csv
refuses 2 'gram convert: missing operand (usage: gram convert [options] A B)' \
    "one operand of two"
run describe data.csv more.csv
refuses 2 'gram describe: unexpected operand "more.csv"' "too many operands"
run describe data.csv --target
refuses 2 'gram describe: --target needs a value: --target COL' \
    "an option without its value at the end"
run describe data.csv --target --quiet
refuses 2 'gram describe: --target needs a value: --target COL' \
    "an option without its value before another"
run describe data.csv --json=yes
refuses 2 'gram describe: --json takes no value' "a flag with a value"
run help descrbe
refuses 2 'gram help: unknown command "descrbe" (did you mean "describe"?)' \
    "help on a mistyped command"

run describe data.csv --threads two
refuses 1 'gram describe: --threads: "two" is not a whole number' \
    "a word for a number"
run describe data.csv --threads -1
refuses 1 'gram describe: --threads: "-1" is not a whole number' \
    "a negative number is a value, and a bad one here"
run describe data.csv --threads 99999
refuses 1 'gram describe: --threads: 99999 is too large' "too many threads"
run describe data.csv --threads 0
refuses 1 'gram describe: --threads: 0, must be at least 1' "no threads"
run fit data.csv -t b --folds 1
refuses 1 'gram fit: --folds: 1, must be at least 2' "one fold"
run test data.csv data.csv --permutations 0
refuses 1 'gram test: --permutations: 0, must be at least 1' "no permutations"
run test data.csv data.csv --permutations 10000001
refuses 1 'gram test: --permutations: 10000001 is too large' \
    "too many permutations"
for share in 1 -0.1; do
    run fit data.csv -t b --holdout "$share"
    refuses 1 "gram fit: --holdout: $share, must be between 0 and 1" \
        "$share is no share"
done
run fit data.csv -t b --jitter -1e-9
refuses 1 'gram fit: --jitter: -1e-9, must be at least 0' "a negative jitter"
run fit data.csv -t b --step inf
refuses 1 'gram fit: --step: "inf" is not a finite number' "an infinite step"
run describe data.csv --seed 99999999999999999999
refuses 1 'gram describe: --seed: 99999999999999999999 is too large for 64 bits' \
    "a seed beyond 64 bits"
for size in 4X G -1 0 1e3 0x10 nan 4GG 1.2.3G '' ' '; do
    run describe data.csv --mem "$size"
    refuses 1 "gram describe: --mem: \"$size\" is not a size such as 4G, 1.5G or 512M" \
        "\"$size\" is not a size"
done
for size in 1 4096 1023K; do
    run describe data.csv --mem "$size"
    refuses 1 "gram describe: --mem: $size, must be at least 1M: less holds no table" \
        "$size is too little memory"
done
for size in 1M 4G 1.5g 512M 200000000 300MB 1GiB; do
    run describe data.csv --mem="$size"
    exits 0 "$size is a size"
done
run convert data.csv out.csv --scale standart
refuses 1 'gram convert: --scale: "standart" is not one of none|standard|minmax (did you mean "standard"?)' \
    "a mistyped choice gets a suggestion"
run describe data.csv --separator ab
refuses 1 'gram describe: --separator: "ab" is not one character, nor "tab"' \
    "a separator of two characters"

run describe --header yes --target=b data.csv
exits 0 "--name value and --name=value"
prints "target" "both were understood"
run describe -tb -q data.csv
exits 0 "letters with and without a value"
run describe builtin:iris --json --drop 0,1,3
sed 's/"[a-z_]*seconds.*//' out >once
run describe builtin:iris --json --drop 0 --drop=1 --drop 3
sed 's/"[a-z_]*seconds.*//' out >thrice
same "$(cat once)" "$(cat thrice)" "a list may be given in parts"
same 2 "$(grep -o '"name":"petal_length"\|"name":"species"' out | wc -l)" \
    "and all parts count"
run describe -q -- data.csv
exits 0 "-- ends the options"
cp data.csv ./-data.csv
run describe -- -data.csv
exits 0 "after -- a dash is part of a name"
