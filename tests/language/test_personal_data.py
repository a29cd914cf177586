"""Personal data is told by its form and its check digits, and little else is taken for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain.redaction import PersonalData
from footnote.language.personal_data import personal_data_in

EVERY = frozenset(PersonalData)

# Numbers that documentations give as examples; none is anybody's.
TOLD = {
    "an e-mail address": (
        PersonalData.EMAIL,
        "Write to {} today.",
        "alice.smith+x@mail.example.com",
    ),
    "one after Chinese": (PersonalData.EMAIL, "请联系{}的邮箱", "alice@example.cn"),
    "one with accents": (PersonalData.EMAIL, "An {}, bitte.", "jörg@müller.example"),
    "an apostrophe": (PersonalData.EMAIL, "<{}>", "bob.o'neil@sub.example.co.uk"),
    "a worldwide number": (PersonalData.PHONE, "Call {}.", "+49 30 901820"),
    "one in brackets": (PersonalData.PHONE, "Call {} now", "+44 (0) 20 7946 0958"),
    "two zeros": (PersonalData.PHONE, "Tel {}", "0049 30 901820"),
    "an American number": (PersonalData.PHONE, "at {}.", "(212) 555-2368"),
    "an American one with dots": (PersonalData.PHONE, "at {} or", "212.555.2368"),
    "a British number": (PersonalData.PHONE, "or {}, please", "020 7946 0958"),
    "a French number": (PersonalData.PHONE, "au {}.", "01 23 45 67 89"),
    "a German number": (PersonalData.PHONE, "unter {}", "(030) 901820"),
    "a Chinese mobile": (PersonalData.PHONE, "手机{}", "13800138000"),
    "a Spanish number behind its word": (PersonalData.PHONE, "teléfono: {}", "612 345 678"),
    "an IBAN in groups": (PersonalData.IBAN, "IBAN {} and", "DE89 3704 0044 0532 0130 00"),
    "an IBAN in one": (PersonalData.IBAN, "to {}.", "GB29NWBK60161331926819"),
    "an IBAN in small letters": (PersonalData.IBAN, "to {}", "fr1420041010050500013m02606"),
    "a Visa": (PersonalData.CARD, "card {} 12/25", "4111 1111 1111 1111"),
    "a Mastercard": (PersonalData.CARD, "card {},", "5555-5555-5555-4444"),
    "an American Express": (PersonalData.CARD, "card {}", "3782 822463 10005"),
    "a card in one": (PersonalData.CARD, "card:{}", "6011111111111117"),
    "an SSN": (PersonalData.NATIONAL_ID, "SSN {}.", "536-90-4399"),
    "a NINO": (PersonalData.NATIONAL_ID, "NINO {}", "AB 12 34 56 C"),
    "an IdNr": (PersonalData.NATIONAL_ID, "IdNr. {}", "36 574 261 809"),
    "a Steuernummer": (PersonalData.NATIONAL_ID, "St.-Nr. {}", "181/815/08155"),
    "a DNI": (PersonalData.NATIONAL_ID, "DNI {}", "54362315-K"),
    "a DNI with dots": (PersonalData.NATIONAL_ID, "DNI {}", "54.362.315-K"),
    "a NIE": (PersonalData.NATIONAL_ID, "NIE {}", "X-2482300W"),
    "a NIR": (PersonalData.NATIONAL_ID, "NIR {}", "2 95 10 99 126 111 93"),
    "a codice fiscale": (PersonalData.NATIONAL_ID, "CF {}", "RCCMNL83S18D969H"),
    "a Chinese resident": (PersonalData.NATIONAL_ID, "身份证{}。", "11010519491231002X"),
    "an IPv4 address": (PersonalData.IP, "from {}:", "192.0.2.10"),
    "an IPv6 address": (PersonalData.IP, "from {}", "2001:db8::1"),
}
NOT_TOLD = {
    "a price": "It costs 1,234,567.89 EUR, or 1 234 567 of them.",
    "dates": "Between 01.02.2023 and 2024-03-04, at 12:30:45.",
    "an ISBN": "ISBN 978-0062080066 and ISBN 0-306-40615-2",
    "a card that was mistyped": "4111 1111 1111 1112",
    "an IBAN that was mistyped": "DE88 3704 0044 0532 0130 00",
    "an IdNr that was mistyped": "36 574 261 808",
    "a DNI with another letter": "54362315-A",
    "a NINO of no series": "BG 12 34 56 C",
    "a handle": "Ask @alice, or alice@localhost.",
    "a version": "Python 3.11.4 and release 2.0.1",
    "a policy": "Policy POL-2024-88213-X, claim 00012345",
    "a figure behind a decimal point": "3.14159265358979",
    "a table of numbers": "12 345 678 901 234 567 890 123",
    "a cite": "Case :: 576 U.S. ___ (2015) ::",
}


@pytest.mark.parametrize(("kind", "around", "value"), TOLD.values(), ids=TOLD)
def test_each_kind_is_told_with_its_exact_span(kind: PersonalData, around: str, value: str) -> None:
    text = around.format(value)
    found = personal_data_in(text, EVERY)
    assert [(each.kind, text[each.start : each.end]) for each in found] == [(kind, value)]
    assert kind not in {each.kind for each in personal_data_in(text, EVERY - {kind})}


@pytest.mark.parametrize("text", NOT_TOLD.values(), ids=NOT_TOLD)
def test_what_only_looks_like_it_is_left(text: str) -> None:
    assert personal_data_in(text, EVERY) == []


def test_where_two_kinds_overlap_all_that_they_cover_is_one() -> None:
    text = "X 0049 30 901820@example.com"
    [found] = personal_data_in(text, EVERY)
    assert (found.kind, text[found.start : found.end]) == (
        PersonalData.EMAIL,
        "0049 30 901820@example.com",
    )


@given(st.text(alphabet="aB1390 +-.()/@:[]_XÄ中\n", max_size=200))
def test_what_is_found_is_in_order_apart_and_inside(text: str) -> None:
    found = personal_data_in(text, EVERY)
    ends = [0, *(each.end for each in found)]
    assert all(before <= each.start < each.end for before, each in zip(ends, found, strict=False))
    assert ends[-1] <= len(text)


@pytest.mark.parametrize("piece", ["a", "1", "1 ", "a.", "+1", "::", "0-", "A1 ", "@a."])
def test_a_long_text_of_one_piece_is_searched_in_linear_time(piece: str) -> None:
    # Quadratic work on so much would take minutes.
    personal_data_in(piece * (20_000 // len(piece)), EVERY)
