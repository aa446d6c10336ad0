"""bench_fit.py BUILD [WORD...] - fitting and predicting, beside scikit-learn.

Both sides get the same arrays, two threads, and the same BLAS core; what is
timed is one call.  Slow work is run once after the other side, the rest takes
turns; the best counts.  Beside each time stands what was reached: a residual,
an error of prediction, an evidence.

Work that takes minutes is done only if a word of the command line names it.
"""
import tracemalloc

from measure import THREADS, main, normal, take_turns, timed, verdict

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as peer_kernels
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, PredefinedSplit

import gram
from gram._core._gram import ffi, lib
from gram._core.library import Running, check, struct
from gram._core.machine import Machine, add_role
from gram._core.table import as_table

DOUBLE, SINGLE = 1, 2


# --------------------------------------------------------------- the library


def table(X, y=None, fold=None):
    t = as_table(X)
    if y is not None:
        add_role(t, "y", y, "target", "y")
    if fold is not None:
        add_role(t, "fold", fold, "group", "fold")
    return t


def fit(t, fold=None, **given):
    if fold:
        given["folds"] = {"given": ffi.new("char[]", fold.encode())}
    return Machine.fit(t, given, Running(THREADS))


def report(machine):
    return machine.report


def predict(machine, t, *wanted):
    """The mean at the rows, and what else of a gram_prediction is wanted."""
    made = machine.predict(t, ("mean", *wanted), Running(THREADS))
    values = tuple(array[:, 0] for array in made.values())
    return values if wanted else values[0]


def line(title, seconds, **reached):
    text = ", ".join(f"{key} {value:.6g}" for key, value in reached.items())
    print(f"  {title:<10} {seconds:8.3f} s   {text}", flush=True)


def smooth(X, noise=0.1):
    """A target that a radial kernel can learn."""
    rng = np.random.default_rng(7)
    w = rng.standard_normal((X.shape[1], 3)) / np.sqrt(X.shape[1])
    return np.sin(X @ w).sum(1) + noise * rng.standard_normal(len(X))


def residual(X, gamma, lam, alpha, y):
    K = gram.Kernel(f"rbf(gamma={gamma})")
    out = np.empty(len(X))
    check(
        lib.gram_kernel_product(
            K._handle,
            as_table(X),
            ffi.NULL,
            Running(THREADS).exec,
            0,
            ffi.from_buffer("double[]", np.ascontiguousarray(alpha)),
            1,
            ffi.from_buffer("double[]", out),
        )
    )
    return np.linalg.norm(out + lam * alpha - y) / np.linalg.norm(y)


# ---------------------------------------------------------------------- ridge


def ridge(precision, target, memory=None, n=10_000, d=20, lam=0.1):
    X = normal(n, d)
    y, t, gamma = smooth(X), None, 1 / d
    t = table(X, y)
    (ours, machine), (theirs, peer) = take_turns(
        lambda: fit(
            t,
            kernel=f"rbf(gamma={gamma})",
            **{"lambda": str(lam)},
            no_intercept=1,
            precision=precision,
            scale=lib.GRAM_KERNEL_SCALE_NONE,
        ),
        lambda: KernelRidge(alpha=lam, kernel="rbf", gamma=gamma).fit(X, y),
        runs=2,
    )
    mine = report(machine).residual
    yours = residual(X, gamma, lam, peer.dual_coef_, y)
    line("gram", ours, residual=mine)
    line("sklearn", theirs, residual=yours)
    good = theirs / ours >= target and mine <= max(10 * yours, 1e-10)
    claims = [f"{theirs / ours:.2f} times faster (>= {target})"]
    if memory:
        peak = report(machine).peak_bytes
        tracemalloc.start()
        KernelRidge(alpha=lam, kernel="rbf", gamma=gamma).fit(X, y)
        share = peak / tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        good = good and share <= memory
        claims.append(f"{share:.2f} of the memory (<= {memory})")
    return verdict(good, *claims)


