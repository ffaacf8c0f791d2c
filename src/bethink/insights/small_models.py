"""What small chat models write in place of what they were asked for, made what they meant. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from bethink.shapes.insights import Importance, Urgency

_KINDS = {
    "bug": "bug_report", "issue": "bug_report", "defect": "bug_report", "feature": "feature_request",
    "request": "feature_request", "wish": "feature_request", "todo": "task", "to_do": "task",
    "action": "task", "action_item": "task", "outage": "incident", "problem": "incident",
    "appointment": "meeting", "call": "meeting", "role": "relationship", "relation": "relationship",
    "open_question": "question", "agreement": "decision",
}  # fmt: skip
_LEVELS = {
    "importance": ({one.value for one in Importance}, {"urgent": "critical", "normal": "medium"}),
    "urgency": (
        {one.value for one in Urgency},
        {"critical": "immediate", "high": "urgent", "normal": "medium", "none": "low"},
    ),
}  # fmt: skip
_NUMBER = re.compile(r"\d+")
_NOTHING = {"kind": "event", "title": "", "messages": []}
_EMPTY = {"insights": _NOTHING}  # keeps the place of what cannot be read: ends count the insights
_NUMBERS = ("same_as", "insight", "message")


def plainly(given: Any) -> Any:
    """An object with other spellings of words, numbers in words or brackets, and nothings, as asked for.

    >>> plainly({"kind": "Bug", "messages": "[2], [3]", "importance": "urgent", "description": None})
    {'kind': 'bug_report', 'messages': [2, 3], 'importance': 'critical'}
    """
    if not isinstance(given, Mapping):
        return given
    made = {str(name): value for name, value in given.items() if value is not None}
    if isinstance(kind := made.get("kind"), str):
        word = re.sub(r"[\s-]+", "_", kind.strip().lower())
        made["kind"] = _KINDS.get(word, word)
    for name, (known, meant) in _LEVELS.items():
        if isinstance(level := made.get(name), str):
            word = meant.get(level.strip().lower(), level.strip().lower())
            made[name] = word if word in known else "medium"
    if "messages" in made:
        made["messages"] = _numbers(made["messages"])
    for name in _NUMBERS:
        if name in made:
            (number, *_) = [*_numbers(made.pop(name)), None]
            made |= {} if number is None else {name: number}
    if isinstance(people := made.get("people"), str):
        made["people"] = [one.strip() for one in people.split(",") if one.strip()]
    return made


def without_broken(given: Any, shapes: Mapping[str, type[BaseModel]]) -> Any:
    """An answer whose items that cannot be read say nothing; one without any other stays as it is.

    A bare list is the list of insights.
    """
    if isinstance(given, list):
        given = {"insights": given}
    if not isinstance(given, Mapping):
        return given
    if not shapes.keys() & given.keys():
        raise ValueError("it has neither insights nor closed")
    items = {name: given[name] for name in shapes if isinstance(given.get(name), list)}
    kept = {
        name: [one if _fits(one, shapes[name]) else _EMPTY.get(name) for one in found]
        for name, found in items.items()
    }
    if any(items.values()) and all(one in (None, _NOTHING) for found in kept.values() for one in found):
        return given  # so that the model hears what is wrong with it
    rest = {name: value for name, value in given.items() if value is not None}
    return rest | {name: [one for one in found if one is not None] for name, found in kept.items()}


def _fits(item: Any, shape: type[BaseModel]) -> bool:
    try:
        shape.model_validate(item)
    except ValidationError:
        return False
    return True


def _numbers(value: Any) -> list[int]:
    """The numbers in what may be a number, a text or a list of either."""
    if isinstance(value, bool):
        return []
    if isinstance(value, int):
        return [value]
    if isinstance(value, str):
        return [int(one) for one in _NUMBER.findall(value)[:100]]
    return [number for one in value for number in _numbers(one)] if isinstance(value, list) else []
