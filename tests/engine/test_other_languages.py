"""A question finds and explains what is written in another language, encrypted or not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from footnote.domain import Evidence, PlanChanges, SearchFilters, SearchRequest
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.jobs.inline import work_until_resting
from footnote.retrieval.cross_lingual import LANGUAGES
from footnote.retrieval.explain import why
from footnote.settings import Settings

QUESTION = SearchRequest(query="Who prints the posters for the guest performance?")
CONTRACT = "Plakate und Programmhefte druckt das Theater. Fotos kommen von der Kammerbühne."
HOUSE = (
    "The posters in the foyer are changed by the house team every Monday.",
    "A guest may bring two friends to a performance for nothing.",
    "The performance begins at eight, and the doors close ten minutes before.",
    "Printers stand in the office, and the theatre pays for the paper.",
    "Who leaves last turns the lights off and locks the stage door.",
    "Guest tickets are printed at the desk on the day of the performance.",
)


@pytest.fixture(params=["off", "on"])
def encryption(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def found(workspace: WorkspaceEngine, request: SearchRequest) -> tuple[Evidence, ...]:
    return (await workspace.search(request)).evidence


async def filled(engine: Engine, texts: dict[str, str]) -> WorkspaceEngine:
    workspace = await engine.workspace((await engine.create_workspace("house")).name)
    received = [await workspace.receive(each.encode(), name) for name, each in texts.items()]
    ids = [each.document.document_id for each in received]
    await work_until_resting(engine, workspace, ids, lambda _: None)
    return workspace


async def test_a_passage_in_another_language_stands_among_those_that_share_words(
    own_settings: Settings, encryption: str
) -> None:
    texts = {f"house-{number}.txt": each for number, each in enumerate(HOUSE)}
    settings = own_settings.model_copy(update={"encryption": encryption})
    async with await open_engine(settings) as engine:
        workspace = await filled(engine, texts | {"vertrag.txt": CONTRACT})
        evidence = await found(workspace, QUESTION)
        german = next(each for each in evidence if each.passage.filename == "vertrag.txt")
        record = next(each for each in german.explanation if each.stage == LANGUAGES)
        assert record.rank_after == 1
        assert german.similarity == pytest.approx(record.score_after)
        assert "1st of those in other languages" in why(german)
        without = replace(QUESTION, changes=PlanChanges(across_languages=False))
        unsought = await found(workspace, without)
        assert all(record.stage != LANGUAGES for each in unsought for record in each.explanation)
        before = [each.rank for each in unsought if each.passage.filename == "vertrag.txt"]
        assert not before or before[0] > german.rank
        # In its own language nothing changes, and what is alike enough is all that is found.
        near = SearchFilters(min_similarity=0.99)
        assert await found(workspace, replace(QUESTION, filters=near)) == ()


async def test_a_workspace_of_one_language_is_searched_as_before(engine: Engine) -> None:
    workspace = await filled(engine, {f"{n}.txt": each for n, each in enumerate(HOUSE)})
    evidence = await found(workspace, QUESTION)
    without = replace(QUESTION, changes=PlanChanges(across_languages=False))
    unsought = await found(workspace, without)
    assert [each.passage.chunk_no for each in evidence] == [
        each.passage.chunk_no for each in unsought
    ]
    assert [each.score for each in evidence] == pytest.approx([each.score for each in unsought])
    assert all(record.stage != LANGUAGES for each in evidence for record in each.explanation)
