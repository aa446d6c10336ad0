"""Estimators: scikit-learn's conventions, and its answers."""
import os
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import gaussian_process, kernel_ridge, svm
from sklearn.base import clone
from sklearn.exceptions import EfficiencyWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import gram

DRAW = np.random.default_rng(1)
X = DRAW.standard_normal((60, 3))
T = DRAW.standard_normal((17, 3))
Y = np.column_stack([np.sin(X).sum(1), X[:, 0] * X[:, 1]])
y = Y[:, 0] + 0.1 * DRAW.standard_normal(len(X))
WEIGHTS = DRAW.uniform(0.5, 2, len(X))
ESTIMATORS = [
    gram.KernelRegressor(),
    gram.KernelRegressor("rbf(gamma=1)", lam=0.1, n_jobs=1),
    gram.KernelRidge(),
    gram.KernelRidge(kernel="rbf"),
    gram.KernelRidge(kernel="precomputed"),
    gram.GaussianProcessRegressor(),
    gram.GaussianProcessRegressor("matern", alpha=0.1, normalize_y=True),
    gram.KernelFeatures(),
    gram.KernelRegressor("rbf(gamma=1)", loss="huber", lam=0.1),
    gram.KernelRegressor("rbf(gamma=1)", loss="absolute", lam=0.1),
    gram.KernelRegressor("rbf(gamma=1)", loss="poisson", lam=0.1),
    gram.QuantileRegressor(kernel="rbf(gamma=?[0.1,1])", lam=0.1, folds=3),
    gram.KernelClassifier("rbf(gamma=?[0.1,1])", C=[1.0, 10.0], folds=3),
    gram.KernelClassifier("rbf(gamma=1)", loss="hinge", C=1.0, tolerance=1e-10),
    gram.KernelClassifier("linear", loss="softmax", lam=0.1),
    gram.KernelClassifier("linear", loss="squared"),
    gram.SVC(),
    gram.SVC(tol=1e-10, probability=True),
    gram.SVC(kernel="precomputed"),
    gram.NuSVC(tol=1e-8),
    gram.NuSVR(tol=1e-8),
    gram.SVR(),
    gram.SVR(tol=1e-10),
    gram.OneClassSVM(),
    gram.GaussianProcessClassifier("rbf(gamma=1)"),
    gram.GaussianProcessClassifier("2*rbf(length=0.5)", optimizer=None),
]


def is_precomputed(estimator):
    return getattr(estimator, "kernel", None) == "precomputed"


# Which checks are not for which estimators, and why.
NOT_FOR = [
    (
        "check_estimators_dtypes",
        lambda model: isinstance(model, gram.KernelRidge)
        and is_precomputed(model),
        "it truncates a matrix of kernel values to whole numbers, which is "
        "then not positive semidefinite, and is refused as such",
    ),
    (
        "check_classifiers_one_label",
        is_precomputed,
        "it hands over rows where a matrix of kernel values is expected",
    ),
    (
        "check_sample_weights_invariance(kind=zeros)",
        lambda model: getattr(model, "tol", 0) == 1e-3,
        "it shuffles the rows and compares more digits than the tolerance of "
        "the solver promises; with tol=1e-10 SVC and SVR pass, of OneClassSVM "
        "rows at the boundary, where f is 0, fall to this side or that",
    ),
    (
        "check_sample_weights_invariance(kind=zeros)",
        lambda model: getattr(model, "probability", False),
        "it shuffles the rows, and with them the folds of the calibration",
    ),
    (
        "check_class_weight_classifiers",
        lambda model: isinstance(model, gram.NuSVC),
        "its weights leave a class too little for nu = 0.5, which is refused "
        "as such",
    ),
    (
        "check_classifiers_train",
        lambda model: getattr(model, "probability", False),
        "it wants the class to be the sign of f; here it is the most probable "
        "one, which calibration may move from that sign",
    ),
]


# -------------------------------------------------------------- conventions


@parametrize_with_checks(ESTIMATORS)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks(estimator, check):
    given = ",".join(f"{key}={value}" for key, value in check.keywords.items())
    name = check.func.__name__
    for not_for, concerns, reason in NOT_FOR:
        if not_for in (name, f"{name}({given})") and concerns(estimator):
            pytest.skip(reason)
    check(estimator)


