"""No text makes a scan slow: the time that each takes grows with the length of the text, and not faster."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from datetime import UTC, datetime
from io import BytesIO

import pytest

from bethink.conversations.mapping import read_payload
from bethink.documents import snippets, split
from bethink.documents.blocks import Block
from bethink.documents.formats import Told, html, pdf
from bethink.documents.formats import text as plain_files
from bethink.extraction import asked_to_forget, duplicates, noise, transcripts
from bethink.extraction.extractors import drafts, one_fact
from bethink.extraction.patterns import changes, extract, flatten, handed, keys, languages, mask, material
from bethink.extraction.patterns import endings as said_endings
from bethink.extraction.patterns import surroundings as around
from bethink.files import memory_file
from bethink.gateway import turns
from bethink.gateway import weave as documents
from bethink.index import describe as encode
from bethink.index import describe as fingerprint
from bethink.index import passages
from bethink.insights import cues, hearing, small_models, words
from bethink.insights import drafts as insight_drafts
from bethink.lifecycle import compact, keywords, sentences
from bethink.lifecycle import score as fading
from bethink.models.chat import answers
from bethink.models.worth import units
from bethink.notes import lines
from bethink.people import phrases, resolve, speaker
from bethink.prompt import said as profile
from bethink.prompt import select
from bethink.recall import plan as expand
from bethink.recall import plan as gate
from bethink.recall import rank as score
from bethink.records import Message, Mode, Person
from bethink.shapes.fields import is_storable
from bethink.shapes.ingest import IngestMapping
from bethink.shapes.insights import InsightKind
from bethink.text import fence, fold, identity, language, secrets, slots, terms, traces
from bethink.text import fold as names
from bethink.text import terms as tokens
from bethink.text.dates import languages as date_languages
from bethink.text.dates import mentions
from bethink.text.secrets import find as finding_secrets
from bethink.text.secrets import values as values_of_secrets
from bethink.text.values import cut, endings, object_of, objects_in, role_in, why_no_value
from bethink.tools import fit
from bethink.transfer.bounds import has_too_many_parts
from bethink.transfer.chats import (
    html_text,
    long_dates,
    mail,
    mailboxes,
    messenger,
    mime,
    quotes,
    said,
    slack,
    stamps,
    teams,
    whatsapp,
)
from bethink.transfer.shapes import read_foreign
from tests.attacks import SIZE, grows_linearly, shape, shapes

SAMPLE = 120  # shapes measured of each scan
EXTRACT = "extraction.patterns.extract"  # whose rules lie in several modules
AT = datetime(2024, 5, 1, tzinfo=UTC)
PEOPLE = [
    Person(id=name, space_id="s", display_name=name, created_at=AT, updated_at=AT)
    for name in ("Will Smith", "Ann", "猫")
]


def raw(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def in_document(text: str) -> object:
    body = documents.as_json(
        {"model": "m", "metadata": {"user_id": text}, "messages": [{"role": "user", "content": text}]}
    )
    document = documents.JsonText.read(raw(body))
    return turns.naming(None, document, turns.talk_of(document, "chat"))


def in_mail(text: str) -> object:
    return mailboxes.is_mail(raw("From " + text)), mailboxes._ESCAPED.sub(rb"\1", raw(text))


def in_whatsapp(text: str) -> object:
    first = text.partition("\n")[0]
    return (
        stamps.stamped(first, 1),
        whatsapp._SENDER.match(text),
        whatsapp._EDITED.sub("", text),
        whatsapp._content(text),
    )


def message(text: str) -> Message:
    return Message(
        id="m", space_id="s", session_id="t", position=1, role="user", content=text, sent_at=AT, created_at=AT
    )


def in_payload(text: str) -> object:
    mapping = IngestMapping(content="text", session="chat", id="id", me=["Ann"])
    return read_payload({"text": text, "chat": "c", "id": "1"}, mapping, "web", UTC)


def in_list(text: str) -> object:
    return read_foreign(BytesIO(raw(documents.as_json([text]))), 10**9).count if text.strip() else None


SCANS: dict[str, Callable[[str], object]] = {
    "text.terms.analyse": terms.analyse,
    "text.terms.query_terms": terms.query_terms,
    "text.tokens.estimate": tokens.estimate,
    "text.names.bare": names.bare,
    "text.names.first_name": names.first_name,
    "text.fold.fold": fold.fold,
    "text.encode.cut": encode.cut,
    "text.encode.lean_text": lambda text: encode.lean_text(text, text),
    "text.fingerprint": fingerprint.fingerprint,
    "text.dates.mentioned": lambda text: mentions.mentioned(text, AT),
    "text.dates.asks_when": mentions.asks_when,
    "text.secrets.find.look": finding_secrets.look,
    "text.secrets.find.shaped": lambda text: list(finding_secrets.shaped(text)),
    "text.secrets.find.told": lambda text: list(finding_secrets.told(text)),
    "text.secrets.find._near_numbers": lambda text: list(finding_secrets._near_numbers(text)),
    "text.secrets.rules": finding_secrets.look,
    "text.secrets.values": lambda text: [
        value.is_chosen or value.is_token for value in values_of_secrets.values(text, 0, len(text))
    ],
    "text.secrets.vocabulary": finding_secrets.look,
    "text.secrets.masked_value": lambda text: secrets.masked_value("wifi password", text),
    "text.values.cut": lambda text: [cut(text, code) for code in endings()],
    "text.values.cut of a list": lambda text: [cut(text, code, listed=True) for code in endings()],
    "text.values.cut after a value": lambda text: cut(f"x{text}", "en", listed=True),
    "text.values.role_in": lambda text: [role_in(text, code) for code in endings()],
    "text.values.why_no_value": lambda text: [why_no_value(text, code) for code in endings()],
    "text.values.objects_in": objects_in,
    "text.values.object_of": object_of,
    "text.slots.named": lambda text: slots.named("identity", text[:200], text),
    "models.worth.units.cut": lambda text: units.cut(
        text, [(place, place + 1) for place in range(len(text))], [0.05] * len(text)
    ),
    "extraction.asked_to_forget.asks": asked_to_forget.asks,
    "extraction.asked_to_forget.named_in": asked_to_forget.named_in,
    "extraction.patterns.handed.tagged": handed.tagged,
    "extraction.patterns.handed.tripled": handed.tripled,
    "extraction.patterns.handed.ruled": handed.ruled,
    "extraction.patterns.handed.mailed": handed.mailed,
    "extraction.patterns.material.own_text": material.own_text,
    "extraction.noise.why_noise": noise.why_noise,
    "extraction.noise.why_noise of the assistant": lambda text: noise.why_noise(text, "assistant"),
    "extraction.noise._plain": noise._plain,
    "extraction.patterns.mask.own_words": mask.own_words,
    "extraction.patterns.mask.mask": mask.mask,
    "extraction.patterns.flatten": flatten.flatten,
    "extraction.patterns.keys.slug": keys.slug,
    **{
        f"extraction.patterns.extract {code}": lambda text, code=code: extract(text, language=code)  # type: ignore[misc]
        for code in ("en", "es", "de", "fr", "zh")
    },
    "extraction.transcripts.clean": transcripts.clean,
    "extraction.transcripts.without_middle": lambda text: transcripts.without_middle(text, 1000),
    "extraction.extractors.asks_to_remember": drafts.asks_to_remember,
    "people.resolve.spoken": resolve.spoken,
    "people.speaker": lambda text: speaker.infer_speaker(text, PEOPLE, mode=Mode.MULTI),
    "files.memory_file.parse": lambda text: memory_file.parse(f"- {text}: {text}", ()),
    "extraction.duplicates.plain": duplicates.plain,
    "extraction.duplicates.differ": lambda text: duplicates._numbers(text),
    "extraction.patterns.endings": lambda text: said_endings.ended_in(text, language="en"),  # asks all
    "extraction.patterns.changes.change_cue": lambda text: changes.change_cue(text, "Lisbon", "home"),
    "extraction.patterns.changes.says_change": lambda text: changes.says_change(text, "home"),
    "extraction.patterns.surroundings": lambda text: around.speak_of_a_text(text, "Lisbon"),
    "extraction.extractors.one_fact": lambda text: one_fact.why_no_fact(" ".join(text.split())),
    "conversations.mapping": in_payload,
    "documents.formats.text.markdown": lambda text: list(plain_files.of_markdown(text.split("\n"))),
    "documents.formats.text.paragraphs": lambda text: list(plain_files.paragraphs(text)),
    "documents.formats.html": lambda text: list(html.of_page(html.text_of(raw(text)), Told())),
    "documents.formats.pdf": lambda text: list(pdf._page(pdf._HYPHEN.sub("", text), [(1, text[:80])], 1)),
    "documents.split": lambda text: list(split.split([Block(text), Block(text, "row")])),
    "documents.snippets": lambda text: snippets.snippet(text, {"a", "1", "password"}),
    "insights.cues": lambda text: (cues.read(text), cues.says(text)),
    "insights.hearing": lambda text: hearing._SENTENCES.split(text),
    "insights.drafts": lambda text: (
        words.terms_of(text), insight_drafts.due_at(message(text), InsightKind.MEETING),
        insight_drafts.clipped(text, 200),
    ),
    "insights.small_models": lambda text: small_models.plainly({"turns": text}),
    "lifecycle.compact": lambda text: compact.first_sentences(text, 10**6),
    "lifecycle.summarise": lambda text: list(sentences.sentences_of(message(text), 0, ())),
    "lifecycle.summarise.told": lambda text: sentences.told(message(text), text),
    "lifecycle.keywords": lambda text: keywords.keywords([(text, frozenset(["a"]))]),
    "lifecycle.score": lambda text: fading.inferred_importance(text, {"en": ["deadline", "asap"]}),
    "notes.lines": lambda text: list(lines.matching([text], lines.folded(text[: len(text) // 4] + "b"))),
    "prompt.said": lambda text: (profile._LATIN_WORD.findall(text), profile._says_more(text, "")),
    "prompt.select": select._asks_you,
    "text.language": language.language_told,
    "text.identity": lambda text: identity.in_another_name("name", "Ann", text),
    "tools.fit": lambda text: fit.beginning(text, 300),
    "text.traces": lambda text: traces.Traces(["the words that were erased"]).text_in(text),
    "recall.gate.is_greeting": gate.is_greeting,
    "recall.score.is_question": score.is_question,
    "recall.expand.named": lambda text: expand.named(text, ["Ann"]),
    "recall.expand.without_names": lambda text: expand.without_names(text, ["Ann", "Will"]),
    "text.fence.one_line": fence.one_line,
    "text.fence.quoted": fence.quoted,
    "text.fence.without_marks": fence.without_marks,
    "text.fence.without_woven": fence.without_woven,
    "gateway.turns.storable": turns.storable,
    "gateway.names.naming": in_document,
    "index.passages": lambda text: passages._SENTENCE.findall(text),
    "shapes.fields.is_storable": is_storable,
    "models.chat.answers.spoken": answers.spoken,
    "models.chat.answers._FENCED": answers._FENCED.findall,
    "transfer.chats.quotes.own_text": quotes.own_text,
    "transfer.chats.html_text": html_text.text_of_html,
    "transfer.chats.mime.in_plain": mime.in_plain,
    "transfer.chats.mail._REPLY": lambda text: mail._REPLY.sub("", text),
    "transfer.chats.mail._IDS": mail._IDS.findall,
    "transfer.chats.mailboxes": in_mail,
    "transfer.chats.slack": lambda text: slack._plain(text, slack.Workspace()),
    "transfer.chats.whatsapp": in_whatsapp,
    "transfer.chats.said.clean": said.clean,
    "transfer.chats.teams": teams._said,
    "transfer.chats.messenger": messenger._REACTION.match,
    "transfer.chats.long_dates": lambda text: long_dates.long_date(text + " 1:02:03 UTC"),
    "transfer.shapes": in_list,
    "transfer.bounds": lambda text: has_too_many_parts(raw(text)),
}  # fmt: skip


# Shapes that once were slow, measured every time.
MENDED: dict[str, tuple[str, str, str]] = {
    "documents.formats.text.markdown": ("# a ", "#", "x"),
    "documents.formats.text.markdown of a table": ("a|b\n-", " ", "|x"),
    "documents.snippets": ("", "1 ", ""),
    "lifecycle.summarise": ("a", ".", "b"),
    "notes.lines": ("", "a", ""),
    "transfer.chats.teams": ("<emoji ", ' alt="', ""),
}


# Scans that read so much of a text at most are measured with longer ones.
SIZES = {
    "text.encode.cut": 10_000,
    "text.encode.lean_text": 10_000,
    "extraction.extractors.asks_to_remember": 5_000,
    "notes.lines": 10_000,  # up to there Python looks for a text in the simple way
}


def patterns(name: str) -> Iterator[re.Pattern[str]]:
    """The regular expressions of a scan: those of its module, and of the languages it reads."""
    name, _, code = name.partition(" ")
    for module in [module for path, module in sys.modules.items() if path.startswith("bethink.")]:
        for value in vars(module).values():
            is_own = f"bethink.{name}".startswith(module.__name__) or (
                name == EXTRACT and module.__name__.startswith("bethink.extraction.patterns.")
            )
            if is_own and isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                yield value
    if name.startswith("text.dates"):
        for each in date_languages.LANGUAGES:
            yield from (rule.pattern for rule in date_languages.language(each).rules)
    if name.startswith("text.values"):
        for each_end in endings().values():
            found = (getattr(each_end, field.name) for field in fields(each_end))
            yield from (value for value in found if isinstance(value, re.Pattern))
    if name == "extraction.patterns.endings":
        for each_language in languages.languages().values():
            yield from (pattern for ending in each_language.endings for pattern in ending.patterns)
    if name.startswith("extraction.patterns.changes"):
        for each_language in languages.languages().values():
            yield from (one for key, one in each_language.patterns.items() if key.startswith("change"))
    if name == "insights.cues":
        yield from cues._table().values()
    if name == EXTRACT:
        yield from languages.languages()[code].patterns.values()
    if name == "people.speaker":
        for spoken in phrases.phrases():
            yield from spoken.introductions


def sampled(made: dict[str, Callable[[int], str]]) -> dict[str, Callable[[int], str]]:
    """Some of the shapes, the same in every run; all of them where the environment asks for it."""
    step = 1 if os.environ.get("BETHINK_TEST_EVERY_SHAPE") else max(1, len(made) // SAMPLE)
    return dict(list(made.items())[::step])


@pytest.mark.parametrize("name", SCANS)
def test_a_scan_takes_time_in_proportion_to_the_text(name: str) -> None:
    made = sampled(shapes({pattern.pattern: pattern for pattern in patterns(name)}.values()))
    made |= {mended: shape(*MENDED[mended]) for mended in MENDED if mended.partition(" ")[0] == name}
    slow = [
        one
        for one, text_of_size in made.items()
        if not grows_linearly(SCANS[name], text_of_size, SIZES.get(name, SIZE))
    ]
    assert slow == []
