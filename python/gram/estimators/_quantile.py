"""Quantile regression."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import d2_pinball_score

from .._core.docs import described
from .._core.library import share
from .._core.machine import Machine
from ._base import KernelSpec
from ._tuned import Tuned


@described()
class QuantileRegressor(RegressorMixin, Tuned):
    """Regression of quantiles with any kernel.

    f minimises sum_i w_i V(y_i, f(x_i)) + lam |f|^2, where an error r = y - f
    costs tau r if it is positive and (tau - 1) r if it is negative.  Several
    quantiles are predicted so that they do not cross.

    Parameters
    ----------
    quantile
        tau, between 0 and 1, or a list of them, which gives a column for each,
        the smallest first.

    Attributes
    ----------
    quantiles_ : array
        The values of tau, one per column.

    Examples
    --------
    >>> import numpy as np
    >>> from gram import QuantileRegressor
    >>> X = np.linspace(0, 6, 100)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.3 * np.cos(41 * X[:, 0])
    >>> model = QuantileRegressor([0.1, 0.9], kernel="rbf(gamma=1)", lam=0.1)
    >>> band = model.fit(X, y).predict(X)
    >>> inside = (band[:, 0] < y) & (y < band[:, 1])
    >>> bool(0.7 < inside.mean() < 0.9)
    True
    """

    _only = "quantile"

    def __init__(
        self,
        quantile: Any = 0.5,
        *,
        kernel: KernelSpec = "rbf",
        lam: Any = "auto",
        select: str = "auto",
        scale: str = "auto",
        intercept: bool = True,
        solver: str = "auto",
        folds: Any = 5,
        allow_indefinite: bool = False,
        tolerance: float = 0.0,
        steps: int = 0,
        memory: Optional[int] = None,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
    ) -> None:
        self._keep(locals())

    def _loss(self) -> str:
        if np.ndim(self.quantile) == 0:
            return f"quantile(tau={share(self.quantile, 'quantile')!r})"
        taus = [repr(share(tau, "quantile")) for tau in self.quantile]
        return f"quantile(tau=[{','.join(taus)}])"

    def _finish(self, machine: Machine) -> None:
        super()._finish(machine)
        # as in "quantile(tau=[0.1,0.9])", where the default is left out
        given = machine.report.loss.partition("tau=")[2].strip("[]()") or "0.5"
        self.quantiles_ = np.array([float(tau) for tau in given.split(",")])

    def predict(self, X: Any) -> np.ndarray:
        """The quantiles at the rows of X; several have a column each."""
        return self._shaped(self._ask(X, "mean")[0])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """By which share the loss is below that of the best constants: the mean
        of scikit-learn's d2_pinball_score over all quantiles."""
        made = self._ask(X, "mean")[0].T
        return float(
            np.mean(
                [
                    d2_pinball_score(y, f, sample_weight=sample_weight, alpha=t)
                    for t, f in zip(self.quantiles_, made)
                ]
            )
        )
