#!/bin/sh
# test_convert.sh - from one format to another and back.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

printf 'a,b\n0.1,2\n1e-300,-4\n123456789.125,6\n' >data.csv

run convert data.csv data.npy
holds "CSV to .npy" [ "$code" -eq 0 ]
same "data.csv -> data.npy: 3 rows, 2 columns" "$(cat err)" \
    "the report is one line on stderr"
holds "and not on stdout" [ ! -s out ]
run convert -q data.npy back.csv
exits 0 "quiet"
same "$(sed 1d data.csv)" "$(sed 1d back.csv)" \
    "every bit survives CSV, .npy, CSV"
run convert data.csv -
same "$(cat data.csv)" "$(cat out)" "to standard output it is CSV"
run convert data.csv - --to tsv -q
prints "$(printf 'a\tb')" "another format for standard output"
run convert data.csv data.csv.gz -q
exits 0 "packed"
run convert data.csv.gz - -q
same "$(cat data.csv)" "$(cat out)" "and unpacked"
run convert data.csv data.svm --target a -q
exits 0 "to LIBSVM text"
run describe data.svm
prints "1 wide, 3 stored" "which can be read"
run convert data.csv out.xyz
holds "an unknown extension is an error" [ "$code" -eq 1 ]
holds "and no file is left" [ ! -e out.xyz ]
run convert data.csv out.csv --to parquet
holds "an unknown format is an error" [ "$code" -eq 1 ]
run convert data.csv nowhere/out.csv
holds "a folder that is not there is an error" [ "$code" -eq 1 ]
holds "that is one line" [ "$(wc -l <err)" -eq 1 ]

printf 'x,y\n1,10\n2,20\n3,30\n' >scale.csv
run convert scale.csv - --scale standard -q
same "$(printf 'x,y\n-1,-1\n0,0\n1,1')" "$(cat out)" "scale standard"
run convert scale.csv - --scale minmax --target y -q
same "$(printf 'x,y\n0,10\n0.5,20\n1,30')" "$(cat out)" \
    "scale minmax leaves the target alone"

printf 'x,y\n1,\n2,20\n' >holes.csv
run convert holes.csv out.csv
holds "a missing cell is refused" [ "$code" -eq 1 ]
holds "with its column" grep -q '^gram convert: holes.csv:.* column "y"' err
holds "and no file is left behind" [ ! -e out.csv ]
run convert holes.csv - --missing keep -q
same "$(cat holes.csv)" "$(cat out)" "or kept"
run convert holes.csv - --missing drop -q
same "$(printf 'x,y\n2,20')" "$(cat out)" "or its row dropped"

run convert data.csv out.npy --json
holds "JSON" is_json out
holds "with its keys" has_keys out from to rows cols read_seconds \
    write_seconds peak_bytes
run convert data.csv - --json
same "1 gram convert: --json: the table goes to standard output already" \
    "$code $(cat err)" "JSON and the table cannot share standard output"
cp data.csv same.csv
run convert same.csv same.csv -q
same "$(cat data.csv)" "$(cat same.csv)" "a file onto itself"
