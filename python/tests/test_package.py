"""What others get: examples that run, a wheel, an installation without a
network, and type hints."""
import doctest
import importlib
import inspect
import os
import pickle
import re
import subprocess
import sys
import venv
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gram
from gram._core import docs, former

PYTHON = Path(__file__).parents[1]
# A room imports modules of its own and of those named here.
SEES = {
    "_core": set(),
    "kernels": {"_core"},
    "samples": {"_core", "kernels"},
    "estimators": {"_core", "kernels"},
}
EXAMPLES = sorted((PYTHON.parent / "examples/python").glob("*.py"))
BUILD = Path(gram.__file__).parents[2]
MODULES = [
    "gram",
    "gram.kernels._certificate",
    "gram.estimators._classification",
    "gram.estimators._compare",
    "gram._core.doctor",
    "gram.samples._drift",
    "gram.estimators._features",
    "gram.kernels._function",
    "gram.kernels._kernel",
    "gram.estimators._load",
    "gram.estimators._nusvm",
    "gram.estimators._process",
    "gram.estimators._quantile",
    "gram._core.read",
    "gram.estimators._regression",
    "gram.samples._testing",
    "gram.estimators._svm",
]


@pytest.mark.parametrize("room", SEES)
def test_a_room_imports_from_those_before_it(room):
    for path in (PYTHON / "gram" / room).glob("*.py"):
        seen = re.findall(r"^ *from \.\.(\w+)", path.read_text(), re.M)
        assert set(seen) <= SEES[room], path.name


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0 and result.failed == 0


