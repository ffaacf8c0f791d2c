"""How Recollect is set up: one tree of settings, each with a default that works.

Read from `recollect.toml`, then the environment (`RECOLLECT_EMBED_SOURCE` is `embed.source`), then
keyword arguments, each overriding the one before. An unknown name is an error that suggests the nearest.
"""

from __future__ import annotations

from recollect.settings.engine import EMBED_SOURCES as EMBED_SOURCES
from recollect.settings.engine import EMBEDDER_PLUGINS as EMBEDDER_PLUGINS
from recollect.settings.engine import EmbedSettings as EmbedSettings
from recollect.settings.engine import IndexSettings as IndexSettings
from recollect.settings.engine import LimitSettings as LimitSettings
from recollect.settings.engine import RecallSettings as RecallSettings
from recollect.settings.engine import RerankSettings as RerankSettings
from recollect.settings.engine import StoreSettings as StoreSettings
from recollect.settings.engine import known_source as known_source
from recollect.settings.names import PREFIX as PREFIX
from recollect.settings.names import map_names as map_names
from recollect.settings.names import setting_names as setting_names
from recollect.settings.names import variable_name as variable_name
from recollect.settings.read import FILE_NAME as FILE_NAME
from recollect.settings.read import find_file as find_file
from recollect.settings.tree import Settings as Settings
