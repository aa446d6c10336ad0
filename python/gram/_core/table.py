"""Python's data as tables of the library.

The columns of an array are called c0, c1, ..., like those of an .npy file.  A
sparse matrix is one block of columns and stays sparse.  A DataFrame, a dict of
columns and rows of mixed cells become a Frame of typed columns; those of
DataFrames and dicts keep their names.
"""
from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Iterable, Optional

import numpy as np

from ._gram import ffi, lib
from .errors import GramTypeError, GramValueError
from .library import chars, check, make

# The name that the sparse block of an .npz file of SciPy has, too.
_SPARSE = b"features"
_DAY = np.timedelta64(86400 * 10**9, "ns")


def is_sparse(X: Any) -> bool:
    """Is it a sparse matrix or array of SciPy, of any format?"""
    return hasattr(X, "tocsr")


def is_dataframe(X: Any) -> bool:
    """Is it a DataFrame of pandas?"""
    return hasattr(X, "columns") and hasattr(X, "iloc")


class Frame:
    """Typed, named columns: numbers and dates are float64 arrays, categories
    object arrays of texts and None."""

    def __init__(
        self, cells: dict[str, np.ndarray], dates: frozenset = frozenset()
    ) -> None:
        self.cells = cells
        self.dates = dates
        rows = len(next(iter(cells.values()))) if cells else 0
        self.shape = rows, len(cells)

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return list(self.cells)

    def categories(self) -> list[str]:
        """The names of the columns that are categories."""
        return [k for k, v in self.cells.items() if v.dtype == object]

    def renamed(self, names: Iterable[str]) -> Frame:
        """The same columns under other names, in the same order."""
        new = dict(zip(self.cells, names))
        return Frame(
            {new[k]: v for k, v in self.cells.items()},
            frozenset(new[k] for k in self.dates),
        )

    def matrix(self) -> Optional[np.ndarray]:
        """All columns as one array; None unless all are numbers."""
        if self.categories() or self.dates or not self.cells:
            return None
        return np.column_stack(list(self.cells.values()))


# An array, a CSR matrix or a Frame; SciPy has no types.
Rows = Any


# ------------------------------------------------------------------ columns


def _is_missing(cell: Any) -> bool:
    return cell is None or type(cell).__name__ == "NAType" or cell != cell


def cell_text(cell: Any) -> str:
    """A label as the library writes it: numbers without needless digits."""
    if isinstance(cell, str):
        return str(cell)
    if isinstance(cell, Integral):
        return str(int(cell))
    number = float(cell)
    return str(int(number)) if number.is_integer() else repr(number)


def _of_objects(cells: np.ndarray, where: str) -> np.ndarray:
    """A column of Python objects: numbers if all cells are, else texts."""
    kinds = {type(cell) for cell in cells if not isinstance(cell, (Real, str))}
    for i, cell in enumerate(cells):
        if type(cell) in kinds and not _is_missing(cell):
            raise GramTypeError(
                f"{where}, row {i + 1}: a {type(cell).__name__}, the argument "
                "must be a string or a real number"
            )
    missing = [_is_missing(cell) for cell in cells]
    if all(m or isinstance(c, Real) for c, m in zip(cells, missing)):
        return np.array(
            [np.nan if m else float(c) for c, m in zip(cells, missing)]
        )
    out = np.empty(len(cells), object)
    out[:] = [None if m else cell_text(c) for c, m in zip(cells, missing)]
    return out


def as_array(X: Any, name: str) -> np.ndarray:
    """np.asarray(), with errors that begin with the name of the argument;
    masked cells are missing."""
    if isinstance(X, np.ma.MaskedArray) and X.mask.any():
        return np.ma.filled(X.astype(np.float64), np.nan)
    try:
        return np.asarray(X)
    except ValueError as error:
        raise GramValueError(f"{name}: {error}") from error


def _column(values: Any, where: str) -> tuple[np.ndarray, bool]:
    """The cells of a column, and whether they are dates."""
    if type(getattr(values, "dtype", None)).__name__ == "CategoricalDtype":
        cells = np.asarray(values.astype(object))
        texts = [None if _is_missing(c) else cell_text(c) for c in cells]
        return np.array([*texts, None], object)[:-1], False
    cells = as_array(values, where)
    if cells.ndim != 1:
        raise GramValueError(
            f"{where}: an array of {cells.ndim} dimensions, must have 1"
        )
    kind = cells.dtype.kind
    if kind in "fiub":
        return cells.astype(np.float64, copy=False), False
    if kind == "M":
        days = (cells - np.datetime64(0, "s")) / _DAY
        return days.astype(np.float64), True
    if kind in "OU":
        return _of_objects(cells.astype(object), where), False
    raise GramTypeError(
        f"{where}: has type {cells.dtype}, must be numbers, texts or dates"
    )


def _frame(pairs: Iterable[tuple[str, Any]], name: str) -> Frame:
    columns: dict[str, np.ndarray] = {}
    dates = set()
    rows = None
    for key, values in pairs:
        where = f'{name}: column "{key}"'
        if key in columns:
            raise GramValueError(f"{where}: occurs twice")
        columns[key], is_date = _column(values, where)
        if is_date:
            dates.add(key)
        length = len(columns[key])
        rows = length if rows is None else rows
        if length != rows:
            raise GramValueError(
                f"{where}: has {length} rows, must have {rows}, as the first"
            )
    return Frame(columns, frozenset(dates))


