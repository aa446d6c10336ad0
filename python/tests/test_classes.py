"""Classes, support vectors, quantiles: scikit-learn's answers, and ours."""
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import gaussian_process, svm
from sklearn.exceptions import EfficiencyWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import gram

DRAW = np.random.default_rng(2)
X = DRAW.standard_normal((90, 3))
T = DRAW.standard_normal((40, 3))
WEIGHTS = DRAW.uniform(0.5, 2, len(X))
NOISE = 0.3 * DRAW.standard_normal(len(X))
TWO = np.where(X[:, 0] * X[:, 1] + NOISE > 0, "yes", "no")
# in another order than the library's, which has numbers by size
THREE = np.array(["10", "9", "x"])[np.digitize(X[:, 0] + NOISE, [-0.5, 0.5])]
y = np.sin(X).sum(1) + NOISE
CLASSES = pytest.mark.parametrize("labels", [TWO, THREE], ids=["two", "three"])
WEIGHTED = pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["", "w"])
CLASSIFIERS = [
    gram.KernelClassifier("rbf(gamma=0.5)", C=1.0),
    gram.KernelClassifier("rbf(gamma=0.5)", loss="softmax", lam=0.1),
    gram.KernelClassifier("linear + rbf(gamma=1)", loss="squared"),
    gram.KernelClassifier("rbf(gamma=0.5)", loss="hinge", C=1.0),
    gram.KernelClassifier(
        "rbf(gamma=0.5)", loss="squared_hinge", lam=0.1, probability=True
    ),
    gram.SVC(),
    gram.SVC(probability=True),
    gram.GaussianProcessClassifier("2*rbf(length=1)", optimizer=None),
]
EACH = pytest.mark.parametrize("model", CLASSIFIERS, ids=str)


def near(ours, theirs):
    """Two answers whose conditions hold to 1e-8, of matrices of floats."""
    assert_allclose(ours, theirs, rtol=1e-4, atol=2e-5)


def has_tie(pairs):
    """Where each of three classes has a vote, of pairs 01, 02 and 12."""
    if pairs.ndim == 1:
        return np.zeros(len(pairs), bool)
    one, two, three = (pairs > 0).T
    return (one == three) & (one != two)


# -------------------------------------------------- agreement with others


@WEIGHTED
@CLASSES
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.EfficiencyWarning")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"gamma": "auto", "C": 3.0},
        {"kernel": "linear"},
        {"kernel": "poly", "degree": 2, "coef0": 1.0, "C": 0.1},
        {"kernel": "sigmoid", "gamma": 0.1},
        {"class_weight": "balanced"},
    ],
    ids=str,
)
def test_support_vector_classes_are_those_of_scikit_learn(
    options, labels, weights
):
    for shape in ("ovr", "ovo"):
        given = {**options, "tol": 1e-8, "decision_function_shape": shape}
        ours = gram.SVC(**given).fit(X, labels, weights)
        theirs = svm.SVC(**given).fit(X, labels, weights)
        near(ours.decision_function(T), theirs.decision_function(T))
    assert_array_equal(ours.classes_, theirs.classes_)
    clear = ~has_tie(theirs.decision_function(T))
    assert_array_equal(ours.predict(T)[clear], theirs.predict(T)[clear])
    assert_array_equal(ours.support_, theirs.support_)
    assert_array_equal(ours.n_support_, theirs.n_support_)
    near(ours.dual_coef_, theirs.dual_coef_)
    near(ours.intercept_, theirs.intercept_)
    if options.get("kernel") != "sigmoid":
        assert_array_equal(ours.support_vectors_, theirs.support_vectors_)
    if options.get("kernel") == "linear":
        near(ours.coef_, theirs.coef_)
    else:
        assert not hasattr(ours, "coef_")


@WEIGHTED
@pytest.mark.parametrize(
    "options",
    [{}, {"kernel": "linear", "epsilon": 0.3}, {"C": 10.0, "gamma": 0.2}],
    ids=str,
)
def test_support_vector_regression_is_that_of_scikit_learn(options, weights):
    ours = gram.SVR(**options, tol=1e-8).fit(X, y, weights)
    theirs = svm.SVR(**options, tol=1e-8).fit(X, y, weights)
    near(ours.predict(T), theirs.predict(T))
    assert_array_equal(ours.support_, theirs.support_)
    assert_array_equal(ours.n_support_, theirs.n_support_)
    assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-3)
    near(ours.intercept_, theirs.intercept_)
    if options.get("kernel") == "linear":
        near(ours.coef_, theirs.coef_)


