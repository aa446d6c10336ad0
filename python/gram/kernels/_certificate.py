"""Proofs that kernels are positive semidefinite, or reasons why not."""
from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Iterator, Optional

import numpy as np

from .._core._gram import ffi, lib
from .._core.library import make, text

_VERDICTS = {1: "certified", 0: "unknown", -1: "refuted"}
_SENTENCES = {
    "certified": "certified: positive semidefinite for all data in its domain",
    "unknown": "unknown: no rule proves it, no points refute it",
    "refuted": "refuted: not positive semidefinite",
}
_MARKS = {"certified": "", "unknown": "unproven, ", "refuted": "NOT PSD, "}
_DOWN, _ITEM, _LAST, _NONE = "│  ", "├─ ", "└─ ", "   "
_PAGE = 80


@dataclass(frozen=True)
class Step:
    """The verdict on one node of the expression; the steps of its parts follow,
    one level deeper."""

    depth: int
    text: str
    """The node as an expression."""
    psd: str
    """``"certified"``, ``"refuted"`` or ``"unknown"``."""
    rule: str
    why: str
    instead: Optional[str]
    """A similar expression that is certified, where one is known."""
    points: Optional[np.ndarray]
    """If it is refuted: rows whose kernel matrix has a negative eigenvalue."""
    eigenvalue: float
    """The smallest eigenvalue of that matrix, or NaN."""


@dataclass(frozen=True)
class Certificate:
    """The verdict on a kernel, and the steps that lead to it.

    >>> import gram
    >>> print(gram.Kernel("rbf*linear").certificate())
    rbf*linear
    │  product: a product of kernels (Schur, 1911)
    ├─ rbf
    │     known kernel: a Gaussian of a Euclidean distance (Schoenberg, 1938)
    └─ linear
          known kernel: an inner product
    <BLANKLINE>
    certified: positive semidefinite for all data in its domain
    """

    psd: str
    """``"certified"``, ``"refuted"`` or ``"unknown"``."""
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        lines = [line for i in range(len(self.steps)) for line in self._node(i)]
        lines += ["", _SENTENCES[self.psd]]
        if self.psd != "certified":
            lines += self._break()
        return "\n".join(lines)

    def _goes_on(self, i: int, depth: int) -> bool:
        """Does a node at that depth follow step i, before any above it?"""
        later = (s.depth for s in self.steps[i + 1 :] if s.depth <= depth)
        return next(later, None) == depth

    def _node(self, i: int) -> Iterator[str]:
        step = self.steps[i]
        passing = [
            _DOWN if self._goes_on(i, depth) else _NONE
            for depth in range(1, step.depth + 1)
        ]
        first = next_ = "".join(passing)
        if step.depth:
            first = "".join(passing[:-1])
            first += _ITEM if passing[-1] == _DOWN else _LAST
        parts = self.steps[i + 1 : i + 2]
        next_ += _DOWN if parts and parts[0].depth > step.depth else _NONE
        yield from _lines(step.text, first, next_)
        why = f"{_MARKS[step.psd]}{step.rule}: {step.why}"
        yield from _lines(why, next_, next_)

    def _break(self) -> Iterator[str]:
        """Where the proof fails: from the whole down to the first part that is
        not certified, until a part has a replacement."""
        here = whole = self.steps[0]
        for step in self.steps[1:]:
            if here.instead or step.depth <= here.depth:
                break
            if step.depth == here.depth + 1 and step.psd != "certified":
                here = step
        if here is not whole:
            yield from _entry("breaks at", here.text)
            yield from _entry("because", here.why)
        if here.points is not None:
            yield from _entry("shown by", _points(here))
        if here.instead:
            yield from _entry("use instead", here.instead)
        if here is not whole and whole.points is not None:
            yield from _entry("in all by", _points(whole))


def _lines(words: str, first: str, next_: str) -> list[str]:
    return wrap(
        words,
        max(_PAGE, len(first) + 24),
        initial_indent=first,
        subsequent_indent=next_,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _entry(head: str, words: str) -> list[str]:
    return _lines(words, f"  {head:<15}", " " * 17)


def _number(x: float, digits: int) -> str:
    return re.sub(r"e([-+])0", r"e\1", f"{x:.{digits}g}")


def _points(step: Step) -> str:
    assert step.points is not None
    rows = [",".join(_number(x, 6) for x in row) for row in step.points]
    if step.points.shape[1] > 1:
        rows = [f"({row})" for row in rows]
    noun = "point" if len(rows) == 1 else "points"
    return (
        f"the {noun} {', '.join(rows)}; smallest eigenvalue "
        f"{_number(step.eigenvalue, 4)}"
    )


def _step(s: Any) -> Step:
    points = None
    if s.points:
        numbers = ffi.unpack(s.points, s.count * s.d)
        points = np.array(numbers).reshape(s.count, s.d)
    return Step(
        s.depth,
        text(s.text),
        _VERDICTS[s.psd],
        text(s.rule),
        text(s.why),
        text(s.instead) if s.instead else None,
        points,
        s.eigenvalue,
    )


def certificate(kernel: Any) -> Certificate:
    """The certificate of a gram_kernel."""
    proof = make(lib.gram_proof_new, lib.gram_proof_free, kernel)
    count = lib.gram_proof_count(proof)
    steps = tuple(_step(lib.gram_proof_at(proof, i)) for i in range(count))
    return Certificate(_VERDICTS[lib.gram_proof_psd(proof)], steps)
