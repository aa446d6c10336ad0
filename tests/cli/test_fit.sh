#!/bin/sh
# test_fit.sh - fit, plan, path, cv, compare.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# value KEY: a number of the JSON in out
value() {
    sed -E "s/.*\"$1\":(-?[0-9.eE+-]+|null|true|false).*/\\1/" out
}

# near A B TOLERANCE NAME: |A - B| <= TOLERANCE max(|A|, |B|)
near() {
    if awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN {
        d = a - b; if (d < 0) d = -d; if (a < 0) a = -a; if (b < 0) b = -b
        exit !(d <= t * (a > b ? a : b)) }'; then
        pass "$4"
    else
        fail "$4" "$1 is not near $2"
    fi
}

awk 'BEGIN { print "x,z,y"; srand(3); for (i = 0; i < 60; i++) {
    x = 6 * rand() - 3; z = rand()
    printf "%.6f,%.6f,%.6f\n", x, z, sin(x) + z + 0.1 * (rand() - 0.5) } }' \
    >data.csv

run fit data.csv -t y -o m.gram
exits 0 "fit"
prints "plan:" "its first line is the plan"
same plan: "$(head -1 out | cut -c1-5)" "really the first"
prints "log evidence" "it reports"
holds "it fits in 80 columns" [ "$(widest <out)" -le 80 ]
holds "the model is there" [ -s m.gram ]
run fit data.csv -t y --json
holds "its JSON is JSON" is_json out
holds "with the keys that programs rely on" has_keys out n d task kernel loss \
    lambda amplitude noise_variance criterion criterion_value log_evidence \
    intercept jitter rank condition residual converged seconds peak_bytes \
    warnings
same 60 "$(value n)" "rows are counted"
run fit data.csv -t y -k 'rbf(gamma=0.5)' --lambda 0.1 --solver dual --json
b=$(value intercept)
run fit data.csv -t y -k 'rbf(gamma=0.5)' --C 5 --solver cg --json
near "$b" "$(value intercept)" 1e-7 "C is lambda, and cg is dual"
run fit data.csv -t y -k linear --lambda 0.1 --solver primal --json
b=$(value intercept)
run fit data.csv -t y -k linear --lambda 0.1 --solver dual --json
near "$b" "$(value intercept)" 1e-9 "primal is dual"

run fit data.csv -t y -k 'rbf(gamma=0.5)' -l 1 --solver gd --trace trace.csv -q
exits 0 "gradient descent"
same step,loss "$(head -1 trace.csv)" "its trace has a header"
holds "and losses that go down" awk -F, 'NR > 2 && $2 > last * (1 + 1e-12) {
    exit 1 } { last = $2 }' trace.csv
run fit data.csv -t y -k 'rbf(gamma=0.5)' -l 1 --solver gd --steps 3 -o g.gram
exits 3 "too few steps"
prints "NOT CONVERGED" "it says so"
holds "the model is written" [ -s g.gram ]
run fit data.csv -t y -k 'rbf(gamma=0.5)' -l 1 --solver gd --holdout 0.2 \
    --trace held.csv -q
same step,loss,held_out "$(head -1 held.csv)" "a held-out column"

run plan data.csv -t y
exits 0 "plan"
prints dual "it names the solver"
run plan data.csv -t y --json
holds "its JSON is JSON" is_json out
holds "other solvers are a list" grep -q '"others":\["' out

run path data.csv -t y -k 'rbf(gamma=0.5)' --lambdas 1e-3:10:5
exits 0 "path"
same 5 "$(grep -c '^ *[0-9]' out)" "a line for each lambda"
prints "*" "it marks the best"
run path data.csv -t y -k 'rbf(gamma=0.5)' --lambdas 0.01,0.1 --json
holds "its JSON is JSON" is_json out
holds "with the keys that programs rely on" has_keys out rows lambda loo gcv \
    log_evidence df

run cv data.csv -t y --folds 3 -k 'rbf(gamma=0.5)'
exits 0 "cv"
same 3 "$(grep -c '^ *[123] ' out)" "a line for each fold"
run cv data.csv -t y --folds 3 -k 'rbf(gamma=0.5)' --json
holds "its JSON is JSON" is_json out
run compare data.csv -t y -k rbf -k linear --folds 3
exits 0 "compare"
same 2 "$(grep -c -e 'rbf$' -e 'linear$' out)" "a line for each kernel"
run compare data.csv -t y -k 'rbf(gamma=0.5) + linear' --folds 3 -l 1 \
    -k 'rbf(gamma=0.125)[x] + rbf(gamma=0.5)[z] + linear'
holds "it fits in 80 columns" [ "$(widest <out)" -le 80 ]
run compare data.csv -t y -k rbf
exits 2 "one kernel cannot be compared"

awk 'NR == 1 { print $0 ",part" } NR > 1 { print $0 "," NR % 4 }' data.csv \
    >parts.csv
