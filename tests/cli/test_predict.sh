#!/bin/sh
# test_predict.sh - predict, score, sample, info, norm, update, model files.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { print "id,x,c,y"; srand(5); for (i = 0; i < 80; i++) {
    x = 6 * rand() - 3; c = i % 3 ? "a" : "b"
    printf "r%d,%.6f,%s,%.6f\n", i, x, c, \
        sin(x) + (c == "a") + 0.1 * (rand() - 0.5) } }' >all.csv
head -61 all.csv >train.csv
{ head -1 all.csv; tail -20 all.csv; } >test.csv

run fit train.csv -t y --drop id -k 'rbf[x] + delta[c]' -o m.gram --keep-factor -q
exits 0 "a model"
run predict m.gram test.csv --drop id
exits 0 "predict"
same prediction "$(head -1 out)" "one column"
same 21 "$(wc -l <out)" "a line for every row"
run predict m.gram test.csv --std --interval 0.9 --keep id,y --terms
same id,y,prediction,std,std_f,lower,upper \
    "$(head -1 out | cut -d, -f1-7)" "all columns"
holds "lower < prediction < upper, std > std_f" awk -F, 'NR > 1 && !($6 < $3 &&
    $3 < $7 && $4 > $5 && $5 >= 0) { exit 1 }' out
run predict m.gram test.csv --terms
same prediction,intercept "$(head -1 out | cut -d, -f1-2)" "an intercept"
holds "parts that add up to the prediction" awk -F, 'NR > 1 {
    s = -$1; for (i = 2; i <= NF; i++) s += $i
    if (s > 1e-9 || s < -1e-9) exit 1 }' out
run predict m.gram test.csv --json --std --keep id
exits 0 "predictions as JSON"
holds "are JSON" is_json out
holds "with a list for every column" has_keys out id prediction std std_f
holds "strings for what is kept" grep -q '"id":\["r60",' out
run predict m.gram test.csv --json -o j.csv
holds "about a file as well" is_json out
holds "with the keys that programs rely on" has_keys out to rows seconds
same 21 "$(wc -l <j.csv)" "the file is a table"
# a row's prediction does not know its neighbours, a model not its threads
awk 'BEGIN { print "x,c"; print "1e4,z"; print "-1e8,a" }' >far.csv
{ cut -d, -f2,3 test.csv; tail -n +2 far.csv; } >beside.csv
{ head -1 beside.csv; sed -n 5p beside.csv; } >alone.csv
run predict m.gram beside.csv --std --terms --interval 0.9
sed -n 5p out >kept
run predict m.gram alone.csv --std --terms --interval 0.9
same "$(cat kept)" "$(sed -n 2p out)" "a row alone has the bits it has in a table"
run fit train.csv -t y --drop id -k 'rbf[x] + delta[c]' -o m1.gram --threads 1 -q
run fit train.csv -t y --drop id -k 'rbf[x] + delta[c]' -o m2.gram --threads 2 \
    --mem 1G -q
holds "models of one thread and of two are the same file" cmp -s m1.gram m2.gram
run info m1.gram
same 0 "$(grep -c took out)" "what was not stored is not shown"
run info m1.gram --json
holds "or is null" grep -q '"seconds":null' out

run predict m.gram test.csv --interval 0.9 --method jackknife
exits 0 "jackknife"
holds "intervals that hold most" awk -F, 'NR > 1 && !($2 < $3) { exit 1 }' out
run predict m.gram test.csv --why 2
same prediction,why_1,why_1_part,why_2,why_2_part "$(head -1 out)" "why"
holds "rows of the table, the strongest first" awk -F, 'NR > 1 {
    a = $3 < 0 ? -$3 : $3; b = $5 < 0 ? -$5 : $5
    if ($2 < 1 || $2 > 60 || a < b) exit 1 }' out
sed 's/,b,/,new,/' test.csv >new.csv
run predict m.gram new.csv
exits 0 "a category that was never seen"
run predict m.gram new.csv --unseen error
exits 1 "can be an error"
run predict m.gram test.csv -o p.csv
holds "predictions in a file" [ -s p.csv ]
run fit train.csv -t y --drop id,c -o x.gram -q
run predict x.gram test.csv --interval 0.9 --plot
exits 0 "a picture"
holds "it fits in 80 columns" [ "$(widest <out)" -le 80 ]

