"""What all estimators share: checks of data, running, fitted machines.

They follow the conventions of scikit-learn and use its checks of arrays; each
error begins with the name of the argument.
"""
from __future__ import annotations

import os
from typing import Any, Callable, Optional, TypeVar, Union

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning, EfficiencyWarning
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from .._core.errors import GramTypeError, GramValueError, GramWarning, warn
from .._core.library import Running, choice, number_text, seed_of, threads_of
from .._core.machine import (
    MATRIX,
    Cell,
    Machine,
    Report,
    add_role,
    matrix_table,
)
from .._core.progress import progress
from .._core.table import (
    Frame,
    Rows,
    as_array,
    as_matrix,
    as_rows,
    as_table,
    check_sparse,
    free_name,
    is_dataframe,
    is_sparse,
    names_of,
    position_names,
)
from ..kernels._kernel import Kernel

Path = Union[str, "os.PathLike[str]"]
KernelSpec = Union[str, Kernel, Any]
# fit() returns what it is called on.
Fitted = TypeVar("Fitted", bound="MachineEstimator")
_FLOATS = [np.float64, np.float32]
# What a model does with missing cells, if it takes rows that have some.
_FILLED = (
    choice("gram_missing", "missing", "drop"),
    choice("gram_missing", "missing", "mean"),
    choice("gram_missing", "missing", "indicator"),
)
# Predictions that do not need k(x, x) of new rows, which no matrix has.
_OF_MATRICES = {"mean", "label", "proba", "why", "why_part"}


def checked(X: Any, name: str, **options: Any) -> Any:
    """check_array(), with errors that begin with the name of the argument."""
    try:
        return check_array(X, input_name=name, **options)
    except ValueError as error:
        raise GramValueError(f"{name}: {error}") from error
    except TypeError as error:
        raise GramTypeError(f"{name}: {error}") from error


def positive(value: Any, name: str, zero: bool = False) -> float:
    """Return the value as a float if it is above 0, or, if `zero`, 0 itself."""
    number = float(number_text(value, name))
    if not (0 < number < np.inf or (zero and number == 0)):
        least = "at least 0" if zero else "positive"
        raise GramValueError(f"{name} = {value}, must be {least}")
    return number


def lambda_text(lam: Any) -> str:
    """lam as a text that the library reads: a number, candidates or "auto"."""
    if isinstance(lam, str):
        return lam
    if isinstance(lam, (list, tuple, np.ndarray)):
        return f"?[{','.join(repr(positive(x, 'lam')) for x in lam)}]"
    return repr(positive(lam, "lam", zero=True))


def one_column(y: np.ndarray) -> np.ndarray:
    """y with one dimension; if it is a column, with a warning."""
    try:
        return column_or_1d(y, warn=True)
    except ValueError as error:
        raise GramValueError(f"y: {error}") from error


def per_row(values: Any, name: str, rows: int) -> np.ndarray:
    """Return the values as an array, if they are one number per row of X."""
    numbers = checked(values, name, dtype=np.float64, ensure_2d=False)
    if numbers.shape != (rows,):
        raise GramValueError(
            f"{name}: of shape {numbers.shape}, must be a number or {rows} of "
            "them, one per row of X"
        )
    return numbers


