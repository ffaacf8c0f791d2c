from __future__ import annotations

import os
from pathlib import Path

import pytest

from bethink.errors import SettingsError
from bethink.settings import FILE_NAME, Settings, map_names, setting_names, variable_name
from bethink.settings.keywords import RecallOverrides
from tests.opened import unchecked

SECRET = "sk-nobody-may-see-this"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def test_without_any_source_the_defaults_work(tmp_path: Path) -> None:
    settings = Settings.load()
    assert settings.server.port == 8420
    assert settings.embed.source == "auto"
    assert settings.database_url == str(tmp_path / "home" / "memory.db")


def test_the_machine_has_a_data_directory_when_none_is_named() -> None:
    assert Settings.load(environ={}).home.is_absolute()


def test_a_named_database_wins_over_the_home() -> None:
    assert Settings.load(url=":memory:").database_url == ":memory:"


# Precedence


def test_environment_overrides_file_and_keywords_override_both(file: Path) -> None:
    file.write_text("space = 'file'\n[recall]\nlimit = 1\nrrf_k = 1\nmax_tokens = 1\n")
    environ = {"BETHINK_RECALL_RRF_K": "2", "BETHINK_RECALL_MAX_TOKENS": "2", "BETHINK_SPACE": "env"}
    settings = Settings.load(file=file, environ=environ, recall={"max_tokens": 3})
    assert (settings.recall.limit, settings.recall.rrf_k, settings.recall.max_tokens) == (1, 2, 3)
    assert settings.space == "env"
    assert settings.recall.candidates == 100


def test_a_section_given_as_keyword_leaves_its_other_settings_alone() -> None:
    settings = Settings.load(environ={"BETHINK_EMBED_MODEL": "m"}, embed={"source": "openai"})
    assert (settings.embed.source, settings.embed.model) == ("openai", "m")


def test_keywords_given_are_not_changed_by_loading(file: Path) -> None:
    file.write_text("[recall]\nlimit = 1\n")
    mine: RecallOverrides = {"max_tokens": 3}
    Settings.load(file=file, recall=mine)
    assert mine == {"max_tokens": 3}


def test_two_settings_do_not_share_their_sections() -> None:
    first, second = Settings.load(), Settings.load()
    first.recall.limit = 1
    assert second.recall.limit == Settings().recall.limit == 8


@pytest.mark.parametrize(("text", "meant"), [("true", True), ("1", True), ("false", False), ("no", False)])
def test_words_in_the_environment_become_what_the_setting_is(text: str, meant: bool) -> None:
    environ = {"BETHINK_EMBED_ALLOW_DOWNLOAD": text}
    assert Settings.load(environ=environ).embed.allow_download is meant


# Where the file is


def test_the_file_is_looked_for_at_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / FILE_NAME).write_text("space = 'home'")
    assert Settings.load().space == "home"


def test_without_a_home_it_is_looked_for_where_users_keep_their_settings(tmp_path: Path) -> None:
    (tmp_path / "config" / "bethink").mkdir(parents=True)
    (tmp_path / "config" / "bethink" / FILE_NAME).write_text("space = 'configured'")
    assert Settings.load(environ={}).space == "configured"


def test_a_variable_names_the_file(file: Path) -> None:
    Path(FILE_NAME).write_text("space = 'here'")
    file.write_text("space = 'named'")
    assert Settings.load(environ={"BETHINK_CONFIG": str(file)}).space == "named"


def test_a_named_file_that_is_missing_is_an_error(file: Path) -> None:
    with pytest.raises(SettingsError, match=r"settings\.toml cannot be read: No such file"):
        Settings.load(environ={"BETHINK_CONFIG": str(file)})


