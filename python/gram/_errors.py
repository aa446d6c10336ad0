"""What goes wrong, as exceptions that carry the library's sentence."""
from __future__ import annotations


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


class GramWarning(UserWarning):
    """What a fit would like to be known, as the command prints it."""
