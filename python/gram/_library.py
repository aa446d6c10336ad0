"""Calls of libgram: status to exception, running, room for results."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import GramMemoryError, GramOSError, GramValueError
from ._gram import ffi, lib

_ERRORS = {
    lib.GRAM_ERR_MEMORY: GramMemoryError,
    lib.GRAM_ERR_IO: GramOSError,
}

# The exception of a signal handler (KeyboardInterrupt of Ctrl-C, a timeout)
# that stopped a call.  Handlers run in the main thread only, so one is enough.
_raised: list[BaseException] = []


@ffi.def_extern(error=1, onerror=lambda kind, value, _: _raised.append(value))
def gram_python_asked(user: Any, done: float) -> int:
    """Go on, unless a signal handler raises on the way into this function."""
    return 0


def version() -> str:
    """The version of the library that is running."""
    return text(lib.gram_version())


def text(chars: Any) -> str:
    """A string of the library's."""
    return ffi.string(chars).decode("utf-8", "replace")


def check(status: int) -> None:
    """Raise what a status other than GRAM_OK means."""
    if status == lib.GRAM_OK:
        return
    if status == lib.GRAM_ERR_CANCELLED and _raised:
        raise _raised.pop()
    raise _ERRORS.get(status, GramValueError)(text(lib.gram_error_message()))


def make(function: Any, free: Any, *args: Any) -> Any:
    """What a function makes through its last argument, freed when unused."""
    out = ffi.new(ffi.typeof(function).args[-1])
    check(function(*args, out))
    return ffi.gc(out[0], free)


class Running:
    """A gram_exec, and what it points to, for the length of a call."""

    def __init__(self, threads: int) -> None:
        self._next_question = ffi.new("long long *", 0)
        self.exec = ffi.new(
            "gram_exec *",
            {
                "threads": threads,
                "progress": ffi.addressof(lib, "gram_python_progress"),
                "user": self._next_question,
            },
        )


def room(shape: tuple[int, int], dtype: Any, running: Running) -> np.ndarray:
    """An array of the library's memory: aligned, with huge pages, counted."""
    dtype = np.dtype(dtype)
    count = shape[0] * shape[1]
    if count == 0:
        return np.empty(shape, dtype)
    memory = make(
        lib.gram_memory_new,
        lib.gram_memory_free,
        count,
        dtype.itemsize,
        running.exec,
    )
    buffer = ffi.buffer(memory, count * dtype.itemsize)
    return np.frombuffer(buffer, dtype).reshape(shape)
