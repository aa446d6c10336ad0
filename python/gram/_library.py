"""Calls of libgram: status to exception, options, running, room for results."""
from __future__ import annotations

from typing import Any, Callable, Optional
from weakref import WeakKeyDictionary

import numpy as np

from ._errors import GramMemoryError, GramOSError, GramTypeError, GramValueError
from ._gram import ffi, lib

_ERRORS = {
    lib.GRAM_ERR_MEMORY: GramMemoryError,
    lib.GRAM_ERR_IO: GramOSError,
}

# The exception of a signal handler (KeyboardInterrupt of Ctrl-C, a timeout)
# that stopped a call.  Handlers run in the main thread only, so one is enough.
_raised: list[BaseException] = []

# What a struct of options points to lives as long as the struct.
_pointed_to: WeakKeyDictionary = WeakKeyDictionary()


@ffi.def_extern(error=1, onerror=lambda kind, value, _: _raised.append(value))
def gram_python_asked(user: Any, done: float) -> int:
    """Go on, unless a signal handler raises on the way into this function."""
    tell = ffi.from_handle(user)
    if tell is not None:
        tell(done)
    return 0


def version() -> str:
    """The version of the library that is running."""
    return text(lib.gram_version())


def text(chars: Any) -> str:
    """A string of the library's."""
    return ffi.string(chars).decode("utf-8", "replace")


def chars(words: str, name: str) -> bytes:
    """A string for the library."""
    if "\0" in words:
        raise GramValueError(f"{name} {words!r}: has a null character")
    return words.encode("utf-8", "surrogateescape")


def check(status: int, name: str = "") -> None:
    """Raise what a status other than GRAM_OK means; `name` is the argument
    that was at fault."""
    if status == lib.GRAM_OK:
        return
    if status == lib.GRAM_ERR_CANCELLED and _raised:
        raise _raised.pop()
    sentence = text(lib.gram_error_message())
    error = _ERRORS.get(status, GramValueError)
    raise error(f"{name}: {sentence}" if name else sentence)


def make(function: Any, free: Any, *args: Any) -> Any:
    """What a function makes through its last argument, freed when unused."""
    out = ffi.new(ffi.typeof(function).args[-1])
    check(function(*args, out))
    return ffi.gc(out[0], free)


def struct(kind: str, given: dict[str, Any]) -> Any:
    """A struct of options: texts become strings of C, None is left out."""
    kept = []
    values = {}
    for key, value in given.items():
        if isinstance(value, str):
            value = ffi.new("char[]", chars(value, key))
            kept.append(value)
        if value is not None:
            values[key] = value
    made = ffi.new(f"{kind} *", values)
    _pointed_to[made] = kept
    return made


def choice(kind: str, name: str, word: Any) -> int:
    """The value of an enumeration that a word names: choice("gram_select",
    "select", "loo") is GRAM_SELECT_LOO."""
    words = {
        key[len(kind) + 1 :].lower(): value
        for key, value in ffi.typeof(kind).relements.items()
    }
    if not isinstance(word, str) or word not in words:
        raise GramValueError(
            f"{name} = {word!r}, must be one of {', '.join(words)}"
        )
    return words[word]


def whole(value: Any, name: str, least: int = 0) -> int:
    """A whole number of at least that."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(
        value, (int, np.integer)
    ):
        raise GramTypeError(
            f"{name}: a {type(value).__name__}, must be a whole number"
        )
    if value < least:
        raise GramValueError(f"{name} = {value}, must be at least {least}")
    return int(value)


def doubles(array: np.ndarray) -> Any:
    """A pointer to the first of the doubles of a contiguous array."""
    return ffi.cast("double *", array.ctypes.data)


class Running:
    """How to run a call: a gram_exec in `exec`."""

    def __init__(
        self,
        threads: int = 0,
        seed: int = 0,
        memory: int = 0,
        tell: Optional[Callable[[float], Any]] = None,
    ) -> None:
        handle = ffi.new_handle(tell)
        user = ffi.new("gram_python_user *", {"handle": handle})
        self.exec = ffi.new(
            "gram_exec *",
            {
                "threads": whole(threads, "threads"),
                "seed": seed,
                "memory": whole(memory, "memory"),
                "progress": ffi.addressof(lib, "gram_python_progress"),
                "user": user,
            },
        )
        _pointed_to[self.exec] = handle, user


def room(shape: tuple[int, ...], dtype: Any, running: Running) -> np.ndarray:
    """An array of the library's memory: aligned, with huge pages, counted."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
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