def bench_ridge():
    return ridge(0, 3, memory=0.6)


def bench_ridge_double():
    return ridge(DOUBLE, 1.8)


def grid(precision, target, n=3000, d=10):
    X = normal(n, d)
    y = smooth(X, 0.3)
    fold = np.random.default_rng(3).permutation(np.arange(n) % 5)
    lams = np.logspace(-4, 1, 10)
    gammas = np.logspace(-2.5, 0, 5)
    search = GridSearchCV(
        KernelRidge(kernel="rbf"),
        {"alpha": lams, "gamma": gammas},
        cv=PredefinedSplit(fold),
        scoring="neg_mean_squared_error",
        refit=True,
    )
    theirs, _ = timed(lambda: search.fit(X, y))
    t = table(X, y, fold)
    ours, machine = min(
        (
            timed(
                lambda: fit(
                    t,
                    fold="fold",
                    kernel=f"rbf(gamma=?{list(map(float, gammas))})",
                    **{"lambda": f"?{list(map(float, lams))}"},
                    select=lib.GRAM_SELECT_CV,
                    no_intercept=1,
                    precision=precision,
                    scale=lib.GRAM_KERNEL_SCALE_NONE,
                )
            )
            for _ in range(3)
        ),
        key=lambda pair: pair[0],
    )
    r = report(machine)
    best = search.best_params_
    line("gram", ours, mse=r.criterion_value, lam=r.lam[0])
    line("sklearn", theirs, mse=-search.best_score_, lam=best["alpha"])
    kernel = r.kernel
    same = (
        abs(r.lam[0] / best["alpha"] - 1) < 1e-9
        and abs(float(kernel.split("gamma=")[1].split(")")[0]) / best["gamma"] - 1)
        < 1e-9
    )
    return verdict(
        theirs / ours >= target and same,
        f"{theirs / ours:.1f} times faster (>= {target})",
        "same winner" if same else f"other winner: {kernel}",
    )


def bench_grid():
    return grid(0, 12)


def bench_grid_double():
    return grid(DOUBLE, 7)


# ----------------------------------------------------------------- processes


def bench_process(n=2000, d=8, target=10):
    X = normal(n, d)
    y = smooth(X[:, :4])
    kernel = peer_kernels.ConstantKernel(1.0) * peer_kernels.RBF(
        np.ones(d), (1e-2, 1e3)
    ) + peer_kernels.WhiteKernel(0.1, (1e-6, 10))
    t = table(X, y)
    ours, machine = min(
        (
            timed(
                lambda: fit(
                    t,
                    kernel="rbf(ard)",
                    select=lib.GRAM_SELECT_EVIDENCE,
                    no_intercept=1,
                    scale=lib.GRAM_KERNEL_SCALE_NONE,
                )
            )
            for _ in range(2)
        ),
        key=lambda pair: pair[0],
    )
    peer = GaussianProcessRegressor(kernel, alpha=0.0)
    theirs, _ = timed(lambda: peer.fit(X, y))
    once, _ = timed(
        lambda: peer.log_marginal_likelihood(peer.kernel_.theta, True)
    )
    r = report(machine)
    each = ours / r.evaluations
    line("gram", ours, evidence=r.log_evidence[0], evaluations=r.evaluations)
    line(
        "sklearn",
        theirs,
        evidence=peer.log_marginal_likelihood_value_,
        one_evaluation=once,
    )
    better = r.log_evidence[0] >= peer.log_marginal_likelihood_value_ - 0.05
    return verdict(
        theirs / ours >= target and once / each >= target and better,
        f"{theirs / ours:.1f} times faster in all (>= {target})",
        f"{once / each:.1f} per evaluation (>= {target})",
        "evidence as good" if better else "evidence WORSE",
    )


