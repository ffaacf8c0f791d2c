"""Texts that make a careless scan slow, and how the time of a scan grows with them.

`PIECES` are what the scans look for, in part: tags that are never closed, marks that never find their
partner, words after which more is expected. `attacks_on` takes such pieces from a regular expression itself:
what leads up to each of its repetitions, and what is repeated, without what would end it.
"""

from __future__ import annotations

import gc
import importlib
import re
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

_parser: Any = importlib.import_module("re._parser")

SIZE = 1_000  # characters; the other measurement has four times as many
LINEAR = 9.0  # a linear scan takes 4 times as long for 4 times the text, a quadratic one 16 times
ROUNDS = 8

PIECES = (
    " ", "\n", "\t", ":", "-", "(", "<", ">", "\"", "'", "`", "~", "*", "_", "#", "@", "|", "&", "%", "$",
    "\\", "/", "!", "?", ".", ",", ";", "=", "+", "[", "]", "{", "}", "^", ")", "a", "A", "1", "é", "“",
    "”", "‘", "«", "「", "》", "猫", "か", "안", "ไ", "\u0301", "\u200b", "\u200e", "\u2028", "\xa0",
    "\u0e48", "\u0316", "🎉", "\U0001f1eb", "我", "，", "。", "…", "\r\n", "\n\n", "\n \n", " \n", ". ",
    "a.", "a. ", "a,", "1,", "1.", "1:", "1-", "a-", "a'", "a’", "a:", "a: ", "a/", "a_", "a@", "a b ",
    "Aa ", "aA", "(a", "[a", "{a", "<a", "<a ", "< ", "</", "<!--", "<!-- BETHINK_", "\"a", "\"a\n",
    " 'a", "“a", "„a", "«a", "「a", "‘a", "`a", "```", "\n```", "\n~~~", "```a\n", "- ", "\n- ",
    "\n> ", "\n>", "\n    a", "\n| ", "# ", "\n# ", "## Relevant Memory\n", "<bethink-memory>",
    "<bethink-recall>", "</bethink-memory", "<bethink-memory", "<bethink ", "\n<bethink>a",
    "<conversation", "<user>", "<think>", "{{", "{{ a", "{\"", "[{", "A: a\n", "user: ", "On ", "On a",
    "\nOn a", "Am a", "Le a", "\n--", "\n-- ", "\n---- ", "\nFrom: a\n", "\n____", "\n_", "\nFrom a ",
    "a\n\n\n", "password ", "password is ", "password for a ", "pin ", "the pin for ", "ssn ", "api key ",
    "api_key=", "API_KEY=", "A_", "token for a", "bearer ", "sk-", "sk-a", "eyJ", "eyJaaaaaaaa", "://",
    "://a:", "://a:b", "-----BEGIN PRIVATE KEY-----", "-----BEGIN A ", "4 1", "4111", "4-", "AB12 ",
    "AB12A ", "GB", "1 ", "I like ", "I am ", "my ", "my wife ", "my dear ", "remember that ",
    "please remember ", "and ", ", and ", "but ", "if ", "she said ", "not ", "ich mag ", "ich ", "und ",
    "j'aime ", "me gusta ", "我喜欢", "yesterday ", "in 3 ", "in ", "next ", "next friday ",
    "on the 3rd of ", "the ", "may ", "2024-01-", "2024-", "in 2024 ", "3 days ", "3. ", "vor drei ",
    "hace ", "il y a ", "前天", "3月", "hi ", "hello ", "ok ", "thanks ", "def a(", "a = ", "tool call ",
    "running ", "at a.", "File \"", "aError", "[2024-01-01 00:00", "<a b=\"", "1.1.24, 10:", "[1.1.24 ",
    "1.1.24, 10:00 - a", "a: <", "<@", "<@a|", "&#", "<a|", "=?", "=?utf-8?q?", "re: ", "<p>", "<div ",
    "<!", "<?", "<blockquote type=cite>", "\\u", "\\(", "(a)", "key: ", "- key", "- a(", "U.S.", "Dr. ",
    "e.g. ", "...", "?!", "a\u0301", "\u0301\u0316", "\u0316\u0301", "a\u200b", "猫か",
    "\u0e44\u0e21\u0e48", "안녕 ", "http://a/", "a+", "C++", "1a", "v1", "getA", "aB1", "it's ", "n't ",
    "1,000",
)  # fmt: skip


