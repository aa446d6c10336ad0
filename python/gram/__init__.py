"""gram - kernels as expressions, with proofs, and machines made of them.

>>> import gram
>>> k = gram.Kernel("rbf(gamma=0.5)") + 2 * gram.Kernel("linear")
>>> k
gram.Kernel('rbf(gamma=0.5) + 2*linear')
>>> k([[0, 0], [1, 1]])
array([[1.        , 0.36787944],
       [0.36787944, 5.        ]])
>>> k.certificate().psd
'certified'
>>> model = gram.KernelRegressor("rbf(gamma=1)").fit([[0], [1], [2]], [0, 1, 0])
>>> model.predict([[1.0]]).shape
(1,)

Everything is computed by the C library, libgram; docs/manual/kernels.md describes
the language in which kernels are written, docs/manual/fitting.md and
docs/manual/losses.md what is fitted.
Estimators need scikit-learn, which is imported when the first one is used.
"""
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._certificate import Certificate, Step
from ._doctor import Doctor, doctor
from ._drift import Drift
from ._errors import (
    GramAttributeError,
    GramError,
    GramMemoryError,
    GramOSError,
    GramTypeError,
    GramValueError,
    GramWarning,
)
from ._function import Function
from ._kernel import Kernel, kernel_matrix
from ._library import version
from ._read import read
from ._samples import (
    SampleTest,
    group_test,
    herd,
    hsic_test,
    mmd_test,
    wasserstein,
)

if TYPE_CHECKING:
    from sklearn.exceptions import ConvergenceWarning, NotFittedError

    from ._classification import GaussianProcessClassifier, KernelClassifier
    from ._compare import compare
    from ._features import KernelFeatures
    from ._load import load
    from ._nusvm import NuSVC, NuSVR
    from ._quantile import QuantileRegressor
    from ._regression import (
        GaussianProcessRegressor,
        KernelRegressor,
        KernelRidge,
    )
    from ._svm import SVC, SVR, OneClassSVM

# Names that need scikit-learn, and where they are.
_LATER = {
    "ConvergenceWarning": "sklearn.exceptions",
    "GaussianProcessClassifier": "gram._classification",
    "GaussianProcessRegressor": "gram._regression",
    "KernelClassifier": "gram._classification",
    "KernelFeatures": "gram._features",
    "KernelRegressor": "gram._regression",
    "KernelRidge": "gram._regression",
    "NotFittedError": "sklearn.exceptions",
    "NuSVC": "gram._nusvm",
    "NuSVR": "gram._nusvm",
    "OneClassSVM": "gram._svm",
    "QuantileRegressor": "gram._quantile",
    "SVC": "gram._svm",
    "SVR": "gram._svm",
    "compare": "gram._compare",
    "load": "gram._load",
}

__version__ = version()
__all__ = [
    "Certificate",
    "ConvergenceWarning",
    "Doctor",
    "Drift",
    "Function",
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "GramAttributeError",
    "GramError",
    "GramMemoryError",
    "GramOSError",
    "GramTypeError",
    "GramValueError",
    "GramWarning",
    "Kernel",
    "KernelClassifier",
    "KernelFeatures",
    "KernelRegressor",
    "KernelRidge",
    "NotFittedError",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "QuantileRegressor",
    "SVC",
    "SVR",
    "SampleTest",
    "Step",
    "compare",
    "doctor",
    "group_test",
    "herd",
    "hsic_test",
    "kernel_matrix",
    "load",
    "mmd_test",
    "read",
    "wasserstein",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'gram' has no attribute {name!r}")
    value = getattr(import_module(_LATER[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
