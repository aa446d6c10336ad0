"""Fitted machines, on which the estimators are built."""
from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any, Optional, Union

import numpy as np

from ._gram import ffi, lib
from .library import (
    Running,
    chars,
    check,
    check_rows,
    choice,
    doubles,
    fields,
    keep_raised,
    make,
    path_of,
    new_array,
    struct,
    text,
)
from .read import columns_of, each_column
from .table import add_category, add_numbers, as_table

# The kernel that looks up values which Python has computed: see build_gram.py.
MATRIX = "python_matrix"
# The lengths of arrays in a report; the others have `outputs` entries.
_COUNTS = {
    "target": "targets",
    "class_name": "classes",
    "class_order": "classes",
}
# Types of predictions that are not doubles.
_KINDS = {"label": np.intc, "why": np.uintp}
# Members whose names are keywords of Python.
_NAMES = {"lambda": "lam"}
# The number of lambdas of a path, where none are given.
_LAMBDAS = 50

check(lib.gram_python_register(MATRIX.encode()))


def task_of(loss: str) -> Optional[str]:
    """The task of a loss: "regression", "classification" or "novelty"; None if
    there is no such loss."""
    name = loss.partition("(")[0].strip()
    found = lib.gram_python_task(chars(name, "loss"))
    return text(found) if found else None


def add_role(
    table: Any, key: str, values: np.ndarray, role: str, name: str
) -> None:
    """Add a column of targets, weights, noise variances or groups; a target of
    texts has classes."""
    raw = chars(key, f"{name}: the column name")
    add: Any = add_category if values.dtype == object else add_numbers
    add(table, raw, values, name)
    value = choice("gram_role", "role", role)
    check(lib.gram_table_set_role(table, raw, value), name)


def matrix_table(K: np.ndarray, train: bool) -> Any:
    """A table for the kernel MATRIX: the kernel values of each row with the
    training rows, and its number among these, -1 for new rows."""
    place = np.arange(len(K)) if train else np.full(len(K), -1)
    return as_table(np.column_stack([K, place]), "K")


# A kernel and a lambda that were tried on folds, and their error.
Cell = tuple[str, float, float]


@ffi.def_extern(onerror=keep_raised)
def gram_python_found(user: Any, kernel: Any, lam: float, error: float) -> None:
    """Append a cell to the list of the caller."""
    ffi.from_handle(user).append((text(kernel), lam, error))


class Report(SimpleNamespace):
    """The members of a struct of gram.h, such as gram_report, as attributes."""


