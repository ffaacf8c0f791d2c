"""The section of the settings about a mail account that is read live."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, SecretStr

from bethink.settings.sections import Section, UserPath, listed


class MailSettings(Section):
    """A mail account whose new mails become messages. Off unless a host is given."""

    host: str | None = Field(
        None, min_length=1, max_length=255, description="The IMAP server, for example imap.example.org."
    )
    port: int | None = Field(
        None, ge=1, le=65_535, description="Its port; 993, or 143 unless `security` is `tls`, if left out."
    )
    security: Literal["tls", "starttls", "none"] = Field(
        "tls", description="How the connection is kept private. `none` sends the password in the clear."
    )
    ca_file: UserPath | None = Field(
        None, description="Certificates to trust, where the server's is of nobody that this machine trusts."
    )
    user: str = Field("", max_length=255, description="Who to sign in as, often the address.")
    password: SecretStr | None = Field(None, description="The password, or an app password.")
    password_command: str | None = Field(
        None, max_length=1000, description="A command that prints the password, such as `pass show mail`."
    )
    folders: Annotated[list[str], BeforeValidator(listed)] = Field(
        default_factory=lambda: ["INBOX"],
        min_length=1,
        description="Folders to read: a list, or text with commas. Add the one of sent mails for your own.",
    )
    me: Annotated[list[str], BeforeValidator(listed)] = Field(
        default_factory=list, description="Your addresses, besides `user`: mails from them are your words."
    )
    since_days: int = Field(
        30, ge=0, le=36_500, description="When a folder is read for the first time, how far back."
    )
    every_minutes: float = Field(10, ge=0.1, le=1440, description="How often to look for new mails.")
    space: str | None = Field(
        None, min_length=1, max_length=200, description="The space that takes them in; by default `space`."
    )
    timeout_seconds: float = Field(30.0, gt=0, le=600, description="How long the server may take to answer.")
