"""The HTTP status of each error, for every surface that speaks HTTP."""

from __future__ import annotations

from bethink.errors import (
    AccessDenied,
    Closed,
    Conflict,
    InvalidInput,
    MailError,
    ModelError,
    NotFound,
    Overloaded,
    StoreError,
    TooLarge,
    Unauthenticated,
)

_STATUS: dict[type[BaseException], int] = {
    TooLarge: 413,
    InvalidInput: 422,
    NotFound: 404,
    Conflict: 409,
    Unauthenticated: 401,
    AccessDenied: 403,
    StoreError: 503,
    ModelError: 503,
    MailError: 503,
    Overloaded: 503,
    Closed: 503,
}


def status_of(error: BaseException) -> int:
    """The status of an error: its own or that of its nearest ancestor; 500 for what nobody foresaw.

    Example:

        status_of(NotFound()) == 404
    """
    return next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), 500)
