#!/bin/sh
# test_machine.sh - doctor and demo.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

run demo
exits 0 "the demo"
holds "is short" [ "$(wc -l <out)" -le 180 ]
holds "and fits in 80 columns" [ "$(widest <out)" -le 80 ]
prints "builtin:iris" "it lists the data sets"
prints "certified: positive semidefinite" "it proves a kernel"
prints "NOT PSD" "it refutes another"
prints "did you mean" "it shows a mistake"
LC_ALL=C run demo
exits 0 "the demo in another locale"
holds "is plain ASCII" sh -c '! grep -q "[^ -~]" out'

[ "${GRAM_TEST_SIZE:-normal}" = small ] && exit 0

run doctor
exits 0 "doctor"
prints "GFLOP/s" "it measures"
prints "verdict" "it says what it thinks"
holds "it fits in 80 columns" [ "$(widest <out)" -le 80 ]
run doctor --json
holds "its JSON is JSON" is_json out
holds "with the keys that programs rely on" has_keys out version cpu \
    cpu_features cpu_table cores threads blas blas_core gemm_double_gflops \
    gemm_single_gflops bandwidth_gbytes memory_total memory_available \
    memory_budget warnings
GRAM_CPU=generic run doctor
prints "GRAM_CPU is set" "it warns"
exits 0 "a warning is no failure"
