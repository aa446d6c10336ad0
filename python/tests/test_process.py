"""Beside other code in one process: signals, threads, forks, other BLAS."""
import multiprocessing
import os
import signal
import subprocess
import sys
import threading

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gram

DRAW = np.random.default_rng(3)
X = DRAW.standard_normal((300, 4))
Y = np.sin(X).sum(1)


def fit_and_predict(seed=0):
    model = gram.KernelRegressor("rbf(gamma=0.5)", random_state=seed)
    return model.fit(X, Y).predict(X)


def in_child(_):
    values = fit_and_predict()
    return len(os.listdir("/proc/self/task")), values


# ------------------------------------------------------------------- signals


def test_an_interrupt_stops_a_fit_and_leaves_nothing_behind():
    rows = DRAW.standard_normal((3000, 8))
    model = gram.KernelRegressor("rbf(ard)")
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(rows, np.sin(rows[:, 0]))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not hasattr(model, "machine_")
    model.set_params(kernel="rbf(gamma=0.5)")
    assert model.fit(X, Y).score(X, Y) > 0.9


def test_an_interrupt_stops_a_choice_on_folds():
    rows = DRAW.standard_normal((6000, 8))
    model = gram.KernelClassifier("rbf", loss="hinge", C=[1, 10, 100])
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(rows, rows[:, 0] * rows[:, 1] > 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not hasattr(model, "n_features_in_")


def test_what_a_progress_bar_raises_ends_the_fit():
    def full(_):
        raise OSError("the terminal is full")

    rows = DRAW.standard_normal((3000, 8))
    running = gram._core.library.Running(tell=full)
    table = gram._core.table.as_table(rows)
    gram._core.machine.add_role(table, "y", np.sin(rows[:, 0]), "target", "y")
    with pytest.raises(OSError, match="the terminal is full"):
        gram._core.machine.Machine.fit(table, {"kernel": "rbf(ard)"}, running)


# ------------------------------------------------------------------- threads


def test_two_threads_fit_two_models_at_the_same_time():
    rows = DRAW.standard_normal((2000, 8))
    target = np.sin(rows[:, 0])
    meet = threading.Barrier(2, timeout=60)
    made = {}

    def fit(name, gamma):
        met = []

        def tell(_):
            if not met:
                met.append(meet.wait())  # both are inside the library now

        table = gram._core.table.as_table(rows)
        gram._core.machine.add_role(table, "y", target, "target", "y")
        options = {"kernel": f"rbf(gamma={gamma})", "lambda": "0.1"}
        running = gram._core.library.Running(1, tell=tell)
        machine = gram._core.machine.Machine.fit(table, options, running)
        made[name] = machine.report.amplitude[0]

    threads = [threading.Thread(target=fit, args=(g, g)) for g in (0.1, 0.2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for gamma in (0.1, 0.2):
        model = gram.KernelRegressor(f"rbf(gamma={gamma})", lam=0.1, n_jobs=1)
        assert made[gamma] == model.fit(rows, target).report_.amplitude[0]


def test_many_threads_predict_with_one_model():
    model = gram.KernelRegressor("rbf(gamma=0.5)", lam=0.1).fit(X, Y)
    expected = model.predict(X)
    found = joblib.Parallel(4, backend="threading")(
        joblib.delayed(model.predict)(X) for _ in range(12)
    )
    for values in found:
        assert_array_equal(values, expected)


# --------------------------------------------------------------------- forks


def test_a_forked_child_runs_on_one_thread_and_does_not_hang():
    expected = fit_and_predict()  # starts the threads of the parent
    fork = multiprocessing.get_context("fork")
    with fork.Pool(2) as pool:
        for threads, values in pool.map_async(in_child, range(4)).get(60):
            # those of the pool itself are no more than its main thread
            assert threads == 1
            assert_array_equal(values, expected)


def test_a_child_of_a_parent_with_threads_of_others_does_not_hang():
    code = (
        "import os, numpy, gram; from sklearn.cluster import KMeans;"
        "X = numpy.random.default_rng(0).normal(size=(600, 4));"
        "KMeans(2, n_init=1).fit(X); child = os.fork();"
        "child or gram.SVC().fit(X, X[:, 0] > 0);"
        "child or os._exit(len(os.listdir('/proc/self/task')));"
        "print(os.WEXITSTATUS(os.waitpid(child, 0)[1]) > 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], timeout=60, stdout=subprocess.PIPE
    )
    assert done.stdout.strip() == b"True"


@pytest.mark.parametrize("backend", ["multiprocessing", "loky"])
def test_joblib_workers_give_the_same_bits(backend):
    expected = fit_and_predict()
    model = gram.KernelRegressor("rbf(gamma=0.5)")
    fitted = joblib.Parallel(2, backend=backend, timeout=60)(
        joblib.delayed(model.fit)(X, Y) for _ in range(3)
    )
    for one in fitted:
        assert_array_equal(one.predict(X), expected)


# --------------------------------------------------------------- other code


def said(code):
    return subprocess.run(
        [sys.executable, "-c", code], check=True, stdout=subprocess.PIPE
    ).stdout.decode()


def test_the_package_needs_numpy_alone_until_an_estimator_is_used():
    heavy = "{'sklearn', 'scipy', 'pandas', 'joblib', 'tqdm'} & {*sys.modules}"
    # some tools look so at all modules, those that have moved too
    looks = "for m in [*sys.modules.values()]: hasattr(m, '__file__')"
    code = f"import sys, gram\n{looks}\nprint({heavy})"
    assert said(code).strip() == "set()"
    code = f"import sys, gram; gram.KernelRidge; print('sklearn' in {heavy})"
    assert said(code).strip() == "True"


def test_names_that_are_not_there_are_said_so():
    with pytest.raises(AttributeError, match="no attribute 'KernelRigde'"):
        gram.KernelRigde
    assert set(gram.__all__) <= set(dir(gram))


def test_blas_keeps_its_core_whoever_comes_first():
    core = "print(gram.doctor().blas_core)"
    first = said(f"import gram; {core}")
    assert said(f"import numpy, scipy.linalg, gram; {core}") == first
    command = os.environ.get("GRAM")
    if command:
        done = subprocess.run(
            [command, "doctor", "--json"], check=True, stdout=subprocess.PIPE
        )
        assert f'"{first.strip()}"' in done.stdout.decode()


def test_the_doctor_tells_core_threads_and_versions():
    found = gram.doctor()
    assert found.gram == gram.__version__
    assert found.threads == len(os.sched_getaffinity(0))
    assert found.beside["numpy"] == np.__version__
    assert found.gemm is None
    for word in ("blas_core", "GiB", "sklearn"):
        assert word in str(found)
