#!/bin/bash
# run.sh BUILD - all benchmarks: speed and error, beside peers in the same run.
# The status is 1 if a target is missed.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${1:?run.sh: which build folder?}
# Peers get the BLAS kernels this CPU deserves, too.
grep -q avx512vl /proc/cpuinfo && export OPENBLAS_CORETYPE=SkylakeX
missed=0
/usr/bin/python3 bench/bench_read.py "$build" || missed=1
/usr/bin/python3 bench/bench_kernels.py "$build" || missed=1
/usr/bin/python3 bench/bench_fit.py "$build" || missed=1
/usr/bin/python3 bench/bench_splits.py "$build" || missed=1
/usr/bin/python3 bench/bench_svm.py "$build" || missed=1
/usr/bin/python3 bench/bench_python.py "$build" || missed=1
/usr/bin/python3 bench/bench_mmd.py "$build" || missed=1
"$build/bench/bench_linalg" || missed=1
"$build/bench/bench_small" || missed=1
"$build/bench/bench_path" || missed=1
"$build/bench/bench_newton" || missed=1
"$build/bench/bench_quantile" || missed=1
exit $missed
