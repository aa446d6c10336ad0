"""What fitted machines can tell and become: plans, paths, updates, norms,
importance, folds that are given, comparisons, files of LIBSVM's."""
import pickle
import shutil
import subprocess

import cffi
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import EfficiencyWarning
from sklearn.model_selection import PredefinedSplit, cross_val_score

import gram
from gram._core._gram import ffi
from gram._core.library import fields

DRAW = np.random.default_rng(11)
X = DRAW.standard_normal((120, 3))
Y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.1 * DRAW.standard_normal(120)
FOLD = np.arange(120) % 4
SPEC = "rbf(gamma=0.3)"


def ridge(**options):
    return gram.KernelRegressor(SPEC, scale="none", lam=0.1, **options)


# --------------------------------------------------------------------- plans


def test_a_plan_says_what_a_fit_will_do_and_does_nothing():
    model = ridge()
    plan = model.plan(X, Y)
    assert not hasattr(model, "n_features_in_")
    assert plan.solver == model.fit(X, Y).report_.solver
    assert plan.bytes > 0 and plan.seconds > 0 and "cg" in plan.others
    assert gram.SVC().plan(X, Y > 0).solver == "smo"
    assert gram.OneClassSVM().plan(X).solver == "smo"
    three = np.digitize(Y, [-0.5, 0.5])
    assert gram.GaussianProcessClassifier().plan(X, three).seconds > 0


def test_a_plan_beyond_the_budget_says_what_would_fit():
    model = gram.KernelRegressor(
        SPEC, lam=0.1, solver="dual", precision="double", memory=10**6
    )
    with pytest.raises(MemoryError, match="solver dual needs .* MiB"):
        model.plan(DRAW.standard_normal((2000, 3)), np.zeros(2000))


# ------------------------------------------------------------------- reports


def names_of(struct):
    """Its members, as Python calls them."""
    names = [name for name, _ in ffi.typeof(struct).fields]
    return ["lam" if name == "lambda" else name for name in names]


def test_every_member_of_a_struct_is_an_attribute():
    found = gram.mmd_test(X, X + 1)
    for thing, struct in (
        (ridge().fit(X, Y).report_, "gram_report"),
        (ridge().plan(X, Y), "gram_plan"),
        (gram.Drift(X).add(X), "gram_drift_report"),
        (gram.Kernel(SPEC).spectrum(X), "gram_spectrum"),
    ):
        assert [*vars(thing)] == names_of(struct)
    names = {*names_of("gram_test_report")}
    assert names <= {*vars(found)}
    assert {*gram.SampleTest.__annotations__} <= names
    assert [*ridge().path(X, Y, [0.1])] == names_of("gram_path_row")


def test_a_member_that_is_new_is_an_attribute_by_itself():
    new = cffi.FFI()
    new.cdef(
        """typedef struct { size_t outputs; double more; const char *word;
        const char *none; const double *numbers; const char *const *words;
        size_t count; char lines[8]; } report;"""
    )
    word = new.new("char[]", b"good")
    words = new.new("char *[]", [word, word, word])
    numbers = new.new("double[]", [1.0, 2.0])
    report = new.new(
        "report *", [2, 0.5, word, new.NULL, numbers, words, 3, b"a\nb"]
    )
    found = fields(report, {"words": "count"}, "outputs")
    assert_array_equal(found.pop("numbers"), [1.0, 2.0])
    assert found == {
        "outputs": 2,
        "more": 0.5,
        "word": "good",
        "none": None,
        "words": ("good",) * 3,
        "count": 3,
        "lines": "a\nb",
    }


# --------------------------------------------------------------------- paths


def test_a_path_is_that_of_fits_without_one_row():
    lams = [0.03, 0.3]
    path = ridge().path(X, Y, lams)
    assert_array_equal(path["lam"], lams)
    for lam, loo in zip(lams, path["loo"]):
        left = [
            gram.KernelRegressor(SPEC, scale="none", lam=lam)
            .fit(np.delete(X, i, 0), np.delete(Y, i))
            .predict(X[i : i + 1])[0]
            for i in range(len(X))
        ]
        assert_allclose(loo, np.mean((Y - left) ** 2), rtol=1e-8)
    assert np.all(np.diff(ridge().path(X, Y)["df"]) < 0)