class Estimator(BaseEstimator):
    """What all estimators share: rows as input, and how a call runs.

    A subclass has the parameter n_jobs, and may have random_state and memory.

    Attributes
    ----------
    n_features_in_ : int
        The number of columns of X in fit.
    feature_names_in_ : array
        The names of these columns, if X has names.
    """

    def _keep(self, arguments: dict[str, Any]) -> None:
        """Store the arguments of __init__, its locals(), as scikit-learn wants
        them: unchanged, as attributes with the names of the parameters."""
        given = {k: v for k, v in arguments.items() if k != "self"}
        self.__dict__.update(given)

    def _running(
        self,
        tell: Optional[Callable[[float], Any]] = None,
        random_state: Any = None,
    ) -> Running:
        if random_state is None:
            random_state = getattr(self, "random_state", None)
        memory = getattr(self, "memory", None)
        threads = threads_of(self.n_jobs)
        return Running(threads, seed_of(random_state), memory or 0, tell)

    def _takes_missing(self) -> bool:
        """May cells be missing, as NaN is in an array?"""
        return False

    def _as_rows(self, X: Any) -> Rows:
        if is_sparse(X):
            check_sparse(X, "X")
            options = {"accept_sparse": "csr", "dtype": _FLOATS}
            return as_matrix(checked(X, "X", **options), "X")
        if not is_dataframe(X) and not isinstance(X, dict):
            array = as_array(X, "X")
            if array.dtype.kind in "mMSV":
                return as_matrix(array, "X")
            if array.dtype.kind not in "OU" or array.ndim != 2:
                return self._checked_rows(array, dtype=_FLOATS)
        rows = as_rows(X, "X")
        if not isinstance(rows, Frame):
            return self._checked_rows(rows)
        if 0 in rows.shape:
            noun = ("sample", "feature")[rows.shape[0] > 0]
            raise GramValueError(
                f"X: 0 {noun}(s) (shape={rows.shape}) while a minimum of 1 is "
                "required."
            )
        return rows

    def _checked_rows(self, X: Any, **options: Any) -> np.ndarray:
        finite = "allow-nan" if self._takes_missing() else True
        return checked(X, "X", force_all_finite=finite, **options)

    def _take(self, X: Any, reset: bool) -> Rows:
        """Check X; with `reset` its number and names of columns are stored,
        otherwise they must agree with what is stored.  A model from a file has
        none of them stored, and finds the columns that it needs by name."""
        rows = self._as_rows(X)
        if not reset and not hasattr(self, "n_features_in_"):
            return rows
        try:
            self._check_feature_names(
                rows if isinstance(X, dict) else X, reset=reset
            )
            self._check_n_features(rows, reset=reset)
        except ValueError as error:
            raise GramValueError(f"X: {error}") from error
        if isinstance(rows, Frame):
            return rows.renamed(self._column_names())
        if hasattr(self, "feature_names_in_") and not is_sparse(rows):
            columns = rows.T.astype(np.float64)
            return Frame(dict(zip(self._column_names(), columns)))
        return rows

    def _column_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return position_names(self.n_features_in_) if names is None else names

    def _table(self, rows: Rows, sparse: bool) -> Any:
        """The table of the rows, sparse exactly if that of the fit was."""
        if sparse and not is_sparse(rows) and not isinstance(rows, Frame):
            from scipy.sparse import csr_matrix

            rows = csr_matrix(rows)
        elif is_sparse(rows) and not sparse:
            rows = rows.toarray()
        return as_table(rows, "X")


