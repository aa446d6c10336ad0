"""Arrays of Python as tables of the library.

The columns of a dense array are called c0, c1, ..., as those of an .npy file;
a sparse matrix is one block of columns, and stays sparse.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import GramTypeError, GramValueError
from ._gram import ffi, lib
from ._library import check, make

# The name of the sparse block in a file of scipy.sparse.save_npz, too.
_SPARSE = b"features"


def is_sparse(X: Any) -> bool:
    """Is it a sparse matrix or array of SciPy, of any format?"""
    return hasattr(X, "tocsr")


def as_matrix(X: Any, name: str) -> Any:
    """X as a two-dimensional array of real numbers, or as a CSR matrix."""
    if is_sparse(X):
        X = X.tocsr()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
    else:
        X = np.asarray(X)
    if X.dtype.kind not in "fiub":
        raise GramTypeError(f"{name}: has type {X.dtype}, must be real numbers")
    if X.ndim != 2:
        raise GramValueError(
            f"{name}: an array of {X.ndim} dimensions, must have 2"
        )
    return X


def _add_dense(table: Any, X: np.ndarray) -> None:
    single = X.dtype == np.float32
    # The library takes floats and doubles, in steps forward of whole numbers.
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
    check(add(table, values, X.shape[1], down, across))


def _add_sparse(table: Any, X: Any) -> None:
    # scipy never has negative indices, so signed and unsigned are the same.
    start = X.indptr.astype(np.uintp)
    index = np.ascontiguousarray(X.indices, np.uint32)
    entries = np.ascontiguousarray(X.data, np.float64)
    check(
        lib.gram_table_add_sparse(
            table,
            _SPARSE,
            X.shape[1],
            ffi.from_buffer("size_t[]", start),
            ffi.from_buffer("unsigned[]", index),
            ffi.from_buffer("double[]", entries),
        )
    )


def as_table(X: Any) -> Any:
    """A gram_table of what as_matrix() gives."""
    table = make(lib.gram_table_new, lib.gram_table_free, X.shape[0])
    if is_sparse(X):
        _add_sparse(table, X)
    else:
        _add_dense(table, X)
    return table
