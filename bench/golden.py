"""Asks the golden questions of the examples and judges answers, citations and refusals.

    python bench/golden.py --json

Every document goes through the real engine into a temporary home, every question through
`workspace.ask`. Nothing in Footnote is fitted on these questions: they are the held-out check.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import numpy as np

from footnote.domain import Answer, Citation, DocumentStatus, Evidence, SearchRequest
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings
from reporting import finish, machine, show

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
CUTOFF = 10
SHORTEST_KEY_DIGITS = 2
"""A single digit stands in too many sentences to tell whether one of them answers."""
_FIGURE = re.compile(r"\d[\d.,:'’]*\d|\d")
_NOT_DIGIT = re.compile(r"\D")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSpan:
    """A place that answers a question."""

    document: str
    page: int | None
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenQuestion:
    """A question whose answer is known."""

    identity: str
    question: str
    kind: str
    answerable: bool
    relevant: tuple[GoldenSpan, ...]
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """What was ingested, by document id: names as the golden set spells them, and texts."""

    names: Mapping[UUID, str]
    texts: Mapping[UUID, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One question with what came of it."""

    golden: GoldenQuestion
    answer: Answer
    right_citations: tuple[bool, ...]
    quotes_found: tuple[bool, ...]
    ndcg: float
    recall: float
    milliseconds: float

    @property
    def right(self) -> bool:
        """Answered with something that answers, or refused because nothing does."""
        if not self.golden.answerable:
            return not self.answer.found
        return self.answer.found and any(self.right_citations)


def read_golden(path: Path) -> list[GoldenQuestion]:
    """The questions of a golden file."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return [
        GoldenQuestion(
            identity=row["id"],
            question=row["question"],
            kind=row["kind"],
            answerable=row["answerable"],
            relevant=tuple(GoldenSpan(**span) for span in row["relevant"]),
            answer=row["answer"],
        )
        for row in rows
    ]


async def ingest(engine: Engine, workspace: WorkspaceEngine, folder: Path) -> Library:
    """Ingest a folder and read back what became of it. Raises SystemExit if a file failed."""
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    received = [(await workspace.receive_file(path)).document for path in paths]
    identities = [each.document_id for each in received]
    documents = await workspace.statuses(identities)
    if any(each.status is not DocumentStatus.INDEXED for each in documents.values()):
        documents = await work_until_resting(engine, workspace, identities, lambda _: None)
    failed = [f"{each.filename}: {each.failure}" for each in documents.values() if each.failure]
    if failed:
        raise SystemExit("not ingested: " + "; ".join(failed))
    names = {
        each.document_id: f"{documents[each.parent_id].filename}/{each.filename}"
        if each.parent_id
        else each.filename
        for each in documents.values()
    }
    async with engine.database.workspace(
        workspace.workspace.workspace_id, workspace.principal
    ) as scope:
        rows = await (
            await scope.connection.execute(
                "SELECT document_id, canonical_text FROM document_versions"
            )
        ).fetchall()
    return Library(names=names, texts={row["document_id"]: row["canonical_text"] for row in rows})


def is_right(citation: Citation, golden: GoldenQuestion, library: Library) -> bool:
    """Whether a quote touches a golden one, or holds the answer's key value in a golden place."""
    for span in golden.relevant:
        if library.names[citation.document_id] != span.document:
            continue
        if span.page is not None and citation.page != span.page:
            continue
        if touches(citation, span.quote, library.texts[citation.document_id]):
            return True
        if key_values(golden) & figures(citation.quote):
            return True
    return False


def touches(citation: Citation, quote: str, text: str) -> bool:
    """Whether a citation shares characters with a quote, wherever that stands in the text."""
    words = r"\s+".join(map(re.escape, quote.split()))
    return any(
        citation.char_start < found.end() and found.start() < citation.char_end
        for found in re.finditer(rf"(?<!\w){words}(?!\w)", text)
    )


def key_values(golden: GoldenQuestion) -> frozenset[str]:
    """The first figure of the reference answer that the question does not already say."""
    said = figures(golden.question)
    for match in _FIGURE.finditer(golden.answer):
        digits = _NOT_DIGIT.sub("", match.group())
        if len(digits) >= SHORTEST_KEY_DIGITS and digits not in said:
            return frozenset({digits})
    return frozenset()


def figures(text: str) -> frozenset[str]:
    """The digits of each number, so that 7.020 and 7,020 are one."""
    return frozenset(_NOT_DIGIT.sub("", match.group()) for match in _FIGURE.finditer(text))


def ranked_well(
    golden: GoldenQuestion, evidence: Sequence[Evidence], library: Library
) -> tuple[float, float]:
    """nDCG and recall of the golden places, a place being a document and, if given, a page.

    A passage gains 1 when it shows a place that none before it showed.
    """
    left = {(span.document, span.page) for span in golden.relevant}
    places, gain = len(left), 0.0
    for position, item in enumerate(evidence[:CUTOFF]):
        shown = {place for place in left if _shows(item, place, library)}
        left -= shown
        gain += bool(shown) / np.log2(position + 2)
    ideal = sum(1 / np.log2(position + 2) for position in range(min(CUTOFF, places)))
    return float(min(1.0, gain / ideal)), (places - len(left)) / places


