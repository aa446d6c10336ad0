#!/bin/bash
# check_registry.sh - rules of the house that a script can check: every entry
# of a registry has its file and every such file its entry, internal headers
# stand alone, files are not too long, sizes stand in limits.def, threads come
# from one place, and the library takes memory from its own allocator only and
# never prints or exits.
set -u
cd "$(dirname "$0")/.." || exit 2
shopt -s globstar

bad=0
fault() {
    echo "$*"
    bad=1
}

# registry DEF MACRO PREFIX: MACRO(name...) in DEF <-> PREFIXname.c beside it
registry() {
    local folder entries files
    folder=$(dirname "$1")
    entries=$([ -f "$1" ] && sed -nE "s/^ *$2\(([a-z0-9_]+).*/\1/p" "$1" | sort)
    files=$(find "$folder" -name "$3*.c" 2>/dev/null |
        sed -E "s|.*/$3(.*)\.c|\1|" | sort)
    for name in $(comm -13 <(echo "$entries") <(echo "$files")); do
        fault "$folder/$3$name.c: no line $2($name) in $1"
    done
    # TSV is in the files of CSV: tabs for commas.
    for name in $(comm -23 <(echo "$entries") <(echo "$files")); do
        [ "$name" = tsv ] ||
            fault "$1: $2($name) has no file $folder/$3$name.c"
    done
}
registry src/kernels/catalogue/kernels.def KERNEL kernel_
registry src/kernels/catalogue/maps.def MAP map_
registry src/losses/losses.def LOSS loss_
registry src/operators/operators.def OPERATOR operator_
registry src/solvers/solvers.def SOLVER solver_
registry src/data/read/readers.def READER read_
registry src/data/write/writers.def WRITER write_
registry src/data/builtin/builtins.def BUILTIN builtin_
registry front/cli/commands.def COMMAND cmd_

for header in src/**/*.h front/**/*.h tests/support/*.h; do
    [ -f "$header" ] || continue
    gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -Iinclude -Isrc -Ifront/cli \
        -Itests/support \
        -fsyntax-only -include "$header" -x c /dev/null ||
        fault "$header: does not compile alone"
done

# gram.h is the manual, and as long as it must be.
while read -r lines file; do
    fault "$file: $lines lines, must be at most 700"
done < <(wc -l include/gram_plugin.h {src,front,tests}/**/*.[ch] {fuzz,bench}/*.[ch] \
    2>/dev/null | awk '$2 != "total" && $1 > 700')

# Sizes that decide between paths stand in limits.def, so that tests can lower
# them; those of the CPU tables are of the processor.
while read -r line; do
    fault "$line: a size belongs into src/base/limits.def"
done < <(grep -nE '\b([A-Z]+_)*(ROWS|EDGE|CHUNK|STRIPE|PIECE|PANEL) = [0-9]' \
    src/**/*.[ch] | grep -vE '^src/cpu/|/builtin_|STREAM_')

# All threads are those of parallel.h, so that a build without OpenMP is one
# without threads, and same bits are checked in one place.
while read -r line; do
    fault "$line: threads come from src/base/parallel.h"
done < <(grep -rnE '#pragma omp|\bomp_[a-z_]+\(|<omp\.h>|pthread_create' \
    src front --include='*.[ch]' --include='*.inc' |
    grep -v '^src/base/parallel\.')

# Comments and strings are taken out first; mem.c is the allocator.
banned='\b((m|c|re|aligned_)alloc|posix_memalign|strn?dup|v?asprintf'
banned+='|v?f?printf|f?puts|f?putc|putchar|perror|exit|_exit|abort|assert'
banned+='|system|popen|s?rand|strtok|setlocale) *\(|\b(stdout|stderr)\b'
for file in src/**/*.[ch]; do
    [ "$file" = src/base/mem.c ] && continue
    found=$(gcc -fpreprocessed -dD -E -P -x c "$file" 2>/dev/null |
        sed -E 's/"([^"\\]|\\.)*"//g' | grep -nE "$banned") &&
        fault "$file: not for the library: $found"
done

exit $bad
