"""Over real articles and questions, a routed search keeps what the flat one ranks first."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from footnote.domain import LOCAL_PRINCIPAL, PlanChanges, SearchRequest
from footnote.ports import Routing
from footnote.retrieval.fusion import FusionChoices
from footnote.retrieval.gathering import Gather
from footnote.retrieval.journal import Asker
from footnote.retrieval.phrasing import Phrase
from footnote.retrieval.pipeline import Search
from footnote.retrieval.plans import named_plans
from footnote.retrieval.refinement import Refine
from footnote.retrieval.spelling import Correct
from footnote.store.database import Database
from tests.store.shelves import Shelf, new_shelf

FIRST = 3
QUESTIONS = 60
FOLDER = Path(os.environ.get("FOOTNOTE_TEST_DATA", "../shared/data")) / "xquad-en"


def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


async def shelved(shelf: Shelf) -> None:
    """Each article a document, said to be about its title and the first words of its parts."""
    articles: dict[str, list[str]] = {}
    for row in rows("corpus.jsonl"):
        articles.setdefault(row["title"].replace("_", " "), []).append(row["text"])
    for title, texts in articles.items():
        await shelf.put(*texts, about="\n".join([title, *(text[:100] for text in texts)]))


def stages(shelf: Shelf) -> Search:
    return Search(
        phrase=Phrase(embedder=shelf.embedder),
        gather=Gather(
            embedder=shelf.embedder,
            analyzer=shelf.analyzer,
            correct=Correct(shelf.analyzer),
            choices=FusionChoices(),
            recall_limit=100,
            routing=Routing(documents=2),
        ),
        refine=Refine(),
        plans=named_plans(
            fusion="adaptive", diversity="none", neighbours=0, reranks=False, writes=False
        ),
    )


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the retrieval sets are not here")
@pytest.mark.parametrize("diversity", ["none", "round_robin"])
@pytest.mark.parametrize("fusion", ["adaptive", "rrf"])
async def test_the_first_three_of_a_flat_search_stay(
    database: Database, fusion: str, diversity: str
) -> None:
    shelf = await new_shelf(database)
    await shelved(shelf)
    search, differing = stages(shelf), 0
    asker = Asker(workspace_id=shelf.workspace.workspace_id, principal=LOCAL_PRINCIPAL)
    questions = rows("queries.jsonl")
    for question in questions[:: len(questions) // QUESTIONS]:
        found = []
        for route in (False, True):
            changes = PlanChanges(route=route, fusion=fusion, diversity=diversity)  # type: ignore[arg-type]  # sampled from their names
            request = SearchRequest(query=question["text"], changes=changes)
            response = await search(request, shelf.index(), asker)
            assert not response.degraded
            found.append([each.passage.chunk_id for each in response.evidence])
        flat, routed = found
        assert set(flat[:FIRST]) <= set(routed), question["text"]
        assert len(routed) == len(flat)
        differing += flat != routed
    assert differing > 0 or diversity != "none", "routing did something"
