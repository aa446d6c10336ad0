"""Docstrings that are completed from one another.

What several estimators or functions share is described once: in the docstring
of a class that they derive from, or of another function.  The sections have
the form that NumPy uses, with the names of an entry in one line:

    Parameters
    ----------
    tolerance, steps
        What they mean.
"""
from __future__ import annotations

import inspect
import re
from typing import Any, Callable, Iterator, TypeVar

Thing = TypeVar("Thing")
_TITLE = re.compile(r"^(\w+)\n-+\n", re.M)
_COMMON = """Parameters that occur in more than one sub-package.

Parameters
----------
scale
    Which parts of the kernel standardise their columns: ``"auto"``, inner
    products and distances whose scale no number in the kernel fixes;
    ``"standard"``, all that use numbers; ``"minmax"``, likewise, to the range
    from 0 to 1; or ``"none"``.
memory
    How many bytes a call may allocate; None: three quarters of RAM, less what
    gram holds in this process when the call begins.
random_state
    The seed of all random numbers; None is 0, so that results can be repeated.
n_jobs
    How many threads to use; None: one per core.  Results do not depend on it.
"""


def _sections(docstring: str) -> dict[str, str]:
    """The sections by title; what precedes the first one has the title ""."""
    parts = _TITLE.split(inspect.cleandoc(docstring) + "\n")
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2]))}


def entries(docstring: str, title: str) -> dict[str, str]:
    """The entries of a section, by the names that they describe."""
    section = _sections(docstring).get(title, "")
    found = {}
    for entry in re.split(r"\n(?=\S)", section.strip()):
        names = entry.partition("\n")[0].partition(" : ")[0]
        found.update(dict.fromkeys(names.split(", "), entry))
    found.pop("", None)
    return found


def _properties(thing: Any) -> Iterator[tuple[str, str]]:
    """Attributes that are properties, with entries made of their docstrings."""
    for name, value in vars(thing).items():
        if isinstance(value, property) and not name.startswith("_"):
            kind = getattr(value.fget, "__annotations__", {}).get("return")
            head = name if kind in (None, "Any") else f"{name} : {kind}"
            lines = inspect.cleandoc(value.__doc__ or "").split("\n")
            yield name, "\n    ".join([head, *lines])


def _joined(found: dict[str, str]) -> str:
    # an entry of several names appears once
    return "\n".join(dict.fromkeys(found.values())) + "\n\n"


def _completed(thing: Any, others: tuple[Any, ...]) -> str:
    sources = [*getattr(thing, "__mro__", [thing]), *others]
    texts = [source.__doc__ or "" for source in sources]
    parameters: dict[str, str] = {}
    for text in reversed([*texts, _COMMON]):
        parameters.update(entries(text, "Parameters"))
    attributes: dict[str, str] = {}
    for source, text in zip(sources, texts):
        own = entries(text, "Attributes")
        if isinstance(source, type):
            own.update(_properties(source))
        attributes.update({k: own[k] for k in own if k not in attributes})
    names = inspect.signature(thing).parameters
    sections = _sections(thing.__doc__)
    made = {
        "": sections.pop(""),
        "Parameters": _joined(
            {name: parameters[name] for name in names if name in parameters}
        ),
        "Attributes": _joined(attributes) if attributes else "",
    }
    made.update({k: sections[k] for k in sections if k not in made})
    return "".join(
        f"{title}\n{'-' * len(title)}\n{text}" if title else text
        for title, text in made.items()
        if text
    )


def described(*others: Any) -> Callable[[Thing], Thing]:
    """A decorator that adds to a docstring what it lacks: the parameters of the
    signature and the attributes that are described in the base classes of a
    class, in the docstrings of `others`, or above."""

    def complete(thing: Any) -> Any:
        if thing.__doc__ is not None:  # it is, under python -OO
            thing.__doc__ = _completed(thing, others)
        return thing

    return complete
