"""What is answered is the question as it was meant."""

from __future__ import annotations

from dataclasses import replace

import pytest

from footnote.answering import NOT_FOUND
from footnote.domain import (
    Comparison,
    Operator,
    PlanChanges,
    SearchFilters,
    SearchRequest,
    Turn,
)
from footnote.engine import WorkspaceEngine
from footnote.engine.search import NOTHING_INDEXED
from footnote.jobs.inline import work_until_resting
from footnote.models.testing import scripted_model

STORM = "# Storm\n\nThe deductible for storm damage is EUR 500 for each event."
FIRE = "# Fire\n\nThe deductible for fire damage is EUR 900 for each event."


async def publish(workspace: WorkspaceEngine, *texts: str) -> None:
    received = [await workspace.receive(text.encode(), f"{text[2:7]}.md") for text in texts]
    ids = [each.document.document_id for each in received]
    await work_until_resting(workspace.engine, workspace, ids, lambda _: None)


async def test_a_follow_up_is_answered_as_it_stands_alone(
    workspace: WorkspaceEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await publish(workspace, STORM, FIRE)
    search = workspace.engine.search_stages
    model = scripted_model("What is the deductible for fire damage?")
    condensing = replace(search, phrase=replace(search.phrase, model=model))
    monkeypatch.setattr(workspace.engine, "search_stages", condensing)
    answer = await workspace.ask(
        "And for fire?",
        changes=PlanChanges(condense=True),
        conversation=(
            Turn(role="user", text="What is the deductible for storm damage?"),
            Turn(role="assistant", text="EUR 500. [1]"),
        ),
    )
    assert answer.question == "And for fire?"
    assert answer.found
    assert "EUR 900" in answer.text
    assert answer.degraded == ()


async def test_a_query_alone_is_searched_as_a_request_with_nothing_else(
    workspace: WorkspaceEngine,
) -> None:
    await publish(workspace, STORM, FIRE)
    query = "deductible for storm damage"
    alone = await workspace.search(query)
    asked = await workspace.search(SearchRequest(query=query))
    assert alone.query == query
    assert [each.passage for each in alone.evidence] == [each.passage for each in asked.evidence]
    assert "EUR 500" in alone.evidence[0].passage.text


async def test_a_question_is_asked_by_a_plan_and_within_filters(
    workspace: WorkspaceEngine,
) -> None:
    await publish(workspace, STORM, FIRE)
    titled = Comparison(field="title", operator=Operator.EQUALS, value="Fire")
    answer = await workspace.ask(
        "How much is the deductible?",
        filters=SearchFilters(where=titled),
        plan="fast",
        changes=PlanChanges(fusion="lexical_only"),
    )
    assert {each.passage.document_title for each in answer.evidence} == {"Fire"}
    assert {record.stage for each in answer.evidence for record in each.explanation} >= {
        "lexical_only"
    }


GEAR = (
    "# Marine gear\n\nThe policy for gear covers nets, buoys and ropes that are lost at sea."
    "\n\nWear and tear is excluded."
)


async def test_a_quoted_phrase_that_stands_nowhere_does_not_end_in_a_refusal(
    workspace: WorkspaceEngine,
) -> None:
    await publish(workspace, GEAR, STORM)
    quoted = await workspace.ask('What does the "policy for marine gear" cover?')
    plain = await workspace.ask("What does the policy for marine gear cover?")
    assert quoted.found
    assert [each.quote for each in quoted.citations] == [each.quote for each in plain.citations]
    assert [note.split(",")[0] for note in quoted.degraded] == [
        "phrases: no passage that may be searched holds “policy for marine gear”"
    ]
    strict = await workspace.ask(
        'What does the "policy for marine gear" cover?', changes=PlanChanges(exact_phrases=True)
    )
    assert (strict.found, strict.evidence) == (False, ())
    assert [note.split(";")[0] for note in strict.degraded] == [
        "phrases: no passage that may be searched holds “policy for marine gear”"
    ]


async def test_where_nothing_answers_the_closest_passage_is_shown_if_the_search_is_sure(
    workspace: WorkspaceEngine,
) -> None:
    await publish(workspace, STORM, FIRE)
    answer = await workspace.ask("How long does the deductible for storm damage last?")
    assert (answer.found, answer.citations) == (False, ())
    assert answer.text == NOT_FOUND
    assert answer.closest is not None
    assert answer.closest.text == "The deductible for storm damage is EUR 500 for each event."
    citation = answer.closest.citation
    assert (citation.marker, citation.document_title) == (1, "Storm")
    assert citation.quote == answer.closest.text
    again = await workspace.ask("How long does the deductible for storm damage last?")
    assert again.cached
    assert again.closest == answer.closest
    unsure = await workspace.ask("Who wrote the opera about the three oranges?")
    assert (unsure.found, unsure.closest) == (False, None)
    answered = await workspace.ask("What is the deductible for storm damage?")
    assert (answered.found, answered.closest) == (True, None)


async def test_quotes_are_read_from_more_passages_than_a_search_gives(
    workspace: WorkspaceEngine,
) -> None:
    boats = [f"# Boat {n}\n\nThe mast of boat {n} is {n + 7} metres tall." for n in range(1, 13)]
    await publish(workspace, *boats)
    question = "Who painted the mast of the boat?"
    assert len((await workspace.search(SearchRequest(query=question))).evidence) == 8
    assert len((await workspace.ask(question)).evidence) == 12
    assert len((await workspace.ask(question, top_k=3)).evidence) == 3


async def test_where_nothing_is_indexed_an_answer_and_a_search_say_so(
    workspace: WorkspaceEngine,
) -> None:
    question = "What is the deductible for storm damage?"
    answer = await workspace.ask(question)
    assert not answer.found
    assert NOTHING_INDEXED in answer.degraded
    assert (await workspace.search(SearchRequest(query=question))).degraded == (NOTHING_INDEXED,)
    await publish(workspace, STORM)
    narrow = SearchFilters(collections=("other",))
    found = await workspace.search(SearchRequest(query=question, filters=narrow))
    assert (found.evidence, found.degraded) == ((), ())


LEASE = (
    "# Lease\n\nThe lease begins on 1 May 2024.\n\nThe monthly rent of the bakery is EUR 1,450."
    "\n\nThe tenant clears the snow in winter."
)
CLUB = (
    "# Rowers\n\nThe club was founded in 1908 by two rowers.\n\nIts colours are green and silver."
)


async def test_a_question_for_two_things_is_answered_part_by_part(
    workspace: WorkspaceEngine,
) -> None:
    await publish(workspace, LEASE, CLUB)
    answer = await workspace.ask("What is the rent of the bakery and when was the club founded?")
    assert [("1,450" in each.text, "1908" in each.text) for each in answer.sentences] == [
        (True, False),
        (False, True),
    ]
    assert [each.markers for each in answer.sentences] == [(1,), (2,)]
    assert [each.filename for each in answer.citations] == ["Lease.md", "Rower.md"]
    assert set(answer.searched) == {
        "What is the rent of the bakery?",
        "when was the club founded?",
    }
    held = [each.passage.chunk_id for each in answer.evidence]
    assert len(held) == len(set(held))
    assert [each.rank for each in answer.evidence] == list(range(1, len(held) + 1))
    assert {each.chunk_id for each in answer.citations} <= set(held)


async def test_what_nothing_was_found_for_is_said(workspace: WorkspaceEngine) -> None:
    await publish(workspace, LEASE)
    answer = await workspace.ask("What is the rent of the bakery and who sells tulip bulbs?")
    assert answer.found
    assert "1,450" in answer.text
    [note] = answer.degraded
    assert note == "answer: nothing was found for “who sells tulip bulbs?”"


async def test_a_question_for_one_thing_is_not_parted(workspace: WorkspaceEngine) -> None:
    await publish(workspace, CLUB)
    answer = await workspace.ask("Which two colours, green and silver or red and white, has it?")
    assert answer.searched == ()
