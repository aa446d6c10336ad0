"""Tests of whether samples have the same distribution, and of independence."""
from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from .._core._gram import ffi, lib
from .._core.docs import described
from .._core.errors import GramTypeError, GramValueError, warn
from .._core.library import (
    Running,
    chars,
    check,
    check_rows,
    choice,
    doubles,
    fields,
    make,
    number_text,
    seed_of,
    share,
    struct,
    threads_of,
    whole,
)
from .._core.read import columns_of
from .._core.table import (
    Frame,
    add_category,
    as_array,
    as_rows,
    as_table,
    cell_text,
    free_name,
    is_sparse,
    names_of,
)
from ..kernels._kernel import Kernel, of_one_kind

def _rows_of(X: Any, name: str) -> Any:
    """Rows as as_rows() takes them; an array of one dimension is a column."""
    if not is_sparse(X) and not isinstance(X, dict) and np.ndim(X) == 1:
        X = as_array(X, name)[:, None]
    return as_rows(X, name)


class SampleTest:
    """What a test found: the members of gram_test_report, in gram.h.

    Attributes
    ----------
    m, n, d : int
        The rows of the two samples, and the columns that the kernel uses.
    statistic, std_error : float
        The estimate, and its standard error, NaN if it was not computed.
    p_value, alpha, reject
        The p-value, the level, and whether the first is at most the second.
    kernel, other : str
        The kernel with all its numbers; in a test of independence ``other`` is
        that of Y.
    statistic_name, method : str
        Which statistic was computed, and where the p-value comes from.
    permutations, bins, kernels : int
        How many permutations were drawn, bins permuted, kernels tried.
    rows_needed : float
        How many rows of each sample would show this difference 8 times in 10;
        NaN if that is not known, inf if there is no difference.
    seconds, peak_bytes, warnings
        The time and memory that the test took, and what to know about it.
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
            warn(sentence)

    def __repr__(self) -> str:
        seen = "difference" if self.other is None else "dependence"
        verdict = "reject" if self.reject else f"no {seen} found"
        return (
            f"<gram.SampleTest: {verdict}, p = {self.p_value:.4g},"
            f" statistic = {self.statistic:.4g}>"
        )

    def __getstate__(self) -> dict[str, Any]:
        """Pickles have the report; witness() and columns() need the rows."""
        return {**self.__dict__, "_handle": None, "_running": None}

    def _alive(self) -> Any:
        if self._handle is None:
            raise GramValueError(
                "the test was pickled, and pickles do not have its rows"
            )
        return self._handle

    def witness(self, X: Any = None) -> np.ndarray:
        """The witness function, large where the first sample is denser, at the
        rows of X, or by default at the rows that were tested, the first sample
        before the second."""
        handle = self._alive()
        table = ffi.NULL if X is None else as_table(_rows_of(X, "X"), "X")
        rows = self.m + self.n if X is None else lib.gram_table_rows(table)
        out = np.empty(rows)
        run = self._running.exec
        check_rows(lib.gram_test_witness(handle, table, run, doubles(out)))
        return out

    def columns(self) -> dict[str, Any]:
        """The columns by their part in the difference, the largest first, as a
        dict of ``column`` (names), ``part`` and ``wasserstein`` (distances)."""
        return columns_of(
            make(
                lib.gram_test_columns,
                lib.gram_table_free,
                self._alive(),
                self._running.exec,
            )
        )


def kernel_text(kernel: Union[str, Kernel, None]) -> Optional[str]:
    """A kernel as a text; None leaves it to the library."""
    return None if kernel is None else str(Kernel(kernel))


def options_of(
    kernel: Union[str, Kernel, None],
    scale: str,
    alpha: float,
    permutations: int,
    **given: Any,
) -> Any:
    """A gram_test_options."""
    return struct(
        "gram_test_options",
        {
            "kernel": kernel_text(kernel),
            "scale": choice("gram_kernel_scale", "scale", scale),
            "alpha": share(alpha, "alpha"),
            "permutations": whole(permutations, "permutations", 1),
            **given,
        },
    )


@described()
def mmd_test(
    X: Any,
    Y: Any,
    kernel: Union[str, Kernel, None] = None,
    *,
    alpha: float = 0.05,
    permutations: int = 1000,
    exact: bool = False,
    bins: int = 0,
    aggregate: bool = False,
    sequential: bool = False,
    statistic: str = "unbiased",
    method: str = "permutation",
    split: float = 0.0,
    dependence: float = 0.0,
    scale: str = "auto",
    n_jobs: Optional[int] = None,
    random_state: Any = None,
) -> SampleTest:
    """Are the rows of X and Y from the same distribution?

    This tests the maximum mean discrepancy (MMD) of two samples, by default by
    permutation, whose level is exact for any number of rows;
    docs/manual/testing.md has the method.

    Parameters
    ----------
    X, Y
        The samples, as kernel_matrix() takes them, with the same columns.
    kernel
        A text or a Kernel; None: ``"rbf"``.  Numbers that are left open follow
        from the median distance of all rows.
    alpha
        The level of the test: how often equal distributions are rejected.
    permutations
        The number of permutations.
    exact
        Whether to permute single rows, not bins of rows.
    bins
        How many bins of rows to permute; 0: 256.  They cost no more than one
        pass over the kernel.
    aggregate
        Whether to test ten widths of two kernels together, at the same level,
        so that none has to be chosen.
    sequential
        Whether to stop as soon as the decision is certain.
    statistic
        ``"unbiased"``, ``"biased"``, or ``"block"`` and ``"linear"``, whose
        cost is proportional to the number of rows.
    method
        Where the p-value comes from: ``"permutation"``; ``"gamma"`` or
        ``"spectral"``, for many rows; or ``"wild"``, for rows in the order of
        time that depend on their neighbours.
    split
        The share of the rows that choose the width of the kernel, while the
        others test; 0: none.
    dependence
        For ``method="wild"``: how many rows in succession depend on each other;
        0: 20.

    Examples
    --------
    >>> import numpy as np, gram
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(100, 2)), rng.normal(0.5, size=(100, 2))
    >>> gram.mmd_test(X, Y).reject
    True
    """
    running = Running(threads_of(n_jobs), seed_of(random_state))
    options = options_of(
        kernel,
        scale,
        alpha,
        permutations,
        exact=bool(exact),
        bins=whole(bins, "bins"),
        aggregate=bool(aggregate),
        sequential=bool(sequential),
        split=float(number_text(split, "split")),
        statistic=choice("gram_test_statistic", "statistic", statistic),
        method=choice("gram_test_method", "method", method),
        dependence=float(number_text(dependence, "dependence")),
    )
    a, b = of_one_kind(_rows_of(X, "X"), _rows_of(Y, "Y"), "Y")
    handle = make(
        lib.gram_test_samples,
        lib.gram_test_free,
        as_table(a, "X"),
        as_table(b, "Y"),
        options,
        running.exec,
        name="X, Y",
    )
    return SampleTest(handle, running)


def _side(rows: Any, name: str) -> dict[str, Any]:
    """The columns of one side under new names: x0, x1, ... or y0, y1, ..."""
    rows = _rows_of(rows, name)
    if is_sparse(rows):
        raise GramValueError(f"{name}: a sparse matrix, must be dense")
    cells = rows.cells.values() if isinstance(rows, Frame) else rows.T
    return {f"{name.lower()}{j}": cell for j, cell in enumerate(cells)}


@described(mmd_test)
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

    This tests the Hilbert-Schmidt independence criterion (HSIC) by permutation.

    Parameters
    ----------
    X, Y
        The columns of the two sides, with the same number of rows.
    kernel
        A text or a Kernel, which is used on both sides, with numbers of its own
        on each; None: ``"rbf"``.

    Examples
    --------
    >>> import numpy as np, gram
    >>> x = np.random.default_rng(0).normal(size=(80, 1))
    >>> gram.hsic_test(x, x**2).reject
    True
    """
    running = Running(threads_of(n_jobs), seed_of(random_state))
    x, y = _side(X, "X"), _side(Y, "Y")
    options = options_of(kernel, scale, alpha, permutations)
    handle = make(
        lib.gram_test_independence,
        lib.gram_test_free,
        as_table(as_rows({**x, **y}, "X and Y"), "X and Y"),
        ",".join(x).encode(),
        ",".join(y).encode(),
        options,
        running.exec,
    )
    return SampleTest(handle, running)


