#!/bin/sh
# test_samples.sh - test and herd: two files, groups, independence, streams.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

run test builtin:before builtin:after
exits 0 "two samples"
prints "The samples differ" "a verdict in words"
prints "MMD^2" "a statistic"
prints "permutations of" "where p comes from"
holds "it fits in 80 columns" [ "$(widest <out)" -le 80 ]
run test builtin:before builtin:before --seed 3
exits 0 "a file beside itself"
prints "No difference was found" "does not differ"
run test builtin:before builtin:after --json
holds "is JSON" is_json out
holds "with the keys that programs rely on" has_keys out statistic p_value \
    reject permutations seconds std_error kernel columns warnings
cp out first
run test builtin:before builtin:after --json --threads 1
same "$(cut -d, -f1-3 first)" "$(cut -d, -f1-3 out)" "threads change nothing"
for o in "--exact -p 200" "--exact --sequential" --aggregate "--split 0.5" \
    "--method gamma" "--method spectral -p 200" "--method wild -p 200" \
    "--statistic block" "--statistic linear" "--statistic biased"; do
    # shellcheck disable=SC2086
    run test builtin:before builtin:after -q $o
    exits 0 "test $o"
done
run test builtin:before builtin:after -k linear
prints "compares means only" "a kernel that cannot see everything says so"
run test builtin:before builtin:after -q --witness w.csv
exits 0 "a witness"
same length,width,weight,sample_of,row_of,witness "$(head -1 w.csv)" \
    "its columns"
same 1001 "$(wc -l <w.csv)" "a line for every row"

run test builtin:iris --by species
exits 0 "groups"
same 4 "$(wc -l <out)" "all pairs"
run test builtin:iris --by species --json
holds "as JSON" has_keys out a b p_value p_holm reject
run test builtin:mixed --independence --x area --y rent -p 200
exits 0 "independence"
prints "depend on each other" "is not there"

run convert builtin:before before.csv
awk -F, -v OFS=, 'NR > 1 { $1 += 3 } { print }' before.csv >moved.csv
timeout 60 "$GRAM" test builtin:before - --batch 100 <before.csv >out 2>err
same 5 "$(wc -l <out)" "a line for every batch of a stream"
holds "none differs" sh -c '! grep -q differs out'
timeout 60 "$GRAM" test builtin:before - --batch 100 <moved.csv >out 2>err
prints "the stream differs" "a stream that does"

run herd builtin:iris -m 5
exits 0 "herd"
same 5 "$(sort -u out | wc -l)" "so many rows"
run herd builtin:iris -m 5 --json
holds "herd as JSON" has_keys out rows distance seconds
run herd builtin:iris -m 5 -o few.csv
same 6 "$(wc -l <few.csv)" "rows in a file"
run herd builtin:iris -m 500
refuses 1 "gram herd: builtin:iris: m = 500, must be from 1 to the number of \
rows, 150" "more rows than there are"

printf 'a,b\n1,x\n2,y\n3,x\n' >a.csv
printf 'a,b\n1,x\n2,z\n4,z\n' >b.csv
printf 'a,b\n1,x\n' >one.csv
printf 'c,d\n1,2\n3,4\n' >other.csv
printf 'a,b\n1,x\n,y\n' >missing.csv
printf 'a\n2\n2\n2\n' >same.csv
run test a.csv b.csv
exits 0 "a category that the other file has not"
run test a.csv one.csv
refuses 1 "gram test: one.csv: second sample: 1 row, must be 2 or more" "one row"
run test a.csv other.csv
exits 1 "other columns"
run test a.csv missing.csv
exits 1 "a missing cell"
run test same.csv same.csv
exits 0 "rows that are all equal"
prints "same for all pairs" "nothing to be seen"
run test a.csv
refuses 2 "gram test: missing operand: two files, or one and --by or \
--independence" "one file"
run test a.csv b.csv --alpha 1.5
refuses 1 "gram test: --alpha: 1.5, must be between 0 and 1" "a level above 1"
run test a.csv b.csv --sequential
exits 1 "sequential without exact"
