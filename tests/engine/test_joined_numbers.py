"""Things that are called by numbers with a hyphen are told apart, whatever the search gives."""

from __future__ import annotations

import pytest

from footnote.engine import Engine, WorkspaceEngine
from footnote.jobs.inline import work_until_resting

CRATES = {f"{k}-{i}": k * 100 + i for k in range(1, 5) for i in range(1, 5)}


async def filled(engine: Engine, name: str, files: dict[str, str]) -> WorkspaceEngine:
    workspace = await engine.workspace((await engine.create_workspace(name)).name)
    received = [
        await workspace.receive(text.encode(), filename, external_id=filename)
        for filename, text in files.items()
    ]
    documents = [each.document.document_id for each in received]
    await work_until_resting(engine, workspace, documents, lambda _: None)
    return workspace


async def test_of_sixteen_crates_the_one_is_said_that_is_asked_for(shared_engine: Engine) -> None:
    files = {f"{at}.txt": f"Crate {at} holds {held} lanterns." for at, held in CRATES.items()}
    workspace = await filled(shared_engine, "crates", files)
    for name in ("2-1", "1-2", "3-4", "4-3"):
        answer = await workspace.ask(f"How many lanterns does crate {name} hold?")
        assert answer.text.startswith(f"Crate {name} holds {CRATES[name]} lanterns."), answer.text
        assert len(answer.sentences) == 1
    assert not (await workspace.ask("How many lanterns does crate 7-3 hold?")).found


async def test_a_row_is_named_by_its_numbers(shared_engine: Engine) -> None:
    rows = "".join(f"{at},{held}\n" for at, held in CRATES.items())
    workspace = await filled(shared_engine, "crate-rows", {"crates.csv": f"Crate,Lanterns\n{rows}"})
    for name in ("2-1", "1-2"):
        answer = await workspace.ask(f"How many lanterns does crate {name} hold?")
        assert [each.text for each in answer.sentences] == [f"{name} — Lanterns: {CRATES[name]}"]


@pytest.mark.parametrize(
    ("text", "question", "said"),
    [
        ("Delivery takes two to three weeks.", "Does delivery take 2-3 weeks?", "two to three"),
        ("The shop is open 8-18 on weekdays.", "When is the shop open, 9-17?", "8-18"),
        ("The rent is due on 1 March 2026.", "What is due on 2026-03-01?", "rent"),
    ],
)
async def test_what_is_written_otherwise_answers(
    shared_engine: Engine, text: str, question: str, said: str
) -> None:
    workspace = await filled(shared_engine, said.replace(" ", "-"), {"note.txt": text})
    answer = await workspace.ask(question)
    assert answer.found
    assert said in answer.text
