"""A progress bar on standard error; nothing where nobody is looking."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bethink.cli.output import Output

Show = Callable[[int, int | None, str | None], None]


@contextmanager
def progress_bar(
    out: Output, title: str, total: int | None = None, *, countable: bool = True
) -> Iterator[Show]:
    """Draw a bar. The function given takes how much is done, of how much, and perhaps a new title.

    What is `countable` is shown as a count, anything else as a percentage.
    """
    if not out.lively:
        yield lambda _done, _total, _title: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn() if countable else TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=out.progress_console, transient=True) as progress:
        task = progress.add_task(title, total=total)

        def show(done: int, total: int | None, title: str | None) -> None:
            progress.update(task, completed=done, total=total, description=title)

        yield show
