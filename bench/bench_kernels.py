"""bench_kernels.py BUILD [WORD...] - kernel matrices, beside scikit-learn.

Both sides get the same arrays in memory and two threads; what is timed is one
call in Python, with the allocation of its result.  After a warm-up of each,
the two sides take turns, and the best of five counts.  Entries of the results
are compared with sums in long double: the error is relative, and its bound is
4u(1 + gamma(|x|^2 + |t|^2)) of centred rows, u of the precision used.

The matrix product and the model of the flops are those of this machine, by
gram_system_measure() before and after the work that is compared with them.

With words, only work whose title has one of them.
"""
from measure import THREADS, main, normal, rates, take_turns, verdict

import numpy as np
import scipy.sparse
from sklearn.metrics import pairwise

import gram
from gram._core._gram import ffi, lib
from gram._core.library import Running, check, new_array
from gram._core.table import as_table

SAMPLES = 1000
UNIT = {np.dtype(np.float64): 2.0**-53, np.dtype(np.float32): 2.0**-24}


# ---------------------------------------------------------------- reference
# Of rows x and t in long double, the mean of all rows, and gamma: the value,
# the size to which an error is compared, and its bound in units of 4u.


def linear(x, t, mean, gamma):
    """A sum of m products: m u."""
    terms = ((x * t) != 0).sum(-1)
    return (x * t).sum(-1), abs(x * t).sum(-1), np.maximum(1, terms / 4)


def rbf(x, t, mean, gamma):
    x, t = x - mean, t - mean
    value = np.exp(-gamma * ((x - t) ** 2).sum(-1))
    return value, value, 1 + gamma * ((x * x).sum(-1) + (t * t).sum(-1))


def laplace(x, t, mean, gamma):
    distance = abs(x - t).sum(-1)
    value = np.exp(-gamma * distance)
    return value, value, 1 + gamma * distance


def expression(x, t, mean, gamma):
    near, _, bound = rbf(x, t, mean, gamma)
    dot, size, more = linear(x, t, mean, gamma)
    return (
        near + 0.5 * (dot + 1) ** 2 * dot,
        near + 0.5 * (size + 1) ** 2 * size,
        np.maximum(bound, 3 * more),
    )


def errors(K, X, reference, gamma):
    """The greatest error in a sample, and the greatest part of its bound."""
    i, j = np.random.default_rng(2).integers(len(K), size=(2, SAMPLES))
    j[:10] = i[:10]
    x, t = (
        X[k].toarray() if scipy.sparse.issparse(X) else X[k] for k in (i, j)
    )
    x, t = x.astype(np.longdouble), t.astype(np.longdouble)
    mean = np.asarray(X.mean(0, dtype=np.float64)).ravel()
    value, size, bound = reference(x, t, mean, gamma)
    # An inner product of rows that share no column is 0, and exactly so.
    error = abs(K[i, j] - value) / np.where(size > 0, size, 1)
    part = error / (4 * UNIT[K.dtype] * bound)
    return float(error.max()), float(part.max())


# ------------------------------------------------------------------ measure


def matrix(spec, X, single=False):
    return gram.kernel_matrix(spec, X, single=single, threads=THREADS)


def line(title, seconds, error=None, part=None):
    text = f"  {title:<10} {seconds:8.3f} s"
    if error is not None:
        text += f"   error {error:.1e}, {part:.2f} of its bound"
    print(text)


def against_peer(spec, X, peer, target, reference, single=False, gemm=None):
    """Times faster than the peer; and the share of the matrix product's rate
    that is reached, if `gemm` names one to reach."""
    gamma = 1 / X.shape[1]
    before = rates() if gemm else None
    (ours, K), (theirs, P) = take_turns(
        lambda: matrix(spec.format(gamma), X, single),
        lambda: peer(X, gamma),
    )
    line("gram", ours, *(mine := errors(K, X, reference, gamma)))
    line("sklearn", theirs, *errors(P, X, reference, gamma))
    good = theirs / ours >= target and mine[1] <= 1
    claims = [f"{theirs / ours:.1f} times faster (>= {target})"]
    if gemm:
        n, d = X.shape
        rate = np.maximum(before, rates())[0]
        share = n * n * d / ours / rate
        good = good and share >= gemm
        claims.append(
            f"{100 * share:.0f} % of the matrix product's"
            f" {rate / 1e9:.0f} GFLOP/s (>= {100 * gemm:.0f})"
        )
    return verdict(good, *claims)