def test_parameters_are_those_of_scikit_learn():
    for theirs in (
        kernel_ridge.KernelRidge(), svm.SVC(), svm.SVR(), svm.OneClassSVM(),
        svm.NuSVC(), svm.NuSVR(),
    ):  # fmt: skip
        ours = getattr(gram, type(theirs).__name__)()
        assert theirs.get_params().items() <= ours.get_params().items()
    for theirs in (
        gaussian_process.GaussianProcessRegressor(),
        gaussian_process.GaussianProcessClassifier(),
    ):
        ours = getattr(gram, type(theirs).__name__)()
        assert theirs.get_params().keys() <= ours.get_params().keys()


def test_pipelines_and_searches():
    pipe = make_pipeline(StandardScaler(), gram.KernelRidge(kernel="rbf"))
    grid = {"kernelridge__alpha": [0.01, 1], "kernelridge__gamma": [0.1, 0.5]}
    ours = GridSearchCV(pipe, grid, cv=3).fit(X, y)
    pipe = make_pipeline(
        StandardScaler(), kernel_ridge.KernelRidge(kernel="rbf")
    )
    theirs = GridSearchCV(pipe, grid, cv=3).fit(X, y)
    assert ours.best_params_ == theirs.best_params_
    assert_allclose(ours.best_score_, theirs.best_score_)
    model = gram.KernelRegressor("rbf + linear")
    assert cross_val_score(model, X, y, cv=3).min() > 0.7
    chain = make_pipeline(gram.KernelFeatures(), gram.KernelRidge(1e-6))
    poly = gram.KernelRidge(1e-6, kernel="poly(degree=2)").fit(X, y)
    assert_allclose(chain.fit(X, y).predict(T), poly.predict(T), rtol=1e-6)


def test_searches_cut_a_precomputed_matrix_both_ways():
    K = gram.kernel_matrix("rbf(gamma=0.5)", X)
    with pytest.warns(EfficiencyWarning):
        ours = cross_val_score(
            gram.KernelRidge(0.1, kernel="precomputed"), K, y, cv=3
        )
    model = gram.KernelRidge(0.1, kernel="rbf", gamma=0.5)
    assert_allclose(ours, cross_val_score(model, X, y, cv=3))


def test_clones_are_equal_and_not_fitted():
    model = gram.KernelRegressor(gram.Kernel("rbf(gamma=1)"), lam=[0.1, 1.0])
    again = clone(model.fit(X, y))
    assert str(again.get_params()) == str(model.get_params())
    for call in (again.predict, again.predict_terms, again.sample_y):
        with pytest.raises(gram.NotFittedError, match="not fitted yet"):
            call(X)
    with pytest.raises(gram.NotFittedError):
        again.dual_coef_


# -------------------------------------------------- agreement with others


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.EfficiencyWarning")
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["", "weights"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"kernel": "rbf"},
        {"kernel": "rbf", "gamma": 0.5},
        {"kernel": "laplacian", "gamma": 0.5},
        {"kernel": "poly", "degree": 2, "coef0": 0.5},
        {"kernel": "polynomial", "gamma": 2.0},
        {"kernel": "cosine"},
        {"kernel": "sigmoid", "gamma": 0.01, "coef0": 0.1},
        {"kernel": "chi2", "gamma": 0.5},
    ],
    ids=str,
)
def test_kernel_ridge_is_that_of_scikit_learn(options, weights):
    rows, new = (abs(X), abs(T)) if options.get("kernel") == "chi2" else (X, T)
    for target in (y, Y, Y[:, :1]):
        ours = gram.KernelRidge(0.3, **options).fit(rows, target, weights)
        theirs = kernel_ridge.KernelRidge(0.3, **options)
        theirs.fit(rows, target, weights)
        assert ours.predict(new).shape == theirs.predict(new).shape
        assert_allclose(
            ours.predict(new), theirs.predict(new), rtol=1e-6, atol=1e-9
        )
        # theirs are those of rows that weights have scaled
        if weights is None:
            assert_allclose(
                ours.dual_coef_, theirs.dual_coef_, rtol=1e-6, atol=1e-9
            )


def pair(x, t, power=1.0):
    return np.exp(-np.abs(x - t).sum()) ** power


