"""Data in: typed columns with names, and whatever else people hand over."""
import datetime
import os

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import gram
from gram._core._gram import lib
from gram._core.library import text
from gram._core.table import as_rows, as_table

DRAW = np.random.default_rng(2)
N = 40
AGE = DRAW.uniform(20, 60, N)
CITY = DRAW.choice(["Bonn", "Rome", "Oslo"], N)
LEVEL = {"Bonn": 0.0, "Rome": 1.0, "Oslo": -1.0}
TARGET = np.sin(AGE / 10) + [LEVEL[city] for city in CITY]
KERNEL = "rbf(gamma=0.01)[age] + delta[city]"
MIXED = {"age": AGE, "city": CITY}
X = DRAW.standard_normal((N, 3))


def frame():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"age": AGE, "city": CITY})


def columns(table):
    found = (
        lib.gram_table_column(table, j)
        for j in range(lib.gram_table_cols(table))
    )
    return {text(c.name): text(lib.gram_type_name(c.type)) for c in found}


# ------------------------------------------------------------- typed columns


def test_columns_of_every_kind_get_their_type():
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame(
        {
            "number": [1.5, 2.5],
            "whole": [1, 2],
            "flag": [True, False],
            "nullable": pandas.array([1, 2], dtype="Int64"),
            "words": ["a", "b"],
            "strings": pandas.array(["a", "b"], dtype="string"),
            "levels": pandas.Categorical(["x", "y"]),
            "numbered": pandas.Categorical([3, 4]),
            "when": pandas.to_datetime(["2020-01-01", "2020-01-02 12:00"]),
            "objects": np.array([1, 2.5], object),
        }
    )
    table = as_table(as_rows(data, "X"))
    assert columns(table) == {
        "number": "number",
        "whole": "number",
        "flag": "number",
        "nullable": "number",
        "words": "category",
        "strings": "category",
        "levels": "category",
        "numbered": "category",
        "when": "date",
        "objects": "number",
    }
    when = lib.gram_table_column(table, 8).values
    days = (datetime.date(2020, 1, 1) - datetime.date(1970, 1, 1)).days
    assert [when[0], when[1]] == [days, days + 1.5]


def test_categories_of_numbers_are_categories_and_missing_numbers_missing():
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame(
        {
            "size": pandas.Categorical([10, 20, 10]),
            "flag": pandas.Categorical([True, False, None]),
            "whole": pandas.array([None, 1, 2], dtype="Int64"),
        }
    )
    rows = as_rows(data, "X")
    assert list(rows.cells["size"]) == ["10", "20", "10"]
    assert list(rows.cells["flag"]) == ["1", "0", None]
    assert np.isnan(rows.cells["whole"][0]) and rows.cells["whole"][2] == 2


def test_texts_that_are_all_numbers_are_numbers():
    rows = as_rows([["1.0", "2"], ["3e1", "4"]], "X")
    assert_array_equal(rows, [[1, 2], [30, 4]])


def test_frames_dicts_and_rows_of_mixed_cells_are_the_same():
    K = gram.kernel_matrix(KERNEL, MIXED)
    expected = np.exp(-0.01 * np.subtract.outer(AGE, AGE) ** 2)
    expected += CITY[:, None] == CITY
    assert_allclose(K, expected)
    rows = [[age, city] for age, city in zip(AGE, CITY)]
    by_place = KERNEL.replace("age", "c0").replace("city", "c1")
    for same in (rows, np.array(rows, object), tuple(map(tuple, rows))):
        assert_array_equal(gram.kernel_matrix(by_place, same), K)
    assert_array_equal(gram.kernel_matrix(KERNEL, frame()), K)
    assert_array_equal(gram.kernel_matrix(KERNEL, frame().iloc[:, ::-1]), K)
    assert_array_equal(
        gram.kernel_matrix(KERNEL, frame()[:5], MIXED), K[:5]
    )


