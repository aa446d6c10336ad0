"""gram - kernels as expressions, with proofs and fast matrices.

>>> import gram
>>> k = gram.Kernel("rbf(gamma=0.5)") + 2 * gram.Kernel("linear")
>>> k
gram.Kernel('rbf(gamma=0.5) + 2*linear')
>>> k([[0, 0], [1, 1]])
array([[1.        , 0.36787944],
       [0.36787944, 5.        ]])
>>> k.certificate().psd
'certified'

Everything is computed by the C library, libgram; docs/kernels.md describes
the language in which kernels are written.
"""
from ._certificate import Certificate, Step
from ._errors import (
    GramError,
    GramMemoryError,
    GramOSError,
    GramTypeError,
    GramValueError,
)
from ._kernel import Kernel, kernel_matrix
from ._library import version

__version__ = version()
__all__ = [
    "Certificate",
    "GramError",
    "GramMemoryError",
    "GramOSError",
    "GramTypeError",
    "GramValueError",
    "Kernel",
    "Step",
    "kernel_matrix",
]
