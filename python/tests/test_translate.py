"""Kernels of scikit-learn's Gaussian processes are taken as they are."""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import gaussian_process as peer
from sklearn.gaussian_process.kernels import (
    RBF,
    ConstantKernel,
    DotProduct,
    ExpSineSquared,
    Matern,
    PairwiseKernel,
    RationalQuadratic,
    WhiteKernel,
)

import gram

DRAW = np.random.default_rng(0)
X = DRAW.standard_normal((80, 2))
Y = np.sin(X[:, 0]) + 0.1 * DRAW.standard_normal(80)
T = DRAW.standard_normal((15, 2))
FIXED = "fixed"

GIVEN = [
    ConstantKernel(2.0, FIXED) * RBF(1.3, FIXED),
    RBF([0.5, 2.0], FIXED) + ConstantKernel(3.0, FIXED),
    Matern(0.7, FIXED, nu=0.5) * RationalQuadratic(0.9, 2.0, FIXED, FIXED),
    Matern(0.7, FIXED, nu=np.inf) + DotProduct(1.5, FIXED),
    RBF(2.0, FIXED) ** 2 + Matern([1.0, 3.0], FIXED, nu=2.5),
]
LEARNED = [
    1.0 * RBF(1.0) + WhiteKernel(0.1),
    1.0 * RBF([1.0, 1.0]) + WhiteKernel(0.1),
    1.0 * Matern(nu=1.5) + WhiteKernel(0.1),
]


@pytest.mark.parametrize("kernel", GIVEN, ids=str)
def test_values_are_theirs(kernel):
    ours = gram.GaussianProcessRegressor(kernel, alpha=0.2, optimizer=None)
    assert_allclose(
        gram.kernel_matrix(ours._spec(None), X, T), kernel(X, T), rtol=1e-12
    )


def test_a_period_of_one_column_is_theirs():
    kernel = ExpSineSquared(0.8, 1.7, FIXED, FIXED)
    spec = gram.estimators._translate.translated(kernel)[0]
    ours = gram.kernel_matrix(spec, X[:, :1], T[:, :1])
    assert_allclose(ours, kernel(X[:, :1], T[:, :1]), rtol=1e-12)


@pytest.mark.parametrize(
    "alpha, white", [(0.1, 0.2), ("auto", 0.3)], ids=["both", "white"]
)
def test_noise_that_is_known_is_theirs(alpha, white):
    kernel = GIVEN[0] + WhiteKernel(white, FIXED)
    ours = gram.GaussianProcessRegressor(kernel, alpha=alpha).fit(X, Y)
    theirs = peer.GaussianProcessRegressor(GIVEN[0], alpha=0.3).fit(X, Y)
    for a, b in zip(
        ours.predict(T, return_std=True), theirs.predict(T, return_std=True)
    ):
        assert_allclose(a, b, atol=1e-10)
    assert_allclose(
        ours.log_marginal_likelihood_value_,
        theirs.log_marginal_likelihood_value_,
    )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kernel", LEARNED, ids=str)
def test_what_they_learn_is_learned(kernel):
    ours = gram.GaussianProcessRegressor(kernel).fit(X, Y)
    theirs = peer.GaussianProcessRegressor(kernel, alpha=0.0).fit(X, Y)
    assert (
        ours.log_marginal_likelihood_value_
        > theirs.log_marginal_likelihood_value_ - 0.01
    )
    assert_allclose(ours.predict(T), theirs.predict(T), atol=0.01)


def test_classes_take_them_too():
    ours = gram.GaussianProcessClassifier(1.0 * RBF(1.0)).fit(X, Y > 0)
    theirs = peer.GaussianProcessClassifier(1.0 * RBF(1.0)).fit(X, Y > 0)
    assert_allclose(ours.predict_proba(T), theirs.predict_proba(T), atol=1e-3)


