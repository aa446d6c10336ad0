"""Cross-validation of several estimators on the same folds."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from sklearn.base import clone

from .._core._gram import ffi, lib
from .._core.errors import GramTypeError, GramValueError
from .._core.library import check, doubles, struct
from .._core.machine import MATRIX
from ._base import MachineEstimator
from ._tuned import Tuned


def _refuse(estimators: Sequence[Any]) -> None:
    if len(estimators) == 0:
        raise GramValueError(
            "estimators: the list is empty, must have at least 1"
        )
    for e in estimators:
        if not isinstance(e, MachineEstimator):
            raise GramTypeError(
                f"estimators: a {type(e).__name__}, must be a regressor or "
                "classifier of gram"
            )
        if e._task != estimators[0]._task:
            raise GramValueError(
                f"estimators: {type(e).__name__} is for {e._task}, must be for "
                f"{estimators[0]._task} as the first one is"
            )


def _mean(errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean of each row, with its standard error."""
    folds = errors.shape[1]
    return errors.mean(1), errors.std(1, ddof=1) / np.sqrt(folds)


def compare(
    estimators: Sequence[Any], X: Any, y: Any, sample_weight: Any = None
) -> dict[str, Any]:
    """Cross-validate estimators on the same folds, those of the first one.

    The errors of two estimators on the same fold are correlated, so that their
    difference is known more exactly than each of them.  What is open is chosen
    anew on the training rows of each fold.

    The result is a dict of columns with one entry per estimator: ``kernel``;
    ``error``, the mean over folds of the squared error, of the loss or of the
    share of wrong classes, with its ``std_error``; ``difference``, the error
    minus that of the first estimator, with its ``difference_std_error``; and
    ``errors``, those on each fold.

    Examples
    --------
    >>> import numpy as np, gram
    >>> X = np.linspace(0, 6, 80)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.cos(37 * X[:, 0])
    >>> found = gram.compare(
    ...     [gram.KernelRegressor("linear"), gram.KernelRegressor("rbf")], X, y)
    >>> bool(found["difference"][1] < -2 * found["difference_std_error"][1])
    True
    """
    _refuse(estimators)
    models = [clone(e) for e in estimators]
    prepared = [model._prepared(X, y, sample_weight) for model in models]
    made = [struct("gram_fit_options", options) for _, options in prepared]
    if any(options["kernel"] == MATRIX for _, options in prepared):
        raise GramValueError(
            "estimators: the kernel of one is a matrix or a function, must be "
            "a kernel of gram"
        )
    first, table = models[0], prepared[0][0]
    given = first._given_folds(lib.gram_table_rows(table))
    if given is not None:
        folds = len(np.unique(given))
    else:
        folds = first._fold_count() if isinstance(first, Tuned) else 5
    options = ffi.new("gram_fit_options[]", len(made))
    for i, one in enumerate(made):
        options[i] = one[0]
    errors = np.empty((len(made), folds))
    run = first._running().exec
    check(
        lib.gram_machine_cv(
            table, options, len(made), run, doubles(errors), ffi.NULL
        )
    )
    error, std_error = _mean(errors)
    difference, its_error = _mean(errors - errors[0])
    return {
        "kernel": [options["kernel"] for _, options in prepared],
        "error": error,
        "std_error": std_error,
        "difference": difference,
        "difference_std_error": its_error,
        "errors": list(errors),
    }
