"""Over real articles and questions, a routed search keeps what the flat one ranks first."""

from __future__ import annotations

import json
import os
from itertools import product
from pathlib import Path

import pytest

from footnote.domain import (
    LOCAL_PRINCIPAL,
    DiversityName,
    FusionName,
    PlanChanges,
    SearchRequest,
)
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

FUSIONS: tuple[FusionName, ...] = ("adaptive", "rrf")
DIVERSITIES: tuple[DiversityName, ...] = ("none", "round_robin")
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
async def test_the_first_three_of_a_flat_search_stay(database: Database) -> None:
    shelf = await new_shelf(database)
    await shelved(shelf)
    search = stages(shelf)
    asker = Asker(workspace_id=shelf.workspace.workspace_id, principal=LOCAL_PRINCIPAL)
    questions = rows("queries.jsonl")

    async def found(question: str, changes: PlanChanges) -> list[str]:
        response = await search(
            SearchRequest(query=question, changes=changes), shelf.index(), asker
        )
        assert not response.degraded
        return [each.passage.chunk_id for each in response.evidence]

    for fusion, diversity in product(FUSIONS, DIVERSITIES):
        differing = 0
        for question in questions[:: len(questions) // QUESTIONS]:
            flat, routed = [
                await found(
                    question["text"],
                    PlanChanges(route=route, fusion=fusion, diversity=diversity),
                )
                for route in (False, True)
            ]
            assert set(flat[:FIRST]) <= set(routed), (fusion, diversity, question["text"])
            assert len(routed) == len(flat)
            differing += flat != routed
        assert differing > 0 or diversity != "none", "routing did something"
