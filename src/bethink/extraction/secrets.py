"""Secrets that must never be stored: keys, tokens, passwords, card and account numbers. Pure.

Own rules rather than `detect-secrets`, which reads source code: it knows no password told in a sentence, no
other language, no card and account numbers, not all of today's key formats, and it brings an HTTP client.
Here known formats are matched as such, numbers by their checksums, and a random-looking token counts only
where it is said to be a secret, so that commit hashes and ids raise no alarm.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Secret:
    """What kind of secret stands where."""

    kind: str
    span: tuple[int, int]


_URL_SAFE = r"[A-Za-z0-9_-]"
_FORMATS = [
    ("an Anthropic API key", rf"sk-ant-{_URL_SAFE}{{16,}}"),
    ("an OpenAI API key", rf"sk-(?!ant-)(?=[A-Za-z_-]{{0,40}}\d){_URL_SAFE}{{20,}}"),
    ("a Stripe key", r"(?:[srp]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,})"),
    ("a Bethink key", rf"bk_(?!live_|test_)(?=[A-Za-z_-]{{0,60}}\d){_URL_SAFE}{{24,}}"),
    ("a GitHub token", r"(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})"),
    ("a GitLab token", rf"gl(?:pat|ptt|rt|dt|cbt)-{_URL_SAFE}{{20,}}"),
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

_KEY_BEGINS = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_ENDS = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_IN_ADDRESS = re.compile(r"(?<=://)[^\s:/@]{1,100}:(?P<value>[^\s@/]{1,100})@")
_HEADER = re.compile(r"\b(?:bearer|basic) (?P<value>[A-Za-z0-9._~+/-]{16,500}={0,2})", re.IGNORECASE)


def _any_of(words: str) -> str:
    """An expression for any of the words, which are parted by bars; a space stands for one or two."""
    return "(?:" + re.sub(r"\s+", r"\\s{1,2}", re.sub(r"\s*\|\s*", "|", words.strip())) + ")"


# How people call them, in the languages we have rules for and some others.
_LOGIN_WORDS = _any_of(
    """passwords? | pass word | passcode | passphrase | passwd | pwd | contraseñas? | clave |
    clave de acceso | clave secreta | passwort | kennwort | zugangscode | mots? de passe | mdp |
    senha | parola | wachtwoord |
    пароль | 密码 | 密碼 | 口令 | パスワード | 비밀번호"""
)
_CODE_WORDS = _any_of(
    """pin | pin[ -]code | pin number | pin-?nummer | código pin | code pin | passcode | cvv2? | cvc2? |
    security code | kartenprüfnummer | otp | one[ -]time code | verification code |
    código de verificación |
    bestätigungscode | code de vérification | 验证码"""
)
_KEY_WORDS = _any_of(
    """api[ _-]?keys? | secret | secret[ _-]?key | secret[ _-]access[ _-]key | access[ _-]?key | access[
    _-]?token | auth[ _-]?token | refresh[ _-]?token | client[ _-]?secret | private[ _-]?key | signing[
    _-]?key | license[ _-]?key | encryption[ _-]?key | token | credentials? | clave api |
    clave de api | clé
    api | clé d'api | clé secrète | jeton | api[ -]?schlüssel | schlüssel | 密钥 | 密鑰 | 令牌 | 私钥"""
)
# How what it is follows: by a sign, or by a word.
_LINK = (
    r"(?:\s{0,3}(?:=>?|:|：)\s{0,3}|\s{0,3}(?:是|为|為|改成|改为)\s{0,3}|\s{1,3}"
    + _any_of("is | was | are | es | era | lautet | ist | war | est | était | to | nach | sera | will be")
    + r"(?:\s{1,3}(?:now|ahora|jetzt|maintenant|still|just|actually))?\s{0,3}[:=]?\s{0,3})"
)
_FOR = r"(?:\s(?:for|de|del|para|für|pour|du|of|vom|zu)\s[\w .'-]{1,40}?)?"
_STARTS = "(?<![A-Za-zÀ-ɏ0-9])"  # not in the middle of a word; other scripts have no spaces to tell by
_QUOTE = "[\"'`“„«「]?"
_LOGIN = re.compile(
    rf"{_STARTS}{_LOGIN_WORDS}{_FOR}{_LINK}{_QUOTE}(?P<value>[^\s\"'`“”«»]{{3,100}})", re.IGNORECASE
)
_CODE = re.compile(
    rf"{_STARTS}{_CODE_WORDS}{_FOR}(?:{_LINK}|\s{{1,3}}){_QUOTE}(?P<value>\d{{3,8}})(?!\d)", re.IGNORECASE
)
_SOCIAL = re.compile(
    r"(?<!\w)(?:ssn|social security(?: number)?)\D{0,12}(?P<value>\d{3}[- ]?\d{2}[- ]?\d{4})(?!\d)",
    re.IGNORECASE,
)
_KEY = re.compile(
    rf"{_STARTS}{_KEY_WORDS}(?:\s(?:(?:i|we|you)\s(?:use|have|got|made)|here|below))?{_FOR}{_LINK}{_QUOTE}"
    r"(?P<value>[A-Za-z0-9+/=_.~-]{16,500})",
    re.IGNORECASE,
)
_VARIABLE = re.compile(
    r"(?<!\w)[A-Z0-9_]{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PWD)[ \t]{0,3}[=:][ \t]{0,3}[\"']?"
    r"(?P<value>[^\s\"',;]{8,200})"
)

