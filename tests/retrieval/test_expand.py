"""Widening shows more of a document, exactly as it stands there, and nothing twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.domain import BlockKind, Evidence, NearDuplicate, ParsedDocument, Passage
from footnote.domain.passage_merging import any_suspicious, merged_passage
from footnote.ingestion.chunking import ChunkPolicy, chunk_blocks
from footnote.ingestion.parsing.drafts import Draft, Reading, assemble
from footnote.ingestion.parsing.tables import table_text
from footnote.ports import ExpandedPassage
from footnote.retrieval.expand import decayed, expand
from tests.retrieval.evidence import evidence_of, passage_of

TEXT = "".join(f"Sentence number {number} of the text. " for number in range(40)).strip()


class WordTokenizer:
    """A token for every word."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(re.findall(r"\w+|[^\w\s]", text)) for text in texts]


def chunked(parsed: ParsedDocument, overlap: int = 1, document: int = 0) -> list[Evidence]:
    """Every chunk as evidence, ranked as it stands."""
    policy = ChunkPolicy(target_tokens=20, overlap_sentences=overlap)
    return [
        evidence_of(
            replace(
                passage_of("", number=chunk.ordinal, document=document, ordinal=chunk.ordinal),
                kind=chunk.kind,
                text=chunk.text,
                body_offset=chunk.body_offset,
                char_start=chunk.char_start,
                char_end=chunk.char_end,
                spans=chunk.spans,
                heading_path=chunk.heading_path,
            ),
            rank=chunk.ordinal + 1,
        )
        for chunk in chunk_blocks(parsed, WordTokenizer(), policy)
    ]


def together(parsed: ParsedDocument, one: Passage, following: Passage) -> bool:
    """Whether no heading stands between two chunks that follow each other."""
    between = parsed.text[one.char_end : following.char_start]
    return one.heading_path == following.heading_path and not between.strip()


def widen(
    parsed: ParsedDocument, chunks: Sequence[Evidence], found: int, window: int
) -> ExpandedPassage:
    """What the store hands out: the run of chunks around one that shares its heading."""
    passages = [each.passage for each in chunks]
    first = last = found
    while (
        first > 0 and found - first < window and together(parsed, *passages[first - 1 : first + 1])
    ):
        first -= 1
    while (
        last + 1 < len(passages)
        and last - found < window
        and together(parsed, *passages[last : last + 2])
    ):
        last += 1
    stretch = passages[first : last + 1]
    return ExpandedPassage(
        passage=merged_passage(
            passages[found],
            header=stretch[0].text[: stretch[0].body_offset],
            body=parsed.text[stretch[0].char_start : stretch[-1].char_end],
            char_start=stretch[0].char_start,
            spans=[span for each in stretch for span in each.spans],
            confidence=None,
            suspicious=any_suspicious(each.suspicious for each in stretch),
        ),
        distances={
            each.chunk_id: each.ordinal - found for each in stretch if each.ordinal != found
        },
        after=parsed.text[passages[last].char_end : passages[last + 1].char_start]
        if last + 1 < len(passages) and together(parsed, *passages[last : last + 2])
        else "",
    )


def prose(*headed: tuple[str, str]) -> ParsedDocument:
    drafts = []
    for heading, text in headed:
        drafts.append(Draft(kind=BlockKind.HEADING, text=heading, level=1))
        drafts.append(Draft(kind=BlockKind.PARAGRAPH, text=text))
    return assemble(Reading(drafts=tuple(drafts)), "a.txt", "text/plain")


def ranked(chunks: Sequence[Evidence], *ordinals: int) -> list[Evidence]:
    return [
        replace(chunks[ordinal], rank=rank, score=1 / rank)
        for rank, ordinal in enumerate(ordinals, start=1)
    ]


SENTENCE = st.lists(st.text("abcdé", min_size=1, max_size=6), min_size=1, max_size=12).map(
    lambda words: " ".join(words) + "."
)
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=6).map(" ".join)
DRAFTS = st.lists(
    st.one_of(
        PARAGRAPH.map(lambda text: Draft(kind=BlockKind.PARAGRAPH, text=text)),
        st.sampled_from("AB").map(lambda text: Draft(kind=BlockKind.HEADING, text=text, level=1)),
        st.integers(1, 12).map(
            lambda rows: Draft(
                kind=BlockKind.TABLE,
                text=table_text([["name", "value"], *[[f"n{row}", "v"] for row in range(rows)]]),
            )
        ),
        st.lists(SENTENCE, min_size=1, max_size=5).map(
            lambda lines: Draft(kind=BlockKind.CODE, text="\n".join(lines))
        ),
    ),
    min_size=1,
    max_size=8,
)