@WEIGHTED
@pytest.mark.parametrize("options", [{}, {"nu": 0.1}, {"gamma": 2.0}], ids=str)
def test_novelty_is_that_of_scikit_learn(options, weights):
    ours = gram.OneClassSVM(**options, tol=1e-8).fit(X, None, weights)
    theirs = svm.OneClassSVM(**options, tol=1e-8)
    theirs.fit(X, sample_weight=weights)
    near(ours.decision_function(T), theirs.decision_function(T))
    near(ours.score_samples(T), theirs.score_samples(T))
    near(ours.offset_, theirs.offset_)
    near(ours.dual_coef_, theirs.dual_coef_)
    assert_array_equal(ours.support_, theirs.support_)
    assert_array_equal(ours.predict(T), theirs.predict(T))


def test_a_process_of_classes_is_that_of_scikit_learn():
    kernels = gaussian_process.kernels
    theirs = gaussian_process.GaussianProcessClassifier(
        2.0 * kernels.RBF(0.8), optimizer=None
    )
    ours = gram.GaussianProcessClassifier("2*rbf(length=0.8)", optimizer=None)
    for labels in (TWO, THREE):
        ours.fit(X, labels)
        theirs.fit(X, labels)
        assert_allclose(
            ours.log_marginal_likelihood_value_,
            theirs.log_marginal_likelihood_value_,
        )
        # theirs is an approximation of the integral over f
        probable = theirs.predict_proba(T)
        assert_allclose(ours.predict_proba(T), probable, atol=1e-3)
        assert ours.n_classes_ == theirs.n_classes_
    with pytest.raises(AttributeError, match="3 machines, one for each class"):
        ours.save("nowhere.gram")
    with pytest.raises(ValueError, match="has open numbers"):
        gram.GaussianProcessClassifier("rbf", optimizer=None).fit(X, TWO)
    with pytest.raises(ValueError, match="must be 'one_vs_rest'"):
        gram.GaussianProcessClassifier(multi_class="one_vs_one").fit(X, TWO)


def test_a_process_of_classes_learns_at_least_as_well():
    kernels = gaussian_process.kernels
    theirs = gaussian_process.GaussianProcessClassifier(1.0 * kernels.RBF())
    ours = gram.GaussianProcessClassifier(scale="none").fit(X, TWO)
    assert (
        ours.log_marginal_likelihood_value_
        > theirs.fit(X, TWO).log_marginal_likelihood_value_ - 1e-3
    )


# ------------------------------------------------------------------ classes


@EACH
@CLASSES
def test_probabilities_agree_with_classes(model, labels):
    model.fit(X, labels)
    made = model.predict(T)
    assert set(made) <= set(labels)
    assert model.score(X, labels) > 0.7
    if hasattr(model, "predict_proba"):
        proba = model.predict_proba(T)
        assert_allclose(proba.sum(1), 1)
        assert_array_equal(model.classes_[proba.argmax(1)], made)
    elif hasattr(model, "decision_function"):
        f = model.decision_function(T)
        best = (f > 0).astype(int) if f.ndim == 1 else f.argmax(1)
        assert np.mean(model.classes_[best] == made) > 0.95  # ties of votes


@pytest.mark.parametrize(
    "kinds",
    [
        [False, True],
        [-1, 1],
        [0.0, 3.0],
        [2**60, 2**60 + 1],
        ["a=b,c", "ü"],
        np.array(["1e3", "20"], object),
    ],
    ids=str,
)
def test_labels_come_back_as_they_were(kinds):
    kinds = np.asarray(kinds)
    labels = kinds[(TWO == "yes").astype(int)]
    weight = {kinds[0]: 2.0}
    model = gram.SVC(class_weight=weight, tol=1e-8).fit(X, labels)
    assert_array_equal(model.classes_, np.unique(labels))
    assert model.predict(T).dtype == labels.dtype
    plain = gram.SVC(class_weight={"no": 2.0}, tol=1e-8).fit(X, TWO)
    near(model.decision_function(T), plain.decision_function(T))
    assert_array_equal(
        model.predict(T) == kinds[1], plain.predict(T) == "yes"
    )


