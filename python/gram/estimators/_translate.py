"""Kernels of scikit-learn's Gaussian processes, translated for gram.

A number that scikit-learn would optimise becomes an open one with the same
start value; a fixed one stays a number.  A WhiteKernel becomes the noise.
"""
from __future__ import annotations

from typing import Any, NamedTuple, Union

import numpy as np
from sklearn.base import clone
from sklearn.gaussian_process import kernels as theirs

from .._core.errors import GramTypeError, GramValueError
from ..kernels._kernel import Kernel

# The white noise: None, "auto" (learned), or its variance.
Noise = Union[None, str, float]


class Translation(NamedTuple):
    """A kernel that estimators take, and what else it says."""

    kernel: Any
    noise: Noise
    fixed: bool
    """A kernel of scikit-learn with a term whose variance is not learned."""


def _is_fixed(kernel: Any, name: str) -> bool:
    bounds = getattr(kernel, f"{name}_bounds")
    return isinstance(bounds, str) and bounds == "fixed"


def _number(kernel: Any, name: str, power: int = 1) -> str:
    value = repr(float(getattr(kernel, name)) ** power)
    return value if _is_fixed(kernel, name) else f"?{value}"


def _length(kernel: Any) -> str:
    """The length for all columns, or one per column; those that are learned
    start from their geometric mean."""
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
        names = ", ".join(kind.__name__ for kind in _LEAVES)
        raise GramTypeError(
            f"kernel: a {type(kernel).__name__} of scikit-learn, must be one "
            f"of {names}, WhiteKernel, or a text"
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


def _has_variance(kernel: Any) -> bool:
    """Has the kernel a constant factor that is learned?"""
    if isinstance(kernel, theirs.Product):
        return _has_variance(kernel.k1) or _has_variance(kernel.k2)
    return isinstance(kernel, theirs.ConstantKernel) and not _is_fixed(
        kernel, "constant_value"
    )


def translated(kernel: Any, learn: bool = True) -> Translation:
    """The meaning of a kernel that a Gaussian process is given; None is rbf.
    Without `learn` all numbers of scikit-learn's kernels are fixed."""
    if kernel is None:
        return Translation(Kernel("rbf"), None, False)
    if not is_theirs(kernel):
        plain = kernel == "precomputed" if isinstance(kernel, str) else (
            callable(kernel) and not isinstance(kernel, Kernel)
        )  # fmt: skip
        return Translation(kernel if plain else Kernel(kernel), None, False)
    if not learn:
        kernel = _all_fixed(kernel)
    terms = _terms(kernel)
    white = [k for k in terms if isinstance(k, theirs.WhiteKernel)]
    rest = [k for k in terms if not isinstance(k, theirs.WhiteKernel)]
    if not rest:
        raise GramValueError(
            f"kernel: {kernel} is only noise, must have another term"
        )
    text = " + ".join(_text(k) for k in rest)
    fixed = not all(_has_variance(k) for k in rest)
    return Translation(Kernel(text), _noise(white), fixed)


def _all_fixed(kernel: Any) -> Any:
    bounds = {
        name: "fixed"
        for name in kernel.get_params()
        if name.endswith("_bounds")
    }
    return clone(kernel).set_params(**bounds)