@settings(deadline=None, max_examples=100)
@given(DRAFTS, st.integers(0, 3), st.integers(0, 2), st.data())
def test_widened_evidence_obeys_its_laws(
    drafts: list[Draft], window: int, overlap: int, data: st.DataObject
) -> None:
    parsed = assemble(Reading(drafts=tuple(drafts)), "a.txt", "text/plain")
    chunks = chunked(parsed, overlap)
    ordinals = data.draw(st.lists(st.sampled_from(range(len(chunks))), unique=True))
    evidence = ranked(chunks, *ordinals)
    widened = {ordinal: widen(parsed, chunks, ordinal, window) for ordinal in ordinals}
    results = expand(evidence, widened)

    shown = bytearray(len(parsed.text))
    for each in results:
        passage = each.passage
        body = passage.text[passage.body_offset :]
        assert body == parsed.text[passage.char_start : passage.char_end]
        assert not any(shown[passage.char_start : passage.char_end]), "text is shown twice"
        shown[passage.char_start : passage.char_end] = b"\1" * len(body)
        assert passage.spans[0].char_start == passage.char_start
        assert passage.spans[-1].char_end == passage.char_end
        for one, following in pairwise(passage.spans):
            assert one.char_end <= following.char_start
        assert parsed.text[passage.char_start : passage.char_end].strip() == body
        assert [other.distance for other in each.neighbours] == sorted(
            other.distance for other in each.neighbours
        )
        for other in each.neighbours:
            assert other.score == pytest.approx(each.score * 0.85 ** abs(other.distance))
    in_order = sorted((each.passage for each in results), key=lambda each: each.char_start)
    assert not any(together(parsed, one, following) for one, following in pairwise(in_order))
    for ordinal in ordinals:
        passage = widened[ordinal].passage
        assert all(shown[passage.char_start : passage.char_end])
    ranks = [each.explanation[-1].rank_before for each in results]
    assert ranks == sorted(ranks, key=lambda rank: rank or 0)
    assert [each.rank for each in results] == list(range(1, len(results) + 1))
    absorbed = [each.explanation[-1].detail.get("merged_ranks", "") for each in results]
    merged = [int(rank) for ranks in absorbed for rank in str(ranks).split(", ") if rank]
    assert sorted([*merged, *(rank or 0 for rank in ranks)]) == list(range(1, len(ordinals) + 1))


def test_neighbours_are_scored_by_their_distance() -> None:
    parsed = prose(("H", TEXT))
    chunks = chunked(parsed)
    (result,) = expand(ranked(chunks, 2), {2: widen(parsed, chunks, 2, 2)})
    assert [each.distance for each in result.neighbours] == [-2, -1, 1, 2]
    assert [each.score for each in result.neighbours] == pytest.approx([0.7225, 0.85, 0.85, 0.7225])
    assert result.neighbours[1].chunk_id == chunks[1].passage.chunk_id
    assert result.passage.chunk_id == chunks[2].passage.chunk_id
    assert (result.rank, result.score) == (1, 1.0)
    record = result.explanation[-1]
    assert (record.stage, record.detail) == ("expand", {"neighbours": 4})


@pytest.mark.parametrize("score", [2.0, 0.016, 0.0, -0.5, -8.0])
def test_a_neighbour_never_scores_above_what_was_found(score: float) -> None:
    scores = [decayed(score, distance) for distance in range(6)]
    assert scores[0] == score
    assert scores == sorted(scores, reverse=True)
    assert scores[2] - score == pytest.approx(-abs(score) * (1 - 0.85**2))