@described(mmd_test)
def group_test(
    X: Any,
    groups: Any,
    kernel: Union[str, Kernel, None] = None,
    *,
    alpha: float = 0.05,
    permutations: int = 1000,
    scale: str = "auto",
    n_jobs: Optional[int] = None,
    random_state: Any = None,
) -> dict[str, Any]:
    """Which groups of the rows of X differ?  Every pair of them is tested.

    The result is a dict of columns with one entry per pair: ``a``, ``b``,
    ``rows_a``, ``rows_b``, ``statistic``, ``p_value``, ``p_holm`` (with Holm's
    correction for the number of pairs) and ``reject``.

    Parameters
    ----------
    X
        The rows of all groups.
    groups
        The group of each row, a number or a text.

    Examples
    --------
    >>> import numpy as np, gram
    >>> X = np.random.default_rng(0).normal(size=(150, 2))
    >>> X[100:] += 1
    >>> found = gram.group_test(X, ["a"] * 50 + ["b"] * 50 + ["c"] * 50)
    >>> [(a, b) for a, b, r in zip(found["a"], found["b"], found["reject"]) if r]
    [('a', 'c'), ('b', 'c')]
    """
    running = Running(threads_of(n_jobs), seed_of(random_state))
    rows = as_rows(X, "X")
    labels = as_array(groups, "groups")
    if labels.shape != (rows.shape[0],):
        raise GramValueError(
            f"groups: of shape {labels.shape}, must be {rows.shape[0]} texts "
            "or numbers, one per row of X"
        )
    table = as_table(rows, "X")
    texts = np.array([cell_text(label) for label in labels], object)
    name = chars(free_name("group", names_of(rows)), "groups")
    add_category(table, name, texts, "groups")
    found = columns_of(
        make(
            lib.gram_test_groups,
            lib.gram_table_free,
            table,
            name,
            options_of(kernel, scale, alpha, permutations),
            running.exec,
        )
    )
    found["reject"] = np.asarray(found["reject"]).astype(bool)
    return found


