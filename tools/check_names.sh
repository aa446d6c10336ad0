#!/bin/bash
# check_names.sh - nobody asks a solver, loss, kernel or map for its name.
#
# What one of them can do or is stands in its own table, as a flag or a
# function, and others ask for that.  So its name, as a string or as the symbol
# of its table, stands in its own file and in its registry only; LIBSVM's files,
# which translate names, are left out.  Uses that are none of a name, or that
# must be, stand in the list below with their reason.  Prints what breaks this;
# status 1.
set -u
cd "$(dirname "$0")/.." || exit 2

bad=0
fault() {
    echo "$*"
    bad=1
}

# FILE NAME reason
allowed=$(grep -v '^#' <<'END'
# taken by default, or written into a kernel that is made
kernel.h rbf the kernel that is taken when none was asked for
aggregate.c exponential the second of the families that are aggregated
scaled.c standardize the map that scaling writes around leaves
scaled.c minmax the map that scaling writes around leaves
print.c linear a weight is printed as a kernel of its column
kernel_sigmoid.c arccos what to use instead
kernel_indicator.c delta what to use instead
# other things of the same name
proof.c constant a rule of the proof
test_options.c linear a statistic
fields.h indicator a policy for missing cells
fields.h minmax a way to scale
loss_huber.c delta a parameter
cmd_cv.c log an option
cmd_describe.c min a key of JSON
END
)

# names DEF: the entries of a registry
names() {
    find src -name "$1" -exec sed -nE 's/^ *[A-Z]+\(([a-z0-9_]+)\).*/\1/p' {} +
}
# kind DEF PREFIX: "PREFIX NAME" of every entry
kind() {
    names "$1" | sed "s/^/$2 /"
}
entries=$(kind solvers.def solver; kind losses.def loss
    kind kernels.def kernel; kind maps.def map)
[ -n "$entries" ] || fault "no registries were found"
any=$(cut -d' ' -f2 <<<"$entries" | sort -u | paste -sd'|')
symbols=$(tr ' ' _ <<<"$entries" | paste -sd'|')

# Comparing the name of a class, with whatever.
class='(class_|solver|loss|kernel|map)(->|\.)name'
compared="\b(str[a-z]*cmp|memcmp|strstr|strncmp) *\([^;]*\b$class"
compared+="|\b$class *(\[|==|!=)|\* *[a-z_>.-]*\b$class *(==|!=)"

# code FILE: one statement a line, adjacent strings joined, without comments,
# #include and formulas, which are printed
code() {
    gcc -fpreprocessed -dD -E -P -x c "$1" 2>/dev/null |
        grep -v '^ *# *include' | tr '\n' ' ' |
        sed -E 's/" +"//g; s/\.formula = "[^"]*"//g; s/[;{}]/&\n/g'
}

# allows BASE NAME: does the list have it?
allows() {
    grep -q "^$1 $2 " <<<"$allowed" && used+="$1 $2"$'\n'
}

used=
while read -r file; do
    base=$(basename "$file")
    case $base in
    libsvm_* | svm_*) continue ;;                           # translate names
    solver.c | loss.c | catalogue.c | registry.c) continue ;; # look them up
    esac
    own=$(sed -nE 's/^(kernel|map|loss|solver)_(.*)\.c$/\2/p' <<<"$base")
    text=$(code "$file")
    while read -r name; do
        [ "$name" = "$own" ] || allows "$base" "$name" ||
            fault "$file: \"$name\": ask for what it can, not for its name"
    done < <(grep -oE "\"($any)(\(|\")" <<<"$text" | tr -d '"(' | sort -u)
    while read -r symbol; do
        [ "$symbol" = gi_loss_prox ] || # a function that a solver shares
            [ "$symbol" = "gi_${base%.c}" ] ||
            fault "$file: $symbol: is for its registry alone"
    done < <(grep -oE "\bgi_($symbols)\b" <<<"$text" | sort -u)
    found=$(grep -E "$compared" <<<"$text") &&
        fault "$file: compares a name:" "$found"
done < <(find src front -name '*.[ch]' 2>/dev/null | sort |
    xargs grep -lE "\"($any)[\"(]|gi_($symbols)\b|->name|\.name")

# What nothing needs any more goes.
while read -r file name _; do
    grep -qx "$file $name" <<<"$used" ||
        fault "tools/check_names.sh: $file no longer says \"$name\""
done <<<"$allowed"

exit $bad
