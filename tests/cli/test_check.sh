#!/bin/sh
# test_check.sh - proofs, refutations, what the matrix says, and expressions
# that are wrong.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# is_psd VERDICT SPEC: the verdict in JSON, with exit code 0
is_psd() {
    run check "$2" --json
    if [ "$code" -eq 0 ] && is_json out &&
        grep -q "^{\"kernel\":[^{]*\"psd\":\"$1\"" out; then
        pass "$2 is $1"
    else
        fail "$2 is $1" "$(head -c 200 out err)"
    fi
}

# breaks SPEC PLACE SENTENCE: an error with its place in the expression
breaks() {
    run check "$1"
    refuses 1 "gram check: kernel \"$1\", character $2: $3" "refused: $1"
}

# ---------------------------------------------------------------- proofs

run check 'rbf(gamma=1) + 0.5*poly(degree=2)*linear'
exits 0 "a proof"
same "$(printf '%s\n' 'rbf(gamma=1) + 0.5*poly(degree=2)*linear' \
    '│  sum: a sum of kernels' '├─ rbf(gamma=1)')" "$(head -3 out)" \
    "it is a tree"
prints "└─ linear" "down to the leaves"
prints "product: a product of kernels (Schur, 1911)" "with the rule at a node"
prints "certified: positive semidefinite" "and a verdict"
LC_ALL=C run check 'rbf(gamma=1) + linear'
prints '`- linear' "in another locale the tree is ASCII"
holds "all of it" sh -c '! grep -q "[^ -~]" out'
for spec in rbf '2*rbf(gamma=0.5)[age,bmi] + poly(degree=2)[bmi]*delta[city]' \
    '?*rbf(ard) + ?*linear' 'linear^3 + 2*linear + 1' 'exp(linear)' \
    'normalize(linear)' 'map(log1p, min)' 'weight(a, rbf)' 'rbf^0.5' \
    'indicator(eps=0)' 'linear[a] * rbf[b]'; do
    is_psd certified "$spec"
done
for spec in sigmoid 'indicator(eps=1)' 'rbf - linear' 'linear^0.5' '-2*rbf' \
    'rbf + rbf*indicator(eps=0.5)' 'exp(sigmoid)'; do
    is_psd refuted "$spec"
done
is_psd unknown 'precomputed(K="K.npy")'

run check 'indicator(eps=1)'
exits 0 "a refutation is no failure"
prints "NOT PSD, known counterexample: near is not transitive" "it says why"
prints "the points 0, 0.75, 1.5; smallest eigenvalue -0.4142" \
    "it shows the points"
prints "use instead    delta" "and what to use instead"
run check '2*linear + rbf*indicator(eps=0.5)'
prints "breaks at      indicator(eps=0.5)" "the node that breaks the proof"
run check -- '-2*rbf'
prints "negative" "a negative scale"
run check 'rbf(gamma=1) + indicator(eps=0.5)' --json
holds "the keys of JSON" has_keys out kernel psd rules steps warnings rows \
    min_eigenvalue min_eigenvalue_error max_eigenvalue rank condition \
    matrix_psd exact seconds read_seconds depth rule why instead points \
    eigenvalue
prints '"min_eigenvalue":null' "no eigenvalue of data without data"
prints '"rules":["sum","known kernel","known counterexample"]' "rules, once each"
deep=$(printf '%200s' '' | tr ' ' '(')linear$(printf '%200s' '' | tr ' ' ')')
run check "$deep"
exits 0 "200 parentheses"

# ------------------------------------------------------------------ data

run check 'rbf(gamma=0.5)' builtin:iris
exits 0 "the matrix of data"
prints "builtin:iris: the matrix of 150 rows is PSD up to rounding" "is PSD"
prints "largest eigenvalue   47.8" "its largest eigenvalue"
prints "rank                 149 of 150" "its rank: two flowers are equal"
holds "no warning" sh -c '! grep -q warning out'
run check 'rbf(gamma=1000000)' builtin:iris
prints "warning: the matrix is nearly the identity" "gamma is too large"
prints "make gamma" "with advice"
run check 'rbf(gamma=1e-12)' builtin:iris
prints "warning: all entries of the matrix are nearly the same" \
    "gamma is too small"
run check 'indicator(eps=1)' builtin:iris
prints "the matrix of 150 rows is not PSD" "a matrix that is not PSD"
exits 0 "is no failure"
run check 'rbf(gamma=0.5)' builtin:iris --json
holds "JSON with data" is_json out
holds "has an eigenvalue" sh -c '! grep -q "\"min_eigenvalue\":null" out'
prints '"rank":149' "and a rank"
run check 'linear' builtin:iris --target petal_width --drop species
prints "rank                 3 of 150" "a target is no feature"
printf '1,2\n2,1\n' >two.csv
run convert two.csv two.npy -q
run check 'precomputed(K="two.npy")' two.csv
prints "smallest eigenvalue  -1" "the eigenvalue of a matrix from a file"
prints "refuted: the matrix of these data is not PSD" "data refute what is open"
run check rbf builtin:iris
refuses 1 'gram check: kernel "rbf": rbf.gamma is open, must have a value' \
    "data need values"

# --------------------------------------------------------------- mistakes

breaks 'rbff' 1 'no kernel "rbff" (did you mean "rbf"?)'
breaks 'linear + rbf(gama=1)' 14 \
    'rbf has no parameter "gama" (did you mean "gamma"?)'
breaks 'rbf(gamma=-1)' 11 'rbf: gamma = -1, must be positive'
breaks 'rbf(gamma=nan)' 11 'rbf: gamma = nan, must be finite'
breaks 'constant(c=-1)' 12 'constant: c = -1, must be at least 0'
breaks 'poly(degree=1.5)' 13 \
    'poly: degree = 1.5, must be a whole number from 0 to 1024'
breaks 'matern(nu=2)' 11 'matern: nu = 2, must be 0.5, 1.5 or 2.5'
breaks 'rbf(gamma=1,sigma=1)' 13 \
    'rbf: gamma and sigma are two ways to give one number'
breaks 'linear[]' 8 'found "]", expected a column'
breaks 'rbf +' 6 'found the end, expected a number, "?", a name or "("'
breaks '' 1 'found the end, expected a number, "?", a name or "("'
breaks 'map(lag, linear)' 5 'no map "lag" (did you mean "log"?)'
breaks 'metric' 1 'metric needs A, as in metric(A="file.npy")'
breaks '1e400*linear' 1 'a number too large for a double'
deep=$(printf '%10000s' '' | tr ' ' '(')linear$(printf '%10000s' '' | tr ' ' ')')
run check "$deep"
holds "10000 parentheses are refused" [ "$code" -eq 1 ]
holds "in one short line with the place" grep -Eq \
    '^gram check: kernel ".{60,70}", character 258: parentheses nested more than 256 deep$' \
    err
run check
refuses 2 'gram check: missing operand (usage: gram check [options] SPEC [DATA])' \
    "no expression"
run check rbf nothere.csv
holds "a file that is not there" [ "$code" -eq 1 ]
