"""How questions over groups of a table's rows are answered, and others of like wording.

    python bench/totals.py [--half development] [--reader FILE]

Each table of `totals/` is a workspace of its own. Of sums, averages, extremes and counts over a
group (`sum`, …) or over all rows (`all`) is told how many are right, how many are answered with
rows of which one is right or which belong to the group (`rows`), refused, and wrong; the same of
`cell` and `prose`, whose answer stands in one place, and of what is `absent`, where a refusal is
right. One half was at hand when the thresholds were chosen, the other was only run.
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

FOLDER = Path(__file__).parent / "totals"
OUTCOMES = ("right", "rows", "refused", "wrong")


def outcome_of(kind: str, value: str, answer: Answer) -> str:
    """What came of a question."""
    if not answer.found:
        return "right" if kind == "absent" else "refused"
    told = re.compile(rf"(?<!\d){re.escape(value)}(?!\d)") if value else None
    holding = [bool(told and told.search(each.text)) for each in answer.sentences]
    if holding[0] and (len(holding) == 1 or kind in ("cell", "prose")):
        return "right"
    return "rows" if len(holding) > 1 and kind != "absent" else "wrong"


async def outcomes_of(half: str, models: Path, reader: str) -> list[tuple[dict[str, str], Answer]]:
    """Every question of a half, asked beside its table alone."""
    lines = (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [each for each in map(json.loads, lines) if each["half"] == half]
    found = []
    async with bench_engine(models, None, reader=reader) as engine:
        for name in dict.fromkeys(each["file"] for each in asked):
            workspace = await engine.workspace((await engine.create_workspace(name)).name)
            received = await workspace.receive((FOLDER / name).read_bytes(), name, external_id=name)
            await work_until_resting(
                engine, workspace, [received.document.document_id], lambda _: None
            )
            with progress() as bars:
                own = [each for each in asked if each["file"] == name]
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
    parser.add_argument("--half", choices=("development", "only run"), default="development")
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("--reader", default="packaged", help="a file of weights")
    parser.add_argument("--outcomes", type=Path, help="write what came of each question here")
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args()
    found = asyncio.run(outcomes_of(options.half, options.models, options.reader))
    told = [
        (each["kind"], outcome_of(each["kind"], each["value"], answer)) for each, answer in found
    ]
    if options.outcomes is not None:
        lines = [
            json.dumps(
                {**each, "outcome": outcome, "text": answer.text, "degraded": answer.degraded},
                ensure_ascii=False,
            )
            for (each, answer), (_, outcome) in zip(found, told, strict=True)
        ]
        options.outcomes.write_text("\n".join(lines) + "\n", encoding="utf-8")
    counted = rows_of(told)
    rows = [[kind, *(f"{own[each]}" for each in OUTCOMES)] for kind, own in counted.items()]
    show(f"Questions over groups of rows, {options.half}", ["", *OUTCOMES], rows)
    finish({kind: dict(own) for kind, own in counted.items()}, options.json)


if __name__ == "__main__":
    main()
