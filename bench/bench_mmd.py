"""bench_mmd.py BUILD [WORD...] - two-sample tests, beside NumPy.

The peers are the test as it is usually written, with permuted indices of a
matrix in memory, of which a few permutations are timed and scaled up; and one
matrix product for all permutations.  Both have scikit-learn's rbf_kernel in
them, as many permutations, two threads and the same rows.  Statistics are
compared with those of NumPy in double.

The power on real data is the share of seeded draws of rows that are told
apart; it needs ../shared/data/twosample and is passed over without it.

With words, only work whose title has one of them.
"""
from measure import THREADS, main, take_turns, timed, verdict

import os

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

import gram
from gram._core._gram import ffi, lib
from gram._core.library import Running, check, make, new_array
from gram._core.table import as_table

FOLDER = os.path.join(
    os.path.dirname(__file__), "../../shared/data/twosample/"
)
GAMMA = 0.05


def samples(n, d=10, shift=0.05):
    r = np.random.default_rng(5)
    return r.standard_normal((n, d)), r.standard_normal((n, d)) + shift


def gram_test(X, Y, seed=0, **options):
    """Statistic, p-value, seconds inside, bytes at the peak."""
    words = {
        name: ffi.new("char[]", value.encode()) if name == "kernel" else value
        for name, value in options.items()
    }
    running = Running(THREADS)
    running.exec.seed = seed
    t = make(
        lib.gram_test_samples,
        lib.gram_test_free,
        as_table(X),
        as_table(Y),
        ffi.new("gram_test_options *", words),
        running.exec,
    )
    r = lib.gram_test_report_get(t)
    return r.statistic, r.p_value, r.seconds, r.peak_bytes


def value(a, rz, S, m, n):
    return (
        a / (m * (m - 1))
        + (S - 2 * rz + a) / (n * (n - 1))
        - 2 * (rz - a) / (m * n)
    )


def numpy_gemm(X, Y, count, dtype=np.float64, gamma=GAMMA, seed=6):
    """One matrix product for all permutations."""
    m, n = len(X), len(Y)
    K = rbf_kernel(np.vstack([X, Y]).astype(dtype), gamma=gamma)
    np.fill_diagonal(K, 0)
    Z = np.zeros((m + n, count + 1), dtype)
    Z[:m, 0] = 1
    rng = np.random.default_rng(seed)
    for b in range(1, count + 1):
        Z[rng.permutation(m + n)[:m], b] = 1
    r = K.sum(1)
    a = np.einsum("ib,ib->b", Z, K @ Z)
    T = value(a, r @ Z, r.sum(), m, n)
    return T[0], (1 + (T[1:] >= T[0]).sum()) / (count + 1)


def numpy_plain(X, Y, count):
    """The matrix is permuted by index."""
    m, n = len(X), len(Y)
    K = rbf_kernel(np.vstack([X, Y]), gamma=GAMMA)
    rng = np.random.default_rng(6)

    def mmd(p):
        xx, yy, xy = K[p[:m]][:, p[:m]], K[p[m:]][:, p[m:]], K[p[:m]][:, p[m:]]
        return (
            (xx.sum() - np.trace(xx)) / (m * (m - 1))
            + (yy.sum() - np.trace(yy)) / (n * (n - 1))
            - 2 * xy.mean()
        )

    first = mmd(np.arange(m + n))
    return first, [mmd(rng.permutation(m + n)) for _ in range(count)]


def bench_exact(n=2000, count=1000, few=3, target=5):
    X, Y = samples(n)
    kernel = f"rbf(gamma={GAMMA})"
    (ours, mine), (double, theirs), (single, _) = take_turns(
        lambda: gram_test(X, Y, kernel=kernel, exact=1, permutations=count),
        lambda: numpy_gemm(X, Y, count),
        lambda: numpy_gemm(X, Y, count, np.float32),
        runs=3,
    )
    plain = timed(lambda: numpy_plain(X, Y, few))[0] / few * count
    error = abs(mine[0] - theirs[0])
    print(f"  gram           {ours:8.3f} s   p {mine[1]:.4f}, error {error:.0e}")
    print(f"  numpy, double  {double:8.3f} s   p {theirs[1]:.4f}")
    print(f"  numpy, single  {single:8.3f} s")
    print(f"  numpy, plain   {plain:8.1f} s   ({few} permutations, scaled)")
    return verdict(
        double / ours >= target and error < 1e-6,
        f"{double / ours:.1f} times faster than in double (>= {target})",
    )


