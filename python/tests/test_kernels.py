"""The Python face: the same answers as others, errors as exceptions."""
import copy
import os
import pickle
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gram

scipy_sparse = pytest.importorskip("scipy.sparse")

DRAW = np.random.default_rng(1)
X = DRAW.standard_normal((37, 5))
T = DRAW.standard_normal((23, 5))
SPECS = ["linear", "rbf(gamma=0.3)", "laplace(gamma=0.1)[c0,c3] + 2*poly"]


def sparse_matrix(rows, density=0.3):
    return scipy_sparse.random(
        rows, 40, density, format="csr", random_state=rows
    )


# ---------------------------------------------------- agreement with others


@pytest.mark.parametrize(
    "metric, options, spec",
    [
        ("linear", {}, "linear"),
        ("polynomial", {"degree": 3, "gamma": 0.2, "coef0": 1.5},
         "poly(degree=3, gamma=0.2, offset=1.5)"),
        ("rbf", {"gamma": 0.3}, "rbf(gamma=0.3)"),
        ("laplacian", {"gamma": 0.3}, "laplace(gamma=0.3)"),
        ("sigmoid", {"gamma": 0.2, "coef0": -0.5}, "sigmoid(a=0.2, c=-0.5)"),
        ("chi2", {"gamma": 0.3}, "chi2(gamma=0.3)"),
        ("cosine", {}, "normalize(linear)"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("two", [False, True], ids=["X", "X,T"])
def test_values_are_those_of_scikit_learn(metric, options, spec, two):
    pairwise = pytest.importorskip("sklearn.metrics.pairwise")
    a, b = (abs(X), abs(T)) if metric == "chi2" else (X, T)
    b = b if two else None
    theirs = pairwise.pairwise_kernels(a, b, metric=metric, **options)
    ours = gram.kernel_matrix(spec, a, b)
    assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def test_a_kernel_is_a_kernel_of_scikit_learn():
    svm = pytest.importorskip("sklearn.svm")
    ridge = pytest.importorskip("sklearn.kernel_ridge")
    base = pytest.importorskip("sklearn.base")
    y = X[:, 0] * X[:, 1]
    k = gram.Kernel("rbf(gamma=0.2)")
    for machine, target in ((svm.SVC, y > 0), (ridge.KernelRidge, y)):
        ours = base.clone(machine(kernel=k)).fit(X, target)
        theirs = machine(kernel="rbf", gamma=0.2).fit(X, target)
        assert_allclose(ours.predict(T), theirs.predict(T))


@pytest.mark.parametrize(
    "spec",
    ["rbf + 2*linear^2", "sigmoid + rbf(gamma=1)", "indicator(eps=1)",
     "2*(linear + (3*min))^2*normalize(rbf(gamma=3)[c0] - linear[c1])",
     "linear^0.5", "rbf - linear"],
)  # fmt: skip
def test_a_certificate_reads_as_that_of_the_command(spec):
    command = os.environ.get("GRAM")
    if not command:
        pytest.skip("GRAM does not name the command")
    said = subprocess.run(
        [command, "check", spec],
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        stdout=subprocess.PIPE,
        check=True,
        encoding="utf-8",
    ).stdout
    assert str(gram.Kernel(spec).certificate()) + "\n" == said


# ------------------------------------------------------------------ algebra


def test_matrices_of_sums_products_and_powers_are_those_of_the_parts():
    k, h = gram.Kernel("rbf(gamma=0.1)"), gram.Kernel("linear + 1")
    K, H = k(X, T), h(X, T)
    for made, expected in (
        (k + h, K + H),
        (k * h, K * H),
        (h**3, H**3),
        (2 * k, 2 * K),
        (k * 0.1, 0.1 * K),
        (3 + k, 3 + K),
        (k + np.float32(0.5), 0.5 + K),
        (np.float64(0.5) * k, 0.5 * K),
        (np.int64(2) + k, 2 + K),
        (sum([k, h]), K + H),
        (2 * (k + h) ** 2 * h, 2 * (K + H) ** 2 * H),
    ):
        assert_allclose(made(X, T), expected, rtol=1e-12)


def test_text_makes_the_same_kernel():
    k = (gram.Kernel("rbf(sigma=0.1)") + 1 / 3) ** 2 * gram.Kernel("linear[c0]")
    for same in (
        gram.Kernel(str(k)),
        gram.Kernel(k),
        eval(repr(k)),
        copy.deepcopy(k),
        pickle.loads(pickle.dumps(k)),
    ):
        assert same == k and hash(same) == hash(k)
        assert_array_equal(same(X), k(X))
    assert k != gram.Kernel("linear[c0]")
    assert k != str(k)


def test_a_long_sum_does_not_nest():
    k = sum((gram.Kernel(f"rbf(gamma={g})") for g in range(1, 400)), start=0)
    assert k(X).shape == (37, 37)


@pytest.mark.parametrize("other", ["rbf", None, 1j, [1.0]])
def test_only_kernels_and_numbers_take_part(other):
    k = gram.Kernel("linear")
    for combine in (
        lambda: k + other,
        lambda: other + k,
        lambda: k * other,
        lambda: other * k,
        lambda: k**other,
    ):
        with pytest.raises(TypeError):
            combine()


# ------------------------------------------------------------- certificates


def test_certificates_have_verdict_and_steps():
    good = gram.Kernel("rbf(gamma=1) + 2*linear").certificate()
    assert good.psd == "certified"
    assert [s.depth for s in good.steps] == [0, 1, 1, 2, 2]
    assert good.steps[0].rule == "sum"
    assert all(s.psd == "certified" and s.points is None for s in good.steps)

    k = gram.Kernel("indicator(eps=1)")
    bad = k.certificate()
    (step,) = bad.steps
    assert bad.psd == step.psd == "refuted"
    assert step.instead == "delta"
    smallest = np.linalg.eigvalsh(k(step.points))[0]
    assert smallest < 0
    assert_allclose(step.eigenvalue, smallest, rtol=1e-12)


# -------------------------------------------------------------------- input


@pytest.mark.parametrize("spec", SPECS)
def test_layout_and_type_of_arrays_do_not_matter(spec):
    K = gram.kernel_matrix(spec, X, T)
    wide = np.zeros((2 * len(X), 15))
    wide[::2, 1::3] = X
    bytes_ = np.zeros(len(X), [("pad", "u1"), ("x", "f8", 5)])
    bytes_["x"] = X
    frozen = X.copy()
    frozen.flags.writeable = False
    for same in (
        np.asfortranarray(X),
        wide[::2, 1::3],
        X[::-1].copy()[::-1],
        X[:, ::-1].copy()[:, ::-1],
        X.astype(">f8"),
        X.astype(np.longdouble),
        bytes_["x"],
        frozen,
        X.tolist(),
    ):
        assert_array_equal(gram.kernel_matrix(spec, same, T), K)
    row = np.broadcast_to(T[0], (4, 5))
    assert_allclose(gram.kernel_matrix(spec, X, row), K[:, [0] * 4], rtol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint16, bool])
def test_other_numbers_are_taken_exactly(dtype):
    a = (10 * X).astype(dtype)
    for b in (a, a[:, ::-1].copy()[:, ::-1], a[::2]):
        assert_array_equal(
            gram.kernel_matrix("linear", b),
            gram.kernel_matrix("linear", b.astype(float)),
        )


@pytest.mark.parametrize("spec", SPECS)
def test_single_precision_is_near(spec):
    K = gram.kernel_matrix(spec, X, T)
    S = gram.kernel_matrix(spec, X.astype(np.float32), T, single=True)
    assert K.dtype == np.float64 and S.dtype == np.float32
    assert_allclose(S, K, rtol=1e-4, atol=1e-5)
    assert np.any(S != K)


def test_one_array_twice_gives_a_symmetric_matrix():
    k = gram.Kernel("rbf(gamma=0.3) + white")
    K = k(X)
    assert_array_equal(K, K.T)
    assert_array_equal(np.diag(K), 2)
    assert_array_equal(k(X, X), K)
    assert_array_equal(np.diag(k(X, X.copy())), 1)


def test_threads_do_not_change_a_bit():
    a = DRAW.standard_normal((700, 5))
    assert_array_equal(
        gram.kernel_matrix("rbf(gamma=0.3)", a, threads=1),
        gram.kernel_matrix("rbf(gamma=0.3)", a, threads=3),
    )


def test_rows_give_a_number():
    k = gram.Kernel("poly(degree=2)")
    value = k(X[3], T[4])
    assert isinstance(value, float)
    assert value == k(X, T)[3, 4]
    assert k(X[3], X[3]) == k([*X[3]], [*X[3]])


@pytest.mark.parametrize("spec", ["linear", "rbf(gamma=0.3)", "2*poly*linear"])
def test_sparse_matrices_are_as_dense_ones(spec):
    A, B = sparse_matrix(30), sparse_matrix(20)
    K = gram.kernel_matrix(spec, A.toarray(), B.toarray())
    for a in (A, A.tocsc(), A.tocoo(), scipy_sparse.csr_array(A), A.toarray()):
        for b in (B, B.tolil(), B.toarray()):
            assert_allclose(gram.kernel_matrix(spec, a, b), K, rtol=1e-12)
    K = gram.kernel_matrix(spec, A)
    assert_allclose(K, gram.kernel_matrix(spec, A.toarray()), rtol=1e-12)
    assert_allclose(gram.kernel_matrix(spec, A[5:9]), K[5:9, 5:9])


def test_unsorted_and_repeated_entries_are_put_in_order():
    data, index, start = [1.0, 2.0, 4.0], [3, 0, 3], [0, 3]
    A = scipy_sparse.csr_matrix((data, index, start), shape=(1, 5))
    assert gram.kernel_matrix("linear", A) == 29
    assert_array_equal(A.indices, index)  # the caller's stays as it was


def test_a_wide_sparse_matrix_is_not_densified():
    n, width = 1000, 10**6
    row = np.arange(n)
    at = row, row * (width // n)
    A = scipy_sparse.csr_matrix((np.ones(n), at), (n, width))
    assert_array_equal(gram.kernel_matrix("linear", A), np.eye(n))


def test_long_indices_are_as_short_ones():
    A = sparse_matrix(30)
    B = A.copy()
    B.indices, B.indptr = B.indices.astype(np.int64), B.indptr.astype(np.int64)
    assert_array_equal(
        gram.kernel_matrix("linear", A), gram.kernel_matrix("linear", B)
    )


def test_no_rows_of_t_give_no_columns():
    assert gram.kernel_matrix("rbf(gamma=1)", X, X[:0]).shape == (37, 0)


# ------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    "spec, sentence",
    [
        ("rbf(gamma=-1)", "character 11: rbf: gamma = -1, must be positive"),
        ("rbf(gama=1)", r'no parameter "gama" \(did you mean "gamma"\?\)'),
        ("exp(rbf", "found the end"),
        ("rfb", "did you mean"),
        ("", "found the end"),
        ("linear\0", "null character"),
    ],
)
def test_bad_texts_are_value_errors_with_the_place(spec, sentence):
    with pytest.raises(ValueError, match=sentence) as caught:
        gram.Kernel(spec)
    assert isinstance(caught.value, gram.GramError)


@pytest.mark.parametrize(
    "spec, x, t, sentence",
    [
        ("rbf", X, None, "gamma"),
        ("linear", X, T[:, :4], "T: 4 columns, must be 5, as X has"),
        ("linear", X[:, :4], T, "T: 5 columns, must be 4, as X has"),
        ("linear", X[0], None, "X: an array of 1 dimensions, must have 2"),
        ("linear", X[:0], None, "without rows"),
        ("linear", X[:, :0], None, "the table has none"),
        ("linear", X, T[0], "T: an array of 1 dimensions, must have 2"),
        ("linear", 1.0, None, "X: an array of 0 dimensions, must have 2"),
        ("linear[age]", X, None, "age"),
        ("linear", [[1, np.nan]], None, "row 1"),
        ("linear", [[1, 2], [3, -np.inf]], None, 'row 2, column "c1"'),
        ("chi2(gamma=1)", -abs(X), None, "row 1"),
    ],
)
def test_bad_arrays_are_value_errors(spec, x, t, sentence):
    with pytest.raises(gram.GramValueError, match=sentence):
        gram.kernel_matrix(spec, x, t)


@pytest.mark.parametrize("x", [[[1j]], "text", object()])
def test_what_is_no_array_of_numbers_is_a_type_error(x):
    with pytest.raises(gram.GramTypeError, match="must be real numbers"):
        gram.kernel_matrix("linear", x)
    with pytest.raises(gram.GramTypeError, match="must be a text or a Kernel"):
        gram.Kernel(x if not isinstance(x, str) else 3)


def test_files_and_memory_have_their_own_errors():
    with pytest.raises(OSError, match="nowhere.npy") as caught:
        gram.kernel_matrix('metric(A="nowhere.npy")', X)
    assert isinstance(caught.value, gram.GramOSError)
    rows = np.broadcast_to(0.0, (2**20, 1))
    with pytest.raises(MemoryError) as caught:
        gram.kernel_matrix("linear", rows)
    assert isinstance(caught.value, gram.GramMemoryError)


class Late(Exception):
    """What the signal handler below raises."""


def test_a_signal_handler_can_stop_a_long_call():
    def ring(*_):
        raise Late

    a = DRAW.standard_normal((6000, 100))
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(Late):
            for _ in range(100):
                gram.kernel_matrix("laplace(gamma=1)", a, threads=1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert gram.kernel_matrix("linear", X).shape == (37, 37)


def test_other_threads_run_meanwhile():
    a = DRAW.standard_normal((3000, 50))
    ticks = []
    done = threading.Event()

    def work():
        for _ in range(3):
            gram.kernel_matrix("laplace(gamma=1)", a, threads=1)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    thread.join()
    assert len(ticks) > 10


def test_the_version_is_that_of_the_header():
    header = Path(__file__).parents[2] / "include/gram.h"
    numbers = re.findall(r"#define GRAM_VERSION_\w+ (\d+)", header.read_text())
    assert gram.__version__ == ".".join(numbers)


def test_gradients_are_those_of_differences():
    k, step = "2*rbf(gamma={}) + linear", 1e-6
    G = DRAW.standard_normal((37, 37))
    ours = gram.Kernel(k.format(0.3)).gradient(X, G)
    names = [name for name, _ in gram.Kernel(k.format(0.3)).parameters]
    up, down = (gram.Kernel(k.format(0.3 + s))(X) for s in (step, -step))
    slope = (G * (up - down)).sum() / (2 * step)
    assert_allclose(ours[names.index("rbf.gamma")], slope, rtol=1e-5)
    with pytest.raises(ValueError, match=r"G: of shape \(2, 2\)"):
        gram.Kernel("rbf(gamma=1)").gradient(X, np.eye(2))


def test_functions_of_the_prior_have_its_covariance():
    k = gram.Kernel("rbf(gamma=0.5)")
    draws = k.sample(X[:4], count=20000, seed=1)
    assert_allclose(np.cov(draws), k(X[:4]), atol=0.05)
    assert_array_equal(draws, k.sample(X[:4], count=20000, seed=1, threads=1))


# --------------------------------------------------------------- no matrices


@pytest.mark.parametrize("spec", SPECS)
def test_products_and_diagonals_are_those_of_the_matrix(spec):
    k, V = gram.Kernel(spec), DRAW.standard_normal((len(T), 3))
    assert_allclose(k.product(X, V, T), k(X, T) @ V, rtol=1e-10, atol=1e-10)
    assert_allclose(k.product(T, V[:, 0]), k(T) @ V[:, 0], rtol=1e-10)
    near = k.product(X, V, T, single=True)
    assert_allclose(near, k(X, T) @ V, rtol=1e-3, atol=1e-3 * abs(k(X, T)).max())
    assert_array_equal(k.diagonal(X), np.diag(k(X)))
    with pytest.raises(ValueError, match=f"V: 2 rows, must be {len(X)}"):
        k.product(X, V[:2])


def test_spectra_are_those_of_the_matrix():
    k = gram.Kernel("rbf(gamma=0.3)")
    found, values = k.spectrum(X), np.linalg.eigvalsh(k(X))
    assert_allclose(found.max_eigenvalue, values[-1])
    assert abs(found.min_eigenvalue - values[0]) <= found.error + 1e-14
    assert found.psd == 1
    assert gram.Kernel("linear").spectrum(X).rank == X.shape[1]
    assert gram.Kernel("sigmoid(a=2, c=-1)").spectrum(X).psd == -1
    assert gram.Kernel("rbf(gamma=1e9)").spectrum(X).identity


def test_functions_have_inner_products_that_reproduce_values():
    k = gram.Kernel("rbf(gamma=0.3) + linear")
    a, b = DRAW.standard_normal(len(X)), DRAW.standard_normal(len(T))
    f, g = gram.Function(k, X, a), gram.Function(k, T, b)
    assert_allclose(f(T), k(T, X) @ a)
    assert_allclose(f.inner(g), b @ f(T))
    assert_allclose(f.norm() ** 2, a @ k(X) @ a)
    assert_allclose(f.inner(gram.Function.mean(k, T)), f(T).mean())
    with pytest.raises(ValueError, match="alpha: of shape"):
        gram.Function(k, X, b)
    with pytest.raises(TypeError, match="other: a float"):
        f.inner(1.0)


def test_broken_sparse_matrices_are_refused():
    for break_ in (
        lambda S: setattr(S, "data", S.data[:5].copy()),
        lambda S: setattr(S, "indptr", S.indptr + 1),
        lambda S: setattr(S, "indptr", S.indptr[:-1].copy()),
    ):
        S = sparse_matrix(12)
        break_(S)
        for call in (
            lambda: gram.kernel_matrix("linear", S),
            lambda: gram.KernelRidge().fit(S, np.zeros(12)),
        ):
            with pytest.raises(ValueError, match="X: a sparse matrix"):
                call()
