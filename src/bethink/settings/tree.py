"""The tree of all settings, and how it is made from what was read."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Self, Unpack

from platformdirs import user_data_path
from pydantic import AfterValidator, Field, ValidationError

from bethink.errors import SettingsError
from bethink.settings.engine import (
    EmbedSettings,
    IndexSettings,
    LimitSettings,
    RecallSettings,
    RerankSettings,
    StoreSettings,
)
from bethink.settings.keywords import SettingValues
from bethink.settings.lifecycle import LifecycleSettings
from bethink.settings.mail import MailSettings
from bethink.settings.names import setting_names
from bethink.settings.project import Warn, from_project, project_file
from bethink.settings.read import from_environment, from_file, merge, named_file, own_file
from bethink.settings.sections import (
    CaptureSettings,
    ChatSettings,
    DocumentSettings,
    ExtractionSettings,
    FilesSettings,
    HouseholdSettings,
    PromptSettings,
    Section,
    ServerSettings,
    SimilaritySettings,
    UserPath,
)
from bethink.settings.tools import McpSettings, ToolSettings
from bethink.settings.upstreams import GatewaySettings
from bethink.settings.vectors import VectorSettings

_log = logging.getLogger(__name__)


class Settings(Section):
    """All settings. `Settings.load()` reads them; a section is an attribute, e.g. `settings.recall.limit`."""

    home: UserPath = Field(
        default_factory=lambda: user_data_path("bethink"),
        description="Data directory; holds the SQLite file.",
    )
    url: Annotated[str, AfterValidator(os.path.expanduser)] | None = Field(
        None,
        description="Database: a file, `:memory:` or `postgresql://…`; by default `memory.db` in the home.",
    )
    space: str = Field("default", min_length=1, max_length=200, description="Space used when none is named.")
    embed: EmbedSettings = EmbedSettings()
    chat: ChatSettings = ChatSettings()
    extraction: ExtractionSettings = ExtractionSettings()
    capture: CaptureSettings = CaptureSettings()
    store: StoreSettings = StoreSettings()
    index: IndexSettings = IndexSettings()
    vectors: VectorSettings = VectorSettings()
    recall: RecallSettings = RecallSettings()
    rerank: RerankSettings = RerankSettings()
    similarity: SimilaritySettings = SimilaritySettings()
    prompt: PromptSettings = PromptSettings()
    household: HouseholdSettings = HouseholdSettings()
    files: FilesSettings = FilesSettings()
    documents: DocumentSettings = DocumentSettings()
    server: ServerSettings = ServerSettings()
    gateway: GatewaySettings = GatewaySettings()
    lifecycle: LifecycleSettings = LifecycleSettings()
    mail: MailSettings = MailSettings()
    tools: ToolSettings = ToolSettings()
    mcp: McpSettings = McpSettings()
    limits: LimitSettings = LimitSettings()

    @property
    def database_url(self) -> str:
        """Where the database is, with the default filled in."""
        return self.url or str(self.home / "memory.db")

    @property
    def files_folder(self) -> Path | None:
        """Where the files of the spaces are; None when they are not kept as files."""
        if not self.files.enabled:
            return None
        return self.files.folder or (self.home / "spaces" if self.url is None else None)

    @classmethod
    def load(
        cls,
        *,
        file: Path | None = None,
        environ: Mapping[str, str] | None = None,
        warn: Warn = _log.warning,
        **overrides: Unpack[SettingValues],
    ) -> Self:
        """Settings from the file, then the environment, then `overrides` (sections as dicts).

        Without a `file`, the one that `BETHINK_CONFIG` names counts, else the user's own, with a trusted
        project's laid over it; `warn` is told of a project's file that does not count.
        """
        environ = os.environ if environ is None else environ
        if named := file or named_file(environ):
            values = from_file(named)
        else:
            own = own_file(environ)
            values = from_file(own)
            if project := project_file(own):
                merge(values, from_project(project, cls, warn))
        merge(values, from_environment(environ, cls))
        merge(values, overrides)
        return cls.checked(values)

    def with_overrides(self, overrides: Mapping[str, Any]) -> Self:
        """The same settings with some values replaced (sections as dicts)."""
        values = self.model_dump(exclude_unset=True)
        merge(values, overrides)
        return self.checked(values)

    @classmethod
    def checked(cls, values: Mapping[str, Any]) -> Self:
        """Settings from a plain mapping; every mistake in it is named in the error."""
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            problems = [_explain(problem) for problem in error.errors(include_url=False)]
            raise SettingsError("; ".join(problems), field=_dotted(error.errors()[0]["loc"])) from None


def _explain(problem: Any) -> str:
    name = _dotted(problem["loc"])
    if problem["type"] != "extra_forbidden":
        return f"{name}: {problem['msg']}"
    near = get_close_matches(
        name, list(setting_names(Settings)) + list(Settings.model_fields), n=1, cutoff=0.5
    )
    return f"Unknown setting {name}" + (f"; did you mean {near[0]}?" if near else "")


def _dotted(location: tuple[Any, ...]) -> str:
    return ".".join(str(part) for part in location)
