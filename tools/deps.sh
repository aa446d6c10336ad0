#!/bin/sh
# deps.sh GROUP... - install the Debian packages of the named groups that are
# missing: build (compile and link), check (tests), python (the package and its
# tests), hard (sanitizers, fuzzing, linting), bench (peers to compare with).
set -eu

packages() {
    case $1 in
    build) echo gcc libc6-dev libopenblas-pthread-dev libgfortran-12-dev \
        libjansson-dev libnlopt-dev zlib1g-dev ;;
    check) echo libcmocka-dev g++ pkgconf ;;
    python) echo python3-dev python3-setuptools python3-cffi python3-numpy \
        python3-scipy python3-sklearn python3-pytest python3-pandas \
        python3-venv python3-wheel ;;
    hard) echo clang-14 clang-tidy-14 clang-format-14 llvm-14 libomp-14-dev \
        libclang-rt-14-dev valgrind zsh mypy python3-hypothesis \
        python3-matplotlib python3-tqdm ;;
    bench) echo python3-numpy python3-pandas python3-scipy python3-sklearn \
        libsvm-tools ;;
    *) echo "deps.sh: no group \"$1\"" >&2; exit 2 ;;
    esac
}

missing=
for group in "$@"; do
    names=$(packages "$group")
    for name in $names; do
        state=$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null) ||
            state=none
        [ "$state" = installed ] || missing="$missing $name"
    done
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    as_root=sudo
    command -v sudo >/dev/null || {
        echo "deps.sh: neither root nor sudo here; as root, run:" >&2
        echo "    apt-get install$missing" >&2
        exit 1
    }
fi
echo "installing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get \
        -o DPkg::Lock::Timeout=300 "$@" </dev/null >>"$log" 2>&1
}
# shellcheck disable=SC2086  # $missing is a list
if ! { apt update && apt install -y --no-install-recommends $missing; }; then
    tail -20 "$log" >&2
    exit 1
fi
