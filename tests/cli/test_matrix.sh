#!/bin/sh
# test_matrix.sh - matrices and features as files, and data that do not suit
# the kernel.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# as_csv COMMAND SPEC FILE...: the matrix as lines of numbers
as_csv() {
    "$GRAM" "$@" -q -o - 2>err | "$GRAM" convert - - -q | sed 1d
}

# npy FILE ROW...: a matrix, a row like 1,2
npy() {
    file=$1
    shift
    printf '%s\n' "$@" >npy.csv
    "$GRAM" convert npy.csv "$file" -q --header no --missing keep
}

printf 'x,y\n1,2\n3,4\n' >a.csv
printf 'y,x\n0,1\n1,0\n2,2\n' >b.csv

run matrix linear a.csv -o K.npy
holds "a matrix" [ "$code" -eq 0 ]
holds "the report is one line on stderr" grep -Eqx \
    'K.npy: 2 × 2, float64, computed in [0-9.e-]+ s' err
holds "and not on stdout" [ ! -s out ]
same "$(printf '5,11\n11,25')" "$(as_csv matrix linear a.csv)" "its numbers"
same "$(printf '1,2,6\n3,4,14')" "$(as_csv matrix linear a.csv b.csv)" \
    "two tables, columns found by name"
same "$(printf '1,0\n0,1')" "$(as_csv matrix white a.csv)" \
    "a row is itself in one table"
same "$(printf '0,0\n0,0')" "$(as_csv matrix white a.csv a.csv)" \
    "and another row in two"
same "$(printf '4,8\n8,16')" "$(as_csv matrix linear a.csv -t x)" \
    "a target is no feature"
printf 'y\n5\n' >new.csv
same "$(printf '10\n20')" "$(as_csv matrix linear a.csv new.csv -t x)" \
    "which the second table may lack"
same "$(printf '2,4\n4,10')" \
    "$(as_csv matrix 'linear[x] + 1' a.csv)" "an expression"
run matrix linear a.csv -o K.npy --single -q
exits 0 "single precision"
same "'<f4'" "$(head -c 128 K.npy | grep -ao "'<f4'")" "is float32"
run matrix linear a.csv -o K.npy -q
same "'<f8'" "$(head -c 128 K.npy | grep -ao "'<f8'")" "double is float64"
same "$((128 + 4 * 8))" "$(wc -c <K.npy)" "a header of 128 bytes, 8 a pair"
run matrix 'rbf(gamma=0.5)' builtin:iris -o one.npy -q --threads 1
run matrix 'rbf(gamma=0.5)' builtin:iris -o two.npy -q --threads 2
holds "the same bits for any number of threads" cmp one.npy two.npy

run matrix linear a.csv -o K.npy --json
holds "JSON" is_json out
holds "with its keys" has_keys out kernel to rows cols type seconds \
    read_seconds write_seconds peak_bytes
prints '"rows":2,"cols":2' "rows and columns"
run matrix linear a.csv -o - --json
same '1 gram matrix: --json: the matrix goes to standard output already' \
    "$code $(cat err)" "JSON and the matrix cannot share standard output"
run matrix linear a.csv
refuses 2 'gram matrix: missing option: -o FILE says where the matrix goes' \
    "no place for the matrix"
rm -f K.csv
run matrix linear a.csv -o K.csv
refuses 1 'gram matrix: K.csv: a matrix is written as .npy, and its name must say so (gram convert makes other formats of it)' \
    "another format"
holds "and no file is left" [ ! -e K.csv ]
run matrix linear a.csv -o nowhere/K.npy
holds "a folder that is not there is an error" [ "$code" -eq 1 ]
run matrix linear builtin:sparse -o K.npy --mem 1M
refuses 1 'gram matrix: 400 x 400 numbers of 8 bytes: memory budget: 161 KiB in use and 1.2 MiB more needed, the budget is 1.0 MiB' \
    "a budget that is kept"

# ---------------------------------------------------------------- features

same "$(printf '1,2.8284271247461903,4\n9,16.97056274847714,16')" \
    "$(as_csv features 'linear^2' a.csv)" "the features of a power"
same "$(printf '1,2,2,4\n9,12,12,16')" \
    "$(as_csv features 'linear*linear' a.csv)" \
    "and of a product: other features of the same kernel"
run features 'poly(degree=2)' builtin:iris -o F.npy --json
holds "features in JSON" has_keys out rows cols seconds read_seconds \
    write_seconds
