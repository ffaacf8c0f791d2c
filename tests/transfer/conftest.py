from __future__ import annotations

from tests import opened

home, memory, spaces_postgres_url = opened.home, opened.memory, opened.spaces_postgres_url