def _shows(item: Evidence, place: tuple[str, int | None], library: Library) -> bool:
    document, page = place
    if library.names[item.passage.document_id] != document:
        return False
    first, last = item.passage.page_start, item.passage.page_end
    return page is None or (first is not None and first <= page <= (last or first))


async def judge(workspace: WorkspaceEngine, golden: GoldenQuestion, library: Library) -> Judged:
    """Ask one question and compare."""
    response = await workspace.search(SearchRequest(query=golden.question, top_k=CUTOFF))
    started = time.perf_counter()
    answer = await workspace.ask(golden.question)
    elapsed = (time.perf_counter() - started) * 1e3
    ndcg, recall = (
        ranked_well(golden, response.evidence, library) if golden.relevant else (np.nan, np.nan)
    )
    return Judged(
        golden=golden,
        answer=answer,
        right_citations=tuple(is_right(each, golden, library) for each in answer.citations),
        quotes_found=tuple(
            library.texts[each.document_id][each.char_start : each.char_end] == each.quote
            for each in answer.citations
        ),
        ndcg=ndcg,
        recall=recall,
        milliseconds=elapsed,
    )


def figures_of(judged: Sequence[Judged]) -> dict[str, float]:
    """The figures of some questions; a share over nothing is nan."""
    answerable = [each for each in judged if each.golden.answerable]
    others = [each for each in judged if not each.golden.answerable]
    cited = [right for each in judged for right in each.right_citations]
    return {
        "ndcg@10": _mean([each.ndcg for each in answerable]),
        "recall@10": _mean([each.recall for each in answerable]),
        "answered": _mean([each.answer.found for each in answerable]),
        "right": _mean([each.right for each in answerable]),
        "refused": _mean([not each.answer.found for each in others]),
        "citation_precision": _mean(cited),
        "quote_found": _mean([found for each in judged for found in each.quotes_found]),
        "citations": float(len(cited)),
    }


def _mean(values: Sequence[float]) -> float:
    return round(float(np.mean(values)), 3) if values else float("nan")


def show_kinds(judged: Sequence[Judged]) -> None:
    """A row for each kind, and one for all."""
    kinds = dict.fromkeys(each.golden.kind for each in judged)
    groups = {kind: [each for each in judged if each.golden.kind == kind] for kind in kinds}
    columns = list(figures_of(judged))
    rows = [
        [
            name,
            str(len(group)),
            *("–" if np.isnan(v) else f"{v:g}" for v in figures_of(group).values()),
        ]
        for name, group in [*groups.items(), ("all", list(judged))]
    ]
    show("Golden set", ["kind", "questions", *columns], rows)


def show_mistakes(judged: Sequence[Judged]) -> None:
    """Each question that went wrong, with what was said instead."""
    for each in judged:
        wrong = len(each.right_citations) - sum(each.right_citations)
        if each.right and not wrong:
            continue
        verdict = ("partly" if each.right else "wrong") if each.answer.found else "refused"
        print(
            f"{each.golden.identity} {verdict} {each.answer.confidence:.2f} {each.golden.question}"
        )
        print(f"    expected: {each.golden.answer}")
        for citation, right in zip(each.answer.citations, each.right_citations, strict=True):
            mark, quote = "+" if right else "-", " ".join(citation.quote.split())
            print(f"    {mark} {citation.filename}: {quote}")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--golden", type=Path, default=EXAMPLES / "golden.jsonl")
    parser.add_argument("--documents", type=Path, default=EXAMPLES / "documents")
    parser.add_argument("--home", type=Path, help="keep and reuse what was ingested here")
    parser.add_argument("--mistakes", action="store_true", help="show what went wrong")
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    arguments = parser.parse_args()
    busy = machine()
    with tempfile.TemporaryDirectory(prefix="footnote-golden-") as temporary:
        settings = Settings(home=arguments.home or Path(temporary))
        async with await open_engine(settings) as engine:
            workspace = await engine.workspace()
            library = await ingest(engine, workspace, arguments.documents)
            judged = [
                await judge(workspace, golden, library) for golden in read_golden(arguments.golden)
            ]
    show_kinds(judged)
    latency = round(float(np.median([each.milliseconds for each in judged])), 1)
    print(f"latency p50: {latency} ms; load before: {busy['load_before']}")
    if arguments.mistakes:
        show_mistakes(judged)
    report = {
        **figures_of(judged),
        "questions": len(judged),
        "latency_p50_ms": latency,
        "machine": busy,
    }
    finish(report, arguments.json)


if __name__ == "__main__":
    asyncio.run(main())
