"""A client of a running Bethink server: the verbs of the library, over HTTP."""

from bethink.client.client import AsyncBethinkClient
from bethink.client.parts import (
    ClientContexts,
    ClientFacts,
    ClientInsights,
    ClientMessages,
    ClientPeople,
    ClientUpkeep,
)
from bethink.client.token import read_token, write_token

__all__ = [
    "AsyncBethinkClient",
    "ClientContexts",
    "ClientFacts",
    "ClientInsights",
    "ClientMessages",
    "ClientPeople",
    "ClientUpkeep",
    "read_token",
    "write_token",
]
