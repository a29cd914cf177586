"""How follow-up questions, and questions for several things, are answered without a language model.

    python bench/talks.py [--reader FILE] [--outcomes FILE]

The documents of `talks/` are one workspace. Each talk of `talks.jsonl` is held as a reader of them
would: a question is asked with those before it and what was answered to them. A turn is right where
the answer has the words that its line names, `refused` where there is no answer, else `wrong`. Of
questions for several things (`several.jsonl`) is told how many have all answers, some or none, and
the same of questions for one thing that look like them (`single.jsonl`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

from footnote.domain import Answer, Turn
from footnote.engine import WorkspaceEngine
from footnote.jobs.inline import work_until_resting
from installation import MODELS, bench_engine
from reporting import finish, progress, show

FOLDER = Path(__file__).parent / "talks"
OUTCOMES = ("right", "some", "refused", "wrong")
Told = tuple[str, str, dict[str, Any]]
"""What was asked, what came of it, and both in full."""


def outcome_of(wanted: list[str], answer: Answer) -> str:
    """What came of a question for these things."""
    if not answer.found:
        return "refused"
    said = " ".join(each.text for each in answer.sentences).casefold()
    held = [each.casefold() in said for each in wanted]
    return "right" if all(held) else "some" if any(held) else "wrong"


def lines_of(name: str) -> list[Any]:
    """What a file of the folder holds."""
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


async def held(workspace: WorkspaceEngine, talk: dict[str, Any]) -> list[Told]:
    """The turns of a talk, one after the other."""
    told: list[Told] = []
    said: list[Turn] = []
    for number, turn in enumerate(talk["turns"]):
        answer = await workspace.ask(turn["question"], conversation=tuple(said))
        outcome = outcome_of([turn["answer"]], answer)
        full = {**turn, "asked_as": answer.asked_as, "text": answer.text}
        told.append(("later turns" if number else "first turns", outcome, full))
        said.append(Turn(role="user", text=turn["question"]))
        said.append(Turn(role="assistant", text=answer.text))
    return told


async def asked(models: Path, reader: str) -> list[Told]:
    """Everything, in one workspace."""
    told: list[Told] = []
    async with bench_engine(models, None, reader=reader) as engine:
        workspace = await engine.workspace((await engine.create_workspace("talks")).name)
        files = [each for each in sorted(FOLDER.iterdir()) if each.suffix in (".md", ".csv")]
        received = [await workspace.receive(each.read_bytes(), each.name) for each in files]
        ids = [each.document.document_id for each in received]
        await work_until_resting(engine, workspace, ids, lambda _: None)
        with progress() as bars:
            for talk in bars.track(lines_of("talks.jsonl"), description="talks"):
                told += await held(workspace, talk)
            for name in ("several", "single"):
                for each in bars.track(lines_of(f"{name}.jsonl"), description=name):
                    answer = await workspace.ask(each["question"])
                    full = {**each, "text": answer.text, "notes": answer.degraded}
                    told.append((name, outcome_of(each["answers"], answer), full))
    return told


def main() -> None:
    """Ask, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("--reader", default="packaged", help="a file of weights")
    parser.add_argument("--outcomes", type=Path, help="write what came of each question here")
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args()
    told = asyncio.run(asked(options.models, options.reader))
    if options.outcomes is not None:
        lines = [
            json.dumps({"kind": kind, "outcome": outcome, **full}, ensure_ascii=False)
            for kind, outcome, full in told
        ]
        options.outcomes.write_text("\n".join(lines) + "\n", encoding="utf-8")
    counted: dict[str, Counter[str]] = {}
    for kind, outcome, _ in told:
        counted.setdefault(kind, Counter())[outcome] += 1
    rows = [[kind, *(f"{own[each]}" for each in OUTCOMES)] for kind, own in counted.items()]
    show("Talks, and questions for several things", ["", *OUTCOMES], rows)
    finish({kind: dict(own) for kind, own in counted.items()}, options.json)


if __name__ == "__main__":
    main()
