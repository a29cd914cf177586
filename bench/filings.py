"""How well questions about long reports full of tables are answered.

    python bench/filings.py --data ../shared/data/filings
    python bench/filings.py --data FOLDER --half development --home KEPT --no-answers
    python bench/filings.py --data FOLDER --limit 40

Quarterly reports are ingested as PDF, and questions with known answers are asked by the engine's
own search. What is measured of each question, `k` being the passages looked at:

- `gold`: the share of the figures and names of its answer that stand in the first ten passages of
  the right reports; `all gold`: whether all of them do;
- `document@k`: the share of the right reports, k at most, among those of the first k passages;
- `answered`: whether there is an answer; `right`: whether that quotes a figure or name of the
  expected one from a right report.

A question whose expected answer has neither figure nor name in its reports counts for documents
alone. The questions are split by company: one half to develop on, the other only to be run. With
`--home` what was ingested stays in a folder and is asked again next time. With `--limit` so many
questions of each half are drawn, the same ones each time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from filing_questions import HALVES, FilingQuestion, read_questions, share_found
from footnote.domain import Answer, Evidence, PlanChanges, SearchRequest
from footnote.engine import Engine, WorkspaceEngine
from footnote.evaluation.temporary_engine import ingest
from footnote.jobs.inline import work_until_resting
from installation import MODELS, bench_engine
from reporting import finish, machine, progress, show

AT = 10
SEED = 7
DEPTHS = (1, 5, 10)
MAX_CHARACTERS = 10_000_000
NAMES = ("gold", "all gold", *(f"document@{depth}" for depth in DEPTHS), "answered", "right")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a question."""

    asked: FilingQuestion
    evidence: Sequence[Evidence]
    answer: Answer | None
    """None where answers were not asked for."""

    @property
    def measures(self) -> Mapping[str, float]:
        """By name; what cannot be told of the question is left out."""
        measured = {f"document@{depth}": self._documents(depth) for depth in DEPTHS}
        gold, sources = self.asked.gold, self.asked.sources
        if gold:
            share = share_found(
                gold,
                [each.passage.text for each in self.evidence if each.passage.filename in sources],
            )
            measured |= {"gold": share, "all gold": float(share == 1)}
        if self.answer is not None:
            measured["answered"] = float(self.answer.found)
            if gold:
                quotes = [each.quote for each in self.answer.citations if each.filename in sources]
                measured["right"] = float(self.answer.found and share_found(gold, quotes) > 0)
        return measured

    def _documents(self, depth: int) -> float:
        sources = set(self.asked.sources)
        found = {each.passage.filename for each in self.evidence[:depth]} & sources
        return len(found) / min(depth, len(sources))


@asynccontextmanager
async def ingested(
    files: Sequence[Path], models: Path, home: Path | None, settings: Mapping[str, object]
) -> AsyncIterator[tuple[Engine, WorkspaceEngine]]:
    """An engine with the files; the same bytes are not ingested again."""
    async with bench_engine(models, home, **settings) as engine:
        workspace = await engine.workspace()
        failed = await ingest(engine, workspace, files, work_until_resting)
        assert not failed, failed
        yield engine, workspace


async def texts_of(workspace: WorkspaceEngine) -> dict[str, str]:
    """The canonical text of every document, by its file name."""
    texts = {}
    for document in (await workspace.documents(limit=100)).documents:
        whole = await workspace.text(document.document_id, most_characters=MAX_CHARACTERS)
        assert whole is not None, document.filename
        texts[document.filename] = whole.text
    return texts


async def ask(
    workspace: WorkspaceEngine, question: FilingQuestion, plan: str | None, *, answers: bool
) -> Outcome:
    """Search as far as the measures look, and ask as anybody would."""
    changes = PlanChanges(cache=False)
    request = SearchRequest(query=question.question, top_k=AT, plan=plan, changes=changes)
    response = await workspace.search(request)
    answer = None
    if answers:
        answer = await workspace.ask(question.question, plan=plan, changes=changes)
    return Outcome(asked=question, evidence=response.evidence, answer=answer)


