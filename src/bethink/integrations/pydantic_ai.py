"""The tools of memory for Pydantic AI.

    agent = Agent(model, toolsets=[BethinkToolset(memory)])

Needs `pip install 'bethink[pydantic-ai]'`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_core import SchemaValidator, core_schema

try:
    from pydantic_ai import ModelRetry, RunContext
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
except ModuleNotFoundError as error:
    raise ImportError("The toolset needs a package: pip install 'bethink[pydantic-ai]'") from error

from bethink.integrations.calling import Calls
from bethink.shapes.tools import ToolResult
from bethink.tools.call import call, offered

if TYPE_CHECKING:
    from bethink.memory import AsyncSpace
    from bethink.sync import Space

_ANY = SchemaValidator(core_schema.dict_schema())  # the tools check what they take themselves


class BethinkToolset(AbstractToolset[Any]):
    """Offers an agent the tools of a space; with `writes=False`, those that only read.

    What is wrong with a call is told to the model, which may try again.
    """

    def __init__(
        self,
        space: AsyncSpace | Space,
        *,
        writes: bool = True,
        max_retries: int = 2,
        id: str = "bethink",  # noqa: A002  (what Pydantic AI calls it)
    ) -> None:
        self._calls, self._writes, self._max_retries, self._id = Calls(space), writes, max_retries, id

    @property
    def id(self) -> str:
        """What tells this toolset from others."""
        return self._id

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:  # noqa: ARG002
        """The tools there are in the space now."""
        mode, tools = await self._calls.do(offered(self._calls.space, writes=self._writes))
        return {
            tool.name: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(
                    name=tool.name,
                    description=tool.description,
                    parameters_json_schema=tool.input_schema(mode),
                ),
                max_retries=self._max_retries,
                args_validator=_ANY,
            )
            for tool in tools
        }

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[Any],  # noqa: ARG002
        tool: ToolsetTool[Any],  # noqa: ARG002
    ) -> Any:
        """Do what the model called."""
        told: ToolResult = await self._calls.do(call(self._calls.space, name, tool_args, writes=self._writes))
        if told.is_error:
            raise ModelRetry(told.text)
        return told.data
