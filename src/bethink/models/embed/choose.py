"""Which embedding source the settings mean. Looks at files and installed packages, never at the network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

from bethink.errors import SettingsError
from bethink.models import weights
from bethink.models.embed.traits import INSTALL, LEAST, MULTILINGUAL, Texts
from bethink.settings import Settings

_Candidate = tuple[str, Callable[[Settings], tuple[bool, str]]]


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A source that `auto` did not take, and why."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The source taken, why, and those before it that were not."""

    source: str
    reason: str
    passed_over: tuple[PassedOver, ...] = ()


NOTHING_READ = Texts()


def choose(settings: Settings, texts: Texts = NOTHING_READ) -> Choice:
    """The source named by `embed.source`; for `auto` the first that suits settings and texts, else none."""
    named = settings.embed.source
    if named == "none":
        return Choice("none", 'embed.source is "none", so search goes by keywords only')
    keys = settings.embed.api_key, settings.chat.api_key
    if named == "openai" and not any(keys) and not openai_suits(settings)[0]:
        raise SettingsError(
            "embed.source is openai, but there is no host: set embed.base_url, or embed.api_key for OpenAI.",
            field="embed.base_url",
        )
    if named != "auto":
        return Choice(named, f'embed.source is "{named}"')
    return _first(settings, _in_order(texts))


def choose_instead(settings: Settings, texts: Texts = NOTHING_READ) -> Choice | None:
    """What takes the place of a chat host that turns out to have no embeddings; None where it was asked for.

    A host or a model for embeddings that the settings name is never replaced: that would hide a mistake.
    """
    embed = settings.embed
    if embed.source != "auto" or embed.base_url or embed.model or not settings.chat.base_url:
        return None
    choice = _first(settings, _in_order(texts)[1:])
    return None if choice.source == "none" else choice


def _first(settings: Settings, candidates: tuple[_Candidate, ...]) -> Choice:
    passed: list[PassedOver] = []
    for source, consider in candidates:
        suits, reason = consider(settings)
        if suits:
            return Choice(source, reason, tuple(passed))
        passed.append(PassedOver(source, reason))
    return Choice("none", "no source is usable, so search goes by keywords only", tuple(passed))


def openai_suits(settings: Settings) -> tuple[bool, str]:
    """Whether a host is set up."""
    for field, url in (
        ("embed.base_url", settings.embed.base_url),
        ("chat.base_url", settings.chat.base_url),
    ):
        if url:
            return True, f"{field} is set"
    return False, "neither embed.base_url nor chat.base_url is set"


def local_suits(settings: Settings) -> tuple[bool, str]:
    """Whether the weights are at hand, or may be fetched."""
    embed = settings.embed
    if missing := [name for name in ("onnxruntime", "tokenizers") if find_spec(name) is None]:
        return False, f"not installed: {', '.join(missing)}"
    if embed.path is not None:
        if weights.is_static_model(embed.path):
            return False, "embed.path holds a static model"
        return True, "embed.path is set"
    ours = weights.MODELS["embed"]
    if embed.model is None or ours.is_called(embed.model):
        if weights.located(ours) is not None:
            return True, f"the weights of {ours.published} are installed"
        if not embed.allow_download:
            return False, f"the weights are missing: {ours.where.remedy}, or set embed.allow_download"
    elif not embed.allow_download:
        return False, f"embed.model is {embed.model}, which is not installed; set embed.allow_download"
    return True, "embed.allow_download is on"


def static_suits(settings: Settings) -> tuple[bool, str]:
    """Whether a static model may be used, and is at hand."""
    if not settings.embed.static_enabled:
        return False, "embed.static_enabled is off"
    if find_spec("model2vec") is None:
        return False, "not installed: model2vec (pip install 'bethink[static]')"
    if settings.embed.path is not None:
        return True, "embed.path holds a static model"
    if settings.embed.allow_download:
        return True, "embed.allow_download is on"
    return False, "neither embed.path nor embed.allow_download is set"


def transformers_suit(settings: Settings) -> tuple[bool, str]:
    """Whether that library may be used, and is installed."""
    if not settings.embed.transformers_enabled:
        return False, "embed.transformers_enabled is off"
    if find_spec("sentence_transformers") is None:
        return False, "not installed: pip install 'bethink[sentence-transformers]'"
    return True, "embed.transformers_enabled is on"


def multilingual_suits(settings: Settings, texts: Texts) -> tuple[bool, str]:
    """Whether the multilingual model is installed, and the texts want it."""
    embed, spoken = settings.embed, texts.spoken
    if embed.path is not None:
        return False, "embed.path is set"
    if embed.model is not None and not weights.MODELS["multilingual"].is_called(embed.model):
        return False, f"embed.model is {embed.model}"
    if not multilingual_installed():
        return False, f"not installed: {INSTALL}"
    if embed.model is not None:
        return True, f"embed.model is {embed.model}"
    if spoken.told < LEAST:
        return False, f"fewer than {LEAST} texts here tell their language"
    return texts.suit, spoken.summary


def multilingual_installed() -> bool:
    """Whether its package is there."""
    return weights.located(weights.MODELS["multilingual"]) is not None


def _in_order(texts: Texts) -> tuple[_Candidate, ...]:
    return (
        ("openai", openai_suits),
        (MULTILINGUAL, partial(multilingual_suits, texts=texts)),
        ("local", local_suits),
        ("static", static_suits),
        ("sentence-transformers", transformers_suit),
    )