def test_weights_of_classes_are_weights_of_rows():
    rows = np.where(THREE == "x", 3.0, 1.0)
    for loss in ("logistic", "hinge", "softmax", "squared"):
        model = gram.KernelClassifier("rbf(gamma=0.5)", loss=loss, lam=0.1)
        by_rows = model.fit(X, THREE, rows).decision_function(T)
        model.set_params(class_weight={"x": 3.0})
        assert_allclose(model.fit(X, THREE).decision_function(T), by_rows)
    balanced = gram.SVC(class_weight="balanced").fit(X, THREE, rows)
    theirs = svm.SVC(class_weight="balanced").fit(X, THREE, rows)
    assert_allclose(
        balanced.decision_function(T), theirs.decision_function(T), atol=0.01
    )
    for wrong, said in (
        ({"z": 1.0}, "there is no class 'z'"),
        ({"x": 0.0}, r"class_weight\['x'\] = 0.0, must be positive"),
        ("heavy", "must be a dict, 'balanced' or None"),
    ):
        with pytest.raises(ValueError, match=said):
            gram.SVC(class_weight=wrong).fit(X, THREE)


def test_a_class_without_weight_is_none():
    model = gram.KernelClassifier("rbf(gamma=0.5)", lam=0.1)
    model.fit(X, THREE, THREE != "9")
    assert_array_equal(model.classes_, ["10", "x"])
    some = THREE != "9"
    again = gram.KernelClassifier("rbf(gamma=0.5)", lam=0.1)
    again.fit(X[some], THREE[some])
    assert_allclose(model.predict_proba(T), again.predict_proba(T))


def test_numbers_are_chosen_by_folds():
    model = gram.KernelClassifier(
        "rbf(gamma=?[0.1,1])", loss="hinge", C=[1.0, 10.0]
    ).fit(X, TWO)
    assert model.report_.criterion == "cv"
    assert model.lam_ in (0.5, 0.05)
    assert "rbf(gamma=0.1)" in str(model.kernel_) or (
        "rbf(gamma=1)" in str(model.kernel_)
    )
    pipe = make_pipeline(StandardScaler(), gram.SVC())
    grid = {"svc__C": [0.1, 10.0], "svc__gamma": [0.1, 1.0]}
    ours = GridSearchCV(pipe, grid, cv=3).fit(X, TWO)
    pipe = make_pipeline(StandardScaler(), svm.SVC())
    theirs = GridSearchCV(pipe, grid, cv=3).fit(X, TWO)
    assert ours.best_params_ == theirs.best_params_
    assert_allclose(ours.best_score_, theirs.best_score_, atol=0.03)


@pytest.mark.parametrize("labels", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("nu", [0.2, 0.4])
def test_classes_by_nu_are_those_of_scikit_learn(labels, nu):
    ours = gram.NuSVC(nu=nu, tol=1e-7).fit(X, labels)
    theirs = svm.NuSVC(nu=nu, tol=1e-7).fit(X, labels)
    assert_allclose(
        ours.decision_function(T), theirs.decision_function(T), atol=1e-3
    )
    assert_array_equal(ours.predict(T), theirs.predict(T))
    assert len(ours.support_) >= nu * len(X)


def test_numbers_by_nu_are_those_of_scikit_learn():
    options = {"nu": 0.3, "C": 5.0, "tol": 1e-7}
    ours = gram.NuSVR(**options).fit(X, y)
    theirs = svm.NuSVR(**options).fit(X, y)
    assert_allclose(ours.predict(T), theirs.predict(T), atol=1e-4)
    with pytest.raises(ValueError, match="nu = 1.5, must be at most 1"):
        gram.NuSVR(nu=1.5).fit(X, y)


def test_steps_are_limited():
    with pytest.warns(gram.ConvergenceWarning):
        model = gram.SVC(max_iter=3).fit(X, TWO)
    assert model.n_iter_ == 3 and model.fit_status_ == 1
    assert gram.SVC().fit(X, TWO).fit_status_ == 0


def test_ties_of_votes_can_be_broken():
    model = gram.SVC(break_ties=True, gamma=2.0).fit(X, THREE)
    best = model.decision_function(T).argmax(1)
    assert_array_equal(model.predict(T), model.classes_[best])
    model.set_params(decision_function_shape="ovo")
    with pytest.raises(ValueError, match="break_ties = True: must be False"):
        model.predict(T)


def test_what_is_wrong_is_said():
    for model, said in (
        (gram.SVC(C=0), "C = 0, must be positive"),
        (gram.SVC(C="1"), "C: a str, must be a number"),
        (gram.SVC(gamma="wide"), "must be 'scale', 'auto' or a number"),
        (gram.SVC(tol=0), "tol = 0, must be positive"),
        (gram.SVC(decision_function_shape="o"), "must be one of ovr, ovo"),
        (gram.KernelClassifier(lam=1, C=1), "must be at most one"),
        (gram.KernelClassifier(loss="huber"), "takes numbers"),
        (gram.KernelClassifier(loss="log"), "log"),
        (gram.KernelClassifier(loss="one_class"), "must be for classific"),
        (gram.KernelClassifier(loss=None), "loss: a NoneType"),
        (gram.KernelClassifier(classes="all"), "classes = 'all', must be one"),
        (gram.GaussianProcessClassifier("rbff"), "rbff"),
    ):
        with pytest.raises((ValueError, TypeError), match=said):
            model.fit(X, TWO)
    with pytest.raises(ValueError, match="must be for regression"):
        gram.KernelRegressor(loss="hinge").fit(X, TWO == "yes")
    with pytest.raises(ValueError, match="takes one at a time|1d array"):
        gram.KernelRegressor(loss="huber").fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="one class"):
        gram.SVC().fit(X, np.ones(len(X)))
    with pytest.raises(TypeError, match="y: has bytes"):
        gram.SVC().fit(X, TWO.astype("S3"))
    with pytest.raises(AttributeError, match="probability=True"):
        gram.KernelClassifier(loss="hinge").predict_proba
    with pytest.raises(gram.NotFittedError):
        gram.SVC().support_


