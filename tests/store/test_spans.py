"""Spans are kept as short arrays, and those that older versions wrote are still read."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import BlockKind, BlockSpan
from footnote.domain.passage_merging import join_spans, seconds_of
from footnote.store.passages import span_of_row, span_row

SECONDS = st.none() | st.floats(0, 1e6)
SPANS = st.builds(
    BlockSpan,
    char_start=st.integers(0, 10**6),
    char_end=st.integers(0, 10**6),
    page=st.none() | st.integers(1, 5000),
    paragraph=st.integers(1, 5000),
    kind=st.sampled_from(BlockKind),
    start_seconds=SECONDS,
    end_seconds=SECONDS,
    begins=st.booleans(),
    ends=st.booleans(),
)


@given(SPANS)
def test_a_span_survives_being_kept(span: BlockSpan) -> None:
    assert span_of_row(json.loads(json.dumps(span_row(span)))) == span


def test_a_span_without_times_is_kept_as_it_always_was() -> None:
    span = BlockSpan(char_start=1, char_end=5, page=None, paragraph=2, kind=BlockKind.TABLE)
    assert span_row(span) == [1, 5, None, 2, "table"]
    assert span_of_row([1, 5, None, 2, "table"]) == span


def test_the_parts_of_a_block_join_to_what_begins_and_ends_as_they_do() -> None:
    first, middle, last = (
        BlockSpan(
            char_start=start,
            char_end=start + 9,
            page=1,
            paragraph=1,
            kind=BlockKind.TABLE,
            begins=start == 0,
            ends=start == 20,
        )
        for start in (0, 10, 20)
    )
    assert [(each.begins, each.ends) for each in join_spans([last, middle, first])] == [
        (True, True)
    ]
    assert [(each.begins, each.ends) for each in join_spans([middle, first])] == [(True, False)]


def test_a_stretch_is_said_from_its_first_utterance_to_its_last() -> None:
    spans = [
        BlockSpan(
            char_start=10 * n,
            char_end=10 * n + 8,
            page=None,
            paragraph=n,
            kind=BlockKind.UTTERANCE,
            start_seconds=60.0 * n,
            end_seconds=60.0 * n + 50,
        )
        for n in (3, 1, 2)
    ]
    assert seconds_of(join_spans(spans)) == (60.0, 230.0)
    assert seconds_of([]) == (None, None)