def test_functions_and_matrices_are_kernels_too_and_slower():
    with pytest.warns(EfficiencyWarning, match="a function in Python is slow"):
        ours = gram.KernelRidge(
            0.3, kernel=pair, kernel_params={"power": 0.5}
        ).fit(X, y)
    rule = gram.KernelRidge(0.3, kernel="laplacian", gamma=0.5).fit(X, y)
    assert_allclose(ours.predict(T), rule.predict(T))
    assert_allclose(ours.dual_coef_, rule.dual_coef_)
    again = pickle.loads(pickle.dumps(ours))
    assert_array_equal(again.predict(T), ours.predict(T))

    k = gram.Kernel("rbf(gamma=0.5)")
    native = gram.KernelRegressor(k, lam=0.1).fit(X, y)
    with pytest.warns(EfficiencyWarning):
        called = gram.KernelRegressor(lambda A, B: k(A, B), lam=0.1).fit(X, y)
    with pytest.warns(EfficiencyWarning):
        given = gram.KernelRegressor("precomputed", lam=0.1).fit(k(X), y)
    assert_allclose(called.predict(T), native.predict(T))
    assert_allclose(given.predict(k(T, X)), native.predict(T))
    with pytest.raises(ValueError, match="no standard deviations"):
        called.predict(T, return_std=True)
    with pytest.raises(ValueError, match=r"kernel\(X, Y\): of shape \(60, 1\)"):
        gram.KernelRegressor(lambda A, B: A[:, :1]).fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.EfficiencyWarning")