# ------------------------------------------------------------------ kernels


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.EfficiencyWarning")
def test_functions_and_matrices_are_kernels_of_support_vectors():
    k = gram.Kernel("rbf(gamma=0.5)")
    native = gram.SVC(kernel=k, tol=1e-8).fit(X, THREE)
    expected = native.decision_function(T)
    called = gram.SVC(kernel=lambda A, B: k(A, B), tol=1e-8).fit(X, THREE)
    near(called.decision_function(T), expected)
    assert_array_equal(called.support_vectors_, native.support_vectors_)
    given = gram.SVC(kernel="precomputed", tol=1e-8).fit(k(X), THREE)
    near(given.decision_function(k(T, X)), expected)
    assert given.support_vectors_.shape == (0, 0)
    again = pickle.loads(pickle.dumps(given))
    assert_array_equal(again.predict(k(T, X)), native.predict(T))
    with pytest.warns(EfficiencyWarning):
        scores = cross_val_score(given, k(X), THREE, cv=3)
    assert_array_equal(scores, cross_val_score(native, X, THREE, cv=3))
    for model in (
        gram.KernelClassifier("precomputed", select="evidence"),
        gram.GaussianProcessClassifier("precomputed"),
    ):
        assert set(model.fit(k(X), TWO).predict(k(T, X))) == set(TWO)
        with pytest.raises(ValueError, match="no standard deviations"):
            model.predict_proba(k(T, X))


def test_sparse_rows_have_sparse_support_vectors():
    A = sparse.random(60, 30, 0.2, format="csr", random_state=1)
    labels = np.asarray(A.sum(1)).ravel() > 3
    ours, theirs = gram.SVC(tol=1e-8), svm.SVC(tol=1e-8)
    ours.fit(A, labels)
    theirs.fit(A, labels)
    near(ours.decision_function(A), theirs.decision_function(A))
    assert sparse.issparse(ours.support_vectors_)
    assert_array_equal(
        ours.support_vectors_.toarray(), theirs.support_vectors_.toarray()
    )


def test_mixed_tables_have_classes():
    data = gram.read("builtin:mixed", missing="drop")
    kind = data.pop("heating")
    table = {"area": data["area"], "district": data["district"]}
    model = gram.KernelClassifier("rbf[area] + delta[district]", lam=1.0)
    model.fit(table, kind)
    assert_array_equal(model.classes_, np.unique(list(kind)))
    assert model.predict_proba(table).shape == (len(kind), len(set(kind)))


# -------------------------------------------------------------------- losses


