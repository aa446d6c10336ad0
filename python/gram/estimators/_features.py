"""The explicit features of a kernel, as a transformer."""
from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from .._core._gram import ffi, lib
from .._core.docs import described
from .._core.errors import GramValueError
from .._core.library import check, doubles, make, new_array, text
from .._core.table import Frame, Rows, is_sparse
from ..kernels._kernel import Kernel
from ._base import Estimator


@described()
class KernelFeatures(TransformerMixin, Estimator):
    """The explicit feature map phi of a kernel: phi(x).phi(t) = k(x, t).

    It exists for kernels with finitely many features: ``linear``, ``poly``,
    ``anova``, and their sums and products.  Maps within the kernel, as in
    ``map(standardize, poly)``, learn from the rows of fit.

    Parameters
    ----------
    kernel
        A text or a Kernel without open numbers.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel with all learned values.
    n_features_out_ : int
        The number of features.

    Examples
    --------
    >>> from gram import KernelFeatures
    >>> KernelFeatures("poly(degree=2)").fit_transform([[2.0]])
    array([[4.        , 2.82842712, 1.        ]])
    """

    def __init__(
        self,
        kernel: Union[str, Kernel] = "poly(degree=2)",
        *,
        n_jobs: Optional[int] = None,
    ) -> None:
        self._keep(locals())

    def fit(self, X: Any, y: Any = None) -> KernelFeatures:
        """Learn the maps in the kernel from X, and count the features."""
        kernel = Kernel(self.kernel)
        rows = self._take(X, reset=True)
        self._refuse_categories(rows)
        self._sparse = is_sparse(rows)
        table = self._table(rows, self._sparse)
        learned = make(
            lib.gram_kernel_learn,
            lib.gram_kernel_free,
            kernel._handle,
            table,
            self._running().exec,
        )
        count = ffi.new("size_t *")
        check(lib.gram_kernel_feature_count(learned, table, count))
        self.kernel_ = Kernel(text(lib.gram_kernel_text(learned)))
        self.n_features_out_ = int(count[0])
        return self

    @staticmethod
    def _refuse_categories(rows: Rows) -> None:
        for name in rows.categories() if isinstance(rows, Frame) else ():
            raise GramValueError(
                f'X: column "{name}" is a category, must be numbers: its '
                "features would depend on the categories that occur"
            )

    def transform(self, X: Any) -> np.ndarray:
        """The features phi(x) of every row x of X."""
        check_is_fitted(self, "kernel_")
        rows = self._take(X, reset=False)
        self._refuse_categories(rows)
        running = self._running()
        shape = rows.shape[0], self.n_features_out_
        F = new_array(shape, np.float64, running)
        table = self._table(rows, self._sparse)
        features = lib.gram_kernel_features
        handle = self.kernel_._handle
        check(features(handle, table, running.exec, doubles(F), shape[1]))
        return F

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the features: kernelfeatures0, kernelfeatures1, ..."""
        check_is_fitted(self, "kernel_")
        _check_feature_names_in(self, input_features, generate_names=False)
        names = [f"kernelfeatures{j}" for j in range(self.n_features_out_)]
        return np.array(names, object)
