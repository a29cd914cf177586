"""How sure answers are about a thing that no document speaks of, though one speaks of its sibling.

    python bench/siblings.py [--half development] [--questions 300] [--outcomes FILE]

"Are cats allowed?" asked of "Dogs are allowed on Fridays." has no answer; the same about dogs has.
The families of questions are in two halves, one to develop on, the other only to be run. Of what
is there, also under another name, is told how much is answered and from the right document; of
what is absent how much is answered at all, and how much with a confidence of .5 and of .9. What
the models said is kept in files beside them, as by `fit_reading.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from footnote.answering import ReaderAnswerer
from footnote.answering.answer_scoring import LogitAnswerScorer, fitted
from footnote.domain import Answer
from footnote.index.analysis import TextAnalyzer
from footnote.models.embedder_specs import parse_spec
from footnote.models.embedders import EmbedderChoices, Embedders, opener
from footnote.models.readers import reader_from
from footnote.settings import Settings
from reading import HALVES, share
from reading_questions import RememberingReader
from reading_sets import RememberingEmbedder
from reporting import finish, progress, show
from sibling_questions import SiblingQuestion, questions_of_siblings

NAMES = ("there", "right", "other name", "right of it", "absent", "answered", "from .5", "from .9")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a question."""

    question: SiblingQuestion
    answer: Answer

    @property
    def right(self) -> bool:
        """Whether it is answered from the right document."""
        asked = self.question.asked
        return self.answer.found and all(map(asked.is_right, self.answer.citations))


def figures(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """By name, in the order of `NAMES`."""
    told = {
        about: [each for each in outcomes if each.question.about == about]
        for about in ("there", "other name", "absent")
    }
    absent = told["absent"]
    return {
        "there": len(told["there"]),
        "right": share(each.right for each in told["there"]),
        "other name": len(told["other name"]),
        "right of it": share(each.right for each in told["other name"]),
        "absent": len(absent),
        "answered": share(each.answer.found for each in absent),
        "from .5": share(each.answer.found and each.answer.confidence >= 0.5 for each in absent),
        "from .9": share(each.answer.found and each.answer.confidence >= 0.9 for each in absent),
    }


def line(outcome: Outcome) -> str:
    """What came of a question, for whoever develops."""
    question, answer = outcome.question, outcome.answer
    return json.dumps(
        {
            "family": question.family,
            "languages": question.languages,
            "about": question.about,
            "question": question.asked.question,
            "found": answer.found,
            "right": outcome.right,
            "confidence": round(answer.confidence, 3),
            "text": answer.text,
        },
        ensure_ascii=False,
    )


async def outcomes_of(options: argparse.Namespace) -> list[Outcome]:
    """Every question asked of the answerer that ships."""
    choices = EmbedderChoices(
        models_folder=options.models, precision="int8", threads=0, batch_tokens=8192
    )
    embedder = RememberingEmbedder(
        await Embedders(specs=(parse_spec("multilingual"),), open=opener(choices)).primary(),
        options.models,
    )
    opened = reader_from("packaged", models_folder=options.models, threads=0)
    if opened is None:
        raise SystemExit("there are no weights of a reader; install footnote-models")
    name = (await opened.opened()).name
    reader = RememberingReader(opened, options.models / f"read-and-judged-by-{name}.pickle")
    analyzer = TextAnalyzer()
    answerer = ReaderAnswerer(
        reader=reader,
        analyzer=analyzer,
        least_answerability=fitted().least,
        undecided=fitted().undecided,
        weigh=LogitAnswerScorer(
            reader=reader, embedder=embedder, analyzer=analyzer, coefficients=fitted()
        ),
    )
    questions = await questions_of_siblings(options.half, embedder, options.questions)
    outcomes = []
    with progress() as bars:
        for each in bars.track(questions, description="Asking"):
            answer = await answerer(each.asked.question, each.asked.evidence)
            outcomes.append(Outcome(question=each, answer=answer))
    reader.keep()
    embedder.keep()
    await opened.close()
    return outcomes


def main() -> None:
    """Ask, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=HALVES, default=HALVES[0])
    parser.add_argument("--questions", type=int, default=300, help="drawn from those of a half")
    parser.add_argument("--models", type=Path, default=Settings().home / "models")
    parser.add_argument("--outcomes", type=Path, help="write what came of the half to develop on")
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args()
    outcomes = asyncio.run(outcomes_of(options))
    if options.outcomes is not None and options.half == HALVES[0]:
        options.outcomes.write_text("\n".join(map(line, outcomes)), encoding="utf-8")
    groups = {"all": outcomes}
    for each in outcomes:
        for name in (each.question.languages, each.question.kind):
            groups.setdefault(name, []).append(each)
    report = {name: figures(group) for name, group in groups.items()}
    rows = [[name, *(f"{value:g}" for value in told.values())] for name, told in report.items()]
    show(f"Things that are there and things that are not, {options.half}", ["", *NAMES], rows)
    finish(dict(report), options.json)


if __name__ == "__main__":
    main()
