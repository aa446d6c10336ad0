"""Two-sample and independence tests from Python."""
import pickle

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
        (lambda: gram.mmd_test(X, Y[:, :2]), "Y: 2 columns, must be 3"),
        (lambda: gram.mmd_test(X[:1], Y), "row"),
        (lambda: gram.mmd_test(X, {"a": [1.0, 2.0]}), 'X, Y: no column "c0"'),
        (lambda: gram.mmd_test(X, Y, statistic="best"), "statistic = 'best'"),
        (lambda: gram.mmd_test(X, Y, alpha=2.0), "alpha"),
        (lambda: gram.hsic_test(X, Y), "rows"),
    ],
)
def test_bad_input_is_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_groups_are_tested_in_pairs():
    rows = np.vstack([X, Y, X + 0.0])
    groups = ["a"] * 60 + ["b"] * 50 + ["c"] * 60
    found = gram.group_test(rows, groups, "rbf(gamma=0.4)", scale="none")
    pairs = list(zip(found["a"], found["b"]))
    assert pairs == [("a", "b"), ("a", "c"), ("b", "c")]
    one = gram.mmd_test(X, Y, "rbf(gamma=0.4)", scale="none")
    assert_allclose(found["statistic"][0], one.statistic, rtol=1e-5)
    assert found["reject"].tolist() == [True, False, True]
    assert np.all(found["p_holm"] >= found["p_value"])
    with pytest.raises(ValueError, match="groups: of shape"):
        gram.group_test(rows, groups[:3])


def test_herded_rows_have_the_distance_that_is_said():
    spec = "rbf(gamma=0.4)"
    rows, distance = gram.herd(X, 6, spec, scale="none")
    assert len(set(rows.tolist())) == 6
    all_, few = gram.Function.mean(spec, X), gram.Function.mean(spec, X[rows])
    square = all_.norm() ** 2 + few.norm() ** 2 - 2 * all_.inner(few)
    assert_allclose(distance**2, square, rtol=1e-6)
    worst = gram.Function.mean(spec, X[:6])
    assert distance**2 < all_.norm() ** 2 + worst.norm() ** 2 - 2 * all_.inner(
        worst
    )
    with pytest.raises(ValueError, match="rows"):
        gram.herd(X, 61)


def test_a_stream_that_changes_raises_an_alarm_and_one_that_does_not_none():
    same = gram.Drift(X, random_state=1)
    for i in range(6):
        found = same.add(DRAW.standard_normal((40, 3)))
        assert found.batch == i + 1 and found.rows == 40
    assert not found.alarm
    other = gram.Drift(X)
    assert [other.add(Y + 1) for _ in range(4)][-1].alarm
    with pytest.raises(ValueError, match="c2"):
        other.add(Y[:, :2])


def test_the_distance_of_wasserstein_is_that_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    a, b = X[:, 0], Y[:, 0]
    assert_allclose(gram.wasserstein(a, b), stats.wasserstein_distance(a, b))
    with pytest.raises(TypeError, match="y: 2 dimensions"):
        gram.wasserstein(a, Y)


def test_seeds_and_threads_are_those_of_estimators():
    draw = np.random.RandomState(3), np.random.default_rng(3)
    for seed in draw:
        assert gram.mmd_test(X, Y, n_jobs=-1, random_state=seed).reject
    with pytest.raises(TypeError, match="random_state: a str"):
        gram.mmd_test(X, Y, random_state="7")


def test_one_dimension_is_one_column_and_sparse_rows_meet_dense_ones():
    sparse = pytest.importorskip("scipy.sparse")
    spec = "rbf(gamma=0.4)"
    one = gram.mmd_test(X[:, :1], Y[:, :1], spec)
    assert gram.mmd_test(list(X[:, 0]), Y[:, 0], spec).statistic == one.statistic
    mixed = gram.mmd_test(sparse.csr_matrix(X), Y, spec, scale="none")
    dense = gram.mmd_test(X, Y, spec, scale="none")
    assert_allclose(mixed.statistic, dense.statistic, rtol=1e-5)
    assert gram.hsic_test(list(X[:, 0]), list(X[:, 0] ** 2)).reject


def test_what_was_found_can_be_pickled():
    found = gram.mmd_test(X, Y)
    again = pickle.loads(pickle.dumps(found))
    assert again.p_value == found.p_value and repr(again) == repr(found)
    with pytest.raises(ValueError, match="pickled"):
        again.witness()


def test_what_is_not_found_is_said_in_its_own_words():
    noise = DRAW.standard_normal((60, 1))
    found = gram.hsic_test(X[:, :1], noise, alpha=1e-9)
    assert "no dependence found" in repr(found)


@pytest.mark.parametrize(
    "options",
    [{"alpha": 0}, {"alpha": "x"}, {"permutations": 0}, {"statistic": ["a"]}],
    ids=str,
)
def test_bad_options_are_named(options):
    (name,) = options
    with pytest.raises((ValueError, TypeError), match=name):
        gram.mmd_test(X, Y, **options)