def means(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The mean of each measure over the questions it can be told of."""
    measured = [each.measures for each in outcomes]
    found = {}
    for name in NAMES:
        values = [each[name] for each in measured if name in each]
        if values:
            found[name] = round(sum(values) / len(values), 3)
    return found


def drawn(questions: Sequence[FilingQuestion], limit: int | None) -> Sequence[FilingQuestion]:
    """So many of the questions at most, the same ones each time, in their order."""
    if limit is None or limit >= len(questions):
        return questions
    places = random.Random(SEED).sample(range(len(questions)), limit)
    return [questions[each] for each in sorted(places)]


def by_kind(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """The outcomes of each half, whole and by kind of question."""
    groups: dict[str, list[Outcome]] = {}
    for half in HALVES:
        within = [each for each in outcomes if each.asked.half == half]
        if within:
            groups[half] = within
        for kind in sorted({each.asked.kind for each in within}):
            groups[f"{half}: {kind}"] = [each for each in within if each.asked.kind == kind]
    return groups


async def measure(options: argparse.Namespace) -> tuple[dict[str, object], list[Outcome]]:
    report: dict[str, object] = {"machine": machine(), "plan": options.plan or "default"}
    files = sorted((options.data / "documents").glob(options.files))
    settings = dict(each.split("=", 1) for each in options.set)
    started = perf_counter()
    async with ingested(files, options.models, options.home, settings) as (_, workspace):
        report["ingestion_s"] = round(perf_counter() - started, 1)
        report["chunks"] = (await workspace.stats()).chunks
        questions = read_questions(options.data / "questions.csv", await texts_of(workspace))
        chosen = [
            each
            for half in HALVES
            if options.half in (half, "both")
            for each in drawn([one for one in questions if one.half == half], options.limit)
        ]
        outcomes = []
        started = perf_counter()
        with progress() as bars:
            bar = bars.add_task("questions", total=len(chosen))
            for question in chosen:
                outcomes.append(
                    await ask(workspace, question, options.plan, answers=options.answers)
                )
                bars.advance(bar)
        report["asking_s"] = round(perf_counter() - started, 1)
    return report, outcomes


def line(outcome: Outcome) -> str:
    """What came of a question, for whoever develops."""
    return json.dumps(
        {
            "question": outcome.asked.question,
            "kind": outcome.asked.kind,
            "sources": outcome.asked.sources,
            **outcome.measures,
            "gold items": [
                [str(each), share_found([each], _texts(outcome)) == 1]
                for each in outcome.asked.gold
            ],
            "passages": [
                [each.passage.filename, each.passage.page_start, each.passage.text, each.why]
                for each in outcome.evidence
            ],
            "answer": None if outcome.answer is None else outcome.answer.text,
        },
        ensure_ascii=False,
    )


def _texts(outcome: Outcome) -> list[str]:
    sources = outcome.asked.sources
    return [each.passage.text for each in outcome.evidence if each.passage.filename in sources]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the filings")
    parser.add_argument("--files", default="*.pdf", help="only those of this pattern")
    parser.add_argument("--plan", help="default: the settings' own")
    parser.add_argument("--half", choices=(*HALVES, "both"), default="both")
    parser.add_argument("--limit", type=int, help="questions of each half; default: all of them")
    parser.add_argument("--home", type=Path, help="keep what is ingested here between runs")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="settings")
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--no-answers", dest="answers", action="store_false", help="search alone")
    parser.add_argument("--outcomes", type=Path, help="what came of the half to develop on")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    report, outcomes = asyncio.run(measure(options))
    results = {name: (len(group), means(group)) for name, group in by_kind(outcomes).items()}
    report["results"] = {name: {"questions": n, **found} for name, (n, found) in results.items()}
    if options.outcomes is not None:
        # What came of the other half is never looked at.
        told = [line(each) for each in outcomes if each.asked.half == HALVES[0]]
        options.outcomes.write_text("\n".join(told), encoding="utf-8")
    show(
        "Questions about filings",
        ("questions", "", *NAMES),
        [
            (name, str(n), *(f"{found[each]:.3f}" if each in found else "–" for each in NAMES))
            for name, (n, found) in results.items()
        ],
    )
    finish(report, options.json)


if __name__ == "__main__":
    main()
