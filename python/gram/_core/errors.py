"""What goes wrong, as exceptions that carry the library's sentence."""
from __future__ import annotations

import os
import sys
import warnings

# Files of the package begin so.
_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")


class GramError(Exception):
    """Anything that gram refuses or cannot do."""


class GramValueError(GramError, ValueError):
    """A text, name, number or size that is not possible here."""


class GramTypeError(GramError, TypeError):
    """Something that is not an array of numbers, or not a kernel."""


class GramMemoryError(GramError, MemoryError):
    """An allocation failed, or would have passed the budget."""


class GramOSError(GramError, OSError):
    """A file could not be read or written."""


class GramAttributeError(GramError, AttributeError):
    """What this model does not have."""


class GramWarning(UserWarning):
    """What a fit would like to be known, as the command prints it."""


# A traceback says gram.GramValueError, the name that users import.
for _kind in (GramError, *GramError.__subclasses__(), GramWarning):
    _kind.__module__ = "gram"


def warn(sentence: str, kind: type[Warning] = GramWarning) -> None:
    """Warn the line that called the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, kind, stacklevel=level)
