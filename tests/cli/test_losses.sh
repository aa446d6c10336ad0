#!/bin/sh
# test_losses.sh - losses and classes: fit, predict, score, cv, losses.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

run losses
exits 0 "the list of losses"
prints "quantile" "it has quantile"
run losses quantile
prints "tau = 0.5" "a loss is explained with its numbers"
run losses qantile
refuses 1 'gram losses: no loss "qantile" (did you mean "quantile"?)' \
    "a loss that is not there"
run losses --json
holds "the list is JSON" is_json out

run fit builtin:iris -k 'rbf(gamma=0.1)' -l 0.1 -o iris.gram --json
exits 0 "a category is classified"
holds "its report has the keys" has_keys out n d task loss classes lambda \
    objective gap support converged
run predict iris.gram builtin:iris --proba --decision
exits 0 "classes are predicted"
prints "prediction,p_setosa,p_versicolor,p_virginica,decision_setosa" \
    "with probabilities and decision values"
prints "virginica," "by their names"
run score iris.gram builtin:iris
exits 0 "classes are scored"
prints "accuracy" "by accuracy"
prints "rows: the class, columns: what was predicted" "and confusion"
run score iris.gram builtin:iris --json
holds "scores have the keys" has_keys out accuracy log_loss auc brier \
    confusion calibration classes
run predict iris.gram builtin:iris --std
refuses 1 'gram predict: builtin:iris: standard deviations: of a model of numbers with loss squared only, this one has loss logistic of classes' \
    "classes have no deviations"

run fit builtin:moons --loss hinge -k 'rbf(gamma=2)' --C 10 -o svm.gram
exits 0 "a support vector machine"
prints "C = 10" "knows its C"
prints "support" "and its support"
run predict svm.gram builtin:moons --proba
refuses 1 'gram predict: builtin:moons: this loss has no probabilities: fit with probability, which calibrates them, or with loss logistic' \
    "hinge has no probabilities"
run fit builtin:moons --loss hinge -k 'rbf(gamma=2)' --C 10 --proba -o svm.gram
run predict svm.gram builtin:moons --proba
exits 0 "unless they are calibrated"

run cv builtin:moons --loss hinge -k 'rbf(gamma=?[1,5])' --C '?[1,10]' \
    --grid --log grid.log
exits 0 "a grid"
prints "* the best" "marks the best cell"
holds "is logged" [ "$(wc -l <grid.log)" -eq 4 ]
head -3 grid.log >short.log
printf '0.5' >>short.log
cp out first
run cv builtin:moons --loss hinge -k 'rbf(gamma=?[1,5])' --C '?[1,10]' \
    --grid --log short.log
holds "and goes on from a log that was cut off" cmp -s out first
holds "which is whole then" [ "$(wc -l <short.log)" -eq 4 ]
run cv builtin:moons --loss hinge --log grid.log
refuses 1 'gram cv: --log: goes with --grid' "a log without a grid"
run cv builtin:moons -k 'rbf(gamma=2)' -l 0.1
prints "accuracy" "cv counts errors of classes"
run compare builtin:moons -k 'rbf(gamma=2)' -k linear -l 0.1
exits 0 "kernels of classifiers are compared"
prints "error minus the first's" "by errors"

run fit builtin:sinc --loss 'quantile(tau=[0.1,0.9])' -k 'rbf(gamma=0.2)' \
    -l 0.1 -o q.gram
exits 0 "two quantiles"
run predict q.gram builtin:sinc
prints "prediction_0.1,prediction_0.9" "are two columns"
run score q.gram builtin:sinc
prints "loss" "scored by their loss"

run fit builtin:sinc --loss hinges
refuses 1 'gram fit: loss "hinges", character 1: no loss "hinges" (did you mean "hinge"?)' \
    "a loss that is not there"
run fit builtin:sinc --loss poisson
exits 1 "negative counts"
run fit builtin:moons --loss hinge --C 0
refuses 1 'gram fit: --C: 0, must be a positive number or ?[X,...]' "C = 0"
run fit builtin:moons --loss 'hinge(nu=1)' -k 'rbf(gamma=2)' -l 1
exits 1 "nu and lambda"
run fit builtin:moons --class-weights lower=1,left=2 -l 1 -k 'rbf(gamma=2)'
refuses 1 'gram fit: builtin:moons: class weights: there is no class "left"' \
    "a weight of no class"
printf 'x,y\n1,a\n2,a\n' >one.csv
run fit one.csv -t y --types y=category
refuses 1 'gram fit: one.csv: target "y" has one class, "a", in all rows: there must be two at least' \
    "one class only"
