"""Secrets that whole phrases tell: a name and a password together, a number to type in at a door. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bethink.text.scan import each
from bethink.text.secrets import vocabulary as words
from bethink.text.secrets.kinds import CODE, LOGIN, Secret
from bethink.text.secrets.shapes import TRAILING
from bethink.text.secrets.values import values


def phrased(text: str) -> Iterator[Secret]:
    """The secrets that a phrase gives away, in no order."""
    for match in each(_ENTERED, text):
        yield Secret("a door or alarm code", match.span("value"), CODE)
    yield from _pairs(text)


_PAIR = re.compile(
    rf"{words.STARTS}(?:{words.LOGINS}|{words.WIFIS}){words.ENDS}[^.!?\n]{{0,40}}?"
    r"(?:[:：=]|['’]s|\b(?:is|are|ist|lautet|es|son|est|c'est|é|it'?s)\b|是|为)\s{0,2}[\"'`“„]?"
    r"(?P<name>[^\s,;/，]{2,40})[\"'`”]?\s{0,2}(?:/|\||,|;|，|\band\b|\bund\b|\by\b|\be\b|\bet\b|\bpis\b|&|\+|和)\s{0,2}"
    r"(?:(?:the\s)?(?:pass|pw|password|passwort|mdp|senha|clave|密码)\s?[:：]?\s?)?[\"'`“„]?(?P<value>[^\s，。]{5,60})",
    re.IGNORECASE,
)


_ENTERED = re.compile(
    rf"{words.STARTS}(?:dial|type|enter|punch in|key in|press|use|tipp\w{{0,3}}|gib|drück\w{{0,3}}|marca|"
    r"pulsa|teclea|tape[rz]?|compose[rz]?|fais|digit[ae]|marque|按|输入)\s{0,2}(?:in\s|the\s|ein\s)?"
    r"(?P<value>[#*]?\d{4,8}[#*]?)\s{1,2}"
    r"(?:for|at|on|to|into|and|am|an|für|bei|en|para|sur|à|au|pour|no|na|em)\s{1,2}(?:[\w'’-]{1,20}\s{1,2}){0,3}?"
    rf"{words.OPENED}{words.ENDS}",
    re.IGNORECASE,
)


def _pairs(text: str) -> Iterator[Secret]:
    """A name and a password together, such as `login: anna / Tulip!77`."""
    for match in each(_PAIR, text):
        value = next(iter(values(text, match.start("value"), match.end("value"))), None)
        if value is None or value.is_mark or value.is_ordinary or not (value.is_chosen or value.is_long):
            continue
        yield Secret("a login", (value.start, value.end), LOGIN)
        name = match["name"].rstrip(TRAILING)
        if re.search(r"\d", name) and re.search(r"[A-Za-z]", name):
            yield Secret("a login", (match.start("name"), match.start("name") + len(name)), LOGIN)
