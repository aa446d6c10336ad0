"""Drift: do new batches of rows still resemble those before?"""
from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Optional, Union

from .._core._gram import ffi, lib
from .._core.docs import described
from .._core.library import (
    Running,
    check_rows,
    fields,
    make,
    seed_of,
    threads_of,
)
from .._core.table import as_rows, as_table
from ..kernels._kernel import Kernel
from ._testing import mmd_test, options_of


@described(mmd_test)
class Drift:
    """Watch whether batches of rows, as they come, still resemble a reference.

    Each batch is compared with all rows before it, and a bet is placed on each
    p-value.  As long as nothing changes, the chance that a stake of 1 ever
    becomes 1/alpha is at most alpha, however long one watches.

    Parameters
    ----------
    reference
        Rows as they should be.
    alpha
        The greatest chance of a false alarm, however long one watches.

    Examples
    --------
    >>> import numpy as np, gram
    >>> rng = np.random.default_rng(0)
    >>> drift = gram.Drift(rng.normal(size=(200, 2)))
    >>> drift.add(rng.normal(size=(50, 2))).alarm
    False
    >>> [drift.add(rng.normal(1, size=(50, 2))).alarm for _ in range(5)][-1]
    True
    """

    def __init__(
        self,
        reference: Any,
        kernel: Union[str, Kernel, None] = None,
        *,
        alpha: float = 0.05,
        permutations: int = 1000,
        scale: str = "auto",
        n_jobs: Optional[int] = None,
        random_state: Any = None,
    ) -> None:
        self._running = Running(threads_of(n_jobs), seed_of(random_state))
        self._handle = make(
            lib.gram_drift_new,
            lib.gram_drift_free,
            as_table(as_rows(reference, "reference"), "reference"),
            options_of(kernel, scale, alpha, permutations),
            self._running.exec,
            name="reference",
        )

    def add(self, batch: Any) -> SimpleNamespace:
        """Compare the next batch of rows; the result has its number ``batch``,
        its ``rows``, ``statistic`` and ``p_value``, the ``evidence`` (what the
        bets have made of a stake of 1), and ``alarm``: whether this batch or
        one before it gave an alarm."""
        out = ffi.new("gram_drift_report *")
        table = as_table(as_rows(batch, "batch"), "batch")
        add, run = lib.gram_drift_add, self._running.exec
        check_rows(add(self._handle, table, run, out), "batch")
        found = fields(out, {})
        return SimpleNamespace(**{**found, "alarm": bool(found["alarm"])})
