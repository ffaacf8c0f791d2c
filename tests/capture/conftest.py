from __future__ import annotations

from tests import opened

spaces_postgres_url = opened.spaces_postgres_url
home = opened.home
memory = opened.memory
