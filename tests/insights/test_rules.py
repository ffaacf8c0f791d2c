"""What the rules make of single messages, in each language, and of small channels. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bethink.insights.cues import read
from bethink.insights.drafts import Closing, Step, due_at
from bethink.insights.focus import Focus
from bethink.insights.rules import generate
from bethink.records import Message
from bethink.shapes.insights import Importance, InsightDraft, InsightKind

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


def message(number: int, text: str, name: str = "Ana", **fields: object) -> Message:
    at = MONDAY + timedelta(minutes=10 * number)
    known: dict[str, object] = {"sent_at": at, "created_at": at, "platform": "slack", "channel": "#c"}
    known |= {"id": f"m{number}", "space_id": "s", "session_id": "c", "position": number, "role": "contact"}
    return Message.model_validate({**known, "name": name, "content": text, **fields})


def steps(*texts: tuple[str, str]) -> list[Step]:
    return generate([message(number, text, name) for number, (name, text) in enumerate(texts, 1)], [])


def told(made: list[Step]) -> list[str]:
    return [f"{one.because if isinstance(one, Closing) else one.kind.value} {one.dedupe_key}" for one in made]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We decided to keep the old logo", "decision"),
        ("Could you send the invoice to Petra?", "task"),
        ("Where is the projector?", "question"),
        ("Standup moves to 9:30 tomorrow", "meeting"),
        ("The whole site is down", "incident"),
        ("The export doesn't work in Safari", "bug_report"),
        ("It would be great to have dark mode", "feature_request"),
        ("Our new contact at the bank is Ms Hall", "relationship"),
        ("I'd rather not be called before ten", "preference"),
        ("Wir haben uns auf Blau geeinigt", "decision"),
        ("Kannst du die Rechnung schicken?", "task"),
        ("Das Internet ist ausgefallen", "incident"),
        ("Hemos decidido cerrar en agosto", "decision"),
        ("Hay que pintar la puerta", "task"),
        ("Le serveur est en panne", "incident"),
        ("Je préfère le train", "preference"),
        ("Decidimos adiar a festa", "decision"),
        ("O site caiu", "incident"),
        ("我们决定换供应商", "decision"),
        ("谁有钥匙？", "question"),
        ("Good morning everyone", None),
        ("Danke dir", None),
        ("jajaja", None),
        ("好的", None),
        ("The weather is lovely", None),
    ],
)
def test_the_kind_of_a_message(text: str, kind: str | None) -> None:
    assert read(text).kind == kind


def test_a_task_is_closed_by_the_message_that_says_it_is_done() -> None:
    made = steps(
        ("Ana", "Ben, can you book the hall for May?"), ("Ben", "will do"), ("Ben", "The hall is booked")
    )
    assert told(made) == ["task task:m1", "done task:m1"]
    assert isinstance(made[1], Closing)
    assert made[1].message.id == "m3"


def test_a_question_is_closed_by_an_answer_of_somebody_else() -> None:
    made = steps(
        ("Ana", "Which colour did the client choose?"), ("Ana", "Anyone?"), ("Ben", "They chose dark green")
    )
    assert "answered question:m1" in told(made) or "answered question:m2" in told(made)
    alone = steps(("Ana", "Which colour did the client choose?"), ("Ana", "It rains"))
    assert told(alone) == ["question question:m1"]


def test_what_is_still_broken_is_more_evidence_and_no_other_insight() -> None:
    made = steps(
        ("Ana", "Bug: the invoice export loses the last line"),
        ("Ben", "the invoice export still loses the line"),
        ("Ana", "fixed the invoice export"),
    )
    assert told(made) == ["bug_report bug_report:m1", "bug_report bug_report:m1", "done bug_report:m1"]


def test_different_tasks_stay_apart() -> None:
    made = steps(("Ana", "Please order paper"), ("Ana", "Please call the plumber about the sink"))
    assert len({one.dedupe_key for one in made}) == 2


def test_a_meeting_is_due_at_its_hour_and_over_when_somebody_says_so() -> None:
    made = steps(("Ana", "Budget meeting tomorrow at 15:00"), ("Ben", "Thanks for the meeting everyone"))
    assert told(made) == ["meeting meeting:m1", "past meeting:m1"]
    assert isinstance(made[0], InsightDraft)
    assert made[0].due_at == datetime(2026, 3, 3, 15, tzinfo=UTC)


def test_a_task_is_due_at_the_end_of_the_day_of_its_sender() -> None:
    asked = message(1, "Please send it by tomorrow", sent_offset=120)
    assert due_at(asked, InsightKind.TASK) == datetime(2026, 3, 3, 21, 59, tzinfo=UTC)
    assert due_at(message(1, "Please send it"), InsightKind.TASK) is None


def test_messages_that_were_read_and_those_of_an_assistant_say_nothing() -> None:
    asked = message(1, "Please order paper")
    assert generate([asked], [], frozenset({"m1"})) == []
    assert generate([asked.model_copy(update={"role": "assistant"})], []) == []


def test_secrets_are_masked_in_what_is_made() -> None:
    (made,) = steps(("Ana", "Please change the wifi password to Tulip!77x today"))
    assert "Tulip" not in made.model_dump_json()  # type: ignore[union-attr]


def test_focus_raises_importance_by_one_and_mutes_channels() -> None:
    draft = InsightDraft(title="Order paper for Zoë", importance=Importance.MEDIUM, people=["Ana"])
    assert Focus().raised(draft).importance == "medium"
    assert Focus(people=["ana"]).raised(draft).importance == "high"
    assert Focus(topics=["PAPER"]).raised(draft).importance == "high"
    top = draft.model_copy(update={"importance": Importance.CRITICAL})
    assert Focus(people=["zoe"]).raised(top).importance == "critical"
    assert Focus(muted=["#Random"]).mutes("#random")
    assert not Focus(muted=["#random"]).mutes("#dev")