class Machine:
    """A gram_machine, and its report."""

    __slots__ = ("_handle", "_prepared", "report")

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        # the options of the last prediction, and the gram_predictor for them
        self._prepared: Optional[tuple[dict[str, Any], Any]] = None
        found = fields(lib.gram_machine_report(handle), _COUNTS, "outputs")
        self.report = Report(
            **{_NAMES.get(key, key): value for key, value in found.items()}
        )

    @classmethod
    def fit(
        cls,
        table: Any,
        options: dict[str, Any],
        running: Running,
        cells: Optional[list[Cell]] = None,
    ) -> Machine:
        """Fit to a table with targets; the options are the members of
        gram_fit_options.  What is tried on folds is appended to `cells`."""
        made = struct("gram_fit_options", options)
        handle = ffi.new_handle(cells)
        if cells is not None:
            made.found, made.cell_user = lib.gram_python_found, handle
        fit, free = lib.gram_machine_fit, lib.gram_machine_free
        return cls(make(fit, free, table, made, running.exec))

    @staticmethod
    def plan(table: Any, options: dict[str, Any], running: Running) -> Report:
        """What a fit would do, without doing it."""
        out = ffi.new("gram_plan *")
        made = struct("gram_fit_options", options)
        check_rows(lib.gram_machine_plan(table, made, running.exec, out))
        return Report(**fields(out, {}))

    @staticmethod
    def path(
        table: Any,
        options: dict[str, Any],
        lams: Optional[np.ndarray],
        running: Running,
    ) -> dict[str, np.ndarray]:
        """The criteria for every lambda, as arrays of lambdas by targets."""
        targets = sum(
            column.role == lib.GRAM_ROLE_TARGET for column in each_column(table)
        )
        count = _LAMBDAS if lams is None else len(lams)
        rows = ffi.new("gram_path_row[]", count * targets)
        best = ffi.new("size_t[]", 3 * targets)
        check_rows(
            lib.gram_machine_path(
                table,
                struct("gram_fit_options", options),
                ffi.NULL if lams is None else doubles(lams),
                count,
                running.exec,
                rows,
                best,
            )
        )
        names = [key for key, _ in ffi.typeof("gram_path_row").fields]
        values = np.frombuffer(ffi.buffer(rows)).reshape(count, targets, -1)
        return {
            _NAMES.get(key, key): values[:, :, i]
            for i, key in enumerate(names)
        }

    @classmethod
    def load(cls, path: Union[str, os.PathLike]) -> Machine:
        """Read a model file."""
        load, free = lib.gram_machine_load, lib.gram_machine_free
        return cls(make(load, free, path_of(path), Running().exec))

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Write a model file."""
        running = Running()
        check(
            lib.gram_machine_save(self._handle, path_of(path), running.exec)
        )

    @classmethod
    def unpack(cls, data: bytes) -> Machine:
        """Read the bytes of a model file."""
        return cls(
            make(
                lib.gram_machine_unpack,
                lib.gram_machine_free,
                ffi.from_buffer(data),
                len(data),
                Running().exec,
            )
        )

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        where, length = ffi.new("void **"), ffi.new("size_t *")
        pack = lib.gram_machine_pack
        check(pack(self._handle, Running().exec, where, length))
        memory = ffi.gc(where[0], lib.gram_memory_free)
        return Machine.unpack, (bytes(ffi.buffer(memory, length[0])),)

    def save_libsvm(self, path: Union[str, os.PathLike]) -> None:
        """Write a model file for LIBSVM."""
        raw, run = path_of(path), Running().exec
        options = ffi.new("gram_libsvm_options *")
        check(lib.gram_machine_save_libsvm(self._handle, raw, options, run))

    def update(
        self, table: Any, remove: Optional[np.ndarray], running: Running
    ) -> Machine:
        """A machine with more rows, or without some of its rows."""
        gone = ffi.NULL
        if remove is not None:
            gone = ffi.from_buffer("unsigned char[]", remove)
        update, free = lib.gram_machine_update, lib.gram_machine_free
        run = running.exec
        return Machine(make(update, free, self._handle, table, gone, run))

    def inner(self, other: Machine, running: Running) -> float:
        """The inner product of two functions, without their intercepts."""
        out = ffi.new("double *")
        inner = lib.gram_machine_inner
        check(inner(self._handle, other._handle, running.exec, out))
        return float(out[0])

    def importance(self, running: Running) -> tuple[np.ndarray, np.ndarray]:
        """How much each term and each column contributes to f."""
        terms = np.empty(lib.gram_machine_terms(self._handle))
        columns = np.empty(self.report.d)
        importance = lib.gram_machine_importance
        run = running.exec
        check(importance(self._handle, run, doubles(terms), doubles(columns)))
        return terms, columns

    def columns(self) -> dict[str, tuple[str, int]]:
        """The types and widths of the columns that the kernel uses, by name."""
        return {
            text(c.name): (text(lib.gram_type_name(c.type)), c.width)
            for c in each_column(lib.gram_machine_table(self._handle))
        }

    def kept(self) -> dict[str, Any]:
        """The columns that the kernel uses, of the rows that are kept."""
        return columns_of(lib.gram_machine_table(self._handle))

    def alpha(self) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of the training rows that are kept, and their
        coefficients, with one column per output."""
        count = lib.gram_table_rows(lib.gram_machine_table(self._handle))
        rows = np.empty(count, np.uintp)
        alpha = np.empty((count, self.report.outputs))
        row = ffi.from_buffer("size_t[]", rows)
        alpha_of = lib.gram_machine_alpha
        check(alpha_of(self._handle, Running().exec, row, doubles(alpha)))
        return rows.astype(np.intp), alpha

    def column_names(self) -> list[str]:
        """The names of the columns that the kernel uses, including those in a
        sparse block."""
        column = lib.gram_machine_column
        return [text(column(self._handle, j)) for j in range(self.report.d)]

    def terms(self) -> list[str]:
        """The terms of the kernel's outermost sum."""
        handle = self._handle
        count = lib.gram_machine_terms(handle)
        return [text(lib.gram_machine_term(handle, i)) for i in range(count)]

    def predict(
        self,
        table: Any,
        wanted: tuple[str, ...],
        running: Running,
        options: Optional[dict[str, Any]] = None,
    ) -> dict[str, np.ndarray]:
        """The members of gram_prediction that are wanted."""
        options = options or {}
        rows = lib.gram_table_rows(table)
        terms = lib.gram_machine_terms(self._handle)
        why = options.get("why", 0)
        widths = {
            "label": 1,
            "proba": self.report.classes,
            "terms": terms,
            "terms_std": terms,
            "why": why,
            "why_part": why,
        }
        arrays = {
            key: np.empty(
                (rows, widths.get(key, self.report.outputs)),
                _KINDS.get(key, np.float64),
            )
            for key in wanted
        }
        types = dict(ffi.typeof("gram_prediction").fields)
        out = ffi.new(
            "gram_prediction *",
            {
                key: ffi.cast(types[key].type, array.ctypes.data)
                for key, array in arrays.items()
            },
        )
        predictor = self._predictor(options, running)
        check_rows(
            lib.gram_predictor_run(predictor, table, running.exec, out)
        )
        return arrays

    def _predictor(self, options: dict[str, Any], running: Running) -> Any:
        """The gram_predictor for these options, kept for the next call."""
        prepared = self._prepared
        if prepared is None or prepared[0] != options:
            machine = self._handle

            def free(predictor: Any, keep: Any = machine) -> None:
                # `keep`: the machine must outlive the predictor
                lib.gram_predictor_free(predictor)

            prepared = dict(options), make(
                lib.gram_predictor_new,
                free,
                machine,
                struct("gram_predict_options", options),
                running.exec,
            )
            self._prepared = prepared
        return prepared[1]

    def covariance(
        self, table: Any, target: int, running: Running
    ) -> np.ndarray:
        """The joint covariance of f at the rows."""
        rows = lib.gram_table_rows(table)
        C = new_array((rows, rows), np.float64, running)
        check_rows(
            lib.gram_machine_covariance(
                self._handle, table, target, running.exec, doubles(C), rows
            )
        )
        return C

    def sample(
        self, table: Any, count: int, noise: bool, running: Running
    ) -> np.ndarray:
        """Draws of f at the rows, or of new measurements, one column each."""
        out = np.empty((lib.gram_table_rows(table), count))
        check_rows(
            lib.gram_machine_sample(
                self._handle, table, count, noise, running.exec, doubles(out)
            )
        )
        return out
