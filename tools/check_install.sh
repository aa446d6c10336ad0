#!/bin/bash
# check_install.sh BUILD - what others get: install into an empty folder, find
# every piece there, build a client by gram.pc against the shared and the
# static library, and uninstall without a trace.
set -eu
build=${1:?check_install.sh: which build folder?}
cd "$(dirname "$0")/.."
unset MAKEFLAGS MFLAGS MAKELEVEL

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/usr
make install BUILD="$build" PREFIX="$prefix" >/dev/null
for file in bin/gram include/gram.h lib/libgram.a lib/libgram.so \
    lib/pkgconfig/gram.pc share/man/man1/gram.1 share/man/man1/svm-scale.1 \
    share/man/man1/svm-train.1 share/man/man1/svm-predict.1 \
    share/bash-completion/completions/gram \
    share/zsh/site-functions/_gram; do
    [ -s "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done

cat >"$work/client.c" <<'END'
#include <gram.h>
int main(void)
{
    gram_table *table = 0;
    int bad = gram_table_read("builtin:iris", 0, 0, &table) != GRAM_OK ||
              gram_table_rows(table) != 150 || !*gram_version();
    gram_table_free(table);
    return bad;
}
END
# client NAME PKG_CONFIG_OPTION...: build it and run it
client() {
    local name=$work/$1
    shift
    # shellcheck disable=SC2046  # options, one a word
    gcc -o "$name" "$work/client.c" $(PKG_CONFIG_PATH=$prefix/lib/pkgconfig \
        pkg-config --cflags --libs "$@" gram)
    LD_LIBRARY_PATH=$prefix/lib "$name" || { echo "$name fails"; exit 1; }
}
client shared
rm "$prefix/lib/libgram.so"
client static --static

make uninstall BUILD="$build" PREFIX="$prefix" >/dev/null
left=$(find "$prefix" ! -type d)
[ -z "$left" ] || { echo "left by uninstall: $left"; exit 1; }
