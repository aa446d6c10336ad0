#!/bin/bash
# check_layers.sh - who may include whom.
#
# The rooms of src/ stand in an order: a file includes headers of its own room
# and of those before it; machines and samples do not see each other.  Only
# linalg talks to BLAS and LAPACK; what is in front/ and the examples see the
# public headers and what stands beside them.  A room has some forty files at
# most, and no two files have one name.  Prints what breaks this; status 1.
set -u
cd "$(dirname "$0")/.." || exit 2
shopt -s globstar nullglob

rooms=(base cpu linalg/{dense,iterative,sparse}
    data/{types,table,builtin,read,write}
    kernels/{expression,program,engine,features,proof,catalogue}
    losses operators
    solvers solvers/{linear,smooth,svm,path,search}
    machines machines/{select,fit,predict,files}
    samples)
most=42
bad=0
fault() {
    echo "$*"
    bad=1
}

# includes FILE: "LINE HEADER" for every #include "HEADER"
includes() {
    sed -nE '/^ *# *include *"/{=;s/.*"(.*)".*/\1/p}' "$1" | paste -d' ' - -
}

allowed=
for room in "${rooms[@]}"; do
    [ "$room" = samples ] && allowed=${allowed%% machines*}
    allowed="$allowed $room"
    for file in src/"$room"/*.{c,h,def,inc}; do
        while read -r line header; do
            case $header in
            gram.h | gram_plugin.h) continue ;;
            */*) [[ "$allowed " == *" ${header%/*} "* ]] && continue ;;
            esac
            fault "$file:$line: \"$header\": $room may include:$allowed"
        done < <(includes "$file")
    done
done
while read -r room; do
    [[ " ${rooms[*]} " == *" $room "* ]] || fault "src/$room: no such room"
done < <(find src -type f -printf '%P\n' | sed 's|/[^/]*$||' | sort -u)

for file in front/**/*.[ch] examples/*.[ch]; do
    while read -r line header; do
        [[ $header == gram.h || $header == gram_plugin.h ]] ||
            [ -f "$(dirname "$file")/$header" ] || [ -f "front/cli/$header" ] ||
            fault "$file:$line: \"$header\": only public headers may be seen"
    done < <(includes "$file")
done

# Fortran names end in an underscore, and no name of ours does.
blas='\b(openblas_[a-z_]+|cblas_[a-z]+|LAPACKE_[a-z]+|[a-z][a-z0-9]+_) *\('
while read -r line; do
    fault "$line: only src/linalg may call BLAS"
done < <(grep -nE "$blas" {src,front}/**/*.[ch] | grep -v '^src/linalg/')

while read -r count folder; do
    fault "$folder: $count files, must be at most $most"
done < <(find src front tests/unit -type f -printf '%h\n' | sort | uniq -c |
    awk -v most=$most '$1 > most')

while read -r name; do
    fault "$name: a name of two files"
done < <(find src front tests/support tests/unit fuzz bench -name '*.[ch]' \
    -printf '%f\n' | sort | uniq -d)

exit $bad
