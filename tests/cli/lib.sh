# shellcheck shell=sh
# lib.sh - sourced by the tests of the command.
#
# The runner sets GRAM to the program and gives every script an empty folder
# to work in.  A test is one line, "ok NAME" or "FAIL NAME: reason".  `run`
# runs the program; the others look at what the last run left behind: the
# files out and err, and the exit code.

: "${GRAM:?the path of the program}"
LC_ALL=C.UTF-8
export LC_ALL
unset GRAM_CPU COLUMNS

# run ARGUMENT...
run() {
    code=0
    timeout 60 "$GRAM" "$@" >out 2>err </dev/null || code=$?
}

pass() {
    echo "ok $1"
}

fail() {
    echo "FAIL $1: $2"
}

# exits CODE NAME: the exit code, and stderr empty exactly if it is 0
exits() {
    if [ "$code" -ne "$1" ]; then
        fail "$2" "exit code $code, not $1: $(head -1 err)"
    elif [ "$1" -eq 0 ] && [ -s err ]; then
        fail "$2" "on stderr: $(head -1 err)"
    else
        pass "$2"
    fi
}

# refuses CODE LINE NAME: exit code, that one line on stderr, no output
refuses() {
    if [ "$code" -ne "$1" ]; then
        fail "$3" "exit code $code, not $1: $(head -1 err)"
    elif [ "$(cat err)" != "$2" ]; then
        fail "$3" "it said: $(cat err)"
    elif [ -s out ]; then
        fail "$3" "it printed: $(head -1 out)"
    else
        pass "$3"
    fi
}

# prints TEXT NAME: a line of the output has the text
prints() {
    if grep -qF -e "$1" out; then
        pass "$2"
    else
        fail "$2" "no \"$1\" in: $(head -c 300 out)"
    fi
}

# holds NAME COMMAND...: the command succeeds
holds() {
    name=$1
    shift
    if "$@" >/dev/null 2>&1; then
        pass "$name"
    else
        fail "$name" "not true: $*"
    fi
}

# same WANTED GOT NAME
same() {
    if [ "$1" = "$2" ]; then
        pass "$3"
    else
        fail "$3" "\"$2\", not \"$1\""
    fi
}

# The columns of the widest line of standard input.
widest() {
    wc -L
}

# is_json FILE: one JSON value.  Strings become S, numbers and words V, then
# lists and objects of them V from the inside out.
is_json() {
    [ "$(wc -l <"$1")" -eq 1 ] && [ "$(sed -E '
        s/"([^"\\]|\\.)*"/S/g
        s/-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null/V/g
        :again
        s/([:[,])S([],}])/\1V\2/g
        s/\[(V(,V)*)?\]/V/
        s/\{(S:V(,S:V)*)?\}/V/
        t again' "$1")" = V ]
}

# has_keys FILE KEY...: the object has them
has_keys() {
    file=$1
    shift
    for key; do
        grep -q "\"$key\":" "$file" || return 1
    done
}