def test_an_indefinite_matrix_is_refused():
    K = np.array([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match="not positive semidefinite"):
        gram.KernelRegressor("precomputed", lam=0.1).fit(K, [1, 2])


@pytest.mark.parametrize("noise", [0.1, WEIGHTS], ids=["one", "per row"])
def test_a_process_with_given_numbers_is_that_of_scikit_learn(noise):
    kernels = gaussian_process.kernels
    theirs = gaussian_process.GaussianProcessRegressor(
        kernels.ConstantKernel(2.0) * kernels.RBF(0.8),
        alpha=noise,
        optimizer=None,
    ).fit(X, y)
    ours = gram.GaussianProcessRegressor(
        "2*rbf(length=0.8)", alpha=noise, optimizer=None
    ).fit(X, y)
    assert_allclose(
        ours.log_marginal_likelihood_value_,
        theirs.log_marginal_likelihood_value_,
    )
    for options in ({}, {"return_std": True}, {"return_cov": True}):
        mine, yours = ours.predict(T, **options), theirs.predict(T, **options)
        if not options:
            mine, yours = (mine,), (yours,)
        for a, b in zip(mine, yours):
            assert_allclose(a, b, rtol=1e-6, atol=1e-8)
    mean, std = ours.predict(T, return_std=True)
    draws = ours.sample_y(T, 4000)
    assert draws.shape == (len(T), 4000)
    assert_allclose(draws.mean(1), mean, atol=5 * std.max() / 4000**0.5)
    assert_allclose(draws.std(1), std, rtol=0.1)
    assert_array_equal(draws, ours.sample_y(T, 4000, random_state=0))
    assert np.any(draws != ours.sample_y(T, 4000, random_state=1))


def test_a_process_learns_at_least_as_well():
    kernels = gaussian_process.kernels
    theirs = gaussian_process.GaussianProcessRegressor(
        kernels.ConstantKernel() * kernels.RBF()
        + kernels.WhiteKernel(0.1, (1e-6, 10)),
        alpha=0,
    ).fit(X, y)
    ours = gram.GaussianProcessRegressor("rbf", scale="none").fit(X, y)
    assert (
        ours.log_marginal_likelihood_value_
        > theirs.log_marginal_likelihood_value_ - 1e-3
    )
    assert_allclose(
        ours.predict(T, return_std=True, noise=True)[1],
        theirs.predict(T, return_std=True)[1],
        rtol=1e-2,
    )


def test_an_unknown_constant_is_not_a_shifted_mean():
    far = gram.GaussianProcessRegressor("rbf(gamma=1)", normalize_y=True)
    far.fit(X, y + 100)
    near = gram.GaussianProcessRegressor("rbf(gamma=1)", normalize_y=True)
    near.fit(X, y)
    assert_allclose(far.predict(T), near.predict(T) + 100, rtol=1e-9)


# ----------------------------------------------------------- what is theirs


def test_weights_are_repeated_rows():
    counts = np.arange(len(X)) % 3
    ours = gram.KernelRegressor("rbf(gamma=0.5)", lam=0.1)
    weighted = clone(ours).fit(X, y, sample_weight=counts)
    repeated = ours.fit(np.repeat(X, counts, 0), np.repeat(y, counts))
    assert_allclose(weighted.predict(T), repeated.predict(T), rtol=1e-8)
    assert_array_equal(weighted.support_, np.flatnonzero(counts))


def test_predictions_are_made_of_coefficients():
    for kernel in ("rbf(gamma=0.5) + linear", "linear"):
        model = gram.KernelRegressor(kernel, lam=0.1, scale="none").fit(X, Y)
        K = gram.Kernel(kernel)(T, X)
        assert_allclose(
            K @ model.dual_coef_ + model.intercept_,
            model.predict(T),
            rtol=1e-6,
            atol=1e-8,
        )


def test_terms_add_up_and_rows_are_named():
    model = gram.KernelRegressor("rbf(gamma=0.5)[c0] + linear[c1]", lam=0.1)
    model.fit(X, y)
    parts = model.predict_terms(T)
    assert len(parts) == 2
    total = sum(parts.values()) + model.intercept_
    assert_allclose(total, model.predict(T))
    parts, stds = model.predict_terms(T, return_std=True)
    assert parts.keys() == stds.keys()
    assert all(np.all(std >= 0) for std in stds.values())
    rows, part = model.explain(T, 3)
    K = model.kernel_(T, X) * model.dual_coef_
    best = np.argsort(-abs(K), axis=1)[:, :3]
    assert_array_equal(rows, best)
    assert_allclose(part, np.take_along_axis(K, best, 1))


def test_intervals_hold_what_they_promise():
    rows = DRAW.uniform(-3, 3, (400, 1))
    target = np.sin(rows[:, 0]) + 0.2 * DRAW.standard_normal(400)
    model = gram.KernelRegressor("rbf").fit(rows[:200], target[:200])
    for method in ("gaussian", "jackknife"):
        lower, upper = model.predict_interval(rows[200:], 0.8, method)
        inside = np.mean((lower < target[200:]) & (target[200:] < upper))
        assert 0.7 < inside < 0.9
    with pytest.raises(ValueError, match="method = 'magic', must be one of"):
        model.predict_interval(rows, method="magic")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_criteria_choose_and_are_reported():
    for select in ("loo", "gcv", "cv", "evidence"):
        model = gram.KernelRegressor("rbf", select=select).fit(X, y)
        assert model.report_.criterion == select
        assert model.score(X, y) > 0.8
    model = gram.KernelRegressor("rbf(gamma=1)", lam=[0.01, 0.1]).fit(X, y)
    assert model.lam_ in (0.01, 0.1)
    model = gram.KernelRegressor("rbf(gamma=1)", per_target=True).fit(X, Y)
    assert model.lam_.shape == (2,)


def test_threads_and_seeds_do_not_change_a_bit():
    one = gram.KernelRegressor(n_jobs=1).fit(X, y).predict(T)
    for options in ({"n_jobs": 2}, {"n_jobs": -1}, {"random_state": None}):
        again = gram.KernelRegressor(**options).fit(X, y).predict(T)
        assert_array_equal(one, again)
    state = np.random.RandomState(3)
    gram.KernelRegressor(random_state=state).fit(X, y)


def test_sparse_rows_stay_sparse():
    at = np.arange(500) // 10, DRAW.integers(10**6, size=500)
    A = sparse.csr_matrix((DRAW.standard_normal(500), at), (50, 10**6))
    target = np.asarray(A.sum(1)).ravel() + np.arange(50) / 50
    model = gram.KernelRegressor("linear", lam=0.1, scale="none")
    model.fit(A, target)
    K = (A @ A.T).toarray()
    assert_allclose(
        K @ model.dual_coef_ + model.intercept_, model.predict(A), atol=1e-8
    )
    B = sparse.random(30, 20, 0.3, format="csr", random_state=1)
    small = gram.KernelRidge(0.1, kernel="rbf").fit(B, np.arange(30.0))
    dense = gram.KernelRidge(0.1, kernel="rbf").fit(B.toarray(), np.arange(30))
    assert_allclose(small.predict(B), dense.predict(B.toarray()), rtol=1e-6)
    assert_allclose(small.predict(B.toarray()), small.predict(B))
    assert_allclose(dense.predict(B), small.predict(B), rtol=1e-6)


def test_features_have_the_kernels_inner_products():
    for kernel in ("poly(degree=2)", "map(standardize, linear) + anova"):
        map_ = gram.KernelFeatures(kernel).fit(X)
        F, G = map_.transform(X), map_.transform(T)
        assert_allclose(G @ F.T, map_.kernel_(T, X), rtol=1e-10, atol=1e-10)
        assert_array_equal(map_.transform(T[:3]), G[:3])
        assert len(map_.get_feature_names_out()) == F.shape[1]
    with pytest.raises(ValueError, match="finite"):
        gram.KernelFeatures("rbf(gamma=1)").fit(X)
    with pytest.raises(ValueError, match="category"):
        gram.KernelFeatures("linear").fit({"a": ["x", "y"]})


# -------------------------------------------------------------------- files


@pytest.mark.parametrize(
    "model",
    [
        gram.KernelRegressor(),
        gram.KernelRidge(kernel="rbf"),
        gram.GaussianProcessRegressor("matern"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_pickles_and_files_predict_the_same_bits(model, tmp_path):
    model.fit(X, y)
    expected = model.predict(T, return_std=True)
    joblib.dump(model, tmp_path / "m.joblib")
    model.save(tmp_path / "m.gram")
    for again in (
        pickle.loads(pickle.dumps(model)),
        joblib.load(tmp_path / "m.joblib"),
        type(model).load(tmp_path / "m.gram"),
        gram.load(tmp_path / "m.gram"),
    ):
        for a, b in zip(again.predict(T, return_std=True), expected):
            assert_array_equal(a, b)


def test_equal_fits_are_equal_pickles_and_rows_do_not_know_each_other():
    one = gram.KernelRidge().fit(X, y)
    assert pickle.dumps(one) == pickle.dumps(gram.KernelRidge().fit(X, y))
    whole = one.predict(np.vstack([T, 1e8 * T[:1]]), return_std=True)
    for i in range(len(T)):
        for a, b in zip(one.predict(T[i : i + 1], return_std=True), whole):
            assert_array_equal(a, b[i : i + 1])


def test_a_pickle_that_was_altered_is_refused():
    data = bytearray(pickle.dumps(gram.KernelRidge().fit(X, y)))
    at = data.index(b"GRAM\r\n\x1a\n")
    data[at + 200] ^= 1
    with pytest.raises(ValueError, match="altered"):
        pickle.loads(bytes(data))
    data[at + 200] ^= 1
    data[at + 8] = 99
    with pytest.raises(ValueError, match="a model of version 99, this is gram"):
        pickle.loads(bytes(data))


def command(*words):
    path = os.environ.get("GRAM")
    if not path:
        pytest.skip("GRAM does not name the command")
    done = subprocess.run(
        [path, *map(str, words)], check=True, stdout=subprocess.PIPE
    )
    return done.stdout.decode()


def test_the_command_reads_our_models_and_we_read_its(tmp_path):
    np.save(tmp_path / "t.npy", T)
    model = gram.KernelRegressor("rbf + linear[c1]").fit(X, y)
    model.save(tmp_path / "ours.gram")
    said = command("predict", tmp_path / "ours.gram", tmp_path / "t.npy")
    values = [float(line) for line in said.split()[1:]]
    assert_array_equal(values, model.predict(T))

    np.save(tmp_path / "x.npy", np.column_stack([X, y]))
    command("fit", tmp_path / "x.npy", "--target", "c3", "--kernel",
            "rbf + linear[c1]", "-o", tmp_path / "its.gram", "--quiet")  # fmt: skip
    again = gram.load(tmp_path / "its.gram")
    assert_array_equal(again.predict(T), model.predict(T))


def test_the_command_and_we_share_classifiers(tmp_path):
    data = gram.read("builtin:iris")
    kind = data.pop("species")
    model = gram.KernelClassifier(
        "rbf(gamma=0.5)", loss="hinge", C=2.0, probability=True
    ).fit(data, kind)
    model.save(tmp_path / "ours.gram")
    said = command("predict", tmp_path / "ours.gram", "builtin:iris")
    assert_array_equal(said.split()[1:], model.predict(data))
    command("fit", "builtin:iris", "--kernel", "rbf(gamma=0.5)", "--loss",
            "hinge", "--C", 2, "--proba", "-o", tmp_path / "its.gram",
            "--quiet")  # fmt: skip
    again = gram.load(tmp_path / "its.gram")
    assert_array_equal(again.predict_proba(data), model.predict_proba(data))


# ------------------------------------------------------------------ warnings


def test_what_a_fit_warns_of_is_a_warning():
    with pytest.warns(gram.GramWarning, match="start value"):
        gram.KernelRegressor(select="none").fit(X, y)
    with pytest.warns(gram.ConvergenceWarning, match="converge"):
        gram.KernelRegressor(
            "rbf(gamma=1)", lam=1e-3, solver="gd", steps=2
        ).fit(X, y)


def test_progress_is_shown_if_asked_for(capsys):
    gram.KernelRegressor(verbose=1).fit(X, y)
    assert "100" in capsys.readouterr().err
    gram.KernelRegressor().fit(X, y)
    assert capsys.readouterr().err == ""


def test_progress_is_shown_without_tqdm(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    gram.KernelRegressor(verbose=1).fit(X, y)
    said = capsys.readouterr().err
    assert said.endswith("KernelRegressor, fitting: 100 %\n")
