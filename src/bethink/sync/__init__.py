"""Bethink: AsyncBethink without `await`, mirrored when this module is loaded.

`sync.pyi`, from which editors and type checkers know the names, is written by `python -m bethink.sync.stubs`
from the async classes.
"""

from __future__ import annotations

from typing import Any, Self, cast

from bethink.client import (
    AsyncBethinkClient,
    ClientContexts,
    ClientDevices,
    ClientDocuments,
    ClientFacts,
    ClientHousehold,
    ClientIndex,
    ClientInsights,
    ClientKeys,
    ClientMessages,
    ClientNotes,
    ClientOptions,
    ClientPeople,
    ClientSpaces,
    ClientTexts,
    ClientUpkeep,
)
from bethink.conversations.contexts_handle import AsyncContexts
from bethink.conversations.follow import AsyncConversations
from bethink.conversations.messages_handle import AsyncMessages
from bethink.documents.handle import AsyncDocuments
from bethink.errors import Closed
from bethink.files.handle import AsyncTexts
from bethink.insights.handle import AsyncInsights
from bethink.keys.handle import AsyncKeys
from bethink.lifecycle.handle import AsyncSummaries
from bethink.memory import AsyncBethink, AsyncFacts, AsyncSpace
from bethink.notes.handle import AsyncNotes
from bethink.options.handle import AsyncOptions
from bethink.people.handle import AsyncDevices, AsyncHousehold, AsyncPeople
from bethink.settings import Settings
from bethink.spaces.handle import AsyncSpaces
from bethink.status.handle import AsyncIndex
from bethink.sync.mirror import Loop, Mirror, loop_of, mirroring, original_of
from bethink.upkeep import AsyncUpkeep
from bethink.vectors.handle import AsyncVectors


@mirroring(AsyncFacts)
class Facts(Mirror):
    """Takes its members and its description from AsyncFacts; the classes below likewise."""


@mirroring(AsyncIndex)
class Index(Mirror):
    """As AsyncIndex."""


@mirroring(AsyncUpkeep)
class Upkeep(Mirror):
    """As AsyncUpkeep."""


@mirroring(AsyncVectors)
class Vectors(Mirror):
    """As AsyncVectors."""


@mirroring(AsyncHousehold)
class Household(Mirror):
    """As AsyncHousehold."""


@mirroring(AsyncPeople)
class People(Mirror):
    """As AsyncPeople."""


@mirroring(AsyncDevices)
class Devices(Mirror):
    """As AsyncDevices."""


@mirroring(AsyncTexts)
class Texts(Mirror):
    """As AsyncTexts."""


@mirroring(AsyncOptions)
class Options(Mirror):
    """As AsyncOptions."""


@mirroring(AsyncMessages)
class Messages(Mirror):
    """As AsyncMessages."""


@mirroring(AsyncSummaries)
class Summaries(Mirror):
    """As AsyncSummaries."""


@mirroring(AsyncInsights)
class Insights(Mirror):
    """As AsyncInsights."""


@mirroring(AsyncContexts)
class Contexts(Mirror):
    """As AsyncContexts."""


@mirroring(AsyncDocuments)
class Documents(Mirror):
    """As AsyncDocuments."""


@mirroring(AsyncNotes)
class Notes(Mirror):
    """As AsyncNotes."""


@mirroring(AsyncConversations)
class Conversations(Mirror):
    """As AsyncConversations."""


@mirroring(AsyncKeys)
class Keys(Mirror):
    """As AsyncKeys."""


@mirroring(AsyncSpaces)
class Spaces(Mirror):
    """As AsyncSpaces."""


@mirroring(AsyncSpace)
class Space(Mirror):
    @property
    def name(self) -> str:
        """The space's name."""
        return str(original_of(self).name)


@mirroring(AsyncBethink)
class Bethink(Space):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(AsyncBethink(*args, **kwargs), Loop())

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return cast("Settings", original_of(self).settings)

    def open(self) -> Self:
        """Connect now rather than on first use."""
        loop_of(self).run(original_of(self).open())
        return self

    def close(self) -> None:
        """Finish what is under way and let go of the database. Acknowledged writes are safe without it."""
        try:
            loop_of(self).run(original_of(self).close())
        except Closed:
            return  # closed before, or it is the parent process's to close
        loop_of(self).stop()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()


@mirroring(ClientFacts)
class RemoteFacts(Mirror):
    """As ClientFacts."""


@mirroring(ClientInsights)
class RemoteInsights(Mirror):
    """As ClientInsights."""


@mirroring(ClientMessages)
class RemoteMessages(Mirror):
    """As ClientMessages."""


@mirroring(ClientNotes)
class RemoteNotes(Mirror):
    """As ClientNotes."""


@mirroring(ClientContexts)
class RemoteContexts(Mirror):
    """As ClientContexts."""


@mirroring(ClientPeople)
class RemotePeople(Mirror):
    """As ClientPeople."""


@mirroring(ClientUpkeep)
class RemoteUpkeep(Mirror):
    """As ClientUpkeep."""


@mirroring(ClientHousehold)
class RemoteHousehold(Mirror):
    """As ClientHousehold."""


@mirroring(ClientDocuments)
class RemoteDocuments(Mirror):
    """As ClientDocuments."""


@mirroring(ClientDevices)
class RemoteDevices(Mirror):
    """As ClientDevices."""


@mirroring(ClientKeys)
class RemoteKeys(Mirror):
    """As ClientKeys."""


@mirroring(ClientSpaces)
class RemoteSpaces(Mirror):
    """As ClientSpaces."""


@mirroring(ClientOptions)
class RemoteOptions(Mirror):
    """As ClientOptions."""


@mirroring(ClientTexts)
class RemoteTexts(Mirror):
    """As ClientTexts."""


@mirroring(ClientIndex)
class RemoteIndex(Mirror):
    """As ClientIndex."""


@mirroring(AsyncBethinkClient)
class BethinkClient(Mirror):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(AsyncBethinkClient(*args, **kwargs), Loop())

    def close(self) -> None:
        """Let go of the connections."""
        try:
            loop_of(self).run(original_of(self).close())
        except Closed:
            return
        loop_of(self).stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
