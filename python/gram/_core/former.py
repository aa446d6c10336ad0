"""Former names of modules, which pickles still contain.

A pickle names the module of each class in it, such as "gram._svm".  Pickles
outlive the version of the package that made them, so these names must still be
importable.  What they are asked for is found in gram itself, where all public
names are, or in gram._core.machine.
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
    """A module that only passes on what other modules define."""

    def __getattr__(self, name: str) -> Any:
        # what tools that inspect all of sys.modules ask for
        if name.startswith("__"):
            raise AttributeError(name)
        gram = import_module("gram")
        public = name in gram.__all__
        return getattr(gram if public else import_module(_MACHINE), name)


def find_former_modules() -> None:
    """Make `import gram._svm` and the like succeed."""
    for former in FORMER:
        name = f"gram.{former}"
        sys.modules[name] = _Former(name)
