"""Classification with any kernel, and what all classifiers share."""
from __future__ import annotations

from itertools import combinations
from typing import Any, Optional

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import (
    _ovr_decision_function,
    check_classification_targets,
)

from .._core.docs import described
from .._core.errors import GramTypeError, GramValueError
from .._core.library import choice
from .._core.machine import Machine
from .._core.table import Rows, cell_text
from ._base import (
    Fitted,
    KernelSpec,
    MachineEstimator,
    checked,
    lambda_text,
    one_column,
    positive,
)
from ._tuned import Tuned

_PROBABLE = ("logistic", "softmax")


def _labels_of(names: tuple[str, ...]) -> np.ndarray:
    """The sorted labels of a model file, which has texts only: numbers, if all
    texts are numbers as the library writes them."""
    for kind in (int, float):
        try:
            labels = [kind(name) for name in names]
            if all(cell_text(x) == name for x, name in zip(labels, names)):
                return np.unique(labels)
        except (ValueError, OverflowError):
            continue
    return np.unique(names)


def gives_probabilities(model: Any) -> bool:
    """Has the model predict_proba()?  If not, the error says how to get it."""
    if model._is_probable() or model._is_from_file():
        return True
    raise AttributeError(
        f"{type(model).__name__}: its loss has no probabilities, "
        "probability=True calibrates them on folds"
    )