# pictures TITLE... NAME: what --plot drew last, by what stands above it
pictures() {
    same "$1" "$(sed -n 's/^ \{11\}\([a-z][^ ]*\)$/\1/p' out | paste -sd' ')" "$2"
}
run fit builtin:sinc --loss 'one_class(nu=0.1)' -o plot.gram -q
run predict plot.gram builtin:sinc --plot
exits 0 "a picture of a model without a target"
pictures decision "shows the values that decide"
run fit train.csv -t c -k 'rbf(gamma=1)[y]' -l 1 -o plot.gram -q
run predict plot.gram test.csv --plot
pictures p_b "of two classes the probability of one"
run fit builtin:iris -k 'rbf(gamma=1)[petal_width]' -l 1 -o plot.gram -q
run predict plot.gram builtin:iris --plot
pictures "p_setosa p_versicolor p_virginica" "of three classes that of each"
run fit builtin:iris -k 'rbf(gamma=1)[petal_width]' --loss hinge -l 1 \
    -o plot.gram -q
run predict plot.gram builtin:iris --plot
same 3 "$(grep -c '+-----' out)" "without probabilities what decides each pair"
run fit train.csv -t y --drop id,c -k 'rbf(gamma=1)' -l 1 \
    --loss 'quantile(tau=[0.1,0.5,0.9])' -o plot.gram -q
run predict plot.gram test.csv --plot
pictures y "of several quantiles one picture"
run fit train.csv -t y -t x -k 'rbf(gamma=1)[x]' -l 1 -o plot.gram -q
run predict plot.gram test.csv --plot
pictures "x y" "of several targets one each"
awk -F, '{ print $2 }' test.csv >alone.csv
run predict plot.gram alone.csv --plot
pictures "x y" "also where the data has none"
run predict m.gram test.csv --plot
refuses 1 "gram predict: --plot: the kernel looks at 2 columns, must look at one of numbers" \
    "no picture of two columns"
run fit train.csv -t y -k 'delta[c]' -l 1 -o plot.gram -q
run predict plot.gram test.csv --plot
refuses 1 'gram predict: --plot: column "c" is of type category, must be number or date' \
    "nor of categories"
run predict x.gram test.csv --plot -o p.csv
refuses 1 "gram predict: --plot and --output: give one of them" \
    "nor in a file"

awk -F, 'NR == 1 { print "day,y" } NR > 1 {
    printf "2001-02-%02d,%s\n", 1 + NR % 28, $4 }' train.csv >days.csv
run fit days.csv -t y -k 'rbf(length=5)' -l 1 -o days.gram -q
run predict days.gram days.csv --plot
prints 2001-02-28 "dates below a picture"

run score m.gram test.csv --json
exits 0 "score"
holds "its JSON is JSON" is_json out
holds "with the keys that programs rely on" has_keys out rmse mae r2 nlpd \
    coverage
run score m.gram test.csv
prints "rmse" "for people, too"

run sample m.gram test.csv -n 2
same draw_1,draw_2 "$(head -1 out)" "draws"
cp out first
run sample m.gram test.csv -n 2
holds "the same for the same seed" cmp out first
run sample m.gram test.csv -n 2 --with-noise
holds "others with noise" [ "$(head -2 out)" != "$(head -2 first)" ]
run sample m.gram test.csv -n 2 --json
holds "draws as JSON" is_json out
holds "a list for each" has_keys out draw_1 draw_2
run sample -k 'rbf(gamma=1)[x]' test.csv -n 1 --seed 3
exits 0 "draws from the prior"

run info m.gram
exits 0 "info"
prints "columns, by" "it ranks columns"
holds "it fits in 80 columns" [ "$(widest <out)" -le 80 ]
run info m.gram --json
holds "its JSON is JSON" is_json out

