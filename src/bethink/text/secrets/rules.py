"""The words that tell of a secret, and what near them is one. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from bethink.text.secrets import vocabulary as words
from bethink.text.secrets.values import (
    ACCOUNT,
    CODE,
    HANZI_DIGITS,
    IDENTITY,
    KEY,
    LOGIN,
    PASSWORD,
    PIN,
    Value,
    is_random,
    values,
)

NEAR, FAR = 70, 160  # characters after a word: in its sentence, and beyond it for what can be nothing else
BEFORE = 48


@dataclass(frozen=True)
class Rule:
    """A kind of secret: the words for it, and what near them is one."""

    kind: str
    mark: str
    words: str  # as an expression
    judge: Callable[[Place], bool]
    reach: int = NEAR

    @property
    def pattern(self) -> re.Pattern[str]:
        return _pattern(self.words)


@dataclass(frozen=True)
class Place:
    """A value near a word for a secret."""

    value: Value
    between: str  # what stands between the two
    before: str  # what stands before the word
    text: str
    end: int  # where the value ends in it
    is_reverse: bool = False  # the value comes first: "Tulip!77 is the password"

    @cached_property
    def linked(self) -> bool:
        """Whether "is", ":" or the like leads from the one to the other."""
        return self.is_reverse or words.LINK.search(self.between) is not None

    @property
    def adjacent(self) -> bool:
        return not self.between.strip(" \t,:=?-–—\"'`“(（【「")

    @property
    def apart(self) -> bool:
        """Whether a comma, a colon or a dash sets the value off."""
        return (
            self.between.rstrip(" \"'`“(").endswith((",", ":", "-", "–", "—", "，", "：", "、"))
            or _IN_CJK.search(self.between) is not None
        )

    @property
    def near(self) -> bool:
        return self.adjacent or (len(self.between) <= NEAR and not _SENTENCE_ENDS.search(self.between))

    @property
    def is_dated(self) -> bool:
        """Whether a number says when: "in 2019", "at 1530"."""
        return not self.linked and _WHEN.search(self.between) is not None


_WHEN = re.compile(
    r"(?<![A-Za-zÀ-ɏ])(?:at|by|in|since|until|till|from|on|um|gegen|seit|ab|im|am|bis|en|desde|hasta|a las|à|"
    r"vers|depuis|em|às|até)\s{1,2}\Z",
    re.IGNORECASE,
)
_IN_CJK = re.compile(r"[\u3400-\u9fff]\s?\Z")  # where commas are rare
_SENTENCE_ENDS = re.compile(r"[.!?。！？…\n](?:\s|$)|[。！？\n]")


def around(text: str, match: re.Match[str], rule: Rule) -> Iterator[tuple[int, int]]:
    """Where the value of a word for a secret stands: after it, else right before it."""
    before = text[max(match.start() - BEFORE, 0) : match.start()]
    for value in values(text, match.end(), min(match.end() + rule.reach, len(text))):
        if value.is_mark:
            return  # told, and masked
        between = text[match.end() : value.start]
        place = Place(value, between, before, text, value.end)
        if rule.judge(place):
            yield value.start, value.end
            return
    if (found := _REVERSE.search(before)) and (told := _whole(text, match.start() - len(before), found)):
        place = Place(told, "", "", text, told.end, is_reverse=True)
        if not told.is_word and not told.is_year and rule.judge(place):
            yield told.start, told.end


_REVERSE = re.compile(
    r"(?P<value>[^\s]{3,40})[\"'`”’»」]?\s{1,2}(?:is|was|ist|war|es|est|c'est|é|works as|as)\s{1,2}"
    r"(?:still\s|noch\s|ainda\s)?(?:the|my|our|her|his|der|die|das|mein|meine|unser|unsere|la|el|mi|le|mon|ma|"
    r"notre|o|a|minha|meu|nossa)\s{1,2}(?:[\w'-]{1,20}\s{1,2}){0,2}\Z",
    re.IGNORECASE,
)


def _whole(text: str, first: int, found: re.Match[str]) -> Value | None:
    start, end = first + found.start("value"), first + found.end("value")
    if start == first and start > 0 and not text[start - 1].isspace():
        return None  # only the end of a longer one
    return next(iter(values(text, start, end)), None)


def _is_password(place: Place) -> bool:
    value = place.value
    if not place.near:
        return value.is_chosen  # letters, digits and signs: a sentence later, it is still that
    if _is_said(place) and place.linked:
        return True
    if value.is_number or value.is_spelled:
        set_off = place.linked or (not value.is_year and (place.adjacent or place.apart))
        return set_off and not value.is_ordinary and not place.is_dated
    if value.is_quoted:
        return place.adjacent
    return value.is_made_up and (place.adjacent or place.linked or value.is_chosen or value.is_long)


def _is_said(place: Place) -> bool:
    """Whether what follows "password is" is one, and not the rest of a sentence about passwords."""
    value = place.value
    bare = value.text
    if len(bare) < 3 or words.NOT_TOLD.fullmatch(bare) or value.is_ordinary:
        return False
    if value.is_made_up or value.is_number or value.is_spelled:
        return True
    directly = words.PLAIN_LINK.fullmatch(place.between) is not None
    return directly and words.CLAUSE_ENDS.match(place.text, place.end) is not None


def _is_weak_password(place: Place) -> bool:
    if words.PASSES.search(place.before) or not place.near:
        return False
    return place.linked and place.value.is_made_up and (place.value.is_chosen or place.value.is_long)


def _is_pin(place: Place) -> bool:
    value = place.value
    if not place.near or value.is_ordinary:
        return False
    if place.is_dated or (value.is_year and not (place.linked or place.adjacent)):
        return False
    if value.is_number or value.is_spelled:
        return 3 <= value.digits <= 10
    return value.is_made_up and value.digits >= 3


def _is_key(place: Place) -> bool:
    value = place.value
    if not place.near or value.is_ordinary:
        return False
    directly = place.adjacent or place.apart or words.PLAIN_LINK.fullmatch(place.between) is not None
    return directly and (value.is_token or is_random(value.text))


def _is_code(place: Place) -> bool:
    """A code of something that it opens."""
    value = place.value
    if not place.near or value.is_ordinary or words.PUBLIC.search(place.before):
        return False
    if place.is_dated:
        return False
    around = f"{place.before} {place.between} "
    if value.form == "grouped" and value.digits > 6:
        return False  # so long a number has other uses
    if not _OPENED.search(around) or (value.is_year and not (place.linked or place.adjacent)):
        return False
    if value.is_number or value.is_spelled:
        return 3 <= value.digits <= 10
    return value.is_made_up and value.digits >= 2


def _is_number_of_lock(place: Place) -> bool:
    return _LOCKED.search(f"{place.before} {place.between} ") is not None and _is_code(place)


def _is_opening(place: Place) -> bool:
    """A number with which something opens."""
    is_number = place.value.digits >= 4 and not _MEASURED.match(place.text, place.end)
    return place.adjacent and is_number and _is_code(place)


def _is_entry_code(place: Place) -> bool:
    value = place.value
    if not place.near or value.is_ordinary:
        return False
    return (
        value.is_spelled
        or (value.is_number and 3 <= value.digits <= 10)
        or (value.is_made_up and value.digits >= 2)
    )


def _is_of_lock(place: Place) -> bool:
    value = place.value
    if not (place.linked or place.adjacent) or not place.near or value.is_ordinary or value.is_time:
        return False
    if value.is_year or _MEASURED.match(place.text, place.end):
        return False
    if place.adjacent and not place.linked:
        return value.is_number and value.has_sign and value.digits >= 4
    return 4 <= value.digits <= 10 and (value.is_number or value.is_spelled or value.is_made_up)


_MEASURED = re.compile(
    r"\s{0,2}(?:€|\$|£|¥|%|euros?|eur|usd|dollars?|bucks|quid|pounds?\b(?! sign)|reais|pesos|francs|kg|g|mm|"
    r"cm|m|km|miles|years?|jahre|años|ans|anos|people|times|元|块)(?![A-Za-z])",
    re.IGNORECASE,
)


def _is_wifi(place: Place) -> bool:
    value = place.value
    if not place.near or len(place.between) > BEFORE or not (place.linked or place.adjacent):
        return False
    return (
        value.is_made_up
        and not value.is_ordinary
        and len(value.text) >= 7
        and value.digits >= 2
        and value.has_small
    )


def _is_admin(place: Place) -> bool:
    return place.near and place.linked and place.value.is_chosen


def _is_login(place: Place) -> bool:
    is_short = len(place.between) <= BEFORE
    return place.near and place.linked and is_short and place.value.is_chosen and "_" not in place.value.text


def _is_identity(place: Place) -> bool:
    value = place.value
    if value.is_ordinary or value.is_phone(place.text):
        return False
    is_code = value.is_number or value.is_spelled or value.is_made_up or _DOTTED.fullmatch(value.text)
    return bool(is_code) and value.digits >= 6 and (place.near or (value.is_made_up and place.linked))


_DOTTED = re.compile(r"\d{2,4}(?:[.-]\d{2,4}){1,4}")


def _is_account(place: Place) -> bool:
    value = place.value
    if not place.near or value.is_ordinary or value.is_phone(place.text):
        return False
    return (value.is_number or value.is_made_up) and value.digits >= 8


def _pattern(alternatives: str) -> re.Pattern[str]:
    return re.compile(f"{words.STARTS}{alternatives}{words.ENDS}", re.IGNORECASE)


_OPENED = _pattern(words.OPENED)
_LOCKED = _pattern(words.LOCKED)
NUMERIC = re.compile(rf"\d+|[{HANZI_DIGITS}]{{4,12}}")
SPELLED = re.compile(words.SPELLED, re.IGNORECASE)
PASSWORDS = Rule("a password", PASSWORD, words.PASSWORDS, _is_password, FAR)
NEAR_NUMBERS = (
    Rule("a PIN or security code", PIN, words.PINS, _is_pin),
    Rule("a password", PASSWORD, words.WEAK_PASSWORDS, _is_weak_password),
    Rule("a key or token", KEY, words.KEYS, _is_key),
    Rule("a door or alarm code", CODE, words.COMPOUND_CODES, _is_entry_code),
    Rule("a door or alarm code", CODE, words.CODES, _is_code),
    Rule("a door or alarm code", CODE, words.NUMBERS, _is_number_of_lock),
    Rule("a door or alarm code", CODE, words.OPENING, _is_opening),
    Rule("a door or alarm code", CODE, words.LOCKED, _is_of_lock),
    Rule("a password", PASSWORD, words.WIFIS, _is_wifi),
    Rule("a login", LOGIN, words.ADMINS, _is_admin),
    Rule("a login", LOGIN, words.LOGINS, _is_login),
    Rule("an identity number", IDENTITY, words.IDENTITIES, _is_identity, FAR),
    Rule("an account number", ACCOUNT, words.ACCOUNTS, _is_account),
)

# Phrases that give a secret away as a whole: a name and a password, a number to type in at a door.
PAIR = re.compile(
    rf"{words.STARTS}(?:{words.LOGINS}|{words.WIFIS}){words.ENDS}[^.!?\n]{{0,40}}?"
    r"(?:[:：=]|['’]s|\b(?:is|are|ist|lautet|es|son|est|c'est|é|it'?s)\b|是|为)\s{0,2}[\"'`“„]?"
    r"(?P<name>[^\s,;/，]{2,40})[\"'`”]?\s{0,2}(?:/|\||,|;|，|\band\b|\bund\b|\by\b|\be\b|\bet\b|\bpis\b|&|\+|和)\s{0,2}"
    r"(?:(?:the\s)?(?:pass|pw|password|passwort|mdp|senha|clave|密码)\s?[:：]?\s?)?[\"'`“„]?(?P<value>[^\s，。]{5,60})",
    re.IGNORECASE,
)


ENTERED = re.compile(
    rf"{words.STARTS}{words.ENTERING}\s{{0,2}}(?:in\s|the\s|ein\s)?"
    r"(?P<value>[#*]?\d{4,8}[#*]?)\s{1,2}"
    r"(?:for|at|on|to|into|and|am|an|für|bei|en|para|sur|à|au|pour|no|na|em)\s{1,2}(?:[\w'’-]{1,20}\s{1,2}){0,3}?"
    rf"{words.OPENED}{words.ENDS}",
    re.IGNORECASE,
)
