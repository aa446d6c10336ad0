"""Missing cells: what stands for them is learned from the rows of the fit."""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gram

DRAW = np.random.default_rng(5)
X = DRAW.standard_normal((80, 3))
Y = np.sin(X[:, 0]) + X[:, 1]
HOLES = X.copy()
HOLES[::7, 0] = np.nan
SPEC = "rbf(gamma=0.3)"


@pytest.mark.parametrize("missing", ["mean", "indicator"])
def test_a_row_is_filled_with_the_training_means(missing):
    model = gram.KernelRegressor(SPEC, lam=0.1, missing=missing).fit(HOLES, Y)
    whole = model.predict(HOLES)
    assert np.isfinite(whole).all()
    alone = [model.predict(row[None])[0] for row in HOLES]
    assert_allclose(alone, whole, rtol=1e-12)
    if missing == "mean":
        filled = HOLES.copy()
        filled[::7, 0] = np.nanmean(HOLES[:, 0])
        assert_allclose(model.predict(filled), whole, rtol=1e-12)


def test_missing_cells_are_refused_unless_asked_for():
    model = gram.KernelRegressor(SPEC, lam=0.1)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(HOLES, Y)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X, Y).predict(HOLES)
    with pytest.raises(ValueError, match="must be one of refuse, mean"):
        gram.KernelRegressor(missing="drop").fit(HOLES, Y)


def test_classes_and_categories_are_filled_too():
    color = np.where(X[:, 1] > 0, "red", "blue").astype(object)
    color[3] = None
    data = {"x": HOLES[:, 0], "color": color}
    kind = np.where(Y > 0, "up", "down")
    model = gram.KernelClassifier("rbf(gamma=1)", lam=0.1, missing="mean")
    labels = model.fit(data, kind).predict(data)
    assert set(labels) <= {"up", "down"}
    assert_array_equal(labels[:1], model.predict(
        {"x": HOLES[:1, 0], "color": color[:1]}))  # fmt: skip


def test_a_model_file_knows_its_policy(tmp_path):
    path = tmp_path / "m.gram"
    model = gram.KernelRegressor(SPEC, lam=0.1, missing="mean").fit(HOLES, Y)
    model.save(path)
    loaded = gram.load(path)
    assert_array_equal(loaded.predict(HOLES), model.predict(HOLES))


def test_the_class_says_the_task():
    two = (Y > 0).astype(float)
    assert gram.KernelRegressor(SPEC).fit(X, two).report_.task == "regression"
    made = gram.KernelClassifier(SPEC).fit(X, two)
    assert made.report_.task == "classification"
