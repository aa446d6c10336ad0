"""Estimators from model files."""
from __future__ import annotations

from typing import Any

from .._core.machine import Machine
from ._base import Path
from ._classification import KernelClassifier
from ._regression import KernelRegressor
from ._svm import OneClassSVM

_TASKS: dict[str, Any] = {
    "regression": KernelRegressor,
    "classification": KernelClassifier,
    "novelty": OneClassSVM,
}


def load(path: Path) -> Any:
    """The estimator of a model file that save() or the command has written.

    It is a KernelRegressor, a KernelClassifier or a OneClassSVM, depending on
    the task of the model, and predicts what the command would.  Columns are
    matched by name, and classes are numbers if all their names are.

    >>> import gram
    >>> gram.load("nowhere.gram")
    Traceback (most recent call last):
    gram.GramOSError: nowhere.gram: cannot be opened: No such file or directory
    """
    machine = Machine.load(path)
    return _TASKS[machine.report.task]._of(machine, path)
