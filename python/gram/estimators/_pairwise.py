"""Kernels by the names and parameters that scikit-learn has for them."""
from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics.pairwise import (
    PAIRWISE_KERNEL_FUNCTIONS,
    pairwise_kernels,
)

from .._core.library import number_text
from .._core.table import Rows
from ._base import MachineEstimator

# Their texts in gram's language.  Functions that are no kernels, such as
# sigmoid, are computed by scikit-learn.
_PAIRWISE = {
    "linear": "linear",
    "rbf": "rbf(gamma={gamma})",
    "laplacian": "laplace(gamma={gamma})",
    "poly": "poly(degree={degree}, gamma={gamma}, offset={coef0})",
    "polynomial": "poly(degree={degree}, gamma={gamma}, offset={coef0})",
    "cosine": "normalize(linear)",
    "chi2": "chi2(gamma={gamma})",
}


class Pairwise(MachineEstimator):
    """An estimator that takes scikit-learn's names of kernels.

    A subclass has the parameters kernel, degree, gamma and coef0.

    Parameters
    ----------
    kernel
        The kernel: a name that scikit-learn has for it, a text or Kernel of
        gram's, ``"precomputed"``, if X is the matrix of kernel values, or a
        function that returns the matrix of two arrays.  The last two are
        slower, and so are functions that scikit-learn calls kernels although
        they are none (``"sigmoid"``).
    degree
        The degree of scikit-learn's ``"poly"``.
    coef0
        The constant in scikit-learn's ``"poly"`` and ``"sigmoid"``.
    """

    def _gamma_of(self, rows: Rows) -> Any:
        """The number that the parameter gamma means for these rows."""
        raise NotImplementedError

    def _called(self, X: Any, Y: Any) -> np.ndarray:
        """The matrix of a kernel that is a function."""
        return self.kernel(X, Y)

    def _spec(self, rows: Rows) -> Any:
        if not isinstance(self.kernel, str) or self.kernel == "precomputed":
            return self.kernel
        theirs = self.kernel in PAIRWISE_KERNEL_FUNCTIONS
        if self.kernel not in _PAIRWISE and not theirs:
            return self.kernel
        self._gamma = self._gamma_of(rows)
        if self.kernel not in _PAIRWISE:
            return pairwise_kernels
        numbers = {
            "gamma": number_text(self._gamma, "gamma"),
            "degree": number_text(self.degree, "degree"),
            "coef0": number_text(self.coef0, "coef0"),
        }
        return _PAIRWISE[self.kernel].format(**numbers)

    def _matrix_of(self, X: Any, Y: Any) -> np.ndarray:
        if callable(self.kernel):
            return self._called(X, Y)
        names = ("degree", "coef0")
        params = {name: getattr(self, name) for name in names}
        return pairwise_kernels(
            X,
            Y,
            metric=self.kernel,
            filter_params=True,
            gamma=self._gamma,
            **params,
        )
