#!/bin/sh
# test_texts.sh - a column that is copied has the text of the file: dates, 007,
# identifiers of 20 digits, 1.50, quoted text, missing cells as they were.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >data.csv <<'END'
id,when,code,name,x,y
12345678901234567890,2024-01-01,007,"Smith, J.",1.50,1.0
12345678901234567891,2024-01-02 08:30,008,"a ""q"" b",+2.0,2.1
00000000000000000003,2024-01-03,NA,é ü,3e0,2.9
98765432109876543210,2024-01-05,010,"two
lines",4.,4.0
98765432109876543211,,011,,5,5.2
END
sed 's/3e0/NA/; s/,4\.,/,,/' data.csv >gaps.csv

# ends N FILE: the file without the last N columns of its lines
ends() {
    sed -E "s/(,[^,\"]*){$1}\$//" "$2"
}

run convert data.csv copy.csv --missing keep -q
exits 0 "a table is converted"
holds "its cells are those of the file" cmp data.csv copy.csv
run convert gaps.csv gaps.tsv --missing keep -q
run convert gaps.tsv back.csv --missing keep -q
holds "by way of tabs, too" cmp gaps.csv back.csv
run convert data.csv - --drop id,when,name,code -q --scale minmax -t y
prints "0,1.0" "what is scaled is not, the target is"

run fit data.csv -t y -k "rbf(gamma=1)[x]" --lambda 0.1 -q -o m.gram \
    --missing keep
exits 0 "a model is fitted"
run predict m.gram data.csv --keep id,when,code --keep name,x,y -o p.csv -q
exits 0 "columns are kept"
ends 1 p.csv >copy.csv
holds "each with the text of the file" cmp data.csv copy.csv
run predict m.gram data.csv --keep when,x --missing drop -o p.csv -q
holds "beside rows left out" grep -q "^2024-01-02 08:30,+2.0," p.csv
run predict m.gram data.csv --keep idd
refuses 1 'gram predict: data.csv: no column "idd" (did you mean "id"?)' \
    "a column that is not there is refused"

run predict m.gram data.csv --keep id,code,when,y --json
holds "JSON is JSON" is_json out
prints '"id":["12345678901234567890",' "its long identifiers are texts"
prints '"code":["007","008",null,' "and what begins with zeros"
prints '"when":["2024-01-01","2024-01-02 08:30"' "and dates"
prints '"y":[1.0,2.1,2.9,4.0,5.2]' "its numbers are numbers, and short"

# Numbers of JSON are those of the table, in their shortest form.
run predict m.gram data.csv --std --json
holds "JSON has no digits that say nothing" sh -c \
    "! grep -q '[0-9]\.[0-9]*0000000[1-9]' out"
sed 's/.*"std":\[\([^]]*\)\].*/\1/' out | tr , '\n' >json
run predict m.gram data.csv --std
cut -d, -f2 out | sed 1d >csv
holds "JSON and CSV have the same numbers" cmp json csv
run score m.gram data.csv --interval 0.9 --json
prints '"interval":0.9,' "0.9 is 0.9"
prints '"n":5,' "whole numbers are whole"

printf '+1 1:0.5\n-1.0 1:2\n01 2:1\n' >data.svm
run fit data.svm -k "rbf(gamma=1)" --lambda 0.1 -q -o s.gram \
    --types label=number --loss squared
run predict s.gram data.svm --keep label -o p.csv
same "label +1 -1.0 01" "$(cut -d, -f1 p.csv | xargs)" \
    "labels of LIBSVM text are those of the file"

run herd data.csv -m 3 -k "rbf(gamma=1)[x]" -o few.csv -q --missing keep
exits 0 "rows are chosen"
same "" "$(grep -vxFf data.csv few.csv)" "and are those of the file"

run test data.csv data.csv -k "rbf(gamma=1)[x]" --witness w.csv -q \
    --missing keep
ends 3 w.csv >copy.csv
{ cat data.csv && sed 1d data.csv; } | cmp - copy.csv >out 2>&1
same "" "$(cat out)" "the witness has the rows of both files"
