"""Find what is worth keeping in one message of a user, by the rules of its language. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace

from bethink.extraction.patterns.flatten import Flat
from bethink.extraction.patterns.found import Category, Found
from bethink.extraction.patterns.keys import key_of
from bethink.extraction.patterns.languages import Language, Rule, language_for, languages
from bethink.extraction.patterns.mask import tail
from bethink.extraction.patterns.material import own
from bethink.extraction.patterns.sentences import Clause
from bethink.extraction.patterns.statements import Statement, own_start, statements
from bethink.text.secrets import find_secrets
from bethink.text.slots import slot_called, value_of
from bethink.text.values import role_in

SHORTEST, LONGEST = 3, 500  # characters of a content
_REACH = 1000  # characters of a clause in which a request to remember is looked for
_FEWEST_WORDS = 3  # of something to be remembered as it stands
_EDGES = " \n\t,;:.!?…-–—。，；：！？、"
_QUOTES = "\"'“”„«»「」"


def extract(text: str, *, language: str | None = None) -> list[Found]:
    """The statements worth keeping, in the order of the text; of two with one key, the later.

    `language` is a code such as "en"; left out, it is told from the text. Nothing that holds a secret is
    returned: `bethink.text.secrets.why_secret` says why.
    """
    flat = own(text)
    known = languages().get(language) if language else language_for(flat.words)
    if known is None:
        return []
    secrets = _Spans(_secrets_in(text))
    found: dict[str, Found] = {}
    for statement in statements(flat.words, known):
        for one in _Reader(flat, known, statement).read():
            if not secrets.touch(one.span):
                found.pop(one.key, None)
                found[one.key] = one
    return list(found.values())


def _secrets_in(text: str) -> Iterator[tuple[int, int]]:
    """Where secrets stand in what is read of a text, or begin shortly before."""
    first = max(tail(text) - _REACH, 0)
    return ((first + secret.span[0], first + secret.span[1]) for secret in find_secrets(text[first:]))


class _Spans:
    """Stretches of a text, in order and apart from each other."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._spans = list(spans)
        self._ends = [end for _, end in self._spans]

    def touch(self, span: tuple[int, int]) -> bool:
        """Whether one of them has something in common with another stretch."""
        place = bisect_right(self._ends, span[0])
        return place < len(self._spans) and self._spans[place][0] < span[1]


