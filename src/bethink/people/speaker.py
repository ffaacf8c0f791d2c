"""Who is speaking: by voice, by device, because they are alone, or by what they say."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial

from bethink.core import Core
from bethink.errors import NotFound
from bethink.extraction.patterns.material import own_text
from bethink.people.phrases import NAME_MARK, Phrases, Place, phrases, places
from bethink.people.resolve import (
    Member,
    Relation,
    holders,
    meant,
    members,
    names_of,
    resolve_person,
    speakers,
    spoken,
)
from bethink.records import Mode, Person, Space
from bethink.shapes.fields import check_name
from bethink.shapes.households import Speaker
from bethink.store import Tx, devices, persons, spaces
from bethink.text.fold import any_of, bare, first_name
from bethink.text.stopwords import ENGLISH
from bethink.text.terms import is_common

HEARD_CHARS = 2_000  # of a longer text only the beginning is read
_ASKED_CHARS = 300  # and its end, where it may be asked to work on the text
_Names = list[tuple[str, Sequence[Member]]]  # each name in a text, and who goes by it
_SENTENCE_START = re.compile(r"^$|[.!?:\n]\s?$")


async def infer(
    core: Core, space: Space, text: str, *, device: str | None, voice: str | None, person: str | None
) -> Speaker:
    """Who is speaking in a space."""
    for name, value in (("device", device), ("voice", voice), ("person", person)):
        if value is not None:
            check_name(value, name)
    mode, people, owner = await core.driver.peek_once(_room, space.id, device)
    tell = partial(infer_speaker, text, people, mode=mode, device_person_id=owner, voice_id=voice)
    # In a thread where words must be read: the first time, the phrases of every language are made ready.
    found = await asyncio.to_thread(tell) if len(people) > 1 or mode != Mode.SINGLE else tell()
    if person is None:
        return found
    named = _named(person, people)
    return Speaker(
        person_id=named.id,
        display_name=named.display_name,
        confidence="high",
        reason="named",
        mentioned=[id_ for id_ in found.mentioned if id_ != named.id],
    )


def _room(tx: Tx, space_id: str, device_id: str | None) -> tuple[str, list[Person], str | None]:
    """What there is to know before anything is said: the mode, the people, whose device it is."""
    device = devices.find(tx, space_id, device_id) if device_id else None
    owner = device.primary_person_id if device else None
    return spaces.get(tx, space_id).mode, persons.list_all(tx, space_id), owner


def _named(ref: str, people: list[Person]) -> Person:
    match = resolve_person(ref, people)
    if match.person:
        return match.person
    if match.candidates:
        names = ", ".join(candidate.display_name for candidate in match.candidates)
        raise NotFound(f"person: {ref!r} could be any of {names}; name one of them.", field="person")
    raise NotFound(f"person: nobody in this space is called {ref!r}.", field="person")


def person_hints(speaker: Speaker) -> list[str]:
    """The people whose memories matter most to a turn: who speaks, and who is spoken of."""
    speaking = [speaker.person_id] if speaker.person_id else []
    return list(dict.fromkeys([*speaking, *speaker.mentioned]))


def infer_speaker(
    text: str,
    people: Sequence[Person],
    *,
    mode: Mode | str,
    device_person_id: str | None = None,
    voice_id: str | None = None,
) -> Speaker:
    """Who says `text`: the voice's owner, else the device's, else the only one there, else who it must be."""
    by_voice = [p for p in people if voice_id and (voice_id == p.id or voice_id in p.voice_ids)]
    by_device = [p for p in people if device_person_id and p.id == device_person_id]
    alone = list(people) if mode == Mode.SINGLE else []
    told = {"voice": by_voice, "device": by_device, "single": alone}
    reason = next((reason for reason, found in told.items() if len(found) == 1), None)
    if reason and len(alone) == 1:  # nobody else can be meant, and nothing need be read
        return _told(alone[0], "high", reason)
    heard = _Heard(text if people else "", members(people))
    return heard.speaker(told[reason][0], "high", reason) if reason else heard.verdict()


class _Heard:
    """What a text tells of its speaker: who it can still be, who was mentioned."""

    def __init__(self, text: str, people: Sequence[Member]) -> None:
        self._people = people
        self._by_name = _by_name(people)
        self._possible = {member.id for member in people}
        self._told = False
        self._mentioned: dict[str, None] = {}
        if text:
            self._read(spoken(_own(text)))

    def speaker(self, person: Person | None, confidence: str, reason: str) -> Speaker:
        mentioned = [id_ for id_ in self._mentioned if not person or id_ != person.id]
        out = {member.id for member in self._people} - self._possible if self._possible else set()
        ruled_out = [member.id for member in self._people if member.id in out and not person]
        return _told(person, confidence, reason, mentioned, ruled_out)

    def verdict(self) -> Speaker:
        """The one person whom the words leave, or nobody."""
        left = [member.person for member in self._people if member.id in self._possible]
        if self._told and len(left) == 1:
            return self.speaker(left[0], "medium", "words")
        return self.speaker(None, "low", "none")

    def _read(self, said: str) -> None:
        text, names = self._mark_names(said)
        introduced: set[int | None] = set()
        for language in phrases():
            marked, words = language.mark(text)
            for pattern in language.introductions:
                for place in places(pattern, marked):
                    introduced.add(place.name)
                    self._only(names[place.name or 0][1])
            for place in places(language.own_relation, marked):
                if relation := _relation(language, place, words, names):
                    for whose in names[place.name or 0][1]:
                        self._only(holders(relation, whose, self._people))
                    introduced.add(place.alias)
            for place in places(language.own_role, marked):
                if relation := _relation(language, place, words, names):
                    self._only(_called(place, names) or meant(relation, self._people))
                    introduced.add(place.alias)
            for place in places(language.my_relation, marked):
                if relation := _relation(language, place, words, names):
                    self._mine(relation, _called(place, names))
        for number, (_, called) in enumerate(names):
            if number not in introduced:
                self._mention(called)

    def _mark_names(self, said: str) -> tuple[str, _Names]:
        """The text in lower case with each name replaced by a mark; each name, and who goes by it."""
        names: _Names = []

        def replace(found: re.Match[str]) -> str:
            if not _is_name(found, said):
                return found[0]
            names.append((found[0], self._by_name[found[0]]))
            return NAME_MARK.format(len(names) - 1)

        return _any_name(tuple(self._by_name)).sub(replace, said.casefold()), names

    def _mine(self, relation: Relation, called: Sequence[Member]) -> None:
        """The speaker said "my wife": they are not the wife, and someone whose wife she is."""
        targets = called or meant(relation, self._people)
        self._only({s.id: s for target in targets for s in speakers(relation, target, self._people)}.values())
        self._mention(targets)

    def _mention(self, spoken_of: Sequence[Member]) -> None:
        """Someone was spoken of, so it is not they who speak."""
        if len(spoken_of) == 1:
            self._told = True
            self._possible.discard(spoken_of[0].id)
            self._mentioned[spoken_of[0].id] = None

    def _only(self, possible: Iterable[Member]) -> None:
        if ids := {member.id for member in possible}:
            self._told = True
            self._possible &= ids


def _told(
    person: Person | None,
    confidence: str,
    reason: str,
    mentioned: Sequence[str] = (),
    ruled_out: Sequence[str] = (),
) -> Speaker:
    who = {"person_id": person.id, "display_name": person.display_name} if person else {}
    found = {"confidence": confidence, "reason": reason, "mentioned": mentioned, "ruled_out": ruled_out}
    return Speaker.model_validate({**who, **found})


def _own(text: str) -> str:
    """What the speaker says themselves: a text that is handed over tells nothing of who hands it over."""
    if len(text) > HEARD_CHARS + _ASKED_CHARS:
        text = f"{text[:HEARD_CHARS]}\n\n{text[-_ASKED_CHARS:]}"
    return own_text(text)


def _relation(language: Phrases, place: Place, words: Sequence[str], names: _Names) -> Relation | None:
    """The relation at a place: a relation word, or an alias that is one."""
    if place.relation is not None:
        return language.lexicon.relations[words[place.relation]]
    return language.lexicon.relations.get(names[place.alias or 0][0])


def _called(place: Place, names: _Names) -> Sequence[Member]:
    return names[place.alias][1] if place.alias is not None else ()


def forget_names() -> None:
    """Forget the names seen so far, which are remembered only for speed."""
    _any_name.cache_clear()


@lru_cache(maxsize=1024)
def _any_name(names: tuple[str, ...]) -> re.Pattern[str]:
    """One of these names, also before a genitive s."""
    return any_of(names, endings="s")


def _by_name(people: Sequence[Member]) -> dict[str, list[Member]]:
    """Who goes by each bare name; first names count too, where they are nobody else's name."""
    found: dict[str, list[Member]] = {}
    for member in people:
        for name in names_of(member.person):
            found.setdefault(name, []).append(member)
    firsts: dict[str, list[Member]] = {}
    for member in people:
        if (first := first_name(bare(member.person.display_name))) and first not in found:
            firsts.setdefault(first, []).append(member)
    return found | firsts


def _is_name(found: re.Match[str], said: str) -> bool:
    """Whether a name that is also a common word, such as Will, is meant as a name: by its capital."""
    if not is_common(found[0], ENGLISH):
        return True
    start = found.start()
    return said[start].isupper() and not _SENTENCE_START.search(said[max(start - 3, 0) : start])