@pytest.mark.parametrize("content", [b"space = ", "space = 'caf\u00e9'".encode("latin-1")])
def test_a_file_that_is_no_toml_is_an_error_that_names_it(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(SettingsError, match=r"settings\.toml is not valid TOML"):
        Settings.load(file=file)


def test_a_file_saved_with_a_byte_order_mark_is_read(file: Path) -> None:
    file.write_text("space = 'café'", encoding="utf-8-sig")
    assert Settings.load(file=file).space == "café"


def test_a_tilde_means_the_users_own_folder(
    file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    file.write_text("home = '~/kept'\nurl = '~/mine.db'\n[embed]\npath = '~/model'\n")
    settings = Settings.load(file=file, environ={})
    assert settings.home == tmp_path / "kept"
    assert settings.database_url == str(tmp_path / "mine.db")
    assert settings.embed.path == tmp_path / "model"


def test_the_file_is_found_in_a_home_with_a_tilde(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / FILE_NAME).write_text("space = 'found'")
    assert Settings.load(environ={"BETHINK_HOME": "~"}).space == "found"


# Mistakes


@pytest.mark.parametrize(
    ("content", "field", "nearest"),
    [
        ("[recall]\nlimt = 3", "recall.limt", "recall.limit"),
        ("[embed]\nbaseurl = 'x'", "embed.baseurl", "embed.base_url"),
        ("spcae = 'x'", "spcae", "space"),
        ("[embedd]\nsource = 'none'", "embedd", "embed"),
    ],
)
def test_an_unknown_name_in_the_file_suggests_the_nearest(
    file: Path, content: str, field: str, nearest: str
) -> None:
    file.write_text(content)
    with pytest.raises(SettingsError) as caught:
        Settings.load(file=file)
    assert str(caught.value) == f"Unknown setting {field}; did you mean {nearest}?"
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("variable", "nearest"),
    [
        ("BETHINK_RECALL_LIMT", "BETHINK_RECALL_LIMIT"),
        ("BETHINK_EMBED_BASEURL", "BETHINK_EMBED_BASE_URL"),
        ("BETHINK_CONFG", "BETHINK_CONFIG"),
        ("BETHINK_CONFIG_FILE", "BETHINK_CONFIG"),
    ],
)
def test_an_unknown_variable_suggests_the_nearest(variable: str, nearest: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.load(environ={variable: "x"})
    assert str(caught.value) == f"Unknown environment variable {variable}; did you mean {nearest}?"
    assert caught.value.field == variable


def test_a_name_near_to_nothing_says_where_the_names_are() -> None:
    with pytest.raises(SettingsError, match="BETHINK_QQQQQQQQQQQQ; see the settings reference"):
        Settings.load(environ={"BETHINK_QQQQQQQQQQQQ": "x"})


def test_an_unknown_keyword_suggests_the_nearest() -> None:
    with pytest.raises(SettingsError, match=r"recall\.limt; did you mean recall\.limit\?"):
        Settings.load(**unchecked(recall={"limt": 1}))


def test_variables_of_others_and_of_the_tests_are_left_alone() -> None:
    assert Settings.load(environ={"BETHINK_TEST_POSTGRES_URL": "x", "PATH": "y", "bethink_x": "z"})


@pytest.mark.parametrize(
    ("variable", "value", "field"),
    [
        ("BETHINK_RECALL_LIMIT", "many", "recall.limit"),
        ("BETHINK_RECALL_LIMIT", "0", "recall.limit"),
        ("BETHINK_SERVER_PORT", "65536", "server.port"),
        ("BETHINK_EMBED_SOURCE", "cloud", "embed.source"),
        ("BETHINK_SPACE", "", "space"),
    ],
)
def test_a_bad_value_names_its_field(variable: str, value: str, field: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.load(environ={variable: value})
    assert str(caught.value).startswith(f"{field}: ")
    assert caught.value.field == field


def test_every_mistake_is_named_at_once() -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.load(**unchecked(recall={"limit": 0, "strategy": "guess"}, spcae="x"))
    assert all(name in str(caught.value) for name in ("recall.limit", "recall.strategy", "spcae"))


def test_a_value_where_a_section_belongs_is_an_error_also_when_a_variable_sets_the_section(
    file: Path,
) -> None:
    file.write_text("recall = 5")
    with pytest.raises(SettingsError, match="recall"):
        Settings.load(file=file, environ={"BETHINK_RECALL_LIMIT": "3"})


# Secrets


def test_a_secret_is_shown_nowhere_but_where_it_is_asked_for() -> None:
    settings = Settings.load(environ={"BETHINK_EMBED_API_KEY": SECRET}, chat={"api_key": SECRET})
    assert settings.embed.api_key is not None
    assert settings.embed.api_key.get_secret_value() == SECRET
    for shown in (repr(settings), str(settings), repr(settings.chat), settings.model_dump_json()):
        assert SECRET not in shown


def test_a_secret_is_not_in_the_error_about_it() -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.load(**unchecked(embed={"api_key": [SECRET]}))
    assert SECRET not in str(caught.value)
    assert caught.value.field == "embed.api_key"


# The names


def test_every_setting_has_a_description_and_a_variable_of_its_own() -> None:
    names = list(setting_names(Settings))
    assert {"home", "embed.source", "recall.limit"} < set(names)
    assert len({variable_name(name) for name in names}) == len(names)
    for name in names:
        section, _, last = name.rpartition(".")
        holder = type(getattr(Settings(), section)) if section else Settings
        assert holder.model_fields[last].description, name


def test_every_setting_can_be_set_by_its_variable() -> None:
    assert variable_name("embed.base_url") == "BETHINK_EMBED_BASE_URL"
    for name in setting_names(Settings):
        section, _, last = name.rpartition(".")
        default = getattr(getattr(Settings(), section) if section else Settings(), last)
        if isinstance(default, str | int | float | os.PathLike):
            settings = Settings.load(environ={variable_name(name): str(default)})
            assert getattr(getattr(settings, section) if section else settings, last) == default


def test_the_key_of_the_first_start_may_stand_in_the_environment() -> None:
    assert Settings.load(environ={"BETHINK_KEY": "bk_anything"}) == Settings.load(environ={})


def test_a_table_of_tables_can_be_set_by_variables(file: Path) -> None:
    file.write_text("[gateway.providers.my-ai]\nbase_url = 'http://one.example/v1'\n")
    environ = {
        "BETHINK_GATEWAY_PROVIDERS_MY_AI_API_KEY": SECRET,
        "BETHINK_GATEWAY_PROVIDERS_OTHER_MODELS": "a, b",
    }
    found = Settings.load(file=file, environ=environ).gateway.providers
    assert found["my-ai"].base_url == "http://one.example/v1"
    assert found["my-ai"].api_key
    assert found["my-ai"].api_key.get_secret_value() == SECRET
    assert found["other"].models == ["a", "b"]
    whole = {"BETHINK_GATEWAY_PROVIDERS": '{"x": {"kind": "ollama"}}', **environ}
    assert set(Settings.load(environ=whole).gateway.providers) == {"x", "my-ai", "other"}
    assert SECRET not in repr(Settings.load(environ=whole))


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("BETHINK_GATEWAY_PROVIDERS_MAIN_APIKEY", "x"),
        ("BETHINK_GATEWAY_PROVIDERS_API_KEY", "x"),
        ("BETHINK_GATEWAY_PROVIDERS_MAIN_KIND", "cloud"),
    ],
)
def test_a_mistake_in_a_table_of_tables_is_named(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=r"gateway\.providers|BETHINK_GATEWAY_PROVIDERS"):
        Settings.load(environ={variable: value})


def test_every_setting_of_a_table_of_tables_has_a_description() -> None:
    names = dict(map_names(Settings))
    assert "gateway.providers" in names
    for table in names.values():
        assert all(field.description for field in table.model_fields.values())
