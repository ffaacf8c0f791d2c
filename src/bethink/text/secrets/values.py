"""What a secret is, and what one can look like: a number, digits in words, a word nobody would say. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from bethink.text.secrets.vocabulary import SPELLED

PASSWORD, LOGIN, PIN, CODE = "[password]", "[login]", "[PIN]", "[access code]"
KEY, CARD, ACCOUNT, IDENTITY = "[key]", "[card number]", "[account number]", "[identity number]"
MARKS = (PASSWORD, LOGIN, PIN, CODE, KEY, CARD, ACCOUNT, IDENTITY)
_MARK = re.compile("|".join(map(re.escape, MARKS)))


@dataclass(frozen=True, slots=True)
class Secret:
    """What kind of secret stands where, and what is shown instead of it."""

    kind: str
    span: tuple[int, int]
    mark: str


def has_mark(text: str) -> bool:
    """Whether a text shows a mark where a secret was."""
    return "[" in text and _MARK.search(text) is not None


_SHORTEST_TOKEN = 16
_LEAST_ENTROPY = 3.0  # bits a character; hexadecimal has at most 4
TRAILING = ".,;:!?)]}>。，；：！？、）】\"'`”’»」"
_CJK = "\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff00-\uffef"  # scripts without spaces, and their punctuation
HANZI_DIGITS = "零〇一二三四五六七八九幺两"
_CANDIDATE = re.compile(
    rf"(?P<mark>\[[A-Za-z ]{{3,20}}\])|(?P<spelled>{SPELLED})|(?P<hanzi>[{HANZI_DIGITS}]{{4,12}})"
    r"|(?P<spaced>(?<![A-Za-z0-9_.,:/-])\d(?:[ ]\d){2,9}(?![A-Za-z0-9_:/]))"
    r"|(?P<grouped>(?<![A-Za-z0-9_.,:/-])\d{2,6}(?:[ -]\d{2,6}){1,6}(?![A-Za-z0-9_:/-]))"
    r"|(?P<dashed>(?<![A-Za-z0-9_.,:/-])\d{1,4}(?:-\d{1,4}){2,5}(?![A-Za-z0-9_:/-]))"
    r"|(?P<quoted>[\"“„«「‘][^\s\"”“»」’]{3,60}[\"”“»」’])"
    rf"|(?P<token>[^\s{_CJK}]{{1,100}})",
    re.IGNORECASE,
)
_LEADING = "\"'`“„«「‘([{<*=:"
_ENDS_MADE_UP = re.compile(r"\d!")
_SIGNS = re.compile(r"[!#$%&*@+_~^=?]")
_NUMBER = re.compile(r"[#*]?\d{3,12}[#*]?|\d{2,6}[#*]\d{2,6}[#*]?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DATE = re.compile(
    r"(?:19|20)\d\d-\d{1,2}-\d{1,2}|\d{1,2}-\d{1,2}-(?:19|20)\d\d|(?:19|20)\d\d[ -](?:19|20)\d\d"
)
_TIME = re.compile(r"0?[3-9][0-5]\d")
# What has letters and digits in it and is no secret: amounts, times, versions, addresses, names of things.
_ORDINARY = re.compile(
    r"\d+(?:st|nd|rd|th|er|re|e|ème|eme|º|ª|\.)|"
    r"[$€£¥~+-]?\d+(?:[.,]\d+)*(?:k|m|mm|cm|km|kms|kg|g|mg|ml|cl|dl|l|h|hr|hrs|hs|min|mins|s|sec|ms|am|pm|x|gb|mb|tb|kb|"
    r"ghz|mhz|hz|kv|v|w|kw|kwh|wh|mah|°?c|°?f|eur|euro|euros|usd|gbp|chf|brl|%|p|px|pt|em|rem|fps|dpi|mbit|mbps|gbit|"
    r"yo|y|yrs|d|days|weeks|ft|in|lb|lbs|oz|mph|€|\$|£|元|块)|"
    r"\d{1,2}[:h.]\d{2}(?::\d{2})?(?:am|pm|h|uhr)?|"
    r"v?\d+(?:\.\d+)+[a-z]{0,3}\d{0,2}|"
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{4}-\d{2}|\d{4}[-/]\d{2,4}|"
    r"\d{4}-\d{2}-\d{2}t[\d:.z+-]+|"
    r"(?:https?://|www\.|ftp:|file:|mailto:)\S*|\S+@\S+\.\S+|[^\s@]+@[\w.-]+(?::\d+|/)\S*|@\S+|#\S+|"
    r"[~.]?/\S*|[a-z]:\\\S*|\S+/\S+/\S*|"
    r"[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|de|es|fr|pt|br|cn|uk|ch|at|eu|app|ai|local|py|js|ts|json|ya?ml|toml|"
    r"txt|md|csv|pdf|png|jpe?g|docx?|xlsx?|zip|log|sh|html?|css|cfg|conf|ini|env|lock|sql)(?:[:/]\S*)?|"
    r"[a-z_][\w.]*\(.*|--?[a-z][\w-]*(?:=.*)?|\S*[<>{}|]\S*|"
    r"[a-z]{1,2}\d{1,3}|\d{1,2}[a-z]{1,2}|"
    r"(?:sha|md|utf|base|oauth|ipv|wpa|rs|hs|es|aes|rsa|tls|ssl|http|web|mp|ps|win|office|iphone|ipad|pixel|galaxy|"
    r"rtx|gtx|ryzen|core|gpt|claude|llama|php|python|java|ansible|debian|ubuntu|postgres|sqlite|mysql|k8s|log4j|"
    r"macos|ios|android|version|rev|build|step|part|page|chapter|room|level|gate|line|row|col|h|covid|wifi|wi-fi|fat|"
    r"usb|hdmi|vitamin|omega|co|ph)[-_. ]?\d+(?:[-.\d]*\d)?[a-z]{0,3}",
    re.IGNORECASE,
)
_PHONE = re.compile(
    r"(?:tel|phone|call|ring|text|whatsapp|mobile|handy|cell|fax|celular|móvil|tél|电话|手机)\W{0,3}\w{0,6}\W{0,3}\Z"
)


@dataclass(frozen=True)
class Value:
    """Something that may be a secret, and where it stands."""

    text: str
    start: int
    end: int
    form: str

    @property
    def is_mark(self) -> bool:
        return has_mark(self.text)

    @property
    def is_quoted(self) -> bool:
        return self.form == "quoted"

    @property
    def is_spelled(self) -> bool:
        return self.form in ("spelled", "hanzi")

    @cached_property
    def digits(self) -> int:
        if self.form == "spelled":
            return len(re.findall(r"[^\W\d_]+", self.text))
        if self.form == "hanzi":
            return len(self.text)
        return sum(character.isdigit() for character in self.text)

    @property
    def letters(self) -> int:
        return sum(character.isalpha() for character in self.text)

    @property
    def has_sign(self) -> bool:
        return _SIGNS.search(self.text) is not None

    @property
    def has_small(self) -> bool:
        return any(character.islower() for character in self.text)

    @property
    def is_number(self) -> bool:
        return self.form in ("spaced", "grouped", "dashed") or _NUMBER.fullmatch(self.text) is not None

    @property
    def is_word(self) -> bool:
        """Whether it is only letters, as any word is."""
        return not self.digits and not self.has_sign

    @property
    def is_year(self) -> bool:
        return _YEAR.fullmatch(self.text) is not None

    @property
    def is_time(self) -> bool:
        return _TIME.fullmatch(self.text) is not None

    @cached_property
    def is_ordinary(self) -> bool:
        """Whether it is an amount, a time, a version, an address or the like."""
        if self.form in ("grouped", "dashed"):
            return _DATE.fullmatch(self.text) is not None
        return self.form == "token" and _ORDINARY.fullmatch(self.text) is not None

    @property
    def is_made_up(self) -> bool:
        """Whether no word and no number looks like it: letters with digits or signs among them."""
        if self.form not in ("token", "quoted") or len(self.text) < 4 or not self.letters:
            return False
        mixed_case = re.search(r"[a-z][A-Z]", self.text) is not None
        return bool(self.digits) or _SIGNS.search(self.text[:-1]) is not None or mixed_case

    @property
    def is_long(self) -> bool:
        """Made up, and too long for the name of a thing."""
        return self.is_made_up and len(self.text) >= 8 and self.digits >= 2 and self.letters >= 2

    @property
    def is_chosen(self) -> bool:
        """Letters, digits and signs in one: what sites make people choose."""
        if self.is_ordinary or self.form not in ("token", "quoted") or len(self.text) < 7:
            return False
        return self.letters >= 2 and self.digits >= 1 and _SIGNS.search(self.text) is not None

    @property
    def is_token(self) -> bool:
        """What a program made: letters and digits mixed, in several places."""
        changes = len(re.findall(r"\d[A-Za-z]|[A-Za-z]\d", self.text))
        return (
            self.is_made_up
            and len(self.text) >= 10
            and self.digits >= 2
            and self.letters >= 3
            and changes >= 2
        )

    def is_phone(self, text: str) -> bool:
        return _PHONE.search(text[max(self.start - 30, 0) : self.start].lower()) is not None


def values(text: str, start: int, end: int) -> Iterator[Value]:
    """What stands in a stretch of a text, piece by piece. A piece that begins in it is looked at whole."""
    place = start
    while place < end and (match := _CANDIDATE.search(text, place)) and match.start() < end:
        place = match.end()
        form = match.lastgroup or "token"
        first, last = match.span()
        if form in ("token", "quoted"):
            stripped = match[0].lstrip(_LEADING)
            first = last - len(stripped)
            last = first + len(stripped.rstrip(TRAILING))
            if _ENDS_MADE_UP.match(text, max(last - 1, first)):
                last += 1  # the sign at the end of a password, which may also be that of a sentence
        if last > first:
            yield Value(text[first:last], first, last, form)


def is_random(value: str) -> bool:
    """Whether a token looks drawn by lot: letters and digits, and hardly any repetition."""
    if len(value) < _SHORTEST_TOKEN or not re.search(r"\d", value) or not re.search(r"[A-Za-z]", value):
        return False
    shares = [count / len(value) for count in Counter(value).values()]
    return -sum(share * math.log2(share) for share in shares) >= _LEAST_ENTROPY
