"""Sections of the settings about the gateway and the hosts behind it."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, model_validator

from bethink.settings.sections import HostUrl, Section, from_json, listed

ProviderKind = Literal["openai", "anthropic", "ollama"]
SystemStyle = Literal["any", "one", "none"]

OWN_PROVIDER = "bethink"  # model names under it mean models of this server
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")  # so that an environment variable can hold it too


def _provider_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError("a provider's name has only a-z, 0-9 and '-'")
    if name == OWN_PROVIDER:
        raise ValueError(f"{OWN_PROVIDER!r} is this server's own name; choose another")
    return name


class ProviderSettings(Section):
    """A host with models, in a table of its own: `[gateway.providers.NAME]`."""

    base_url: HostUrl | None = Field(
        None,
        description="Its address, as its clients know it, for example https://api.openai.com/v1; `anthropic`"
        " and `ollama` have one by default, `openai` too.",
    )
    api_key: SecretStr | None = Field(None, description="Key for it; Ollama needs none.")
    kind: ProviderKind = Field(
        "openai", description="What it takes a key as, and where its address begins when none is given."
    )
    models: Annotated[list[str], BeforeValidator(listed)] = Field(
        default_factory=list,
        description="Models it serves: a request for one of them goes here without a prefix, and they are"
        " listed without asking it.",
    )
    system: SystemStyle | None = Field(
        None,
        description="Which system messages it takes: `any`, `one` (only the first message), `none`; by"
        " default as `gateway.one_system_message` and `gateway.no_system_role` say.",
    )


Providers = dict[Annotated[str, AfterValidator(_provider_name)], ProviderSettings]


class GatewaySettings(Section):
    """The gateway under /v1, which other clients use as if it were their provider."""

    enabled: bool = Field(True, description="Whether there is a gateway at all.")
    base_url: HostUrl | None = Field(
        None,
        description="Address of the one provider where no tables name several; else `chat.base_url`, else"
        " Ollama on this machine.",
    )
    api_key: SecretStr | None = Field(None, description="Key for the one provider.")
    kind: ProviderKind = Field("openai", description="What the one provider is.")
    providers: Annotated[Providers, BeforeValidator(from_json)] = Field(
        default_factory=dict,
        description="Several providers by name, each a table; a model `name/model` picks one. In the"
        " environment: a JSON object, or a variable for each value.",
    )
    default_provider: str | None = Field(
        None, description="Takes models that name no provider; by default the first."
    )
    recall_seconds: float = Field(
        0.3, gt=0, le=60, description="A request waits so long for its memories, then goes on without."
    )
    tool_rounds: int = Field(
        5, ge=1, le=50, description="How often in one answer a model may call tools of memory."
    )
    connect_seconds: float = Field(10.0, gt=0, description="How long connecting to a provider may take.")
    silence_seconds: float = Field(
        600.0, gt=0, description="How long a provider may say nothing before it counts as gone."
    )
    connections: int = Field(1000, ge=1, description="Connections to providers at most.")
    max_body_bytes: int = Field(64_000_000, ge=1024, description="Largest request body under /v1.")
    no_system_role: Annotated[list[str], BeforeValidator(listed)] = Field(
        default_factory=lambda: ["o1", "o1-mini", "o1-preview", "glm", "glmt", "glm-cn", "zai", "qianfan"],
        description="Providers, or beginnings of model names, that refuse the system role: memory goes into"
        " the user's messages.",
    )
    one_system_message: Annotated[list[str], BeforeValidator(listed)] = Field(
        default_factory=lambda: ["llama.cpp", "mimo", "minimax", "mistral", "nvidia", "qwen", "vllm"],
        description="Providers, or beginnings of model names, that refuse a second system message: memory"
        " joins the first, and the user's last message. Ollama is one of them.",
    )

    @model_validator(mode="after")
    def _default_is_known(self) -> Self:
        if self.default_provider and self.default_provider not in self.providers:
            known = ", ".join(self.providers) or "none"
            raise ValueError(f"default_provider {self.default_provider!r} has no table; known are: {known}")
        return self
