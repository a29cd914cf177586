"""What facts are found in tables, how well clusters agree with known groups, and what both cost.

    python bench/knowledge.py --tables ../shared/data/tables/tatqa-dev.json
    python bench/knowledge.py --clusters ../shared/data/clusters/banking77-train.csv
    python bench/knowledge.py --documents examples/documents --questions bench/fact_questions.jsonl

`--tables` reads tables of financial reports with questions whose answers stand in a cell (TAT-QA):
how many of these cells are a fact (`cell`), and of those how many have the value and scale that the
question's answer has (`value`), and, where the question names one year, that year (`year`). Many
of the tables say their scale nowhere near them; those are not left out. `--documents` ingests the
files of a folder into a fresh installation and has their facts extracted, which is what is
measured: seconds beyond ingestion, for 1,000 pages too, with those of the processor (Postgres has
its own), the memory that the process grew by, and how long recalling takes. With `--questions`,
lines of JSON with a question and the texts that the statement of its fact holds: how often that
fact is the first, is among five, and its mean reciprocal rank among ten (`recall_first`,
`recall_in_five`, `recall_mrr`).
`--clusters` embeds short texts whose groups are known and clusters them; `bench/clustering.py` says
what its figures are. `--summaries` ingests a folder and summarises it, see `bench/summarising.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

import footnote
from clustering import over_clusters
from footnote.domain import BlockKind
from footnote.domain.facts import ExtractedFact
from footnote.engine import WorkspaceEngine
from footnote.jobs.extracting import extract_fact_slice
from footnote.jobs.inline import work_until_resting
from footnote.knowledge.scales import scale_of_document
from footnote.knowledge.table_facts import table_facts
from footnote.knowledge.texts import DocumentText, TextBlock
from footnote.settings import settings_from
from installation import MODELS, share_models
from reporting import finish, machine, show
from summarising import over_summaries

POWERS = {"": 0, "percent": 0, "thousand": 3, "million": 6, "billion": 9}
LONGEST_CELL = 14
"""Longer answers hold words beside the number."""
RECALLS = 30


def markdown(rows: list[list[str]]) -> str:
    """A table as parsers write it."""
    width = max(map(len, rows))
    lines = []
    for number, row in enumerate(rows):
        cells = [cell.replace("|", "\\|").replace("\n", " ") for cell in row]
        lines.append(f"| {' | '.join(cells + [''] * (width - len(row)))} |")
        if not number:
            lines.append("|" + "---|" * width)
    return "\n".join(lines)


def number_of(answer: str) -> Decimal | None:
    """The number of an answer, which is negative in brackets."""
    digits = "".join(each for each in answer if each.isdigit() or each == ".")
    try:
        value = Decimal(digits)
    except InvalidOperation:
        return None
    return -value if answer.strip()[:1] in "(-" else value


def asked_cells(questions: list[Mapping[str, Any]]) -> Iterator[tuple[str, Decimal, str | None]]:
    """Cells that questions ask for: what stands there, its value, and the year if one is named."""
    for each in questions:
        if each["answer_from"] == "text" or each["answer_type"] not in ("span", "multi-span"):
            continue
        words = each["question"].replace("?", " ").replace(",", " ").split()
        years = [word for word in words if word.isdigit() and len(word) == 4]
        for answer in each["answer"] if isinstance(each["answer"], list) else [each["answer"]]:
            said = " ".join(str(answer).split())
            value = number_of(said)
            is_year = said.isdigit() and 1990 < int(said) < 2030
            if value is None or len(said) > LONGEST_CELL or is_year:
                continue
            scaled = value.scaleb(POWERS[each["scale"]])
            yield said, scaled, years[0] if len(years) == 1 else None


def facts_of(report: Mapping[str, Any]) -> list[ExtractedFact]:
    """The facts of a table below the paragraphs around it."""
    paragraphs = sorted(report["paragraphs"], key=lambda each: each["order"])
    before = "\n\n".join(each["text"] for each in paragraphs) + "\n\n"
    text = before + markdown(report["table"]["table"])
    block = TextBlock(kind=BlockKind.TABLE, start=len(before), end=len(text), headings=())
    document = DocumentText(text=text, title="Report", language="en", blocks=(block,))
    return list(table_facts(document, block, scale_of_document(text)))


def bare(cell: str) -> str:
    return cell.replace("$", "").strip()


def over_tables(path: Path) -> dict[str, object]:
    """How many of the cells that are asked for are facts with their value, scale and year."""
    counts: Counter[str] = Counter()
    for report in json.loads(path.read_text(encoding="utf-8")):
        facts = facts_of(report)
        for said, value, year in asked_cells(report["questions"]):
            counts["asked"] += 1
            found = [each for each in facts if bare(each.object) == bare(said)]
            if not found:
                continue
            counts["cell"] += 1
            counts["value"] += any(
                each.value is not None and abs(Decimal(each.value)) == abs(value) for each in found
            )
            if year is not None:
                counts["dated"] += 1
                counts["year"] += any(
                    each.valid_to is not None and str(each.valid_to.year) == year for each in found
                )
    return {
        "asked": counts["asked"],
        "cell": round(counts["cell"] / counts["asked"], 3),
        "value": round(counts["value"] / counts["cell"], 3),
        "year": round(counts["year"] / counts["dated"], 3),
    }


async def over_questions(workspace: WorkspaceEngine, questions: Path) -> dict[str, object]:
    """How well the facts that questions ask for are recalled."""
    ranks: list[int | None] = []
    for line in questions.read_text(encoding="utf-8").splitlines():
        asked = json.loads(line)
        found = await workspace.recall_facts(asked["question"], limit=10)
        holding = (
            rank
            for rank, each in enumerate(found, start=1)
            if all(text.lower() in each.fact.statement.lower() for text in asked["holds"])
        )
        ranks.append(next(holding, None))
    return {
        "questions": len(ranks),
        "recall_first": round(sum(rank == 1 for rank in ranks) / len(ranks), 3),
        "recall_in_five": round(sum((rank or 99) <= 5 for rank in ranks) / len(ranks), 3),
        "recall_mrr": round(sum(1 / rank for rank in ranks if rank) / len(ranks), 3),
    }


async def over_documents(folder: Path, questions: Path | None) -> dict[str, object]:
    """What extracting and recalling the facts of a folder's files costs."""
    with tempfile.TemporaryDirectory(prefix="footnote-knowledge-") as home:
        share_models(MODELS, Path(home))
        settings = settings_from(None, {"home": home})
        async with footnote.open(settings) as engine:
            workspace = await engine.workspace()
            ids = []
            for path in sorted(each for each in folder.rglob("*") if each.is_file()):
                received = await workspace.receive_file(path)
                ids.append(received.document.document_id)
            began = perf_counter()
            rested = await work_until_resting(workspace.engine, workspace, ids, lambda _: None)
            ingested = perf_counter() - began
            pages = sum(max(1, each.page_count or 1) for each in rested.values())
            await workspace.change_setting("facts", "rules")
            memory, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, perf_counter()
            processor = process_time()
            while (at := await workspace.fact_progress()).done + at.failed < at.documents:
                await extract_fact_slice(workspace.engine, workspace.workspace_id)
            seconds, processor = perf_counter() - began, process_time() - processor
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
            found = await workspace.facts(limit=RECALLS)
            times = []
            for each in found.facts:
                start = perf_counter()
                await workspace.recall_facts(each.statement)
                times.append(1000 * (perf_counter() - start))
            conflicts = len((await workspace.fact_conflicts(limit=200)).conflicts)
            asked = {} if questions is None else await over_questions(workspace, questions)
    return {
        "documents": at.documents,
        "failed": at.failed,
        "pages": pages,
        "facts": at.facts,
        "conflicts": conflicts,
        "ingestion_seconds": round(ingested, 1),
        "seconds": round(seconds, 1),
        "seconds_per_1000_pages": round(seconds / pages * 1000, 1),
        "processor_seconds_per_1000_pages": round(processor / pages * 1000, 1),
        "memory_mb": round(grown / 1024),
        "recall_p50_ms": round(float(np.median(times)), 1) if times else None,
        **asked,
    }


