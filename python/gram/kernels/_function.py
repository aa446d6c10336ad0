"""Functions in the space of a kernel."""
from __future__ import annotations

from typing import Any, Union

import numpy as np

from .._core._gram import ffi, lib
from .._core.errors import GramTypeError, GramValueError
from .._core.library import Running, check, check_rows, doubles, make
from .._core.table import as_array, as_rows, as_table
from ._kernel import Kernel


class Function:
    """A function f = sum_i alpha_i k(x_i, .) in the space of the kernel k.

    >>> f = Function("rbf(gamma=0.5)", [[0.0], [2.0]], [1.0, -1.0])
    >>> f([[0.0], [1.0]])
    array([0.86466472, 0.        ])

    The inner product with k(x, .) is the value at x: <f, k(x, .)> = f(x).

    >>> at_one = Function("rbf(gamma=0.5)", [[0.0]], [1.0])
    >>> bool(f.inner(at_one) == f([[0.0]])[0])
    True
    """

    def __init__(
        self, kernel: Union[str, Kernel], X: Any, alpha: Any, threads: int = 0
    ) -> None:
        rows = as_rows(X, "X")
        alpha = np.ascontiguousarray(as_array(alpha, "alpha"), np.float64)
        if alpha.shape != (rows.shape[0],):
            raise GramValueError(
                f"alpha: of shape {alpha.shape}, must be {rows.shape[0]} "
                "numbers, one per row of X"
            )
        self.kernel = Kernel(kernel)
        self._running = Running(threads)
        self._handle = make(
            lib.gram_function_new,
            lib.gram_function_free,
            self.kernel._handle,
            as_table(rows),
            doubles(alpha),
            self._running.exec,
        )

    @classmethod
    def mean(
        cls, kernel: Union[str, Kernel], X: Any, threads: int = 0
    ) -> Function:
        """The mean embedding m of the rows of X: <f, m> is the mean of f over
        these rows, for every f in the space of the kernel.

        >>> Function.mean("linear", [[1.0], [3.0]])([[10.0]])
        array([20.])
        """
        rows = as_rows(X, "X")
        count = rows.shape[0]
        return cls(kernel, rows, np.full(count, 1 / max(count, 1)), threads)

    def __call__(self, X: Any) -> np.ndarray:
        """f at the rows of X."""
        rows = as_rows(X, "X")
        out, run = np.empty(rows.shape[0]), self._running.exec
        values = lib.gram_function_values
        check_rows(values(self._handle, as_table(rows), run, doubles(out)))
        return out

    def inner(self, other: Function) -> float:
        """The inner product <f, g> with a function g of the same kernel."""
        if not isinstance(other, Function):
            raise GramTypeError(
                f"other: a {type(other).__name__}, must be a Function"
            )
        out, run = ffi.new("double *"), self._running.exec
        check(lib.gram_function_inner(self._handle, other._handle, run, out))
        return float(out[0])

    def norm(self) -> float:
        """The norm of f, the root of <f, f>."""
        return float(np.sqrt(max(0.0, self.inner(self))))
