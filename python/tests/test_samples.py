"""Two-sample and independence tests from Python."""
import numpy as np
import pytest
from numpy.testing import assert_allclose

import gram

DRAW = np.random.default_rng(5)
X = DRAW.standard_normal((60, 3))
Y = DRAW.standard_normal((50, 3)) + [1.0, 0, 0]


def test_the_statistic_is_the_double_sum():
    spec = "rbf(gamma=0.4)"
    found = gram.mmd_test(X, Y, spec, scale="none")
    K = gram.kernel_matrix(spec, np.vstack([X, Y]))
    np.fill_diagonal(K, 0)
    m, n = len(X), len(Y)
    want = (
        K[:m, :m].sum() / (m * (m - 1))
        + K[m:, m:].sum() / (n * (n - 1))
        - 2 * K[:m, m:].mean()
    )
    assert_allclose(found.statistic, want, rtol=1e-5)
    assert found.reject and 0 < found.p_value <= 0.05
    assert "reject" in repr(found)


def test_the_witness_and_the_columns_show_where():
    found = gram.mmd_test(X, Y)
    w = found.witness()
    assert w.shape == (110,) and w[:60].mean() > w[60:].mean()
    assert found.witness(X[:4]).shape == (4,)
    assert found.columns()["column"][0] == "c0"


def test_equal_samples_are_not_told_apart():
    assert not gram.mmd_test(X, X.copy()).reject


def test_dependence_is_seen_and_independence_is_not():
    assert gram.hsic_test(X[:, :1], X[:, 0] ** 2).reject
    assert gram.hsic_test(X[:50], Y, random_state=3).p_value > 0.001


def test_results_repeat_and_depend_on_the_seed_alone():
    one = gram.mmd_test(X, Y, n_jobs=1, random_state=7)
    two = gram.mmd_test(X, Y, n_jobs=2, random_state=7)
    assert one.p_value == two.p_value and one.statistic == two.statistic


def test_a_kernel_that_cannot_see_says_so():
    with pytest.warns(gram.GramWarning, match="means only"):
        gram.mmd_test(X, Y, "linear")


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: gram.mmd_test(X, Y[:, :2]), "c2"),
        (lambda: gram.mmd_test(X[:1], Y), "row"),
        (lambda: gram.mmd_test(X, Y, statistic="best"), "statistic = 'best'"),
        (lambda: gram.mmd_test(X, Y, alpha=2.0), "alpha"),
        (lambda: gram.hsic_test(X, Y), "rows"),
    ],
)
def test_bad_input_is_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