run fit parts.csv -t y --select cv --fold-column part -k 'rbf(gamma=0.5)' --json
same 2 "$(value d)" "the column of the parts is no feature"
run cv parts.csv -t y --fold-column part -k 'rbf(gamma=0.5)'
same 4 "$(grep -c '^ *[1-4] ' out)" "a line for each part"
run fit parts.csv -t y --fold-column part --group z
refuses 1 "gram fit: --fold-column: rows are grouped by column \"z\" already, \
only one can say which stay together" "parts and groups"
run fit parts.csv -t y --fold-column q
exits 1 "parts that are not there"

run fit builtin:sparse -k linear -l 1
prints "numbers]" "long lists of numbers are cut short"
holds "so that the report is" [ "$(wc -l <out)" -lt 30 ]
run fit data.csv -t y -k 'rbf(gamma=0.5)' -l 1 --precision single
prints "not computed: the factor is in single precision" "why not"
run fit data.csv -t y -k 'rbf(gamma=?[0.1,1])' --select cv --lambda '?[0.01,1]' \
    --folds 3 --json
exits 0 "cross-validation over candidates"
holds "takes one of them" grep -qE '"lambda":(0.01|1.0)' out

# ------------------------------------------------------------- bad input

run fit data.csv
refuses 1 "gram fit: data.csv: no target: --target COL names the column to \
predict" "no target"
run fit data.csv -t q
exits 1 "a target that is not there"
run fit data.csv -t y --lambda -1
exits 1 "lambda below 0"
run fit data.csv -t y --lambda nan
exits 1 "lambda NaN"
run fit data.csv -t y --lambda 1 --C 1
refuses 1 "gram fit: --C and --lambda say the same: give one of them" "both"
run fit data.csv -t y -k 'indicator(eps=1)'
exits 1 "a refuted kernel"
run fit data.csv -t y --loss hinges
exits 1 "a loss that is not there"
run fit data.csv -t y -k rbf -k linear
exits 1 "two kernels"
run fit data.csv -t y --solver qp
exits 1 "a solver that is not there"
run fit data.csv -t y -k 'rbf(gamma=1)' -l 1 --trace t.csv
exits 1 "a solver without steps has no trace"
run path data.csv -t y --lambdas 1:0:3
exits 1 "lambdas that go down"
run fit builtin:mixed -t note --missing drop
exits 1 "a target of text"
printf 'x,y\n' >none.csv
run fit none.csv -t y
exits 1 "no rows"
printf 'x,y\n1,2\n' >one.csv
run fit one.csv -t y -k 'rbf(gamma=1)' -l 1 --json
exits 0 "one row"
printf 'x,y\n1,2\n2,\n' >hole.csv
run fit hole.csv -t y
exits 1 "a target that is missing"
for policy in mean indicator; do
    run fit hole.csv -t y --missing $policy
    refuses 1 'gram fit: hole.csv: row 2, column "y": the cell is missing, a target cannot be filled in (--missing drop leaves out its row)' \
        "a target is not invented by $policy"
done
printf 'x,y,w\n1,2,1\n2,3,\n3,4,1\n' >hole.csv
run fit hole.csv -t y --weights w -k 'rbf(gamma=1)' -l 1 --missing keep
refuses 1 'gram fit: hole.csv: row 2, column "w": the cell is missing, a weight cannot be filled in (--missing drop leaves out its row)' \
    "a weight that is missing"
run fit hole.csv -t y --weights w -k 'rbf(gamma=1)' -l 1 --missing drop
prints "hole.csv: 2 rows" "its row can be left out"
run fit builtin:mixed --drop note --missing indicator -k 'rbf(gamma=1)' -l 1
exits 0 "missing categories are a level"
run fit builtin:mixed --drop note --missing keep -k 'rbf(gamma=1)' -l 1
exits 1 "or refused"
run fit data.csv -t y -o no/such/folder/m.gram
refuses 1 "gram fit: no/such/folder/m.gram: cannot be written: No such file or \
directory" "no such folder, said before the fit"
run fit data.csv -t y -o .
refuses 1 "gram fit: .: is a directory, must be a file" "a directory"
ln -s data.csv link.csv
run fit data.csv -t y -o link.csv
refuses 1 "gram fit: link.csv: is the data, must be another file" \
    "the data is not overwritten"
run fit builtin:moons -k 'rbf(gamma=1)' -l 1 --mem 1K
exits 1 "a budget that is too small"

# Rasmussen and Williams 2006, section 5.4.3: their kernel and printed numbers.
mauna=${GRAM_DATA:-}/timeseries/mauna.csv
if [ -f "$mauna" ]; then
    run fit "$mauna" -t y --no-intercept -l 0.0361 -k '4356*rbf(length=67)
        + 5.76*rbf(length=90)*periodic(period=1,length=1.3)
        + 0.4356*rq(alpha=0.78,length=1.2) + 0.0324*rbf(length=0.1333333333)'
    prints "log evidence  -108.62" "the evidence of Mauna Loa"
else
    echo "skip the evidence of Mauna Loa: needs the shared data"
fi
