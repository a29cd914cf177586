"""What a search finds in workspaces of several languages, and the fit of how it does.

    python bench/mixed.py [--workspaces 60] [--fit] [--json]

Workspaces of 12 to 40 of the papers of `training/written`, half to seven eighths of them in one
language and the others in one to four more, are searched by up to 35 questions in their paper's
language and 57 in another. Told is the share of questions whose passage is among the first 1, 4, 10
and 16, without and with the look for passages in other languages (`across_languages`): of those in
their paper's language, of those in the workspace's main language about a paper in another, and of
all others. No embedder was trained on these papers. `--fit` fits the numbers of
`retrieval/cross_lingual.py` as a conditional logit over the passages that are found, a question in
its paper's language counting four times, in five folds of workspaces, and prints them with the
shares that they give.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np

from footnote.domain import Evidence, PlanChanges, SearchRequest
from footnote.engine import WorkspaceEngine
from footnote.jobs.inline import work_until_resting
from footnote.retrieval.cross_lingual import LANGUAGES, MIN_SIMILARITY
from installation import MODELS, bench_engine
from reading_sets import Floats
from reporting import finish, machine, progress, show

TRAINING = Path(__file__).parent.parent / "training"
SEED = 11
MAIN = ("en", "en", "en", "de", "de", "es", "fr")
"""Main languages, as often as each is drawn."""
OTHERS = {"en": 6.0, "de": 5.0, "es": 2.0, "fr": 2.0, "zh": 1.0, "it": 1.0}
"""How often each further language is drawn; any other by `RARELY`."""
RARELY = 0.4
DEPTH = 100
CUTOFFS = (1, 4, 10, 16)
KINDS = ("own language", "main language, another paper's", "third language")
MOST = (35, 45, 12)
"""Questions of a workspace of each kind."""
FOLDS = 5
PENALTY = 0.5
OWN_WEIGHT = 4.0
"""Of a question in its paper's language in the fit: people mostly ask for what is in theirs."""
FEATURES = ("own score", "another language", "similarity", "rank", "said")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question about a paper: in which language, and the quote, its stretch and the file that
    answer."""

    text: str
    language: str
    quote: str
    answer: str = ""
    filename: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A written paper, in a language, with its questions."""

    name: str
    language: str
    text: str
    asked: Sequence[Asked]
    unanswered: Sequence[str]
    """Questions in its language that nothing in it answers."""
    kept_apart: bool
    """Whether no reader was trained on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """Where the passage of a question stood without and with the stage, and what the fit sees."""

    workspace: int
    kind: str
    without: int
    """From 0; `DEPTH` where it was not found."""
    with_it: int
    rows: Floats
    """`FEATURES` of each passage, shape (passages, features)."""
    right: np.ndarray
    """Of each passage whether it answers."""


def papers() -> list[Paper]:
    """Those of `training/written` that are in no collection, where others may answer as well."""
    sys.path.append(str(TRAINING))
    from written_papers import FOLDER, papers_of  # noqa: PLC0415  # training is no package of ours

    asked = re.compile(r"\?(?P<language>[a-z]{2,3})?\s+(?P<question>.+?)\s*=>\s*(?P<answer>.+)")
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        written = path.read_text(encoding="utf-8")
        if written.startswith("@@@@"):
            continue
        sections = re.split(r"^@@@ ", written, flags=re.MULTILINE)[1:]
        for paper, section in zip(papers_of(written, path.name), sections, strict=True):
            quote, questions = "", []
            for line in section.partition("\n%%%\n")[2].splitlines():
                if line.startswith(">"):
                    quote = line[1:].strip()
                elif match := asked.match(line.strip()):
                    language = match["language"] or paper.language
                    questions.append(
                        Asked(
                            text=match["question"],
                            language=language,
                            quote=quote,
                            answer=match["answer"].strip(),
                        )
                    )
            found.append(
                Paper(
                    name=paper.title,
                    language=paper.language,
                    text=f"# {paper.title}\n\n{paper.text}\n",
                    asked=questions,
                    unanswered=[each for fact in paper.facts for each in fact.unanswered],
                    kept_apart=paper.kept_apart,
                )
            )
    return found


def is_to_fit(paper: Paper) -> bool:
    """Whether answers are fitted to questions about it; those about the others are only run."""
    return int(sha256(f"half {paper.name}".encode()).hexdigest(), 16) % 2 == 0


def drawn(
    of_language: Mapping[str, Sequence[Paper]], draw: random.Random
) -> tuple[str, list[Paper]]:
    """A workspace's main language and its papers, each once."""
    main, size, share = draw.choice(MAIN), draw.choice((12, 24, 40)), draw.choice((0.5, 0.7, 0.85))
    others = [each for each, those in of_language.items() if each != main and len(those) > 2]
    further = draw.choices(
        others, [OTHERS.get(each, RARELY) for each in others], k=draw.choice((1, 2, 4))
    )
    there = of_language[main]
    chosen = draw.sample(there, min(round(size * share), len(there)))
    while len(chosen) < size:
        chosen.append(draw.choice(of_language[draw.choice(further)]))
    return main, list({each.name: each for each in chosen}.values())


