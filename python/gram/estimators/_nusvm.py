"""Support vector machines by nu, with the parameters of scikit-learn's."""
from __future__ import annotations

from typing import Any, Optional

from .._core.docs import described
from ._base import KernelSpec
from ._svm import SVC, SVR, nu_text


@described()
class NuSVC(SVC):
    """Support vector classification by nu, with the parameters of
    scikit-learn's.

    Parameters
    ----------
    nu
        At most this share of the rows lies on the wrong side of the margin, and
        at least this share are support vectors.

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


@described()
class NuSVR(SVR):
    """Support vector regression by nu, with the parameters of scikit-learn's.

    Parameters
    ----------
    nu
        At most this share of the rows lies outside the tube, whose width
        follows from it.

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