@pytest.mark.parametrize(
    "kernel, error, sentence",
    [
        (WhiteKernel(), ValueError, "is only noise"),
        (RBF() * WhiteKernel(), ValueError, "must be a term of the sum"),
        (PairwiseKernel(), TypeError, "a PairwiseKernel of scikit-learn"),
        (Matern(nu=1.0), ValueError, "nu"),
    ],
    ids=str,
)
def test_what_has_no_translation_is_named(kernel, error, sentence):
    with pytest.raises(error, match=sentence):
        gram.GaussianProcessRegressor(kernel).fit(X, Y)
    with pytest.raises(ValueError, match="white noise, which classes do not"):
        gram.GaussianProcessClassifier(RBF() + WhiteKernel()).fit(X, Y > 0)


PROBES = [
    (RBF([1.0, 2.0]), 0.2),
    (2.0 * RBF(1.3) + WhiteKernel(0.1), 0.05),
    (Matern([1.0, 3.0]) + ConstantKernel(2.0), 0.1),
]


@pytest.mark.parametrize("kernel, alpha", PROBES, ids=str)
def test_without_an_optimizer_every_number_stays(kernel, alpha):
    options = {"alpha": alpha, "optimizer": None}
    ours = gram.GaussianProcessRegressor(kernel, **options).fit(X, Y)
    theirs = peer.GaussianProcessRegressor(kernel, **options).fit(X, Y)
    mean, std = ours.predict(T, return_std=True, noise=True)
    wanted, deviation = theirs.predict(T, return_std=True)
    assert_allclose(mean, wanted, atol=1e-9)
    # theirs has white noise in it, but not alpha
    assert_allclose(std**2 - alpha, deviation**2, atol=1e-9)
    with pytest.raises(ValueError, match="alpha = 'auto'"):
        gram.GaussianProcessRegressor("rbf", optimizer=None).fit(X, Y)
    with pytest.raises(ValueError, match="optimizer = 'junk'"):
        gram.GaussianProcessRegressor("rbf", optimizer="junk").fit(X, Y)


def test_without_an_optimizer_classes_are_theirs():
    kernel = 2.0 * RBF(1.3)
    ours = gram.GaussianProcessClassifier(kernel, optimizer=None)
    theirs = peer.GaussianProcessClassifier(kernel, optimizer=None)
    ours, theirs = ours.fit(X, Y > 0), theirs.fit(X, Y > 0)
    assert_allclose(ours.predict_proba(T), theirs.predict_proba(T), atol=1e-3)


def test_a_variance_that_is_fixed_holds_with_known_noise_only():
    kernel = RBF(1.0)
    ours = gram.GaussianProcessRegressor(kernel, alpha=0.01).fit(X, Y)
    theirs = peer.GaussianProcessRegressor(kernel, alpha=0.01).fit(X, Y)
    assert_allclose(
        ours.log_marginal_likelihood(), theirs.log_marginal_likelihood_value_
    )
    assert ours.amplitude_ == 1 and ours.noise_variance_ == 0.01
    with pytest.warns(gram.GramWarning, match="fixes the variance"):
        gram.GaussianProcessRegressor(RBF(1.0) + WhiteKernel()).fit(X, Y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.EfficiencyWarning")
def test_matrices_and_functions_are_kernels_of_processes():
    k = gram.Kernel("rbf(gamma=0.5)")
    native = gram.GaussianProcessRegressor(k, alpha=0.1).fit(X, Y)
    called = gram.GaussianProcessRegressor(lambda a, b: k(a, b), alpha=0.1)
    given = gram.GaussianProcessRegressor("precomputed", alpha=0.1)
    assert_allclose(called.fit(X, Y).predict(T), native.predict(T))
    assert_allclose(given.fit(k(X), Y).predict(k(T, X)), native.predict(T))
    with pytest.raises(ValueError, match="no standard deviations"):
        given.predict(k(T, X), return_std=True)
    classes = gram.GaussianProcessClassifier("precomputed").fit(k(X), Y > 0)
    assert (classes.predict(k(X)) == (Y > 0)).mean() > 0.9
