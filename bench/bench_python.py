"""bench_python.py BUILD [WORD...] - the same work through Python, by bare calls
of the library, and by scikit-learn.

Bare calls get a table that is there already, so what Python adds is checks of
the arrays and one copy into a table.  It may add 5 %, and what other benchmarks
promise beside their peers holds here within these 5 %, beside scikit-learn, or
NumPy where that has nothing.  Of a grid of support vector machines scikit-learn
does some cells, and the rest is extrapolated.  Import times and the speed of
BLAS are those of processes of their own.
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
from sklearn.model_selection import (
    GridSearchCV,
    PredefinedSplit,
    cross_val_score,
)
from sklearn.svm import SVC

import gram
from bench_mmd import GAMMA, numpy_gemm, samples
from gram._core._gram import ffi, lib
from gram._core.library import (
    Running,
    check,
    choice,
    doubles,
    make,
    new_array,
    struct,
)
from gram._core.machine import Machine, add_role
from gram._core.table import as_table

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
        f"{faster:.1f} times faster than the peer (>= {target} / 1.05)",
        f"difference {error:.1e} (<= {bound:g})",
    )


def smooth(X):
    w = np.random.default_rng(7).standard_normal((X.shape[1], 3))
    noise = 0.1 * np.random.default_rng(8).standard_normal(len(X))
    return np.sin(X @ w / np.sqrt(X.shape[1])).sum(1) + noise


def training(X, y, fold=None):
    table = as_table(X)
    add_role(table, "y", y, "target", "y")
    if fold is not None:
        add_role(table, "fold", fold, "group", "fold")
    return table


def listed(values):
    return f"?[{','.join(repr(float(v)) for v in values)}]"


# --------------------------------------------------------------------- work


def bench_matrix(n=10_000, d=20, target=8):
    X, k = normal(n, d), gram.Kernel(f"rbf(gamma={1 / d})")
    table, running = as_table(X), Running(THREADS)

    def bare():
        K = new_array((n, n), np.float64, running)
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


def bench_grid(n=3000, d=10, target=12):
    X = normal(n, d)
    y = smooth(X) + 0.3 * np.random.default_rng(9).standard_normal(n)
    fold = np.random.default_rng(3).permutation(np.arange(n) % 5)
    lams, gammas = np.logspace(-4, 1, 10), np.logspace(-2.5, 0, 5)
    spec, running = f"rbf(gamma={listed(gammas)})", Running(THREADS)
    options = {
        "kernel": spec,
        "lambda": listed(lams),
        "select": choice("gram_select", "select", "cv"),
        "no_intercept": 1,
        "scale": NO_SCALE,
        "folds": {"given": "fold"},
    }
    table = training(X, y, fold)
    model = gram.KernelRegressor(
        spec, lam=lams, select="cv", folds=fold, intercept=False, scale="none",
        n_jobs=THREADS,
    )  # fmt: skip
    (python, ours), (c, _) = take_turns(
        lambda: model.fit(X, y),
        lambda: Machine.fit(table, options, running),
        runs=2,
    )
    search = GridSearchCV(
        KernelRidge(kernel="rbf"),
        {"alpha": lams, "gamma": gammas},
        cv=PredefinedSplit(fold),
        scoring="neg_mean_squared_error",
    )
    peer, _ = timed(lambda: search.fit(X, y))
    mine, yours = ours.report_.criterion_value, -search.best_score_
    line("python", python, mse=mine, lam=ours.lam_)
    line("C", c)
    line("sklearn", peer, mse=yours, lam=search.best_params_["alpha"])
    return judge(python, c, peer, target, abs(mine / yours - 1), 1e-3)


def wave(n, d=20, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    w = rng.standard_normal((d, 3)) / np.sqrt(d)
    noise = 0.3 * rng.standard_normal(n)
    return X, np.where(np.sin(X @ w).sum(1) + noise > 0, 1, -1)


def dual(model, X, gamma):
    """The objective of a support vector machine of two classes."""
    a = np.zeros(len(X))
    a[model.support_] = model.dual_coef_[0]
    k = gram.Kernel(f"rbf(gamma={gamma})")
    return abs(a).sum() - a @ k.product(X, a, threads=THREADS) / 2


def bench_svc(n=20_000, C=10.0, gamma=0.05, target=10):
    X, y = wave(n)
    running = Running(THREADS)
    options = {
        "kernel": f"rbf(gamma={gamma})",
        "loss": "hinge",
        "lambda": repr(0.5 / C),
        "tolerance": 1e-3,
        "scale": NO_SCALE,
    }
    table = training(X, np.where(y > 0, "1", "-1").astype(object))
    model = gram.SVC(C=C, gamma=gamma, n_jobs=THREADS)
    (python, ours), (c, _) = take_turns(
        lambda: model.fit(X, y),
        lambda: Machine.fit(table, options, running),
        runs=3,
    )
    peer, theirs = timed(lambda: SVC(C=C, gamma=gamma, cache_size=2000).fit(X, y))
    mine, yours = dual(ours, X, gamma), dual(theirs, X, gamma)
    line("python", python, objective=mine, support=ours.n_support_.sum())
    line("C", c)
    line("sklearn", peer, objective=yours, support=theirs.n_support_.sum())
    return judge(python, c, peer, target, max(0, 1 - mine / yours), 1e-4)


def bench_svc_grid(n=5000, target=40):
    X, y = wave(n)
    fold = np.random.default_rng(3).permutation(np.arange(n) % 5)
    Cs = [2.0**k for k in range(-3, 13, 2)]
    gammas = [2.0**k / X.shape[1] for k in range(-3, 3)]
    spec, running = f"rbf(gamma={listed(gammas)})", Running(THREADS)
    options = {
        "kernel": spec,
        "loss": "hinge",
        "lambda": listed(0.5 / C for C in Cs),
        "select": choice("gram_select", "select", "cv"),
        "tolerance": 1e-3,
        "scale": NO_SCALE,
        "folds": {"given": "fold"},
    }
    table = training(X, np.where(y > 0, "1", "-1").astype(object), fold)
    model = gram.KernelClassifier(
        spec, loss="hinge", C=Cs, select="cv", folds=fold, scale="none",
        tolerance=1e-3, n_jobs=THREADS,
    )  # fmt: skip
    (python, ours), (c, _) = take_turns(
        lambda: model.fit(X, y),
        lambda: Machine.fit(table, options, running),
        runs=2,
    )
    some = [(C, g) for C in Cs[1::4] for g in gammas[1::3]]
    cells = {
        (0.5 / lam, dict(gram.Kernel(kernel).parameters)["rbf.gamma"]): error
        for kernel, lam, error in zip(*ours.cv_results_.values())
    }
    each, off = [], 0.0
    for C, gamma in some:
        seconds, scores = timed(
            lambda: cross_val_score(
                SVC(C=C, gamma=gamma, cache_size=2000), X, y,
                cv=PredefinedSplit(fold),
            )
        )  # fmt: skip
        each.append(seconds)
        off = max(off, abs(1 - scores.mean() - cells[C, gamma]))
    peer = np.mean(each) * len(Cs) * len(gammas)
    line("python", python, error=ours.report_.criterion_value)
    line("C", c)
    line("sklearn", peer, cells_timed=len(some), cells=len(Cs) * len(gammas))
    return judge(python, c, peer, target, off, 1e-3)


def bench_mmd(n=2000, count=1000, target=5):
    X, Y = samples(n)
    spec = f"rbf(gamma={GAMMA})"
    options = {"kernel": spec, "exact": 1, "permutations": count}
    running, a, b = Running(THREADS), as_table(X), as_table(Y)

    def bare():
        made = struct("gram_test_options", {**options, "scale": NO_SCALE})
        free = lib.gram_test_free
        return make(lib.gram_test_samples, free, a, b, made, running.exec)

    (python, ours), (c, _), (peer, theirs) = take_turns(
        lambda: gram.mmd_test(
            X, Y, spec, exact=True, permutations=count, scale="none",
            n_jobs=THREADS,
        ),
        bare,
        lambda: numpy_gemm(X, Y, count),
    )  # fmt: skip
    line("python", python, statistic=ours.statistic, p=ours.p_value)
    line("C", c)
    line("numpy", peer, statistic=theirs[0], p=theirs[1])
    return judge(python, c, peer, target, abs(ours.statistic - theirs[0]), 1e-6)


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
    "KernelRegressor, 5 folds x 10 lambda x 5 gamma, n = 3000": bench_grid,
    "SVC, n = 20,000, d = 20, C = 10": bench_svc,
    "KernelClassifier, 5 folds x 8 C x 6 gamma, n = 5000": bench_svc_grid,
    "mmd_test, n = m = 2000, 1000 permutations": bench_mmd,
    "two models in two threads of Python": bench_threads,
    "import gram, beyond NumPy": bench_import,
    "BLAS after import numpy, and alone": bench_blas,
}

if __name__ == "__main__":
    main(WORK)
