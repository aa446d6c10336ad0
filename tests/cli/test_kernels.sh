#!/bin/sh
# test_kernels.sh - the catalogue: everything in it is listed, explained, and
# said in JSON.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

run kernels
exits 0 "the catalogue"
holds "it fits in 80 columns" [ "$(widest <out)" -le 80 ]
prints "rbf           exp(-gamma |x-t|^2)" "a kernel and its formula"
prints "normalize(k)" "functions of kernels"
sed -n '/^kernels:/,/^$/s/^  \([a-z][a-z0-9]*\) .*/\1/p' out >names
for name in constant linear metric poly taylor expdot rbf exponential laplace \
    matern rq radial periodic cos anova min intersection chi2 arccos sigmoid \
    delta indicator white precomputed; do
    holds "it has $name" grep -qx $name names
done
while read -r kernel; do
    run kernels "$kernel"
    exits 0 "kernels $kernel"
    holds "kernels $kernel fits in 80 columns" [ "$(widest <out)" -le 80 ]
    holds "kernels $kernel says whether it is PSD" grep -q "PSD" out
    run kernels "$kernel" --json
    holds "kernels $kernel --json is JSON" is_json out
done <names

run kernels rbf
prints "gamma     > 0, learned unless given" "an open parameter is learned"
prints "gamma = 1/(2 sigma^2)" "an alias and its conversion"
prints "one per column with ard" "what ard does"
prints "PSD: a Gaussian of a Euclidean distance" "why it is PSD"
prints "universal" "it is universal"
run kernels laplace
prints "gamma = 1/sigma" "another conversion"
run kernels poly
prints "degree    0, 1, 2, ..., default 3" "a whole number and its default"
prints "explicit features" "it has explicit features"
run kernels matern
prints "one of 0.5, 1.5, 2.5, default 2.5" "choices"
run kernels anova
prints "default all" "a limit that is off"
run kernels min
prints "its columns must be >= 0" "a domain"
run kernels metric
prints "must be given" "a file that must be given"
run kernels indicator
prints "not PSD in general: near is not transitive" "why a kernel is not PSD"
prints "use instead: delta" "and what is"
run kernels precomputed
prints "PSD or not, it depends" "what only data can tell"

run kernels --maps
exits 0 "the maps"
for name in log log1p sqrt square abs standardize minmax poly fourier bins; do
    prints "  $name " "they have $name"
done
run kernels bins
prints "m         1, 2, 3, ..., default 10" "a map's parameters"
run kernels poly --maps
prints "written map(poly, k)" "a map of the name of a kernel"
run kernels --maps --json
holds "the maps in JSON" is_json out
holds "with their keys" has_keys out maps name formula help parameters

run kernels --json
holds "the catalogue in JSON" is_json out
holds "with its keys" has_keys out kernels name formula psd why instead traits \
    parameters range default learned per_column conversion help
same "$(wc -l <names)" "$(grep -o '"formula"' out | wc -l)" \
    "it has every kernel"

run kernels rbff
refuses 1 'gram kernels: no kernel "rbff" (did you mean "rbf"?)' \
    "a mistyped kernel gets a suggestion"
run kernels frobnicate
refuses 1 'gram kernels: no kernel "frobnicate" ("gram kernels" lists them)' \
    "a strange one gets a hint"
run kernels lgo --maps
refuses 1 'gram kernels: no map "lgo" (did you mean "log"?)' "a mistyped map"
