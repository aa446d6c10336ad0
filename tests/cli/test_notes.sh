#!/bin/sh
# test_notes.sh - what fit says beside its answer, and where it keeps silent.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# table NAME EXPRESSION...: x, z and what awk makes of row i, then y
table() {
    awk -v n=60 "BEGIN { srand(5); print \"x,z,$1,y\"
        for (i = 0; i < n; i++) { x = 4 * rand() - 2; z = rand()
            y = sin(x) + z + 0.3 * (rand() - 0.5); $2
            print x \",\" z \",\" v \",\" y } }" >"$1.csv"
}

# notes FILE OPTION...: the notes of a fit, one a line
notes() {
    run fit "$@" --json
    sed -E 's/.*"notes":\[([^]]*)\].*/\1/; s/\\"/`/g' out
}

# says WHAT NAME FILE OPTION...; silent NAME FILE OPTION...
says() {
    what=$1 name=$2
    shift 2
    case $(notes "$@") in
    *"$what"*) pass "$name" ;;
    *) fail "$name" "$(cat out err)" ;;
    esac
}

silent() {
    name=$1
    shift
    said=$(notes "$@")
    [ -z "$said" ] && pass "$name" || fail "$name" "$said"
}

fixed='rbf(gamma=0.5)'
table id 'v = 100 + 3 * i'
says 'column `id` seems to count or name the rows' "a row counter" \
    id.csv -t y -k "$fixed"
silent "a row counter that the kernel does not see" \
    id.csv -t y -k "$fixed[x,z]"
silent "a row counter that is the only feature" id.csv -t y -k "$fixed[id]"
table year 'v = 1900 + i'
silent "years" year.csv -t y -k "$fixed"
table when 'v = sprintf("2024-%02d-%02d", 1 + int(i / 28), 1 + i % 28)'
silent "dates" when.csv -t y -k "$fixed" -l 1
table mixed_up 'v = (i * 37) % 61'
silent "distinct whole numbers in no order" mixed_up.csv -t y -k "$fixed"
table name 'v = "row" i'
says 'column `name` seems to count or name the rows' "a name of every row" \
    name.csv -t y -k "$fixed" --types name=category

table same 'v = 7'
says 'column `same` is constant' "a constant column" same.csv -t y -k "$fixed"

table twin 'v = 1; x = i % 3; z = 0; y = x + 3 * rand()'
says "rows that are alike have different targets" "repeated rows" \
    twin.csv -t y -k "$fixed"
table close 'v = rand(); x = i % 3; z = 0; y = x + 3 * rand()'
silent "rows that differ in one column" close.csv -t y -k "$fixed[x,close]"
table class 'v = rand(); x = i % 3; z = 0; y = rand() < 0.5 ? "a" : "b"'
says "rows that are alike are of different classes" "repeated rows in classes" \
    class.csv -t y -k "$fixed[x,z]" -l 1

table exact 'v = rand(); y = sin(x) + z'
says "lambda is at the lower end" "a target without noise" \
    exact.csv -t y -k 'rbf[x,z]'
for select in evidence gcv; do
    says "lambda is at the lower end" "a lambda on its path by $select" \
        exact.csv -t y -k "$fixed[x,z]" --select $select
done
table line 'v = rand(); y = 2 * x + 0.3 * (rand() - 0.5)'
says "is at the end of what is searched" "a length without end" \
    line.csv -t y -k 'rbf[x]'

for name in moons circles sinc co2 iris before; do
    case $name in
    sinc) target=y ;;
    co2) target=co2 ;;
    iris) target=species ;;
    before) target=weight ;;
    *) target=class ;;
    esac
    silent "builtin:$name" "builtin:$name" -t $target
done
