"""Of documents that replace each other the newest that answers is believed, or the one named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from footnote.answering.document_versions import with_newer_note
from footnote.domain import Evidence, Passage, StageRecord

from .factories import make_evidence, make_passage
from .test_reader_answers import marking

OLD = make_passage("Dogs must be on a lead of 2 metres.", name="pets-2023", title="Pets 2023")
NEW = make_passage("A lead is no longer than 1.5 metres.", name="pets-2026", title="Pets 2026")
OTHER = make_passage("The gangway is 3 metres wide.", name="gangway", title="Gangway")
QUESTION = "How long may a lead be?"


async def said(question: str, evidence: list[Evidence], *marked: tuple[str, float]) -> str:
    return (await marking(*marked)(question, evidence)).text


async def test_the_newer_one_that_answers_takes_the_place_of_the_older() -> None:
    found = await said(QUESTION, make_evidence(OLD, NEW), ("2 metres", 0.6), ("1.5 metres", 0.35))
    assert found == "A lead is no longer than 1.5 metres. [1]"


async def test_an_older_one_answers_where_the_newer_does_not() -> None:
    evidence = make_evidence(OLD, NEW)
    assert "2 metres" in await said(QUESTION, evidence, ("2 metres", 0.9))
    assert "2 metres" in await said(QUESTION, evidence, ("2 metres", 0.8), ("1.5 metres", 0.05))


async def test_both_are_not_said_beside_each_other() -> None:
    found = await said(QUESTION, make_evidence(OLD, NEW), ("2 metres", 0.5), ("1.5 metres", 0.49))
    assert "2 metres" not in found


async def test_documents_that_are_called_otherwise_keep_their_answers() -> None:
    evidence = make_evidence(OTHER, NEW)
    found = await said(QUESTION, evidence, ("3 metres", 0.6), ("1.5 metres", 0.35))
    assert "3 metres" in found


@pytest.mark.parametrize(("first", "lead"), [(OLD, "2 metres"), (NEW, "1.5 metres")])
async def test_where_the_search_was_told_which_is_asked_for_that_one_is_believed(
    first: Passage, lead: str
) -> None:
    evidence = [
        replace(
            each,
            explanation=(
                StageRecord(
                    stage="series", rank_after=1 if each.passage is first else 2, score_after=1.0
                ),
            ),
        )
        for each in make_evidence(OLD, NEW)
    ]
    found = await said(QUESTION, evidence, ("2 metres", 0.5), ("1.5 metres", 0.45))
    assert {each for each in ("2 metres", "1.5 metres") if each in found} == {lead}


async def test_that_a_newer_one_was_not_found_to_answer_is_told() -> None:
    answer = await marking(("2 metres", 0.9))(QUESTION, make_evidence(OLD, NEW))
    assert answer.degraded == (
        "answer: from pets-2023.pdf, since pets-2026.pdf, which is newer, was not found to answer",
    )
    for evidence in (make_evidence(OLD, OTHER), make_evidence(NEW)):
        assert not (await marking(("metres", 0.9))(QUESTION, evidence)).degraded
    # Which one is meant, the question says itself; nor is anything told of a refusal.
    in_2023 = f"{QUESTION[:-1]} in 2023?"
    assert not (await marking(("2 metres", 0.9))(in_2023, make_evidence(OLD, NEW))).degraded
    assert not (await marking()(QUESTION, make_evidence(OLD, NEW))).degraded


async def test_nothing_is_told_of_a_newer_one_that_is_cited_too() -> None:
    evidence = make_evidence(OLD, NEW)
    answer = replace(await marking(("2 metres", 0.9))(QUESTION, evidence), degraded=())
    [citation] = answer.citations
    assert with_newer_note(answer, evidence).degraded
    both = (citation, replace(citation, document_id=NEW.document_id))
    assert not with_newer_note(replace(answer, citations=both), evidence).degraded


@pytest.mark.parametrize("answer_read", [(), (("six", 0.01),)])
async def test_the_same_clause_of_a_newer_one_takes_the_place_of_the_older(
    answer_read: tuple[tuple[str, float], ...],
) -> None:
    old = make_passage("It may be paid in three instalments.", name="fees-2023", title="Fees 2023")
    clause = "Above 250 euros it may be paid in six instalments."
    new = make_passage(f"{clause} Late payment costs 9 euros.", name="fees-2026", title="Fees 2026")
    question = "How many instalments are allowed?"
    answer = await marking(("three", 0.9), *answer_read)(question, make_evidence(old, new))
    assert (answer.sentences[0].text, answer.degraded) == (clause, ())
    assert [each.quote for each in answer.citations] == [clause]
    assert answer.confidence == pytest.approx(0.9)
    without = replace(new, text="Late payment of three fees costs 9 euros.")
    answer = await marking(("three ins", 0.9))(question, make_evidence(old, without))
    assert "three instalments" in answer.text


@pytest.mark.parametrize(("year", "lead"), [("2023", "2 metres"), ("2026", "1.5 metres")])
async def test_a_year_picks_the_document_out_whose_text_does_not_repeat_it(
    year: str, lead: str
) -> None:
    answer = await marking(("2 metres", 0.6), ("1.5 metres", 0.35))(
        f"How long may a lead be in {year}?", make_evidence(OLD, NEW)
    )
    assert lead in answer.text
    assert answer.question == f"How long may a lead be in {year}?"


async def test_a_named_document_that_does_not_answer_leaves_what_was_found() -> None:
    found = await said(
        "How long may a lead be in 2026?", make_evidence(OLD, NEW), ("2 metres", 0.6)
    )
    assert "2 metres" in found


async def test_two_years_are_compared_and_name_neither_alone() -> None:
    found = await said(
        "How did it change from 2023 to 2026?", make_evidence(OLD, NEW), ("2 metres", 0.6)
    )
    assert "2 metres" in found
