"""Measure how far the support of an answer's sentences tells true statements from false ones.

Statements are those of `grounding_sets`, each with the quotes that it cites, checked as those of an
answer are. Verbatim ones are left out: they are all right, and easy. Halves of the articles are
printed apart, since reader and thresholds may be looked at on the first one.

    python bench/grounding.py --data ../shared/data [--reader packaged]
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import numpy as np

from footnote.answering.grounding import SupportGrounder
from footnote.answering.support import PARTLY, SUPPORTED, confidence_of
from footnote.domain import AnswerSentence, Citation, Evidence
from footnote.index.analysis import TextAnalyzer
from footnote.models.reader_roles import ReaderJudge
from footnote.models.readers import reader_from
from grounding_sets import FALSE_FORMS, TRUE_FORMS, Statement, crossed, read_set, statements_of
from logistic import area_under_curve
from reading_sets import Floats, passage_of

LANGUAGES = ("en", "de", "es", "zh")
LONGEST_ANSWER = 5
ANSWERS = 4000
"""Answers put together of held-out statements, to judge the confidence by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A statement that is not verbatim, and its support."""

    made: Statement
    support: float


def cited(made: Statement, first: int) -> tuple[list[Citation], list[Evidence]]:
    """The quotes of a statement as citations, numbered from `first`."""
    citations, evidence = [], []
    places = zip(made.quotes, [*made.around, made.around[-1]], strict=False)
    for number, (quote, around) in enumerate(places, start=1):
        passage = passage_of(f"{made.title}-{number}", number, made.title, around, made.language)
        evidence.append(Evidence(passage=passage, rank=1, score=0.0))
        start = max(0, around.find(quote))
        citations.append(
            Citation(
                marker=first + number - 1,
                chunk_id=passage.chunk_id,
                document_id=uuid5(NAMESPACE_URL, made.title),
                document_title=made.title,
                filename="",
                heading_path=(),
                page=None,
                paragraph=1,
                quote=quote,
                char_start=start,
                char_end=start + len(quote),
            )
        )
    return citations, evidence


async def supports_of(made: Sequence[Statement], ground: SupportGrounder) -> list[Judged]:
    """Each statement by itself, as one sentence of an answer."""
    found = []
    for each in made:
        citations, evidence = cited(each, 1)
        markers = tuple(citation.marker for citation in citations)
        sentence = AnswerSentence(text=each.text, markers=markers, support=0.0)
        checked = await ground([sentence], citations, evidence)
        if checked.degraded:
            raise SystemExit(f"not judged: {checked.degraded[0]}")
        if checked.sentences[0].support < 1.0:
            found.append(Judged(made=each, support=checked.sentences[0].support))
    return found


def calibration_error(chances: Floats, true: np.ndarray) -> float:
    """Expected calibration error over ten bins of equal width."""
    bins = np.minimum((chances * 10).astype(int), 9)
    return float(
        sum(
            abs(chances[bins == each].mean() - true[bins == each].mean()) * (bins == each).mean()
            for each in np.unique(bins)
        )
    )


def report(name: str, judged: Sequence[Judged]) -> None:
    """AUC, balanced accuracy and calibration of each half, and what becomes of each form."""
    for half in (False, True):
        own = [each for each in judged if each.made.held_out == half]
        chances = np.array([each.support for each in own])
        true = np.array([each.made.true for each in own])
        balanced = ((chances[true] >= SUPPORTED).mean() + (chances[~true] < SUPPORTED).mean()) / 2
        print(
            f"{name}, {'held out' if half else 'other half'}: {len(own)} statements, "
            f"AUC {area_under_curve(chances[true], chances[~true]):.3f}, "
            f"balanced accuracy {balanced:.3f}, "
            f"calibration error {calibration_error(chances, true):.3f}"
        )
    held = [each for each in judged if each.made.held_out]
    for form in (*TRUE_FORMS, *FALSE_FORMS):
        chances = np.array([each.support for each in held if each.made.form == form])
        if len(chances):
            shares = (chances >= SUPPORTED).mean(), (chances >= PARTLY).mean()
            print(
                f"  {form}: {len(chances)}, supported {shares[0]:.0%}, "
                f"partly {shares[1] - shares[0]:.0%}, unsupported {1 - shares[1]:.0%}"
            )


def report_confidence(judged: Sequence[Judged]) -> None:
    """How likely answers put together of held-out statements hold, by their confidence."""
    draw = random.Random(0)
    held = [each for each in judged if each.made.held_out]
    sides = {side: [each for each in held if each.made.true == side] for side in (True, False)}
    chances, holds = [], []
    for number in range(ANSWERS):
        share = (0.5, 0.8, 0.95)[number % 3]
        size = draw.randint(1, LONGEST_ANSWER)
        own = [draw.choice(sides[draw.random() < share]) for _ in range(size)]
        chances.append(confidence_of([each.support for each in own], 0))
        holds.append(all(each.made.true for each in own))
    likely, true = np.array(chances), np.array(holds)
    print(
        f"confidence of {ANSWERS} answers, {true.mean():.0%} of which hold: "
        f"AUC {area_under_curve(likely[true], likely[~true]):.3f}, "
        f"calibration error {calibration_error(likely, true):.3f}"
    )


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds xquad-*")
    parser.add_argument("--reader", default="packaged", help="weights that judge")
    parser.add_argument("--limit", type=int, help="statements of each language; default: all")
    parser.add_argument(
        "--models",
        type=Path,
        default=Path(tempfile.gettempdir()) / "footnote-bench",
        help="folder of built models",
    )
    options = parser.parse_args()
    reader = reader_from(options.reader, models_folder=options.models, threads=2)
    if reader is None:
        raise SystemExit(f"{options.reader} is no reader that judges")
    ground = SupportGrounder(analyzer=TextAnalyzer(), judge=ReaderJudge(reader=reader))
    asked = {each: read_set(options.data / f"xquad-{each}") for each in LANGUAGES}
    sets = {each: statements_of(items, each, 1, seed=0) for each, items in asked.items()}
    sets["statement and quote in different languages"] = [
        *(
            moved
            for language in ("de", "es", "zh")
            for moved in crossed(sets[language], asked[language], asked["en"], "en")
        ),
        *crossed(sets["en"], asked["en"], asked["de"], "de"),
    ]
    everything = []
    for name, made in sets.items():
        chosen = random.Random(0).sample(made, min(options.limit or len(made), len(made)))
        judged = await supports_of(chosen, ground)
        report(name, judged)
        everything += judged if name in LANGUAGES else []
    report_confidence(everything)
    await reader.close()


if __name__ == "__main__":
    asyncio.run(main())