class Classifier(ClassifierMixin, MachineEstimator):
    """What all classifiers share: labels as input and output.

    The library knows classes as texts, numbers before words; ``classes_`` has
    them as y has, in NumPy's order.  The library's class i is
    ``classes_[_order[i]]``.

    Parameters
    ----------
    class_weight
        Weights of the classes: None, all 1; ``"balanced"``, inversely
        proportional to the number of rows; or a dict.  They multiply the
        weights of the rows.

    Attributes
    ----------
    classes_ : array
        The labels, sorted.
    """

    _task = "classification"
    class_weight: Any = None

    # ------------------------------------------------------------------ fit

    def fit(self: Fitted, X: Any, y: Any, sample_weight: Any = None) -> Fitted:
        """Fit to the rows of X and their classes, numbers or texts."""
        return self._fit(X, y, sample_weight)

    @staticmethod
    def _labels(y: Any) -> np.ndarray:
        y = one_column(checked(y, "y", dtype=None, ensure_2d=False))
        if y.dtype.kind == "S":
            raise GramTypeError("y: has bytes, must have numbers or texts")
        try:
            check_classification_targets(y)
        except ValueError as error:
            raise GramValueError(f"y: {error}") from error
        return y

    def _targets(self, y: Any, rows: Rows) -> dict[str, np.ndarray]:
        names = self._target_names(y)
        y = self._labels(y)
        self._check_length(y, rows)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._flat = False
        texts = np.array([cell_text(label) for label in self.classes_], object)
        return {names[0] if len(names) == 1 else "y": texts[codes]}

    def _weights(
        self, sample_weight: Any, rows: Rows, targets: dict[str, np.ndarray]
    ) -> Optional[np.ndarray]:
        weights = super()._weights(sample_weight, rows, targets)
        if self.class_weight is None:
            return weights
        (cells,) = targets.values()
        names, codes, counts = np.unique(
            cells.astype(str), return_inverse=True, return_counts=True
        )
        of = self._class_weights(names, len(cells) / (len(names) * counts))
        return of[codes] if weights is None else of[codes] * weights

    def _class_weights(
        self, names: np.ndarray, balanced: np.ndarray
    ) -> np.ndarray:
        given = self.class_weight
        if isinstance(given, str) and given == "balanced":
            return balanced
        if not isinstance(given, dict):
            raise GramValueError(
                f"class_weight = {given!r}, must be a dict, 'balanced' or None"
            )
        texts = {cell_text(label): label for label in given}
        for text, label in texts.items():
            if text not in names:
                raise GramValueError(
                    f"class_weight: there is no class {label!r} in y"
                )
            positive(given[label], f"class_weight[{label!r}]")
        return np.array([float(given[texts[n]]) if n in texts else 1.0
                         for n in names])  # fmt: skip

    def _is_probable(self) -> bool:
        """Does a model fitted with these parameters have probabilities?"""
        return bool(self.probability)

    def _finish(self, machine: Machine) -> None:
        super()._finish(machine)
        names = machine.report.class_name
        if not hasattr(self, "classes_"):
            self.classes_ = _labels_of(names)
        texts = [cell_text(label) for label in self.classes_]
        # a class whose rows all have weight 0 does not count
        self.classes_ = self.classes_[[text in names for text in texts]]
        texts = [text for text in texts if text in names]
        self._order = np.array([texts.index(name) for name in names])
        self._in_pairs = machine.report.output != names

    # ------------------------------------------------------------ prediction

    def _by_class(self, values: np.ndarray) -> np.ndarray:
        """Columns of outputs in the order, and with the signs, of classes_."""
        order = self._order
        if np.all(np.diff(order) > 0):
            return values
        out = np.empty_like(values)
        if not self._in_pairs:
            out[:, order] = values
            return out
        pairs = list(combinations(range(len(order)), 2))
        for (a, b), column in zip(pairs, values.T):
            i, j = sorted((order[a], order[b]))
            sign = 1 if order[a] < order[b] else -1
            out[:, pairs.index((i, j))] = sign * column
        return out

    def _decisions(self, X: Any) -> np.ndarray:
        """f for two classes; else a column for each class, or for each pair of
        classes, which is positive for the second of them."""
        f = self._by_class(self._ask(X, "mean")[0])
        if len(self.classes_) > 2:
            return f
        return f[:, 0] if f.shape[1] == 1 else f[:, 1] - f[:, 0]

    def _decisions_of_classes(self, X: Any) -> np.ndarray:
        f = self._decisions(X)
        if f.ndim == 1 or not self._in_pairs:
            return f
        return _ovr_decision_function(f > 0, f, len(self.classes_))

    def predict(self, X: Any) -> np.ndarray:
        """The classes of the rows of X; where the model has probabilities, the
        most probable ones."""
        label = self._ask(X, "label")[0][:, 0]
        return self.classes_[self._order[label]]

    @available_if(gives_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the classes, one column each; those of Gaussian
        processes are averaged over the posterior of f."""
        if self.report_.criterion == "evidence":
            self._refuse_matrix("standard deviations")
        proba = self._ask(X, "proba")[0]
        out = np.empty_like(proba)
        out[:, self._order] = proba
        return out


@described()
class KernelClassifier(Tuned, Classifier):
    """Classification with any kernel; what is open is chosen by a criterion.

    f minimises sum_i w_i V(y_i, f(x_i)) + lam |f|^2 over the space of the
    kernel; of several classes each, or each pair of them, has an f of its own.
    docs/manual/losses.md has the mathematics.

    Parameters
    ----------
    loss
        The loss V: ``"logistic"``, ``"hinge"`` (the support vector machine),
        ``"squared_hinge"``, ``"softmax"`` or ``"squared"``.
    C
        Another way to give lam, which is 1/(2 C): a number or a list of
        candidates; None: lam is used.
    select
        The criterion by which to choose: ``"auto"`` is ``"cv"``, the share of
        errors on folds; ``"evidence"`` is for two classes and the logistic
        loss; ``"none"`` chooses nothing; the squared loss also has ``"loo"``
        and ``"gcv"``.
    classes
        How several classes are told apart: by pairs, ``"one_vs_one"``, each
        from all others, ``"one_vs_rest"``, or ``"auto"``, which means pairs
        for the hinge loss.
    probability
        Whether to calibrate probabilities on folds if the loss has none.

    Examples
    --------
    >>> import numpy as np
    >>> from gram import KernelClassifier
    >>> X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> y = np.where(X[:, 0] == X[:, 1], "same", "other")
    >>> model = KernelClassifier("rbf(gamma=1)", C=10).fit(X, y)
    >>> model.predict([[0.9, 0.1], [0.1, 0.1]])
    array(['other', 'same'], dtype='<U5')
    >>> model.predict_proba([[0.9, 0.1]]).argmax()
    0
    """

    def __init__(
        self,
        kernel: KernelSpec = "rbf",
        *,
        loss: str = "logistic",
        lam: Any = "auto",
        C: Any = None,
        select: str = "auto",
        class_weight: Any = None,
        classes: str = "auto",
        probability: bool = False,
        scale: str = "auto",
        missing: str = "refuse",
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

    def _lambda(self) -> str:
        if self.C is None:
            return super()._lambda()
        if not (isinstance(self.lam, str) and self.lam == "auto"):
            raise GramValueError(
                f"lam = {self.lam!r}, C = {self.C!r}: both are given, must be "
                "at most one of them"
            )
        if np.ndim(self.C) == 0:
            return lambda_text(0.5 / positive(self.C, "C"))
        return lambda_text([0.5 / positive(C, "C") for C in self.C])

    def _is_probable(self) -> bool:
        return super()._is_probable() or self.loss in _PROBABLE

    def _options(self) -> dict[str, Any]:
        return {
            **super()._options(),
            "classes": choice("gram_classes", "classes", self.classes),
            "probability": bool(self.probability),
        }

    def decision_function(self, X: Any) -> np.ndarray:
        """f for two classes, positive for the second; else a column for each
        class, where pairs count as votes and their f breaks ties."""
        return self._decisions_of_classes(X)