@described(mmd_test)
def herd(
    X: Any,
    count: int,
    kernel: Union[str, Kernel, None] = None,
    *,
    scale: str = "auto",
    n_jobs: Optional[int] = None,
) -> tuple[np.ndarray, float]:
    """Choose a few rows of X that stand for all of them (kernel herding).

    The result is the numbers of the chosen rows, the best first, and the
    maximum mean discrepancy between them and all rows.  Each next row is the
    one at which the mean of k(x, .) over all rows exceeds the mean over the
    rows chosen so far the most.

    Parameters
    ----------
    X
        The rows to choose from.
    count
        How many rows to choose.

    Examples
    --------
    >>> import numpy as np, gram
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1]])
    >>> rows, distance = gram.herd(X, 2, "rbf(gamma=1)")
    >>> sorted(rows.tolist())
    [1, 3]
    """
    rows = np.empty(whole(count, "count", 1), np.uintp)
    distance = ffi.new("double *")
    check_rows(
        lib.gram_herd(
            as_table(as_rows(X, "X"), "X"),
            chars(kernel_text(kernel) or "rbf", "kernel"),
            choice("gram_kernel_scale", "scale", scale),
            len(rows),
            Running(threads_of(n_jobs)).exec,
            ffi.from_buffer("size_t[]", rows),
            distance,
        )
    )
    return rows.astype(np.intp), float(distance[0])


def wasserstein(x: Any, y: Any) -> float:
    """The Wasserstein distance of two samples of numbers: the integral of
    |F - G|, the difference of their distribution functions.

    >>> wasserstein([0.0, 1.0], [2.0, 3.0])
    2.0
    """
    samples = []
    for name, values in (("x", x), ("y", y)):
        numbers = as_array(values, name)
        if numbers.ndim != 1 or numbers.dtype.kind not in "fiub":
            raise GramTypeError(
                f"{name}: {numbers.ndim} dimensions of type {numbers.dtype}, "
                "must be 1 of real numbers"
            )
        samples.append(np.ascontiguousarray(numbers, np.float64))
    (a, b), out = samples, ffi.new("double *")
    check(lib.gram_wasserstein(doubles(a), len(a), doubles(b), len(b), out))
    return float(out[0])