def bench_predict(n=10_000, m=100_000, d=20, target=4):
    X, T = normal(n, d), normal(m, d)
    y, gamma, lam = smooth(X), 1 / d, 0.1
    machine = fit(
        table(X, y),
        kernel=f"rbf(gamma={gamma})",
        **{"lambda": str(lam)},
        no_intercept=1,
        scale=lib.GRAM_KERNEL_SCALE_NONE,
    )
    peer = KernelRidge(alpha=lam, kernel="rbf", gamma=gamma).fit(X, y)
    new = table(T)
    lib.gram_memory_reset_peak()
    held = lib.gram_memory_used()
    (ours, mine), (theirs, yours) = take_turns(
        lambda: predict(machine, new), lambda: peer.predict(T), runs=1
    )
    off = abs(mine - yours).max() / abs(yours).max()
    extra = (lib.gram_memory_peak() - held) / (8 * m * d)
    line("gram", ours, difference=off, memory_by_test_rows=extra)
    line("sklearn", theirs)
    return verdict(
        theirs / ours >= target and off < 1e-8 and extra < 2,
        f"{theirs / ours:.1f} times faster (>= {target})",
        f"memory {extra:.2f} of the test rows (< 2)",
    )


# --------------------------------------------------------------------- large


def bench_markov(n=1_000_000, target=5):
    rng = np.random.default_rng(5)
    x = np.sort(rng.uniform(0, 1000, n))
    y = np.sin(x / 20) + 0.3 * rng.standard_normal(n)
    t = table(x[:, None], y)
    options = struct(
        "gram_fit_options",
        {"kernel": "min", "scale": lib.GRAM_KERNEL_SCALE_NONE},
    )
    rows = ffi.new("gram_path_row[]", 50)
    best = ffi.new("size_t[]", 3)
    lams = np.logspace(-6, 3, 50)

    def path():
        check(
            lib.gram_machine_path(
                t,
                options,
                ffi.from_buffer("double[]", lams),
                50,
                Running(THREADS).exec,
                rows,
                best,
            )
        )

    seconds = min(timed(path)[0] for _ in range(3))
    line("gram", seconds, loo=rows[best[0]].loo, lam=lams[best[0]])
    good = abs(rows[best[0]].loo - 0.09) < 0.002
    return verdict(seconds <= target and good, f"{seconds:.2f} s (<= {target})")


def bench_large(n=100_000, d=10, lam=1.0):
    X = normal(n, d)
    y = smooth(X)
    t = table(X, y)
    options = dict(
        kernel=f"rbf(gamma={1 / d})",
        **{"lambda": str(lam)},
        tolerance=1e-6,
        scale=lib.GRAM_KERNEL_SCALE_NONE,
    )
    lib.gram_memory_reset_peak()
    seconds, machine = timed(lambda: fit(t, **options))
    r = report(machine)
    share = r.peak_bytes / r.plan_bytes
    line("gram", seconds, residual=r.residual, steps=r.steps)
    print(f"  {r.solver}, {r.peak_bytes / 2**30:.2f} GiB")
    return verdict(
        r.residual <= 1e-6 and share <= 1.2,
        f"residual {r.residual:.1e} (<= 1e-6)",
        f"{share:.2f} of the plan's memory (<= 1.2)",
    )


LARGE = "exact rbf, n = 100,000, d = 10, lambda = 1"
WORK = {
    "ridge, rbf 10,000 x 20, against KernelRidge": bench_ridge,
    "ridge, all in double, against KernelRidge": bench_ridge_double,
    "5 folds x 10 lambda x 5 gamma, n = 3000, against GridSearchCV": bench_grid,
    "the same grid in double": bench_grid_double,
    "process, ARD rbf, n = 2000, d = 8, against scikit-learn": bench_process,
    "predict 100,000 rows, n = 10,000, against KernelRidge": bench_predict,
    "min kernel, n = 1,000,000, 50 lambdas with LOO": bench_markov,
    LARGE: bench_large,
}

if __name__ == "__main__":
    main(WORK, only_if_named=(LARGE,))