def test_estimators_take_them_and_keep_the_names():
    model = gram.KernelRegressor(KERNEL, lam=0.01).fit(frame(), TARGET)
    assert list(model.feature_names_in_) == ["age", "city"]
    assert model.n_features_in_ == 2
    expected = model.predict(frame())
    assert_allclose(expected, TARGET, atol=0.2)
    assert_array_equal(model.predict(MIXED), expected)
    with pytest.warns(UserWarning, match="valid feature names"):
        values = model.predict(frame().to_numpy())
    assert_array_equal(values, expected)
    with pytest.raises(ValueError, match="order|missing"):
        model.predict(frame().iloc[:, ::-1])
    with pytest.raises(ValueError, match="X: .*\n.*missing:\n- city"):
        model.predict({"age": AGE})
    with pytest.warns(UserWarning), pytest.raises(
        ValueError, match="X: .* expecting 2 features"
    ):
        model.predict(X)
    again = gram.KernelRegressor(KERNEL, lam=0.01).fit(MIXED, TARGET)
    assert_array_equal(again.predict(frame()), expected)
    assert not hasattr(
        gram.KernelRegressor(lam=0.1).fit(X, TARGET), "feature_names_in_"
    )


def test_targets_keep_their_names():
    pandas = pytest.importorskip("pandas")
    model = gram.KernelRegressor(KERNEL, lam=0.1)
    model.fit(frame(), pandas.Series(TARGET, name="rent"))
    assert model.report_.target == ("rent",)
    two = pandas.DataFrame({"a": TARGET, "age": AGE})
    model.fit(frame(), two)
    assert model.report_.target == ("a", "age_")
    assert model.predict(MIXED).shape == (N, 2)


def test_a_category_that_was_not_there_is_like_no_other():
    model = gram.KernelRegressor("delta[city]", lam=0.01, intercept=False)
    model.fit(MIXED, TARGET)
    assert_allclose(model.predict({"age": [30.0], "city": ["Lima"]}), 0)


def test_models_of_named_columns_are_matched_by_name(tmp_path):
    model = gram.KernelRegressor(KERNEL, lam=0.01).fit(frame(), TARGET)
    model.save(tmp_path / "m.gram")
    again = gram.load(tmp_path / "m.gram")
    wide = {"other": AGE, "city": CITY, "age": AGE}
    assert_array_equal(again.predict(wide), model.predict(frame()))
    with pytest.raises(ValueError, match='"age"'):
        again.predict({"city": CITY})


def test_files_and_builtin_data_are_columns(tmp_path):
    data = gram.read("builtin:mixed", missing="drop")
    rent = data.pop("rent")
    data.pop("note")
    assert data["available"].dtype.kind == "M"
    assert data["district"].dtype == object
    model = gram.KernelRegressor("linear + delta[district]", lam=1.0)
    assert model.fit(data, rent).score(data, rent) > 0.8
    (tmp_path / "t.csv").write_text("a,b,when\n1,x,2020-01-02\n,y,\n3,,")
    data = gram.read(tmp_path / "t.csv")
    assert_array_equal(data["a"], [1, np.nan, 3])
    assert list(data["b"]) == ["x", "y", None]
    assert data["when"][0] == np.datetime64("2020-01-02")
    assert np.isnat(data["when"][1:]).all()
    block = gram.read("builtin:sparse")
    assert any(sparse.issparse(column) for column in block.values())
    with pytest.raises(ValueError, match="missing = 'maybe', must be one of"):
        gram.read(tmp_path / "t.csv", missing="maybe")
    with pytest.raises(OSError, match="nowhere"):
        gram.read("nowhere.csv")


# ----------------------------------------------------------------- bad input


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize(
    "x, error, sentence",
    [
        (X[0], ValueError, "X: Expected 2D array, got 1D"),
        (X[None], ValueError, "X: Found array with dim 3"),
        (X[:0], ValueError, "X: Found array with 0 sample"),
        (X[:, :0], ValueError, "X: Found array with 0 feature"),
        (3.0, ValueError, "X: Expected 2D array, got scalar"),
        (X * 1j, ValueError, "X: Complex data not supported"),
        (np.where(X > 2, np.nan, X), ValueError, "X contains NaN"),
        (np.where(X > 2, np.inf, X), ValueError, "X contains infinity"),
        ([[1.0], [2.0, 3.0]], ValueError, "X: "),
        ([[{}]] * N, TypeError, 'X: column "c0", row 1: a dict'),
        ([[object()]] * N, TypeError, "X: .* a object"),
        ([[1j, "a"]] * N, TypeError, "X: .* a complex"),
        ([[None, "a"]] * N, ValueError, 'X: row 1, column "c0": .* missing'),
        ({"a": AGE, "b": AGE[:3]}, ValueError, 'X: column "b": has 3 rows'),
        ({"a": X}, ValueError, 'X: column "a": an array of 2 dimensions'),
        ({"a": AGE * 1j}, TypeError, 'X: column "a": has type complex'),
        ({"a": []}, ValueError, r"X: 0 sample\(s\)"),
        ({}, ValueError, r"X: 0 sample\(s\)"),
        ({"a\0b": AGE}, ValueError, "X: .* null character"),
        ({"a": ["x\0y"] * N}, ValueError, "X: .* null character"),
        (np.zeros((N, 1), "S3"), TypeError, "X: has type .S3"),
        (np.zeros((N, 1), "M8[s]"), TypeError, "X: has type datetime64"),
        (np.ma.masked_greater(X, 2), ValueError, "X contains NaN"),
        (sparse.csr_matrix(X * np.nan), ValueError, "X contains NaN"),
        (None, ValueError, "X: "),
        ("text", ValueError, "X: "),
    ],
)
def test_bad_rows_are_named(x, error, sentence):
    for model in (gram.KernelRegressor(), gram.KernelRidge()):
        with pytest.raises(error, match=sentence) as caught:
            model.fit(x, TARGET)
        assert isinstance(caught.value, gram.GramError)
        assert not hasattr(model, "machine_")
    fitted = gram.KernelRidge().fit(X, TARGET)
    with pytest.raises((ValueError, TypeError)):
        fitted.predict(x)


