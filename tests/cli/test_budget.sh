#!/bin/sh
# test_budget.sh - under a small budget numbers are chosen on some of the rows:
# how many does not depend on threads, though these need memory, too.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { srand(3); print "a,b,c,y"
    for (i = 0; i < 760; i++) { a = rand(); b = rand(); c = rand()
        print a "," b "," c "," sin(6 * a) + b * c + 0.2 * rand() } }' >rows.csv
run matrix 'rbf(gamma=5)[a,b]' rows.csv -o K.npy
while read -r memory options; do
    for threads in 1 2; do
        # shellcheck disable=SC2086  # $options are several
        run fit rows.csv -t y $options --mem "$memory" --threads $threads \
            -o m$threads.gram
        exits 0 "$memory $options on $threads threads"
        holds "numbers are chosen on some rows" \
            grep -q "numbers were chosen on" err out
    done
    holds "the models are the same file" cmp m1.gram m2.gram
done <<END
3M
3M --select loo
8M --select cv --tries 2 --folds 3
11M --select loo -k precomputed(K="K.npy")+?*linear[c]
END
