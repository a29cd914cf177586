"""How follow-up questions, and questions for several things, are answered without a language model.

    python bench/talks.py [--compared HALF] [--reader FILE] [--outcomes FILE]

The documents of `talks/` are one workspace. Each talk of `talks.jsonl` is held as a reader of them
would: a question is asked with those before it and what was answered to them. A turn is right where
the answer has the words that its line names, `refused` where there is no answer, else `wrong`. Of
questions for several things (`several.jsonl`) is told how many have all answers, some or none, and
the same of questions for one thing that look like them (`single.jsonl`).

With `--compared` the documents are those of a half of `compared/`, and most questions compare two
things that are told of in prose, in two documents or in two paragraphs (`compared`); of some only
one is there (`one of two`), and some are for one thing and look like them (`one`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

from footnote.domain import Answer, Turn
from footnote.engine import Engine, WorkspaceEngine
from footnote.jobs.inline import work_until_resting
from installation import MODELS, bench_engine
from reporting import finish, progress, show

FOLDER = Path(__file__).parent / "talks"
COMPARED = Path(__file__).parent / "compared"
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


def lines_of(path: Path) -> list[Any]:
    """What a file holds."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


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


async def filled(engine: Engine, folder: Path) -> WorkspaceEngine:
    """A workspace of the documents of a folder."""
    workspace = await engine.workspace((await engine.create_workspace("talks")).name)
    files = [each for each in sorted(folder.iterdir()) if each.suffix != ".jsonl"]
    received = [await workspace.receive(each.read_bytes(), each.name) for each in files]
    ids = [each.document.document_id for each in received]
    await work_until_resting(engine, workspace, ids, lambda _: None)
    return workspace


async def answered(workspace: WorkspaceEngine, kind: str, line: dict[str, Any]) -> Told:
    """A question by itself."""
    answer = await workspace.ask(line["question"])
    full = {**line, "text": answer.text, "notes": answer.degraded}
    return kind, outcome_of(line["answers"], answer), full


async def asked(models: Path, reader: str) -> list[Told]:
    """Everything, in one workspace."""
    told: list[Told] = []
    async with bench_engine(models, None, reader=reader) as engine:
        workspace = await filled(engine, FOLDER)
        with progress() as bars:
            for talk in bars.track(lines_of(FOLDER / "talks.jsonl"), description="talks"):
                told += await held(workspace, talk)
            for name in ("several", "single"):
                for each in bars.track(lines_of(FOLDER / f"{name}.jsonl"), description=name):
                    told.append(await answered(workspace, name, each))
    return told


async def compared(models: Path, reader: str, half: str) -> list[Told]:
    """The questions of a half of `compared/`."""
    lines = [each for each in lines_of(COMPARED / "questions.jsonl") if each["half"] == half]
    async with bench_engine(models, None, reader=reader) as engine:
        workspace = await filled(engine, COMPARED / half.replace(" ", "-"))
        with progress() as bars:
            return [
                await answered(workspace, kind_of(each), each)
                for each in bars.track(lines, description=half)
            ]


def kind_of(line: dict[str, Any]) -> str:
    """What a question of `compared/` asks for."""
    is_half = line["kind"] == "compared" and len(line["answers"]) == 1
    return "one of two" if is_half else str(line["kind"])


def main() -> None:
    """Ask, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--compared", choices=("development", "only run"), help="comparisons")
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("--reader", default="packaged", help="a file of weights")
    parser.add_argument("--outcomes", type=Path, help="write what came of each question here")
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args()
    if options.compared is None:
        told = asyncio.run(asked(options.models, options.reader))
    else:
        told = asyncio.run(compared(options.models, options.reader, options.compared))
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
