"""Live progress of a run, on standard error and only to a terminal."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, Self

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


class Display(Protocol):
    """The display of a run's progress: its part, counts, times, findings so far."""

    def part(self, name: str, total: int | None = None) -> None:
        """A part of the run begins; with ``total`` None it lasts as long as there is time."""
        ...

    def advance(self, name: str, count: int = 1) -> None:
        """A number of further items are done."""
        ...

    def findings(self, count: int) -> None:
        """The number of findings so far."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Silent:
    """No progress: standard error is not a terminal."""

    def part(self, name: str, total: int | None = None) -> None:
        pass

    def advance(self, name: str, count: int = 1) -> None:
        pass

    def findings(self, count: int) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass


class Bars:
    """One line for each part: its name, a bar if the end is known, count and time."""

    def __init__(self) -> None:
        from isodelta.terminal import notes

        self._progress = Progress(
            SpinnerColumn(finished_text="✓"),
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[count]}"),
            TimeElapsedColumn(),
            console=notes(),
        )
        self._tasks = {"findings": self._progress.add_task("findings so far", count="0")}

    def part(self, name: str, total: int | None = None) -> None:
        shown = "0" if total is None else f"0 of {total}"
        self._tasks[name] = self._progress.add_task(name, total=total, count=shown)

    def advance(self, name: str, count: int = 1) -> None:
        task = self._tasks[name]
        self._progress.advance(task, count)
        state = next(t for t in self._progress.tasks if t.id == task)
        done = int(state.completed)
        total = "" if state.total is None else f" of {int(state.total):,}"
        self._progress.update(task, count=f"{done:,}{total}")

    def findings(self, count: int) -> None:
        self._progress.update(self._tasks["findings"], count=str(count))

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()


def display() -> Display:
    """The display for standard error: lines on a terminal, else nothing."""
    from isodelta.terminal import show_progress

    return Bars() if show_progress() else Silent()
