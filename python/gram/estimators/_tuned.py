"""What estimators whose numbers are chosen by a criterion have in common."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .._core.errors import GramTypeError, GramValueError
from .._core.library import choice, whole
from .._core.machine import task_of
from ._base import MachineEstimator, lambda_text, per_row, positive

# What a fit may do with cells that are missing.
_MISSING = ("refuse", "mean", "indicator")


class Tuned(MachineEstimator):
    """A subclass has the parameters that are named here, with the meaning that
    KernelRegressor gives them, and says with which loss it is fitted."""

    def _loss(self) -> str:
        return self.loss

    def _lambda(self) -> str:
        return lambda_text(self.lam)

    def _checked_loss(self) -> str:
        """Classes may have a loss of numbers: the library knows which."""
        loss = self._loss()
        if not isinstance(loss, str):
            raise GramTypeError(
                f"loss: a {type(loss).__name__}, must be a text"
            )
        task = task_of(loss)
        if task not in (None, "regression", self._task):
            raise GramValueError(
                f"loss = {loss!r} is one of {task}, must be one of {self._task}"
            )
        return loss

    def _missing(self) -> int:
        missing = getattr(self, "missing", "refuse")
        return choice("gram_missing", "missing", missing, _MISSING)

    def _fold_count(self) -> int:
        return 0 if np.ndim(self.folds) else whole(self.folds, "folds", 2)

    def _given_folds(self, rows: int) -> Optional[np.ndarray]:
        if np.ndim(self.folds) == 0:
            return None
        return per_row(self.folds, "folds", rows)

    def _options(self) -> dict[str, Any]:
        positive(self.tolerance, "tolerance", zero=True)
        return {
            "loss": self._checked_loss(),
            "lambda": self._lambda(),
            "missing": self._missing(),
            "select": choice("gram_select", "select", self.select),
            "scale": choice("gram_kernel_scale", "scale", self.scale),
            "solver": None if self.solver == "auto" else self.solver,
            "no_intercept": not self.intercept,
            "folds": {"folds": self._fold_count()},
            "allow_indefinite": bool(self.allow_indefinite),
            "tolerance": self.tolerance,
            "steps": whole(self.steps, "steps"),
        }
