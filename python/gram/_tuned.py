"""What estimators whose numbers are chosen by a criterion have in common."""
from __future__ import annotations

from typing import Any

from ._base import MachineEstimator, lambda_text, number_text
from ._errors import GramTypeError, GramValueError
from ._library import choice, whole
from ._machine import task_of


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

    def _options(self) -> dict[str, Any]:
        number_text(self.tolerance, "tolerance")
        return {
            "loss": self._checked_loss(),
            "lambda": self._lambda(),
            "select": choice("gram_select", "select", self.select),
            "scale": choice("gram_kernel_scale", "scale", self.scale),
            "solver": None if self.solver == "auto" else self.solver,
            "no_intercept": not self.intercept,
            "folds": {"folds": whole(self.folds, "folds", 2)},
            "allow_indefinite": bool(self.allow_indefinite),
            "tolerance": self.tolerance,
            "steps": whole(self.steps, "steps"),
        }
