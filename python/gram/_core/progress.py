"""A progress bar for long calls: that of tqdm if it is installed."""
from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional


class _Line:
    """A line on standard error that is written anew at each step."""

    def __init__(self, title: str) -> None:
        self._title = self._shown = title
        self._width = 0

    def enter(self, stage: str) -> None:
        """Show the stage that begins: "choosing", "fitting"."""
        self._shown = f"{self._title}, {stage}"

    def __call__(self, done: float) -> None:
        """Show the share that is done."""
        line = f"{self._shown}: {100 * done:3.0f} %"
        sys.stderr.write(f"\r{' ' * self._width}\r{line}")
        sys.stderr.flush()
        self._width = len(line)

    def close(self) -> None:
        """End the bar."""
        sys.stderr.write("\n")


class _Bar:
    """The bar of tqdm, from 0 to 100."""

    def __init__(self, title: str, tqdm: Any) -> None:
        form = "{l_bar}{bar}| {elapsed}<{remaining}"
        self._title = title
        self._bar = tqdm(
            total=100.0, desc=title, bar_format=form, smoothing=0
        )

    def enter(self, stage: str) -> None:
        """Show the stage that begins: "choosing", "fitting"."""
        self._bar.set_description(f"{self._title}, {stage}")

    def __call__(self, done: float) -> None:
        """Show the share that is done."""
        self._bar.update(100 * done - self._bar.n)

    def close(self) -> None:
        """End the bar."""
        self._bar.close()


@contextmanager
def progress(
    verbose: Any, title: str
) -> Iterator[Optional[Callable[[float], None]]]:
    """Yield a function that shows the share that is done, with a method `enter`
    that shows the stage; None if not verbose."""
    if not verbose:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        bar: Any = _Line(title)
    else:
        bar = _Bar(title, tqdm)
    try:
        yield bar
        bar(1.0)
    finally:
        bar.close()
