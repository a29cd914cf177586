"""Fit what a question asks of several rows that it names by what their cells say.

    python bench/fit_groups.py [--reader FILE]

Questions that name several rows of the tables of `groups/` and `cells/` whose half is `to fit`, and
of `cells/` and `totals/` to develop on: a multinomial logistic regression over what
`footnote.answering.row_group_answers` knows of each thing that may be asked, by Newton's method.
How often the likeliest is right is told of eight folds that share no table, beside the model alone.
The halves that are only run are in no fit.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fit_cells import Features, beside_tables, fitted
from footnote.answering.row_group_answers import (
    ANSWER_TYPES,
    LIST,
    OTHER,
    features,
    link_row_group,
    may_name,
)
from footnote.answering.schema_linking import LinkedQuestion
from footnote.answering.tables import tables_of
from footnote.answering.titles import with_plain_titles
from footnote.ports import Operation, TableOperationPrediction
from installation import MODELS, bench_engine
from reporting import finish, show
from totals import ALONE, CELLS, GROUPS

FOLDS, RIDGE = 8, 1.0
FITTED = ((GROUPS, "to fit"), (CELLS, "to fit"), (CELLS, "development"), (ALONE, "development"))
WANTED = {
    **dict.fromkeys(("cell", "absent", "prose"), 0),
    "list": LIST,
    "end": ANSWER_TYPES.index(frozenset((Operation.LARGEST, Operation.SMALLEST))),
    "calculation": OTHER,
    **{each.value: at for at, form in enumerate(ANSWER_TYPES) for each in form},
}
"""Which of `FORMS` a question of a kind asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A question that names several rows of a table."""

    file: str
    prediction: TableOperationPrediction
    features: Features
    """Of `FORMS`, without the names of the rows where they cannot be asked for."""
    wanted: int
    """Which of these."""
    asks: frozenset[Operation]


async def examples_of(models: Path, reader: str) -> list[Example]:
    """What is known of each question beside the table that it leaves the fewest words of."""
    found = []
    async with bench_engine(models, None, reader=reader) as engine:
        reads = engine.reader
        assert reads is not None, "it is read with the packaged reader, or one that is named"
        for folder, half in FITTED:
            async for each in beside_tables(engine, folder, half):
                groups = (
                    link_row_group(each.question, one, each.terms) for one in tables_of(each.tables)
                )
                named = [one for one in groups if one is not None]
                if not named or each.kind not in WANTED:
                    continue
                best = min(named, key=lambda one: len(one.unlinked_words))
                question = with_plain_titles(each.question, best.table.header)
                prediction = await reads.predict_operation(question, best.table.titled_columns())
                if prediction is not None:
                    found.append(_example(each.file, prediction, best, WANTED[each.kind]))
    return found


def _example(
    file: str, prediction: TableOperationPrediction, linked: LinkedQuestion, wanted: int
) -> Example:
    """Without the names of the rows where they cannot be asked for."""
    matrix, asks = features(prediction, linked), ANSWER_TYPES[wanted]
    if not may_name(linked):
        matrix = np.delete(matrix, LIST, axis=0)
        wanted = 0 if wanted == LIST else wanted - (wanted > LIST)
    return Example(file=file, prediction=prediction, features=matrix, wanted=wanted, asks=asks)


def weights_of(examples: Iterable[Example]) -> Features:
    """The weights that make what is asked for likeliest."""
    return fitted([(each.features, each.wanted) for each in examples], RIDGE)


def right_in_folds(examples: Sequence[Example]) -> int:
    """For how many the likeliest is right, by weights of the tables of other folds."""
    files = sorted({each.file for each in examples})
    right = 0
    for fold in range(FOLDS):
        inside = {file for at, file in enumerate(files) if at % FOLDS == fold}
        weights = weights_of(each for each in examples if each.file not in inside)
        right += sum(
            int((each.features @ weights).argmax()) == each.wanted
            for each in examples
            if each.file in inside
        )
    return right


def right_alone(examples: Iterable[Example]) -> int:
    """For how many the model is right by itself; a list is no operation of its."""
    return sum(
        each.prediction.operation in each.asks if each.asks else each.prediction.operation is None
        for each in examples
    )


def main() -> None:
    """Fit, and print the weights and how often the likeliest is right."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("--reader", default="packaged", help="a file of weights")
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args()
    examples = asyncio.run(examples_of(options.models, options.reader))
    weights = weights_of(examples).round(2).tolist()
    told = {
        "questions": len(examples),
        "the model alone, from .5 on": right_alone(examples),
        "the likeliest, in folds": right_in_folds(examples),
    }
    show(
        "What is asked of several rows",
        ["", ""],
        [[name, f"{each}"] for name, each in told.items()],
    )
    print("WEIGHTS", weights)
    finish({**told, "weights": weights}, options.json)


if __name__ == "__main__":
    main()