def test_a_path_of_several_targets_has_columns():
    path = ridge().path(X, np.column_stack([Y, -2 * Y]), [0.1, 1.0, 10.0])
    assert path["loo"].shape == (3, 2) and path["lam"].shape == (3,)
    assert_allclose(path["loo"][:, 1], 4 * path["loo"][:, 0])


# ------------------------------------------------------------------- updates


@pytest.mark.parametrize("keep", [False, True])
def test_an_update_is_a_fit_to_the_rows_that_are_there(keep):
    more, target = DRAW.standard_normal((7, 3)), DRAW.standard_normal(7)
    model = ridge(keep_factor=keep).fit(X, Y)
    before = model.predict(X)
    gone = [0, 5, 119]
    new = model.update(more, target, remove=gone)
    again = ridge().fit(
        np.vstack([np.delete(X, gone, 0), more]),
        np.r_[np.delete(Y, gone), target],
    )
    assert_allclose(new.predict(X), again.predict(X), atol=1e-10)
    assert_array_equal(model.predict(X), before)
    mask = np.zeros(120, bool)
    mask[gone] = True
    fewer = model.update(remove=mask)
    assert fewer.report_.n == 117 and 5 not in fewer.support_


def test_known_noise_and_weights_go_with_new_rows():
    process = gram.GaussianProcessRegressor(SPEC, alpha=0.2, scale="none")
    new = process.fit(X[:100], Y[:100]).update(X[100:], Y[100:])
    again = gram.GaussianProcessRegressor(
        new.kernel_ * new.amplitude_, alpha=0.2, scale="none"
    ).fit(X, Y)
    for ours, theirs in zip(*(m.predict(X, return_std=True) for m in (new, again))):
        assert_allclose(ours, theirs, atol=1e-9)
    weights = DRAW.uniform(0.5, 2, 120)
    new = ridge().fit(X[:100], Y[:100], weights[:100])
    new = new.update(X[100:], Y[100:], weights[100:])
    again = ridge().fit(X, Y, weights)
    assert_allclose(new.predict(X), again.predict(X), atol=1e-10)
    with pytest.raises(ValueError, match="no weights"):
        new.update(X[:1], Y[:1])


def test_bad_updates_are_named():
    model = ridge().fit(X, Y)
    with pytest.raises(ValueError, match="remove: .*120"):
        model.update(remove=[3, 120])
    with pytest.raises(ValueError, match="y: 2 rows"):
        model.update(X[:3], Y[:2])
    with pytest.raises(ValueError, match="features"):
        model.update(X[:3, :2], Y[:3])


# ------------------------------------------------------- norms and importance


def test_norms_are_those_of_coefficients():
    f, g = ridge().fit(X, Y), ridge().fit(X[:60], -Y[:60])
    K = gram.kernel_matrix(SPEC, X)
    a, b = f.dual_coef_, g.dual_coef_
    assert_allclose(f.norm() ** 2, a @ K @ a)
    assert_allclose(f.inner(g), a @ K[:, :60] @ b)
    with pytest.raises(TypeError, match="other: a float"):
        f.inner(1.0)
    with pytest.warns(EfficiencyWarning):
        given = gram.KernelRegressor("precomputed", lam=0.1).fit(K, Y)
    assert_allclose(given.norm(), f.norm())
    with pytest.raises(ValueError, match="no inner products with other"):
        given.inner(f)


def test_columns_that_matter_are_ranked():
    found = gram.KernelRegressor(
        "linear[c0,c1] + rbf(gamma=0.3)[c2]", scale="none", lam=1.0
    ).fit(X, X[:, 1]).importance()  # fmt: skip
    columns = found["columns"]
    assert columns["c1"] > 10 * max(columns["c0"], columns["c2"])
    assert list(found["terms"]) == ["linear[c0,c1]", "rbf(gamma=0.3)[c2]"]


# --------------------------------------------------------------------- folds