prints '"rows":150,"cols":15' "(x.t + 1)^2 on 4 columns has 15"
run matrix linear F.npy -o FF.npy -q
run matrix 'poly(degree=2)' builtin:iris -o K.npy -q
"$GRAM" convert FF.npy - -q | tail -1 | tr ',' '\n' >ff
"$GRAM" convert K.npy - -q | tail -1 | tr ',' '\n' >k
paste ff k >both
# shellcheck disable=SC2016  # awk expands them
holds "their inner products are the kernel" awk '{ d = ($1 - $2) / $2
    bad += d > 1e-13 || d < -1e-13 } END { exit bad || NR != 150 }' both
run features 'linear + rbf(gamma=1)' a.csv -o F.npy
refuses 1 'gram features: kernel "linear + rbf(gamma=1)", character 10: rbf has no finite feature map' \
    "rbf has no finite map"
run features 'poly(degree=9)' builtin:sparse -o F.npy
refuses 1 'gram features: kernel "poly(degree=9)": more than 1048576 features' \
    "too many features"

# --------------------------------------------------------------- bad input

# breaks SPEC FILE SENTENCE
breaks() {
    run matrix "$1" "$2" -o no.npy
    refuses 1 "gram matrix: $3" "refused: $1 of $2"
}

printf 'a,b,note\n' >t.csv
i=0
while [ $i -lt 12 ]; do
    printf '%d,%d,a note of its own number %d\n' $((i - 1)) $i $i >>t.csv
    i=$((i + 1))
done
breaks 'rbf + linear' a.csv \
    'kernel "rbf + linear": rbf.gamma is open, must have a value'
breaks 'linear[z]' a.csv 'a.csv: kernel "linear[z]", character 8: no column "z"'
breaks 'linear + linear[0:9]' a.csv \
    'a.csv: kernel "linear + linear[0:9]", character 17: columns 0:9, there are 2'
breaks 'linear[note]' t.csv \
    't.csv: kernel "linear[note]", character 8: column "note" is text, linear reads numbers and categories: name other columns'
breaks 'rbf(gamma=1)' t.csv \
    't.csv: column "note" is text, rbf reads numbers and categories: leave it out (--drop note), or name the columns to read, as in rbf[a,b]'
breaks 'min[a]' t.csv 't.csv: row 1, column "a": -1, min takes numbers of at least 0'
breaks 'map(log, linear[a])' t.csv \
    't.csv: row 1, map log: log takes numbers above 0'
npy bad.npy 1,2 2,1
breaks 'metric(A="bad.npy")' a.csv \
    'kernel "metric(A="bad.npy")", character 1: bad.npy: A has the eigenvalue -1, must be positive semidefinite'
npy skew.npy 1,2 0,1
breaks 'metric(A="skew.npy")' a.csv \
    'kernel "metric(A="skew.npy")", character 1: skew.npy: a matrix of 2 x 2 that is not symmetric, A must be'
npy large.npy 1,0,0 0,1,0 0,0,1
breaks 'metric(A="large.npy")' a.csv \
    'kernel "metric(A="large.npy")", character 1: large.npy: a matrix of 3 x 3, the columns are 2'
breaks 'metric(A="none.npy")' a.csv \
    'kernel "metric(A="none.npy")", character 1: none.npy: cannot be opened: No such file or directory'
breaks 'precomputed(K="large.npy")' a.csv \
    'large.npy: a matrix of 3 x 3, the rows at hand need 2 x 2'
npy holes.npy 1, 2,1
breaks linear holes.npy \
    'holes.npy: row 1, column "c1": the cell is missing (--missing drop, mean or indicator says what to do)'
holds "none of them wrote a file" [ ! -e no.npy ]

# Of two files the sentence says which one.
printf 'x\n1\n2\n' >less.csv
printf 'x,y\n1,2\n1,-2\n' >below.csv
printf 'x,y\n1,2\n,2\n' >hole.csv
for pair in "a.csv less.csv" "below.csv a.csv" "a.csv below.csv" \
    "a.csv hole.csv" "hole.csv a.csv"; do
    for command in "matrix -o no.npy min" "test -k min"; do
        culprit=${pair#a.csv }
        # shellcheck disable=SC2086
        run $command $pair --missing keep
        same "1 ${culprit% a.csv}" \
            "$code $(sed 's/^gram [a-z]*: \([a-z.]*\):.*/\1/' err)" \
            "$command $pair: which file"
    done
done
