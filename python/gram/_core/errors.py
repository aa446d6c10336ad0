"""Exceptions and warnings; most carry a sentence of the C library."""
from __future__ import annotations

import os
import sys
import warnings

# The paths of all files of the package begin with this.
_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")


class GramError(Exception):
    """The base class of all exceptions of gram."""


class GramValueError(GramError, ValueError):
    """A text, name, number or shape that is not valid here."""


class GramTypeError(GramError, TypeError):
    """An argument of the wrong type."""


class GramMemoryError(GramError, MemoryError):
    """An allocation failed, or would have exceeded the memory budget."""


class GramOSError(GramError, OSError):
    """A file could not be read or written."""


class GramAttributeError(GramError, AttributeError):
    """An attribute that this model does not have."""


class GramWarning(UserWarning):
    """Something that one should know before trusting a result."""


# A traceback says gram.GramValueError, the name that users import.
for _kind in (GramError, *GramError.__subclasses__(), GramWarning):
    _kind.__module__ = "gram"


def warn(sentence: str, kind: type[Warning] = GramWarning) -> None:
    """Issue a warning for the line of code that called the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, kind, stacklevel=level)
