"""Take in what another program posts, by the mapping that its platform has."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from bethink.clock import now
from bethink.conversations.mapping import Mapped, read_payload
from bethink.conversations.take_in import Piece, take_in
from bethink.core import Core
from bethink.records import Space
from bethink.shapes.fields import check_name, check_sizes
from bethink.shapes.ingest import Ingested, IngestedMessage, IngestMapping
from bethink.store import Tx, messages, spaces


async def ingest(
    core: Core,
    space: Space,
    platform: str,
    payload: Any,
    mapping: IngestMapping | None,
    actor: str,
    *,
    dry_run: bool,
) -> Ingested:
    """Take in the messages of a body, or say what would be taken in."""
    check_name(platform, "platform")
    if mapping is None:
        kept = (await core.options.of(space)).ingest.get(platform, {})
        mapping = IngestMapping.model_validate(kept)
    current = await core.driver.read(spaces.get, space.id)
    mapped, empty = read_payload(payload, mapping, platform, ZoneInfo(current.timezone))
    for one in mapped:
        check_name(one.session, "session")
    drafts = core.secrecy.to_store([one.draft for one in mapped])
    check_sizes(core.settings.limits, count=len(drafts), texts=[draft.content for draft in drafts])
    mapped = [Mapped(one.session, draft) for one, draft in zip(mapped, drafts, strict=True)]
    if dry_run:
        return _foreseen(platform, empty, await core.driver.read(_shown, space, platform, mapped))
    pieces = _pieces(mapped)
    counts = await core.driver.write(take_in, space, pieces, now(), actor, core.settings.index.text_form)
    for piece in pieces if counts["message"] or counts["merged"] else ():
        await core.changed("message", space, session_id=piece.session_id)
    return Ingested(
        platform=platform,
        dry_run=False,
        stored=counts["message"],
        edited=counts["merged"],
        duplicates=counts["duplicate"],
        empty=empty,
    )


def _pieces(mapped: list[Mapped]) -> list[Piece]:
    """The messages by conversation, each in its order."""
    found: dict[str, Piece] = {}
    for one in mapped:
        found.setdefault(one.session, Piece(one.session, None)).drafts.append(one.draft)
    return list(found.values())


def _shown(tx: Tx, space: Space, platform: str, mapped: list[Mapped]) -> list[IngestedMessage]:
    ids = [one.draft.external_id or "" for one in mapped]
    known = messages.sessions_by_external_ids(tx, space.id, platform, ids)
    return [
        IngestedMessage(
            session=one.session,
            id=one.draft.external_id or "",
            role=one.draft.role,
            name=one.draft.name,
            sent_at=one.draft.sent_at,
            content=one.draft.content,
            known=one.draft.external_id in known,
        )
        for one in mapped
    ]


def _foreseen(platform: str, empty: int, shown: list[IngestedMessage]) -> Ingested:
    known = sum(one.known for one in shown)
    return Ingested(
        platform=platform,
        dry_run=True,
        stored=len({one.id for one in shown if not one.known}),
        edited=0,
        duplicates=known,
        empty=empty,
        messages=shown,
    )
