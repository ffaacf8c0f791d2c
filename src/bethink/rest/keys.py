"""/api/keys: who may use the server. For admins."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from bethink.keys.handle import AsyncKeys
from bethink.records import Record
from bethink.rest.callers import Admin
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.accounts import IssuedKey, KeyChange, KeyDraft, ListedKey
from bethink.shapes.fields import Name

router = APIRouter(prefix="/api/keys", tags=["keys"], route_class=KeyRoute)

KeyId = Annotated[Name, Path(alias="id", description="The key's id, which is not its secret.")]


class KeyList(Record):
    """Keys, in the order they were made."""

    items: list[ListedKey]


@router.get("", summary="List keys", response_description="The keys.", responses=problems())
async def list_keys(admin: Admin) -> KeyList:
    """Every key of every space, revoked ones too; never a secret."""
    return KeyList(items=await AsyncKeys(admin).list())


@router.post(
    "",
    status_code=201,
    summary="Make a key",
    response_description="The key with its secret, which is shown this once.",
    responses=problems(body=True),
)
async def create_key(draft: KeyDraft, admin: Admin) -> IssuedKey:
    """Make a key for a space. Keep the secret: only its hash stays here."""
    return await AsyncKeys(admin).create(draft.name, space=draft.space, role=draft.role)


@router.patch(
    "/{id}",
    summary="Change a key",
    response_description="The key as it is now.",
    responses=problems(404, 409, body=True),
)
async def change_key(key_id: KeyId, change: KeyChange, admin: Admin) -> ListedKey:
    """Call a key something else, or switch the gateway's memory for it: `on`, `off`, null as its space."""
    return await AsyncKeys(admin).update(key_id, **change.model_dump(exclude_unset=True))


@router.post(
    "/{id}/rotate",
    summary="Give a key a new secret",
    response_description="The key with its new secret, which is shown this once.",
    responses=problems(404, 409),
)
async def rotate_key(key_id: KeyId, admin: Admin) -> IssuedKey:
    """The old secret is dead at once, and browsers it signed in are signed out."""
    return await AsyncKeys(admin).rotate(key_id)


@router.delete(
    "/{id}", summary="Revoke a key", response_description="The revoked key.", responses=problems(404, 409)
)
async def revoke_key(key_id: KeyId, admin: Admin) -> ListedKey:
    """Make a key useless from now on, for good; browsers it signed in are signed out."""
    return await AsyncKeys(admin).revoke(key_id)
