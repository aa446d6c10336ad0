"""Kernels of scikit-learn's Gaussian processes in gram's language.

A number that scikit-learn would optimise becomes an open one with this start, a
fixed one stays a number.  White noise is no kernel here but the noise.
"""
from __future__ import annotations

from typing import Any, Union

import numpy as np
from sklearn.gaussian_process import kernels as theirs

from ._errors import GramTypeError, GramValueError
from ._kernel import Kernel
from ._library import choice

# Of white noise: none, learned, or this variance.
Noise = Union[None, str, float]


def _is_fixed(kernel: Any, name: str) -> bool:
    bounds = getattr(kernel, f"{name}_bounds")
    return isinstance(bounds, str) and bounds == "fixed"


def _number(kernel: Any, name: str, power: int = 1) -> str:
    value = repr(float(getattr(kernel, name)) ** power)
    return value if _is_fixed(kernel, name) else f"?{value}"


def _length(kernel: Any) -> str:
    """One for all columns, or one per column; these start from their mean."""
    lengths = np.atleast_1d(kernel.length_scale).astype(float)
    if len(lengths) == 1:
        return f"length={_number(kernel, 'length_scale')}"
    if _is_fixed(kernel, "length_scale"):
        return f"length=[{','.join(map(repr, lengths.tolist()))}], ard"
    return f"length=?{float(np.exp(np.log(lengths).mean()))!r}, ard"


def _matern(kernel: Any) -> str:
    if kernel.nu == np.inf:
        return f"rbf({_length(kernel)})"
    return f"matern(nu={float(kernel.nu)!r}, {_length(kernel)})"


_LEAVES = {
    theirs.ConstantKernel: lambda k: _number(k, "constant_value"),
    theirs.RBF: lambda k: f"rbf({_length(k)})",
    theirs.Matern: _matern,
    theirs.RationalQuadratic: lambda k: (
        f"rq(alpha={_number(k, 'alpha')}, {_length(k)})"
    ),
    theirs.ExpSineSquared: lambda k: (
        f"periodic(period={_number(k, 'periodicity')}, {_length(k)})"
    ),
    theirs.DotProduct: lambda k: f"({_number(k, 'sigma_0', 2)} + linear)",
}


def _text(kernel: Any) -> str:
    if isinstance(kernel, theirs.Sum):
        return f"({_text(kernel.k1)} + {_text(kernel.k2)})"
    if isinstance(kernel, theirs.Product):
        return f"{_text(kernel.k1)}*{_text(kernel.k2)}"
    if isinstance(kernel, theirs.Exponentiation):
        return f"({_text(kernel.kernel)})^{float(kernel.exponent)!r}"
    if isinstance(kernel, theirs.WhiteKernel):
        raise GramValueError(
            f"kernel: {kernel} is a factor, must be a term of the sum: it is "
            "the noise"
        )
    leaf = _LEAVES.get(type(kernel))
    if leaf is None:
        raise GramTypeError(
            f"kernel: a {type(kernel).__name__} of scikit-learn, must be one of "
            f"{', '.join(kind.__name__ for kind in _LEAVES)}, WhiteKernel, or a "
            "text"
        )
    return leaf(kernel)


def _terms(kernel: Any) -> list[Any]:
    if isinstance(kernel, theirs.Sum):
        return _terms(kernel.k1) + _terms(kernel.k2)
    return [kernel]


def _noise(white: list[Any]) -> Noise:
    if not white:
        return None
    if not all(_is_fixed(kernel, "noise_level") for kernel in white):
        return "auto"
    return float(sum(kernel.noise_level for kernel in white))


def is_theirs(kernel: Any) -> bool:
    """Is it a kernel of scikit-learn's Gaussian processes?"""
    return isinstance(kernel, theirs.Kernel)


def scale_of(model: Any) -> int:
    """The option scale of an estimator: kernels of scikit-learn's mean the rows
    as they are."""
    plain = model.scale == "auto" and is_theirs(model.kernel)
    return choice("gram_kernel_scale", "scale", "none" if plain else model.scale)


def translated(kernel: Any) -> tuple[Kernel, Noise]:
    """A kernel of gram's, from one of either, and the white noise in it; None
    is rbf."""
    if not is_theirs(kernel):
        return Kernel("rbf" if kernel is None else kernel), None
    terms = _terms(kernel)
    white = [k for k in terms if isinstance(k, theirs.WhiteKernel)]
    rest = [_text(k) for k in terms if not isinstance(k, theirs.WhiteKernel)]
    if not rest:
        raise GramValueError(f"kernel: {kernel} is nothing but noise")
    return Kernel(" + ".join(rest)), _noise(white)