run norm m.gram
exits 0 "norm"
run norm m.gram --json
holds "of one model no distance" grep -q '"norm2":null.*"distance":null' out
run norm m.gram m.gram --json
holds "a model is at distance 0 of itself" grep -q '"distance":0' out
run norm m.gram x.gram
exits 1 "other kernels have another space"

# ---------------------------------------------------------------- updates

run fit all.csv -t y --drop id --from m.gram -o full.gram -q
exits 0 "kernel and lambda of a model"
run predict full.gram test.csv
cp out wanted
run update m.gram test.csv -t y --drop id -o u.gram -q
exits 0 "rows are added"
run predict u.gram test.csv
holds "as a fit to all" awk 'NR == FNR { a[FNR] = $1; next } FNR > 1 {
    d = a[FNR] - $1; if (d < 0) d = -d; if (d > 1e-8) exit 1 }' wanted out
cp out wanted
run update m.gram test.csv -o v.gram -q
exits 0 "the model knows its target"
run predict v.gram test.csv
holds "with the same answer" cmp out wanted
cut -d, -f1-3 test.csv >blind.csv
run update m.gram blind.csv -o v.gram
exits 1 "rows without target"
holds "and the data is named" grep -q "blind.csv: .*\"y\"" err
run update m.gram test.csv -o test.csv
refuses 1 "gram update: test.csv: is the data, must be another file" \
    "the data is not overwritten"
run update u.gram --remove 61:80 -o back.gram -q
exits 0 "and removed"
run predict m.gram test.csv
cp out wanted
run predict back.gram test.csv
holds "as before" awk 'NR == FNR { a[FNR] = $1; next } FNR > 1 {
    d = a[FNR] - $1; if (d < 0) d = -d; if (d > 1e-8) exit 1 }' wanted out
run update m.gram --remove 99
exits 1 "a row that is not there"
run update m.gram
exits 2 "nothing to do"

# ------------------------------------------------------------- model files

size=$(wc -c <m.gram)
head -c $((size / 2)) m.gram >cut.gram
run predict cut.gram test.csv
exits 1 "a truncated model"
cp m.gram flip.gram
printf '\377' | dd of=flip.gram bs=1 seek=200 conv=notrunc 2>/dev/null
run predict flip.gram test.csv
exits 1 "an altered model"
holds "says so" grep -q "altered" err
cp m.gram newer.gram
printf '\011' | dd of=newer.gram bs=1 seek=8 conv=notrunc 2>/dev/null
run predict newer.gram test.csv
exits 1 "a newer model"
holds "says its version" grep -q "version 9" err
run predict test.csv test.csv
refuses 1 "gram predict: test.csv: not a model of gram" "a file of another kind"
cut -d, -f1,3 test.csv >less.csv
run predict m.gram less.csv
exits 1 "a column that is missing"
holds "the data is named" grep -q "^gram predict: less.csv: .*\"x\"" err
run score m.gram less.csv
holds "by score, too" grep -q "^gram score: less.csv: " err
run predict m.gram test.csv --interval 0
refuses 1 "gram predict: --interval: 0, must be between 0 and 1" "interval 0"
run predict m.gram test.csv -o no/p.csv
refuses 1 "gram predict: no/p.csv: cannot be written: No such file or \
directory" "no such folder"
sed 's/,[ab],/,1,/; s/^\(r[0-9]*\),[^,]*/\1,word/' test.csv >type.csv
run predict m.gram type.csv
exits 1 "a column of another type"
head -1 test.csv >empty.csv
run predict m.gram empty.csv
refuses 1 "gram predict: empty.csv: no rows" "no rows"

if [ -e /dev/full ]; then
    run fit train.csv -t y --drop id -k 'rbf(gamma=1)[x]' -l 1 -o /dev/full -q
    exits 1 "a disk that is full"
fi
cp m.gram old.gram
cp m.gram kept.gram
"$GRAM" fit train.csv -t y --drop id -k 'rbf(gamma=1)[x]' -l 1 --solver gd \
    --steps 100000000 --tolerance 1e-300 -o old.gram >/dev/null 2>&1 &
job=$!
sleep 0.5
kill -9 $job
wait $job 2>/dev/null
holds "the old model survives kill -9" cmp old.gram kept.gram
