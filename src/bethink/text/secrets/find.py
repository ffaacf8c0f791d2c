"""Where secrets stand in a text: told by their shape alone, by a word for one nearby, or by a phrase. Pure.

Own rules rather than `detect-secrets`, which reads source code: it knows no card and account numbers, not all
of today's key formats, and it brings an HTTP client. Known formats are matched as such and numbers by their
checksums, so that commit hashes and ids raise no alarm. From each word for a secret, what stands around it is
looked at: some characters after it, and right before it. So the time a text takes grows with its length
alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from heapq import merge
from secrets import token_bytes

from bethink.text.secrets import vocabulary as words
from bethink.text.secrets.rules import ENTERED, NEAR_NUMBERS, NUMERIC, PAIR, PASSWORDS, SPELLED, Rule, around
from bethink.text.secrets.values import (
    ACCOUNT,
    CARD,
    CODE,
    IDENTITY,
    KEY,
    LOGIN,
    PASSWORD,
    TRAILING,
    Secret,
    has_mark,
    is_random,
    values,
)

REACH_BACK, REACH_ON = 200, 120  # around a number: a word for it, and what stands before that


def find_secrets(text: str) -> list[Secret]:
    """Every secret in the text, in order of where it begins; none overlaps another."""
    if _clean.has(digest := _clean.digest(text)):
        return []
    if not (found := look(text)):
        _clean.add(digest)
    return found


def look(text: str) -> list[Secret]:
    """The same, also in a text that was looked at before."""
    found: list[Secret] = []
    for secret in sorted(_all(text), key=lambda secret: (secret.span[0], -secret.span[1])):
        if not found or secret.span[0] >= found[-1].span[1]:
            found.append(secret)
    return found


class _Clean:
    """The texts in which no secret was found, of late: most are looked at each time they are shown.

    Digests under a key of this process are kept, and nothing of the texts, which somebody may erase.
    """

    def __init__(self, most: int) -> None:
        self._most, self._key = most, token_bytes(32)
        self._newer: set[bytes] = set()
        self._older: set[bytes] = set()

    def digest(self, text: str) -> bytes:
        """What tells a text from all others."""
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, key=self._key).digest()

    def has(self, digest: bytes) -> bool:
        """Whether that text was looked at, and not so long ago that it is forgotten."""
        if digest in self._newer:
            return True
        if digest in self._older:
            self.add(digest)
            return True
        return False

    def add(self, digest: bytes) -> None:
        """Keep that there is no secret in that text."""
        if len(self._newer) >= self._most:
            self._newer, self._older = set(), self._newer
        self._newer.add(digest)


_clean = _Clean(most=20_000)


def _all(text: str) -> Iterator[Secret]:
    yield from shaped(text)
    yield from told(text)


PIECE = 16_384  # characters in which a match may begin
AHEAD = 4_096  # characters after them that a match may reach before it is looked at as a whole


def each(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """What `pattern.finditer(text)` finds, if the pattern finds nothing empty; a long text piece by piece.

    While an expression is at work no other thread is, nor the event loop: one search through a million
    characters would keep every other request waiting. Between two pieces the others have their turn.
    """
    place = 0
    while place < len(text):
        border = place + PIECE
        end = min(border + AHEAD, len(text))
        following = border
        for found in pattern.finditer(text, place, end):
            if found.start() >= border:
                break
            if found.end() < end or end == len(text):
                yield found
                following = max(border, found.end())
                continue
            whole = pattern.match(text, found.start())  # it may go on, or not be one at all
            if whole:
                yield whole
            following = whole.end() if whole else found.start() + 1
            break
        place = following


_URL_SAFE = r"[A-Za-z0-9_-]"
_FORMATS = [
    ("an Anthropic API key", rf"sk-ant-{_URL_SAFE}{{16,}}"),
    ("an OpenAI API key", rf"sk-(?!ant-)(?=[A-Za-z_-]{{0,40}}\d){_URL_SAFE}{{20,}}"),
    ("a Stripe key", r"(?:[srp]k_(?:live|test)_[A-Za-z0-9]{8,}|whsec_[A-Za-z0-9+/=]{16,})"),
    ("a Bethink key", rf"bk_(?!live_|test_)(?=[A-Za-z_-]{{0,60}}\d){_URL_SAFE}{{24,}}"),
    ("a GitHub token", r"(?:gh[pousr]_(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{10,}|github_pat_[A-Za-z0-9_]{22,})"),
    ("a GitLab token", rf"gl(?:pat|ptt|rt|dt|cbt)-(?=[A-Za-z_-]{{0,40}}\d){_URL_SAFE}{{12,}}"),
    ("an AWS access key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("a Google API key", rf"(?:AIza{_URL_SAFE}{{35}}|GOCSPX-{_URL_SAFE}{{20,}}|ya29\.{_URL_SAFE}{{20,}})"),
    ("a Slack token", r"(?:xox[abeoprs](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,})"),
    ("a Slack webhook", r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_]{16,}"),
    ("a Hugging Face token", r"hf_[A-Za-z0-9]{30,}"),
    ("a package registry token", rf"(?:npm_[A-Za-z0-9]{{36}}|pypi-{_URL_SAFE}{{50,}})"),
    ("a SendGrid key", rf"SG\.{_URL_SAFE}{{16,64}}\.{_URL_SAFE}{{16,64}}"),
    ("a DigitalOcean token", r"do[opr]_v1_[a-f0-9]{64}"),
    ("a Telegram bot token", rf"\d{{8,10}}:AA{_URL_SAFE}{{33}}(?!{_URL_SAFE})"),
    ("a signed token (JWT)", rf"eyJ{_URL_SAFE}{{8,2000}}\.eyJ{_URL_SAFE}{{8,}}(?:\.{_URL_SAFE}*)?"),
]
_KNOWN = re.compile(
    r"(?<![A-Za-z0-9_-])(?:" + "|".join(f"(?P<k{i}>{text})" for i, (_, text) in enumerate(_FORMATS)) + ")"
)
_KINDS = {f"k{i}": kind for i, (kind, _) in enumerate(_FORMATS)}

_DIGIT = re.compile(r"\d")
_TOKEN = re.compile(r"\S{14}")  # the shortest key has as many signs
_LONG_NUMBER = re.compile(r"\d(?:[ -]?[\dA-Z]){11}")  # as part of any card, account or identity number
_KEY_BEGINS = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_ENDS = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_IN_ADDRESS = re.compile(r"(?<=://)[^\s:/@]{1,100}:(?P<value>[^\s@/]{1,100})@")
_HEADER = re.compile(r"\b(?:bearer|basic) (?P<value>[A-Za-z0-9._~+/-]{16,500}={0,2})", re.IGNORECASE)
_VARIABLE = re.compile(
    r"(?<!\w)[A-Z0-9_]{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PWD)[ \t]{0,3}[=:][ \t]{0,3}[\"']?"
    r"(?P<value>[^\s\"',;]{8,200})"
)
# A capitalised word, a sign and a number in one: what sites make people choose, and hardly anything else.
_CHOSEN = re.compile(r"(?<![^\s\"'`“(（，。：])[A-Z][a-z]{3,20}[!$]\d{2,6}(?![^\s\"'`”).,;:?!，。；：])")

# Neither letters nor what follows in an id (8-4-4-4-12 signs) stand beside a card's number.
_CARD = re.compile(
    r"(?<![A-Za-z\d+.-])(?<!\d[ -])[2-6](?:[ -]?\d){12,18}(?![ -]?\d|[A-Za-z]|-[\dA-Fa-f]{4}-)"
)
_CARD_LENGTHS = {"2": (16,), "3": (14, 15), "4": (13, 16, 19), "5": (16,), "6": (16, 17, 18, 19)}
_ACCOUNT = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![a-z0-9])")
# fmt: off
_ACCOUNT_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29,
    "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29,
    "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
    "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20,
    "LB": 28, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27,
    "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24,
    "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TN": 24, "TR": 26, "UA": 29, "VA": 22,
    "VG": 24, "XK": 20,
}
# fmt: on
# The number of a Chinese identity card: a place, a date of birth, a serial number and a check digit.
_CITIZEN = re.compile(r"(?<![\dA-Za-z.-])[1-8]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])\d{5}[\dXx](?![\dA-Za-z])")


def shaped(text: str) -> Iterator[Secret]:
    """The secrets whose shape gives them away, in no order."""
    yield from _private_keys(text)
    if "://" in text:
        for match in each(_IN_ADDRESS, text):
            yield Secret("a password in an address", match.span("value"), PASSWORD)
    if not _DIGIT.search(text):
        return  # all others have one
    if "!" in text or "$" in text:
        for match in each(_CHOSEN, text):
            yield Secret("a password", match.span(), PASSWORD)
    if _TOKEN.search(text):
        yield from _keys(text)
    if _LONG_NUMBER.search(text):
        yield from _numbers(text)


def _keys(text: str) -> Iterator[Secret]:
    for known in each(_KNOWN, text):
        yield Secret(_KINDS[known.lastgroup or ""], known.span(), KEY)
    for pattern in (_HEADER, _VARIABLE):
        for match in each(pattern, text):
            value = match["value"].rstrip(TRAILING)
            if is_random(value):
                start = match.start("value")
                yield Secret("a key or token", (start, start + len(value)), KEY)


def _private_keys(text: str) -> Iterator[Secret]:
    place = 0 if "-----BEGIN" in text else len(text)
    while begins := _KEY_BEGINS.search(text, place):
        ends = _KEY_ENDS.search(text, begins.end())
        place = ends.end() if ends else len(text)
        yield Secret("a private key", (begins.start(), place), KEY)


def _numbers(text: str) -> Iterator[Secret]:
    for match in each(_CARD, text):
        digits = re.sub(r"\D", "", match[0])
        if len(digits) in _CARD_LENGTHS[digits[0]] and _luhn(digits):
            yield Secret("a card number", match.span(), CARD)
    for match in each(_ACCOUNT, text):
        if end := _account_end(match[0]):
            yield Secret("a bank account number (IBAN)", (match.start(), match.start() + end), ACCOUNT)
    for match in each(_CITIZEN, text):
        yield Secret("an identity number", match.span(), IDENTITY)


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (1 + place % 2)
        total += number - 9 if number > 9 else number
    return total % 10 == 0 and len(set(digits)) > 1


def _account_end(text: str) -> int | None:
    """Where an account number that begins the text ends, if its checksum is right."""
    wanted = _ACCOUNT_LENGTHS.get(text[:2], 0)
    places = [place for place, character in enumerate(text) if character != " "][:wanted]
    if not wanted or len(places) < wanted:
        return None
    compact = "".join(text[place] for place in places)
    number = "".join(str(int(character, 36)) for character in compact[4:] + compact[:4])
    return places[-1] + 1 if int(number) % 97 == 1 else None


def told(text: str) -> Iterator[Secret]:
    """The secrets that a word for one gives away, in no order."""
    passwords, spelled = _ANYWHERE.matches(text)
    yield from _by_rule(text, PASSWORDS, passwords)  # which may be a word like any other
    for first, end in _regions(text, spelled):
        for secret in _near_numbers(text[first:end]):
            start, last = secret.span
            yield Secret(secret.kind, (first + start, first + last), secret.mark)


def _near_numbers(text: str) -> Iterator[Secret]:
    *found, entered, pairs = _NEAR_NUMBERS.matches(text)
    for rule, matches in zip(NEAR_NUMBERS, found, strict=True):
        yield from _by_rule(text, rule, matches)
    for match in entered:
        yield Secret("a door or alarm code", match.span("value"), CODE)
    for match in pairs:
        yield from _pair(text, match)


def _regions(text: str, spelled: Sequence[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """The stretches of a text with digits, in which alone most secrets can be; most texts have none."""
    first = end = -1
    numbers = (match.span() for match in each(NUMERIC, text))
    for start, last in merge(numbers, (match.span() for match in spelled)):
        if end < 0 or start - REACH_BACK > end:
            if end >= 0:
                yield first, end
            first = max(start - REACH_BACK, 0)
        end = max(end, min(last + REACH_ON, len(text)))
    if end >= 0:
        yield first, end


def _by_rule(text: str, rule: Rule, matches: Sequence[re.Match[str]]) -> Iterator[Secret]:
    for match in matches:
        if has_mark(text[max(match.start() - 1, 0) : match.end() + 8]):
            continue  # it is the mark of a secret, or right before one
        for span in around(text, match, rule):
            yield Secret(rule.kind, span, rule.mark)


def _pair(text: str, match: re.Match[str]) -> Iterator[Secret]:
    """A name and a password together, such as `login: anna / Tulip!77`."""
    value = next(iter(values(text, match.start("value"), match.end("value"))), None)
    if value is None or value.is_mark or value.is_ordinary or not (value.is_chosen or value.is_long):
        return
    yield Secret("a login", (value.start, value.end), LOGIN)
    name = match["name"].rstrip(TRAILING)
    if re.search(r"\d", name) and re.search(r"[A-Za-z]", name):
        yield Secret("a login", (match.start("name"), match.start("name") + len(name)), LOGIN)


class _Lookup:
    """Finds where expressions match that begin with certain words, by the first letters of each word.

    An expression with a hundred alternatives is tried at every place of a text; here only where one of the
    words can begin. What an expression finds is what `finditer` does.
    """

    def __init__(self, *expressions: tuple[re.Pattern[str], str]) -> None:
        self._patterns = [pattern for pattern, _ in expressions]
        heads = {
            (_head(word), number)
            for number, (_, listed) in enumerate(expressions)
            for word in listed.removeprefix("(?:").split("|")
        }
        self._anywhere = {number for head, number in heads if not head}  # some words begin in many ways
        heads = {(head, number) for head, number in heads if number not in self._anywhere}
        keys = sorted({head[:2] for head, _ in heads}, key=len, reverse=True)
        self._by_key = {key: sorted(one for one in heads if _agree(one[0], key)) for key in keys}
        starts = "|".join(f"{key[0]}(?={key[1:]})" for key in keys)  # one letter: another may begin after it
        self._start = re.compile(f"{words.STARTS}(?:{starts})")

    def matches(self, text: str) -> list[list[re.Match[str]]]:
        """What each of the expressions finds in the text, in order."""
        lower = text.lower()
        if len(lower) != len(text):  # a few letters are two when they are small
            return [list(each(pattern, text)) for pattern in self._patterns]
        found: list[list[re.Match[str]]] = [
            list(each(pattern, text)) if number in self._anywhere else []
            for number, pattern in enumerate(self._patterns)
        ]
        for start in each(self._start, lower):
            place = start.start()
            key = lower[place : place + 2]
            for head, number in self._by_key[key if key in self._by_key else key[0]]:
                if lower.startswith(head, place) and not (found[number] and found[number][-1].end() > place):
                    match = self._patterns[number].match(text, place)
                    found[number] += [match] if match else []
        return found


def _head(word: str) -> str:
    """The first letters that every form of a word has; empty where they differ."""
    match = _LETTERS.match(word)
    return match[0] if match else ""


def _agree(head: str, key: str) -> bool:
    return head.startswith(key) or key.startswith(head)


_LETTERS = re.compile(r"[^\W_]+(?![?*{\w])|[^\W_]+(?=[^\W_][?*{])")
_ANYWHERE = _Lookup((PASSWORDS.pattern, PASSWORDS.words), (SPELLED, words.DIGITS))
_NEAR_NUMBERS = _Lookup(
    *((rule.pattern, rule.words) for rule in NEAR_NUMBERS),
    (ENTERED, words.ENTERING),
    (PAIR, f"{words.LOGINS}|{words.WIFIS.removeprefix('(?:')}"),
)
