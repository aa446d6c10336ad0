# test_adding.sh - a new solver, kernel, loss or report field is two files: the
# diffs of docs/internals/adding.md are applied to a copy of the tree, which is
# built and run.
. "$(dirname "$0")/lib.sh"

root=$(cd "$(dirname "$0")/../.." && pwd)

awk '/^```diff$/ {n++; on = 1; next}
     /^```$/ {on = 0}
     on {print > ("patch" n)}' "$root/docs/internals/adding.md"
for number in 1 2 3 4; do
    same 2 "$(grep -c '^+++ b/\(src\|include\)/' patch$number)" \
        "patch $number is of two files"
done

# What was built otherwise, as for sanitizers, would be linked otherwise.
if ! [ -f "$root/build/libgram.a" ] || [ "$GRAM" != "$root/build/gram" ]; then
    echo "skip the patches at work: only for the program in build/"
    exit
elif ! command -v gcc git make >/dev/null; then
    echo "skip the patches at work: no compiler"
    exit
fi

mkdir -p tree/build
cp -a "$root"/Makefile "$root"/include "$root"/src "$root"/front \
    "$root"/tools tree
cp -a "$root"/build/src "$root"/build/front "$root"/build/libgram.a tree/build
cd tree || exit 1

# What looks into a report does so by the table of its fields; only what has a
# report inside is compiled again, and not all that includes gram.h.
build() {
    GIT_CEILING_DIRECTORIES=$PWD git apply ../patch1 ../patch2 ../patch3 \
        ../patch4 &&
        grep -l ' src/machines/machine\.h' $(find build -name '*.d') |
        sed 's/d$/o/' | xargs rm -f &&
        env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -o include/gram.h \
            CFLAGS=-O0 build/gram
}
if ! build >log 2>&1; then
    fail "the patches build" "$(tail -5 log)"
    exit
fi
pass "the patches build"
GRAM=$PWD/build/gram

# report WORD...: what a fit prints of these
report() {
    run fit builtin:sinc -l 0.1 "$@"
    grep -E '^  (amplitude|intercept|log evidence) ' out
}

run kernels cauchy
prints "cauchy: 1/(1 + gamma |x-t|^2)" "a new kernel is in the catalogue"
run check 'cauchy(gamma=1)'
prints "certified: positive semidefinite" "its proof holds"
report -k 'rq(alpha=1, length=0.5)' >one
report -k 'cauchy(gamma=2)' >other
prints "kernel        cauchy(gamma=2)" "a fit takes it"
same "$(cat one)" "$(cat other)" "it is rq with an alpha of 1"
run fit builtin:sinc -k cauchy --select evidence
exits 0 "its number is chosen"

run losses log_cosh
prints "log_cosh: log cosh(y - f)" "a new loss is in the catalogue"
run fit builtin:sinc --loss log_cosh -k 'rbf(gamma=0.3)' -l 0.1
prints "loss          log_cosh" "a fit minimises it"
exits 0 "and converges"

run help solvers
prints "jacobi" "a new solver is listed"
report -k 'rbf(gamma=0.3)' --solver jacobi | grep -v evidence >one
prints "solver        jacobi" "a fit is solved by it"
report -k 'rbf(gamma=0.3)' --solver dual | grep -v evidence >other
same "$(cat other)" "$(cat one)" "it finds what the dual solver finds"

run fit builtin:moons --loss hinge -k 'rbf(gamma=2)' -l 0.1 --json -o m
support=$(sed 's/.*"support":\([0-9]*\).*/\1/' out)
prints "\"basis\":$support," "a new report field is in the JSON"
run info m --json
prints "\"basis\":$support," "it is there in a model that was read"
