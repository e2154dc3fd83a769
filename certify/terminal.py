"""What the command line shows while it works and when it is done: plain on a pipe, alive on a terminal."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from certify.errors import MOST_FAULTS, Fault, InputError

if TYPE_CHECKING:
    from certify.proving import Progress
    from certify.result import Result

QUIET_START = 1.0  # seconds of work that need no progress on a pipe
EVERY, AT_LEAST_EVERY = 1.0, 30.0  # seconds between lines of progress on a pipe: if the interval is new, or not
CLOCK_TICKS = hasattr(signal, "setitimer")
GRACE = 1.0  # seconds beyond the limit after which the clock breaks into the work


class Complaints:
    """Faults on stderr, one line each, at most 20 in a run: the last line then counts those left out."""

    def __init__(self) -> None:
        self._count = 0
        self._last = ""

    def tell(self, error: InputError) -> None:
        for fault in error.faults:
            self._count += 1
            if self._count < MOST_FAULTS:
                print(fault, file=sys.stderr)
            self._last = str(fault)

    def close(self) -> None:
        left = self._count - (MOST_FAULTS - 1)
        if left > 0:
            print(self._last if left == 1 else f"… and {left} more", file=sys.stderr)


def table(result: Result, face: TextIO) -> None:
    """The table of a result: with rich on a terminal, plain elsewhere."""
    if not face.isatty():
        print(result.to_text(), file=face, flush=True)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(show_header=False, box=None, title=Text(result.heading()), title_justify="left", pad_edge=False)
    shown.add_column(style="bold")
    shown.add_column(overflow="fold")
    for word, value in result.rows():
        shown.add_row(Text(word), Text(value))
    Console(file=face, highlight=False).print(shown)


@contextmanager
def ticker(quiet: bool, name: str | None = None) -> Iterator[Callable[[Progress], None] | None]:
    """Progress on stderr with the proved interval: one living line on a terminal, a line now and then elsewhere."""
    prefix = f"{name}: " if name else ""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.text import Text

        console = Console(stderr=True, highlight=False)
        with console.status(Text(f"{prefix}starting")) as status:
            yield lambda at: status.update(Text(f"{prefix}{progress_line(at)}"))
    else:
        yield _Lines(prefix)


class _Lines:
    """Progress for a log: nothing of short work, and never more than a line a second."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._interval: Any = None
        self._told = -AT_LEAST_EVERY

    def __call__(self, at: Progress) -> None:
        wait = EVERY if at.bounds != self._interval else AT_LEAST_EVERY
        if at.seconds < QUIET_START or at.seconds < self._told + wait:
            return
        self._interval, self._told = at.bounds, at.seconds
        print(f"{self._prefix}{progress_line(at)}", file=sys.stderr, flush=True)


def progress_line(at: Progress) -> str:
    """Seconds, the proved interval rounded outward, its gap, and what is being done, on one line."""
    from certify.result import interval_text

    gap = at.bounds.gap
    tail = "" if gap is None else f"  gap {float(gap):.1e}"
    return f"{at.seconds:6.1f} s  proved {interval_text(at.bounds)}{tail}  {' '.join(at.doing.split())[:80]}"


@contextmanager
def stopped_by(clock: float | None = None) -> Iterator[None]:
    """A polite kill ends work as Ctrl-C does, and so does the clock soon after that many seconds.

    The work watches its own time; this clock is for the step that it is still in the midst of then.
    """
    from certify.proving import TimeIsUpError

    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    def time_is_up(number: int, frame: Any) -> None:
        raise TimeIsUpError

    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, interrupt)}
    if CLOCK_TICKS and clock is not None:
        before[signal.SIGALRM] = signal.signal(signal.SIGALRM, time_is_up)
        signal.setitimer(signal.ITIMER_REAL, clock + GRACE)
    try:
        yield
    finally:
        if CLOCK_TICKS:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


class Clock:
    """Wall-clock seconds of one problem, of which reading it takes its share."""

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self._began = time.monotonic()

    def left(self) -> float | None:
        """Seconds left of the limit, at least 0; None if there is no limit."""
        return None if self.limit is None else max(0.0, self.limit - (time.monotonic() - self._began))


def one_line(error: BaseException) -> InputError:
    """An unexpected fault as one line."""
    what = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    return InputError(
        Fault("certify", f"a fault of ours, nothing was proved ({what})", "CERTIFY_DEBUG=1 shows where it is")
    )
