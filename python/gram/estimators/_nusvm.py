"""Support vector machines by nu, with the parameters of scikit-learn's."""
from __future__ import annotations

from typing import Any, Optional

from ._base import KernelSpec
from ._svm import SVC, SVR, nu_text


class NuSVC(SVC):
    """Support vector classification by nu, with the parameters of
    scikit-learn's.

    Parameters
    ----------
    nu
        at most this share of the rows is on the wrong side of the margin, at
        least this share are support vectors.
    kernel, degree, gamma, coef0, shrinking, probability, tol, cache_size,
    class_weight, verbose, max_iter, decision_function_shape, break_ties,
    random_state, n_jobs
        as of SVC, and so are the attributes.

    Examples
    --------
    >>> import numpy as np
    >>> from gram import NuSVC
    >>> X = np.array([[-1, -1], [-2, -1], [1, 1], [2, 1]])
    >>> NuSVC(gamma="auto").fit(X, [1, 1, 2, 2]).predict([[-0.8, -1]])
    array([1])
    """

    def __init__(
        self,
        *,
        nu: float = 0.5,
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
        return f"hinge(nu={nu_text(self.nu)})"


class NuSVR(SVR):
    """Support vector regression by nu, with the parameters of scikit-learn's.

    Parameters
    ----------
    nu
        at most this share of the rows is outside of the tube, whose width
        follows from it.
    C, kernel, degree, gamma, coef0, shrinking, tol, cache_size, verbose,
    max_iter, n_jobs
        as of SVR, and so are the attributes.

    Examples
    --------
    >>> import numpy as np
    >>> from gram import NuSVR
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> model = NuSVR(C=10).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.1)
    True
    """

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: KernelSpec = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: int = False,
        max_iter: int = -1,
        n_jobs: Optional[int] = None,
    ) -> None:
        self._keep(locals())

    def _loss(self) -> str:
        return f"epsilon_insensitive(nu={nu_text(self.nu)})"
