"""How Bethink is set up: one tree of settings, each with a default that works.

Read from the user's own `bethink.toml` (a trusted project's is laid over it), then the environment
(`BETHINK_EMBED_SOURCE` is `embed.source`), then keyword arguments, each overriding the one before.
An unknown name is an error that suggests the nearest.
"""

from __future__ import annotations

from bethink.settings.engine import EMBED_SOURCES as EMBED_SOURCES
from bethink.settings.engine import EMBEDDER_PLUGINS as EMBEDDER_PLUGINS
from bethink.settings.engine import EmbedSettings as EmbedSettings
from bethink.settings.engine import IndexSettings as IndexSettings
from bethink.settings.engine import LimitSettings as LimitSettings
from bethink.settings.engine import RecallSettings as RecallSettings
from bethink.settings.engine import RerankSettings as RerankSettings
from bethink.settings.engine import StoreSettings as StoreSettings
from bethink.settings.engine import Tier as Tier
from bethink.settings.engine import known_source as known_source
from bethink.settings.names import PREFIX as PREFIX
from bethink.settings.names import map_names as map_names
from bethink.settings.names import setting_names as setting_names
from bethink.settings.names import variable_name as variable_name
from bethink.settings.project import hosts_and_keys as hosts_and_keys
from bethink.settings.project import is_trusted as is_trusted
from bethink.settings.project import project_file as project_file
from bethink.settings.read import FILE_NAME as FILE_NAME
from bethink.settings.read import named_file as named_file
from bethink.settings.read import own_file as own_file
from bethink.settings.read import parsed as parsed
from bethink.settings.sections import DocumentSettings as DocumentSettings
from bethink.settings.tree import Settings as Settings
from bethink.settings.vectors import VECTOR_PLUGINS as VECTOR_PLUGINS
from bethink.settings.vectors import VECTOR_STORES as VECTOR_STORES
from bethink.settings.vectors import Quantisation as Quantisation
from bethink.settings.vectors import VectorSettings as VectorSettings
from bethink.settings.vectors import VectorStoreName as VectorStoreName
