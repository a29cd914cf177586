"""Fits how likely a statement answers, by what the reader says of it and how the search found it.

    python bench/fit_reading.py --data ../shared/data/reading [--reader FILE] [--write]

Of each reading set the paragraphs that training keeps apart (every twentieth block of ten) are
searched by their own questions, the office papers' half to develop on by its questions, and the
papers of `training/written` that training keeps apart by some of theirs, half of them in several
languages at once, too; and again without the paragraph or the papers that answer. Questions that
the sets call impossible are asked too, and those of `siblings.py` to develop on, about what a
document has and what it has a sibling of. Fitted are three conditional logits with "none"
(`answering/answer_scoring.py`): over what is known of the eight passages, or sixteen of papers,
before they are read; over what is observed of each statement of those that are read, the most
promising first; and with what the reader says of the two likeliest as claims. They are judged in
five folds that share no paragraphs or papers. What the reader said and the vectors are kept in
files beside the models, so that a run that was ended goes on where it was. `--write` writes the
numbers where Footnote reads them, with the least probability that refuses .825 of the unanswerable
questions, in the mean of reading sets and papers, and the greatest below which no further passages
are read, for one in 100 of the right answers at most.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from footnote.answering.answer_features import ANSWER_FEATURES, Floats
from footnote.answering.answer_scoring import FILE, ConditionalLogit, observed
from footnote.answering.answer_selection import (
    LocatedAnswer,
    names_several,
    without_other_identifiers,
)
from footnote.answering.cite import Footnotes
from footnote.answering.reading import deduplicated, read_statements
from footnote.answering.reading_order import (
    MAX_PASSAGES,
    PASSAGE_FEATURES,
    passage_features,
    rank_for_reading,
)
from footnote.answering.sentences import Candidate, candidates_of
from footnote.answering.support_features import SUPPORT_FEATURES, decide
from footnote.index.analysis import TextAnalyzer
from footnote.models.embedder_specs import parse_spec
from footnote.models.embedders import EmbedderChoices, Embedders, opener
from footnote.models.readers import reader_from
from footnote.ports import Embedder
from footnote.settings import Settings
from reading import Asked
from reading_questions import (
    SETS,
    Question,
    RememberingReader,
    questions_of_mixed,
    questions_of_office,
    questions_of_set,
    questions_of_written,
)
from reading_sets import RememberingEmbedder
from reporting import finish, progress, show
from sibling_questions import questions_of_siblings

KEPT_EVERY = 50
"""Questions after which what was read is kept."""
FOLDS = 5
PENALTY = 3.0
"""Of the squared weights of features with unit variance."""
OFFICE_WEIGHT = 2.0
"""Of a question about office papers, of which there are few, beside one of a reading set."""
SIBLINGS = 300
"""Questions about what a document has, and what it has a sibling of."""
MIN_REFUSED = 0.825
"""Share of the unanswerable questions that are refused, in the mean of reading sets and papers,
whose questions are not made to ask for siblings or in another language. What was four of five while
questions that another paragraph answers were counted among them."""
MADE = ("siblings", "mixed")
"""Collections whose questions are harder than most that people ask: they choose no threshold."""
KEPT_RIGHT = 0.99
"""Share of the right answers that stay where nothing more is read once it is hardly likely."""
REFUSED = (0.8, 0.85, 0.9, 0.95)
"""Shares of unanswerable questions refused, at which right answers are counted."""
WRITTEN = Path(__file__).parent.parent / "src" / "footnote" / "answering" / FILE

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What is known of passages before they are read, or of the statements of those that were."""

    found: Sequence[LocatedAnswer]
    rows: Floats
    """Of `PASSAGE_FEATURES`, or of `ANSWER_FEATURES`."""
    right: Bools
    """Of each passage or statement."""
    decided: Floats
    """Of `SUPPORT_FEATURES`, whose likeliness is that of a fit to all examples."""

    def told(self, observed: ConditionalLogit) -> Floats:
        """`decided` with the likeliness by another fit."""
        return np.column_stack((observed.utilities(self.rows), self.decided[:, 1:]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A question, and what an answer would see of it, one stage after the other."""

    collection: str
    fold: int
    question: str
    answerable: bool
    stages: Sequence[Stage]


Best = Sequence[tuple[bool, float]]
"""Of each stage whether the likeliest statement is right, and how likely it is."""


def before_reading(question: Question) -> Example:
    """What is known of the passages."""
    asked = question.asked
    right = [
        any(is_right(asked, each) for each in candidates_of([item])) for item in asked.evidence
    ]
    rows = passage_features(asked.question, asked.evidence, TextAnalyzer())
    known = Stage(found=(), rows=rows, right=np.array(right), decided=np.empty(0))
    return Example(
        collection=question.collection,
        fold=int(hashlib.sha256(question.group.encode()).hexdigest(), 16) % FOLDS,
        question=asked.question,
        answerable=asked.answerable,
        stages=[known],
    )


async def example_of(
    question: Question,
    known: Example,
    promising: ConditionalLogit,
    reader: RememberingReader,
    embedder: Embedder,
) -> Example | None:
    """What is observed as an answer would be; None where no statement has a stretch."""
    asked, analyzer = question.asked, TextAnalyzer()
    order = rank_for_reading(asked.evidence, promising.utilities(known.stages[0].rows))
    stages: list[Stage] = []
    read: list[LocatedAnswer] = []
    several = names_several(asked.question, asked.evidence)
    for first, end in pairwise((0, *([MAX_PASSAGES] if several else order.ends))):
        read += await read_statements(reader, asked.question, order.evidence[first:end])
        about = without_other_identifiers(asked.question, deduplicated(read), asked.evidence)
        if not about:
            continue
        found, rows, _ = await observed(asked.question, about, asked.evidence, analyzer, embedder)
        right = np.array([is_right(asked, each.candidate) for each in found])
        unknown = np.zeros((len(found), len(SUPPORT_FEATURES)))
        stages.append(Stage(found=found, rows=rows, right=right, decided=unknown))
    return replace(known, stages=stages) if stages else None


def is_right(asked: Asked, each: Candidate) -> bool:
    """Whether a citation of the statement is one of the answer."""
    cited = Footnotes().citation(each.evidence.passage, each.start, each.end, None)
    return asked.answerable and asked.is_right(cited)


def fit(
    examples: Sequence[Example], names: Sequence[str], seen: Callable[[Stage], Floats]
) -> ConditionalLogit:
    """By expectation and Newton steps: where several statements are right, any of them may be it.

    The stages of a question share its weight. Those of answerable questions without a right
    statement among those observed teach nothing.
    """
    told = [
        (stage, (OFFICE_WEIGHT if each.collection == "office" else 1.0) / len(each.stages))
        for each in examples
        for stage in each.stages
        if stage.right.any() or not each.answerable
    ]
    rows = np.concatenate([seen(stage) for stage, _ in told])
    middle, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    inputs = np.c_[(rows - middle) / spread, np.ones(len(rows))]
    right = np.concatenate([stage.right for stage, _ in told]).astype(np.float64)
    of = np.repeat(np.arange(len(told)), [len(stage.right) for stage, _ in told])
    weight = np.array([each for _, each in told])[of]
    penalty = np.diag([*[PENALTY] * rows.shape[1], 0.0])
    weights = np.zeros(inputs.shape[1])
    for _ in range(100):
        odds = np.exp(np.clip(inputs @ weights, -40, 40))
        chance = odds / (1 + np.bincount(of, odds))[of]
        share = odds * right / np.maximum(np.bincount(of, odds * right), 1e-300)[of]
        weighed = inputs * (weight * chance)[:, None]
        means = np.zeros((len(told), inputs.shape[1]))
        np.add.at(means, of, inputs * (np.sqrt(weight) * chance)[:, None])
        curvature = weighed.T @ inputs - means.T @ means + penalty
        step = np.linalg.solve(
            curvature, inputs.T @ (weight * (share - chance)) - penalty @ weights
        )
        weights += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-6:
            break
    own = weights[:-1] / spread
    return ConditionalLogit(
        weights={name: round(float(each), 4) for name, each in zip(names, own, strict=True)},
        bias=round(float(weights[-1] - own @ middle), 4),
    )


def fit_promising(examples: Sequence[Example]) -> ConditionalLogit:
    """Over what is known of each passage."""
    return fit(examples, PASSAGE_FEATURES, lambda stage: stage.rows)


def fit_observed(examples: Sequence[Example]) -> ConditionalLogit:
    """Over what is observed of each statement."""
    return fit(examples, ANSWER_FEATURES, lambda stage: stage.rows)


async def with_decisions(
    examples: Sequence[Example], reader: RememberingReader
) -> AsyncIterator[Example]:
    """The same with what the reader says of the statements that are likeliest so far."""
    observed = fit_observed(examples)
    for each in examples:
        stages = [
            replace(
                stage,
                decided=await decide(
                    reader, each.question, stage.found, observed.utilities(stage.rows)
                ),
            )
            for stage in each.stages
        ]
        yield replace(each, stages=stages)


def best_of(example: Example, chances_of: Callable[[Stage], Floats]) -> Best:
    """The best statement of each stage."""
    found = []
    for stage in example.stages:
        chances = chances_of(stage)
        place = int(chances.argmax())
        found.append((bool(stage.right[place]), float(chances[place])))
    return found


def said(best: Best, least: float, undecided: float) -> tuple[bool, float]:
    """The statement that is said, the first that is likely enough; otherwise the last that is read:
    no more are where it is decided that they do not answer."""
    return next((each for each in best if not undecided <= each[1] < least), best[-1])


def judged_apart(examples: Sequence[Example]) -> dict[str, list[Best]]:
    """The best statements by the reader alone and by the two fits, in folds."""
    alone = [best_of(each, _as_read) for each in examples]
    found: dict[str, list[Best]] = {
        "by the reader": alone,
        "observed": list(alone),
        "decided": list(alone),
    }
    for fold in range(FOLDS):
        others = [each for each in examples if each.fold != fold]
        observed = fit_observed(others)
        decided = fit(others, SUPPORT_FEATURES, lambda stage, fitted=observed: stage.told(fitted))  # type: ignore[misc]  # a bound default has no declared type
        for at, each in enumerate(examples):
            if each.fold != fold:
                continue
            found["observed"][at] = best_of(
                each,
                lambda stage, fitted=observed: fitted.probabilities(stage.rows),  # type: ignore[misc]  # as above
            )
            found["decided"][at] = best_of(
                each,
                lambda stage, first=observed, last=decided: last.probabilities(stage.told(first)),  # type: ignore[misc]  # as above
            )
    return found


def _as_read(stage: Stage) -> Floats:
    return np.array([each.reader_probability for each in stage.found])


def figures(
    examples: Sequence[Example], best: Sequence[Best], undecided: float
) -> dict[str, float]:
    """How often the best is right, how well probabilities tell, and shares at shares refused."""
    answerable = np.array([each.answerable for each in examples])
    last = [each[-1] for each in best]
    right, chance = np.array([each for each, _ in last]), np.array([each for _, each in last])
    most = np.array([max(own for _, own in each) for each in best])
    found = {
        "questions": int(answerable.sum()),
        "best right": float(right[answerable].mean()),
        "AUC answerable": area(most[answerable], most[~answerable]),
        "AUC right": area(chance[right], chance[~right]),
        "Brier": float(((chance - right) ** 2).mean()),
    }
    for share in REFUSED:
        least = np.quantile(most[~answerable], share, method="higher") + 1e-9
        told = [
            said(each, least, undecided)
            for each, asked in zip(best, answerable, strict=True)
            if asked
        ]
        found[f"@{share:g}"] = float(
            np.mean([own and own_chance >= least for own, own_chance in told])
        )
    return {name: round(value, 3) for name, value in found.items()}


def shares(
    examples: Sequence[Example], best: Sequence[Best], least: float, undecided: float
) -> dict[str, float]:
    """Of what is answered and refused from a probability on, by the best statements."""
    said_of = [said(each, least, undecided) for each in best]
    told = [each for one, each in zip(examples, said_of, strict=True) if one.answerable]
    untold = [each[1] for one, each in zip(examples, said_of, strict=True) if not one.answerable]
    given = [right for right, chance in told if chance >= least]
    found = {
        "answered": len(given) / len(told),
        "right": sum(given) / len(told),
        "precision": float(np.mean(given)) if given else float("nan"),
        "refused": float(np.mean([chance < least for chance in untold])),
    }
    return {name: round(value, 3) for name, value in found.items()}


def area(above: Floats, below: Floats) -> float:
    """Under the receiver operating characteristic."""
    apart = above[:, None] - below[None, :]
    return float(((apart > 0) + 0.5 * (apart == 0)).mean())


def least_refusing(examples: Sequence[Example], best: Sequence[Best]) -> float:
    """The least probability, in hundredths, that refuses `MIN_REFUSED` in the mean."""
    for least in np.arange(0.01, 1.0, 0.01):
        found = [
            shares([examples[at] for at in places], [best[at] for at in places], least, 0.0)
            for _, places in collections_of(examples, *MADE)
        ]
        if np.mean([each["refused"] for each in found]) >= MIN_REFUSED:
            return round(float(least), 2)
    return 1.0


def most_undecided(examples: Sequence[Example], best: Sequence[Best], least: float) -> float:
    """The greatest probability, in hundredths, below which no further passages are read and
    `KEPT_RIGHT` of the right answers stay, in the mean of the two collections."""

    def right(undecided: float) -> float:
        found = [
            shares([examples[at] for at in places], [best[at] for at in places], least, undecided)
            for _, places in collections_of(examples, *MADE)
        ]
        return float(np.mean([each["right"] for each in found]))

    whole, undecided = right(0.0), 0.0
    while undecided < least and right(undecided + 0.01) >= KEPT_RIGHT * whole:
        undecided += 0.01
    return round(undecided, 2)


def collections_of(examples: Sequence[Example], *without: str) -> Iterator[tuple[str, list[int]]]:
    """The places of each collection's examples."""
    for name in dict.fromkeys(each.collection for each in examples):
        if name not in without:
            yield name, [at for at, each in enumerate(examples) if each.collection == name]


async def gathered(options: argparse.Namespace) -> tuple[list[Example], ConditionalLogit]:
    """Search, read and observe; and the fit that says what is read first."""
    choices = EmbedderChoices(
        models_folder=options.models, precision="int8", threads=0, batch_tokens=8192
    )
    embedder = RememberingEmbedder(
        await Embedders(specs=(parse_spec("multilingual"),), open=opener(choices)).primary(),
        options.models,
    )
    opened = reader_from(str(options.reader or "packaged"), models_folder=options.models, threads=0)
    if opened is None:
        raise SystemExit("there are no weights; name a file with --reader")
    name = (await opened.opened()).name
    reader = RememberingReader(opened, options.models / f"read-and-judged-by-{name}.pickle")
    examples: list[Example] = []
    with progress() as bars:
        questions = await questions_of_office(options.models)
        questions += await questions_of_written(options.models)
        questions += await questions_of_mixed(options.models)
        for name, count in bars.track(SETS.items(), description="Searching"):
            questions += await questions_of_set(options.data, name, count, embedder)
        questions += [
            Question(collection="siblings", group=each.family, asked=each.asked)
            for each in await questions_of_siblings("development", embedder, SIBLINGS)
        ]
        known = [before_reading(each) for each in questions]
        first = fit_promising(known)
        apart = [
            fit_promising([each for each in known if each.fold != fold]) for fold in range(FOLDS)
        ]
        for at, each in enumerate(bars.track(questions, description="Reading")):
            own = known[at]
            example = await example_of(each, own, apart[own.fold], reader, embedder)
            examples += [] if example is None else [example]
            if at % KEPT_EVERY == 0:
                reader.keep()
                embedder.keep()
                if not bars.console.is_terminal:
                    bars.console.print(f"Read {at} of {len(questions)} questions")
        told = []
        task = bars.add_task("Judging", total=len(examples))
        async for decided in with_decisions(examples, reader):
            told.append(decided)
            bars.advance(task)
            if len(told) % KEPT_EVERY == 0:
                reader.keep()
    reader.keep()
    embedder.keep()
    await opened.close()
    return told, first


async def main() -> None:
    """Read, fit and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the reading sets")
    parser.add_argument("--models", type=Path, default=Settings().home / "models")
    parser.add_argument("--reader", type=Path, help="weights of another reader")
    parser.add_argument(
        "--write", action="store_true", help="write the numbers where they are read"
    )
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args()
    examples, promising = await gathered(options)
    apart = judged_apart(examples)
    least = least_refusing(examples, apart["decided"])
    undecided = most_undecided(examples, apart["decided"], least)
    rows, report = [], {}
    for name, places in collections_of(examples):
        own = [examples[at] for at in places]
        for how, best in apart.items():
            told = figures(own, [best[at] for at in places], undecided)
            report[f"{name}, {how}"] = told
            rows.append([f"{name}, {how}", *(f"{value:g}" for value in told.values())])
    show("The best statement, judged apart from the fit", ["", *told], rows)
    rows = []
    for name, places in collections_of(examples):
        own, best = [examples[at] for at in places], [apart["decided"][at] for at in places]
        report[f"{name}, from {least:g}"] = shared = shares(own, best, least, undecided)
        rows.append([name, *(f"{value:g}" for value in shared.values())])
    show(f"From a probability of {least:g}", ["", *shared], rows)
    first = fit_observed(examples)
    last = fit(examples, SUPPORT_FEATURES, lambda stage: stage.told(first))
    written = {
        "promising": asdict(promising),
        "observed": asdict(first),
        "decided": asdict(last),
        "least": least,
        "undecided": undecided,
    }
    print(json.dumps(written, indent=1))
    if options.write:
        WRITTEN.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    finish({**report, **written}, options.json)


if __name__ == "__main__":
    asyncio.run(main())
