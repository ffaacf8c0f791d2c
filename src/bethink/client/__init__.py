"""A client of a running Bethink server: the verbs of the library, over HTTP."""

from bethink.client.client import AsyncBethinkClient
from bethink.client.documents import ClientDocuments
from bethink.client.household import ClientDevices, ClientHousehold, ClientPeople
from bethink.client.notes import ClientNotes
from bethink.client.parts import (
    ClientContexts,
    ClientFacts,
    ClientInsights,
    ClientMessages,
    ClientUpkeep,
)
from bethink.client.running import ClientIndex, ClientKeys, ClientOptions, ClientSpaces, ClientTexts
from bethink.client.token import read_token, write_token

__all__ = [
    "AsyncBethinkClient",
    "ClientContexts",
    "ClientDevices",
    "ClientDocuments",
    "ClientFacts",
    "ClientHousehold",
    "ClientIndex",
    "ClientInsights",
    "ClientKeys",
    "ClientMessages",
    "ClientNotes",
    "ClientOptions",
    "ClientPeople",
    "ClientSpaces",
    "ClientTexts",
    "ClientUpkeep",
    "read_token",
    "write_token",
]
