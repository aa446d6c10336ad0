#!/bin/sh
# test_help.sh - help of every command, man page, completion, version.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

run help
exits 0 "help"
cp out help
run --help
same "$(cat help)" "$(cat out)" "--help is the same as help"
run help help
cp out help
run help --help
same "$(cat help)" "$(cat out)" "help --help explains help"

"$GRAM" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' >commands
holds "help lists the commands" [ "$(wc -l <commands)" -ge 7 ]
while read -r command; do
    run help "$command"
    exits 0 "help $command"
    cp out help
    holds "help $command fits in 80 columns" [ "$(widest <help)" -le 79 ]
    prints "usage: gram $command" "help $command has a usage line"
    run "$command" --help
    same "$(cat help)" "$(cat out)" "$command --help is help $command"
    run "$command" --nosuchoption
    holds "$command refuses an unknown option" [ "$code" -eq 2 ]
done <commands

for topic in data formats solvers; do
    run help $topic
    exits 0 "help $topic"
    holds "help $topic fits in 80 columns" [ "$(widest <out)" -le 80 ]
done
run help data
prints "builtin:iris" "help data lists iris"
run help formats
prints "csv" "help formats lists csv"
run help solvers
for solver in primal dual smo newton prox softmax; do
    holds "help solvers lists $solver" grep -q "^  $solver " out
    holds "and so does help fit" sh -c "'$GRAM' help fit | tr -s ' \n' ' ' |
        grep -q 'solvers explains each of them: auto,.* ${solver}[, ]'"
done

run help --man
exits 0 "the man page"
holds "the man page has a title" grep -q '^\.TH GRAM 1' out
for name in "SH NAME" "SH COMMANDS" "SH OPTIONS" "SH \"EXIT STATUS\""; do
    prints ".$name" "the man page has $name"
done
while read -r command; do
    prints ".SS \"gram $command" "the man page has $command"
done <commands
# renders NAME: the man page in out is good roff
renders() {
    if command -v groff >/dev/null; then
        groff -man -Tutf8 -ww out >rendered 2>warnings
        holds "groff is content with $1" [ ! -s warnings ]
    fi
}
renders gram.1
for program in svm-scale svm-train svm-predict; do
    run help --man $program
    prints ".TH $program 1" "$program has a man page"
    "$(dirname "$GRAM")/$program" >usage
    same "$(grep -c '^-' usage)" "$(grep -c '^\.TP' out)" \
        "with all options of $program"
    renders $program.1
done
run help --man svm
refuses 1 'gram help: --man: "svm" has no man page of its own, it is in that of gram' \
    "no other has one"

run completion bash
exits 0 "completion for bash"
printf 'my id,when,y\n1,2024-01-01,2\n3,2024-01-02,4\n' >dates.csv
mkdir path && ln -s "$GRAM" path/gram
if command -v bash >/dev/null; then
    # shellcheck disable=SC2016
    complete='. ./out; PATH=$PWD/path:$PATH COMP_LINE=$1 COMP_POINT=${#1}; _gram
        echo "${COMPREPLY[*]}"'
    # completes LINE WANTED WHAT
    completes() {
        same "$2" "$(bash -c "$complete" x "$1")" "bash completes $3"
    }
    completes "gram desc" describe "commands"
    completes "gram convert a --sc" --scale "options"
    completes "gram describe --missing m" mean "choices"
    completes "gram fit a.csv --kernel mat" matern "kernels"
    completes "gram fit a.csv -k per" periodic "kernels after a letter"
    completes "gram fit a.csv --loss=hu" huber "losses"
    completes "gram fit a.csv --solver so" softmax "solvers"
    completes "gram describe --format ar" arff "formats"
    completes "gram describe builtin:ir" iris "data sets, behind the colon"
    completes "gram describe dat" dates.csv "files"
    completes "gram fit dates.csv -t " 'my\ id when y' "columns of a file"
    completes "gram fit builtin:mixed --drop area,ro" area,rooms \
        "columns in a list"
    completes "gram predict m.gram dates.csv --keep w" when "columns to keep"
    completes "gram kernels anov" anova "kernels to explain"
    completes "gram help so" solvers "topics"
fi
run completion columns -- none.csv -t dates.csv -
same "my id when y" "$(xargs <out)" "columns of the words that are data"

run completion zsh
prints "#compdef gram" "completion for zsh"
if command -v zsh >/dev/null; then
    cat >try.zsh <<'END'
compdef() { }
compset() { PREFIX=${PREFIX##*[,=]} }
compadd() { shift; for word; do [[ $word == $PREFIX* ]] && print -r -- $word; done }
_files() { print -l ${PREFIX}*(N) }
path=($PWD/path $path)
source ./out
words=(${=1})
[[ $1 == *' ' ]] && words+=('')
CURRENT=$#words PREFIX=$words[-1]
_gram
END
    # zompletes LINE WANTED WHAT
    zompletes() {
        same "$2" "$(zsh -f try.zsh "$1" | xargs)" "zsh completes $3"
    }
    zompletes "gram desc" describe "commands"
    zompletes "gram convert a --sc" --scale "options"
    zompletes "gram fit a.csv --loss=hu" huber "losses"
    zompletes "gram fit a.csv -k mat" matern "kernels"
    zompletes "gram fit dates.csv -t " "my id when y" "columns of a file"
    zompletes "gram fit builtin:mixed --drop area,ro" rooms "columns in a list"
    zompletes "gram describe dat" dates.csv "files"
else
    echo "skip completion in zsh: needs zsh"
fi
run completion bush
refuses 1 'gram completion: "bush" is not one of bash, zsh (did you mean "bash"?)' \
    "completion for another shell"

run version
exits 0 "version"
cp out version
holds "the version has three numbers" grep -Eqx 'gram [0-9]+\.[0-9]+\.[0-9]+' \
    out
run --version
same "$(cat version)" "$(cat out)" "--version is the same as version"
run version --json
holds "version --json is JSON" is_json out
