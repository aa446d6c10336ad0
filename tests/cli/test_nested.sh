#!/bin/sh
# test_nested.sh - a kernel is not worse than those it contains: pairs of
# kernels on part of the rows of real data: few of every file, and more of
# files where a search that knows nothing of the smaller kernel ends below it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

rows=120

# shuffled FILE ROWS SEED: so many rows of the file in an order of that seed
shuffled() {
    gzip -dc "$1" | awk -v n="$2" -v x="$3" '
        function uniform() {
            x = x * 16807 % 2147483647
            return x / 2147483647
        }
        NR == 1 { print; next }
        { line[m++] = $0 }
        END {
            for (i = 0; i < 50; i++) uniform()
            for (i = 0; i < n; i++) {
                j = i + int(uniform() * (m - i))
                print line[j]
                line[j] = line[i]
            }
        }'
}

# criterion SELECT KERNEL: its value; errors as log(error) * rows / 2, negative,
# so that larger is better and 1 weighs as 1 of evidence
criterion() {
    run fit part.csv -t "$target" -k "$2" --select "$1" \
        --threads 1 --json
    sed -E 's/.*"criterion_value":(-?[0-9.eE+-]+|null).*/\1/' out |
        awk -v s="$1" -v n=$rows \
            '{ print (s == "evidence" ? $1 : -n * log($1) / 2) }'
}

# contains SELECT LARGE SMALL...: the large one is at least as good as each
contains() {
    select=$1 kernel=$2
    large=$(criterion "$1" "$2")
    shift 2
    for small; do
        name="$set: $kernel is not worse than $small by $select"
        value=$(criterion "$select" "$small")
        if awk -v a="$large" -v b="$value" 'BEGIN { exit !(a >= b - 0.5) }'
        then
            pass "$name"
        else
            fail "$name" "$large, $value"
        fi
    done
}

if [ "${GRAM_TEST_SIZE:-normal}" = small ]; then
    echo "skip kernels within kernels: too long for small tests"
    exit 0
fi
if [ ! -d "${GRAM_DATA:-}/regression" ]; then
    echo "skip kernels within kernels: needs the shared data"
    exit 0
fi
for file in "$GRAM_DATA"/regression/*.csv.gz; do
    set=$(basename "$file" .csv.gz)
    case $set in *.splits) continue ;; esac
    gzip -dc "$file" | awk -v n=$rows 'NR == 1 { print; next }
        { line[NR - 2] = $0 }
        END { m = NR - 1; if (m < n) n = m
            for (i = 0; i < n; i++) print line[int(i * m / n)] }' >part.csv
    target=$(head -1 part.csv | tr , '\n' | tail -1)
    contains evidence 'rbf(ard)' rbf
    contains evidence 'matern(nu=1.5,ard)' 'matern(nu=1.5)'
    contains evidence '?*rbf(ard) + ?*linear' 'rbf(ard)' linear
    case $set in
    a* | c* | s*) contains loo 'rbf(ard)' rbf ;;
    esac
done
while read -r set rows seed; do
    shuffled "$GRAM_DATA/regression/$set.csv.gz" "$rows" "$seed" >part.csv
    target=$(head -1 part.csv | tr , '\n' | tail -1)
    contains evidence '?*rbf(ard) + ?*linear' 'rbf(ard)'
done <<END
stock 300 1
stock 500 1
wind 500 3
parkinsons 500 1
END
