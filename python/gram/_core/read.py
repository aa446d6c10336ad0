"""Files that the library reads, as NumPy arrays, one per column."""
from __future__ import annotations

import os
from typing import Any, Iterator, Optional, Union

import numpy as np

from ._gram import ffi, lib
from .library import Running, choice, make, path_of, struct, text


def _values(column: Any, rows: int) -> np.ndarray:
    return np.frombuffer(ffi.buffer(column.values, 8 * rows)).copy()


def _dates(column: Any, rows: int) -> np.ndarray:
    milliseconds = np.round(_values(column, rows) * 86400e3)
    missing = np.isnan(milliseconds)
    milliseconds[missing] = 0
    dates = milliseconds.astype("datetime64[ms]")
    dates[missing] = np.datetime64("NaT")
    return dates


def _texts(column: Any, rows: int) -> np.ndarray:
    levels = [text(column.levels[i]) for i in range(column.level_count)]
    codes = np.frombuffer(ffi.buffer(column.codes, 4 * rows), np.intc)
    return np.array([*levels, None], object)[codes]


def _sparse(column: Any, rows: int) -> Any:
    from scipy.sparse import csr_matrix

    start = np.array(ffi.unpack(column.start, rows + 1), np.intp)
    count = int(start[-1])
    index = np.array(ffi.unpack(column.index, count) if count else [], np.intp)
    data = np.array(ffi.unpack(column.entries, count) if count else [])
    return csr_matrix((data, index, start), (rows, column.width))


_COLUMNS = {
    "number": _values,
    "date": _dates,
    "category": _texts,
    "text": _texts,
    "sparse": _sparse,
}


def each_column(table: Any) -> Iterator[Any]:
    """The gram_columns of a gram_table, in order."""
    for j in range(lib.gram_table_cols(table)):
        yield lib.gram_table_column(table, j)


def columns_of(table: Any) -> dict[str, Any]:
    """The columns of a gram_table, by name."""
    rows = lib.gram_table_rows(table)
    made = {}
    for column in each_column(table):
        kind = text(lib.gram_type_name(column.type))
        made[text(column.name)] = _COLUMNS[kind](column, rows)
    return made


def read(
    path: Union[str, "os.PathLike[str]"],
    types: Optional[str] = None,
    missing: str = "keep",
) -> dict[str, Any]:
    """Read the columns of a file, or of a data set inside the library.

    Parameters
    ----------
    path
        A file in a format of docs/manual/formats.md (CSV, LIBSVM, .npy, ...),
        or a data set such as ``"builtin:iris"``.
    types
        Types of columns that are not to be found from their cells, as in
        ``"age=number,city=category,when=date"``.
    missing
        What to do with missing cells: ``"keep"`` them as NaN, None or NaT,
        ``"refuse"`` them, ``"drop"`` their rows, fill them with the ``"mean"``
        of the column, or add an ``"indicator"`` column as well.

    Examples
    --------
    The result is a dict of columns, by name.  Without the target it is an X for
    estimators:

    >>> data = read("builtin:iris")
    >>> list(data)[:2], len(data["petal_length"])
    (['sepal_length', 'sepal_width'], 150)
    """
    options = {
        "types": types,
        "missing": choice("gram_missing", "missing", missing),
    }
    table = make(
        lib.gram_table_read,
        lib.gram_table_free,
        path_of(path),
        struct("gram_read_options", options),
        Running().exec,
    )
    return columns_of(table)
