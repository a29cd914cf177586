"""How questions over columns of tables are answered, and others of like wording.

    python bench/totals.py [--half development] [--among | --cells | …] [--reader FILE]

Each table of `totals/`, whose questions are over groups of rows, is a workspace of its own; with
`--among` the tables of `among/` stand beside other documents of theirs, and most questions, for the
largest and the smallest, do not say the title of the column that they are about; with `--cells`
most questions about the tables of `cells/` ask for one cell, and with `--groups` most about those
of `groups/` for what several rows have together, or for their names (`list`); with `--ranges` those
of `ranges/` are over rows from one to another (`range`), or named one by one (`several`); with
`--bounds` those of `bounds/` are over rows whose number, date or time keeps to one (`bound`), or
ask for the names of these (`names`). Of sums, averages, extremes and counts over a group (`sum`, …)
or over all rows (`all`) is told how many are right, how many are answered with rows of which one is
right or which belong to the group (`rows`), refused, and wrong; the same of `cell` and `prose`,
whose answer stands in one place, and of what is `absent` or another `calculation`, where a refusal
is right. One half was at hand when the thresholds were chosen, the other was only run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from footnote.domain import Answer
from footnote.jobs.inline import work_until_resting
from installation import MODELS, bench_engine
from reporting import finish, progress, show

ALONE, AMONG, CELLS, GROUPS, RANGES, BOUNDS = (
    Path(__file__).parent / each
    for each in ("totals", "among", "cells", "groups", "ranges", "bounds")
)
OUTCOMES = ("right", "rows", "refused", "wrong")
TO_REFUSE = ("absent", "calculation")
ROUNDED = 0.0101
"""How far a mean may lie from the one that was written down."""
HALVES = (
    "development",
    "only run",
    "to fit",
    "titles alike",
    "comparisons",
    "comparisons, only run",
    "counts, to fit",
    "counts, only run",
)
"""Of `--cells` alone "titles alike" and comparisons, of `--groups` alone counts."""


def outcome_of(kind: str, value: str, answer: Answer) -> str:
    """What came of a question."""
    if not answer.found:
        return "right" if kind in TO_REFUSE else "refused"
    if kind == "comparison":
        return "right" if answer.sentences[0].text.startswith(value) else "wrong"
    if kind == "names":
        names = value.split("; ")
        are_said = all(each in answer.text for each in names)
        return "right" if are_said and len(answer.citations) == len(names) else "wrong"
    # A mean is said with as many decimals as its column has.
    zeros = "0*" if "." in value else ""
    # Thousands may be set apart in it.
    thousands = re.sub(r"(?<=\d)(?=(\d{3})+$)", "[,.' ]?", value) if value.isdigit() else None
    told = re.compile(rf"(?<!\d){thousands or re.escape(value)}{zeros}(?!\d)") if value else None
    texts = [each.text for each in answer.sentences]
    if kind == "bound":
        # The note behind it says the bound, which may be as large as what is asked for.
        texts = [re.sub(r" \((?:[^()]|\([^()]*\))*\)\W*$", "", each) for each in texts]
    holding = [bool(told and told.search(each)) or is_near(value, each) for each in texts]
    if kind == "list":
        return "right" if any(holding) else "wrong"
    if holding[0] and (len(holding) == 1 or kind in ("cell", "prose")):
        return "right"
    return "rows" if len(holding) > 1 and kind not in TO_REFUSE else "wrong"


def is_near(value: str, text: str) -> bool:
    """Whether a text has this mean, which may be rounded otherwise and set with other marks."""
    if re.fullmatch(r"\d+\.\d+", value) is None:
        return False
    # A mark before three digits sets thousands apart.
    plain = re.sub(r"[.,' ](?=\d{3}(?!\d))", "", text)
    said = [float(each.replace(",", ".")) for each in re.findall(r"\d+(?:[.,]\d+)?", plain)]
    return any(abs(each - float(value)) <= ROUNDED for each in said)


async def outcomes_of(
    half: str, models: Path, reader: str, folder: Path
) -> list[tuple[dict[str, str], Answer]]:
    """Every question of a half, asked beside its table alone or among all documents of its half."""
    among = folder == AMONG
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [each for each in map(json.loads, lines) if each["half"] == half]
    names = list(dict.fromkeys(each["file"] for each in asked))
    shelves = [(name, [folder / name]) for name in names]
    if among:
        shelves = [("among", sorted((folder / half.replace(" ", "-")).iterdir()))]
    found = []
    async with bench_engine(models, None, reader=reader) as engine:
        for name, files in shelves:
            workspace = await engine.workspace((await engine.create_workspace(name)).name)
            received = [
                await workspace.receive(each.read_bytes(), each.name, external_id=each.name)
                for each in files
            ]
            await work_until_resting(
                engine, workspace, [each.document.document_id for each in received], lambda _: None
            )
            with progress() as bars:
                own = [each for each in asked if among or each["file"] == name]
                found += [
                    (each, await workspace.ask(each["question"]))
                    for each in bars.track(own, description=name)
                ]
    return found


def rows_of(told: Sequence[tuple[str, str]]) -> dict[str, Counter[str]]:
    """Outcomes by kind, and of all."""
    counted: dict[str, Counter[str]] = {}
    for kind, outcome in told:
        for name in (kind, "every"):
            counted.setdefault(name, Counter())[outcome] += 1
    return counted


def main() -> None:
    """Ask, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--half",
        choices=HALVES,
        default="development",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--among", action="store_true", help="tables among other documents")
    which.add_argument("--cells", action="store_true", help="mostly single cells")
    which.add_argument("--groups", action="store_true", help="several rows, or their names")
    which.add_argument("--ranges", action="store_true", help="rows from one to another")
    which.add_argument("--bounds", action="store_true", help="rows that keep to a bound")
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("--reader", default="packaged", help="a file of weights")
    parser.add_argument("--outcomes", type=Path, help="write what came of each question here")
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args()
    folders = {
        AMONG: options.among,
        CELLS: options.cells,
        GROUPS: options.groups,
        RANGES: options.ranges,
        BOUNDS: options.bounds,
    }
    folder = next((each for each, chosen in folders.items() if chosen), ALONE)
    found = asyncio.run(outcomes_of(options.half, options.models, options.reader, folder))
    told = [
        (each["kind"], outcome_of(each["kind"], each["value"], answer)) for each, answer in found
    ]
    if options.outcomes is not None:
        lines = [
            json.dumps(
                {
                    **each,
                    "outcome": outcome,
                    "text": answer.text,
                    "confidence": round(answer.confidence, 3),
                    "degraded": answer.degraded,
                },
                ensure_ascii=False,
            )
            for (each, answer), (_, outcome) in zip(found, told, strict=True)
        ]
        options.outcomes.write_text("\n".join(lines) + "\n", encoding="utf-8")
    counted = rows_of(told)
    rows = [[kind, *(f"{own[each]}" for each in OUTCOMES)] for kind, own in counted.items()]
    show(f"Questions over columns, {options.half}", ["", *OUTCOMES], rows)
    finish({kind: dict(own) for kind, own in counted.items()}, options.json)


if __name__ == "__main__":
    main()
