"""Secrets as people tell them, and what looks like one and is none: all of it invented for this test."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.secrets import MARKS, find_secrets, has_mark, masked, masked_json, masked_value

TOLD = [
    "my gmail password's Tulip!77, don't lose it",
    "the password to the router: ficus-tree9",
    "pw for netflix = bananas99",
    "hunter2 is my password",
    "the garage keypad takes 8841",
    "use 4471 for the garage door, that's the code",
    "the gate code changed to 55 21 now",
    "safe combination 12-34-56",
    "the code to get into the building is 2468#",
    "our lockbox is 7733",
    "Airbnb door code: 3391",
    "my phone unlock code 998877",
    "bank PIN 0042",
    "the pin number for my debit card is four five one two",
    "my login is anna.k and the password is Rosen99",
    "credentials: bob / S3cr3t!x",
    "my WiFi is called Nest and the key is kolibri2020",
    "wifi: FritzBox7590 / 82736451928374650192",
    "cvv is 339",
    'seed phrase: "otter"',
    "the otp is 882211",
    "Mein PIN ist 4711",
    "PIN der Karte: 8812",
    "Das Passwort fürs WLAN ist Gartenzwerg77",
    "Der Türcode ist 1904",
    "Code für die Haustür: 1904#",
    "Die Alarmanlage geht mit 4455 aus",
    "das kennwort vom server lautet blaubeere",
    "Zugangscode zur Garage 7788",
    "Meine Geheimzahl lautet 9021",
    "el código de la puerta es 5588",
    "la clave de la alarma es 9012",
    "mi contraseña de netflix es gatito99",
    "la contraseña del wifi: Mariposa_22",
    "el pin de mi tarjeta es 3344",
    "el NIP es 1290",
    "la combinación del candado es 4-8-15",
    "usuario ana y clave Girasol22",
    "le code de la porte est 12B4",
    "le code de l'immeuble c'est 4589A",
    "mon mot de passe c'est Choupette75",
    "le mdp du wifi : tournesol!9",
    "le code de la carte bleue 7781",
    "code portail 3366",
    "le cadenas du vélo c'est 4021",
    "a senha do cartão é 4455",
    "minha senha do banco é Girassol10",
    "o código da porta é 2211",
    "o código do alarme é 4433",
    "a palavra-passe do wifi é Andorinha_9",
    "código do portão 7712",
    "o PIN do telemóvel é 9081",
    "a senha é 123456",
    "我的银行卡密码是889900",
    "门禁密码 2580",
    "家里wifi密码：tiantian88",
    "开机密码是 Xiao123",
    "保险箱密码 55-66-77",
    "支付密码改成 112233 了",
    "门锁密码是三七二一",
    "验证码是 559012",
    "my passport number is X1234567",
    "SSN 123-45-6789",
    "mi DNI es 12345678Z",
    "CPF 123.456.789-09",
    "token: abcD1234efGH5678",
    "what's my password again? it was Otter!22x",
    "I changed the alarm. New code is 6612",
    "Alarm code? 4410",
    "my router admin pass is Zebra-44-lake",
    "the code for the side gate's 0417",
    "Locker 22, combo 31-7-19",
    "password=letmein",
    'my password is "tulip"',
    "Parola mea este Floare12",
    "Moja hasło to Kotek123",
    "パスワードは sakura77 です",
    "the safe opens with 739184",
    "der Bürotresor geht mit 739185 auf",
    "Die Haustür geht mit 4711 auf, sag das keinem",
    "el portón se abre con 3344",
    "le portail s'ouvre avec 5590",
    "Il codice dell'allarme è 7788",
    "Kod do alarmu to 8832",
    "Larmkoden är 3391",
    "Alarm şifresi 6180",
    "Код сигнализации 4419",
    "玄関の暗証番号は9921です",
]

ORDINARY = [
    "call me on 0151 555 0188",
    "my phone number is 555 0199",
    "order number 48213 arrives on 12 May",
    "flight LH1234 leaves gate B22 at 0915",
    "I live at 14 Elm Street, postcode SW1A 1AA",
    "zip code 90210",
    "area code 415",
    "error code 404 when I open the door app",
    "promo code SAVE20 at the gate",
    "use code SUMMER25 for the gym",
    "the invoice 2024-0113 is 1,250 euros",
    "version 3.11.4 of python",
    "my alarm is 0630",
    "set an alarm for 7",
    "I set my alarm at 6:45",
    "The door is 2100 mm high",
    "the office opens with 1200 people",
    "the show opens with 1812 by Tchaikovsky",
    "Das geht mit 2000 Euro nicht",
    "the safe is 2500 euros",
    "the gate is 1500 kg",
    "I changed my password in 2023",
    "I have 3 passwords",
    "password must be at least 12 characters",
    "my password has 14 characters",
    "the login page returns 500",
    "login fails with error 1045",
    "user 4821 can't log in",
    "I pinned the 2024 report",
    "pin 13 of the Arduino",
    "the wifi is 300 Mbit",
    "our wifi drops at 21:30",
    "WiFi 6E router AX5400",
    "router RT-AX88U",
    "the token limit is 128000",
    "tokens: 4096",
    "the key is to practice 30 minutes",
    "the secret is 2 cups of flour",
    "la clave es 30 minutos al día",
    "mi clave es dormir bien",
    "der Schlüssel liegt unter der Matte",
    "Haus Nummer 4711",
    "Zimmer 204",
    "PLZ 10115",
    "Bestellnummer 4711-2024",
    "Meine Telefonnummer ist 030 1234567",
    "código postal 28013",
    "el código de descuento es VERANO20",
    "mi número de teléfono es 612 345 678",
    "le code postal est 75011",
    "mon numéro c'est 06 12 34 56 78",
    "o código postal é 1200-195",
    "meu telefone é 11 91234-5678",
    "邮编 100080",
    "我的电话是13800138000",
    "订单号 20240513001",
    "航班 CA1234",
    "车牌 京A12345",
    "价格是 3999元",
    "my card expires 09/27",
    "pay by card 45 euros",
    "I need a credit card with 0 fees for 12000 points",
    "bus pass is 45 euros",
    "the boarding pass is AB12345",
    "I pass exam 70-461",
    "passed 3 tests in 2019",
    "my username is anna_k99",
    "contact user id 123456",
    "my account has 12000 followers",
    "compte 2500 euros",
    "mon compte twitter est @anna99",
    "accès 24h",
    "acesso ao km 1200",
    "the building was built in 1998",
    "house number 1234",
    "the code base has 12000 lines",
    "code of conduct 2023",
    "dress code is black",
    "the alarm company charges 1200 a year",
    "the gym locker costs 2500",
    "office 365 login",
    "unlock at level 1500",
    "parking is 1200",
    "die Garage kostet 1200 Euro",
    "die Tür ist 2000 hoch",
    "NIE 2024 wieder",
    "sin 2024",
    "nas 4 TB",
    "the SIN function of 3.14159",
    "tan 45 degrees equals 1",
    "TAN 2024",
    "einen Zugang zum Zug um 1230",
    "pins and needles since 2019",
    "nip to the shops at 1530",
    "I was born in 1985, my pin drop is at 51.5074",
    "the elevator was installed in 2015",
    "apartment 4B, 3rd floor",
    "my flat is 1250 a month",
    "meeting id 845 2231 9981",
    "the phone costs 899",
    "my iphone is 1299",
    "alarm at the office on 2024-05-12",
    "the entry fee is 1500",
    "entrance is 2500 yen",
    "numéro de dossier 45812",
    "the number on the door is 302",
    "tracking number 1Z999AA10123456784",
    "IMEI 490154203237518",
    "my salary is 54000",
    "I weigh 82 and the gym has 1200 members",
    "my password manager is Bitwarden",
    "Passwort vergessen",
    "ich habe mein Passwort 2023 geändert",
    "mein Passwort ist sicher",
    "a senha está errada",
    "a senha é muito fraca",
    "esqueci a senha",
    "j'ai oublié mon mot de passe",
    "me cambié de contraseña ayer",
    "la contraseña está mal",
    "密码忘了",
    "密码不对",
    "密码强度不够",
    "密码要8位以上",
    "the passport office opens 0930",
    "tax year 2023",
    "credit card bill 1200",
    "I use 1Password",
    "secret santa on the 24th",
    "key signature of C major, 120 bpm",
    "my token of love",
    "the gate opens 0900",
    "gate 1204 closes",
    "The alarm was at 1204 today",
    "cadena perpetua 2020",
    "coffre 450 litres",
    "le portail fait 3500 de large",
    "cofre do carro 500 litros",
    "rg 2020",
    "my ni number is on the letter from 2019",
    "tarjeta 2x1",
    "conta 2 e 3 são fáceis",
    "I have a locker at platform 9",
    "code review at 1400 in the office",
    "the door code changed, ask Tom",
    "the password is the same as before",
    "the new code for the office door isn't set yet",
    "can you write code for the garage door opener in 2000 lines",
    "chave 3500",
]


@pytest.mark.parametrize("text", TOLD)
def test_a_secret_that_is_told_is_found(text: str) -> None:
    assert find_secrets(text)
    assert has_mark(masked(text))


@pytest.mark.parametrize("text", ORDINARY)
def test_numbers_and_names_of_everyday_life_are_no_secrets(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("my card pin is 4471, ok?", "my card pin is [PIN], ok?"),
        (
            "the wifi password is Tulip!77 and dinner is at 7",
            "the wifi password is [password] and dinner is at 7",
        ),
        ("o código da porta é 2211", "o código da porta é [access code]"),
        ("the login is pickles2020 / Obs!7925", "the login is [login] / [login]"),
        ("der Code vom Schrank ist neun drei neun drei", "der Code vom Schrank ist [access code]"),
        ("保险柜的密码我改成了六六八八幺九七三", "保险柜的密码我改成了[password]"),
        ("pay with 4111 1111 1111 1111 today", "pay with [card number] today"),
        ("mi DNI es 12345678Z", "mi DNI es [identity number]"),
    ],
)
def test_the_mark_says_what_it_stands_for_and_the_rest_stays(text: str, shown: str) -> None:
    assert masked(text) == shown


@pytest.mark.parametrize("text", TOLD)
def test_what_is_masked_once_stays_as_it_is(text: str) -> None:
    assert masked(masked(text)) == masked(text)


def test_what_a_value_is_its_name_may_tell() -> None:
    assert masked_value("wifi_password", "sunflower") == "[password]"
    assert masked_value("favourite_flower", "sunflower") == "sunflower"


def test_every_text_within_a_json_value_is_masked() -> None:
    value = {"note": ["my pin is 4471", 3], "password": "tulip", "key": "wifi_password", "value": "rose"}
    shown = {"note": ["my pin is [PIN]", 3], "password": "[password]"}
    assert masked_json(value) == {**shown, "key": "wifi_password", "value": "[password]"}
    plain = {"note": ["tea at four"]}
    assert masked_json(plain) is plain


@given(
    st.text() | st.sampled_from(TOLD).flatmap(lambda told: st.text(max_size=20).map(lambda rest: told + rest))
)
def test_masking_changes_nothing_but_secrets(text: str) -> None:
    shown = masked(text)
    if not find_secrets(text):
        assert shown == text
    else:
        assert any(mark in shown for mark in MARKS)