class MachineEstimator(Estimator):
    """An estimator that fits one machine.

    A subclass has the parameters n_jobs and verbose, says which kernel (_spec)
    and which options (_options) to fit with and what y must be (_task,
    _targets), and predicts by _ask().

    Parameters
    ----------
    verbose
        Whether to show a progress bar.

    Attributes
    ----------
    intercept_ : float or array
        The constant b of f; an array with one for each f where several are
        fitted, as for several targets or classes.
    lam_ : float or array
        The lambda of f, or of each f.
    machine_ : Machine
        The fitted machine, which the attributes and methods ask.
    """

    # ------------------------------------------------------- for subclasses

    # The task of its models, and their loss if it is always the same, in the
    # words of gram_report.
    _task = "regression"
    _only = ""

    def _spec(self, rows: Rows) -> Any:
        """The kernel: a text, a Kernel, "precomputed" or a function of two
        arrays."""
        return self.kernel

    def _options(self) -> dict[str, Any]:
        """Members of gram_fit_options, but for the kernel."""
        raise NotImplementedError

    def _task_option(self) -> str:
        """The task as the library's option: it does not follow from y here."""
        return "auto" if self._task == "novelty" else self._task

    def _takes_missing(self) -> bool:
        if hasattr(self, "machine_") and self._is_from_file():
            return self.machine_.report.missing in _FILLED
        return getattr(self, "missing", "refuse") != "refuse"

    def _noise(self, rows: int) -> Optional[np.ndarray]:
        """The known noise variances of the targets, if there are any."""
        return None

    def _given_folds(self, rows: int) -> Optional[np.ndarray]:
        """The fold of each row, if folds were given."""
        return None

    def _matrix_of(self, X: Any, Y: Any) -> Any:
        """The matrix of a kernel that is a function."""
        return self.kernel(X, Y)

    # ------------------------------------------------------------------ fit

    def _prepared(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Any, dict[str, Any]]:
        """The table to fit to, and all members of gram_fit_options."""
        rows = self._take(X, reset=True)
        targets = self._targets(y, rows)
        table, kernel = self._training(rows)
        taken = names_of(rows)
        for name, values in targets.items():
            add_role(table, free_name(name, taken), values, "target", "y")
        weights = self._weights(sample_weight, rows, targets)
        if weights is not None:
            name = free_name("weight", taken)
            add_role(table, name, weights, "weight", "sample_weight")
        noise = self._noise(rows.shape[0])
        if noise is not None:
            name = free_name("noise", taken)
            add_role(table, name, noise, "noise", "alpha")
        task = choice("gram_task", "task", self._task_option())
        options: dict[str, Any] = {"task": task}
        options.update(self._options())
        options.update(kernel)
        folds = self._given_folds(rows.shape[0])
        if folds is not None:
            name = free_name("fold", taken)
            add_role(table, name, folds, "group", "folds")
            options["folds"] = {"given": name}
        return table, options

    def fit(self: Fitted, X: Any, y: Any, sample_weight: Any = None) -> Fitted:
        """Fit to the rows of X and their targets; where several targets are
        possible, y has a column for each."""
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        before = dict(self.__dict__)
        try:
            return self._fit_all(X, y, sample_weight)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _fit_all(self, X: Any, y: Any, sample_weight: Any) -> Any:
        table, options = self._prepared(X, y, sample_weight)
        with progress(self.verbose, type(self).__name__) as tell:
            cells: list[Cell] = []
            machine = Machine.fit(table, options, self._running(tell), cells)
        self.__dict__.pop("cv_results_", None)
        if cells:
            columns = (np.array(column) for column in zip(*cells))
            self.cv_results_ = dict(zip(("kernel", "lam", "error"), columns))
        self._finish(machine)
        for sentence in machine.report.warnings:
            kind = ConvergenceWarning if "converge" in sentence else GramWarning
            warn(sentence, kind)
        return self

    def _targets(self, y: Any, rows: Rows) -> dict[str, np.ndarray]:
        """The targets by name; stores whether y has one dimension."""
        names = self._target_names(y)
        y = checked(y, "y", dtype=np.float64, ensure_2d=False)
        if not self._get_tags()["multioutput"]:
            y = one_column(y)
        if y.ndim not in (1, 2):
            raise GramValueError(
                f"y: an array of {y.ndim} dimensions, must have 1 or 2"
            )
        self._check_length(y, rows)
        self._flat = y.ndim == 1
        y = y.reshape(len(y), -1)
        if len(set(names)) != y.shape[1]:
            names = [f"y{t}" for t in range(y.shape[1])]
            names = ["y"] if len(names) == 1 else names
        return dict(zip(names, y.T))

    def _target_names(self, y: Any) -> list[str]:
        """The names of the columns of y in pandas; none if y is an array."""
        if y is None:
            raise GramValueError(
                f"y: This {type(self).__name__} estimator requires y to be "
                "passed, but the target y is None."
            )
        names = [str(key) for key in getattr(y, "columns", ())]
        if not names and isinstance(getattr(y, "name", None), str):
            names = [y.name]
        return names

    @staticmethod
    def _check_length(y: np.ndarray, rows: Rows) -> None:
        if len(y) != rows.shape[0]:
            raise GramValueError(
                f"y: {len(y)} rows, must be {rows.shape[0]}, as X has"
            )

    def _weights(
        self, sample_weight: Any, rows: Rows, targets: dict[str, np.ndarray]
    ) -> Optional[np.ndarray]:
        """The weights of the rows; None: all have the weight 1."""
        if sample_weight is None:
            return None
        # which needs X for its number of rows only
        counted = np.empty((rows.shape[0], 0))
        try:
            return _check_sample_weight(
                sample_weight, counted, np.float64, only_non_negative=True
            )
        except ValueError as error:
            raise GramValueError(f"sample_weight: {error}") from error

    def _training(self, rows: Rows) -> tuple[Any, dict[str, Any]]:
        """The table of the rows, and the options that depend on the kernel."""
        spec = self._spec(rows)
        if isinstance(spec, str) and spec == "precomputed":
            what, K = "a precomputed matrix", self._numbers(rows)
            if K.shape[0] != K.shape[1]:
                raise GramValueError(
                    f"X: of shape {K.shape}, Precomputed matrix must be a "
                    "square matrix"
                )
        elif isinstance(spec, (str, Kernel)):
            return as_table(rows, "X"), {"kernel": str(spec)}
        elif callable(spec):
            if isinstance(rows, Frame):
                rows = self._numbers(rows)
            what, K = "a function in Python", self._values(rows, rows)
            self._fitted_rows = rows
        else:
            raise GramTypeError(
                f"kernel: a {type(spec).__name__}, must be a text, a Kernel, "
                '"precomputed" or a function of two arrays'
            )
        warn(
            f"kernel: {what} is slower and needs more memory than a kernel of "
            "gram (gram.Kernel), and gives no standard deviations",
            EfficiencyWarning,
        )
        scale = choice("gram_kernel_scale", "scale", "none")
        return matrix_table(K, True), {"kernel": MATRIX, "scale": scale}

    @staticmethod
    def _numbers(rows: Rows) -> np.ndarray:
        """Rows as an array of numbers."""
        K = rows.toarray() if is_sparse(rows) else rows
        K = K.matrix() if isinstance(K, Frame) else K
        if K is None:
            raise GramTypeError("X: contains columns that are not numbers")
        return K

    def _values(self, rows: Rows, others: Rows) -> np.ndarray:
        """The checked matrix of a kernel that is a function."""
        if isinstance(rows, Frame):
            rows = self._numbers(rows)
        K = checked(self._matrix_of(rows, others), "kernel(X, Y)")
        shape = rows.shape[0], others.shape[0]
        if K.shape != shape:
            raise GramValueError(
                f"kernel(X, Y): of shape {K.shape}, must be {shape}"
            )
        return K

    def _finish(self, machine: Machine) -> None:
        """Set the attributes that a fitted estimator has."""
        report = machine.report
        self.machine_ = machine
        self._flat = self._flat and report.outputs == 1
        self.intercept_ = self._per_target(report.intercept)
        self.lam_ = self._per_target(report.lam)

    def _per_target(self, values: np.ndarray) -> Any:
        return float(values[0]) if self._flat else values

    # ------------------------------------------------------------ prediction

    def _fitted(self) -> Machine:
        check_is_fitted(self, "machine_")
        return self.machine_

    def _new_table(self, X: Any) -> Any:
        machine = self._fitted()
        rows = self._take(X, reset=False)
        if machine.report.kernel != MATRIX:
            kinds = (kind for kind, _ in machine.columns().values())
            return self._table(rows, "sparse" in kinds)
        if hasattr(self, "_fitted_rows"):
            rows = self._values(rows, self._fitted_rows)
        return matrix_table(self._numbers(rows), False)

    def _missing_of_labels(self) -> int:
        drop = self.machine_.report.missing == _FILLED[0]
        return choice("gram_missing", "missing", "refuse" if drop else "auto")

    def _ask(
        self, X: Any, *wanted: str, random_state: Any = None, **options: Any
    ) -> list[np.ndarray]:
        """The members of gram_prediction that are wanted, in this order."""
        table = self._new_table(X)
        if not set(wanted) <= _OF_MATRICES:
            self._refuse_matrix("standard deviations or terms")
        if "label" in wanted:  # a row without a class is not possible
            options.setdefault("missing", self._missing_of_labels())
        running = self._running(random_state=random_state)
        made = self.machine_.predict(table, wanted, running, options)
        return [made[key] for key in wanted]

    def _refuse_matrix(self, what: str) -> None:
        if self.machine_.report.kernel == MATRIX:
            raise GramValueError(
                f"kernel: a precomputed matrix or a function gives no {what}, "
                "use a kernel of gram (gram.Kernel)"
            )

    def _shaped(self, values: np.ndarray) -> np.ndarray:
        return values[:, 0] if self._flat else values

    # ----------------------------------------------------------- what is there

    def plan(self, X: Any, y: Any = None, sample_weight: Any = None) -> Report:
        """What fit would do with these rows, without doing it: the ``solver``,
        the ``selection`` of what is open, ``bytes`` at the peak, ``seconds``
        as a rough guess, and ``others``, the other solvers.

        If the fit would need more memory than there is, a MemoryError says
        what would do with less.
        """
        model = clone(self)
        table, options = model._prepared(X, y, sample_weight)
        return Machine.plan(table, options, model._running())

    def importance(self) -> dict[str, dict[str, float]]:
        """How much columns and terms matter for f over the training rows:
        ``columns`` has the mean squared change of f when the cells of a column
        are shuffled, ``terms`` the mean square of the part of each term of the
        kernel's sum.  Of several functions f it is the first."""
        machine = self._fitted()
        self._refuse_matrix("importance of columns")
        terms, columns = machine.importance(self._running())
        return {
            "columns": dict(zip(machine.column_names(), columns.tolist())),
            "terms": dict(zip(machine.terms(), terms.tolist())),
        }

    def norm(self) -> float:
        """The norm of f, without its intercept, in the space of the kernel."""
        return float(np.sqrt(max(0.0, self.inner(self))))

    def inner(self, other: MachineEstimator) -> float:
        """The inner product of f and the f of another model with the same
        kernel, without their intercepts."""
        if not isinstance(other, MachineEstimator):
            raise GramTypeError(
                f"other: a {type(other).__name__}, must be a fitted estimator "
                "of gram"
            )
        machines = self._fitted(), other._fitted()
        if other is not self:
            self._refuse_matrix("inner products with other functions")
        return machines[0].inner(machines[1], self._running())

    def _is_from_file(self) -> bool:
        """Was the model loaded?  Then the parameters say nothing about it."""
        return hasattr(self, "machine_") and not hasattr(self, "n_features_in_")

    @property
    def report_(self) -> Report:
        """What the fit found: the members of gram_report, in gram.h."""
        return self._fitted().report

    @property
    def kernel_(self) -> Kernel:
        """The kernel with all learned values."""
        return Kernel(self.report_.kernel)

    @property
    def support_(self) -> np.ndarray:
        """The rows of X that f is a sum over: with the squared loss those of
        positive weight, with other losses those with a coefficient."""
        return self._fitted().alpha()[0]

    @property
    def dual_coef_(self) -> np.ndarray:
        """The coefficients alpha of the rows in ``support_``, with which
        f = sum_i alpha_i k(x_i, .) + b."""
        return self._shaped(self._fitted().alpha()[1])

    def save(self, path: Path) -> None:
        """Write the model to a file, which the command gram also reads."""
        machine = self._fitted()
        self._refuse_matrix("model files")
        machine.save(path)

    @classmethod
    def load(cls, path: Path) -> Any:
        """The estimator of a model file, written from Python or by the command.
        Its parameters are the defaults, but it predicts with the model."""
        return cls._of(Machine.load(path), path)

    @classmethod
    def _of(cls, machine: Machine, path: Path) -> Any:
        report = machine.report
        if report.task != cls._task:
            raise GramValueError(
                f"{path}: a model for {report.task}, must be for {cls._task}"
            )
        if not report.loss.startswith(cls._only):
            raise GramValueError(
                f"{path}: loss {report.loss}, must be {cls._only} for "
                f"{cls.__name__}"
            )
        made = cls()
        made._flat = report.outputs == 1
        made._finish(machine)
        return made

    def _more_tags(self) -> dict[str, Any]:
        kernel = getattr(self, "kernel", None)
        pairwise = isinstance(kernel, str) and kernel == "precomputed"
        return {"pairwise": pairwise, "allow_nan": self._takes_missing()}
