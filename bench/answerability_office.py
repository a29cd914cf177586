"""Turns questions about office papers into what the answering wing sees of them.

`bench/office` holds papers of invented firms and questions whose places are known, in the format
of `docs/evaluation.md`. They are ingested and searched as a user's would be; each answerable
question is also asked without the statements that answer it.
"""

from __future__ import annotations

import hashlib
import pickle
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from answerability_sets import VARIANTS, Asked, RememberingEmbedder, prepare_readings
from footnote.answering.cite import cite
from footnote.answering.coefficients import Trust
from footnote.answering.question import read_question
from footnote.answering.reading import Reading, read
from footnote.answering.sentences import Candidate, candidates_of
from footnote.domain import Evidence, PlanChanges, SearchRequest
from footnote.evaluation.golden import GoldenQuestion, read_golden
from footnote.evaluation.judging import Surroundings, answers, stitched
from footnote.evaluation.library import Library, read_library
from footnote.evaluation.temporary import ingest, temporary_engine
from footnote.ports import Analyzer
from footnote.settings import Settings

OFFICE = Path(__file__).parent / "office"
WEIGHT = 4.0
"""How much such a question counts beside one of an encyclopedia: there are few, and users' are
like them."""
FOLDS = 4
"""Parts into which the papers fall; questions about those of one part are judged together."""
_WIDEST = 30


@dataclass(frozen=True, slots=True)
class Found:
    """What the search found for every question."""

    library: Library
    evidence: Mapping[str, Sequence[Evidence]]
    around: Mapping[str, Surroundings]


async def search_office(models: Path) -> Found:
    """The evidence of every question; kept in a file beside the models for as long as the papers,
    the questions and the program's search stay as they are."""
    digest = hashlib.sha256()
    for path in (*sorted(OFFICE.rglob("*.*")), Path(pickle.__file__)):
        digest.update(path.read_bytes())
    kept = models / f"office-{digest.hexdigest()[:12]}.pickle"
    if kept.exists():
        found: Found = pickle.loads(kept.read_bytes())
        return found
    settings = Settings(home=Path(tempfile.gettempdir()) / "footnote-bench")
    evidence: dict[str, Sequence[Evidence]] = {}
    around: dict[str, Surroundings] = {}
    async with temporary_engine(settings) as engine:
        workspace = await engine.workspace()
        await ingest(engine, workspace, sorted((OFFICE / "documents").iterdir()))
        for each in read_golden(OFFICE / "questions.jsonl").questions:
            request = SearchRequest(
                query=each.question, top_k=settings.top_k, changes=PlanChanges(cache=False)
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


def fold_of(question: GoldenQuestion) -> int:
    """The part that a question's first paper is in; without a paper, one drawn by its words."""
    key = question.relevant[0].document if question.relevant else question.question
    return int(hashlib.sha256(key.encode()).hexdigest(), 16) % FOLDS


async def ask_office(
    embedder: RememberingEmbedder, analyzer: Analyzer, models: Path, held_out: int | None = None
) -> list[Asked]:
    """Every question, and the answerable ones again without the fact.

    Those of the fold `held_out` are judged by, the others are fitted on.
    """
    found = await search_office(models)
    asked: list[Asked] = []
    for each in read_golden(OFFICE / "questions.jsonl").questions:
        candidates = candidates_of(found.evidence[each.identity])
        right = {id(one) for one in candidates if is_right(one, each, found)}
        shown = [(VARIANTS[0] if each.answerable else VARIANTS[1], candidates)]
        if each.answerable:
            shown.append((VARIANTS[2], [one for one in candidates if id(one) not in right]))
        for variant, statements in shown:
            ready = await _asked(each, variant, statements, right, found, embedder, analyzer)
            asked += [replace(one, held_out=fold_of(each) == held_out) for one in ready]
    return asked


def is_right(candidate: Candidate, question: GoldenQuestion, found: Found) -> bool:
    """Whether quoting this statement would answer, by the judgement of `footnote eval`."""
    (citation,), _ = cite([candidate])
    around = found.around[candidate.evidence.passage.chunk_id]
    return question.answerable and answers(citation, question, found.library, around)


async def _asked(
    each: GoldenQuestion,
    variant: str,
    candidates: Sequence[Candidate],
    right: set[int],
    found: Found,
    embedder: RememberingEmbedder,
    analyzer: Analyzer,
) -> list[Asked]:
    languages = [item.passage.language for item in found.evidence[each.identity]]
    question = read_question(each.question, languages, analyzer)
    readings = read(candidates, analyzer)
    (target,) = await embedder.embed([each.question])

    def trust_of(reading: Reading) -> Trust:
        language = reading.candidate.evidence.passage.language
        if question.is_foreign(language):
            return Trust.CROSS
        return Trust.NATIVE if language in (None, "en") else Trust.FOREIGN

    ready = await prepare_readings(
        question,
        readings,
        variant=variant,
        held_out=False,
        target=target,
        gold_of=lambda reading: variant == VARIANTS[0] and id(reading.candidate) in right,
        trust_of=trust_of,
        weight=WEIGHT,
        embedder=embedder,
    )
    return [ready] if ready.kept else []
