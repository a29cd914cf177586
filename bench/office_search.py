"""Searches the papers of `bench/office`, or others, for the questions about them, as users do."""

from __future__ import annotations

import hashlib
import pickle
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from footnote.domain import Evidence, PlanChanges, SearchRequest
from footnote.evaluation.golden import read_golden
from footnote.evaluation.judging import Surroundings, stitched
from footnote.evaluation.library import Library, read_library
from footnote.evaluation.temporary_engine import temporary_engine
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings

OFFICE = Path(__file__).parent / "office"
SEARCHED = 16
"""Passages that are searched, so that without the papers that answer there are as many as with."""
_WIDEST = 30


@dataclass(frozen=True, slots=True)
class Found:
    """What the search found for every question."""

    library: Library
    evidence: Mapping[str, Sequence[Evidence]]
    around: Mapping[str, Surroundings]


async def search_office(models: Path) -> Found:
    """The evidence of every question about `bench/office`."""
    return await search_papers(models, "office", OFFICE / "documents", OFFICE / "questions.jsonl")


async def search_papers(models: Path, name: str, documents: Path, golden: Path) -> Found:
    """The evidence of every question, among the papers of its collections: those of a folder within
    `documents` are one; kept in a file beside the models for as long as the papers,
    the questions and the program's search stay as they are."""
    digest = hashlib.sha256(bytes([SEARCHED]))
    for path in (*sorted(documents.rglob("*.*")), golden, Path(pickle.__file__)):
        digest.update(path.read_bytes())
    kept = models / f"{name}-{digest.hexdigest()[:12]}.pickle"
    if kept.exists():
        found: Found = pickle.loads(kept.read_bytes())
        return found
    settings = Settings(home=Path(tempfile.gettempdir()) / "footnote-bench")
    evidence: dict[str, Sequence[Evidence]] = {}
    around: dict[str, Surroundings] = {}
    async with temporary_engine(settings) as engine:
        workspace = await engine.workspace()
        received = []
        for folder in (documents, *sorted(each for each in documents.iterdir() if each.is_dir())):
            collection = None if folder == documents else folder.name
            received += [
                await workspace.receive_file(path, collection=collection)
                for path in sorted(each for each in folder.iterdir() if each.is_file())
            ]
        identities = [each.document.document_id for each in received]
        await work_until_resting(engine, workspace, identities, lambda _: None)
        for each in read_golden(golden).questions:
            request = SearchRequest(
                query=each.question,
                top_k=SEARCHED,
                filters=each.filters,
                changes=PlanChanges(cache=False),
            )
            evidence[each.identity] = (await workspace.search(request)).evidence
            for item in evidence[each.identity]:
                chunk = item.passage.chunk_id
                if chunk not in around:
                    context = await workspace.context(chunk, _WIDEST)
                    around[chunk] = stitched(
                        (*context.context_before, context.chunk, *context.context_after)
                    )
        library = await read_library(workspace)
    found = Found(library=library, evidence=evidence, around=around)
    kept.write_bytes(pickle.dumps(found))
    return found