@pytest.mark.parametrize(
    "y, sentence",
    [
        (TARGET[:-1], "y: 39 rows, must be 40, as X has"),
        (np.zeros((N, 2, 2)), "y: "),
        (np.full(N, np.nan), "y contains NaN"),
        (CITY, "y: "),
        (None, "y: .* requires y"),
        (3.0, "y: "),
        (np.zeros((N, 0)), "y: "),
    ],
)
def test_bad_targets_are_named(y, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence) as caught:
        gram.KernelRegressor().fit(X, y)
    assert isinstance(caught.value, gram.GramError)


@pytest.mark.parametrize(
    "weights, sentence",
    [
        (np.ones(3), "sample_weight"),
        (-np.ones(N), "sample_weight.*[Nn]egative"),
        (np.full(N, np.nan), "sample_weight.*NaN"),
        (np.ones((N, 2)), "sample_weight"),
        (np.zeros(N), "weight"),
    ],
)
def test_bad_weights_are_named(weights, sentence):
    with pytest.raises(ValueError, match=sentence):
        gram.KernelRegressor().fit(X, TARGET, weights)


@pytest.mark.parametrize(
    "options, error, sentence",
    [
        ({"kernel": "rfb"}, ValueError, "did you mean"),
        ({"kernel": 3}, TypeError, "kernel: a int, must be a text"),
        ({"kernel": "rbf - linear"}, ValueError, "not positive semidefinite"),
        ({"kernel": "linear[age]"}, ValueError, "age"),
        ({"loss": "hinge"}, ValueError, "loss = 'hinge'"),
        ({"lam": -1}, ValueError, "lam = -1"),
        ({"lam": "x"}, ValueError, "lambda"),
        ({"lam": object()}, TypeError, "lam: a object, must be a number"),
        ({"lam": True}, TypeError, "lam: a bool"),
        ({"select": "magic"}, ValueError, "select = 'magic', must be one of"),
        ({"scale": None}, ValueError, "scale = None, must be one of"),
        ({"solver": "magic"}, ValueError, "magic"),
        ({"precision": "half"}, ValueError, "precision = 'half'"),
        ({"folds": 1}, ValueError, "folds = 1, must be at least 2"),
        ({"folds": 2.5}, TypeError, "folds: a float"),
        ({"n_jobs": 0}, ValueError, "n_jobs = 0, must be at least 1"),
        ({"random_state": "a"}, TypeError, "random_state: a str"),
        ({"memory": 1000}, MemoryError, ""),
        ({"memory": -1}, ValueError, "memory = -1"),
        ({"steps": -1}, ValueError, "steps = -1"),
        ({"tolerance": "x"}, TypeError, "tolerance: a str"),
        ({"tolerance": -1.0}, ValueError, "tolerance = -1"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(options, error, sentence):
    with pytest.raises(error, match=sentence) as caught:
        gram.KernelRegressor(**options).fit(X, TARGET)
    assert isinstance(caught.value, gram.GramError)


@pytest.mark.parametrize(
    "alpha, error, sentence",
    [
        (-1.0, ValueError, "alpha"),
        (np.ones(3), ValueError, "alpha: of shape"),
        ("much", TypeError, "alpha: a str"),
        (np.full(N, np.nan), ValueError, "alpha"),
    ],
)
def test_bad_noise_is_named(alpha, error, sentence):
    with pytest.raises(error, match=sentence):
        gram.GaussianProcessRegressor(alpha=alpha).fit(X, TARGET)


def test_layout_and_type_of_arrays_do_not_matter():
    model = gram.KernelRegressor("rbf(gamma=0.5)", lam=0.1).fit(X, TARGET)
    expected = model.predict(X)
    wide = np.zeros((2 * N, 9))
    wide[::2, ::3] = X
    frozen = X.copy()
    frozen.flags.writeable = False
    for same in (
        np.asfortranarray(X),
        wide[::2, ::3],
        X[::-1].copy()[::-1],
        X.astype(">f8"),
        frozen,
        X.tolist(),
        X.astype(object),
    ):
        assert_array_equal(model.predict(same), expected)
        again = gram.KernelRegressor("rbf(gamma=0.5)", lam=0.1)
        assert_array_equal(again.fit(same, TARGET).predict(X), expected)
    for near in (np.float32, np.float16):
        low = X.astype(near)
        assert_array_equal(model.predict(low), model.predict(low.astype(float)))


def test_arrays_are_not_changed_and_contiguous_ones_not_copied(monkeypatch):
    before = X.copy()
    copies = []
    array = np.array

    def watched(data, *args, **kwargs):
        if isinstance(data, np.ndarray) and data.ndim == 2:
            copies.append(data.shape)
        return array(data, *args, **kwargs)

    monkeypatch.setattr("gram._core.table.np.array", watched)
    for same in (X, X.astype(np.float32), np.asfortranarray(X), X[::2, 1:]):
        gram.kernel_matrix("linear", same)
    assert copies == []
    gram.kernel_matrix("linear", X.astype(np.int32))
    assert copies == [X.shape]
    assert_array_equal(X, before)


# ---------------------------------------------------------------------- fuzz


@pytest.mark.skipif(
    os.environ.get("GRAM_TEST_SIZE") != "long", reason="a minute: size long"
)
@pytest.mark.filterwarnings("ignore")
def test_whatever_is_handed_over_is_taken_or_refused_in_words():
    hypothesis = pytest.importorskip("hypothesis")
    from hypothesis import strategies as some
    from hypothesis.extra import numpy as arrays

    dtypes = some.one_of(
        arrays.boolean_dtypes(),
        arrays.integer_dtypes(endianness="?"),
        arrays.floating_dtypes(endianness="?"),
        arrays.complex_number_dtypes(),
        arrays.datetime64_dtypes(),
        arrays.unicode_string_dtypes(max_len=3),
        some.just(np.dtype(object)),
    )
    shapes = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5)

    @hypothesis.settings(
        max_examples=15000,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(
        dtypes.flatmap(
            lambda dtype: arrays.arrays(
                dtype,
                shapes,
                elements=(
                    some.one_of(
                        some.none(), some.floats(), some.text(max_size=2),
                        some.integers(), some.binary(max_size=1),
                    )
                    if dtype == object
                    else None
                ),
            )
        ),  # fmt: skip
        some.sampled_from(["rbf", "linear", "delta", "rbf(ard) + linear[c0]"]),
        some.booleans(),
    )
    def hand_over(array, kernel, reverse):
        if reverse and array.ndim:
            array = array[::-1]
        for call in (
            lambda: gram.kernel_matrix("linear", array, array),
            lambda: gram.KernelRegressor(kernel, n_jobs=1).fit(
                array, np.arange(len(array))
            ).predict(array),
            lambda: gram.KernelFeatures("linear").fit_transform(array),
            lambda: gram.KernelRidge().fit(X, TARGET).predict(array),
            lambda: gram.KernelRidge().fit(X[: len(array)], array),
            lambda: gram.SVC().fit(X[: len(array)], array).predict(X),
            lambda: gram.SVC(n_jobs=1).fit(array, np.arange(len(array)) % 2),
            lambda: gram.Kernel("linear").product(X, array),
            lambda: gram.Kernel("linear").spectrum(array),
            lambda: gram.Function("linear", X, array),
            lambda: gram.mmd_test(array, X, n_jobs=1, permutations=20),
            lambda: gram.hsic_test(array, TARGET, n_jobs=1, permutations=20),
            lambda: gram.group_test(X, array, n_jobs=1, permutations=20),
            lambda: gram.herd(array, 1, n_jobs=1),
            lambda: gram.wasserstein(array, TARGET),
        ):
            try:
                call()
            except (ValueError, TypeError) as error:
                assert str(error)

    hand_over()
