"""Claude's memory tool (`memory_20250818`): its files are memories here, so they can be recalled too.

    tool = ClaudeMemoryTool(memory)      # AsyncClaudeMemoryTool for AsyncBethink and AsyncAnthropic
    client.beta.messages.tool_runner(model=…, max_tokens=…, messages=messages, tools=[tool])

Needs `pip install 'bethink[anthropic]'`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
except ModuleNotFoundError as error:
    raise ImportError("Claude's memory tool needs a package: pip install 'bethink[anthropic]'") from error

from bethink.errors import InvalidInput
from bethink.integrations.claude_texts import (
    ROOT,
    checked_path,
    in_a_file,
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
        BetaCacheControlEphemeralParam,
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
EDITED = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
_PAGE = 1000
T = TypeVar("T")


class AsyncClaudeMemoryTool(BetaAsyncAbstractMemoryTool):
    """Keeps the files of Claude's memory tool in a space: a memory each, whose key is the path."""

    def __init__(
        self, space: AsyncSpace, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._space = space

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file with its line numbers, or what is in a directory."""
        path = _path(command.path)
        files = await self._files()
        if path in files:
            return as_data(numbered(path, _text(files[path]), command.view_range))
        if path != ROOT and not any(is_within(name, path) for name in files):
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
        return as_data(listing(path, {name: len(_text(file).encode()) for name, file in files.items()}))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        path, files = _path(command.path), await self._files()
        if path == ROOT or any(is_within(name, path) for name in files):
            raise ToolError(f"File {path} already exists")
        _check_folder(path, files)
        fields: dict[str, Any] = {"key": path, "title": path, "source": SOURCE, "type": "semantic"}
        await _tried(self._space.remember(**_kept(path, command.file_text), **fields))
        return f"File created successfully at: {path}"

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that stands in a file exactly once."""
        file = await self._file(command.path)
        old, new = command.old_str, command.new_str or ""
        before = _text(file)
        if old not in before and as_written(old) in before:
            old, new = as_written(old), as_written(new)  # taken from a view, which shows it as data
        place = _sound(lambda: only_place(before, old, command.path))
        text = before[:place] + new + before[place + len(old) :]
        await self._write(file, text)
        return f"{EDITED}\n{as_data(snippet(text, place))}"

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines after a line."""
        file = await self._file(command.path)
        text = _sound(lambda: inserted(_text(file), command.insert_line, command.insert_text))
        await self._write(file, text)
        return f"The file {command.path} has been edited."

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a directory with all in it. The journal keeps what it was."""
        path = _path(command.path)
        if path == ROOT:
            raise ToolError("Cannot delete the /memories directory itself")
        gone = [file.id for name, file in (await self._files()).items() if is_within(name, path)]
        if not gone:
            raise ToolError(f"The path {path} does not exist")
        await _tried(self._space.forget(*gone))
        return f"Successfully deleted {path}"

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a file or a directory."""
        old, new = _path(command.old_path), _path(command.new_path)
        files = await self._files()
        moved = {name: file for name, file in files.items() if is_within(name, old)}
        if old == ROOT:
            raise ToolError("Cannot rename the /memories directory itself")
        if is_within(new, old) or new == ROOT or any(is_within(name, new) for name in files):
            raise ToolError(f"The destination {new} already exists")
        if not moved:
            raise ToolError(f"The path {old} does not exist")
        _check_folder(new, files)
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
        path, files = _path(given), await self._files()
        file = files.get(path)
        if file is None:
            folder = path == ROOT or any(is_within(name, path) for name in files)
            missing = "does not exist. Please provide a valid path."
            raise ToolError(f"The path {path} {'is not a file.' if folder else missing}")
        return await self._space.get(file.id, secrets=True)

    async def _write(self, file: Memory, text: str) -> None:
        await _tried(self._space.update(file.id, **_kept(file.key or ROOT, text)))


class ClaudeMemoryTool(BetaAbstractMemoryTool):
    """The same without `await`, for `Bethink` and `Anthropic`."""

    def __init__(self, space: Space, *, cache_control: BetaCacheControlEphemeralParam | None = None) -> None:
        super().__init__(cache_control=cache_control)
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


def _kept(path: str, text: str) -> dict[str, Any]:
    """A file's text as a memory has it; where it is blank, as no memory is, its path stands for it."""
    if text.strip():
        return {"content": text, "metadata": {SOURCE: {}}}
    return {"content": path, "metadata": {SOURCE: {"blank": text}}}


def _text(file: Memory) -> str:
    """What is in a file."""
    blank = (file.metadata.get(SOURCE) or {}).get("blank")
    return blank if isinstance(blank, str) else file.content


def _check_folder(path: str, files: Mapping[str, Memory]) -> None:
    if in_a_file(path, files):
        raise ToolError(f"The path {path} leads through a file, which is not a directory.")


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
        raise ToolError(error.message) from None