# What follows "the password is" when it is not told: the rest of a sentence, a placeholder, a type.
_NOT_TOLD = re.compile(
    _any_of(
        """not | wrong | correct | incorrect | required | invalid | missing | empty | blank | expired |
        changed | reset | safe | secure | weak | strong | too | very | hard | easy | the | an? |
        in | on | at | to |
        for | with | my | your | his | her | our | their | this | that | same | stored | saved | hidden |
        hashed | encrypted | sent | needed | used | being | visible | known | different | long | short |
        protected | gone | lost | forgotten | unknown | optional | enough | working | set | none | null |
        undefined | true | false | string | str | varchar | text | hash | field | input |
        prompt | manager |
        secret | what | incorrecta | correcta | segura | débil | inválida | obligatoria | la | el | una? |
        muy | no | que | qué | falsch | richtig | nicht | sicher | unsicher | abgelaufen |
        geheim | eine? |
        der | die | das | zu | noch | oublié | sûr | faible | le | les | une | trop | pas | expiré |
        obligatoire | secret | wie | was | comment | quoi | 什么 | 多少 | 错的? | 正确的? | 错误的? |
        必填的? | \\*+ | x+ | \\.+ | …+ | <.* | \\{.* | \\$\\{?.* | \\[.* | your.* | example.* | changeme"""
    ),
    re.IGNORECASE,
)
_LOOKS_MADE_UP = re.compile(r"[\d!@#$%^&*_+=~]|[a-z][A-Z]")
_CLAUSE_ENDS = re.compile(
    r"[\"'`”»」]?(?:\s*(?:$|[.,;!?)\n，。；！？])|\s+(?:and|but|y|und|et|pero|aber|mais|-|–|—|so|please|if|for)\s)"
)
_TRAILING = ".,;:!?)]}>。，；：！？\"'`”»」"
_SHORTEST_TOKEN = 16
_LEAST_ENTROPY = 3.0  # bits a character; hexadecimal has at most 4

_CARD = re.compile(r"(?<![\d+.-])(?<!\d[ -])[2-6](?:[ -]?\d){12,18}(?![ -]?\d)")
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


def find_secrets(text: str) -> list[Secret]:
    """Every secret in the text, in order of where it begins; none overlaps another."""
    found: list[Secret] = []
    for secret in sorted(_all(text), key=lambda secret: (secret.span[0], -secret.span[1])):
        if not found or secret.span[0] >= found[-1].span[1]:
            found.append(secret)
    return found


def why_secret(text: str) -> str | None:
    """Why the text must not be stored, without repeating the secret; None when there is no secret in it."""
    kinds = dict.fromkeys(secret.kind for secret in find_secrets(text))
    return f"it holds {', '.join(kinds)}; secrets are never stored" if kinds else None


def _all(text: str) -> Iterator[Secret]:
    for known in _KNOWN.finditer(text):
        yield Secret(_KINDS[known.lastgroup or ""], known.span())
    yield from _private_keys(text)
    for kind, pattern in (
        ("a password in an address", _IN_ADDRESS),
        ("a PIN or security code", _CODE),
        ("a social security number", _SOCIAL),
    ):
        yield from (Secret(kind, match.span("value")) for match in pattern.finditer(text))
    for match in _LOGIN.finditer(text):
        if _is_told(text, match):
            yield Secret("a password", _span(match))
    for pattern in (_KEY, _HEADER, _VARIABLE):
        for match in pattern.finditer(text):
            if _is_random(match["value"].rstrip(_TRAILING)):
                yield Secret("a key or token", _span(match))
    yield from _numbers(text)


def _span(match: re.Match[str]) -> tuple[int, int]:
    """Where the value stands, without the punctuation after it."""
    return match.start("value"), match.start("value") + len(match["value"].rstrip(_TRAILING))


def _private_keys(text: str) -> Iterator[Secret]:
    place = 0
    while begins := _KEY_BEGINS.search(text, place):
        ends = _KEY_ENDS.search(text, begins.end())
        place = ends.end() if ends else len(text)
        yield Secret("a private key", (begins.start(), place))


def _is_told(text: str, match: re.Match[str]) -> bool:
    """Whether what follows "password is" is one, and not the rest of a sentence about passwords."""
    value = match["value"].rstrip(_TRAILING)
    if len(value) < 3 or _NOT_TOLD.fullmatch(value):
        return False
    if _LOOKS_MADE_UP.search(value):
        return True
    return _CLAUSE_ENDS.match(text, match.start("value") + len(value)) is not None


def _is_random(value: str) -> bool:
    """Whether a token looks drawn by lot: letters and digits, and hardly any repetition."""
    if len(value) < _SHORTEST_TOKEN or not re.search(r"\d", value) or not re.search(r"[A-Za-z]", value):
        return False
    shares = [count / len(value) for count in Counter(value).values()]
    return -sum(share * math.log2(share) for share in shares) >= _LEAST_ENTROPY


def _numbers(text: str) -> Iterator[Secret]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if len(digits) in _CARD_LENGTHS[digits[0]] and _luhn(digits):
            yield Secret("a card number", match.span())
    for match in _ACCOUNT.finditer(text):
        if end := _account_end(match[0]):
            yield Secret("a bank account number (IBAN)", (match.start(), match.start() + end))


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
