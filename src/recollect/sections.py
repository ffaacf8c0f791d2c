"""Sections of the settings about people and prompts, and what every section is made of."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field


class Section(BaseModel):
    """Settings that belong together; an unknown name in it is an error."""

    model_config = ConfigDict(extra="forbid", validate_default=True)


def expanded(path: Path) -> Path:
    # Not Path.expanduser(): that raises where `~name` is nobody's, this leaves it as it is.
    return Path(os.path.expanduser(path))


UserPath = Annotated[Path, AfterValidator(expanded)]


def _from_json(value: Any) -> Any:
    # The environment has only text.
    return json.loads(value) if isinstance(value, str) else value


class PromptSettings(Section):
    """What the memory part of a prompt holds."""

    enabled: bool = Field(True, description="The kill switch: off, the memory part of every prompt is empty.")
    recall: bool = Field(
        True, description="Whether recalled memories are part of it; off, only what is in every prompt."
    )
    guidelines: bool = Field(
        False, description="Whether it tells the model when to search, save and forget memories."
    )
    facts: int = Field(50, ge=0, le=500, description="Most facts in it; the rest can still be recalled.")
    max_tokens: int = Field(4000, ge=100, le=100_000, description="Token budget of the whole.")
    recall_share: float = Field(
        0.5, ge=0, le=1, description="Share of the budget kept for recalled memories; more if it is left."
    )


class SimilaritySettings(Section):
    """How near is near enough, on a scale common to all models; measured models have their own for it."""

    facts_distance: float = Field(
        0.3, ge=0, le=1, description="A fact farther from the query than this does not answer it."
    )
    dedupe: float = Field(
        0.9, ge=0, le=1, description="Two memories at least this similar say the same; 1 keeps all apart."
    )


class HouseholdSettings(Section):
    """Who lives in the default space when it is made; afterwards the database says so."""

    file: UserPath | None = Field(
        None, description="JSON file that has all of this, instead of these settings."
    )
    display_name: str | None = Field(None, description="The household's name.")
    mode: str | None = Field(None, description="`single` or `multi`: how many people live there.")
    timezone: str | None = Field(None, description="For example America/New_York; UTC when left out.")
    locale: str | None = Field(None, description="For example en-US.")
    members: Annotated[list[dict[str, Any]], BeforeValidator(_from_json)] = Field(
        default_factory=list,
        description="The people: display_name, and what is known of pronouns, role, aliases, birth_date,"
        " notes, voice_ids. In the environment: a JSON list.",
    )


class FilesSettings(Section):
    """SOUL.md and MEMORY.md of each space, kept as files that people can edit."""

    folder: UserPath | None = Field(
        None,
        description="Folder with a folder per space; by default `spaces` in the home when the database is"
        " there too, otherwise none.",
    )
    enabled: bool = Field(True, description="Whether there are such files at all.")