def test_folds_can_be_given_and_cells_are_kept():
    model = gram.KernelRegressor(
        "rbf(gamma=?[0.1,0.3])", lam=[0.1, 1.0], select="cv", scale="none",
        folds=FOLD,
    ).fit(X, Y)  # fmt: skip
    cells = model.cv_results_
    assert len(cells["error"]) == 4
    for kernel, lam, error in zip(*cells.values()):
        scores = cross_val_score(
            gram.KernelRegressor(kernel, lam=lam, scale="none"), X, Y,
            cv=PredefinedSplit(FOLD), scoring="neg_mean_squared_error",
        )  # fmt: skip
        assert_allclose(error, -scores.mean(), rtol=1e-6)
    assert model.report_.criterion_value == min(cells["error"])
    assert not hasattr(ridge().fit(X, Y), "cv_results_")
    with pytest.raises(ValueError, match=r"folds: of shape \(3,\)"):
        gram.KernelRegressor(folds=[1, 2, 3]).fit(X, Y)


def test_folds_of_classes_can_be_given():
    model = gram.KernelClassifier(
        SPEC, loss="hinge", C=[0.1, 10.0], scale="none", folds=FOLD
    ).fit(X, Y > 0)
    for C, error in zip(0.5 / model.cv_results_["lam"], model.cv_results_["error"]):
        scores = cross_val_score(
            gram.SVC(kernel=SPEC, C=C), X, Y > 0, cv=PredefinedSplit(FOLD)
        )
        assert abs(error - (1 - scores.mean())) <= 1 / 120


# --------------------------------------------------------------- comparisons


def test_a_comparison_is_paired():
    models = [ridge(folds=FOLD), gram.KernelRegressor("linear", lam=1.0)]
    found = gram.compare(models, X, Y)
    each = [
        -cross_val_score(
            model, X, Y, cv=PredefinedSplit(FOLD),
            scoring="neg_mean_squared_error",
        )
        for model in (ridge(), models[1])
    ]  # fmt: skip
    assert_allclose(found["errors"], each, rtol=1e-6)
    apart = each[1] - each[0]
    assert_allclose(found["difference"], [0, apart.mean()], rtol=1e-6)
    assert_allclose(
        found["difference_std_error"][1], apart.std(ddof=1) / 2, rtol=1e-6
    )


def test_what_cannot_be_compared_is_named():
    with pytest.raises(ValueError, match="SVC is for classification"):
        gram.compare([ridge(), gram.SVC()], X, Y)
    with pytest.raises(TypeError, match="a str"):
        gram.compare(["rbf"], X, Y)
    with pytest.raises(ValueError, match="at least 1"):
        gram.compare([], X, Y)


# -------------------------------------------------------------------- LIBSVM


@pytest.mark.parametrize(
    "model, target",
    [
        (gram.SVC(), (Y > 0).astype(int)),
        (gram.SVC(kernel="linear"), np.digitize(Y, [-0.5, 0.5])),
        (gram.SVR(gamma=0.2), Y),
        (gram.OneClassSVM(nu=0.2), None),
    ],
    ids=["two", "three", "numbers", "novelty"],
)
def test_models_of_libsvm_go_both_ways(model, target, tmp_path):
    path = tmp_path / "svm.model"
    model.fit(X, target).save_libsvm(path)
    assert_array_equal(gram.load(path).predict(X), model.predict(X))
    program = shutil.which("svm-predict")
    if program is None:
        return
    rows, out = tmp_path / "rows.svm", tmp_path / "out"
    rows.write_text(
        "".join(
            "0 " + " ".join(f"{j}:{v:.17g}" for j, v in enumerate(row, 1)) + "\n"
            for row in X
        )
    )
    subprocess.run([program, "-q", rows, path, out], check=True)
    assert_allclose(np.loadtxt(out), model.predict(X), atol=1e-4)


def test_a_kernel_that_libsvm_has_not_is_refused(tmp_path):
    model = gram.SVC(kernel="laplace(gamma=1)").fit(X, Y > 0)
    with pytest.raises(ValueError, match="laplace"):
        model.save_libsvm(tmp_path / "svm.model")


# ------------------------------------------------------------------ the rest


@pytest.mark.parametrize("alpha", [0.05, "auto"])
def test_noise_is_the_same_in_deviations_and_covariances(alpha):
    model = gram.GaussianProcessRegressor(SPEC, alpha=alpha).fit(X, Y)
    _, std = model.predict(X[:9], return_std=True, noise=True)
    _, C = model.predict(X[:9], return_cov=True, noise=True)
    assert_allclose(np.diag(C), std**2)
    _, std_f = model.predict(X[:9], return_std=True)
    assert_allclose(std**2 - std_f**2, model.noise_variance_)


