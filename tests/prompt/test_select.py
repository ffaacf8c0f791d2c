"""Which hits reach the prompt: near, worth telling, the user's own words, once. Pure."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bethink.prompt.said import Newest
from bethink.prompt.select import DOUBT, WORTH_TELLING, Floor, select
from bethink.records import Layer, Space
from bethink.shapes.outcomes import Hit
from bethink.store.units import Spoken
from tests.store import samples
from tests.store.samples import NOW

SPACE = Space.model_validate(
    {"id": "s", "number": 1, "name": "s", "display_name": "s", "created_at": NOW, "updated_at": NOW}
)


def message(text: str, id_: str = "m1", role: str = "user", **fields: Any) -> Hit:
    record = samples.message(SPACE, "chat", 1, id=id_, content=text, role=role)
    return _hit(record, Layer.MESSAGE, id_, text, fields)


def memory(text: str, id_: str = "k1", **fields: Any) -> Hit:
    return _hit(samples.memory(SPACE, text, id=id_), Layer.MEMORY, id_, text, fields)


def _hit(record: Any, layer: Layer, id_: str, text: str, fields: dict[str, Any]) -> Hit:
    known = {"id": id_, "layer": layer, "record": record, "text": text, "observed_at": NOW, "score": 1.0}
    return Hit.model_construct(**{**_DEFAULTS, **known, **fields})


_DEFAULTS: dict[str, Any] = {
    name: None if field.is_required() else field.get_default(call_default_factory=True)
    for name, field in Hit.model_fields.items()
}


def unit(text: str, id_: str = "m1", number: int = 0, **fields: Any) -> Spoken:
    return Spoken(samples.unit(SPACE, id_, number, **fields), None, None, text)


def told(query: str, *hits: Hit, read: dict[str, list[Spoken]] | None = None, **options: Any) -> list[str]:
    shown, floor, names = options.get("shown", ()), options.get("floor"), options.get("names", ())
    return [one.text for one in select(query, hits, read or {}, shown, floor, names).chosen]


def why_not(query: str, *hits: Hit, read: dict[str, list[Spoken]] | None = None, **options: Any) -> Any:
    shown, floor = options.get("shown", ()), options.get("floor")
    dropped = select(query, hits, read or {}, shown, floor).dropped
    return [(one.hit.id, one.reason, one.instead) for one in dropped]


def test_what_is_far_from_the_question_is_left_out() -> None:
    near, far = memory("The boiler leaks", vector=0.8), memory("I ski in May", "k2", vector=0.3)
    assert told("boiler", near, far, floor=Floor(0.5)) == ["The boiler leaks"]
    assert told("boiler", near, far) == ["The boiler leaks", "I ski in May"], "without a floor all are near"
    assert told("boiler", memory("I ski", vector=0.1, pinned=True), floor=Floor(0.5)) == ["I ski"]


def test_memories_of_somebody_the_question_names_need_not_be_near() -> None:
    said = [memory("Anna is allergic to peanuts", vector=0.4), memory("Ben skis in May", "k2", vector=0.4)]
    asked = "What shall I cook for Anna?"
    assert told(asked, *said, floor=Floor(0.7), names=["Anna", "Ben"]) == ["Anna is allergic to peanuts"]
    assert told("What shall I cook?", *said, floor=Floor(0.7), names=["Anna", "Ben"]) == []
    many = [memory(f"Anna owns {number} red boats", f"k{number}", vector=0.4) for number in range(9)]
    assert len(told(asked, *many, floor=Floor(0.7), names=["Anna"])) <= 3, "not all that is known of her"


def test_where_there_are_no_vectors_the_words_decide() -> None:
    hits = memory("The boiler leaks", terms=1.0), memory("We ski in May", "k2", terms=0.1)
    assert told("Why does the boiler leak?", *hits, floor=Floor(None)) == ["The boiler leaks"]
    assert told("17*23?", *hits, floor=Floor(None)) == []


def test_of_a_message_only_what_is_worth_telling_is_told() -> None:
    read = {
        "m1": [
            unit("I ski."),
            unit("Hm.", number=1, worth=0.01),
            unit("I am Captain Jack.", number=2, harm=0.9),
            unit("I owe Tom.", number=3, withdrawn=True),
            unit("I swim.", number=4),
        ]
    }
    assert told("sport", message("…"), read=read) == ["I ski. I swim."]
    assert told("sport", message("…"), read=read, shown={("m1", 0)}) == ["I swim."]
    assert told("sport", message("I ski, unread")) == ["I ski, unread"]


def test_what_ended_comes_after_what_holds_and_is_marked() -> None:
    read = {
        "m1": [unit("I live in Oslo.", until=NOW), unit("I ski.", number=1)],
        "k1": [unit("x", until=NOW)],
    }
    found = select("home", [memory("Oslo it was"), message("…")], read, (), None).chosen
    assert [(one.text, one.earlier) for one in found] == [
        ("I ski.", False),
        ("Oslo it was", True),
        ("I live in Oslo.", True),
    ]


def test_what_a_question_takes_for_known_is_earlier_once_the_stable_half_has_something_newer() -> None:
    read = {"m1": [unit("May I bike from my flat in Oslo?", slot="home", worth=0.3)]}
    since = Newest(said={((None, None), "home", False): NOW + timedelta(days=9)})
    for newer, earlier in ((Newest(), False), (since, True)):
        (one,) = select("bike", [message("…")], read, (), None, newer=newer).chosen
        assert one.earlier is earlier


def test_the_assistants_words_are_told_only_when_asked_for() -> None:
    reply = message("Try the stretch I showed", role="assistant")
    assert told("what helps my knee", reply) == []
    assert told("what did you tell me of the knee", reply) == ["Try the stretch I showed"]
    assert told("was hast du mir geraten", reply) == ["Try the stretch I showed"]


def test_the_same_is_told_once_and_a_withdrawn_memory_never() -> None:
    twice = memory("I ski in May"), message("I ski in May!")
    assert told("ski", *twice) == ["I ski in May"]
    read = {"k1": [unit("I ski", withdrawn=True)]}
    assert told("ski", memory("I ski"), read=read) == []
    assert told("ski", memory("I ski"), read={"k1": [unit("I ski")]}, shown={("m1", 0)}) == []


def test_you_is_asked_for_in_the_language_of_the_question() -> None:
    said = message("You might begin with The Warden", role="assistant", terms=1.0)
    assert told("Quelle est la capitale du Portugal ?", said) == []
    assert told("Was hast du mir empfohlen?", said) == ["You might begin with The Warden"]
    assert told("Qu'est-ce que tu m'as dit ?", said) == ["You might begin with The Warden"]


def test_what_only_follows_a_question_that_was_found_is_not_near() -> None:
    assert told("Wann fiel die Mauer?", message("pickerel", answer=0.2), floor=Floor(None)) == []
    assert why_not("When did it fall?", message("pickerel", answer=0.2), floor=Floor(0.6)) == [
        ("m1", "far", None)
    ]


def test_of_each_that_is_not_told_the_reason_is() -> None:
    far = memory("I ski in May", vector=0.3)
    assert why_not("boiler", far, floor=Floor(0.5)) == [("k1", "far", None)]
    twice = message("I ski in May!", "m1"), memory("I ski in May")
    assert why_not("ski", *twice) == [("k1", "duplicate", "m1")]
    assert why_not("knee", message("Try a stretch", role="assistant")) == [("m1", "assistant", None)]
    reasons: dict[str, tuple[dict[str, Any], set[tuple[str, int]]]] = {
        "small_talk": ({"worth": 0.01}, set()),
        "doubtful": ({"harm": 0.9}, set()),
        "withdrawn": ({"withdrawn": True}, set()),
        "present": ({}, {("m1", 0)}),
    }
    for reason, (fields, shown) in reasons.items():
        read = {"m1": [unit("I ski.", **fields)]}
        assert why_not("ski", message("I ski."), read=read, shown=shown) == [("m1", reason, None)]
    half = {"m1": [unit("I ski."), unit("Hm.", number=1, worth=0.01)]}
    assert why_not("ski", message("I ski. Hm."), read=half) == [], "what is told in part is told"


@given(st.lists(st.text(alphabet="abc ", min_size=1, max_size=12), max_size=8), st.booleans())
def test_every_hit_is_told_or_has_a_reason_and_never_both(texts: list[str], floor: bool) -> None:
    hits = [memory(text, f"k{number}", vector=number / 8) for number, text in enumerate(texts)]
    selection = select("a b c", hits, {}, (), Floor(0.5) if floor else None)
    told_ids = {one.hit.id for one in selection.chosen}
    dropped = [one.hit.id for one in selection.dropped]
    assert told_ids.isdisjoint(dropped)
    assert told_ids | set(dropped) == {hit.id for hit in hits}
    assert len(dropped) == len(set(dropped))


UNITS = st.builds(
    unit,
    st.text(alphabet="abc ", min_size=1, max_size=12),
    worth=st.floats(0, 1),
    harm=st.floats(0, 1),
    withdrawn=st.booleans(),
    until=st.sampled_from([None, NOW]),
)


@given(st.dictionaries(st.sampled_from(["m1", "m2", "m3"]), st.lists(UNITS, max_size=5)))
def test_nothing_withdrawn_doubtful_or_worthless_is_ever_told(read: dict[str, list[Spoken]]) -> None:
    found = select("a b c", [message("…", id_) for id_ in read], read, (), None).chosen
    for one in found:
        fine = [
            unit.text
            for unit in read[one.hit.id]
            if not unit.unit.withdrawn and unit.unit.harm < DOUBT and unit.unit.worth >= WORTH_TELLING
        ]
        assert set(one.text.split()) <= set(" ".join(fine).split())
    assert [one.earlier for one in found] == sorted(one.earlier for one in found)
