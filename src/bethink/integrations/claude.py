"""Claude's memory tool (`memory_20250818`): its files are memories here, so they can be recalled too.

    tool = ClaudeMemoryTool(memory)      # AsyncClaudeMemoryTool for AsyncBethink and AsyncAnthropic
    client.beta.messages.tool_runner(model=…, max_tokens=…, messages=messages, tools=[tool])

Needs `pip install 'bethink[anthropic]'`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar, cast

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
except ModuleNotFoundError as error:
    raise ImportError("Claude's memory tool needs a package: pip install 'bethink[anthropic]'") from error

from bethink.errors import InvalidInput
from bethink.integrations.claude_texts import (
    checked_path,
    inserted,
    is_within,
    listing,
    numbered,
    only_place,
    snippet,
)
from bethink.records import Memory
from bethink.sync.mirror import Mirror, loop_of, original_of
from bethink.text.fence import as_data, as_written

if TYPE_CHECKING:
    from anthropic.types.beta import (
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )

    from bethink.memory import AsyncSpace
    from bethink.sync import Space

SOURCE = "claude-memory-tool"
_PAGE = 1000
T = TypeVar("T")


class AsyncClaudeMemoryTool(BetaAsyncAbstractMemoryTool):
    """Keeps the files of Claude's memory tool in a space: a memory each, whose key is the path."""

    def __init__(self, space: AsyncSpace) -> None:
        super().__init__()
        self._space = space

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file with its line numbers, or what is in a directory."""
        path = _path(command.path)
        files = await self._files()
        if path in files:
            return as_data(numbered(path, files[path].content, command.view_range))
        if path != "/memories" and not any(is_within(name, path) for name in files):
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
        return as_data(listing(path, {name: len(file.content.encode()) for name, file in files.items()}))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        path = _path(command.path)
        if path in await self._files():
            raise ToolError(f"Error: File {path} already exists")
        await _tried(
            self._space.remember(command.file_text, key=path, title=path, source=SOURCE, type="semantic")
        )
        return f"File created successfully at: {path}"

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that stands in a file exactly once."""
        file = await self._file(command.path)
        old, new = command.old_str, command.new_str or ""
        if old not in file.content and as_written(old) in file.content:
            old, new = as_written(old), as_written(new)  # taken from a view, which shows it as data
        place = _sound(lambda: only_place(file.content, old, command.path))
        text = file.content[:place] + new + file.content[place + len(old) :]
        await self._write(file, text)
        return f"The memory file has been edited.\n{as_data(snippet(text, place))}"

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines after a line."""
        file = await self._file(command.path)
        text = _sound(lambda: inserted(file.content, command.insert_line, command.insert_text))
        await self._write(file, text)
        return f"The file {command.path} has been edited."

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a directory with all in it. The journal keeps what it was."""
        path = _path(command.path)
        if path == "/memories":
            raise ToolError("Cannot delete the /memories directory itself")
        gone = [file.id for name, file in (await self._files()).items() if is_within(name, path)]
        if not gone:
            raise ToolError(f"Error: The path {path} does not exist")
        await _tried(self._space.forget(*gone))
        return f"Successfully deleted {path}"

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a file or a directory."""
        old, new = _path(command.old_path), _path(command.new_path)
        files = await self._files()
        moved = {name: file for name, file in files.items() if is_within(name, old)}
        if old == "/memories" or not moved:
            raise ToolError(f"Error: The path {old} does not exist")
        if is_within(new, old) or any(is_within(name, new) for name in files):
            raise ToolError(f"Error: The destination {new} already exists")
        for name, file in moved.items():
            path = new + name[len(old) :]
            await _tried(self._space.update(file.id, key=path, title=path))
        return f"Successfully renamed {old} to {new}"

    async def clear_all_memory(self) -> str:
        """Delete every file."""
        await self._space.forget_many(sources=[SOURCE])
        return "All memory cleared"

    async def _files(self) -> dict[str, Memory]:
        """The files by their paths."""
        found: dict[str, Memory] = {}
        while True:
            page = await self._space.list(sources=[SOURCE], limit=_PAGE, offset=len(found))
            found |= {file.key: file for file in page if file.key}
            if len(page) < _PAGE:
                return found

    async def _file(self, given: str) -> Memory:
        """A file to edit: with what is masked elsewhere, or the mark would be written in its place."""
        path = _path(given)
        file = (await self._files()).get(path)
        if file is None:
            raise ToolError(f"Error: The path {path} does not exist. Please provide a valid path.")
        return await self._space.get(file.id, secrets=True)

    async def _write(self, file: Memory, text: str) -> None:
        await _tried(self._space.update(file.id, content=text))


class ClaudeMemoryTool(BetaAbstractMemoryTool):
    """The same without `await`, for `Bethink` and `Anthropic`."""

    def __init__(self, space: Space) -> None:
        super().__init__()
        self._files = AsyncClaudeMemoryTool(original_of(cast("Mirror", space)))
        self._loop = loop_of(cast("Mirror", space))

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file with its line numbers, or what is in a directory."""
        return self._loop.run(self._files.view(command))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        return self._loop.run(self._files.create(command))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that stands in a file exactly once."""
        return self._loop.run(self._files.str_replace(command))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines after a line."""
        return self._loop.run(self._files.insert(command))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a directory with all in it."""
        return self._loop.run(self._files.delete(command))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a file or a directory."""
        return self._loop.run(self._files.rename(command))

    def clear_all_memory(self) -> str:
        """Delete every file."""
        return self._loop.run(self._files.clear_all_memory())


def _path(given: str) -> str:
    return _sound(lambda: checked_path(given))


def _sound(work: Callable[[], T]) -> T:
    try:
        return work()
    except ValueError as error:
        raise ToolError(str(error)) from None


async def _tried(work: Coroutine[Any, Any, Any]) -> None:
    """Do something; what is wrong with the input is told to the model."""
    try:
        await work
    except InvalidInput as error:
        raise ToolError(f"Error: {error.message}") from None
