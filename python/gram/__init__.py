"""gram - kernel methods: kernels as expressions, with proofs, and estimators.

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

Everything is computed by the C library, libgram.  docs/manual/kernels.md
describes the language of kernels, docs/manual/fitting.md and
docs/manual/losses.md what is fitted.  Estimators need scikit-learn, which is
imported when the first one is used.
"""
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._core.doctor import Doctor, doctor
from ._core.errors import (
    GramAttributeError,
    GramError,
    GramMemoryError,
    GramOSError,
    GramTypeError,
    GramValueError,
    GramWarning,
)
from ._core.former import find_former_modules
from ._core.library import version
from ._core.read import read
from .kernels._certificate import Certificate, Step
from .kernels._function import Function
from .kernels._kernel import Kernel, kernel_matrix
from .samples._drift import Drift
from .samples._testing import (
    SampleTest,
    group_test,
    herd,
    hsic_test,
    mmd_test,
    wasserstein,
)

if TYPE_CHECKING:
    from sklearn.exceptions import ConvergenceWarning, NotFittedError

    from .estimators._classification import KernelClassifier
    from .estimators._compare import compare
    from .estimators._features import KernelFeatures
    from .estimators._load import load
    from .estimators._nusvm import NuSVC, NuSVR
    from .estimators._process import (
        GaussianProcessClassifier,
        GaussianProcessRegressor,
    )
    from .estimators._quantile import QuantileRegressor
    from .estimators._regression import KernelRegressor, KernelRidge
    from .estimators._svm import SVC, SVR, OneClassSVM

# Names that need scikit-learn, and the modules that define them.
_LATER = {
    "ConvergenceWarning": "sklearn.exceptions",
    "GaussianProcessClassifier": "gram.estimators._process",
    "GaussianProcessRegressor": "gram.estimators._process",
    "KernelClassifier": "gram.estimators._classification",
    "KernelFeatures": "gram.estimators._features",
    "KernelRegressor": "gram.estimators._regression",
    "KernelRidge": "gram.estimators._regression",
    "NotFittedError": "sklearn.exceptions",
    "NuSVC": "gram.estimators._nusvm",
    "NuSVR": "gram.estimators._nusvm",
    "OneClassSVM": "gram.estimators._svm",
    "QuantileRegressor": "gram.estimators._quantile",
    "SVC": "gram.estimators._svm",
    "SVR": "gram.estimators._svm",
    "compare": "gram.estimators._compare",
    "load": "gram.estimators._load",
}

find_former_modules()
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
