"""Keys here are put together from parts, so that no scanner takes this file for a leak."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.secrets import find_secrets, why_secret

RANDOM = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ3"
HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("sk-" + "proj-" + RANDOM, "an OpenAI API key"),
        ("sk-" + "ant-api03-" + RANDOM, "an Anthropic API key"),
        ("gh" + "p_" + RANDOM[:36], "a GitHub token"),
        ("github" + "_pat_" + RANDOM, "a GitHub token"),
        ("AKIA" + "IOSFODNN7EXAMPLE", "an AWS access key"),
        ("AI" + "za" + RANDOM[:35], "a Google API key"),
        ("xox" + "b-123456789012-" + RANDOM[:24], "a Slack token"),
        ("sk" + "_live_" + RANDOM[:24], "a Stripe key"),
        ("bk" + "_" + RANDOM[:43], "a Bethink key"),
        ("hf" + "_" + RANDOM[:34], "a Hugging Face token"),
        ("ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0In0." + RANDOM[:43], "a signed token (JWT)"),
        ("-----BEGIN RSA PRIVATE" + " KEY-----\nMIIE\n-----END RSA PRIVATE" + " KEY-----", "a private key"),
        ("-----BEGIN PRIVATE" + " KEY-----\nMIIE and nothing after", "a private key"),
        ("my password is hunter2", "a password"),
        ("the wifi password is sunflower", "a password"),
        ("my netflix password is still Bananas99, ok?", "a password"),
        ("the password for the router is blue-dolphin", "a password"),
        ("mi contraseña es girasol", "a password"),
        ("mein Passwort lautet Sommer!2024", "a password"),
        ("mon mot de passe est soleil", "a password"),
        ("我的密码是 Qwe!2024zz", "a password"),
        ("4111 1111 1111 1111", "a card number"),
        ("my card: 5500-0000-0000-0004.", "a card number"),
        ("378282246310005", "a card number"),
        ("IBAN DE89 3704 0044 0532 0130 00 please", "a bank account number (IBAN)"),
        ("GB82WEST12345698765432", "a bank account number (IBAN)"),
        ("my pin is 4821", "a PIN or security code"),
        ("CVV 123", "a PIN or security code"),
        ("my ssn is 123-45-6789", "an identity number"),
        (f"the api key is {RANDOM[:32]}", "a key or token"),
        (f"token: {HEX}", "a key or token"),
        (f"MY_SERVICE_SECRET={RANDOM[:40]}", "a key or token"),
        (f"Authorization: Bearer {RANDOM[:40]}", "a key or token"),
        ("postgres://user:s3cret@db:5432/x", "a password in an address"),
    ],
)
def test_secrets_are_found_and_named(text: str, kind: str) -> None:
    assert [secret.kind for secret in find_secrets(text)] == [kind]
    assert kind in (why_secret(text) or "")


@pytest.mark.parametrize(
    "text",
    [
        "I forgot my password",
        "my password is not working",
        "The password is too short.",
        "password: string",
        "the password is stored in the vault",
        "my password manager is Bitwarden",
        "la contraseña es incorrecta",
        "la clave es practicar todos los días",
        "das Passwort ist falsch",
        "Der Schlüssel ist unter der Matte",
        "le mot de passe est obligatoire",
        "密码是什么",
        "the key is to practice every day",
        "the secret is patience",
        "I need a token of appreciation",
        "your token expires in 3600 seconds",
        "pin this message",
        "session 550e8400-e29b-41d4-a716-446655440000 failed",
        "undo of 01a1e628-3068-7230-8323-154ecb6c5d14",
        "job 41111111-1111-1111-abcd-0123456789ab is done",
        f"commit {HEX} broke the build",
        f"the commit that broke the token refresh is {HEX}",
        "call me at +1 415 555 2671 or 030 901820",
        "on 2024-05-12 at 14:30",
        "1715512345678 is the timestamp",
        "ISBN 9780306406157",
        "order number 1234567890123456",
        "git@github.com:org/repo.git",
        "task-based-learning-with-scikit-0.24",
        "max_tokens=4096",
        "model claude-3-5-sonnet-20241022",
        "my passport expires in 2029",
        "I prefer passkeys to passwords",
    ],
)
def test_ordinary_text_raises_no_alarm(text: str) -> None:
    assert find_secrets(text) == []
    assert why_secret(text) is None


def test_the_reason_never_repeats_the_secret() -> None:
    reason = why_secret("my password is hunter2 and my card is 4111 1111 1111 1111")
    assert reason == "it holds a password, a card number; no memory is made of secrets"


def test_spans_say_where_each_secret_stands() -> None:
    text = "my password is hunter2, my card 4111111111111111"
    found = [text[slice(*secret.span)] for secret in find_secrets(text)]
    assert found == ["hunter2", "4111111111111111"]


def test_a_card_number_needs_its_checksum() -> None:
    assert find_secrets("4111 1111 1111 1112") == []


@given(st.uuids())
def test_an_id_is_never_a_secret(identifier: UUID) -> None:
    assert not find_secrets(f"undo of {identifier}")


@given(st.text())
def test_any_text_can_be_searched(text: str) -> None:
    end = 0
    for secret in find_secrets(text):
        assert end <= secret.span[0] < secret.span[1] <= len(text)
        end = secret.span[1]


@given(st.text("0123456789 -+./:", max_size=40))
def test_numbers_of_any_shape_can_be_searched(text: str) -> None:
    assert all(secret.kind != "a password" for secret in find_secrets(text))


def test_a_text_is_read_the_same_again() -> None:
    for _ in range(3):
        assert find_secrets("We had soup, \ud800 and the code was long.") == []
        assert [one.kind for one in find_secrets("my password is hunter2")] == ["a password"]
