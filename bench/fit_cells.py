"""Fit how likely a column is asked for, by what the reader and the column's model say of it.

    python bench/fit_cells.py [--reader FILE]

Questions for one cell of a row that they name, about the tables of `cells/` whose half is `to fit`:
a multinomial logistic regression with three weights (`footnote.answering.cell_selection`), by
Newton's method. The other halves are in no fit.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from footnote.answering import cell_selection
from footnote.answering.cell_selection import ColumnScores, match_rows, read_columns
from footnote.answering.tables import holds_table
from footnote.answering.titles import Terms
from footnote.domain import Evidence, SearchRequest
from footnote.engine import Engine
from footnote.jobs.inline import work_until_resting
from installation import MODELS, bench_engine
from reporting import finish, progress, show
from totals import CELLS

ROUNDS, RIDGE = 50, 1e-2
SAID_FROM = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""Probabilities from which a cell could be said where nothing was read (`MIN_CELL`)."""
ABSENT = 0.2
"""Of questions about a row that it names, whose answer is in no column; more are in the fit."""
Features = npt.NDArray[np.float64]
"""Of each column and of none: the score, the logarithm of the chance, and one for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideTables:
    """A question of a set, with the tables that a search finds for it."""

    file: str
    kind: str
    question: str
    value: str
    tables: Sequence[Evidence]
    terms: Terms


async def beside_tables(engine: Engine, folder: Path, half: str) -> AsyncIterator[BesideTables]:
    """The questions of a half, each about its file in a workspace of its own.

    Those for which no table is found are left out.
    """
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [each for each in map(json.loads, lines) if each["half"] == half]
    for name in dict.fromkeys(each["file"] for each in asked):
        called = re.sub(r"[^\w.]+|_", "-", f"{folder.name}-{half}-{name}")
        workspace = await engine.workspace((await engine.create_workspace(called)).name)
        received = await workspace.receive((folder / name).read_bytes(), name, external_id=name)
        whose = [received.document.document_id]
        await work_until_resting(engine, workspace, whose, lambda _: None)
        own = [each for each in asked if each["file"] == name]
        with progress() as bars:
            for each in bars.track(own, description=name):
                response = await workspace.search(SearchRequest(query=each["question"]))
                tables = [one for one in response.evidence if holds_table(one)]
                if tables:
                    language = tables[0].passage.language
                    yield BesideTables(
                        file=called,
                        kind=each["kind"],
                        question=each["question"],
                        value=each["value"],
                        tables=tables,
                        terms=partial(engine.analyzer.terms, language=language),
                    )


async def rows_read(models: Path, reader: str) -> list[tuple[ColumnScores, int]]:
    """What is said of each row that a question names, and which column is asked for."""
    found = []
    async with bench_engine(models, None, reader=reader) as engine:
        reads = engine.reader
        assert reads is not None, "it is read with the packaged reader, or one that is named"
        async for each in beside_tables(engine, CELLS, "to fit"):
            named = list(match_rows(each.question, each.tables, each.terms))
            if len(named) != 1:
                continue
            cells = [cell.text for cell in named[0].row.cells[1:]]
            if each.kind == "cell" and each.value not in cells:
                continue
            scores = await read_columns(reads, reads, each.question, named[0])
            if scores is not None:
                wanted = cells.index(each.value) if each.value else len(cells)
                found.append((scores, wanted))
    return found


def features_of(columns: ColumnScores) -> Features:
    """What the three weights are of, for each column and for none; see `ColumnScores`."""
    least = cell_selection.MIN_CHANCE
    chances = np.log(np.maximum([*columns.chances, columns.none], least))
    none = np.zeros(len(chances))
    none[-1] = 1
    return np.stack([np.array([*columns.scores, 0.0]), chances, none], axis=1)


def fitted(rows: list[tuple[Features, int]], ridge: float = RIDGE) -> Features:
    """The weights that make what is asked for likeliest."""
    count = rows[0][0].shape[1]
    weights = np.zeros(count)
    for _ in range(ROUNDS):
        gradient, curvature = -ridge * weights, ridge * np.eye(count)
        for features, wanted in rows:
            odds = features @ weights
            chances = np.exp(odds - odds.max())
            chances /= chances.sum()
            mean = chances @ features
            gradient += features[wanted] - mean
            curvature += (features * chances[:, None]).T @ features - np.outer(mean, mean)
        weights = weights + np.linalg.solve(curvature, gradient)
    return weights


def main() -> None:
    """Fit, and print the weights and how often the likeliest column is right."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("--reader", default="packaged", help="a file of weights")
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args()
    read = asyncio.run(rows_read(options.models, options.reader))
    rows = [(features_of(columns), wanted) for columns, wanted in read]
    weights = fitted(rows)
    absent = sum(wanted == len(features) - 1 for features, wanted in rows) / len(rows)
    weights[2] += np.log(ABSENT / (1 - ABSENT)) - np.log(absent / (1 - absent))
    named = dict(zip(("BY_READING", "BY_TITLE", "FOR_NONE"), weights.round(2), strict=True))
    likeliest = []
    for features, wanted in rows:
        chances = np.exp(features @ weights)
        best = int(chances.argmax())
        likeliest.append((best, wanted, len(features), chances[best] / chances.sum()))
    right = sum(best == wanted for best, wanted, _, _ in likeliest)
    wrong = sum(best not in (wanted, count - 1) for best, wanted, count, _ in likeliest)
    show(f"{len(rows)} rows", ["weight", ""], [[name, f"{each}"] for name, each in named.items()])
    print(f"right {right}, another column {wrong}")
    said = []
    for least in SAID_FROM:
        cells = [each[:2] for each in likeliest if each[0] != each[2] - 1 and each[3] >= least]
        hits = sum(best == wanted for best, wanted in cells)
        said.append({"from": least, "right": hits, "wrong": len(cells) - hits})
    show("Cells said from a probability", [*said[0]], [[*map(str, each.values())] for each in said])
    finish({**named, "rows": len(rows), "right": right, "wrong": wrong, "said": said}, options.json)


if __name__ == "__main__":
    main()
