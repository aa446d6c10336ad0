"""Support vector machines with the parameters of scikit-learn's."""
from __future__ import annotations

from itertools import combinations
from typing import Any, Optional

import numpy as np
from sklearn.base import OutlierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from .._core.docs import described
from .._core.errors import GramValueError
from .._core.library import choice, one_of, whole
from .._core.machine import MATRIX, Machine
from .._core.table import Rows, is_sparse
from ._base import KernelSpec, Path, positive
from ._classification import Classifier, gives_probabilities
from ._pairwise import Pairwise


def nu_text(nu: Any) -> str:
    """nu as a text that the library reads."""
    number = positive(nu, "nu")
    if number > 1:
        raise GramValueError(f"nu = {nu}, must be at most 1")
    return repr(number)


class _Svm(Pairwise):
    """What all support vector machines share.

    A subclass has the parameters kernel, degree, gamma, coef0, tol and
    max_iter, and says what its loss is (_loss).

    Parameters
    ----------
    C
        The price of errors; lambda is 1/(2 C).
    gamma
        The factor of distances or inner products in scikit-learn's kernels: a
        number; ``"scale"``, 1 over the number of columns times the variance of
        X; or ``"auto"``, 1 over the number of columns.
    shrinking
        Accepted as in scikit-learn, without effect.
    cache_size
        Accepted as in scikit-learn, without effect.
    tol
        By how much the optimality conditions may be violated.
    max_iter
        The largest number of steps; -1: no limit.

    Attributes
    ----------
    fit_status_ : int
        0 if the solver converged, else 1.
    n_iter_ : int
        The steps of the solver, those of all pairs of classes together.
    shape_fit_ : tuple
        The rows and columns of X in fit.
    """

    def _loss(self) -> str:
        raise NotImplementedError

    def _gamma_of(self, rows: Rows) -> Any:
        if not isinstance(self.gamma, str):
            return self.gamma
        if self.gamma == "auto":
            return 1 / rows.shape[1]
        if self.gamma != "scale":
            raise GramValueError(
                f"gamma = {self.gamma!r}, must be 'scale', 'auto' or a number"
            )
        if is_sparse(rows):
            var = rows.multiply(rows).mean() - rows.mean() ** 2
        else:
            var = self._numbers(rows).astype(np.float64).var()
        return 1 / (rows.shape[1] * var) if var > 0 else 1.0

    def _options(self) -> dict[str, Any]:
        options = {
            "loss": self._loss(),
            "scale": choice("gram_kernel_scale", "scale", "none"),
            "tolerance": positive(self.tol, "tol"),
        }
        if self.max_iter != -1:
            options["steps"] = whole(self.max_iter, "max_iter", 1)
        if hasattr(self, "C"):
            options["lambda"] = repr(0.5 / positive(self.C, "C"))
        return options

    def _finish(self, machine: Machine) -> None:
        super()._finish(machine)
        report = machine.report
        self.fit_status_ = int(not report.converged)
        if not self._is_from_file():
            self.shape_fit_ = report.n, self.n_features_in_
        self.n_iter_ = report.steps
        self.intercept_ = report.intercept

    def _supporting(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The support vectors: their numbers among the rows that are kept and
        among the rows of X, and their coefficients."""
        rows, alpha = self._fitted().alpha()
        kept = np.flatnonzero(np.any(alpha != 0, axis=1))
        return kept, rows[kept], alpha[kept]

    def save_libsvm(self, path: Path) -> None:
        """Write the model to a file for LIBSVM's svm-predict.  Classes must be
        whole numbers, and the kernel one that LIBSVM has.  gram.load() reads
        such files as well."""
        machine = self._fitted()
        self._refuse_matrix("model files")
        machine.save_libsvm(path)

    @property
    def support_(self) -> np.ndarray:
        """The numbers of the rows of X that are support vectors."""
        return self._supporting()[1]

    @property
    def support_vectors_(self) -> Any:
        """The support vectors, one per row; of ``kernel="precomputed"``, which
        has no rows of X, an empty array."""
        kept, support, _ = self._supporting()
        if hasattr(self, "_fitted_rows"):
            return self._fitted_rows[support]
        if self.report_.kernel == MATRIX:
            return np.empty((0, 0))
        columns = list(self.machine_.kept().values())
        if is_sparse(columns[0]):
            return columns[0][kept]
        return np.column_stack(columns)[kept]

    @property
    def dual_coef_(self) -> np.ndarray:
        """The coefficients of the support vectors, in one row, with which
        f = sum_i coef_i k(x_i, .) + b."""
        return self._supporting()[2].T

    @property
    def n_support_(self) -> np.ndarray:
        """The number of support vectors."""
        return np.array([len(self.support_)], np.int32)

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the columns of X, for ``kernel="linear"`` only."""
        self._fitted()
        if not isinstance(self.kernel, str) or self.kernel != "linear":
            raise AttributeError("coef_ exists for a linear kernel only")
        return self._weights_of_columns()

    def _weights_of_columns(self) -> np.ndarray:
        # sparse, as in scikit-learn, if the vectors are
        return self.dual_coef_ @ self.support_vectors_


@described()
class SVC(_Svm, Classifier):
    """Support vector classification with the parameters of scikit-learn's.

    It is ``KernelClassifier(kernel, loss="hinge", C=C, scale="none")``.

    Parameters
    ----------
    probability
        Whether to calibrate probabilities on folds; predict() then gives the
        most probable class.
    decision_function_shape
        The columns of the decision function with several classes: one per
        class, ``"ovr"``, or one per pair of classes, ``"ovo"``.
    break_ties
        Whether the decision function breaks ties of votes; for several classes
        and the shape ``"ovr"``.

    Attributes
    ----------
    intercept_ : array
        The constants of the decision functions, one for each pair of classes.

    Examples
    --------
    >>> import numpy as np
    >>> from gram import SVC
    >>> X = np.array([[-1, -1], [-2, -1], [1, 1], [2, 1]])
    >>> model = SVC(gamma="auto").fit(X, ["a", "a", "b", "b"])
    >>> model.predict([[-0.8, -1]])
    array(['a'], dtype='<U1')
    >>> model.n_support_
    array([2, 2], dtype=int32)
    """

    _only = "hinge"

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: KernelSpec = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self._keep(locals())

    def _loss(self) -> str:
        return "hinge"

    def _options(self) -> dict[str, Any]:
        name = "decision_function_shape"
        one_of(("ovr", "ovo"), name, self.decision_function_shape)
        return {
            **super()._options(),
            "classes": choice("gram_classes", "classes", "one_vs_one"),
            "probability": bool(self.probability),
        }

    def _sign(self) -> int:
        """With several classes, scikit-learn's f is positive for the first of a
        pair."""
        return 1 if len(self.classes_) == 2 else -1

    def _finish(self, machine: Machine) -> None:
        super()._finish(machine)
        if not self._in_pairs:
            raise GramValueError(
                "SVC: the model tells each class from all others, must tell "
                "pairs of classes apart"
            )
        b = machine.report.intercept[np.newaxis]
        self.intercept_ = self._sign() * self._by_class(b)[0]

    def decision_function(self, X: Any) -> np.ndarray:
        """f for two classes, positive for the second; else a column for each
        class, or with the shape ``"ovo"`` for each pair of classes, positive
        for the first of them."""
        if self.decision_function_shape == "ovr":
            return self._decisions_of_classes(X)
        f = self._decisions(X)
        return self._sign() * f

    def predict(self, X: Any) -> np.ndarray:
        """The classes of the rows of X: the most probable ones with
        ``probability=True``, else those with the most votes of pairs of
        classes, and among equal ones the first, numbers before words."""
        if not self.break_ties or len(getattr(self, "classes_", ())) < 3:
            return super().predict(X)
        if self.decision_function_shape == "ovo":
            raise GramValueError(
                "break_ties = True: must be False where "
                "decision_function_shape is 'ovo'"
            )
        return self.classes_[self.decision_function(X).argmax(1)]

    @available_if(gives_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of the probabilities of the classes."""
        return np.log(self.predict_proba(X))

    # ------------------------------------------------------- support vectors

    def _pairs(self) -> np.ndarray:
        return np.array(list(combinations(range(len(self.classes_)), 2)))

    def _class_of(self, alpha: np.ndarray) -> np.ndarray:
        """The class of each row, which follows from the sign of its largest
        coefficient."""
        largest = abs(alpha).argmax(1)
        positive_ = np.take_along_axis(alpha, largest[:, None], 1)[:, 0] > 0
        return self._pairs()[largest, positive_.astype(int)]

    def _supporting(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The support vectors class by class, as in scikit-learn."""
        kept, rows, alpha = super()._supporting()
        alpha = self._by_class(alpha)
        order = np.lexsort((rows, self._class_of(alpha)))
        return kept[order], rows[order], alpha[order]

    @property
    def n_support_(self) -> np.ndarray:
        """The number of support vectors of each class."""
        codes = self._class_of(self._supporting()[2])
        return np.bincount(codes, minlength=len(self.classes_)).astype(np.int32)

    @property
    def dual_coef_(self) -> np.ndarray:
        """The coefficients of the support vectors: row j has those for the
        pairs of a vector's class with the j-th of the other classes."""
        alpha = self._supporting()[2]
        if len(self.classes_) == 2:
            return alpha.T
        codes = self._class_of(alpha)
        out = np.zeros((len(self.classes_) - 1, len(alpha)))
        for (i, j), column in zip(self._pairs(), alpha.T):
            out[j - 1, codes == i] = -column[codes == i]
            out[i, codes == j] = -column[codes == j]
        return out

    def _weights_of_columns(self) -> np.ndarray:
        alpha = self._supporting()[2]
        return (self._sign() * alpha.T) @ self.support_vectors_


@described()
class SVR(RegressorMixin, _Svm):
    """Support vector regression with the parameters of scikit-learn's.

    It is ``KernelRegressor(kernel, lam=1/(2*C), scale="none",
    loss="epsilon_insensitive(epsilon=0.1)")``.

    Parameters
    ----------
    epsilon
        The half width of the tube: errors up to it cost nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from gram import SVR
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> model = SVR(C=10, epsilon=0.05).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.06)
    True
    """

    _only = "epsilon_insensitive"

    def __init__(
        self,
        *,
        kernel: KernelSpec = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: int = False,
        max_iter: int = -1,
        n_jobs: Optional[int] = None,
    ) -> None:
        self._keep(locals())

    def _loss(self) -> str:
        epsilon = positive(self.epsilon, "epsilon", zero=True)
        return f"epsilon_insensitive(epsilon={epsilon!r})"

    def predict(self, X: Any) -> np.ndarray:
        """f at the rows of X."""
        return self._ask(X, "mean")[0][:, 0]


@described()
class OneClassSVM(OutlierMixin, _Svm):
    """Novelty detection: which rows are unlike the training rows?  It has the
    parameters of scikit-learn's class.

    Parameters
    ----------
    nu
        The largest share of the training rows with f < 0.

    Attributes
    ----------
    offset_ : float
        decision_function(X) is score_samples(X) - offset_.

    Examples
    --------
    >>> from gram import OneClassSVM
    >>> X = [[0.0], [0.44], [0.45], [0.46], [1.0]]
    >>> OneClassSVM(gamma="auto").fit(X).predict([[0.45], [3.0]])
    array([ 1, -1])
    """

    _task = "novelty"

    def __init__(
        self,
        *,
        kernel: KernelSpec = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: int = False,
        max_iter: int = -1,
        n_jobs: Optional[int] = None,
    ) -> None:
        self._keep(locals())

    def _loss(self) -> str:
        return f"one_class(nu={nu_text(self.nu)})"

    def _targets(self, y: Any, rows: Rows) -> dict[str, np.ndarray]:
        self._flat = True
        return {}

    def _finish(self, machine: Machine) -> None:
        super()._finish(machine)
        self.offset_ = -self.intercept_

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None
    ) -> OneClassSVM:
        """Fit to the rows of X; y is ignored."""
        return self._fit(X, None, sample_weight)

    def decision_function(self, X: Any) -> np.ndarray:
        """f at the rows of X, negative where they are unlike training rows."""
        return self._ask(X, "mean")[0][:, 0]

    def score_samples(self, X: Any) -> np.ndarray:
        """f at the rows of X without its threshold ``offset_``."""
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """1 for rows that are like the training rows, -1 for the others."""
        return np.where(self.decision_function(X) >= 0, 1, -1)
