"""What the benchmarks in Python share: threads, the clock, the verdicts.

To be imported first: it sets the threads of peers before NumPy is loaded.
"""
import os
import sys
import time

BUILD, *WORDS = sys.argv[1:]
THREADS, RUNS = 2, 5
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = str(THREADS)
sys.path.insert(0, f"{BUILD}/python")

import numpy as np
import threadpoolctl

from gram._core._gram import ffi, lib
from gram._core.library import Running, check


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def take_turns(*works, runs=RUNS):
    """The best time of each work after a warm-up, and what it gave."""
    best = []
    for work in works:
        best.append([float("inf"), work()])
    for _ in range(runs):
        for kept, work in zip(best, works):
            kept[1] = None
            seconds, kept[1] = timed(work)
            kept[0] = min(kept[0], seconds)
    return best


def rates():
    """The rates of matrix products, in double and in single."""
    out = ffi.new("gram_rates *")
    check(lib.gram_system_measure(Running(THREADS).exec, out))
    return np.array([out.gemm_double, out.gemm_single])


def normal(n, d, dtype=np.float64):
    return np.random.default_rng(1).standard_normal((n, d)).astype(dtype)


def verdict(good, *claims):
    print(f"  {', '.join(claims)}: {'good' if good else 'MISSED'}", flush=True)
    return good


def main(work, only_if_named=()):
    """Do all work, or what a word of the command line names."""
    for pool in threadpoolctl.threadpool_info():
        if pool["user_api"] == "blas" and "gram" not in pool["filepath"]:
            print(
                f"peers use {pool['internal_api']} {pool['version']},"
                f" {pool['architecture']}, {pool['num_threads']} threads"
            )
    good = True
    for title, do in work.items():
        named = any(word in title for word in WORDS)
        if named or (not WORDS and title not in only_if_named):
            print(title, flush=True)
            good = do() and good
    sys.exit(not good)
