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
    """The estimator of a model file, written by the command or by save().

    A KernelRegressor, a KernelClassifier or a OneClassSVM, as the model's task
    is.  It predicts what the command would; columns are matched by name, and
    classes are numbers if all their names are.

    >>> import gram
    >>> gram.load("nowhere.gram")
    Traceback (most recent call last):
    gram.GramOSError: nowhere.gram: cannot be opened: No such file or directory
    """
    machine = Machine.load(path)
    return _TASKS[machine.report.task]._of(machine, path)
