"""What the library found on this machine, and the versions beside it."""
from __future__ import annotations

import platform
from dataclasses import dataclass, fields
from typing import Any, Optional

from ._gram import ffi, lib
from .library import Running, check, text, version

_BESIDE = {
    "numpy": "numpy",
    "scipy": "scipy",
    "sklearn": "scikit-learn",
    "pandas": "pandas",
}


@dataclass(frozen=True)
class Doctor:
    """What gram.doctor() found."""

    gram: str
    python: str
    cpu: str
    cpu_features: str
    cpu_table: str
    """Operations in use: generic, avx2, avx512."""
    blas: str
    """The library's own; NumPy's is another."""
    blas_core: str
    """The kernels it chose: if this is an old processor's name, it is slow."""
    threads: int
    """Processors that this process may run on."""
    memory_total: int
    memory_available: int
    beside: dict[str, str]
    """Versions of packages that gram works with."""
    gemm: Optional[float]
    """Measured: flop/s of a matrix product in double, None: not measured."""

    def __str__(self) -> str:
        pairs = {f.name: getattr(self, f.name) for f in fields(self)}
        beside = pairs.pop("beside")
        for key in ("memory_total", "memory_available"):
            pairs[key] = f"{pairs[key] / 2**30:.1f} GiB"
        gemm = pairs.pop("gemm")
        if gemm is not None:
            pairs["gemm"] = f"{gemm / 1e9:.1f} GFLOP/s in double"
        lines = {**pairs, **beside}.items()
        return "\n".join(f"{key:<17} {value}" for key, value in lines)


def _version_of(package: str) -> str:
    from importlib import metadata  # costs more than the rest of gram

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _texts(system: Any) -> dict[str, str]:
    names = ("cpu", "cpu_features", "cpu_table", "blas", "blas_core")
    return {name: text(getattr(system, name)) for name in names}


def doctor(measure: bool = False) -> Doctor:
    """Core, threads, memory and versions; `measure` also takes about a second
    to find the speed of the matrix product.

    >>> found = doctor()
    >>> found.threads >= 1
    True
    """
    system = ffi.new("gram_system *")
    lib.gram_system_get(system)
    gemm = None
    if measure:
        rates = ffi.new("gram_rates *")
        check(lib.gram_system_measure(Running().exec, rates))
        gemm = rates.gemm_double
    return Doctor(
        gram=version(),
        python=platform.python_version(),
        **_texts(system),
        threads=system.cores,
        memory_total=system.memory_total,
        memory_available=system.memory_available,
        beside={key: _version_of(name) for key, name in _BESIDE.items()},
        gemm=gemm,
    )
