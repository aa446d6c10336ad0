#!/bin/bash
# check_layers.sh - who may include whom.
#
# A file of src/LAYER includes headers of its own layer and of lower ones;
# only linalg talks to BLAS and LAPACK; the program and the examples see the
# public headers and what stands beside them.  Prints what breaks this; status 1.
set -u
cd "$(dirname "$0")/.." || exit 2

layers=(base cpu linalg data kernels losses solvers machines)
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
for layer in "${layers[@]}"; do
    allowed="$allowed $layer"
    for file in src/"$layer"/*.[ch] src/"$layer"/*.def; do
        [ -f "$file" ] || continue
        while read -r line header; do
            case $header in
            gram.h | gram_plugin.h) continue ;;
            */*) [[ " $allowed " == *" ${header%%/*} "* ]] && continue ;;
            esac
            fault "$file:$line: \"$header\": $layer may include:$allowed"
        done < <(includes "$file")
    done
done
for folder in src/*/; do
    layer=$(basename "$folder")
    [[ " ${layers[*]} " == *" $layer "* ]] || fault "$folder: no such layer"
done

for file in cli/*.[ch] examples/*.[ch]; do
    [ -f "$file" ] || continue
    while read -r line header; do
        [[ $header == gram.h || $header == gram_plugin.h ]] ||
            [ -f "$(dirname "$file")/$header" ] ||
            fault "$file:$line: \"$header\": only public headers may be seen"
    done < <(includes "$file")
done

# Fortran names end in an underscore, and no name of ours does.
blas='\b(openblas_[a-z_]+|cblas_[a-z]+|LAPACKE_[a-z]+|[a-z][a-z0-9]+_) *\('
while read -r line; do
    fault "$line: only src/linalg may call BLAS"
done < <(grep -nE "$blas" src/*/*.[ch] cli/*.[ch] | grep -v '^src/linalg/')

exit $bad
