"""What estimators share that choose hyperparameters by a criterion."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .._core.errors import GramTypeError, GramValueError
from .._core.library import choice, whole
from .._core.machine import task_of
from ._base import MachineEstimator, lambda_text, per_row, positive

# What a fit can do with missing cells.
_MISSING = ("refuse", "mean", "indicator")


class Tuned(MachineEstimator):
    """An estimator that chooses what is open: hyperparameters and lambda.

    A subclass has the parameters that are described here (missing is optional)
    and says which loss it is fitted with (_loss).

    Parameters
    ----------
    kernel
        The kernel: a text, or a Kernel, whose open numbers (hyperparameters)
        are chosen; ``"precomputed"``, if X is the matrix of kernel values; or a
        function that returns the matrix of two arrays.  The last two are
        slower, and give no standard deviations.
    lam
        lambda, the weight of |f|^2: a number, a list of candidates, or
        ``"auto"``, which chooses it.
    select
        The criterion by which to choose: ``"auto"``, ``"evidence"`` (the
        marginal likelihood), ``"loo"`` (the leave-one-out error), ``"gcv"``
        (generalised cross-validation), ``"cv"`` (folds) or ``"none"``.  For
        losses other than the squared one ``"auto"`` is ``"cv"``, and there are
        no ``"loo"`` and ``"gcv"``.
    missing
        What to do with missing cells, NaN or None: ``"refuse"`` them;
        ``"mean"``, fill them with the mean of the column over the rows of the
        fit, or its most frequent category, also in rows that are predicted
        later; ``"indicator"``, the same, and add a column that says where.
    intercept
        Whether to add a constant to f, which is not penalised.
    solver
        The method that computes f: ``"auto"``, ``"primal"``, ``"dual"``,
        ``"markov"``, ``"cg"`` or ``"gd"``; losses other than the squared one
        have solvers of their own.
    folds
        For ``select="cv"``: the number of folds, or the fold of each row.  The
        attribute ``cv_results_`` then has what was tried.
    allow_indefinite
        Whether to take kernels that are not known to be positive semidefinite.
    tolerance, steps
        Where iterative solvers stop: the accuracy to reach, and the largest
        number of steps; 0: each solver's default.

    Attributes
    ----------
    cv_results_ : dict of arrays
        What was tried on folds: ``kernel``, ``lam`` and ``error``.
    """

    def _loss(self) -> str:
        return self.loss

    def _lambda(self) -> str:
        return lambda_text(self.lam)

    def _checked_loss(self) -> str:
        """The loss, if it suits the task; some losses for numbers suit classes,
        which the library knows."""
        loss = self._loss()
        if not isinstance(loss, str):
            raise GramTypeError(
                f"loss: a {type(loss).__name__}, must be a text"
            )
        task = task_of(loss)
        if task not in (None, "regression", self._task):
            raise GramValueError(
                f"loss = {loss!r} is for {task}, must be for {self._task}"
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