# --------------------------------------------------------------------- work


def rbf_kernel(X, gamma):
    return pairwise.rbf_kernel(X, gamma=gamma)


def bench_double():
    return against_peer("rbf(gamma={})", normal(10_000, 20), rbf_kernel, 8, rbf)


def bench_single():
    X = normal(10_000, 20, np.float32)
    return against_peer("rbf(gamma={})", X, rbf_kernel, 15, rbf, single=True)


def bench_wide():
    X = normal(10_000, 784)
    return against_peer("rbf(gamma={})", X, rbf_kernel, 2, rbf, gemm=0.75)


def bench_laplace():
    return against_peer(
        "laplace(gamma={})",
        normal(5_000, 20),
        lambda X, gamma: pairwise.laplacian_kernel(X, gamma=gamma),
        10,
        laplace,
    )


def bench_product(n=50_000, d=10, r=8, target=1.5):
    """Four flops for each of d/2 + 4.5 + r cycles of a pair, half the pairs."""
    X, gamma = normal(n, d), 1 / d
    V = np.random.default_rng(3).standard_normal((n, r))
    kernel = gram.Kernel(f"rbf(gamma={gamma})")

    def product():
        running = Running(THREADS)
        out = new_array(V.shape, np.float64, running)
        check(
            lib.gram_kernel_product(
                kernel._handle,
                as_table(X),
                ffi.NULL,
                running.exec,
                1,
                ffi.from_buffer("double[]", V),
                r,
                ffi.from_buffer("double[]", out),
            )
        )
        return out

    before = rates()
    ((ours, out),) = take_turns(product)
    model = n * n / 2 * 4 * (d / 2 + 4.5 + r) / np.maximum(before, rates())[1]
    error = part = 0.0
    T = X.astype(np.longdouble)
    for i in range(0, n, n // 20):
        value, _, bound = rbf(T[i], T, X.mean(0), gamma)
        off = abs(out[i] - value @ V)
        allowed = 4 * 2.0**-24 * ((value * bound) @ abs(V))
        error = max(error, float((off / (value @ abs(V))).max()))
        part = max(part, float((off / allowed).max()))
    line("gram", ours, error, part)
    line("model", model)
    return verdict(
        ours <= target * model and part <= 1,
        f"{ours / model:.2f} times the model (<= {target})",
    )


def bench_expression(n=10_000, d=100, target=1.5):
    X, gamma = normal(n, d), 1 / d
    alone = f"rbf(gamma={gamma})"
    (ours, K), (base, _) = take_turns(
        lambda: matrix(f"{alone} + 0.5*poly(degree=2)*linear", X),
        lambda: matrix(alone, X),
    )
    error, part = errors(K, X, expression, gamma)
    line("expression", ours, error, part)
    line("rbf alone", base)
    return verdict(
        ours <= target * base and part <= 1,
        f"{ours / base:.2f} times the time (<= {target})",
    )


def text_like(n=20_000, d=50_000, entries=80):
    draw = np.random.default_rng(1)
    index = [np.sort(draw.choice(d, entries, replace=False)) for _ in range(n)]
    start = np.arange(0, n * entries + 1, entries)
    data = draw.standard_normal(n * entries)
    return scipy.sparse.csr_matrix((data, np.concatenate(index), start), (n, d))


def bench_sparse_linear():
    return against_peer(
        "linear",
        text_like(),
        lambda X, gamma: pairwise.linear_kernel(X),
        3,
        linear,
    )


def bench_sparse_rbf():
    return against_peer("rbf(gamma={})", text_like(), rbf_kernel, 3, rbf)


WORK = {
    "rbf 10,000 x 20, double, against rbf_kernel": bench_double,
    "rbf 10,000 x 20, single, against rbf_kernel": bench_single,
    "rbf 10,000 x 784, double, against rbf_kernel": bench_wide,
    "laplace 5,000 x 20, double, against laplacian_kernel": bench_laplace,
    "product K V of rbf, 50,000 x 10, 8 vectors, single": bench_product,
    "rbf + 0.5*poly(degree=2)*linear, 10,000 x 100": bench_expression,
    "sparse linear, 20,000 x 50,000 with 80 in a row": bench_sparse_linear,
    "sparse rbf, 20,000 x 50,000 with 80 in a row": bench_sparse_rbf,
}


main(WORK)
