#!/bin/bash
# run.sh BUILD [unit] [cli] [tools] [python] - run the tests built in that
# folder, all kinds unless some are named.
#
#   unit   BUILD/tests/test_*, the cmocka programs of tests/unit, which speak
#          TAP here
#   cli    tests/cli/test_*.sh, each in an empty folder with GRAM set to the
#          program, its links beside it, and GRAM_DATA to the shared data, if
#          there are any; lines "ok NAME", "skip NAME: why" and "FAIL NAME:
#          why" count
#   tools  tools/check_*.sh except check_hard.sh, one test each
#   python python/tests/test_*.py, with pytest, on the package of BUILD/python
#
# Prints one line a program, and all it said but its good lines if it failed;
# the last line is "N passed, N failed", with ", N skipped" if there are any.
# The status is 1 if something failed.
#
# GRAM_TEST_SIZE=small|normal|long goes to the tests; RUNNER is a command put
# in front of every program (valgrind ...); JOBS programs run at once, each for
# at most LIMIT seconds.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:?run.sh: which build folder?}" && pwd) || exit 2
shift
kinds=${*:-unit cli tools python}
# Debian's, which has what the tests need, whatever comes first on the PATH.
export PYTHON="${PYTHON:-/usr/bin/python3}"
export build root RUNNER="${RUNNER-}" LIMIT="${LIMIT:-300}"
# Several programs share the cores: waiting threads sleep instead of spinning.
export OMP_WAIT_POLICY=passive
export CMOCKA_MESSAGE_OUTPUT=TAP
[ -d "$root/../shared/data" ] && export GRAM_DATA="$root/../shared/data"

work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT

# A command of its own, so that scripts need not know about RUNNER.
export GRAM=$build/gram
if [ -n "$RUNNER" ]; then
    for name in gram svm-scale svm-train svm-predict; do
        printf '#!/bin/sh\nexec %s %s "$@"\n' "$RUNNER" "$build/$name" \
            >"$work/$name"
        chmod +x "$work/$name"
    done
    GRAM=$work/gram
fi

# run_one KIND FILE: output to $work/NAME.log, exit status and milliseconds to
# $work/NAME.end
run_one() {
    local name start status
    name=$(basename "$2")
    start=$(date +%s%N)
    mkdir "$work/$name" && cd "$work/$name" || exit 2
    # shellcheck disable=SC2086  # $RUNNER is a command with its options
    case $1 in
    unit) timeout "$LIMIT" $RUNNER "$build/tests/$name" ;;
    cli) timeout "$LIMIT" sh "$2" ;;
    tools) cd "$root" && timeout "$LIMIT" "$2" "$build" ;;
    python) PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1 \
        timeout "$LIMIT" "$PYTHON" -m pytest -q -rs --tb=short \
        -p no:cacheprovider "$2" ;;
    esac >"$work/$name.log" 2>&1 </dev/null
    status=$?
    echo $status $((($(date +%s%N) - start) / 1000000)) >"$work/$name.end"
}
export -f run_one

list=()
for kind in $kinds; do
    case $kind in
    unit) files=("$root"/tests/unit/*/test_*.c) ;;
    cli) files=("$root"/tests/cli/test_*.sh) ;;
    tools) files=("$root"/tools/check_*.sh) ;;
    python) files=("$root"/python/tests/test_*.py) ;;
    *) echo "run.sh: no kind of test \"$kind\"" >&2 && exit 2 ;;
    esac
    for file in "${files[@]}"; do
        [ -f "$file" ] && [ "${file##*/}" != check_hard.sh ] &&
            list+=("$kind" "${file%.c}")
    done
done
printf '%s\n' "${list[@]}" | xargs -r -n 2 -P "${JOBS:-$(nproc)}" \
    bash -c 'run_one "$@"' run_one

# summary LOG WORD: how many tests pytest says, in its last line, that did so
summary() {
    tail -1 "$1" | grep -oE "[0-9]+ $2" | grep -oE '[0-9]+' || echo 0
}

passed=0 failed=0 skipped=0
for ((i = 0; i < ${#list[@]}; i += 2)); do
    kind=${list[i]}
    name=$(basename "${list[i + 1]}")
    log=$work/$name.log
    read -r status ms <"$work/$name.end"
    s=$(grep -Ec '^(not ok [0-9]+ # SKIP|skip )' "$log")
    p=$(grep -Ec '^ok ' "$log")
    f=$(grep -Ec '^(not ok [0-9]+ -|FAIL )' "$log")
    why=
    case $kind in
    unit) # cmocka's status is the number of failed tests
        planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log" | paste -sd+)
        if [ $((p + f + s)) -lt $((${planned:-0})) ]; then
            why="ended after $((p + f + s)) of $((planned)) tests"
        elif [ "$status" -ne $((f < 255 ? f : 255)) ]; then
            why="exit status $status"
        fi ;;
    cli)
        if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
            why="exit status $status"
        elif [ $((p + f + s)) -eq 0 ]; then
            why="no test in it"
        fi ;;
    tools)
        p=0 f=0 s=0
        if [ "$status" -eq 0 ]; then p=1; else why="exit status $status"; fi ;;
    python) # pytest's status is 1 if a test failed, more if it could not run
        p=$(summary "$log" passed) s=$(summary "$log" skipped)
        f=$(($(summary "$log" failed) + $(summary "$log" error)))
        [ "$status" -eq $((f > 0)) ] || why="exit status $status" ;;
    esac
    [ "$status" -eq 124 ] && why="not done after $LIMIT seconds"
    [ -n "$why" ] && f=$((f + 1))
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    if [ "$f" -gt 0 ]; then
        echo "FAILED $name${why:+: $why}"
        grep -vE '^(ok |1\.\.|# ok - )' "$log" | head -200 | sed 's/^/    /'
    else
        printf 'ok     %s: %d in %d.%02d s\n' "$name" "$p" $((ms / 1000)) \
            $((ms % 1000 / 10))
    fi
done

[ "$skipped" -eq 0 ] && tail= || tail=", $skipped skipped"
echo "$passed passed, $failed failed$tail"
[ "$failed" -eq 0 ]