def kernel_pass(X):
    """K times a vector in single precision, no matrix in memory."""
    kernel, running = gram.Kernel(f"rbf(gamma={GAMMA})"), Running(THREADS)
    out, one = new_array((len(X), 1), np.float64, running), np.ones((len(X), 1))
    check(
        lib.gram_kernel_product(
            kernel._handle,
            as_table(X),
            ffi.NULL,
            running.exec,
            1,
            ffi.from_buffer("double[]", one),
            1,
            ffi.from_buffer("double[]", out),
        )
    )
    return out


def bench_binned(n=20_000, target=2):
    X, Y = samples(n)
    both = np.vstack([X, Y])
    (ours, mine), (once, _) = take_turns(
        lambda: gram_test(X, Y, kernel=f"rbf(gamma={GAMMA})"),
        lambda: kernel_pass(both),
        runs=3,
    )
    print(f"  gram           {ours:8.3f} s   p {mine[1]:.4f}")
    print(f"  a kernel pass  {once:8.3f} s")
    return verdict(
        ours <= target * once,
        f"{ours / once:.2f} times a pass (<= {target})",
        f"{mine[3] / 2**20:.0f} MB",
    )


def bench_large(n=100_000, target=1 << 30):
    X, Y = samples(n)
    seconds, mine = timed(lambda: gram_test(X, Y, permutations=500))
    print(f"  gram           {seconds:8.3f} s   p {mine[1]:.4f}")
    return verdict(
        mine[3] <= target, f"{mine[3] / 2**20:.0f} MB (<= 1024)"
    )


def bench_aggregate(n=2000, target=4):
    X, Y = samples(n)
    (ours, mine), (once, single) = take_turns(
        lambda: gram_test(X, Y, aggregate=1), lambda: gram_test(X, Y), runs=5
    )
    print(f"  20 kernels     {ours:8.4f} s   p {mine[1]:.4f}")
    print(f"  one            {once:8.4f} s   p {single[1]:.4f}")
    return verdict(
        ours <= target * once,
        f"{ours / once:.2f} times one kernel (<= {target})",
    )


# -------------------------------------------------------------------- power


def read(name):
    data = np.genfromtxt(FOLDER + name, delimiter=",", skip_header=1)
    with __import__("gzip").open(FOLDER + name, "rt") as file:
        at = file.readline().strip().split(",").index("label")
    return np.delete(data, at, 1), data[:, at]


def pairs():
    """Two real problems, and the rows to draw from each side."""
    X, label = read("higgs11k.csv.gz")
    yield "higgs", X[label == 0], X[label == 1], 200
    X, label = read("fashion7x7.csv.gz")
    odd = np.isin(label, np.unique(label)[::2])
    yield "fashion", X, X[odd], 40


def power(P, Q, n, draws, test):
    found = 0
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        x = P[rng.choice(len(P), n, replace=False)]
        y = Q[rng.choice(len(Q), n, replace=False)]
        both = np.vstack([x, y])
        scale = both.std(0, ddof=1)
        scale[scale == 0] = 1
        found += test(x / scale, y / scale, seed) <= 0.05
    return found / draws


def median_gamma(x, y):
    both = np.vstack([x, y])
    i, j = np.triu_indices(len(both), 1)
    return 0.5 / np.median(((both[i] - both[j]) ** 2).sum(1))


def bench_power(draws=60, count=200):
    if not os.path.exists(FOLDER):
        print("  no data")
        return True
    good = True
    for name, P, Q, n in pairs():

        def peer(x, y, seed):
            gamma = median_gamma(x, y)
            return numpy_gemm(x, y, count, gamma=gamma, seed=seed)[1]

        def ours(**options):
            def test(x, y, seed):
                gamma = median_gamma(x, y)
                if not options:
                    more = {"kernel": f"rbf(gamma={gamma})"}
                else:
                    more = options
                return gram_test(x, y, seed, **{"permutations": count, **more})[1]

            return test

        theirs = power(P, Q, n, draws, peer)
        mine = power(P, Q, n, draws, ours())
        many = power(P, Q, n, draws, ours(aggregate=1, permutations=1000))
        # Both are shares of the same draws; they differ by permutations.
        slack = 0.05
        good = verdict(
            mine >= theirs - slack and many >= mine - slack,
            f"{name}, {n} rows: gram {mine:.2f}, numpy {theirs:.2f},"
            f" aggregate {many:.2f}",
        ) and good
    return good


if __name__ == "__main__":
    main(
        {
            "exact permutations, n = m = 2000, d = 10, 1000 of them": bench_exact,
            "binned permutations, n = m = 20000, d = 10": bench_binned,
            "binned permutations, n = m = 100000, d = 10": bench_large,
            "aggregate, n = m = 2000, d = 10": bench_aggregate,
            "power on real data": bench_power,
        }
    )