async def main() -> None:
    """Measure what is asked for and print it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=Path, help="tatqa-dev.json, or its like")
    parser.add_argument("--clusters", type=Path, help="a file of texts with their groups")
    parser.add_argument("--documents", type=Path, help="folder whose files are ingested")
    parser.add_argument("--summaries", type=Path, help="folder whose files are summarised")
    parser.add_argument("--questions", type=Path, help="lines of JSON, asked of the folder's facts")
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args()
    if not any((options.tables, options.clusters, options.summaries, options.documents)):
        parser.error("give --tables, --clusters, --summaries or --documents")
    report: dict[str, object] = {"machine": machine()}
    if options.tables is not None:
        report["tables"] = over_tables(options.tables)
    if options.clusters is not None:
        report["clusters"] = await over_clusters(options.clusters)
    if options.summaries is not None:
        report["summaries"] = await over_summaries(options.summaries)
    if options.documents is not None:
        report["documents"] = await over_documents(options.documents, options.questions)
    for name in ("tables", "clusters", "summaries", "documents"):
        figures = report.get(name)
        if isinstance(figures, dict):
            show(name, ("figure", "value"), [[key, str(value)] for key, value in figures.items()])
    finish(report, options.json)


if __name__ == "__main__":
    asyncio.run(main())
