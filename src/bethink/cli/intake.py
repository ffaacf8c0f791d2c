"""Lines into messages, messages into the memory, and what became of each."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from bethink.cli.lines import Line, Stream, numbered_lines, parse_line, refusal
from bethink.cli.output import Output, counted
from bethink.cli.progress import progress_bar
from bethink.errors import Conflict, InvalidInput
from bethink.memory import AsyncSpace

BATCH = 500  # messages stored in one transaction
ERRORS_SHOWN = 20
STATUSES = ("stored", "merged", "duplicate")


class Intake:
    """One run of `observe`."""

    def __init__(self, space: AsyncSpace, session: str | None, out: Output) -> None:
        self._space, self._session, self._out = space, session, out
        self._counts: Counter[str] = Counter()
        self._sessions: set[str] = set()
        self.refusals: list[InvalidInput] = []

    async def take_all(self, stream: Stream, size: int | None) -> None:
        """Take in every line of a stream, as it comes."""
        read = 0
        with progress_bar(self._out, "Observing", size, countable=False) as show:
            async for lines, length in numbered_lines(stream):
                await self._take_whole(lines)
                read += length
                show(read, size, f"Observing: {counted(self._counts.total(), 'message')}")

    def summarise(self) -> None:
        """Say what became of the lines."""
        if self._out.json:
            self._out.data(self._summary())
            return
        refused, total = len(self.refusals), self._counts.total()
        if refused > ERRORS_SHOWN:
            self._out.error(f"{refused - ERRORS_SHOWN:,} more lines are wrong.")
        if not total and not refused:
            example = '{"session": "…", "role": "user", "content": "…"}'
            self._out.note(f"There was no message. Each line is one: {example}")
            return
        parts = [f"{self._counts[status]:,} {status}" for status in STATUSES if self._counts[status]]
        where = f" in {counted(len(self._sessions), 'session')}" if self._sessions else ""
        self._out.line(f"{counted(total, 'message')}{where}: {', '.join(parts) or 'none stored'}")
        if refused:
            self._out.note(f"{counted(refused, 'line')} refused: correct them and observe those again.")

    async def _take_whole(self, lines: Sequence[tuple[int, bytes]]) -> None:
        """Store some lines; when that is broken off, first finish, so that all that is stored is counted."""
        taking = asyncio.ensure_future(self._take(lines))
        try:
            await asyncio.shield(taking)
        except asyncio.CancelledError:
            await taking
            raise

    async def _take(self, lines: Sequence[tuple[int, bytes]]) -> None:
        """Store the messages of some lines; those of one conversation in their order."""
        conversations: dict[str, list[Line]] = {}
        for number, raw in lines:
            try:
                line = parse_line(number, raw, self._session)
            except InvalidInput as error:
                self._refuse(error)
            else:
                if line is not None:
                    conversations.setdefault(line.session, []).append(line)
        # Together, so that they share their commits.
        await asyncio.gather(*(self._store_all(name, found) for name, found in conversations.items()))

    async def _store_all(self, session: str, lines: Sequence[Line]) -> None:
        for start in range(0, len(lines), BATCH):
            await self._store(session, lines[start : start + BATCH])

    async def _store(self, session: str, lines: Sequence[Line]) -> None:
        try:
            seen = await self._space.observe(session, [line.draft for line in lines])
        except (InvalidInput, Conflict) as error:
            if len(lines) == 1:
                self._refuse(refusal(lines[0].number, error.message))
                return
            half = len(lines) // 2  # the line to blame is in one of them, and the others shall not suffer
            await self._store(session, lines[:half])
            await self._store(session, lines[half:])
        else:
            self._sessions.add(session)
            self._counts.update(outcome.status.value for outcome in seen.outcomes)

    def _refuse(self, error: InvalidInput) -> None:
        self.refusals.append(error)
        if len(self.refusals) <= ERRORS_SHOWN and not self._out.json:
            self._out.error(error.message)

    def _summary(self) -> dict[str, object]:
        return {
            **{status: self._counts[status] for status in STATUSES},
            "refused": len(self.refusals),
            "sessions": sorted(self._sessions),
            "errors": [{"line": _number(error), "detail": error.message} for error in self.refusals],
        }


def _number(error: InvalidInput) -> int:
    return int((error.field or "line 0").removeprefix("line "))
