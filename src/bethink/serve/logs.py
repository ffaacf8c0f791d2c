"""The server's log: one line a happening, readable at a terminal and JSON elsewhere.

It says which route was asked by which key, how it ended and how long it took, under an id that the answer
has too. It holds no content, no query and no address; what an error quotes has its secrets masked.
"""

from __future__ import annotations

import logging
import sys
from typing import Any, Literal

import structlog
from structlog.types import Processor

from bethink.text.secrets import masked_json

Format = Literal["auto", "json", "text"]


def write_logs(level: str, form: Format) -> None:
    """Let everything that is logged in this process go to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(formatter(as_json=form == "json" or (form == "auto" and not sys.stderr.isatty())))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("bethink").setLevel(level.upper())


def formatter(*, as_json: bool) -> logging.Formatter:
    """How a line looks."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _without_nothing,
    ]
    last: list[Processor] = (
        [structlog.processors.JSONRenderer(ensure_ascii=False)]
        if as_json
        else [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
    )
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            _without_secrets,
            *last,
        ],
    )


def _without_secrets(_logger: Any, _name: str, line: Any) -> Any:
    return masked_json(line)


def _without_nothing(_logger: Any, _name: str, line: Any) -> Any:
    return {name: value for name, value in line.items() if value is not None}