def questions(
    main: str, chosen: Sequence[Paper], draw: random.Random, most: Sequence[int] = MOST
) -> Iterator[tuple[str, Asked]]:
    """Some questions about the papers, each with its kind; at most so many of each of `KINDS`."""
    of_kind: dict[str, list[Asked]] = defaultdict(list)
    for number, paper in enumerate(chosen):
        for each in paper.asked:
            own, across, third = KINDS
            kind = own if each.language == paper.language else across
            kind = kind if kind == own or each.language == main else third
            of_kind[kind].append(replace(each, filename=f"paper-{number:02}.md"))
    for kind, count in zip(KINDS, most, strict=True):
        those = of_kind[kind]
        yield from ((kind, each) for each in draw.sample(those, min(count, len(those))))


async def searched(
    workspace: WorkspaceEngine, number: int, kind: str, asked: Asked
) -> Searched | None:
    """Both searches of a question; None where its passage is not found at all."""
    found = []
    for across in (False, True):
        request = SearchRequest(
            query=asked.text, top_k=DEPTH, changes=PlanChanges(across_languages=across)
        )
        found.append((await workspace.search(request)).evidence)
    known = {each.passage.chunk_no: each for each in found[1]}
    known |= {each.passage.chunk_no: each for each in found[0]}
    places = [_place(asked, each) for each in found]
    right = np.array([_answers(asked, each) for each in known.values()])
    if not right.any():
        return None
    rows = _rows(found[0], found[1], list(known))
    return Searched(
        workspace=number,
        kind=kind,
        without=places[0],
        with_it=places[1],
        rows=rows,
        right=right,
    )


def _answers(asked: Asked, each: Evidence) -> bool:
    return each.passage.filename == asked.filename and asked.quote in each.passage.text


def _place(asked: Asked, found: Sequence[Evidence]) -> int:
    return next((n for n, each in enumerate(found) if _answers(asked, each)), DEPTH)


def _rows(
    without: Sequence[Evidence], with_it: Sequence[Evidence], numbers: Sequence[int]
) -> Floats:
    """What the fit sees: of a passage in the question's language its score, of another what else
    is known of it."""
    plain = {each.passage.chunk_no: each for each in without}
    looked = {each.passage.chunk_no: each for each in with_it}
    dense = [
        record.score_after
        for each in without
        for record in each.explanation
        if record.stage == "dense"
    ]
    best = max(MIN_SIMILARITY, *dense, 0.0)
    rows = []
    for number in numbers:
        stages = {
            record.stage: record
            for record in (looked[number].explanation if number in looked else ())
        }
        own = plain.get(number)
        if (record := stages.get(LANGUAGES)) is None:
            rows.append([own.score if own is not None else 0.0, 0.0, 0.0, 0.0, 0.0])
            continue
        said = 0.0
        if own is not None:
            fused = next(each for each in own.explanation if "dense_weight" in each.detail)
            said = float(fused.detail.get("lexical", 0.0) or 0.0)
        alike = max(0.0, record.score_after) / best
        rows.append([0.0, 1.0, min(1.0, alike), math.log(record.rank_after), said])
    return np.array(rows)


