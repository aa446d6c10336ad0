"""Names that modules had before the package had rooms.

A pickle names the module of each class in it, such as "gram._svm".  Pickles
outlive the version that made them, so these names go on to be found; what is
asked for under them comes from where it stands now, when it is asked for.
"""
from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

PLACES = {
    "_certificate": "kernels._certificate",
    "_classification": "estimators._classification",
    "_doctor": "_core.doctor",
    "_errors": "_core.errors",
    "_features": "estimators._features",
    "_kernel": "kernels._kernel",
    "_machine": "_core.machine",
    "_nusvm": "estimators._nusvm",
    "_quantile": "estimators._quantile",
    "_regression": "estimators._regression",
    "_samples": "samples._testing",
    "_svm": "estimators._svm",
}


class _Former(ModuleType):
    """A module that has moved."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # who looks through sys.modules asks these
            raise AttributeError(name)
        package, _, former = self.__name__.partition(".")
        return getattr(import_module(f"{package}.{PLACES[former]}"), name)


def find_former_modules() -> None:
    """From here on `import gram._svm` finds a module."""
    for former in PLACES:
        name = f"gram.{former}"
        sys.modules[name] = _Former(name)
