"""Whatever a model writes, a viewer finds nothing in it to open, to load or to run."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from footnote.answering.addresses import addresses_in
from footnote.answering.sanitise import plain_text, visible_text

from .hostile import PAYLOADS, active_parts, outputs, outside_code_spans

ALLOWED = frozenset({"https://forms.example/rent", "office@forms.example"})


@settings(max_examples=100, deadline=None)
@given(outputs)
@example("![[1]](https://evil.example)[1]")
@example("ev`il.com https://forms.example/rent")
@example("&amp;amp;lt;img src=x&amp;amp;gt;")
def test_plain_text_has_nothing_to_open(text: str) -> None:
    plain = plain_text(text, addresses=ALLOWED)
    assert active_parts(plain) == []
    assert not set("[]\n\r\x00\u200b\u202e") & set(plain)
    assert not re.search(r"<[a-zA-Z/!?]", plain)
    assert addresses_in(plain) <= ALLOWED
    assert not addresses_in(outside_code_spans(plain))


@settings(max_examples=60, deadline=None)
@given(outputs)
def test_plain_text_is_settled(text: str) -> None:
    plain = plain_text(text, addresses=ALLOWED)
    assert plain_text(plain, addresses=ALLOWED) == plain


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_no_payload_leaves_an_address(payload: str) -> None:
    assert "evil.example" not in plain_text(f"The rent is due. {payload} Pay it.")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (
            "Pay at [here](http://evil.example/x) <img src=http://evil.example/i.png> in cash.",
            "Pay at here in cash.",
        ),
        ('<a href="http://evil.example/a">Losses</a> are due.', "Losses are due."),
        ('<img alt="a>b" src=x> Losses are due.', "Losses are due."),
        ("<img src=http://evil.example/i.png Losses are due.", "Losses are due."),
        ("<img src='http://evil.example/i.png", ""),
        ("![x](http://evil.example/p_(a).png) Losses are due.", "Losses are due."),
        ("![x](http://evil.example/p", ""),
        ("![logo] Losses are due.", "Losses are due."),
        ("![x](http://evil.example/p.png 'a (b)') Losses are due.", "Losses are due."),
        ("[here](http://evil.example/p_(a)) Losses are due.", "here Losses are due."),
        ("Visit http://evil.example/a to renew.", "Visit to renew."),
        ("Visit <http://evil.example/a> to renew.", "Visit to renew."),
    ],
)
def test_markup_goes_whole_also_where_it_is_malformed(text: str, plain: str) -> None:
    assert plain_text(text) == plain


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.characters(categories=["L", "N", "Zs"]), max_size=200))
def test_words_and_numbers_stay_as_they_are(text: str) -> None:
    kept = re.sub(r"[\u115f\u1160\u3164\uffa0]", "", text)
    assert visible_text(text) == " ".join(kept.split())


def test_what_a_reader_needs_stays() -> None:
    text = "**Rent**: CHF 2,500 (10 % more), 3 < 4, `POL-1/2`, *due* at 5:00 & paid; main.py."
    assert plain_text(text) == text


def test_an_address_of_a_source_is_shown_and_not_linked() -> None:
    text = "Use https://forms.example/rent. Or https://forms.example/rent?d=secret"
    plain = plain_text(text, addresses=ALLOWED)
    assert plain == "Use `https://forms.example/rent`. Or"


def test_hidden_characters_cannot_carry_a_message() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    assert plain_text(f"Rent{hidden}\u200b\u2060 is due") == "Rent is due"


def test_joiners_stay_where_scripts_need_them() -> None:
    assert plain_text("می\u200cخواهم") == "می\u200cخواهم"
    assert plain_text("e\u200dvil") == "evil"
