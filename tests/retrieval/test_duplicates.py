"""What says the same is shown once; what differs in anything that matters is shown apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import Evidence
from footnote.retrieval.duplicates import collapse_near_duplicates
from footnote.retrieval.near_duplicates import agree_in_details, overlap, wording_of
from tests.retrieval.evidence import evidence_of, passage_of

CLAUSE = (
    "The insurer shall indemnify the policyholder for direct physical loss or damage to the "
    "insured property caused by a peril that is named in the schedule, provided that the loss "
    "is notified within a reasonable time after it was discovered and that every reasonable "
    "precaution was taken to keep the property in good repair and to protect it from further "
    "damage while the claim is being examined by an adjuster whom the insurer appoints"
)
CHINESE = (
    "保险人应当对被保险财产因保险单所载明的危险造成的直接物质损失承担赔偿责任，但投保人应当在发现损失后的合理时间内"
    "通知保险人，并采取一切合理的预防措施保持财产状况良好，防止损失进一步扩大。"
)


def found(*texts: str) -> list[Evidence]:
    return [
        evidence_of(passage_of(text, number=rank, document=rank), rank=rank, score=1 / rank)
        for rank, text in enumerate(texts, start=1)
    ]


def groups_of(evidence: Sequence[Evidence]) -> list[list[str]]:
    return [
        [each.passage.chunk_id, *(other.chunk_id for other in each.near_duplicates)]
        for each in evidence
    ]


def are_same(one: str, other: str) -> bool:
    return len(collapse_near_duplicates(found(one, other))) == 1


def test_the_best_ranked_is_kept_and_lists_the_others() -> None:
    texts = (CLAUSE, "Floods are excluded.", CLAUSE.upper(), CLAUSE + ", or by its agent.")
    evidence = found(*texts)
    kept = collapse_near_duplicates(evidence)
    assert [each.passage.text for each in kept] == [CLAUSE, "Floods are excluded."]
    assert [each.rank for each in kept] == [1, 2]
    first, second = kept[0].near_duplicates
    assert (first.chunk_id, first.document_title) == (evidence[2].passage.chunk_id, "document 3")
    assert first.page == 1
    assert first.overlap == 1.0
    assert 0.85 <= second.overlap < 1.0
    record = kept[0].explanation[-1]
    assert (record.stage, record.rank_before, record.rank_after) == ("duplicates", 1, 1)
    assert record.detail == {"near_duplicates": 2}


@pytest.mark.parametrize(
    "other",
    [
        CLAUSE,
        f"  **{CLAUSE}**.\n",
        CLAUSE.replace(" ", "\n"),
        CLAUSE.replace("policyholder", "policy-holder"),
        CLAUSE.replace("direct physical loss", "direct and physical loss"),
        CLAUSE.replace("reasonable time", "sensible time"),
        f"ACME Insurance. General Terms. {CLAUSE}",
    ],
    ids=["equal", "markup", "lines", "hyphen", "word", "synonym", "header"],
)
def test_nearly_the_same_text_is_the_same(other: str) -> None:
    assert are_same(CLAUSE, other)
    assert are_same(other, CLAUSE)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("pays 500 euros.", "pays 5,000 euros."),
        ("pays €500.", "pays $500."),
        ("loses 5 %.", "loses -5 %."),
        ("pays 50 to A1 and 100 to B2.", "pays 100 to A1 and 50 to B2."),
        ("is bound by POL-2024/88-A.", "is bound by POL-2024/89-A."),
        ("writes to ann@example.org.", "writes to bob@example.org."),
        ("has three months.", "has six months."),
        ("is liable.", "is not liable."),
        ("can withdraw.", "can't withdraw."),
        ("pays what Acme owes.", "pays what Globex owes."),
        ("zahlt zwei Raten.", "zahlt drei Raten."),
        ("expire le premier mars.", "expire le premier avril."),
    ],
)
def test_the_same_clause_with_another_number_name_or_sense_is_another(one: str, other: str) -> None:
    assert not are_same(f"{CLAUSE}, who {one}", f"{CLAUSE}, who {other}")


def test_chinese_is_compared_by_its_characters() -> None:
    assert are_same(CHINESE, CHINESE.replace("，", ","))
    assert are_same(CHINESE, CHINESE.replace("合理的", "适当的"))
    assert not are_same(CHINESE, CHINESE[: len(CHINESE) // 2])
    assert not are_same(CHINESE + "赔偿三万元", CHINESE + "赔偿五万元")
    assert not are_same(CHINESE, CHINESE.replace("应当对", "不对"))


def test_the_next_chunk_shares_a_sentence_and_is_another() -> None:
    words = CLAUSE.split()
    sentences = [" ".join(words[start : start + 9]) + "." for start in range(0, 63, 9)]
    chunks = [" ".join(sentences[start : start + 3]) for start in (0, 2, 4)]
    assert len(collapse_near_duplicates(found(*chunks))) == 3
    assert are_same(chunks[0], chunks[0].replace(".", " ."))


def test_short_answers_under_other_headings_are_others() -> None:
    covered = passage_of("No.", number=1, heading_path=("Questions", "Is a flood covered?"))
    other = passage_of("No.", number=2, heading_path=("Questions", "Is a fire covered?"))
    copy = replace(covered, chunk_no=3, chunk_id="copy")
    evidence = [evidence_of(each) for each in (covered, other, copy)]
    assert groups_of(collapse_near_duplicates(evidence)) == [
        [covered.chunk_id, "copy"],
        [other.chunk_id],
    ]


def test_a_repeated_header_must_be_equal_and_does_not_count() -> None:
    header = "| item of the household that was insured in the year | sum |\n| --- | --- |\n"
    rows = "| piano | high |\n| cello | low |"
    tables = [
        passage_of(rows, number=1, header=header),
        passage_of("| organ | high |\n| viola | low |", number=2, document=1, header=header),
        passage_of(rows, number=3, document=2, header=header),
        passage_of(rows, number=4, document=3, header=header.replace("sum", "premium")),
    ]
    kept = collapse_near_duplicates([evidence_of(each) for each in tables])
    assert [each.passage.chunk_no for each in kept] == [1, 2, 4]


def test_what_was_listed_before_stays_listed() -> None:
    evidence = found(CLAUSE, CLAUSE, CLAUSE)
    once = collapse_near_duplicates(evidence[1:])
    again = collapse_near_duplicates([evidence[0], *once])
    assert groups_of(again) == [[each.passage.chunk_id for each in evidence]]


WORDS = st.lists(st.sampled_from("the lessee pays Acme 500 not 三 不 -5".split()), max_size=6)
TEXTS = st.lists(WORDS.map(" ".join), max_size=12)
LONG_TEXTS = st.lists(
    st.tuples(
        st.sampled_from(["", "x ", "it pays "]),
        st.sampled_from([CLAUSE, CLAUSE.swapcase(), CLAUSE.replace("loss", "harm"), CHINESE]),
        st.sampled_from(["", " a b c", " 7", " 8", CLAUSE[:60], CLAUSE[60:]]),
    ).map("".join),
    max_size=10,
)


@given(TEXTS | LONG_TEXTS)
def test_every_passage_is_kept_or_listed_once(texts: list[str]) -> None:
    evidence = found(*texts)
    groups = groups_of(collapse_near_duplicates(evidence))
    assert sorted(chain.from_iterable(groups)) == sorted(each.passage.chunk_id for each in evidence)
    ranks = {each.passage.chunk_id: each.rank for each in evidence}
    assert [ranks[group[0]] for group in groups] == sorted(ranks[group[0]] for group in groups)
    assert all(
        ranks[group[0]] < min(map(ranks.__getitem__, group[1:]), default=99) for group in groups
    )


@given(TEXTS | LONG_TEXTS, st.randoms(use_true_random=False))
def test_equal_texts_are_together_in_whatever_order_they_come(
    texts: list[str], random: object
) -> None:
    evidence = found(*texts)
    random.shuffle(evidence)  # type: ignore[attr-defined]  # hypothesis hides its type
    group_of = {
        chunk_id: place
        for place, group in enumerate(groups_of(collapse_near_duplicates(evidence)))
        for chunk_id in group
    }
    for one, other in combinations(evidence, 2):
        if one.passage.text == other.passage.text:
            assert group_of[one.passage.chunk_id] == group_of[other.passage.chunk_id]


@given(TEXTS | LONG_TEXTS, st.sampled_from([0.5, 0.85, 1.0]))
def test_the_quick_way_finds_what_comparing_all_pairs_does(
    texts: list[str], threshold: float
) -> None:
    expected: list[list[int]] = []
    for number, text in enumerate(texts):
        same = [
            group
            for group in expected
            if any(wording_of(texts[each]) == wording_of(text) for each in group)
        ]
        near = [
            group
            for group in expected
            if overlap(wording_of(text), wording_of(texts[group[0]])) >= threshold
            and agree_in_details(text, texts[group[0]])
        ]
        # Passages of equal words are together, whatever else comes near.
        if found_in := [*same, *near]:
            found_in[0].append(number)
        else:
            expected.append([number])
    ids = [each.passage.chunk_id for each in found(*texts)]
    found_groups = groups_of(collapse_near_duplicates(found(*texts), threshold))
    assert found_groups == [[ids[number] for number in group] for group in expected]
