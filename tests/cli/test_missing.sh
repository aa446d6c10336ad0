#!/bin/sh
# test_missing.sh - missing cells, types and tasks: what a model learned from
# its table serves for the rows that come later.
. "$(dirname "$0")/lib.sh"

printf 'age,city,y\n1,Oslo,1.5\n2,Roma,2.25\n,Oslo,3.5\n4,,4.25\n5,Roma,5.5\n6,Oslo,6.75\n' >train.csv
printf 'age,city\n,Oslo\n3,Roma\n' >two.csv
printf 'age,city\n,Oslo\n1000,Oslo\n' >far.csv
printf 'age,city\n,Oslo\n' >one.csv
printf 'age,city\n3,Roma\n' >whole.csv

for policy in mean indicator; do
    run fit train.csv -t y --missing $policy -k 'rbf(gamma=0.1)' -l 0.1 -o m.gram
    prints "regression of y" "the report names the task with $policy"
    prints "training rows' means" "and what stands for missing cells"
    run predict m.gram two.csv
    exits 0 "$policy needs no option at predict"
    first=$(sed -n 2p out)
    run predict m.gram far.csv
    same "$first" "$(sed -n 2p out)" "a row does not depend on its neighbours"
    run predict m.gram one.csv
    same "$first" "$(sed -n 2p out)" "a single row is filled, too"
    run predict m.gram whole.csv
    exits 0 "a file without missing cells is taken"
    run score m.gram train.csv --json
    holds "all rows are scored with $policy" grep -qE '"n": ?6' out
done

run fit train.csv -t y --missing drop -k 'rbf(gamma=0.1)' -l 0.1 -o d.gram
prints "train.csv: 4 rows" "rows with missing cells are left out"
run predict d.gram train.csv --std
same 7 "$(wc -l <out | tr -d ' ')" "every row has its line"
same ",," "$(sed -n 4p out)" "that of a missing cell is empty"
same "gram predict: note: train.csv: 2 of 6 rows have missing cells and no prediction" \
    "$(cat err)" "and they are counted"
run predict m.gram two.csv --missing drop --std
same ",," "$(sed -n 2p out)" "so it is if asked for at predict"

run fit train.csv -t y -k 'rbf(gamma=0.1)' -l 0.1
refuses 1 'gram fit: train.csv: row 3, column "age": the cell is missing (--missing drop, mean or indicator says what to do)' \
    "a missing cell is refused without a policy"
run fit train.csv -t y -k 'rbf(gamma=0.1)[city]' -l 0.1 --missing refuse
exits 1 "refuse looks at all columns"

# types
printf 'code,y\n01,yes\n02,no\n01,yes\n02,no\n01,yes\n' >codes.csv
run fit codes.csv -t y --types code=category -k delta -l 0.1 -o c.gram
exits 0 "codes as categories"
printf 'code,y\n01,yes\n02,no\n' >later.csv
run score c.gram later.csv
prints "accuracy      1" "types are those of the fit without an option"
printf '+1 1:1 2:2\n-1 1:-1 2:-2\n+1 1:1.5 2:2\n-1 1:-2 2:-1\n+1 1:2\n' >a.svm
run fit a.svm --types label=category -k 'rbf(gamma=0.1)' -l 0.1 -o l.gram
run score l.gram a.svm
prints "accuracy      1" "labels of LIBSVM files, too"

# tasks
printf 'x,y\n1,0\n2,1\n3,0\n4,1\n5,1\n6,0\n' >bits.csv
run fit bits.csv -t y -k 'rbf(gamma=1)' -l 1
prints "2 classes of y: 0, 1" "two values are classes"
prints "has two values" "and the way out is said"
run fit bits.csv -t y -k 'rbf(gamma=1)' -l 1 --task regression
prints "regression of y" "unless the task is given"
run fit bits.csv -t y -k 'rbf(gamma=1)' -l 1 --loss ' squared'
prints "regression of y" "a loss with a blank is the loss"
run cv bits.csv -t y -k 'rbf(gamma=1)' -l 1 --loss ' squared' --folds 2
prints "rmse" "and cross-validation says its error by its name"
run fit bits.csv -t y --loss ' one_class(nu=0.5)' -o n.gram
prints "novelty" "one_class does not look at a target"
run fit whole.csv --loss ' one_class(nu=0.5)' --drop city
exits 0 "nor needs one"

# samples
printf 'x,y\n1,2\n,3\n3,4\n4,5\n,6\n6,7\n' >s1.csv
printf 'x,y\n11,2\n12,\n13,4\n14,5\n15,6\n16,7\n' >s2.csv
run test s1.csv s2.csv
exits 1 "samples with missing cells are refused"
run test s1.csv s2.csv --missing mean
exits 0 "unless they are to be filled"
run test s1.csv s2.csv --missing indicator --json
holds "what is missing is compared, too" grep -q x_missing out
run test s1.csv s2.csv --missing drop --json
holds "or their rows left out" grep -qE '"m": ?4' out
run test s1.csv - --missing mean --batch 6 --permutations 100
exits 1 "a stream needs a header"
code=0
"$GRAM" test s1.csv - --missing mean --batch 6 --permutations 100 <s2.csv >out 2>err || code=$?
exits 0 "a stream is filled with the means of the reference"
