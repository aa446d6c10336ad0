"""Gaussian processes, in the manner of scikit-learn's."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np
from sklearn.base import clone

from .._core.docs import described
from .._core.errors import GramAttributeError, GramValueError, warn
from .._core.library import choice
from .._core.machine import Machine, Report
from .._core.table import Rows
from ._base import KernelSpec, MachineEstimator, per_row, positive
from ._classification import Classifier
from ._regression import Regressor
from ._translate import Translation, is_theirs, translated


class _Process(MachineEstimator):
    """What both Gaussian processes share.

    A subclass has the parameters kernel, optimizer and scale.

    Parameters
    ----------
    kernel
        The covariance: a text or a Kernel, whose open numbers
        (hyperparameters) are learned by maximising the marginal likelihood;
        None: ``"rbf"``.  The variance of the process is learned as well,
        unless the kernel is multiplied by a given number (and, in regression,
        the noise is known).  A kernel of scikit-learn's is translated: what it
        would optimise is open, without bounds.  In regression a WhiteKernel in
        its sum is the noise.  An ExpSineSquared of several columns becomes a
        product over them.  ``"precomputed"`` means that X is the matrix of
        kernel values; it and functions give no standard deviations.
    optimizer
        ``"evidence"``, or the name that scikit-learn has for its own, learns
        the open numbers; None takes the kernel as it is.
    n_restarts_optimizer
        Accepted as in scikit-learn, without effect: a search has several starts
        of its own.
    copy_X_train
        Accepted as in scikit-learn, without effect: rows are always copied.
    """

    def _translated(self) -> Translation:
        return translated(self.kernel, self.optimizer is not None)

    def _spec(self, rows: Rows) -> Any:
        return self._translated().kernel

    def _has_amplitude(self) -> bool:
        """Is the kernel multiplied by a number that is given?"""
        parameters = getattr(self._spec(None), "parameters", ())
        return any(n == "amplitude" and v is not None for n, v in parameters)

    def _options(self) -> dict[str, Any]:
        # fmin_l_bfgs_b is scikit-learn's default, accepted for ours
        if self.optimizer not in (None, "evidence", "fmin_l_bfgs_b"):
            raise GramValueError(
                f"optimizer = {self.optimizer!r}, must be 'evidence' or None"
            )
        # kernels of scikit-learn refer to unscaled rows
        plain = self.scale == "auto" and is_theirs(self.kernel)
        scale = "none" if plain else self.scale
        return {
            "select": choice("gram_select", "select", "evidence"),
            "scale": choice("gram_kernel_scale", "scale", scale),
        }


@described()
class GaussianProcessRegressor(_Process, Regressor):
    """A Gaussian process for regression, in the manner of scikit-learn's.

    Parameters
    ----------
    alpha
        The variance of the noise: ``"auto"`` learns it; a number, or one per
        row, is known, and is added to that of a WhiteKernel that is fixed.
        With a WhiteKernel that is not fixed all noise is learned.
    normalize_y
        Whether to add an unknown constant with a flat prior, whose uncertainty
        is part of the standard deviations.  (scikit-learn subtracts the mean
        of y instead, as if it were known.)  The scale of y is always that of
        the learned variance.

    Attributes
    ----------
    log_marginal_likelihood_value_ : float
        The log marginal likelihood of the fitted process; with
        ``normalize_y`` the restricted one.
    amplitude_ : float or array
        The variance of the process is amplitude_ * k(x, x).
    noise_variance_ : float or array
        The variance of the noise, learned or given by ``alpha``.

    Examples
    --------
    >>> import numpy as np
    >>> from gram import GaussianProcessRegressor
    >>> X = np.linspace(0, 6, 30)[:, None]
    >>> model = GaussianProcessRegressor("rbf(length=1)", alpha=0.01)
    >>> mean, std = model.fit(X, np.sin(X[:, 0])).predict(
    ...     [[3.0], [30.0]], return_std=True)
    >>> bool(std[0] < 0.1 < std[1])
    True
    """

    _only = "squared"

    def __init__(
        self,
        kernel: KernelSpec = None,
        *,
        alpha: Any = "auto",
        optimizer: Optional[str] = "evidence",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        copy_X_train: bool = True,
        scale: str = "auto",
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
    ) -> None:
        self._keep(locals())

    def _lambda(self) -> str:
        """lambda, which is 1/amplitude where the noise is known."""
        if self._noise_is_open():
            return "auto"
        fixed = self.optimizer is None or is_theirs(self.kernel)
        return "1" if fixed or self._has_amplitude() else "auto"

    def _noise_is_open(self) -> bool:
        white = self._translated().noise
        auto = isinstance(self.alpha, str) and self.alpha == "auto"
        return white == "auto" or (auto and white is None)

    def _options(self) -> dict[str, Any]:
        options = super()._options()
        if self._noise_is_open() and self.optimizer is None:
            raise GramValueError(
                "alpha = 'auto': nothing is learned without an optimizer, must "
                "be a number"
            )
        if self._noise_is_open() and self._translated().fixed:
            warn(
                f"kernel: {self.kernel} fixes the variance of a term, but it "
                "is learned together with the noise"
            )
        if self.optimizer is None:
            options["select"] = choice("gram_select", "select", "none")
        return {
            **options,
            "lambda": self._lambda(),
            "no_intercept": not self.normalize_y,
            "keep_factor": 1,
        }

    def _noise(self, rows: int) -> Optional[np.ndarray]:
        if self._noise_is_open():
            return None
        white = float(self._translated().noise or 0.0)
        if isinstance(self.alpha, str) and self.alpha == "auto":
            return np.full(rows, white)
        if np.ndim(self.alpha) == 0:
            known = positive(self.alpha, "alpha", zero=white > 0)
            return np.full(rows, white + known)
        return white + per_row(self.alpha, "alpha", rows)

    def _finish(self, machine: Machine) -> None:
        super()._finish(machine)
        report = machine.report
        self.amplitude_ = self._per_target(report.amplitude)
        self.noise_variance_ = self._per_target(report.noise_variance)
        if not self._is_from_file() and not self._noise_is_open():
            given = np.ndim(self.alpha) > 0
            noise: Any = self._noise(len(self.alpha) if given else 1)
            self.noise_variance_ = noise if given else float(noise[0])
        self.log_marginal_likelihood_value_ = float(report.log_evidence.sum())

    def log_marginal_likelihood(self) -> float:
        """The attribute ``log_marginal_likelihood_value_``."""
        self._fitted()
        return self.log_marginal_likelihood_value_


@described()
class GaussianProcessClassifier(_Process, Classifier):
    """A Gaussian process for classification, in the manner of scikit-learn's.

    Two classes have the logistic likelihood and Laplace's approximation of the
    posterior, by whose evidence the kernel and its variance are learned.
    Several classes have a process each, against all others, as in
    scikit-learn; these are in ``estimators_``.  Such a model can be pickled,
    but not saved as a model file.

    Parameters
    ----------
    max_iter_predict, warm_start
        Accepted as in scikit-learn, without effect: the mode of the posterior
        is found exactly.
    multi_class
        Must be ``"one_vs_rest"``.

    Attributes
    ----------
    log_marginal_likelihood_value_ : float
        The log marginal likelihood of the fitted process, approximately; of
        several processes the mean.
    estimators_ : list
        With several classes, the process of each class against all others.

    Examples
    --------
    >>> import numpy as np
    >>> from gram import GaussianProcessClassifier
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> model = GaussianProcessClassifier("rbf").fit(X, np.sin(X[:, 0]) > 0)
    >>> model.predict([[1.5], [4.5]])
    array([ True, False])
    >>> bool(abs(model.predict_proba([[600.0]])[0, 1] - 0.5) < 0.1)
    True
    """

    _only = "logistic"

    def __init__(
        self,
        kernel: KernelSpec = None,
        *,
        optimizer: Optional[str] = "evidence",
        n_restarts_optimizer: int = 0,
        max_iter_predict: int = 100,
        warm_start: bool = False,
        copy_X_train: bool = True,
        random_state: Any = None,
        multi_class: str = "one_vs_rest",
        scale: str = "auto",
        n_jobs: Optional[int] = None,
        verbose: int = 0,
    ) -> None:
        self._keep(locals())

    def _translated(self) -> Translation:
        found = super()._translated()
        if found.noise is not None:
            raise GramValueError(
                f"kernel: {self.kernel} contains white noise, which classes do "
                "not have"
            )
        return found

    def _options(self) -> dict[str, Any]:
        options, kernel = super()._options(), self._spec(None)
        parameters = getattr(kernel, "parameters", ())
        if self.optimizer is None and any(v is None for _, v in parameters):
            raise GramValueError(
                f"optimizer = None: kernel {kernel} has open numbers, all "
                "must be given"
            )
        # f has covariance K/(2 lambda)
        known = self.optimizer is None or self._has_amplitude()
        return {
            **options,
            "loss": "logistic",
            "lambda": "?[0.5]" if known else "auto",
            "no_intercept": 1,
        }

    def _is_probable(self) -> bool:
        return True

    def _finish(self, machine: Machine) -> None:
        super()._finish(machine)
        evidence = machine.report.log_evidence
        self.log_marginal_likelihood_value_ = float(evidence[0])

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> GaussianProcessClassifier:
        """Fit to the rows of X and their classes, numbers or texts."""
        if self.multi_class != "one_vs_rest":
            raise GramValueError(
                f"multi_class = {self.multi_class!r}, must be 'one_vs_rest'"
            )
        for name in ("machine_", "estimators_"):
            self.__dict__.pop(name, None)
        self._target_names(y)
        rows, labels = self._take(X, reset=True), self._labels(y)
        self._check_length(labels, rows)
        classes = np.unique(labels)
        if len(classes) <= 2:
            return self._fit(X, y, sample_weight)
        self.estimators_ = [
            clone(self)._fit(X, labels == label, sample_weight)
            for label in classes
        ]
        self.classes_ = classes
        self.log_marginal_likelihood_value_ = float(
            np.mean(
                [e.log_marginal_likelihood_value_ for e in self.estimators_]
            )
        )
        return self

    def plan(self, X: Any, y: Any = None, sample_weight: Any = None) -> Report:
        """What fit would do with these rows, without doing it, as for other
        estimators; with several classes ``seconds`` is for all processes."""
        labels = self._labels(y)
        classes = np.unique(labels)
        if len(classes) <= 2:
            return super().plan(X, y, sample_weight)
        found = super().plan(X, labels == classes[0], sample_weight)
        found.seconds *= len(classes)
        return found

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        return len(self.classes_)

    def _fitted(self) -> Machine:
        if hasattr(self, "estimators_"):
            raise GramAttributeError(
                f"{type(self).__name__}: it consists of {self.n_classes_} "
                "machines, one for each class, see estimators_"
            )
        return super()._fitted()

    def predict(self, X: Any) -> np.ndarray:
        """The most probable classes of the rows of X."""
        if not hasattr(self, "estimators_"):
            return super().predict(X)
        return self.classes_[self.predict_proba(X).argmax(1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the classes, one column each, averaged over the
        posterior of f."""
        if not hasattr(self, "estimators_"):
            return super().predict_proba(X)
        each = np.column_stack(
            [one.predict_proba(X)[:, 1] for one in self.estimators_]
        )
        return each / each.sum(1, keepdims=True)
