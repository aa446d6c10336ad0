"""bench_python.py BUILD [WORD...] - the same work through Python, by bare calls
of the library, and by scikit-learn.

Bare calls get a table that is there already, so what Python adds is checks of
the arrays and one copy into a table.  It may add 5 %, and what other benchmarks promise beside scikit-learn holds here
within these 5 %.  Import times and the speed of BLAS are those of processes of
their own.
"""
import subprocess
import sys
import threading

from measure import BUILD, THREADS, main, normal, take_turns, timed, verdict

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as peer_kernels
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

import gram
from gram._gram import ffi, lib
from gram._library import Running, check, choice, doubles, room
from gram._machine import Machine, add_role
from gram._table import as_table

MARGIN = 1.05
NO_SCALE = choice("gram_kernel_scale", "scale", "none")


def line(title, seconds, **reached):
    text = ", ".join(f"{key} {value:.6g}" for key, value in reached.items())
    print(f"  {title:<8} {seconds:8.4f} s   {text}", flush=True)


def judge(python, bare, peer, target, error, bound):
    """Near the bare calls, `target` times faster than the peer, and right."""
    near, faster = python / bare, peer / python
    return verdict(
        near <= MARGIN and faster >= target / MARGIN and error <= bound,
        f"{100 * (near - 1):.1f} % above bare calls (<= 5)",
        f"{faster:.1f} times faster than scikit-learn (>= {target} / 1.05)",
        f"difference {error:.1e} (<= {bound:g})",
    )


def smooth(X):
    w = np.random.default_rng(7).standard_normal((X.shape[1], 3))
    noise = 0.1 * np.random.default_rng(8).standard_normal(len(X))
    return np.sin(X @ w / np.sqrt(X.shape[1])).sum(1) + noise


def training(X, y):
    table = as_table(X)
    add_role(table, "y", y, "target", "y")
    return table


# --------------------------------------------------------------------- work


def bench_matrix(n=10_000, d=20, target=8):
    X, k = normal(n, d), gram.Kernel(f"rbf(gamma={1 / d})")
    table, running = as_table(X), Running(THREADS)

    def bare():
        K = room((n, n), np.float64, running)
        function = lib.gram_kernel_matrix
        args = k._handle, table, ffi.NULL, running.exec, doubles(K), n
        check(function(*args))
        return K

    (python, ours), (c, _), (peer, theirs) = take_turns(
        lambda: gram.kernel_matrix(k, X, threads=THREADS),
        bare,
        lambda: rbf_kernel(X, gamma=1 / d),
    )
    line("python", python)
    line("C", c)
    line("sklearn", peer)
    return judge(python, c, peer, target, abs(ours - theirs).max(), 1e-12)


def bench_ridge(n=10_000, d=20, lam=0.1, target=3):
    X = normal(n, d)
    y, running = smooth(X), Running(THREADS)
    options = {
        "kernel": f"rbf(gamma={1 / d})",
        "lambda": str(lam),
        "no_intercept": 1,
        "scale": NO_SCALE,
    }
    table = training(X, y)
    model = gram.KernelRidge(lam, kernel="rbf", n_jobs=THREADS)
    (python, ours), (c, _), (peer, theirs) = take_turns(
        lambda: model.fit(X, y),
        lambda: Machine.fit(table, options, running),
        lambda: KernelRidge(alpha=lam, kernel="rbf").fit(X, y),
        runs=2,
    )
    line("python", python, residual=ours.report_.residual)
    line("C", c)
    line("sklearn", peer)
    off = abs(ours.predict(X[:500]) - theirs.predict(X[:500])).max()
    return judge(python, c, peer, target, off, 1e-8)


def bench_process(n=2000, d=8, target=10):
    X = normal(n, d)
    y, running = smooth(X[:, :4]), Running(THREADS)
    options = {
        "kernel": "rbf(ard)",
        "select": choice("gram_select", "select", "evidence"),
        "no_intercept": 1,
        "scale": NO_SCALE,
        "keep_factor": 1,
    }
    table = training(X, y)
    model = gram.GaussianProcessRegressor(
        "rbf(ard)", scale="none", n_jobs=THREADS
    )
    (python, ours), (c, _) = take_turns(
        lambda: model.fit(X, y),
        lambda: Machine.fit(table, options, running),
        runs=3,
    )
    kernel = peer_kernels.ConstantKernel(1.0) * peer_kernels.RBF(
        np.ones(d), (1e-2, 1e3)
    ) + peer_kernels.WhiteKernel(0.1, (1e-6, 10))
    peer, theirs = timed(
        lambda: GaussianProcessRegressor(kernel, alpha=0.0).fit(X, y)
    )
    mine = ours.log_marginal_likelihood_value_
    yours = theirs.log_marginal_likelihood_value_
    line("python", python, evidence=mine)
    line("C", c)
    line("sklearn", peer, evidence=yours)
    return judge(python, c, peer, target, max(0, yours - mine), 0.05)


def bench_threads(n=4000, d=10, target=1.6):
    X = normal(n, d)
    y = smooth(X)
    models = [
        gram.KernelRidge(0.1, kernel="rbf", gamma=g, n_jobs=1)
        for g in (0.05, 0.1)
    ]

    def together():
        threads = [
            threading.Thread(target=model.fit, args=(X, y)) for model in models
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return [model.predict(X[:100]) for model in models]

    def in_turn():
        return [model.fit(X, y).predict(X[:100]) for model in models]

    (two, a), (one, b) = take_turns(together, in_turn, runs=3)
    line("at once", two)
    line("in turn", one)
    same = all(np.array_equal(p, q) for p, q in zip(a, b))
    return verdict(
        one / two >= target and same,
        f"{one / two:.2f} times faster (>= {target})",
        "same bits" if same else "OTHER bits",
    )


def process(code):
    """What a process of Python prints, a number."""
    words = [sys.executable, "-c", code]
    env = {"PATH": "/usr/bin", "PYTHONPATH": f"{BUILD}/python"}
    return float(subprocess.run(words, env=env, check=True,
                                stdout=subprocess.PIPE).stdout)  # fmt: skip


def bench_import(target=0.05):
    code = (
        "import numpy, time; t = time.perf_counter(); import gram;"
        " print(time.perf_counter() - t)"
    )
    seconds = min(process(code) for _ in range(7))
    line("gram", seconds)
    return verdict(seconds <= target, f"{1000 * seconds:.0f} ms (<= 50)")


def bench_blas(target=0.9):
    code = "import {}; print(gram.doctor(measure=True).gemm)"
    pairs = [
        [process(code.format(names)) for names in ("numpy.linalg, gram", "gram")]
        for _ in range(4)
    ]
    after, alone = np.max(pairs, axis=0)
    share = after / alone
    print(f"  {after / 1e9:.0f} and {alone / 1e9:.0f} GFLOP/s")
    return verdict(share >= target, f"{share:.2f} of the speed (>= {target})")


WORK = {
    "kernel matrix, rbf 10,000 x 20, double": bench_matrix,
    "KernelRidge, rbf 10,000 x 20": bench_ridge,
    "GaussianProcessRegressor, ARD rbf, n = 2000, d = 8": bench_process,
    "two models in two threads of Python": bench_threads,
    "import gram, beyond NumPy": bench_import,
    "BLAS after import numpy, and alone": bench_blas,
}

if __name__ == "__main__":
    main(WORK)
