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
    spec = gram._translate.translated(kernel)[0]
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
        (WhiteKernel(), ValueError, "nothing but noise"),
        (RBF() * WhiteKernel(), ValueError, "must be a term of the sum"),
        (PairwiseKernel(), TypeError, "a PairwiseKernel of scikit-learn"),
        (Matern(nu=1.0), ValueError, "nu"),
    ],
    ids=str,
)
def test_what_has_no_translation_is_named(kernel, error, sentence):
    with pytest.raises(error, match=sentence):
        gram.GaussianProcessRegressor(kernel).fit(X, Y)
    with pytest.raises(ValueError, match="classes have none"):
        gram.GaussianProcessClassifier(RBF() + WhiteKernel()).fit(X, Y > 0)