class _Reader:
    """One statement, read by the rules of its language."""

    def __init__(self, flat: Flat, language: Language, statement: Statement) -> None:
        self._flat, self._language, self._statement = flat, language, statement
        self._words = flat.words

    def read(self) -> list[Found]:
        """What the clauses say, or else what only the whole sentence says."""
        found = list(self._read_clauses())
        if found or self._statement.question or not self._statement.clauses:
            return found
        sentence = self._statement.sentence
        whole = self._apply(self._language.sentence_rules, sentence.start, sentence.end)
        return [whole] if whole else []

    def _read_clauses(self) -> Iterator[Found]:
        read_to, asked = 0, False
        question = self._statement.question
        for clause in (*self._statement.clauses, *([question] if question else [])):
            if clause.end <= read_to or clause.end - clause.start < 2:
                continue
            start = max(own_start(self._words, clause, self._language), read_to)
            if request := self._request_to_remember(start, clause is question):
                read_to, asked = request, True
                if read_to >= clause.end:
                    continue
                start = own_start(self._words, Clause(read_to, clause.end), self._language)
            elif clause is question and not asked:
                return
            found = self._apply(self._language.rules, start, clause.end)
            if asked and found is None:
                yield from self._verbatim(start, clause)
                return
            if found:
                yield replace(found, explicit=True) if asked else found
            asked = False

    def _request_to_remember(self, start: int, is_question: bool) -> int | None:
        """Where that begins which the user asks to have remembered, if a request begins here."""
        end = min(self._statement.sentence.end, start + _REACH)
        if is_question and not self._language.pattern("asked").match(self._words, start, end):
            return None
        for name in ("explicit", "explicit_weak"):
            request = self._language.pattern(name).match(self._words, start, end)
            if request is None:
                continue
            rest = (self._words, request.end(), end)
            if self._language.pattern("not_explicit").match(*rest):
                continue
            if name == "explicit" or self._language.pattern("first_person").search(*rest):
                return request.end()
        return None

    def _verbatim(self, start: int, clause: Clause) -> Iterator[Found]:
        """What the user asked to have remembered, as it stands, up to the next request or question."""
        end = clause.end
        for later in self._statement.clauses:
            if later.start >= end:
                if self._language.pattern("request").match(self._words, later.start, later.end):
                    break
                end = later.end
        found = self._build(Category.EXPLICIT, start, end)
        if found and self._says_something(found.content):
            yield replace(found, explicit=True)

    def _says_something(self, content: str) -> bool:
        """Whether it is more than a name: enough words, or a predicate where no spaces part the words."""
        predicate = self._language.patterns.get("predicate")
        return predicate.search(content) is not None if predicate else len(content.split()) >= _FEWEST_WORDS

    def _apply(self, rules: tuple[Rule, ...], start: int, end: int) -> Found | None:
        if not SHORTEST <= end - start <= LONGEST:
            return None
        for rule in rules:
            for pattern in rule.patterns:
                match = pattern.match(self._words, start, end)
                if match and (found := self._from_match(rule, match, start, end)):
                    return found
        return None

    def _from_match(self, rule: Rule, match: re.Match[str], start: int, end: int) -> Found | None:
        groups = {name: text for name, text in match.groupdict().items() if text is not None}
        value = match.span("value") if "value" in groups else (start, end)
        if any(unless.match(self._words, value[0], end) for unless in rule.unless):
            return None
        named = rule.attribute.format(**groups).lower() if rule.attribute else None
        return self._build(
            rule.category,
            match.start("content") if "content" in groups else start,
            end,
            value=value,
            value_ends="list_end" if rule.is_list else "value_end",
            old=match.span("old") if "old" in groups else None,
            negated=rule.negated or "neg" in groups,
            subject=self._language.relation(groups.get("relation")),
            attribute=named or self._language.attribute(groups.get("attribute")),
        )

    def _build(
        self,
        category: Category,
        start: int,
        end: int,
        *,
        value: tuple[int, int] | None = None,
        value_ends: str = "value_end",
        old: tuple[int, int] | None = None,
        negated: bool = False,
        subject: str | None = None,
        attribute: str | None = None,
    ) -> Found | None:
        start, end = self._trimmed(start, end)
        content = self._flat.shown[start:end]
        if not SHORTEST <= len(content) <= LONGEST:
            return None
        raw = self._value(value or (start, end), value_ends if attribute else None)
        if not raw:
            return None
        code, about = self._language.code, raw
        if attribute and (slot := slot_called(attribute)):
            if cleaned := value_of(slot, raw, code):
                about = cleaned
            else:  # it says something, but no value of this slot
                attribute = None
        old = old or self._contrast(start, end)
        return Found(
            category=category,
            content=content,
            key=key_of(
                category, subject, attribute, self._language.pattern("article").sub("", about, count=1)
            ),
            span=self._flat.span(start, end),
            negated=negated,
            subject=subject,
            attribute=attribute,
            value=about if value else None,
            replaces=(self._value(old, "value_end") or None) if old else None,
            role=role_in(self._flat.shown[slice(*value)], code)
            if value and attribute == "employer"
            else None,
            language=code,
        )

    def _value(self, span: tuple[int, int], ends: str | None) -> str:
        """The words of a value, up to where the named pattern says that more is only said about it."""
        start, end = span
        cut = self._language.pattern(ends).search(self._words, start, end) if ends else None
        if cut and cut.start() > start:
            end = cut.start()
        start, end = self._trimmed(start, end)
        if (
            tail := self._language.pattern("value_tail").search(self._words, start, end)
        ) and tail.start() > start:
            end = tail.start()
        return self._flat.shown[start:end].strip(_QUOTES)

    def _contrast(self, start: int, end: int) -> tuple[int, int] | None:
        found = self._language.pattern("contrast").search(self._words, start, end)
        return found.span("old") if found else None

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        while start < end and self._words[start] in _EDGES:
            start += 1
        while start < end and self._words[end - 1] in _EDGES:
            end -= 1
        return start, end
