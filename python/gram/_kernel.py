"""Kernels and their matrices."""
from __future__ import annotations

from numbers import Real
from typing import Any, Union

import numpy as np

from ._certificate import Certificate, certificate
from ._errors import GramTypeError, GramValueError
from ._gram import ffi, lib
from ._library import Running, check, make, room, text
from ._table import as_matrix, as_table, is_sparse


class Kernel:
    """A kernel k(x, t), made from its text.

    >>> k = Kernel("rbf(sigma=2)")
    >>> k
    gram.Kernel('rbf(sigma=2)')

    Kernels are added and multiplied, with each other and with numbers, and
    raised to powers; what comes out is a kernel again.  Its text makes the
    same kernel:

    >>> str(2 * k**3 + k * Kernel("linear[c0,c2]"))
    '2*rbf(sigma=2)^3 + rbf(sigma=2)*linear[c0,c2]'

    Called with arrays it gives their matrix, called with two rows a number,
    so it can be the ``kernel=`` of scikit-learn's estimators:

    >>> k([[0.0], [2.0]], [[0.0]])
    array([[1.        ],
           [0.60653066]])
    >>> k([0.0], [2.0])
    0.6065306597126334
    """

    __slots__ = ("_handle",)
    __array_ufunc__ = None  # NumPy's numbers leave + and * to us

    def __init__(self, spec: Union[str, Kernel]) -> None:
        if isinstance(spec, Kernel):
            self._handle = spec._handle
        elif isinstance(spec, str):
            if "\0" in spec:
                raise GramValueError(f"kernel {spec!r}: has a null character")
            self._handle = make(
                lib.gram_kernel_new, lib.gram_kernel_free, spec.encode()
            )
        else:
            raise GramTypeError(
                f"kernel: a {type(spec).__name__}, must be a text or a Kernel"
            )

    def __str__(self) -> str:
        return text(lib.gram_kernel_text(self._handle))

    def __repr__(self) -> str:
        return f"gram.Kernel({str(self)!r})"

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return Kernel, (str(self),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Kernel):
            return NotImplemented
        return str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __add__(self, other: Union[Kernel, float]) -> Kernel:
        return _combine("{} + {}", self, other)

    def __radd__(self, other: float) -> Kernel:
        return _combine("{} + {}", other, self)

    def __mul__(self, other: Union[Kernel, float]) -> Kernel:
        return _combine("({})*({})", self, other)

    def __rmul__(self, other: float) -> Kernel:
        return _combine("({})*({})", other, self)

    def __pow__(self, power: float) -> Kernel:
        if not isinstance(power, Real):
            return NotImplemented
        return Kernel(f"({self})^{_number(power)}")

    def __call__(self, X: Any, Y: Any = None) -> Any:
        """The matrix of the rows of X and Y (None: X itself), in double
        precision; if X and Y are one row each, the number k(X, Y)."""
        if not is_sparse(X) and Y is not None and not is_sparse(Y):
            X, Y = np.asarray(X), Y if Y is X else np.asarray(Y)
            if X.ndim == 1 and Y.ndim == 1:
                return float(kernel_matrix(self, X[None, :], Y[None, :])[0, 0])
        return kernel_matrix(self, X, Y)

    def certificate(self) -> Certificate:
        """The proof that the kernel is positive semidefinite, or why not.

        >>> Kernel("rbf - linear").certificate().psd
        'refuted'
        """
        return certificate(self._handle)


def _number(x: Any) -> str:
    return repr(float(x))


def _combine(form: str, *parts: Any) -> Any:
    if not all(isinstance(part, (Kernel, Real)) for part in parts):
        return NotImplemented
    texts = (str(p) if isinstance(p, Kernel) else _number(p) for p in parts)
    return Kernel(form.format(*texts))


def kernel_matrix(
    spec: Union[str, Kernel],
    X: Any,
    T: Any = None,
    single: bool = False,
    threads: int = 0,
) -> np.ndarray:
    """The matrix k(x, t) of all rows x of X and t of T.

    spec
        a kernel, or its text, without open parameters.
    X, T
        arrays of real numbers with rows and columns, or sparse matrices of
        SciPy.  T = None, or X again, means the rows of X with themselves: the
        matrix is then symmetric to the bit and half the work.  Columns are
        called c0, c1, ... in the kernel.
    single
        compute in single precision, and give float32.
    threads
        how many; 0: one per core.  The result does not depend on it.

    >>> kernel_matrix("poly(degree=2)", [[1, 2], [3, 4]], [[1, 0]])
    array([[ 4.],
           [16.]])
    """
    kernel = Kernel(spec)
    same = T is None or T is X
    X = as_matrix(X, "X")
    T = X if same else as_matrix(T, "T")
    if T.shape[1] != X.shape[1]:
        raise GramValueError(
            f"T: {T.shape[1]} columns, must be {X.shape[1]}, as X has"
        )
    if is_sparse(X) != is_sparse(T):
        if is_sparse(X):
            T = as_matrix(type(X)(T), "T")
        else:
            X = as_matrix(type(T)(X), "X")
    a = as_table(X)
    b = ffi.NULL if same else as_table(T)
    running = Running(threads)
    dtype, function, pointer = (
        (np.float32, lib.gram_kernel_matrix_single, "float *")
        if single
        else (np.float64, lib.gram_kernel_matrix, "double *")
    )
    shape = X.shape[0], T.shape[0]
    K = room(shape, dtype, running)
    out = ffi.cast(pointer, K.ctypes.data)
    check(function(kernel._handle, a, b, running.exec, out, shape[1]))
    return K
