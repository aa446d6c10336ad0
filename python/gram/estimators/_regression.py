"""Regression: any kernel and loss, and kernel ridge regression."""
from __future__ import annotations

from copy import copy
from typing import Any, Optional, Union

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin, clone
from sklearn.metrics.pairwise import pairwise_kernels

from .._core._gram import ffi
from .._core.docs import described
from .._core.errors import GramValueError
from .._core.library import choice, one_of, share, whole
from .._core.machine import Machine, add_role
from .._core.table import Frame, Rows, free_name
from ._base import KernelSpec, MachineEstimator, checked, positive
from ._pairwise import Pairwise
from ._tuned import Tuned

_PRECISIONS = ("auto", "double", "single")  # 0, 1, 2 of gram_fit_options


class Regressor(MultiOutputMixin, RegressorMixin, MachineEstimator):
    """What all regressors with the squared loss share."""

    def predict(
        self, X: Any, return_std: bool = False, return_cov: bool = False,
        noise: bool = False,
    ) -> Any:  # fmt: skip
        """f at the rows of X.

        return_std
            Whether to return also the standard deviations of f.
        return_cov
            Whether to return also the joint covariance of f at all rows, one
            matrix per target.
        noise
            Whether these are of new measurements of weight 1 instead of f.
        """
        if return_std and return_cov:
            raise GramValueError(
                "return_std, return_cov: both True, must be at most one"
            )
        if return_cov:
            return self.predict(X), self._covariance(X, noise)
        if not return_std:
            return self._shaped(self._ask(X, "mean")[0])
        mean, std = self._ask(X, "mean", "std" if noise else "std_f")
        return self._shaped(mean), self._shaped(std)

    def _covariance(self, X: Any, noise: bool) -> np.ndarray:
        table = self._new_table(X)
        self._refuse_matrix("covariances")
        running = self._running()
        made = [
            self.machine_.covariance(table, target, running)
            for target in range(self.report_.targets)
        ]
        if noise:
            std, std_f = self._ask(X, "std", "std_f")
            for C, more in zip(made, (std**2 - std_f**2).T):
                C[np.diag_indices_from(C)] += more
        return made[0] if self._flat else np.stack(made, axis=-1)

    def predict_interval(
        self, X: Any, coverage: float = 0.9, method: str = "gaussian"
    ) -> tuple[np.ndarray, np.ndarray]:
        """The lower and upper ends of intervals that contain new measurements
        with probability ``coverage``: those of the Gaussian process, or with
        ``method="jackknife"`` those of jackknife+, which does not assume that
        the noise is Gaussian."""
        kind = choice("gram_interval", "method", method)
        options = {"interval": share(coverage, "coverage"), "method": kind}
        lower, upper = self._ask(X, "lower", "upper", **options)
        return self._shaped(lower), self._shaped(upper)

    def predict_terms(
        self, X: Any, return_std: bool = False
    ) -> Union[dict[str, np.ndarray], tuple[dict, dict]]:
        """The parts of f that belong to the terms of the kernel's outermost
        sum, in a dict by term; with the intercept they add up to f.
        ``return_std=True`` returns also a dict of their standard deviations."""
        wanted = ("terms", "terms_std") if return_std else ("terms",)
        made = [
            dict(zip(self._term_names(), values.T))
            for values in self._ask(X, *wanted)
        ]
        return (made[0], made[1]) if return_std else made[0]

    def _term_names(self) -> list[str]:
        """The texts of the terms; a term that occurs again gets a number."""
        terms = self.machine_.terms()
        before = [terms[:i].count(term) for i, term in enumerate(terms)]
        return [
            f"{term} ({count + 1})" if count else term
            for term, count in zip(terms, before)
        ]

    def explain(
        self, X: Any, count: int = 5
    ) -> tuple[np.ndarray, np.ndarray]:
        """For each row x of X the numbers of the ``count`` training rows with
        the largest parts alpha_i k(x_i, x), -1 where there are no more, and
        these parts."""
        options = {"why": whole(count, "count", 1)}
        why, part = self._ask(X, "why", "why_part", **options)
        return why.astype(np.intp), part

    def update(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        remove: Any = None,
    ) -> Any:
        """A model with more rows, or without some of its rows.  It is what a
        fit to these rows with the kernel and lambda of this model would give,
        in less time if the factorisation was kept (``keep_factor``).

        X, y, sample_weight
            New rows; None: none.
        remove
            Training rows to leave out, as numbers or as a mask.
        """
        machine = self._fitted()
        self._refuse_matrix("updates")
        table = ffi.NULL if X is None else self._more_rows(X, y, sample_weight)
        made = copy(self)
        made._finish(
            machine.update(table, self._leaving(remove), self._running())
        )
        return made

    def _more_rows(self, X: Any, y: Any, sample_weight: Any) -> Any:
        rows, flat = self._take(X, reset=False), self._flat
        targets = list(self._targets(y, rows).values())
        self._flat = flat
        weights = self._weights(sample_weight, rows, {})
        table = self._new_table(X)
        for name, values in zip(self.report_.target, targets):
            add_role(table, name, values, "target", "y")
        taken = {*self.machine_.columns(), *self.report_.target}
        if isinstance(rows, Frame):
            taken.update(rows.columns)
        noise = self._noise(rows.shape[0])
        for more, role, of in (
            (weights, "weight", "sample_weight"),
            (noise, "noise", "alpha"),
        ):
            if more is not None:
                add_role(table, free_name(role, taken), more, role, of)
        return table

    def _leaving(self, remove: Any) -> Optional[np.ndarray]:
        if remove is None:
            return None
        rows = self._fitted().alpha()[0]
        gone = np.asarray(remove)
        if gone.dtype == bool:
            gone = np.flatnonzero(gone)
        known = np.isin(gone, rows)
        if gone.ndim != 1 or not known.all():
            raise GramValueError(
                f"remove: {gone[~known][:1]}, must be training rows"
            )
        return np.isin(rows, gone).astype(np.uint8)

    def sample_y(
        self,
        X: Any,
        n_samples: int = 1,
        random_state: Any = 0,
        noise: bool = False,
    ) -> np.ndarray:
        """``n_samples`` functions drawn from the posterior at the rows of X,
        one column each.  ``noise=True`` adds the noise of new measurements;
        ``random_state`` is the seed."""
        table = self._new_table(X)
        self._refuse_matrix("samples")
        if self.report_.targets > 1:
            raise GramValueError(
                f"sample_y: the model has {self.report_.targets} targets, must "
                "have 1"
            )
        running = self._running(random_state=random_state)
        count = whole(n_samples, "n_samples", 1)
        return self.machine_.sample(table, count, noise, running)