def chances(utilities: Floats) -> Floats:
    """Of one of them each; they sum up to 1."""
    odds = np.exp(utilities - utilities.max())
    return np.asarray(odds / odds.sum())


def fitted(examples: Sequence[Searched]) -> Floats:
    """Weights of `FEATURES` by Newton's method on the likelihood of a passage that answers."""
    weights = np.zeros(len(FEATURES))
    for _ in range(60):
        slope, curve = PENALTY * weights, PENALTY * np.eye(len(FEATURES))
        for each in examples:
            counts = OWN_WEIGHT if each.kind == KINDS[0] else 1.0
            chance, own = chances(each.rows @ weights), each.rows[each.right]
            mean = chance @ each.rows
            slope += counts * (mean - chances(own @ weights) @ own)
            centred = each.rows - mean
            curve += counts * (centred * chance[:, None]).T @ centred
        step = np.linalg.solve(curve, slope)
        # Several passages may answer, so that it is not concave: no stride is a long one.
        step /= max(1.0, float(np.abs(step).max()))
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def shares(places: Sequence[int]) -> str:
    """Of so many the share among the first of each cut-off."""
    held = np.array(places)
    return f"{len(places)}: " + " ".join(f"{(held < cut).mean():.3f}" for cut in CUTOFFS)


def by_kind(examples: Sequence[Searched], places: Sequence[int]) -> list[str]:
    """The shares of each kind."""
    return [
        shares([at for at, each in zip(places, examples, strict=True) if each.kind == kind])
        for kind in KINDS
    ]


def placed(each: Searched, weights: Floats) -> int:
    """Where the first passage that answers stands by these weights."""
    order = np.argsort(-(each.rows @ weights), kind="stable")
    return int(np.nonzero(each.right[order])[0][0])


async def main() -> None:
    """Search, count and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workspaces", type=int, default=60)
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("--fit", action="store_true", help="fit the numbers anew")
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args()
    draw = random.Random(SEED)
    of_language: dict[str, list[Paper]] = defaultdict(list)
    for each in papers():
        of_language[each.language].append(each)
    examples: list[Searched] = []
    async with bench_engine(options.models, None, reader="none") as engine:
        with progress() as bars:
            for number in bars.track(range(options.workspaces), description="workspaces"):
                language, chosen = drawn(of_language, draw)
                name = (await engine.create_workspace(f"mixed-{number}")).name
                workspace = await engine.workspace(name)
                received = [
                    await workspace.receive(each.text.encode(), f"paper-{place:02}.md")
                    for place, each in enumerate(chosen)
                ]
                ids = [each.document.document_id for each in received]
                await work_until_resting(engine, workspace, ids, lambda _: None)
                for kind, asked in questions(language, chosen, draw):
                    if (found := await searched(workspace, number, kind, asked)) is not None:
                        examples.append(found)
    table = [
        ["without", *by_kind(examples, [each.without for each in examples])],
        ["with", *by_kind(examples, [each.with_it for each in examples])],
    ]
    report: dict[str, object] = {"machine": machine()}
    if options.fit:
        folds = []
        for fold in range(FOLDS):
            rest = [each for each in examples if each.workspace % FOLDS != fold]
            folds.append(fitted(rest))
        held = [placed(each, folds[each.workspace % FOLDS]) for each in examples]
        table.append(["fitted, in folds", *by_kind(examples, held)])
        whole = fitted(examples)
        scaled = {
            name: round(float(weight / whole[0]), 3)
            for name, weight in zip(FEATURES[1:], whole[1:], strict=True)
        }
        report["fitted"] = scaled
        show(
            "for each unit of a score of its own language",
            FEATURES[1:],
            [[f"{each:.3f}" for each in scaled.values()]],
        )
    report["table"] = table
    show("questions: among the first 1, 4, 10 and 16", ("", *KINDS), table)
    finish(report, options.json)


if __name__ == "__main__":
    asyncio.run(main())
