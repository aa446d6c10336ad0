"""Calls of the C library: options, progress, errors, memory for results."""
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

# The exception that a signal handler (KeyboardInterrupt on Ctrl-C, a timeout)
# or a progress bar raised during a call, by the thread that made the call.
_raised: dict[int, BaseException] = {}

# What a struct of options points to is kept alive as long as the struct.
_pointed_to: WeakKeyDictionary = WeakKeyDictionary()


def keep_raised(_: Any, value: BaseException, __: Any) -> None:
    """Keep the exception of a callback until the library returns."""
    _raised[get_ident()] = value


@ffi.def_extern(error=1, onerror=keep_raised)
def gram_python_asked(user: Any, done: float) -> int:
    """Tell progress; stop the call if a callback has raised an exception."""
    tell = ffi.from_handle(user)
    if tell is not None:
        tell(done)
    return int(get_ident() in _raised)


@ffi.def_extern(onerror=keep_raised)
def gram_python_entered(user: Any, name: Any) -> None:
    """Tell the stage that the call enters to a progress bar that shows it."""
    enter = getattr(ffi.from_handle(user), "enter", None)
    if enter is not None:
        enter(text(name))


def version() -> str:
    """The version of the library in use."""
    return text(lib.gram_version())


def text(chars: Any) -> str:
    """A string of C as a str."""
    return ffi.string(chars).decode("utf-8", "replace")


def chars(words: str, name: str) -> bytes:
    """A str as a string of C."""
    if "\0" in words:
        raise GramValueError(f"{name} {words!r}: contains a null character")
    try:
        return words.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise GramValueError(f"{name} {words!r}: {error.reason}") from error


def path_of(path: Any) -> bytes:
    """The name of a file as a string of C."""
    raw = os.fsencode(path)
    if b"\0" in raw:
        raise GramValueError(f"path {path!r}: contains a null character")
    return raw


def check(status: int, name: str = "") -> None:
    """Raise an exception if a call has failed; `name` is the argument that its
    sentence is about."""
    raised = _raised.pop(get_ident(), None)
    if raised is not None:
        raise raised
    if status == lib.GRAM_OK:
        return
    sentence = text(lib.gram_error_message())
    error = _ERRORS.get(status, GramValueError)
    raise error(f"{name}: {sentence}" if name else sentence)


def check_rows(status: int, name: str = "X") -> None:
    """Like check(), where `name` is put in front of sentences about a row or a
    column only."""
    sentence = text(lib.gram_error_message()) if status else ""
    about = sentence.startswith(("row ", "column ", "no column ", "a table "))
    check(status, name if about else "")


def make(function: Any, free: Any, *args: Any, name: str = "X") -> Any:
    """The object that a function creates through its last argument; it is freed
    when nothing refers to it any more."""
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
    """A struct of options: a text becomes a string of C, a dict an inner
    struct, and None means the default."""
    kept: list[Any] = []
    made = ffi.new(f"{kind} *", _in_c(given, kept))
    _pointed_to[made] = kept
    return made


def _field(value: Any, kind: Any, count: int) -> Any:
    if kind.kind == "array":  # of characters, as gram_plan.others
        return text(value)
    if kind.kind != "pointer":
        return value
    if kind.item.cname == "char":
        return text(value) if value else None
    count = count if value else 0
    if kind.item.kind == "pointer":
        return tuple(text(value[i]) for i in range(count))
    return np.array(ffi.unpack(value, count)) if count else np.empty(0)


def fields(
    report: Any, counts: dict[str, str], other: str = ""
) -> dict[str, Any]:
    """The members of a struct that is pointed to, as texts, numbers and arrays.
    The length of an array is the member that `counts` names, else `other`."""
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
    """Return the word if it is one of these; else raise an exception."""
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
    "select", "loo") is GRAM_SELECT_LOO.  `words` are the words that are valid
    here, if not all of them are."""
    values = ffi.typeof(kind).relements
    prefix = os.path.commonprefix(list(values)).rpartition("_")[0]
    named = {
        key[len(prefix) + 1 :].lower(): value for key, value in values.items()
    }
    return named[one_of(words or named, name, word)]


def whole(
    value: Any, name: str, least: int = 0, most: int = 2**31 - 1
) -> int:
    """Return the value as an int if it is a whole number in this range."""
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
    """Return the value as a float if it lies strictly between 0 and 1."""
    number = float(number_text(value, name))
    if not 0 < number < 1:
        raise GramValueError(f"{name} = {value}, must be between 0 and 1")
    return number


def number_text(value: Any, name: str) -> str:
    """A number as a text that the library reads."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise GramTypeError(
            f"{name}: a {type(value).__name__}, must be a number"
        )
    return repr(float(value))


def threads_of(n_jobs: Optional[int]) -> int:
    """The number of threads that n_jobs means: None and -1 are one per core,
    which is 0 here, -2 is one fewer."""
    if n_jobs is None:
        return 0
    if isinstance(n_jobs, (int, np.integer)) and n_jobs < 0:
        return max(1, len(os.sched_getaffinity(0)) + 1 + int(n_jobs))
    return whole(n_jobs, "n_jobs", 1)


def seed_of(random_state: Any) -> int:
    """The seed that random_state means; None is 0, so that results repeat."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    return whole(random_state, "random_state", 0, 2**64 - 1)


def doubles(array: np.ndarray) -> Any:
    """A pointer to the numbers of a contiguous array of doubles."""
    return ffi.cast("double *", array.ctypes.data)


class Running:
    """How a call runs: its `exec` is a gram_exec."""

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


def new_array(
    shape: tuple[int, ...], dtype: Any, running: Running
) -> np.ndarray:
    """An empty array in memory of the library, which is aligned, uses huge
    pages and counts towards the budget."""
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
