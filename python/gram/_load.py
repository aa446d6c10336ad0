"""Estimators from model files."""
from __future__ import annotations

from typing import Any

from ._base import Path
from ._errors import GramValueError
from ._machine import Machine
from ._regression import KernelRegressor

_TASKS = {"regression": KernelRegressor}


def load(path: Path) -> Any:
    """The estimator of a model file, written by the command or by save().

    It predicts what the command would; columns are matched by name.

    >>> import gram
    >>> gram.load("nowhere.gram")
    Traceback (most recent call last):
    gram._errors.GramOSError: nowhere.gram: cannot be opened: No such file or directory
    """
    machine = Machine.load(path)
    task = machine.report.task
    if task not in _TASKS:
        raise GramValueError(f"{path}: a model of {task}, cannot be used here")
    return _TASKS[task]._of(machine)