def test_equal_terms_are_told_apart():
    spec = "rbf(gamma=1) + rbf(gamma=1) + linear"
    model = gram.KernelRegressor(spec, lam=0.1, scale="none").fit(X, Y)
    terms = model.predict_terms(X)
    assert list(terms) == ["rbf(gamma=1)", "rbf(gamma=1) (2)", "linear"]
    whole = sum(terms.values()) + model.intercept_
    assert_allclose(whole, model.predict(X), atol=1e-10)


def test_a_fit_that_fails_changes_nothing():
    model = ridge().fit(X, Y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="y"):
        model.fit(X[:, :2], np.full(120, np.nan))
    assert model.n_features_in_ == 3
    assert_array_equal(model.predict(X), before)


@pytest.mark.parametrize(
    "labels", [["01", "02"], ["1e3", "7"], ["Infinity", "x"], ["1.5", "2"]]
)
def test_labels_that_look_like_numbers_come_back(labels, tmp_path):
    y = np.array(labels)[(Y > 0).astype(int)]
    model = gram.SVC().fit(X, y)
    model.save(tmp_path / "m.gram")
    again = gram.load(tmp_path / "m.gram").predict(X)
    assert_array_equal([gram._core.table.cell_text(x) for x in again], model.predict(X))


def test_targets_may_have_the_names_of_columns():
    pandas = pytest.importorskip("pandas")
    y = pandas.Series(Y, name="c0")
    assert_allclose(ridge().fit(X, y).predict(X), ridge().fit(X, Y).predict(X))


def test_warnings_point_at_the_line_that_called():
    K = gram.kernel_matrix(SPEC, X)
    for model in (gram.KernelRegressor("precomputed"), gram.SVC(kernel="precomputed")):
        with pytest.warns(EfficiencyWarning) as seen:
            model.fit(K, Y > 0)
        assert {w.filename for w in seen} == {__file__}


def test_models_of_several_machines_have_no_report():
    three = np.digitize(Y, [-0.5, 0.5])
    model = gram.GaussianProcessClassifier(SPEC).fit(X, three)
    assert not hasattr(model, "kernel_") and len(model.estimators_) == 3


@pytest.mark.parametrize(
    "call, error, sentence",
    [
        (lambda m: m.predict_interval(X, 0), ValueError, "coverage = 0"),
        (lambda m: m.predict_interval(X, 1.5), ValueError, "coverage = 1.5"),
        (lambda m: m.save("a\0b"), ValueError, "path .* null character"),
        (lambda m: gram.load("a\0b"), ValueError, "path .* null character"),
        (lambda m: m.set_params(random_state=2**70).fit(X, Y), ValueError,
         "random_state = .* at most"),
        (lambda m: m.set_params(n_jobs=10**12).fit(X, Y), ValueError, "n_jobs"),
        (lambda m: m.set_params(memory=2**70).fit(X, Y), ValueError, "memory"),
        (lambda m: m.set_params(kernel="\ud800").fit(X, Y), ValueError, "kernel"),
        (lambda m: gram.KernelRidge(alpha=-1).fit(X, Y), ValueError,
         "alpha = -1, must be at least 0"),
        (lambda m: gram.OneClassSVM(nu=2).fit(X), ValueError, "nu = 2"),
        (lambda m: gram.SVR(epsilon=-1).fit(X, Y), ValueError, "epsilon = -1"),
        (lambda m: gram.GaussianProcessRegressor(alpha=0).fit(X, Y), ValueError,
         "alpha = 0, must be positive"),
    ],
)  # fmt: skip
def test_arguments_are_named(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call(ridge().fit(X, Y))


# --------------------------------------------------------------- predictions


def test_a_machine_keeps_its_predictor():
    """Until it is fitted again; of copies, each makes its own."""
    model = ridge().fit(X, Y)
    one = model.predict(X[:1])
    kept = model.machine_._prepared
    assert kept is not None
    assert_array_equal(model.predict(X)[:1], one)
    assert model.machine_._prepared is kept
    copy = pickle.loads(pickle.dumps(model))
    assert copy.machine_._prepared is None
    assert_array_equal(copy.predict(X[:1]), one)
    model.fit(X, 2 * Y)
    assert model.machine_._prepared is None
    assert_allclose(model.predict(X[:1]), 2 * one, rtol=1e-9)