def test_stretches_that_overlap_become_one_in_the_place_of_the_better() -> None:
    parsed = prose(("H", TEXT))
    chunks = chunked(parsed)
    duplicate = NearDuplicate(
        chunk_id="x", document_id=UUID(int=9), document_title="copy", page=None, overlap=1.0
    )
    other = evidence_of(passage_of("elsewhere", number=99, document=7), rank=1, score=1.0)
    better, worse = (
        replace(chunks[4], rank=2, score=0.9, matched_terms=("b", "a")),
        replace(
            chunks[2], rank=3, score=0.8, matched_terms=("a", "c"), near_duplicates=(duplicate,)
        ),
    )
    widened = {number: widen(parsed, chunks, number, 1) for number in (4, 2)}
    results = expand([other, better, worse], widened)
    assert [each.passage.chunk_id for each in results] == [
        other.passage.chunk_id,
        better.passage.chunk_id,
    ]
    merged = results[1]
    assert [each.distance for each in merged.neighbours] == [-3, -2, -1, 1]
    assert (merged.passage.ordinal, merged.score) == (4, 0.9)
    assert merged.matched_terms == ("b", "a", "c")
    assert merged.near_duplicates == (duplicate,)
    assert merged.explanation[-1].detail == {
        "neighbours": 4,
        "merged": worse.passage.chunk_id,
        "merged_ranks": "3",
    }
    first, last = chunks[1].passage, chunks[5].passage
    assert merged.passage.text == parsed.text[first.char_start : last.char_end]


def test_one_stretch_can_bring_two_others_together() -> None:
    parsed = prose(("H", TEXT))
    chunks = chunked(parsed)
    widened = {number: widen(parsed, chunks, number, 1) for number in (2, 8, 5)}
    apart = expand(ranked(chunks, 2, 8), widened)
    together = expand(ranked(chunks, 2, 8, 5), widened)
    assert len(apart) == 2
    assert len(together) == 1
    assert together[0].explanation[-1].detail["merged_ranks"] == "2, 3"


def test_stretches_on_either_side_of_a_heading_stay_apart() -> None:
    parsed = prose(("H", TEXT[:300]), ("H", TEXT[300:600]))
    chunks = chunked(parsed)
    middle = next(
        place
        for place, (one, two) in enumerate(pairwise(chunks))
        if two.passage.char_start - one.passage.char_end > 2
    )
    evidence = ranked(chunks, middle, middle + 1)
    widened = {number: widen(parsed, chunks, number, 5) for number in (middle, middle + 1)}
    assert len(expand(evidence, widened)) == 2


def test_two_parts_of_a_table_become_one_under_one_header() -> None:
    rows = [["name", "value"], *[[f"row{number}", "some value"] for number in range(30)]]
    table = Draft(kind=BlockKind.TABLE, text=table_text(rows))
    parsed = assemble(Reading(drafts=(table,)), "a.txt", "text/plain")
    chunks = chunked(parsed)
    assert chunks[2].passage.body_offset > 0
    evidence = ranked(chunks, 3, 2)
    (result,) = expand(evidence, {number: widen(parsed, chunks, number, 0) for number in (2, 3)})
    assert result.passage.text.count("name") == 1
    assert result.passage.text.startswith(table_text(rows[:1]).split("\n")[0])
    assert result.passage.chunk_id == chunks[3].passage.chunk_id
    assert result.passage.body_offset == chunks[2].passage.body_offset


def test_versions_and_documents_are_not_mixed() -> None:
    one = passage_of("a" * 20, number=1)
    newer = replace(passage_of("b" * 20, number=2, version=2), ordinal=1)
    other = passage_of("c" * 20, number=3, document=5)
    evidence = [evidence_of(each, rank=rank) for rank, each in enumerate((one, newer, other), 1)]
    assert [each.passage for each in expand(evidence, {})] == [one, newer, other]


def test_what_was_deleted_meanwhile_keeps_its_passage() -> None:
    evidence = evidence_of(passage_of("text"))
    (result,) = expand([evidence], {})
    assert result.passage == evidence.passage
    assert result.neighbours == ()


def test_confidence_is_that_of_the_whole_stretch() -> None:
    sure = replace(passage_of("a" * 30, number=1), confidence=0.9)
    unsure = replace(passage_of("b" * 10, number=2, start=30, ordinal=1), confidence=0.5)
    evidence = [evidence_of(sure, rank=1), evidence_of(unsure, rank=2)]
    (result,) = expand(evidence, {})
    assert result.passage.confidence == pytest.approx(0.8)
