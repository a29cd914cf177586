"""What a newcomer asks first is answered as a person would answer it.

The questions are read from where they stand, so that they are tested as they are shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from footnote.engine import WorkspaceEngine
from footnote.interfaces.cli.demo import QUESTIONS
from tests.engine.test_asking import publish

ROOT = Path(__file__).parents[2]
YEAR = datetime.now(tz=UTC).year


def last_question_of_the_demo() -> str:
    return QUESTIONS[-1][1]


def first_question_of_getting_started() -> str:
    page = (ROOT / "docs" / "getting-started.md").read_text(encoding="utf-8")
    found = re.search(r'footnote ask "([^"]+)"', page)
    assert found is not None
    return found[1]


def contract(other: str, begins: int, ends: str) -> str:
    return (
        f"# Contract with {other}\n\n## Term\n\n{other} serves our boats from 1 July {begins}. "
        f"This contract ends on {ends}. It is not renewed.\n\n## Price\n\n"
        f"We pay {other} 1,200 euros a month, in advance."
    )


CONTRACTS: Mapping[str, str] = {
    "Quillfen Rope": contract("Quillfen Rope", YEAR - 3, f"30 June {YEAR + 2}"),
    "Tarn Diving": contract("Tarn Diving", YEAR - 2, f"30 November {YEAR}"),
    "Orlebar Paint": contract("Orlebar Paint", YEAR - 1, f"31 March {YEAR + 1}"),
}


async def test_the_policy_alone_does_not_answer_the_demos_last_question(
    workspace: WorkspaceEngine,
) -> None:
    policy = ROOT / "examples" / "sources" / "insurance-policy.md"
    assert "earthquake" not in policy.read_text(encoding="utf-8").lower()
    await publish(workspace, policy.read_text(encoding="utf-8"))
    answer = await workspace.ask(last_question_of_the_demo())
    assert (answer.found, answer.citations) == (False, ())


async def test_the_first_question_of_the_docs_names_when_the_contract_ends(
    workspace: WorkspaceEngine,
) -> None:
    handbook = "# Handbook\n\nThe year ends with a party. Contracts are kept in the office."
    await publish(workspace, *reversed(list(CONTRACTS.values())), handbook)
    answer = await workspace.ask(first_question_of_getting_started())
    assert answer.found
    assert {each.document_title for each in answer.citations} == {"Contract with Tarn Diving"}
    assert f"30 November {YEAR}" in answer.text
