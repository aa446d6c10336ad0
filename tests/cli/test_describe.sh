#!/bin/sh
# test_describe.sh - what describe shows, as text and as JSON.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >people.csv <<'END'
age,größe,city,born,note
30,1.5,Bern,1990-01-31,first note here
40,,Basel,1980-02-01,another one entirely
50,2.5,Bern,1970-03-01,and a third one
END

run describe people.csv
exits 0 "a CSV file"
prints "people.csv: 3 rows × 5 columns, 1 missing cell" "the first line"
prints "30 .. 50" "a range"
prints "40 ± 10" "mean and standard deviation"
prints "2 levels: Bern 2, Basel 1" "the levels of a category"
prints "1970-03-01 .. 1990-01-31" "a range of dates"
prints "█" "a histogram"
holds "it fits in 80 columns" [ "$(widest <out)" -le 80 ]
same "$(sed -n '/^0 /s/\.\..*//p' out | wc -m)" \
    "$(sed -n '/^1 /s/\.\..*//p' out | wc -m)" \
    "names that are not ASCII keep the columns aligned"
LC_ALL=C run describe people.csv
prints "people.csv: 3 rows x 5 columns" "in another locale it draws in ASCII"
prints "40 +- 10" "plus-minus in ASCII"
prints "größe" "names are handed through"

run describe people.csv --target age
prints "target" "a role is shown"
run describe people.csv --target agee
refuses 1 'gram describe: people.csv: no column "agee" (did you mean "age"?)' \
    "a mistyped column gets a suggestion"
run describe people.csv --drop age --drop city
prints "3 rows × 3 columns" "columns are dropped"
run describe people.csv --missing drop
prints "2 rows × 5 columns, no missing cells" "rows with missing cells go"
run describe people.csv --missing mean
prints "2 ± 0.5" "a missing cell becomes the mean"
run describe people.csv --missing indicator
prints "3 rows × 6 columns, no missing cells" "an indicator is a new column"
run describe people.csv --missing refuse
holds "a missing cell can be refused" [ "$code" -eq 1 ]
run describe people.csv --types age=category
prints "3 levels: 30, 40, 50" "a type can be given"

run describe people.csv --json
exits 0 "JSON"
holds "it is one JSON object on one line" is_json out
holds "with the keys that programs rely on" has_keys out file rows cols \
    columns name type role missing count min max mean std distinct histogram \
    levels read_seconds seconds peak_bytes
prints '"rows":3,"cols":5' "rows and columns"
prints '{"name":"Bern","count":2}' "levels with counts"
prints '"min":"1970-03-01","max":"1990-01-31"' "dates as people write them"
prints '"min_days":59' "dates as days, too"
prints '"name":"größe","type":"number","role":"feature","missing":1' \
    "names are UTF-8"
printf 'caf\351,b\n1,2\n' >latin.csv
run describe latin.csv --json
holds "a name that is not UTF-8 is mended" is_json out
printf 'a\033[31mb,c\n1,2\n' >escape.csv
run describe escape.csv
same "" "$(tr -dc '\033' <out)" \
    "no escape sequence of a file reaches the terminal"

printf 'x,age\n1,2\n2,abc\n' >bad.csv
run describe bad.csv --types age=number
refuses 1 'gram describe: bad.csv:3: column "age": "abc" is not a number' \
    "a bad cell is named with file, line and column"
run describe nothere.csv
holds "a file that is not there" [ "$code" -eq 1 ]
holds "is named" grep -q '^gram describe: .*nothere.csv' err
holds "in one line" [ "$(wc -l <err)" -eq 1 ]
run describe .
holds "a directory" [ "$code" -eq 1 ]

printf '1 1:0.5 7:2\n-1 3:1\n' >data.svm
run describe data.svm
prints "7 wide, 3 stored (21.4%)" "a sparse block"
run describe data.svm --json
holds "a sparse block in JSON" has_keys out width density
code=0
"$GRAM" describe - <people.csv >out 2>err || code=$?
prints "standard input: 3 rows × 5 columns" "standard input"
run describe builtin:iris
prints "builtin:iris: 150 rows × 5 columns, no missing cells" "builtin data"

awk 'BEGIN { for (j = 0; j < 300; j++) printf "column_%d%s", j,
    j < 299 ? "," : "\n"; for (i = 0; i < 3; i++) for (j = 0; j < 300; j++)
    printf "%d%s", i * j, j < 299 ? "," : "\n" }' </dev/null >wide.csv
run describe wide.csv
same 302 "$(wc -l <out)" "every one of 300 columns has its line"
holds "on 80 columns" [ "$(widest <out)" -le 80 ]