def test_examples_in_the_readme(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    readme = str(PYTHON / "README.md")
    result = doctest.testfile(readme, module_relative=False)
    assert result.attempted > 0 and result.failed == 0


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_gallery_runs(path, tmp_path):
    done = subprocess.run(
        [sys.executable, str(path)],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(BUILD / "python"),
            "MPLBACKEND": "Agg",
            "MPLCONFIGDIR": str(tmp_path),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return
    assert (tmp_path / f"{path.stem}.png").stat().st_size > 1000


def test_a_kernel_shows_its_certificate_in_a_notebook():
    shown = gram.Kernel("rbf*linear")._repr_html_()
    assert "certified" in shown and "Schur" in shown
    shown = gram.Kernel('linear["<a>"] - rbf')._repr_html_()
    assert "refuted" in shown and "&lt;a&gt;" in shown


X = np.linspace(0, 6, 30)[:, None]
Y = np.sin(X[:, 0])
FITTED = [
    gram.KernelRegressor(gram.Kernel("rbf(gamma=?)")).fit(X, Y),
    gram.KernelRidge(kernel="rbf").fit(X, Y),
    gram.GaussianProcessRegressor().fit(X, Y),
    gram.QuantileRegressor(kernel="rbf(gamma=1)", lam=0.1).fit(X, Y),
    gram.KernelClassifier("rbf(gamma=1)", lam=0.1).fit(X, Y > 0),
    gram.GaussianProcessClassifier("rbf(gamma=1)").fit(X, Y > 0),
    gram.SVC().fit(X, Y > 0),
    gram.SVR().fit(X, Y),
    gram.OneClassSVM().fit(X),
    gram.NuSVC().fit(X, Y > 0),
    gram.NuSVR().fit(X, Y),
    gram.KernelFeatures().fit(X),
]
FOUND = [
    gram.mmd_test(X, X + 1),
    gram.Kernel("rbf*linear").certificate(),
    gram.doctor(),
    FITTED[0].report_,
    gram.GramValueError("rbf: gamma = -1, must be positive"),
]


DESCRIBED = [
    *(type(model) for model in FITTED),
    gram.mmd_test,
    gram.hsic_test,
    gram.group_test,
    gram.herd,
    gram.Drift,
]


@pytest.mark.parametrize("thing", DESCRIBED, ids=lambda thing: thing.__name__)
def test_every_parameter_is_described_once(thing):
    described = docs.entries(thing.__doc__, "Parameters")
    assert [*described] == [*inspect.signature(thing).parameters]
    lines = thing.__doc__.splitlines()
    for entry in described.values():
        assert lines.count(entry.split("\n")[0]) == 1


@pytest.mark.parametrize(
    "model", FITTED, ids=lambda model: type(model).__name__
)
def test_every_attribute_of_a_fit_is_described(model):
    left = {k for k in vars(model) if k.endswith("_") and not k.startswith("_")}
    described = docs.entries(type(model).__doc__, "Attributes")
    assert left <= {*described}
    several = "estimators_", "cv_results_"  # of several classes, of folds
    later = "feature_names_in_", "coef_"  # of names, of a linear kernel
    assert all(hasattr(model, k) for k in {*described} - {*several, *later})


@pytest.mark.parametrize(
    "thing", FITTED + FOUND, ids=lambda thing: type(thing).__name__
)
def test_pickles_of_former_versions_load(thing):
    data = pickle.dumps(thing, 0)  # names of modules in lines of their own
    now = re.compile(rb"^cgram[._a-z]*$", re.M)
    for name in former.FORMER:
        again = pickle.loads(now.sub(b"cgram." + name.encode(), data))
        assert type(again) is type(thing)
    for method in ("predict", "transform"):
        if hasattr(thing, method):
            expected = getattr(thing, method)(X)
            assert_array_equal(getattr(again, method)(X), expected)


@pytest.fixture(name="backend")
def _backend(monkeypatch):
    monkeypatch.syspath_prepend(PYTHON)
    return importlib.import_module("backend")


def test_a_python_that_can_build_needs_no_other(backend, monkeypatch):
    assert backend.builder() == sys.executable
    assert backend.get_requires_for_build_wheel() == []
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert backend.builder() in (backend.DEBIAN, None)


def test_what_is_missing_to_build_is_said_in_a_sentence(
    backend, monkeypatch, tmp_path
):
    monkeypatch.setattr(backend, "DEBIAN", "/bin/false")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert backend.get_requires_for_build_wheel() == backend.NEEDS
    with pytest.raises(SystemExit) as caught:
        backend.build_wheel(tmp_path)
    said = str(caught.value)
    assert "\n" not in said and "-m pip install" in said
    assert all(need in said for need in backend.NEEDS)


@pytest.mark.skipif(
    os.environ.get("GRAM_TEST_SIZE") != "long", reason="slow: size long"
)
def test_a_wheel_installs_without_a_network(tmp_path):
    def run(*words):
        done = subprocess.run(
            [str(word) for word in words],
            cwd=tmp_path,
            env={
                "PATH": f"{tmp_path}/bin:{os.environ['PATH']}",
                "GRAM_BUILD": str(BUILD),
                "PIP_NO_INDEX": "1",
                "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    (tmp_path / "bin").mkdir()
    for name in ("python", "python3", "pip"):  # the first on the PATH
        fake = tmp_path / "bin" / name
        fake.write_text("#!/bin/sh\nexit 1\n")
        fake.chmod(0o755)
    home = tmp_path / "env"
    venv.create(home, system_site_packages=True, with_pip=True)
    python = home / "bin/python"
    pip = (python, "-m", "pip")
    options = ("--no-deps",)
    run(*pip, "wheel", *options, "-w", tmp_path / "wheels", PYTHON)
    (wheel,) = (tmp_path / "wheels").glob("gram-*.whl")
    assert "abi3" in wheel.name
    for what in (wheel, PYTHON):
        run(*pip, "install", *options, "--force-reinstall", what)
        code = (
            "import gram; print(gram.__file__); "
            "print(gram.KernelRidge().fit([[1.0]], [1.0]).predict([[2.0]]))"
        )
        said = run(python, "-c", code).split("\n")
        assert said[0].startswith(str(home)) and said[1] == "[1.]"
    assert (Path(said[0]).parent / "py.typed").exists()
