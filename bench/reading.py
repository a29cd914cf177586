"""Answers of quotes, by one reader or several, over the same evidence.

    python bench/reading.py --data ../shared/data [--questions 100] [--passages 16] [--json]

XQuAD: each question is asked of the eight best paragraphs of its language, and again without the
one that answers it; in another language, the English wording is asked of the same paragraphs. The
office papers are split by document: one half to develop on, the other only to be run. A citation
is right when it holds characters of the expected answer.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

from footnote.answering import ReaderAnswerer
from footnote.answering.answer_scoring import LogitAnswerScorer, fitted
from footnote.domain import Answer, Citation, Evidence
from footnote.evaluation.golden import GoldenQuestion, read_golden
from footnote.evaluation.judging import answers
from footnote.index.analysis import TextAnalyzer
from footnote.models.embedder_specs import parse_spec
from footnote.models.embedders import EmbedderChoices, Embedders, opener
from footnote.models.readers import reader_from
from footnote.ports import Embedder
from footnote.settings import Settings
from office_search import OFFICE, Found, search_office
from reading_sets import bm25, evidence_of, fused, passage_of, read_lines
from reporting import finish, show

EVIDENCE = 8
LANGUAGES = ("en", "de", "es", "zh")
CROSSED = (("en", "de"), ("en", "zh"))
"""The language of the question and that of the paragraphs."""
HALVES = ("development", "held-out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question over its evidence, and how a citation is judged."""

    identity: str
    question: str
    evidence: Sequence[Evidence]
    answerable: bool
    is_right: Callable[[Citation], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of it."""

    asked: Asked
    answer: Answer
    seconds: float

    @property
    def right(self) -> list[bool]:
        """Of each citation."""
        return [self.asked.is_right(each) for each in self.answer.citations]


def half_of(question: GoldenQuestion) -> str:
    """The half that a question's first paper is in; without a paper, one drawn by its words."""
    key = question.relevant[0].document if question.relevant else question.question
    return HALVES[hashlib.sha256(key.encode()).digest()[0] % 2]


async def xquad(
    data: Path, asking: str, language: str, count: int, embedder: Embedder
) -> Iterator[Asked]:
    """Questions in one language over paragraphs in another, with and without the right one."""
    folder, analyzer = data / f"xquad-{language}", TextAnalyzer()
    passages = [
        passage_of(
            str(row["_id"]), number, str(row["title"]).replace("_", " "), str(row["text"]), language
        )
        for number, row in enumerate(read_lines(folder / "corpus.jsonl"))
    ]
    lines = (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]
    gold_of = dict(line.split("\t")[:2] for line in lines)
    wordings = {
        str(row["_id"]): str(row["text"])
        for row in read_lines(data / f"xquad-{asking}" / "queries.jsonl")
    }
    queries = random.Random(7).sample(read_lines(folder / "queries.jsonl"), count)
    # In a foreign language too, what the paragraphs' own wording finds: it is reading that counts.
    texts = [str(query["text"]) for query in queries]
    vectors = await embedder.embed_documents([each.text for each in passages])
    targets = np.stack([await embedder.embed_query(text) for text in texts])
    similar = (targets @ vectors.T).astype(np.float64)
    rankings = fused(similar, bm25(passages, texts, analyzer))

    def asked() -> Iterator[Asked]:
        for row, (query, ranking) in enumerate(zip(queries, rankings, strict=True)):
            identity, said = str(query["_id"]), query["answers"]
            assert isinstance(said, list)
            gold, start = gold_of[identity], int(said[0]["start"])
            end = start + len(str(said[0]["text"]))

            def is_right(
                each: Citation, gold: str = gold, start: int = start, end: int = end
            ) -> bool:
                return each.chunk_id == gold and each.char_start < end and start < each.char_end

            best = ranking[:EVIDENCE]
            others = [each for each in ranking if passages[each].chunk_id != gold][:EVIDENCE]
            for answerable, shown in ((True, best), (False, others)):
                if answerable and not any(passages[each].chunk_id == gold for each in best):
                    continue
                evidence = evidence_of(passages, shown, similar[row])
                yield Asked(
                    identity=f"{identity}{'' if answerable else ' without'}",
                    question=wordings[identity],
                    evidence=evidence,
                    answerable=answerable,
                    is_right=is_right,
                )

    return asked()


def office(found: Found, half: str, passages: int = EVIDENCE) -> Iterator[Asked]:
    """The questions about one half of the papers, and again without the passages that answer.

    There are so many passages, where as many are left without those.
    """
    questions = read_golden(OFFICE / "questions.jsonl").questions
    return over_evidence(found, [each for each in questions if half_of(each) == half], passages)


def over_evidence(
    found: Found, questions: Iterable[GoldenQuestion], passages: int
) -> Iterator[Asked]:
    """Questions over what was found for them, and again without the passages that answer."""
    for each in questions:

        def is_right(citation: Citation, golden: GoldenQuestion = each) -> bool:
            return answers(citation, golden, found.library, found.around[citation.chunk_id])

        evidence = found.evidence[each.identity]
        yield Asked(
            identity=each.identity,
            question=each.question,
            evidence=evidence[:passages],
            answerable=each.answerable,
            is_right=is_right,
        )
        if each.answerable:
            papers = {span.document for span in each.relevant}
            told = {
                item.passage.document_id
                for item in evidence
                if any(found.library.is_called(item.passage.document_id, name) for name in papers)
            }
            rest = [item for item in evidence if item.passage.document_id not in told][:passages]
            yield Asked(
                identity=f"{each.identity} without",
                question=each.question,
                evidence=[replace(item, rank=rank) for rank, item in enumerate(rest, start=1)],
                answerable=False,
                is_right=is_right,
            )


async def ask(answerer: ReaderAnswerer, questions: Sequence[Asked]) -> list[Outcome]:
    """Every question, one after the other."""
    outcomes = []
    for each in questions:
        started = perf_counter()
        answer = await answerer(each.question, each.evidence)
        outcomes.append(Outcome(asked=each, answer=answer, seconds=perf_counter() - started))
    return outcomes


def figures(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Shares of what was answered, answered rightly, refused and rightly cited; and the time."""
    told = [each for each in outcomes if each.asked.answerable]
    untold = [each for each in outcomes if not each.asked.answerable]
    cited = [right for each in told for right in each.right]
    return {
        "questions": len(told),
        "answered": share(each.answer.found for each in told),
        "right": share(any(each.right) for each in told),
        "first right": share(bool(each.right) and each.right[0] for each in told),
        "precision": share(cited),
        "refused": share(not each.answer.found for each in untold),
        "p50_ms": round(1000 * median(each.seconds for each in outcomes), 1),
    }


def share(values: Iterator[bool] | Sequence[bool]) -> float:
    """How many of them are true."""
    held = list(values)
    return round(sum(held) / len(held), 3) if held else float("nan")


async def sets_of(options: argparse.Namespace, embedder: Embedder) -> dict[str, list[Asked]]:
    """The questions of every set, by its name."""
    sets: dict[str, list[Asked]] = {}
    if options.data is not None:
        pairs = (*((each, each) for each in LANGUAGES), *CROSSED)
        for asking, language in pairs:
            if not {asking, language} <= set(options.languages):
                continue
            name = f"xquad {language}" if asking == language else f"xquad {asking} of {language}"
            asked = await xquad(options.data, asking, language, options.questions, embedder)
            sets[name] = list(asked)
    if options.office != "none":
        found = await search_office(options.models)
        for half in HALVES:
            if options.office in (half, "both"):
                sets[f"office {half}"] = list(office(found, half, options.passages))
    return sets


def arguments() -> argparse.Namespace:
    """What is asked of whom."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder with xquad-en and its like")
    parser.add_argument("--questions", type=int, default=100, help="of each language")
    parser.add_argument("--languages", nargs="+", default=LANGUAGES, choices=LANGUAGES)
    parser.add_argument("--office", choices=(*HALVES, "both", "none"), default="both")
    parser.add_argument(
        "--passages", type=int, default=EVIDENCE, help="of office papers: 8, or 16 at most"
    )
    parser.add_argument("--models", type=Path, default=Settings().home / "models")
    parser.add_argument("--reader", nargs="+", default=["packaged"], help="files of weights")
    parser.add_argument("--outcomes", type=Path, help="write what came of each question here")
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    return parser.parse_args()


async def main() -> None:
    """Ask, and print the table."""
    options = arguments()
    choices = EmbedderChoices(
        models_folder=options.models, precision="int8", threads=0, batch_tokens=8192
    )
    embedder = await Embedders(specs=(parse_spec("multilingual"),), open=opener(choices)).primary()
    analyzer = TextAnalyzer()
    answerers: dict[str, ReaderAnswerer] = {}
    for name in options.reader:
        reader = reader_from(name, models_folder=options.models, threads=0)
        if reader is None:
            raise SystemExit(f"There are no weights in {name}")
        answerers[name] = ReaderAnswerer(
            reader=reader,
            analyzer=analyzer,
            least_answerability=fitted().least,
            undecided=fitted().undecided,
            weigh=LogitAnswerScorer(
                reader=reader, embedder=embedder, analyzer=analyzer, coefficients=fitted()
            ),
        )
    report: dict[str, object] = {}
    rows, told = [], []
    for name, questions in (await sets_of(options, embedder)).items():
        for who, answerer in answerers.items():
            outcomes = await ask(answerer, questions)
            measured = figures(outcomes)
            report[f"{name}, {who}"] = measured
            rows.append([f"{name}, {who}", *(f"{value:g}" for value in measured.values())])
            # What came of the other half is never looked at.
            told += [_line(name, who, each) for each in outcomes if "held-out" not in name]
    if options.outcomes is not None:
        options.outcomes.write_text("\n".join(told), encoding="utf-8")
    show("Answers of quotes", ["", *figures_names()], rows)
    finish(report, options.json)


def figures_names() -> list[str]:
    """The columns."""
    return ["questions", "answered", "right", "first right", "precision", "refused", "p50 ms"]


def _line(name: str, who: str, each: Outcome) -> str:
    return json.dumps(
        {
            "set": name,
            "who": who,
            "id": each.asked.identity,
            "question": each.asked.question,
            "answerable": each.asked.answerable,
            "found": each.answer.found,
            "right": each.right,
            "confidence": round(each.answer.confidence, 3),
            "text": each.answer.text,
        },
        ensure_ascii=False,
    )


if __name__ == "__main__":
    asyncio.run(main())