def test_losses_do_what_they_are_for():
    spoilt = y.copy()
    spoilt[::10] += 50
    error = {}
    for loss in ("squared", "huber(delta=0.5)", "absolute"):
        model = gram.KernelRegressor("rbf(gamma=0.3)", loss=loss, lam=0.1)
        made = model.fit(X, spoilt).predict(X)
        error[loss] = np.median(abs(made - y))
        assert model.report_.loss == loss
    assert error["huber(delta=0.5)"] < error["squared"] / 5
    assert error["absolute"] < error["squared"] / 5
    counts = DRAW.poisson(np.exp(X[:, 0]))
    model = gram.KernelRegressor("linear", loss="poisson", lam=0.1)
    made = model.fit(X, counts).predict(X)
    assert np.all(made > 0)
    assert_allclose(made.sum(), counts.sum(), rtol=1e-6)
    with pytest.raises(ValueError, match="standard deviations"):
        model.predict(X, return_std=True)
    same = gram.KernelRegressor(
        "rbf(gamma=0.2)",
        loss="epsilon_insensitive(epsilon=0.1)",
        lam=0.5,
        scale="none",
    ).fit(X, y)
    other = gram.SVR(gamma=0.2).fit(X, y)
    assert_array_equal(same.predict(T), other.predict(T))
    assert_array_equal(same.support_, other.support_)


def test_quantiles_have_their_share_and_do_not_cross():
    rows = DRAW.uniform(-3, 3, (300, 1))
    target = np.sin(rows[:, 0]) + 0.3 * DRAW.standard_normal(300)
    taus = [0.1, 0.5, 0.9]
    model = gram.QuantileRegressor(taus, kernel="rbf(gamma=0.5)", lam=0.3)
    made = model.fit(rows, target).predict(rows)
    assert made.shape == (300, 3)
    assert np.all(np.diff(made, axis=1) >= 0)
    assert_allclose((target[:, None] < made).mean(0), taus, atol=0.03)
    assert_array_equal(model.quantiles_, taus)
    assert 0.2 < model.score(rows, target) < 1
    one = gram.QuantileRegressor(0.9, kernel="rbf(gamma=0.5)", lam=0.3)
    upper = one.fit(rows, target).predict(rows)
    assert upper.shape == (300,)
    assert_array_equal(one.quantiles_, [0.9])
    assert_allclose(upper, made[:, 2], atol=0.01)
    middle = gram.QuantileRegressor(kernel="rbf(gamma=0.5)", lam=0.3)
    assert_array_equal(middle.fit(rows, target).quantiles_, [0.5])
    with pytest.raises(ValueError, match="quantile = 1.5"):
        gram.QuantileRegressor(1.5).fit(rows, target)
    with pytest.raises(TypeError, match="quantile: a str"):
        gram.QuantileRegressor("half").fit(rows, target)


# -------------------------------------------------------------------- files


@EACH
@CLASSES
def test_pickles_and_files_predict_the_same_classes(model, labels, tmp_path):
    model.fit(X, labels)
    expected = model.predict(T)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(T), expected)
    if hasattr(model, "estimators_"):
        return
    model.save(tmp_path / "m.gram")
    for again in (
        type(model).load(tmp_path / "m.gram"),
        gram.load(tmp_path / "m.gram"),
    ):
        assert_array_equal(again.classes_, model.classes_)
        assert_array_equal(again.predict(T), expected)
        if hasattr(model, "predict_proba"):
            assert_array_equal(again.predict_proba(T), model.predict_proba(T))
    if isinstance(model, gram.SVC):
        again = gram.SVC.load(tmp_path / "m.gram")
        assert_array_equal(again.support_, model.support_)
        assert_array_equal(again.dual_coef_, model.dual_coef_)


def test_files_of_other_losses(tmp_path):
    path = tmp_path / "m.gram"
    for model, other in (
        (gram.SVR(), gram.KernelRidge),
        (gram.QuantileRegressor([0.2, 0.8], lam=0.1), gram.SVR),
        (gram.OneClassSVM(), gram.SVC),
    ):
        model.fit(X, y).save(path)
        expected = model.predict(T)
        for again in (type(model).load(path), gram.load(path)):
            assert_array_equal(again.predict(T), expected)
        with pytest.raises(ValueError, match="m.gram: .* must be"):
            other.load(path)
    # numbers in a file are numbers again
    gram.SVC().fit(X, TWO == "yes").save(path)
    assert_array_equal(gram.load(path).classes_, [0, 1])
    with pytest.raises(ValueError, match="m.gram: .* must be logistic"):
        gram.GaussianProcessClassifier.load(path)
