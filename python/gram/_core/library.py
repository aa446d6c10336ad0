"""Calls of libgram: status to exception, options, running, room for results."""
from __future__ import annotations

import os
from numbers import Real
from threading import get_ident
from typing import Any, Callable, Iterable, Optional
from weakref import WeakKeyDictionary

import numpy as np

from ._gram import ffi, lib
from .errors import GramMemoryError, GramOSError, GramTypeError, GramValueError

_ERRORS = {
    lib.GRAM_ERR_MEMORY: GramMemoryError,
    lib.GRAM_ERR_IO: GramOSError,
}

# What a signal handler (KeyboardInterrupt of Ctrl-C, a timeout) or a progress
# bar raised during a call, by the thread that made the call.
_raised: dict[int, BaseException] = {}

# What a struct of options points to lives as long as the struct.
_pointed_to: WeakKeyDictionary = WeakKeyDictionary()


def keep_raised(_: Any, value: BaseException, __: Any) -> None:
    """What a function that C calls has raised waits for the call's end."""
    _raised[get_ident()] = value


@ffi.def_extern(error=1, onerror=keep_raised)
def gram_python_asked(user: Any, done: float) -> int:
    """Go on, unless something was raised, here or in another such function."""
    tell = ffi.from_handle(user)
    if tell is not None:
        tell(done)
    return int(get_ident() in _raised)


@ffi.def_extern(onerror=keep_raised)
def gram_python_entered(user: Any, name: Any) -> None:
    """Tell what the call goes over to, if somebody wants to know."""
    enter = getattr(ffi.from_handle(user), "enter", None)
    if enter is not None:
        enter(text(name))


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
    try:
        return words.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise GramValueError(f"{name} {words!r}: {error.reason}") from error


def path_of(path: Any) -> bytes:
    """The name of a file for the library."""
    raw = os.fsencode(path)
    if b"\0" in raw:
        raise GramValueError(f"path {path!r}: has a null character")
    return raw


def check(status: int, name: str = "") -> None:
    """Raise what a status other than GRAM_OK means; `name` is the argument
    that was at fault."""
    raised = _raised.pop(get_ident(), None)
    if raised is not None:
        raise raised
    if status == lib.GRAM_OK:
        return
    sentence = text(lib.gram_error_message())
    error = _ERRORS.get(status, GramValueError)
    raise error(f"{name}: {sentence}" if name else sentence)


def check_rows(status: int, name: str = "X") -> None:
    """check(), where sentences that begin with a row or a column are about the
    rows of this argument."""
    sentence = text(lib.gram_error_message()) if status else ""
    about = sentence.startswith(("row ", "column ", "no column ", "a table "))
    check(status, name if about else "")


def make(function: Any, free: Any, *args: Any, name: str = "X") -> Any:
    """What a function makes through its last argument, freed when unused."""
    out = ffi.new(ffi.typeof(function).args[-1])
    check_rows(function(*args, out), name)
    return ffi.gc(out[0], free)


def _in_c(given: dict[str, Any], kept: list[Any]) -> dict[str, Any]:
    values = {}
    for key, value in given.items():
        if isinstance(value, str):
            value = ffi.new("char[]", chars(value, key))
            kept.append(value)
        elif isinstance(value, dict):
            value = _in_c(value, kept)
        if value is not None:
            values[key] = value
    return values


def struct(kind: str, given: dict[str, Any]) -> Any:
    """A struct of options: texts become strings of C, a dict is a struct in it,
    None is left out."""
    kept: list[Any] = []
    made = ffi.new(f"{kind} *", _in_c(given, kept))
    _pointed_to[made] = kept
    return made


def _field(value: Any, kind: Any, count: int) -> Any:
    if kind.kind == "array":  # of characters
        return text(value)
    if kind.kind != "pointer":
        return value
    if kind.item.cname == "char":
        return text(value) if value else None
    count = count if value else 0
    if kind.item.kind == "pointer":
        return tuple(text(value[i]) for i in range(count))
    return np.array(ffi.unpack(value, count)) if count else np.empty(0)


def fields(report: Any, counts: dict[str, str], other: str = "") -> dict[str, Any]:
    """The fields of a struct that is pointed to: texts, numbers, and arrays;
    `counts` names the fields that tell how long these are, or it is `other`."""
    counts = {"warnings": "warning_count", "notes": "note_count", **counts}
    return {
        key: _field(
            getattr(report, key),
            field.type,
            getattr(report, counts.get(key, other), 0),
        )
        for key, field in ffi.typeof(report).item.fields
    }


def one_of(words: Iterable[str], name: str, word: Any) -> Any:
    """The word, if it is one of these."""
    words = tuple(words)
    if not isinstance(word, str) or word not in words:
        raise GramValueError(
            f"{name} = {word!r}, must be one of {', '.join(words)}"
        )
    return word


def choice(
    kind: str, name: str, word: Any, words: Optional[Iterable[str]] = None
) -> int:
    """The value of an enumeration that a word names: choice("gram_select",
    "select", "loo") is GRAM_SELECT_LOO.  `words` are those allowed here, if
    not all are."""
    values = ffi.typeof(kind).relements
    prefix = os.path.commonprefix(list(values)).rpartition("_")[0]
    named = {
        key[len(prefix) + 1 :].lower(): value for key, value in values.items()
    }
    return named[one_of(words or named, name, word)]


def whole(
    value: Any, name: str, least: int = 0, most: int = 2**31 - 1
) -> int:
    """A whole number between these."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(
        value, (int, np.integer)
    ):
        raise GramTypeError(
            f"{name}: a {type(value).__name__}, must be a whole number"
        )
    if value < least:
        raise GramValueError(f"{name} = {value}, must be at least {least}")
    if value > most:
        raise GramValueError(f"{name} = {value}, must be at most {most}")
    return int(value)


def share(value: Any, name: str) -> float:
    """A number between 0 and 1, neither of them."""
    number = float(number_text(value, name))
    if not 0 < number < 1:
        raise GramValueError(f"{name} = {value}, must be between 0 and 1")
    return number


def number_text(value: Any, name: str) -> str:
    """A number as the library reads it."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise GramTypeError(
            f"{name}: a {type(value).__name__}, must be a number"
        )
    return repr(float(value))


def threads_of(n_jobs: Optional[int]) -> int:
    """None: one per core; -1 as well, -2: one fewer."""
    if n_jobs is None:
        return 0
    if isinstance(n_jobs, (int, np.integer)) and n_jobs < 0:
        return max(1, len(os.sched_getaffinity(0)) + 1 + int(n_jobs))
    return whole(n_jobs, "n_jobs", 1)


def seed_of(random_state: Any) -> int:
    """None: 0, so that results can be repeated."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    return whole(random_state, "random_state", 0, 2**64 - 1)


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
                "memory": whole(memory, "memory", 0, 2**63),
                "progress": ffi.addressof(lib, "gram_python_progress"),
                "user": user,
                "stage": ffi.addressof(lib, "gram_python_stage"),
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
