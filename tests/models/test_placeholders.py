"""What was redacted is restored exactly, however it comes back; the rest is not touched."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain.redaction import PersonalData
from footnote.language.personal_data import personal_data_in
from footnote.models.placeholders import RestoredStream, as_json, placeholders_for

from .personal import LETTER, PLACED, VALUES

EVERY = frozenset(PersonalData)
PIECES = st.one_of(
    st.sampled_from([*VALUES.values(), "[EMAIL_1]", "[EMAIL_2]", "[CARD_1", "_1]", "[", "]"]),
    st.text(alphabet='ab \n,.:;[]_EMAIL012"\\ä中', max_size=12),
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


def test_each_value_has_one_placeholder_wherever_it_stands() -> None:
    placeholders = placeholders_for((LETTER,), EVERY)
    assert placeholders.redacted(LETTER) == PLACED
    assert placeholders.restored(PLACED) == LETTER
    other = "Bob is at bob@example.com, Alice at alice.o'neil@mail.example.com"
    assert placeholders.redacted(other) == "Bob is at [EMAIL_2], Alice at [EMAIL_1]"


@given(TEXTS, st.sets(st.sampled_from(PersonalData)))
def test_restoring_what_was_redacted_is_the_identity(text: str, kinds: set[PersonalData]) -> None:
    placeholders = placeholders_for((text,), kinds)
    redacted = placeholders.redacted(text)
    assert personal_data_in(redacted, kinds) == []
    assert placeholders.restored(redacted) == text
    if not personal_data_in(text, kinds):
        assert redacted is text


@given(TEXTS, st.lists(st.integers(1, 9), min_size=1, max_size=20))
def test_a_text_in_pieces_is_restored_as_it_is_whole(text: str, lengths: list[int]) -> None:
    placeholders = placeholders_for((text,), EVERY)
    redacted = placeholders.redacted(text)
    stream = RestoredStream(placeholders=placeholders)
    given, position, turn = [], 0, 0
    while position < len(redacted):
        length = lengths[turn % len(lengths)]
        given.append(stream.add(redacted[position : position + length]))
        position, turn = position + length, turn + 1
    assert "".join((*given, stream.end())) == text


@given(TEXTS)
def test_arguments_in_json_stay_json(text: str) -> None:
    placeholders = placeholders_for((text,), EVERY)
    written = json.dumps({"query": placeholders.redacted(text)}, ensure_ascii=False)
    assert json.loads(placeholders.restored(written, as_json)) == {"query": text}


def test_what_looks_like_a_placeholder_in_a_text_is_never_given_out() -> None:
    text = "Write [EMAIL_1] for alice@example.com, not [EMAIL_3] or [EMAIL]."
    placeholders = placeholders_for((text,), EVERY)
    assert placeholders.redacted(text) == "Write [EMAIL_1] for [EMAIL_2], not [EMAIL_3] or [EMAIL]."
    assert placeholders.restored("[EMAIL_1] [EMAIL_2] [EMAIL_9]") == (
        "[EMAIL_1] alice@example.com [EMAIL_9]"
    )


@pytest.mark.parametrize("cut", range(1, len("to [NATIONAL_ID_1]!")))
def test_a_placeholder_may_be_cut_anywhere(cut: int) -> None:
    placeholders = placeholders_for((), EVERY)
    redacted = placeholders.redacted("to 536-90-4399!")
    stream = RestoredStream(placeholders=placeholders)
    pieces = [stream.add(redacted[:cut]), stream.add(redacted[cut:]), stream.end()]
    assert "".join(pieces) == "to 536-90-4399!"
    assert not any("[" in piece for piece in pieces)
