"""What the library finds on this machine, and versions of other packages."""
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
    """What gram.doctor() finds."""

    gram: str
    python: str
    cpu: str
    cpu_features: str
    cpu_table: str
    """The CPU table in use: generic, avx2 or avx512."""
    blas: str
    """The BLAS of the library, which is not that of NumPy."""
    blas_core: str
    """The processor whose BLAS kernels are in use: an old one would be slow."""
    threads: int
    """The number of processors that this process may use."""
    memory_total: int
    memory_available: int
    beside: dict[str, str]
    """Versions of other packages that gram works with."""
    gemm: Optional[float]
    """The measured flop/s of a matrix product in double; None: not measured."""

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
    from importlib import metadata  # takes longer than the rest of gram

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _texts(system: Any) -> dict[str, str]:
    names = ("cpu", "cpu_features", "cpu_table", "blas", "blas_core")
    return {name: text(getattr(system, name)) for name in names}


def doctor(measure: bool = False) -> Doctor:
    """Processor, threads, memory and versions; ``measure=True`` also measures
    the speed of the matrix product, which takes about a second.

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