def repeated(piece: str, size: int) -> str:
    """So many characters of nothing but the piece."""
    return (piece * (size // len(piece) + 1))[:size]


def shapes(patterns: Iterable[re.Pattern[str]] = ()) -> dict[str, Callable[[int], str]]:
    """Texts of any size, by a name that tells how they are made; each also with an end that fits nothing."""
    made: dict[str, Callable[[int], str]] = {}
    pairs = [("", piece) for piece in PIECES] + [pair for one in patterns for pair in attacks_on(one)]
    for before, piece in pairs:
        for end in ("", "a"):
            made[f"{before!r} + {piece!r}… + {end!r}"] = partial(_run, before, piece, end)
        if before:
            made[f"{before + piece!r}…"] = partial(_run, "", before + piece, "")
    return made


def shape(before: str, piece: str, end: str) -> Callable[[int], str]:
    """A text of any size: a piece again and again, after and before something else."""
    return partial(_run, before, piece, end)


def _run(before: str, piece: str, end: str, size: int) -> str:
    return before + repeated(piece, size) + end


def attacks_on(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """What leads up to each repetition of a pattern, and what is repeated there."""
    found: dict[tuple[str, str], None] = {}
    _walk(_parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE), "", found)
    return list(found)


def _walk(nodes: Any, before: str, found: dict[tuple[str, str], None]) -> str:
    for kind, value in nodes:
        match str(kind):
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, body = value
                if int(most) > 20:
                    for example in _examples(body):
                        found[before, example] = None
                inner = _walk(body, before, found)
                before = before if not least else before + inner[len(before) :] * int(least)
            case "SUBPATTERN":
                before = _walk(value[3], before, found)
            case "ATOMIC_GROUP":
                before = _walk(value, before, found)
            case "BRANCH":
                first, *_ = [_walk(branch, before, found) for branch in value[1]]
                before = first
            case "ASSERT" | "ASSERT_NOT":
                _walk(value[1], before, found)
            case _:
                before += _example(kind, value)
    return before


def _examples(body: Any) -> list[str]:
    """Some texts that a repetition takes: of a class one character of each kind."""
    nodes = list(body)
    if len(nodes) == 1 and str(nodes[0][0]) in ("IN", "ANY", "NOT_LITERAL"):
        taken = [mark for mark in " \na1:-.<'é猫" if _takes(nodes[0], mark)]
        return taken[:3] or [_example(*nodes[0])]
    return [text] if (text := _walk(body, "", {})) else []


def _example(kind: Any, value: Any) -> str:
    match str(kind):
        case "LITERAL":
            return chr(value)
        case "ANY" | "NOT_LITERAL" | "IN":
            marks = "a1 -:.A<\n'\"(é猫か안0123456789" + "".join(chr(c) for c in range(33, 127))
            likely = next((mark for mark in marks if _takes((kind, value), mark)), None)
            return likely or next((chr(c) for c in range(0x80, 0xFFFF) if _takes((kind, value), chr(c))), "")
    return ""


def _takes(node: tuple[Any, Any], mark: str) -> bool:
    kind, value = node
    match str(kind):
        case "ANY":
            return mark != "\n"
        case "NOT_LITERAL":
            return bool(ord(mark) != value)
    negated = any(str(part) == "NEGATE" for part, _ in value)
    return negated != any(_is_in(part, what, mark) for part, what in value)


def _is_in(kind: Any, value: Any, mark: str) -> bool:
    match str(kind):
        case "LITERAL":
            return bool(ord(mark) == value)
        case "RANGE":
            return bool(value[0] <= ord(mark) <= value[1])
        case "CATEGORY":
            name = str(value).removeprefix("CATEGORY_")
            word = mark.isalnum() or mark == "_"
            known = {"DIGIT": mark.isdigit(), "SPACE": mark.isspace(), "WORD": word}
            return not known[name[4:]] if name.startswith("NOT_") else known[name]
    return False


def grows_linearly(
    scan: Callable[[str], object], text_of_size: Callable[[int], str], size: int = SIZE
) -> bool:
    """Whether four times the text takes about four times as long, by the processor's time.

    A scan may take another path once a text is long enough, such as the rules of another language. So one
    that seems to grow faster is measured with longer texts too: what is quadratic is so there as well.
    """
    return any(_grows_linearly(scan, text_of_size, of) for of in (size, 4 * size))


def _grows_linearly(scan: Callable[[str], object], text_of_size: Callable[[int], str], size: int) -> bool:
    """The same of texts of one size; what is as quick as looking at each character is measured no closer."""
    short, long = text_of_size(size), text_of_size(4 * size)
    looked, scanned, least_long = _seconds(_look_at_each, short), float("inf"), float("inf")
    for _ in range(ROUNDS):
        least_long = min(least_long, _seconds(scan, long))
        if least_long <= LINEAR * looked:
            return True
        scanned = min(scanned, _seconds(scan, short))
        if least_long <= LINEAR * scanned:
            return True
    return False


def _look_at_each(text: str) -> int:
    return sum(1 for mark in text if mark == "\0")


def _seconds(work: Callable[[str], object], text: str) -> float:
    gc.disable()  # what else there is in memory must not count
    try:
        start = time.thread_time()
        work(text)
        return time.thread_time() - start
    finally:
        gc.enable()
