"""Are two samples alike?  Are two sets of columns independent?"""
from __future__ import annotations

import warnings
from typing import Any, Optional, Union

import numpy as np

from ._errors import GramValueError, GramWarning
from ._gram import ffi, lib
from ._kernel import Kernel
from ._library import (
    Running,
    check,
    choice,
    doubles,
    fields,
    make,
    seed_of,
    struct,
    threads_of,
    whole,
)
from ._read import columns_of
from ._table import Frame, as_rows, as_table, is_sparse

_STATISTICS = {
    "unbiased": lib.GRAM_TEST_UNBIASED,
    "biased": lib.GRAM_TEST_BIASED,
    "block": lib.GRAM_TEST_BLOCK,
    "linear": lib.GRAM_TEST_LINEAR,
}
_METHODS = {
    "permutation": lib.GRAM_TEST_PERMUTATION,
    "gamma": lib.GRAM_TEST_GAMMA,
    "spectral": lib.GRAM_TEST_SPECTRAL,
    "wild": lib.GRAM_TEST_WILD,
}


def _named(words: dict[str, int], name: str, word: str) -> int:
    if word not in words:
        raise GramValueError(
            f"{name} = {word!r}, must be one of {', '.join(words)}"
        )
    return words[word]


class SampleTest:
    """What a test found: the fields of gram_test_report, in gram.h.

    Attributes
    ----------
    m, n, d : int
        rows of the samples, columns that the kernel looks at.
    statistic, std_error : float
        the estimate, and its standard error (NaN: not computed).
    p_value, alpha : float
        ``reject`` if the first is at most the second.
    kernel, other : str
        with all its numbers; of independence, the kernel of Y.
    statistic_name, method : str
        what was computed, and how the p-value was found.
    permutations, bins, kernels : int
        drawn, of rows, tried.
    rows_needed : float
        of each sample, to see this difference 8 times in 10; NaN: unknown,
        inf: none to be seen.
    seconds, peak_bytes, warnings
        of the test.
    """

    m: int
    n: int
    d: int
    statistic: float
    std_error: float
    p_value: float
    alpha: float
    reject: bool
    kernel: str
    other: Optional[str]
    statistic_name: str
    method: str
    permutations: int
    bins: int
    kernels: int
    rows_needed: float
    seconds: float
    peak_bytes: int
    warnings: tuple[str, ...]

    def __init__(self, handle: Any, running: Running) -> None:
        self._handle = handle
        self._running = running
        found = fields(lib.gram_test_report_get(handle), {})
        found["reject"] = bool(found["reject"])
        self.__dict__.update(found)
        for sentence in self.warnings:
            warnings.warn(sentence, GramWarning, stacklevel=3)

    def __repr__(self) -> str:
        verdict = "reject" if self.reject else "no difference found"
        return (
            f"<gram.SampleTest: {verdict}, p = {self.p_value:.4g},"
            f" statistic = {self.statistic:.4g}>"
        )

    def witness(self, X: Any = None) -> np.ndarray:
        """Large where the first sample is denser: at the rows of X, or at the
        rows that were tested, those of the first sample before the others."""
        table = ffi.NULL if X is None else as_table(as_rows(X, "X"), "X")
        rows = self.m + self.n if X is None else lib.gram_table_rows(table)
        out = np.empty(rows)
        run = self._running.exec
        check(lib.gram_test_witness(self._handle, table, run, doubles(out)))
        return out

    def columns(self) -> dict[str, Any]:
        """The columns by their part in the difference, the largest first:
        ``column``, ``part`` and ``wasserstein``."""
        return columns_of(
            make(
                lib.gram_test_columns,
                lib.gram_table_free,
                self._handle,
                self._running.exec,
            )
        )


def _options(
    kernel: Union[str, Kernel, None], scale: str, **given: Any
) -> dict[str, Any]:
    return {
        "kernel": None if kernel is None else str(Kernel(kernel)),
        "scale": choice("gram_kernel_scale", "scale", scale),
        **given,
    }


def mmd_test(
    X: Any,
    Y: Any,
    kernel: Union[str, Kernel, None] = None,
    *,
    alpha: float = 0.05,
    permutations: int = 1000,
    exact: bool = False,
    aggregate: bool = False,
    sequential: bool = False,
    statistic: str = "unbiased",
    method: str = "permutation",
    split: float = 0.0,
    scale: str = "auto",
    n_jobs: Optional[int] = None,
    random_state: Any = None,
) -> SampleTest:
    """Are the rows of X and Y from the same distribution?

    The maximum mean discrepancy with a p-value by permutation, whose level is
    exact at any size; docs/testing.md has the method and what the options do.

    Examples
    --------
    >>> import numpy as np, gram
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(100, 2)), rng.normal(0.5, size=(100, 2))
    >>> gram.mmd_test(X, Y).reject
    True
    """
    running = Running(threads_of(n_jobs), seed_of(random_state))
    options = _options(
        kernel,
        scale,
        alpha=float(alpha),
        permutations=whole(permutations, "permutations"),
        exact=bool(exact),
        aggregate=bool(aggregate),
        sequential=bool(sequential),
        split=float(split),
        statistic=_named(_STATISTICS, "statistic", statistic),
        method=_named(_METHODS, "method", method),
    )
    handle = make(
        lib.gram_test_samples,
        lib.gram_test_free,
        as_table(as_rows(X, "X"), "X"),
        as_table(as_rows(Y, "Y"), "Y"),
        struct("gram_test_options", options),
        running.exec,
    )
    return SampleTest(handle, running)


def _side(rows: Any, name: str) -> dict[str, Any]:
    """The columns of one side under names of its own."""
    if isinstance(rows, np.ndarray) and rows.ndim == 1:
        rows = rows[:, None]
    rows = as_rows(rows, name)
    if is_sparse(rows):
        raise GramValueError(f"{name}: is sparse, must be dense columns")
    cells = rows.cells.values() if isinstance(rows, Frame) else rows.T
    return {f"{name.lower()}{j}": cell for j, cell in enumerate(cells)}


def hsic_test(
    X: Any,
    Y: Any,
    kernel: Union[str, Kernel, None] = None,
    *,
    alpha: float = 0.05,
    permutations: int = 1000,
    scale: str = "auto",
    n_jobs: Optional[int] = None,
    random_state: Any = None,
) -> SampleTest:
    """Are the columns of X independent of those of Y, row by row?

    The Hilbert-Schmidt independence criterion with a p-value by permutation.

    Examples
    --------
    >>> import numpy as np, gram
    >>> x = np.random.default_rng(0).normal(size=(80, 1))
    >>> gram.hsic_test(x, x**2).reject
    True
    """
    running = Running(threads_of(n_jobs), seed_of(random_state))
    x, y = _side(X, "X"), _side(Y, "Y")
    options = _options(
        kernel,
        scale,
        alpha=float(alpha),
        permutations=whole(permutations, "permutations"),
    )
    handle = make(
        lib.gram_test_independence,
        lib.gram_test_free,
        as_table(as_rows({**x, **y}, "X and Y"), "X and Y"),
        ",".join(x).encode(),
        ",".join(y).encode(),
        struct("gram_test_options", options),
        running.exec,
    )
    return SampleTest(handle, running)