@described()
class KernelRegressor(Tuned, Regressor):
    """Regression with any kernel; what is left open is chosen by a criterion.

    f minimises sum_i w_i V(y_i, f(x_i)) + lam |f|^2 over the space of the
    kernel; by default the loss V is (y - f)^2, and the minimum is exact.
    docs/manual/fitting.md has the mathematics, docs/manual/losses.md the other
    losses.

    Parameters
    ----------
    loss
        The loss V: ``"squared"``, ``"huber(delta=1)"``, ``"absolute"``,
        ``"epsilon_insensitive(epsilon=0.1)"``, ``"quantile(tau=0.5)"`` or
        ``"poisson"``, which predicts exp(f).  All but the squared loss take
        one target and have no standard deviations.
    precision
        The precision of the factorisation: ``"auto"``, ``"double"`` or
        ``"single"``, whose result is refined in double.
    per_target
        Whether each column of y has a lambda of its own.
    keep_factor
        Whether to keep the factorisation, in files and pickles too, so that
        standard deviations and updates need not make it anew.

    Examples
    --------
    >>> import numpy as np
    >>> from gram import KernelRegressor
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = KernelRegressor("rbf(gamma=0.5)").fit(X, y)
    >>> bool(abs(model.predict([[1.0]])[0] - np.sin(1.0)) < 1e-3)
    True
    >>> model.kernel_
    gram.Kernel('rbf(gamma=0.5)')
    """

    def __init__(
        self,
        kernel: KernelSpec = "rbf",
        *,
        loss: str = "squared",
        lam: Any = "auto",
        select: str = "auto",
        scale: str = "auto",
        missing: str = "refuse",
        intercept: bool = True,
        solver: str = "auto",
        precision: str = "auto",
        folds: Any = 5,
        per_target: bool = False,
        allow_indefinite: bool = False,
        keep_factor: bool = False,
        tolerance: float = 0.0,
        steps: int = 0,
        memory: Optional[int] = None,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
    ) -> None:
        self._keep(locals())

    def _options(self) -> dict[str, Any]:
        precision = one_of(_PRECISIONS, "precision", self.precision)
        return {
            **super()._options(),
            "precision": _PRECISIONS.index(precision),
            "per_target": bool(self.per_target),
            "keep_factor": bool(self.keep_factor),
        }

    def _more_tags(self) -> dict[str, Any]:
        return {
            "multioutput": self.loss == "squared",
            "requires_positive_y": self.loss == "poisson",
        }

    def path(
        self, X: Any, y: Any, lams: Any = None, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """The criteria for many lambdas at once, in the time of a few fits:
        arrays ``lam``, ``loo``, ``gcv``, ``log_evidence`` and ``df`` (degrees
        of freedom) with one entry per lambda, and with several targets a column
        for each.  Open numbers of the kernel are chosen first.

        lams
            Positive numbers; None: fifty over the sensible range.
        """
        model = clone(self)
        table, options = model._prepared(X, y, sample_weight)
        if lams is not None:
            lams = checked(lams, "lams", dtype=np.float64, ensure_2d=False)
            lams = np.ascontiguousarray(lams.ravel())
        rows = Machine.path(table, options, lams, model._running())
        return {
            key: values[:, 0] if model._flat or key == "lam" else values
            for key, values in rows.items()
        }


@described()
class KernelRidge(Pairwise, Regressor):
    """Kernel ridge regression with the parameters of scikit-learn's class.

    It is ``KernelRegressor(kernel, lam=alpha, intercept=False, scale="none")``,
    and takes kernels that are not known to be positive semidefinite.

    Parameters
    ----------
    alpha
        lambda: one number, for all targets.
    kernel_params
        More arguments for a kernel that is a function, which takes two rows
        here, as in scikit-learn.
    gamma
        The factor of distances or inner products in scikit-learn's kernels;
        None: 1 over the number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from gram import KernelRidge
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> KernelRidge(alpha=1.0).fit(X, [0.0, 1.0, 2.0]).predict([[3.0]])
    array([2.5])
    """

    _only = "squared"

    def __init__(
        self,
        alpha: float = 1,
        *,
        kernel: KernelSpec = "linear",
        gamma: Optional[float] = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Optional[dict] = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
    ) -> None:
        self._keep(locals())

    def _gamma_of(self, rows: Rows) -> Any:
        return 1 / rows.shape[1] if self.gamma is None else self.gamma

    def _called(self, X: Any, Y: Any) -> np.ndarray:
        return pairwise_kernels(
            X, Y, metric=self.kernel, **(self.kernel_params or {})
        )

    def _options(self) -> dict[str, Any]:
        return {
            "lambda": repr(positive(self.alpha, "alpha", zero=True)),
            "scale": choice("gram_kernel_scale", "scale", "none"),
            "no_intercept": 1,
            "allow_indefinite": 1,
        }
