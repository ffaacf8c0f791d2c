"""Keys and spaces as those who run a server see them: what they hand in, and what they get back."""

from __future__ import annotations

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from bethink.records import Key, Record, Role, Space, Switch, Utc
from bethink.shapes.fields import Name, Title

GLOBAL_SPACE = "global"  # what every space may include in its recall; only admins write to it


class KeyDraft(Record):
    """A key to make."""

    name: Name = Field(description="What the key is for, to tell keys apart.")
    role: Role = Field(Role.MEMBER, description="`admin`: everything. `member`: its own space. `reader`: only"
                       " reads it.")  # fmt: skip
    space: Name | None = Field(
        None, description="The space it opens, made if there is none; your own when left out."
    )


class KeyChange(Record):
    """What of a key to change; what is left out stays."""

    name: Name | None = None
    memory: Switch | None = Field(
        None, description="Whether the gateway uses memory for this key; null leaves it to the space."
    )

    @field_validator("name", mode="before")
    @classmethod
    def _has_a_name(cls, name: object) -> object:
        if name is None:
            raise PydanticCustomError("required", "cannot be emptied; leave it out to keep it as it is")
        return name


class ListedKey(Key):
    """A key and the name of the space it opens."""

    space: str


class IssuedKey(ListedKey):
    """A key with its secret, which is shown this once and never again."""

    secret: str = Field(description="What to send as `Authorization: Bearer …`. Only its hash is kept.")


class SpaceDraft(Record):
    """A space to make."""

    name: Name = Field(description="By what requests name it.")
    display_name: Title | None = Field(None, description="By what people know it; the name when left out.")


class SpaceChange(Record):
    """What of a space to change."""

    name: Name | None = Field(None, description="Requests that still use the old name find nothing.")
    display_name: Title | None = None


class ListedSpace(Space):
    """A space and how much it holds: memories, messages, facts, people and active keys."""

    counts: dict[str, int]


class SignedIn(Record):
    """Who is asking."""

    key_id: str
    name: str = Field(description="The key's name.")
    role: Role
    space: str = Field(description="The space the key opens.")
    expires_at: Utc | None = Field(
        description="When the browser's session ends; null with a key in a header."
    )
