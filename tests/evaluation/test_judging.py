"""Results and answers are held against what a golden question expects."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.evaluation.judging import (
    Judged,
    Surroundings,
    judge_answer,
    judge_search,
    key_values,
    stitched,
)
from footnote.evaluation.metrics import Measure
from tests.evaluation.factories import (
    a_judged,
    a_library,
    a_question,
    a_span,
    answer_of,
    citation_of,
    document_id,
    evidence_of,
    passage_of,
)

LIBRARY = a_library("policy.pdf", "mail.eml", "notes.md", note="mail.eml")
QUOTE = "within 14 days"
CLAIM = f"A claim must be reported {QUOTE} of the loss."


@pytest.mark.parametrize(
    "name",
    ["policy.pdf", "The policy", "/shelf/papers/policy.pdf", "papers/policy.pdf"],
)
def test_a_document_answers_to_file_name_title_and_path(name: str) -> None:
    assert LIBRARY.is_called(document_id("policy.pdf"), name)
    assert not LIBRARY.is_called(document_id("notes.md"), name)


def test_an_id_is_a_name_too() -> None:
    assert LIBRARY.is_called(document_id("policy.pdf"), str(document_id("policy.pdf")))
    assert LIBRARY.name(document_id("gone.md")) == str(document_id("gone.md"))


def test_an_attachment_is_called_after_its_mail() -> None:
    attachment = document_id("note.pdf")
    assert LIBRARY.is_called(attachment, "mail.eml/note.pdf")
    assert LIBRARY.is_called(attachment, "note.pdf")
    assert not LIBRARY.is_called(attachment, "other.eml/note.pdf")
    assert LIBRARY.name(attachment) == "mail.eml/note.pdf"


def test_names_that_no_document_has_are_missing() -> None:
    assert LIBRARY.missing(["policy.pdf", "polcy.pdf"]) == ("polcy.pdf",)


def test_results_are_judged_by_place_page_and_quote() -> None:
    golden = a_question(a_span("policy.pdf", 3, QUOTE), a_span("notes.md"))
    evidence = evidence_of(
        [
            passage_of("mail.eml", "Hello."),
            passage_of("policy.pdf", "Nothing of the kind.", page=1),
            passage_of("policy.pdf", CLAIM.replace(" ", "\n"), page=3),
        ]
    )
    measures, results = judge_search(golden, evidence, LIBRARY, 10)
    assert measures["recall"] == Measure(value=0.5)
    assert measures["precision"] == Measure(value=0.1)
    assert measures["mrr"] == Measure(value=1 / 3)
    assert measures["diversity"] == Measure(value=2 / 3)
    assert measures["page_accuracy"] == Measure(value=0.0), "the best one shows page 1"
    assert measures["span_accuracy"] == Measure(value=1.0), "line breaks are white space"
    assert [each.expected for each in results] == [False, False, True]


def test_only_the_first_k_results_count() -> None:
    golden = a_question(a_span("policy.pdf", 3, QUOTE))
    evidence = evidence_of([passage_of("notes.md", "…"), passage_of("policy.pdf", CLAIM, page=3)])
    measures, results = judge_search(golden, evidence, LIBRARY, 1)
    assert len(results) == 1
    for name in ("ndcg", "recall", "mrr", "page_accuracy", "span_accuracy"):
        assert measures[name] == Measure(value=0.0), name


def test_a_place_left_out_for_a_twin_counts_as_shown() -> None:
    golden = a_question(a_span("policy.pdf"))
    evidence = evidence_of([passage_of("notes.md", CLAIM)], twins=["policy.pdf"])
    measures, _ = judge_search(golden, evidence, LIBRARY, 10)
    assert measures["ndcg"] == Measure(value=1.0)


def test_a_word_is_no_quote_of_a_longer_word() -> None:
    golden = a_question(a_span("notes.md", None, "rent"))
    evidence = evidence_of([passage_of("notes.md", "The current state.")])
    measures, _ = judge_search(golden, evidence, LIBRARY, 10)
    assert measures["span_accuracy"] == Measure(value=0.0)


def test_an_unanswerable_question_says_nothing_about_ranking() -> None:
    measures, _ = judge_search(a_question(), evidence_of([]), LIBRARY, 10)
    assert sum(measure.weight for measure in measures.values()) == 0


CLAIM_PASSAGE = passage_of("policy.pdf", CLAIM, page=3, start=100)
AROUND = {CLAIM_PASSAGE.chunk_id: stitched([CLAIM_PASSAGE])}


def test_a_citation_that_touches_the_quote_is_right() -> None:
    golden = a_question(a_span("policy.pdf", 3, QUOTE))
    answer = answer_of(citation_of(CLAIM_PASSAGE, CLAIM))
    measures, [citation] = judge_answer(golden, answer, LIBRARY, AROUND)
    assert citation.right
    assert citation.verbatim
    for name in ("citation_precision", "citation_recall", "quote_found", "answered", "right"):
        assert measures[name] == Measure(value=1.0), name
    assert measures["refused"].weight == 0


def test_a_citation_beside_the_quote_is_wrong_but_verbatim() -> None:
    golden = a_question(a_span("policy.pdf", 3, QUOTE))
    answer = answer_of(citation_of(CLAIM_PASSAGE, "A claim must be"))
    measures, [citation] = judge_answer(golden, answer, LIBRARY, AROUND)
    assert (citation.right, citation.verbatim) == (False, True)
    assert measures["right"] == Measure(value=0.0)
    assert measures["citation_recall"] == Measure(value=0.0)


def test_a_citation_of_another_page_is_wrong() -> None:
    golden = a_question(a_span("policy.pdf", 4, QUOTE))
    _, [citation] = judge_answer(
        golden, answer_of(citation_of(CLAIM_PASSAGE, QUOTE)), LIBRARY, AROUND
    )
    assert not citation.right


def test_a_quote_that_is_not_where_it_says_is_found_out() -> None:
    answer = answer_of(citation_of(CLAIM_PASSAGE, QUOTE, shift=1))
    measures, _ = judge_answer(a_question(a_span()), answer, LIBRARY, AROUND)
    assert measures["quote_found"] == Measure(value=0.0)


def test_a_citation_elsewhere_in_the_place_is_right_when_it_holds_the_key_figure() -> None:
    golden = a_question(
        a_span("policy.pdf", 3, "somewhere else"),
        question="How many days under POL-88?",
        answer="Under POL-88 it is 14 days.",
    )
    assert key_values(golden) == {"14"}
    _, [citation] = judge_answer(
        golden, answer_of(citation_of(CLAIM_PASSAGE, QUOTE)), LIBRARY, AROUND
    )
    assert citation.right


def test_without_a_quote_the_place_is_enough() -> None:
    golden = a_question(a_span("policy.pdf", 3))
    measures, [citation] = judge_answer(
        golden, answer_of(citation_of(CLAIM_PASSAGE, "A claim")), LIBRARY, AROUND
    )
    assert citation.right
    assert measures["citation_recall"].weight == 0


def test_a_quote_across_two_chunks_is_touched_from_either_side() -> None:
    left = passage_of("notes.md", "It must be kept for", start=0, number=1)
    right = passage_of("notes.md", "eight weeks or more.", start=20, number=2)
    golden = a_question(a_span("notes.md", None, "for eight weeks"))
    around = {each.chunk_id: stitched([right, left]) for each in (left, right)}
    for passage in (left, right):
        answer = answer_of(citation_of(passage, passage.text))
        measures, [citation] = judge_answer(golden, answer, LIBRARY, around)
        assert citation.right
        assert citation.verbatim
        assert measures["citation_recall"] == Measure(value=1.0)


@pytest.mark.parametrize(("found", "value"), [(True, 0.0), (False, 1.0)])
def test_an_unanswerable_question_should_be_refused(found: bool, value: float) -> None:
    measures, _ = judge_answer(a_question(), answer_of(found=found), LIBRARY, {})
    assert measures["refused"] == Measure(value=value)
    assert measures["answered"].weight == measures["right"].weight == 0


@given(
    text=st.text(min_size=1, max_size=60),
    start=st.integers(0, 1000),
    cuts=st.lists(st.tuples(st.integers(0, 59), st.integers(1, 30)), min_size=1, max_size=6),
)
def test_every_passage_stands_in_the_stitched_text_at_its_offsets(
    text: str, start: int, cuts: list[tuple[int, int]]
) -> None:
    pieces = [(low, text[low : low + size]) for low, size in cuts if low < len(text)]
    passages = [passage_of("a.md", piece, start=start + low) for low, piece in pieces]
    if not passages:
        return
    around: Surroundings = stitched(passages)
    for passage in passages:
        low = passage.char_start - around.char_start
        assert around.text[low : low + len(passage.text)] == passage.text


ANSWERABLE = a_question(a_span())


@pytest.mark.parametrize(
    ("judged", "verdict", "right"),
    [
        pytest.param(a_judged(ANSWERABLE, right=1.0), "right", True, id="right"),
        pytest.param(a_judged(ANSWERABLE, right=0.0), "refused", False, id="refused"),
        pytest.param(a_judged(a_question(), refused=1.0), "rightly refused", True, id="rightly"),
        pytest.param(a_judged(a_question(), refused=0.0), "wrong", False, id="wrong"),
    ],
)
def test_a_verdict_is_one_word(judged: Judged, verdict: str, right: bool) -> None:
    assert (judged.verdict, judged.right) == (verdict, right)


def test_the_worst_come_first() -> None:
    order = [
        a_judged(ANSWERABLE, right=0.0, ndcg=0.2),
        a_judged(ANSWERABLE, right=0.0, ndcg=0.9),
        a_judged(ANSWERABLE, right=1.0, ndcg=0.1),
        a_judged(a_question(), refused=1.0),
    ]
    mixed = [order[place] for place in (2, 0, 3, 1)]
    assert sorted(mixed, key=lambda each: each.worth) == order
