"""When what somebody says replaces who they are known to be. Pure.

A name, a home, a partner, an employer and the like change seldom, and much that sounds like them is said of
others: in a text that was pasted, a joke, a line of a play. So a fact of this kind gives way only

- when it is said as a change: "I moved to Porto", "call me Ann from now on", "not Lisbon but Porto";
- when the new value is confirmed: said in two messages, which are of two sessions or in other words;
- when the new value says the same in more words: "Anna", then "Anna Schmidt".

Otherwise it stays. What somebody sets by hand is never asked here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")
_OWNER = re.compile(r"^(?:(?:user|users|my|current|primary|main|present)_)+")
# The attributes of a person that have one value, and the other names that models give them.
_NAMES = {
    "name": "name full_name first_name real_name legal_name surname last_name middle_name nickname"
    " preferred_name",
    "home": "home city town country residence location lives_in home_city home_town hometown address"
    " home_address postal_code living_place place_of_residence city_of_residence timezone time_zone",
    "employer": "employer company workplace job occupation profession job_title works_at works_for"
    " company_name employer_name current_job",
    "partner": "partner wife husband spouse girlfriend boyfriend fiance fiancee marital_status"
    " relationship_status partner_name wife_name husband_name spouse_name girlfriend_name boyfriend_name",
    "person": "birthday date_of_birth birth_date birthplace origin nationality native_language"
    " mother_tongue pronouns gender religion blood_type email work_email email_address phone"
    " phone_number",
}
_KIND = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_ABOUT_PEOPLE = frozenset(
    {"identity", "personal", "personal_info", "personal_information", "profile", "user", "about", "bio",
     "basic", "basics", "general", "demographics", "location", "home", "work", "employment", "career", "job",
     "professional", "family", "relationship", "relationships", "contact"}
)  # fmt: skip
# What patterns call these of somebody else: `sister_home`. The partner's are their own kind.
_OF_OTHERS = re.compile(r"_(name|home|employer|job|birthday|email|phone|origin|nationality)$")


@dataclass(frozen=True, slots=True)
class Mention:
    """A message in which a value was said."""

    message_id: str
    session_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a new value replaces the current one, and why. `same` says that there is nothing to replace."""

    replace: bool
    reason: str
    same: bool = False


def kind_of(category: str, key: str) -> str | None:
    """Which kind of identity a fact is, by its names; None for any other fact."""
    if category not in _ABOUT_PEOPLE:
        return None
    name = _OWNER.sub("", key)
    if kind := _KIND.get(name):
        return kind
    if category == "identity" and (of := _OF_OTHERS.search(name)):
        return _KIND[of[1]]
    return None


def may_replace(key: str, current: str, draft: str, cue: str | None, mentions: Sequence[Mention]) -> Decision:
    """Whether `draft` takes the place of `current`.

    `cue` are the words that say it as a change, if there are any; `mentions` are the messages in which the
    new value was said, with the one that says it now.
    """
    if cue:
        return Decision(True, f"it was said as a change: {cue!r}")
    old, new = _words(current), _words(draft)
    if new == old or (new and new < old):
        return Decision(False, f"{_shown(key)} is {current} already", same=True)
    if old and old < new:
        return Decision(True, f"it says more than {current!r}")
    if is_confirmed(mentions):
        return Decision(True, "it was said again in another message")
    return Decision(False, f"{_shown(key)} stays {current}: one mention of {draft}, not said as a change")


def is_confirmed(mentions: Sequence[Mention]) -> bool:
    """Whether two messages say it, of two sessions or in other words: a message sent twice is one."""
    by_id = {mention.message_id: mention for mention in mentions}.values()
    return (
        len({mention.session_id for mention in by_id}) > 1
        or len({" ".join(mention.text.casefold().split()) for mention in by_id}) > 1
    )


def _words(value: str) -> frozenset[str]:
    return frozenset(_WORD.findall(value.casefold()))


def _shown(key: str) -> str:
    return key.replace("_", " ")
