"""Follow-up suggestions after answers: how many are made, answered, and new, and how long it takes.

    python bench/suggestions.py
    python bench/suggestions.py --ingest FOLDER --questions QUESTIONS.jsonl [--limit 60] [--json]

Each question of a golden set is asked, without a language model. What is suggested after its answer
is asked in turn, as somebody would who chooses it: after the answer, in the conversation, past the
cache. `answered` is the share of them that are not refused, `same document` of those that cite the
document that the suggestion was made from. A suggestion is new where neither it nor its answer says
what the question and the answer before said: no more than half of its words, but for those that
carry grammar alone, are the question's, and it quotes something else.
"""

from __future__ import annotations

import argparse
import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

from footnote.domain import Answer, PlanChanges, Turn
from footnote.domain.answers import SuggestedQuestion, Suggestions
from footnote.engine import WorkspaceEngine
from footnote.errors import FootnoteError
from footnote.evaluation.golden import read_golden
from footnote.jobs.inline import work_until_resting
from footnote.language.detection import function_words
from installation import MODELS, bench_engine
from reporting import finish, show

EXAMPLES = Path(__file__).parent.parent / "examples"
NEAR_DUPLICATE = 0.5
"""Share of a suggestion's words that are the question's from which it asks the same."""
_WORD = re.compile(r"\w+")
_GRAMMAR = frozenset().union(*(function_words(each) for each in ("en", "de", "fr", "es"))) | {
    *("how", "long", "much", "who", "why", "when", "where", "what", "applies"),
    *("wie", "lange", "viel", "wer", "warum", "wann", "wo", "was", "gilt"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class After:
    """What was suggested after one answer, and what came of each."""

    answer: Answer
    seconds: float
    made: Suggestions
    answers: tuple[Answer, ...]

    @property
    def answered(self) -> list[bool]:
        """Of each suggestion."""
        return [each.found for each in self.answers]

    @property
    def in_document(self) -> list[bool]:
        """Of each suggestion, whether a document that it was made from answers it."""
        return [
            any(cited.document_id in one.document_ids for cited in each.citations)
            for one, each in zip(self.made.questions, self.answers, strict=True)
        ]

    @property
    def new(self) -> list[bool]:
        """Of each suggestion."""
        pairs = zip(self.made.questions, self.answers, strict=True)
        return [is_new(one, each, self.answer) for one, each in pairs]


def is_new(suggested: SuggestedQuestion, answer: Answer, before: Answer) -> bool:
    """Whether a suggestion asks, and is answered by, something else than what was said."""
    words = set(_WORD.findall(suggested.question.lower())) - _GRAMMAR
    asked = set(_WORD.findall(before.question.lower()))
    quotes = {each.quote for each in before.citations}
    again = answer.citations and all(each.quote in quotes for each in answer.citations)
    return len(words & asked) <= NEAR_DUPLICATE * len(words) and not again


async def after(workspace: WorkspaceEngine, question: str) -> After:
    """What is suggested after the answer to a question, each asked past the cache."""
    answer = await workspace.ask(question)
    chunks = [each.chunk_id for each in answer.citations]
    chunks += [each.passage.chunk_id for each in answer.evidence]
    text = answer.text if answer.found else ""
    begun = perf_counter()
    made = await workspace.suggest_questions(question, answer=text, chunk_ids=chunks)
    seconds = perf_counter() - begun
    turns = (Turn(role="user", text=question), Turn(role="assistant", text=answer.text))
    answers = [
        await workspace.ask(each.question, conversation=turns, changes=PlanChanges(cache=False))
        for each in made.questions
    ]
    return After(answer=answer, seconds=seconds, made=made, answers=tuple(answers))


async def ingest(workspace: WorkspaceEngine, folder: Path) -> None:
    """Take in every file of a folder whose form is known."""
    received = []
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        if path.name.endswith((".expected.md", "SOURCE.txt", "README.md")):
            continue
        try:
            received.append((await workspace.receive_file(path)).document.document_id)
        except FootnoteError:
            continue  # What cannot be taken in is not asked about.
    await work_until_resting(workspace.engine, workspace, received, lambda _: None)


def share(values: Sequence[bool]) -> float:
    """How many are true."""
    return sum(values) / len(values) if values else 0.0


async def measure(options: argparse.Namespace) -> None:
    """Print the table."""
    async with bench_engine(MODELS, options.home) as engine:
        workspace = await engine.workspace("default")
        if not (await workspace.stats()).documents:
            await ingest(workspace, options.ingest)
        questions = [each.question for each in read_golden(options.questions).questions][
            : options.limit
        ]
        await workspace.ask(questions[0])
        found = []
        for question in questions:
            found.append(await after(workspace, question))
            if options.show:
                one = found[-1]
                print(question, "=>", one.answer.text[:80].replace("\n", " "))
                for each, answer, new in zip(one.made.questions, one.answers, one.new, strict=True):
                    mark = ("+" if answer.found else "-") + ("" if new else " (not new)")
                    print(f"   {mark} {each.question} => {answer.text[:80]!r}")
    answered = [value for each in found for value in each.answered]
    rows = {
        "questions": len(found),
        "suggestions": len(answered),
        "after each": len(answered) / len(found),
        "with any": share([bool(each.made.questions) for each in found]),
        "answered": share(answered),
        "same document": share([value for each in found for value in each.in_document]),
        "new": share([value for each in found for value in each.new]),
        "p50_ms": 1000 * median(each.seconds for each in found),
        "p95_ms": 1000 * sorted(each.seconds for each in found)[int(0.95 * (len(found) - 1))],
    }
    show(
        "Suggestions", ("figure", "value"), [(name, f"{value:.3f}") for name, value in rows.items()]
    )
    finish(rows, as_json=options.json)


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ingest", type=Path, default=EXAMPLES / "documents")
    parser.add_argument("--questions", type=Path, default=EXAMPLES / "golden.jsonl")
    parser.add_argument("--home", type=Path, default=None, help="Keep what was ingested here.")
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--show", action="store_true", help="Print every suggestion.")
    parser.add_argument("--json", action="store_true")
    asyncio.run(measure(parser.parse_args()))


if __name__ == "__main__":
    main()