def free_name(name: str, taken: set[str]) -> str:
    """A name that is not taken, with underscores added if need be; it is taken
    from then on."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def names_of(rows: Rows) -> set[str]:
    """Names that further columns must not have."""
    if isinstance(rows, Frame):
        return set(rows.columns)
    if is_sparse(rows):
        return {_SPARSE.decode()}
    # the last one is that of the row numbers beside a matrix
    return set(position_names(rows.shape[1] + 1))


def position_names(count: int) -> list[str]:
    """The names of columns that have none: c0, c1, ..."""
    return [f"c{j}" for j in range(count)]


def as_rows(X: Any, name: str) -> Rows:
    """X as a two-dimensional array of real numbers, as a CSR matrix, or, if its
    columns have names or types, as a Frame."""
    if isinstance(X, Frame) or is_sparse(X):
        return X if isinstance(X, Frame) else as_matrix(X, name)
    if is_dataframe(X):
        names = list(X.columns)
        if not all(isinstance(key, str) for key in names):
            names = position_names(len(names))
        return _frame(((k, X.iloc[:, j]) for j, k in enumerate(names)), name)
    if isinstance(X, dict):
        return _frame(((str(k), v) for k, v in X.items()), name)
    array = as_array(X, name)
    if array.dtype.kind in "OU" and array.ndim == 2:
        if array.dtype.kind == "U":
            try:
                return array.astype(np.float64)
            except ValueError:
                pass
        cells = array if array.dtype.kind == "O" else np.array(X, object)
        names = position_names(cells.shape[1])
        frame = _frame(zip(names, cells.T), name)
        matrix = frame.matrix()
        return frame if matrix is None else matrix
    return as_matrix(array, name)


def check_sparse(X: Any, name: str) -> None:
    """Refuse a matrix whose arrays do not fit together, since SciPy would read
    beyond their ends."""
    if getattr(X, "format", "") not in ("csr", "csc"):
        return
    lines = X.shape[0] if X.format == "csr" else X.shape[1]
    starts = np.asarray(X.indptr)
    ascend = len(starts) == lines + 1 and (np.diff(starts) >= 0).all()
    if not ascend or starts[0] != 0:
        raise GramValueError(
            f"{name}: a sparse matrix whose indptr is not {lines + 1} numbers "
            "that ascend from 0"
        )
    if starts[-1] > min(len(X.indices), len(X.data)):
        raise GramValueError(
            f"{name}: a sparse matrix with {starts[-1]} entries by its indptr, "
            f"but {len(X.indices)} indices and {len(X.data)} data"
        )


def as_matrix(X: Any, name: str) -> Any:
    """X as a two-dimensional array of real numbers, or as a CSR matrix."""
    if is_sparse(X):
        check_sparse(X, name)
        X = X.tocsr()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
    else:
        X = as_array(X, name)
    if X.dtype.kind not in "fiub":
        raise GramTypeError(f"{name}: has type {X.dtype}, must be real numbers")
    if X.ndim != 2:
        raise GramValueError(
            f"{name}: an array of {X.ndim} dimensions, must have 2"
        )
    return X


# ------------------------------------------------------------------- tables


def _add_dense(table: Any, X: np.ndarray, name: str) -> None:
    single = X.dtype == np.float32
    # The library takes floats and doubles, any whole number of them apart.
    if (
        not (single or X.dtype == np.float64)
        or not X.flags.aligned
        or any(step < 0 or step % X.itemsize for step in X.strides)
    ):
        single = False
        X = np.array(X, np.float64, order="C")
    add, pointer = (
        (lib.gram_table_add_matrix_single, "float *")
        if single
        else (lib.gram_table_add_matrix, "double *")
    )
    down, across = (step // X.itemsize for step in X.strides)
    values = ffi.cast(pointer, X.ctypes.data)
    check(add(table, values, X.shape[1], down, across), name)


def _add_sparse(table: Any, X: Any, name: str) -> None:
    # SciPy's indices are never negative, so their sign bit does not matter.
    start = X.indptr.astype(np.uintp)
    index = np.ascontiguousarray(X.indices, np.uint32)
    entries = np.ascontiguousarray(X.data, np.float64)
    status = lib.gram_table_add_sparse(
        table,
        _SPARSE,
        X.shape[1],
        ffi.from_buffer("size_t[]", start),
        ffi.from_buffer("unsigned[]", index),
        ffi.from_buffer("double[]", entries),
    )
    check(status, name)


def add_category(table: Any, key: bytes, cells: np.ndarray, name: str) -> None:
    """Add a column of texts; rows of the same level share one string of C."""
    levels: dict[Any, Any] = {None: ffi.NULL}
    for cell in cells:
        if cell not in levels:
            levels[cell] = ffi.new("char[]", chars(cell, f"{name}: the cell"))
    strings = ffi.new("char *[]", [levels[cell] for cell in cells])
    add = lib.gram_table_add_strings
    check(add(table, key, lib.GRAM_TYPE_CATEGORY, strings), name)


def add_numbers(
    table: Any, key: bytes, values: np.ndarray, name: str, date: bool = False
) -> None:
    """Add a column of numbers, or of dates, in days."""
    values = np.ascontiguousarray(values, np.float64)
    add = lib.gram_table_add_dates if date else lib.gram_table_add_numbers
    check(add(table, key, ffi.cast("double *", values.ctypes.data), 1), name)


def as_table(X: Rows, name: str = "X") -> Any:
    """A gram_table of rows from as_rows()."""
    table = make(lib.gram_table_new, lib.gram_table_free, X.shape[0])
    if isinstance(X, Frame):
        for key, cells in X.cells.items():
            raw = chars(key, f"{name}: the column name")
            if cells.dtype == object:
                add_category(table, raw, cells, name)
            else:
                add_numbers(table, raw, cells, name, key in X.dates)
    elif is_sparse(X):
        _add_sparse(table, X, name)
    else:
        _add_dense(table, X, name)
    return table
