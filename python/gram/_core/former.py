"""Names that modules had before the package had rooms.

A pickle names the module of each class in it, such as "gram._svm".  Pickles
outlive the version that made them, so these names go on to be found; what is
asked for under them is a public name, or one of gram._core.machine.
"""
from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

_MACHINE = "gram._core.machine"
FORMER = (
    "_certificate",
    "_classification",
    "_doctor",
    "_errors",
    "_features",
    "_kernel",
    "_machine",
    "_nusvm",
    "_quantile",
    "_regression",
    "_samples",
    "_svm",
)


class _Former(ModuleType):
    """A module that has moved."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # who looks through sys.modules asks these
            raise AttributeError(name)
        gram = import_module("gram")
        public = name in gram.__all__
        return getattr(gram if public else import_module(_MACHINE), name)


def find_former_modules() -> None:
    """From here on `import gram._svm` finds a module."""
    for former in FORMER:
        name = f"gram.{former}"
        sys.modules[name] = _Former(name)
