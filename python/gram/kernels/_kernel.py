"""Kernels and their matrices."""
from __future__ import annotations

from html import escape
from numbers import Real
from types import SimpleNamespace
from typing import Any, Optional, Union

import numpy as np

from .._core._gram import ffi, lib
from .._core.errors import GramTypeError, GramValueError
from .._core.library import (
    Running,
    chars,
    check,
    check_rows,
    doubles,
    fields,
    make,
    new_array,
    text,
    whole,
)
from .._core.table import (
    Frame,
    Rows,
    as_array,
    as_matrix,
    as_rows,
    as_table,
    is_sparse,
)
from ._certificate import Certificate, certificate


class Kernel:
    """A kernel k(x, t), which is made from its text.

    >>> k = Kernel("rbf(sigma=2)")
    >>> k
    gram.Kernel('rbf(sigma=2)')

    Kernels can be added and multiplied, with each other and with numbers, and
    raised to powers.  The result is a kernel, and its text makes the same
    kernel again:

    >>> str(2 * k**3 + k * Kernel("linear[c0,c2]"))
    '2*rbf(sigma=2)^3 + rbf(sigma=2)*linear[c0,c2]'

    Called with arrays, a kernel returns their matrix, called with two rows, a
    number; so it can be the ``kernel=`` of scikit-learn's estimators:

    >>> k([[0.0], [2.0]], [[0.0]])
    array([[1.        ],
           [0.60653066]])
    >>> k([0.0], [2.0])
    0.6065306597126334
    """

    __slots__ = ("_handle",)
    _handle: Any
    __array_ufunc__ = None  # so that NumPy's numbers leave + and * to Kernel

    def __init__(self, spec: Union[str, Kernel]) -> None:
        if isinstance(spec, Kernel):
            self._handle = spec._handle
        elif isinstance(spec, str):
            self._handle = make(
                lib.gram_kernel_new,
                lib.gram_kernel_free,
                chars(spec, "kernel"),
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
        """The matrix of k for the rows of X and Y (None: X again), in double
        precision; the number k(X, Y), if X and Y are one row each."""
        if Y is not None and np.ndim(X) == 1 and np.ndim(Y) == 1:
            x, y = np.asarray(X)[None, :], np.asarray(Y)[None, :]
            return float(kernel_matrix(self, x, y)[0, 0])
        return kernel_matrix(self, X, Y)

    def certificate(self) -> Certificate:
        """The proof that the kernel is positive semidefinite, or why it is not.

        >>> Kernel("rbf - linear").certificate().psd
        'refuted'
        """
        return certificate(self._handle)

    def _repr_html_(self) -> str:
        proof = self.certificate()
        colour = {"certified": "green", "refuted": "red"}.get(proof.psd, "gray")
        return (
            f"<code>{escape(str(self))}</code> "
            f'<span style="color:{colour}">{proof.psd}</span>'
            f"<details><summary>certificate</summary>"
            f"<pre>{escape(str(proof))}</pre></details>"
        )

    @property
    def parameters(self) -> list[tuple[str, Optional[float]]]:
        """The names and values of the numbers (hyperparameters) that can be
        learned; the value of an open one is None.

        >>> Kernel("2*rbf(gamma=?) + linear").parameters
        [('amplitude', 2.0), ('rbf.gamma', None)]
        """
        found = (
            lib.gram_kernel_param_at(self._handle, i)
            for i in range(lib.gram_kernel_param_count(self._handle))
        )
        return [(text(p.name), None if p.open else p.value) for p in found]

    def gradient(self, X: Any, G: Any = None, threads: int = 0) -> np.ndarray:
        """The derivatives of the sum of all G[i, j] k(X[i], X[j]) with respect
        to the numbers of the kernel, in the order of ``parameters``, where
        ``ard`` has one per column; G = None means all ones.

        >>> Kernel("3*linear").gradient([[1.0], [2.0]])
        array([9.])
        """
        rows = as_rows(X, "X")
        shape = rows.shape[0], rows.shape[0]
        G = np.ones(shape) if G is None else as_matrix(G, "G")
        if is_sparse(G) or G.shape != shape:
            raise GramValueError(
                f"G: of shape {G.shape}, must be an array of {shape}"
            )
        G = np.ascontiguousarray(G, np.float64)
        table, count = as_table(rows), len(self.parameters)
        first = ffi.new("size_t[]", count + 1)
        check(lib.gram_kernel_param_layout(self._handle, table, first))
        out = np.empty(first[count])
        check_rows(
            lib.gram_kernel_gradient(
                self._handle,
                table,
                Running(threads).exec,
                doubles(G),
                shape[1],
                doubles(out),
            )
        )
        return out

    def diagonal(self, X: Any, threads: int = 0) -> np.ndarray:
        """k(x, x) for every row x of X.

        >>> Kernel("linear").diagonal([[1.0], [3.0]])
        array([1., 9.])
        """
        rows = as_rows(X, "X")
        out = np.empty(rows.shape[0])
        run = Running(threads).exec
        diagonal = lib.gram_kernel_diagonal
        check_rows(diagonal(self._handle, as_table(rows), run, doubles(out)))
        return out

    def product(
        self,
        X: Any,
        V: Any,
        T: Any = None,
        single: bool = False,
        threads: int = 0,
    ) -> np.ndarray:
        """The matrix of k for the rows of X and T (None: X again) times V, a
        vector or a matrix; the kernel matrix is never in memory as a whole.
        ``single=True`` computes it in single precision, the sums in double.

        >>> Kernel("linear").product([[1.0], [3.0]], [1.0, 1.0])
        array([ 4., 12.])
        """
        a, b, shape = _tables(X, T)
        V = as_array(V, "V")
        if V.dtype.kind not in "fiub" or V.ndim not in (1, 2):
            raise GramTypeError(
                f"V: {V.ndim} dimensions of type {V.dtype}, must be 1 or 2 of "
                "real numbers"
            )
        if len(V) != shape[1]:
            raise GramValueError(f"V: {len(V)} rows, must be {shape[1]}")
        flat = np.ascontiguousarray(V.reshape(len(V), -1), np.float64)
        out = np.empty((shape[0], flat.shape[1]))
        check_rows(
            lib.gram_kernel_product(
                self._handle,
                a,
                b,
                Running(threads).exec,
                single,
                doubles(flat),
                flat.shape[1],
                doubles(out),
            )
        )
        return out[:, 0] if V.ndim == 1 else out

    def spectrum(self, X: Any, threads: int = 0) -> SimpleNamespace:
        """Properties of the matrix of k for the rows of X: ``min_eigenvalue``
        with its ``error``, ``max_eigenvalue``, ``psd`` (1: positive
        semidefinite up to rounding, -1: certainly not, 0: undecided), ``rank``,
        ``condition``, and whether it is almost the ``identity`` or
        ``constant``, as it is for a badly chosen gamma.

        >>> Kernel("linear").spectrum([[3.0], [4.0]]).rank
        1
        """
        out = ffi.new("gram_spectrum *")
        table, run = as_table(as_rows(X, "X")), Running(threads).exec
        check_rows(lib.gram_kernel_spectrum(self._handle, table, run, out))
        return SimpleNamespace(**fields(out, {}))

    def sample(
        self, X: Any, count: int = 1, seed: int = 0, threads: int = 0
    ) -> np.ndarray:
        """Functions drawn from the Gaussian process whose covariance is k, at
        the rows of X, one column each.

        >>> Kernel("rbf(gamma=1)").sample([[0.0], [1.0]], count=3).shape
        (2, 3)
        """
        rows = as_rows(X, "X")
        out = np.empty((rows.shape[0], whole(count, "count", 1)))
        running = Running(threads, whole(seed, "seed"))
        check_rows(
            lib.gram_kernel_sample(
                self._handle, as_table(rows), count, running.exec, doubles(out)
            )
        )
        return out


def _number(x: Any) -> str:
    return repr(float(x))


def _combine(form: str, *parts: Any) -> Any:
    if not all(isinstance(part, (Kernel, Real)) for part in parts):
        return NotImplemented
    texts = (str(p) if isinstance(p, Kernel) else _number(p) for p in parts)
    return Kernel(form.format(*texts))


def of_one_kind(X: Rows, T: Rows, name: str = "T") -> tuple[Rows, Rows]:
    """Make both dense or both sparse; named columns are matched by name."""
    if isinstance(X, Frame) or isinstance(T, Frame):
        return X, T
    if T.shape[1] != X.shape[1]:
        raise GramValueError(
            f"{name}: {T.shape[1]} columns, must be {X.shape[1]}, as X has"
        )
    if is_sparse(X) and not is_sparse(T):
        return X, as_matrix(type(X)(T), name)
    if is_sparse(T) and not is_sparse(X):
        return as_matrix(type(T)(X), "X"), T
    return X, T


def _tables(X: Any, T: Any) -> tuple[Any, Any, tuple[int, int]]:
    """Two tables, the second NULL if it would be the first again, and their
    numbers of rows."""
    same = T is None or T is X
    X = as_rows(X, "X")
    T = X if same else as_rows(T, "T")
    X, T = of_one_kind(X, T)
    a = as_table(X, "X")
    b = ffi.NULL if same else as_table(T, "T")
    return a, b, (X.shape[0], T.shape[0])


def kernel_matrix(
    spec: Union[str, Kernel],
    X: Any,
    T: Any = None,
    single: bool = False,
    threads: int = 0,
) -> np.ndarray:
    """The matrix k(x, t) of all rows x of X and t of T.

    Parameters
    ----------
    spec
        A Kernel, or its text, without open numbers.
    X, T
        Arrays of real numbers with rows and columns, sparse matrices of SciPy,
        DataFrames of pandas, dicts of columns, or rows that mix numbers and
        texts.  T = None means X again; the matrix is then symmetric to the
        last bit, and takes half the time.  In the kernel, columns without a
        name are called c0, c1, ...
    single
        Whether to compute and return the matrix in single precision.
    threads
        How many threads to use; 0: one per core.  The result does not depend
        on it.

    Examples
    --------
    >>> kernel_matrix("poly(degree=2)", [[1, 2], [3, 4]], [[1, 0]])
    array([[ 4.],
           [16.]])
    >>> kernel_matrix("delta[city]", {"city": ["Rome", "Bonn", "Rome"]})
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    """
    kernel = Kernel(spec)
    a, b, shape = _tables(X, T)
    running = Running(threads)
    dtype, function, pointer = (
        (np.float32, lib.gram_kernel_matrix_single, "float *")
        if single
        else (np.float64, lib.gram_kernel_matrix, "double *")
    )
    K = new_array(shape, dtype, running)
    out = ffi.cast(pointer, K.ctypes.data)
    check_rows(function(kernel._handle, a, b, running.exec, out, shape[1]))
    return K
