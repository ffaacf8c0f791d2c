"""What a made-up household says: small talk, and now and then something worth keeping for years. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any, Literal

Kind = Literal["pinned", "important", "plain"]
KINDS: tuple[Kind, ...] = ("pinned", "important", "plain")
IMPORTANCE = 0.9  # of what is important

PEOPLE = ("Ana", "Ben", "Clara", "Dario")
THINGS = (
    "boathouse", "cellar", "greenhouse", "attic", "garage", "piano", "dishwasher", "letter box",
    "sewing machine", "bicycle", "caravan", "oven", "telescope", "wine rack", "workshop", "sledge",
    "accordion", "freezer", "hammock", "aquarium", "record player", "fireplace", "canoe", "beehive",
    "trampoline", "projector", "typewriter", "kiln", "weather station", "chicken coop",
    "grandfather clock", "drill", "tent", "microscope", "water pump", "skylight", "stove", "harp",
    "loom", "rowing machine", "solar panel", "doorbell", "compost bin", "chandelier", "rain barrel",
    "tool shed", "swing", "printer", "sauna", "bookcase",
)  # fmt: skip
PLACES = (
    "mirror", "blue vase", "calendar", "coat rack", "cookbook", "radiator", "lemon tree", "spice shelf",
    "atlas", "fuse box", "laundry basket", "umbrella stand",
)  # fmt: skip
NAMES = (
    "Okafor", "Lindqvist", "Moreau", "Tanaka", "Varga", "Petrov", "Castillo", "Nakamura", "Brandt",
    "Farah", "Ivanova", "Duarte",
)  # fmt: skip
COLOURS = (
    "olive green", "crimson", "turquoise", "ochre", "lavender", "charcoal", "ivory", "maroon", "teal",
    "coral", "indigo", "amber",
)  # fmt: skip
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
FOOD = (
    "leeks", "rye bread", "plums", "lentils", "trout", "goat cheese", "mushrooms", "figs", "noodles",
    "yoghurt",
)  # fmt: skip
FACTS = (
    ("The key of the {thing} hangs behind the {answer}.", "Where is the key of the {thing}?", PLACES),
    ("The {thing} is repaired by Mr {answer}.", "Who repairs the {thing}?", NAMES),
    ("We painted the {thing} in {answer}.", "In which colour did we paint the {thing}?", COLOURS),
    ("The manual of the {thing} lies under the {answer}.", "Where is the manual of the {thing}?", PLACES),
    ("The {thing} was a present from the {answer} family.", "Who gave us the {thing}?", NAMES),
    ("The warranty of the {thing} ends in {answer}.", "When does the warranty of the {thing} end?", MONTHS),
)  # fmt: skip
TALK = (
    "The bus was {number} minutes late again.", "I bought {food} and {other} for dinner.",
    "{person} is home at {hour}.", "It rains, take an umbrella.", "Can somebody walk the dog at {hour}?",
    "The {food} were too expensive today.", "I am tired, the meeting took {number} minutes.",
    "{person} has practice at {hour}, I drive.", "Who ate the {food}?", "Good morning, did you sleep well?",
    "The film yesterday was boring.", "Traffic is terrible, I need {number} minutes more.",
    "We are out of {food}.", "{person} called about the weekend.", "The parcel came, it was wet.",
    "I left my gloves on the train.", "Dinner is at {hour}, there are {food}.", "Nice photo, where was that?",
    "The neighbours are loud today.", "Do we still have {food}?", "I am stuck at work until {hour}.",
    "The dog ate the {food}.", "{person} feels better today.", "Sunny at last, let us sit outside.",
)  # fmt: skip
CHANNELS: tuple[dict[str, Any], ...] = (
    {"session": "family", "platform": "whatsapp", "channel": "family"},
    {"session": "school", "platform": "slack", "channel": "school"},
    {"session": "chat", "platform": "chat"},
)
_HOURS = 14  # of a day in which somebody says something


@dataclass(frozen=True, slots=True)
class Planted:
    """Something worth keeping that was said once, and the question that it answers."""

    kind: Kind
    text: str
    question: str
    thing: str
    answer: str

    def is_in(self, text: str) -> bool:
        """Whether a text says it, in whatever words."""
        said = text.casefold()
        return self.thing in said and self.answer.casefold() in said


@dataclass(frozen=True, slots=True)
class Said:
    """Messages of one conversation on one day."""

    session: str
    messages: list[dict[str, Any]]


class Household:
    """Talks by a seed: the same one always says the same."""

    def __init__(self, seed: int, per_day: int) -> None:
        self._random, self._per_day = Random(seed), per_day  # noqa: S311  (no secret depends on it)
        self._left = [(fact, thing) for fact in range(len(FACTS)) for thing in THINGS]
        self._random.shuffle(self._left)

    def day(self, begins: datetime, planted: Sequence[Planted]) -> Iterator[Said]:
        """What is said on one day, with what is planted among it."""
        lines: list[tuple[str, Planted | None]] = [(self._small_talk(), None) for _ in range(self._per_day)]
        lines += [(one.text, one) for one in planted]
        self._random.shuffle(lines)
        said: dict[str, list[dict[str, Any]]] = {}
        for place, (text, one) in enumerate(lines):
            at = begins + timedelta(hours=_HOURS) * (place + 1) / (len(lines) + 1)
            channel = self._random.choice(CHANNELS)
            said.setdefault(channel["session"], []).append(self._message(channel, text, one, at))
        yield from (Said(session, messages) for session, messages in said.items())

    def plant(self, kind: Kind) -> Planted | None:
        """Something that was not said before; None when there is nothing left to say."""
        if not self._left:
            return None
        number, thing = self._left.pop()
        text, question, answers = FACTS[number]
        answer = self._random.choice(answers)
        return Planted(
            kind, text.format(thing=thing, answer=answer), question.format(thing=thing), thing, answer
        )

    def _message(
        self, channel: dict[str, Any], text: str, planted: Planted | None, at: datetime
    ) -> dict[str, Any]:
        where = {name: value for name, value in channel.items() if name != "session"}
        said: dict[str, Any] = {"content": text, "sent_at": at, **where}
        if where["platform"] == "chat":
            said["role"] = "user"
        else:
            said |= {"role": "contact", "name": self._random.choice(PEOPLE)}
        if planted and planted.kind == "pinned":
            said["pinned"] = True
        if planted and planted.kind == "important":
            said["importance"] = IMPORTANCE
        return said

    def _small_talk(self) -> str:
        food, other = self._random.sample(FOOD, 2)
        return self._random.choice(TALK).format(
            number=self._random.randint(5, 60),
            food=food,
            other=other,
            person=self._random.choice(PEOPLE),
            hour=f"{self._random.randint(12, 21)}:{self._random.choice(('00', '15', '30'))}",
        )
