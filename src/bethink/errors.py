"""Everything Bethink raises, in one tree.

    BethinkError
    ├── InvalidInput            also a ValueError: a field is wrong; says which and how to fix it
    │   ├── TooLarge            a field or a request is over its limit
    │   └── SettingsError       a setting is unknown or has a bad value
    ├── NotFound                also a LookupError: no such record in this space
    ├── Conflict                the write contradicts what is stored
    ├── AccessDenied            the key is missing, unknown, revoked or not allowed to do this
    │   └── Unauthenticated     no valid key was presented
    ├── StoreError              the database refused or is out of reach
    │   ├── MigrationError      the schema could not be brought up to date
    │   ├── Corrupt             the database itself reports that it is damaged
    │   └── Damaged             a record cannot be read; says which
    ├── ModelError              a model could not be loaded, reached or understood
    │   ├── ModelMissing        the model or the package that runs it is not installed
    │   ├── ModelBusy           the model's host takes no more for a while
    │   └── ExtractionFailure   a chat model gave nothing that memories could be made of
    ├── MailError               a mail server could not be reached, or refused
    ├── Overloaded              too many ask at once; ask again a little later
    └── Closed                  the memory was used after close()
        └── Forked              the memory was opened before this process was forked

Each class's docstring is its default message; `field` names the offending input where there is one.
"""

from __future__ import annotations

from typing import Self


class BethinkError(Exception):
    """Something went wrong in Bethink."""

    def __init__(self, message: str | None = None, *, field: str | None = None) -> None:
        self.message = message or (type(self).__doc__ or "").strip()
        self.field = field
        super().__init__(self.message)


class InvalidInput(BethinkError, ValueError):
    """The input is not valid."""


class TooLarge(InvalidInput):
    """The input is over its size limit."""


class SettingsError(InvalidInput):
    """A setting is unknown or has a value that cannot be used."""


class NotFound(BethinkError, LookupError):
    """There is no such record in this space."""


class Conflict(BethinkError):
    """The write contradicts what is already stored."""


class AccessDenied(BethinkError):
    """This key may not do that."""


class Unauthenticated(AccessDenied):
    """A valid key is needed: send it as 'Authorization: Bearer <key>'."""


class Overloaded(BethinkError):
    """The server recalls as much as its processors can at the moment; ask again in a second."""


class StoreError(BethinkError):
    """The database refused the operation or is out of reach."""


class MigrationError(StoreError):
    """The database schema could not be brought up to date."""


class Corrupt(StoreError):
    """The database is damaged."""

    ADVICE = (
        "'bethink doctor --deep' says where, 'bethink export' saves what can be read; restore the rest from a"
        " backup or an earlier export."
    )


class Damaged(StoreError):
    """A record in the database is damaged."""

    noun, record_id, problem = "record", "?", "it cannot be read"

    @classmethod
    def of(cls, noun: str, record_id: str, problem: str) -> Self:
        """The error about one record: what it is, its id, and what is wrong with it."""
        error = cls(
            f"The {noun} {record_id} is damaged: {problem}. 'bethink doctor --deep' lists all that is,"
            " 'bethink export' saves the rest; a backup or an earlier export may have it whole."
        )
        error.noun, error.record_id, error.problem = noun, record_id, problem
        return error


class ModelError(BethinkError):
    """A model could not be loaded, reached or understood."""

    retry_after: float | None = None  # seconds from which on it is tried again, where that is known


class ModelMissing(ModelError):
    """The model, or the package that runs it, is not installed."""


class ModelBusy(ModelError):
    """The model's host takes no more for a while; it is asked again later."""


class ExtractionFailure(ModelError):
    """The chat model gave nothing that memories could be made of; it can be tried again."""

    def __init__(
        self,
        message: str | None = None,
        *,
        field: str | None = None,
        attempts: int = 1,
        model: str | None = None,
    ) -> None:
        super().__init__(message, field=field)
        self.attempts = attempts
        self.model = model


class MailError(BethinkError):
    """The mail server could not be reached, or refused."""


class Closed(BethinkError):
    """This memory is closed: open it again before using it."""


class Forked(Closed):
    """This memory was opened before this process was forked: open another in this process."""
