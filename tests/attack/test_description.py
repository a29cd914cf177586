"""Generated requests meet nothing that the description of the API does not say."""

from __future__ import annotations

import asyncio
import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest

import footnote
from footnote.domain import Principal, Right, Visibility
from footnote.engine.exchanges import Asking
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import served

pytestmark = [
    pytest.mark.usefixtures("own_database"),
    pytest.mark.skipif(find_spec("schemathesis") is None, reason="schemathesis is not installed"),
]

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "allow_header_conformance",
)
ASKING = "^/(v1/(answers|search|suggestions|conversations|chat)|openai|agui|search|context)"
"""Paths of requests that hold a question with all that narrows and plans a search."""
NOTHING_HAPPENS = "/events$"
"""These wait for what happens next, and nothing does."""
CANARY = "quillwort"
"""Stands in documents of another workspace, and in private ones of another principal."""


@pytest.mark.parametrize(
    ("included", "excluded"),
    [(ASKING, NOTHING_HAPPENS), ("^/", f"{NOTHING_HAPPENS}|{ASKING}")],
    ids=["asking", "all else"],
)
async def test_what_is_answered_is_described(
    settings: Settings, tmp_path: Path, included: str, excluded: str
) -> None:
    """In two parts: together they would be the longest test."""
    async with footnote.open(settings) as engine:
        await engine.create_workspace("acme")  # whom the examples name
    async with served(settings) as client:
        code, said = await generated(
            client,
            tmp_path,
            "examples,coverage",
            *("--include-path-regex", included, "--exclude-path-regex", excluded),
            thinned=True,
        )
    assert code == 0, said


async def test_whoever_asks_gets_what_is_described_and_nothing_of_others(
    settings: Settings, tmp_path: Path
) -> None:
    """With the key of an administrator of one workspace, and with that of a reader."""
    within = settings_from(settings, {"identity": "keys"})
    async with footnote.open(settings) as engine:
        await engine.create_workspace("acme")
        acme, own = await engine.workspace("acme"), await engine.workspace()
        ann = await engine.workspace(principal=Principal(principal_id="ann"))
        for inside, seen_by in ((acme, Visibility.WORKSPACE), (ann, Visibility.PRIVATE)):
            received = await inside.receive(
                f"The {CANARY} closes in May.".encode(), f"{CANARY}.txt", visibility=seen_by
            )
            document_id = received.document.document_id
            await footnote.work_until_resting(engine, inside, [document_id])
            begun = await inside.create_conversation(title=CANARY)
            await inside.ask_in_conversation(begun.conversation_id, Asking(question="When?"))
        keys = [
            await own.create_key("admin", rights=[each.value for each in Right]),
            await own.create_key("reader"),
        ]
    # Whoever gets as far as to what a request says has more of them made up.
    for key, phases in zip(keys, ("examples,fuzzing", "examples"), strict=True):
        async with served(within) as client:
            client.headers["Authorization"] = f"Bearer {key.secret}"
            report = tmp_path / key.key.name
            code, said = await generated(
                client,
                tmp_path,
                phases,
                *("--header", f"Authorization: {client.headers['Authorization']}"),
                *("--report", "ndjson", "--report-dir", str(report)),
                *("--exclude-path-regex", NOTHING_HAPPENS),
            )
        assert code == 0, said
        written = [file.read_text("utf-8") for file in report.iterdir()]
        assert any("/v1/documents" in text for text in written)
        assert not [text for text in written if CANARY in text]


def each_once(description: dict[str, Any]) -> dict[str, Any]:
    """The description, where what operations share in the same words stands in the first alone.

    That is what they take without need: parameters, and members of what they are sent. Their types
    and limits are checked by the same code for all, with some 40 values each.
    """
    seen: set[str] = set()

    def stands_first(*taken: object) -> bool:
        said = json.dumps(taken, sort_keys=True)
        first = said not in seen
        seen.add(said)
        return first

    schemas = description["components"]["schemas"]
    operations = [
        each
        for _, of_path in sorted(description["paths"].items())
        for each in of_path.values()
        if isinstance(each, dict)
    ]
    for operation in operations:
        operation["parameters"] = [
            each
            for each in operation.get("parameters", ())
            if each.get("required") or stands_first(each)
        ]
        for media in operation.get("requestBody", {}).get("content", {}).values():
            body = schemas.get(media["schema"].get("$ref", "").rpartition("/")[2], {})
            if "properties" in body:
                needed = body.get("required", ())
                members = {
                    name: member
                    for name, member in body["properties"].items()
                    if name in needed or stands_first(name, member)
                }
                media["schema"] = {**body, "properties": members}
    return description


async def generated(
    client: httpx.AsyncClient,
    folder: Path,
    phases: str,
    *options: str,
    thinned: bool = False,
) -> tuple[int | None, str]:
    """How a run over everything that the description names ends, and what it says.

    What is asked follows from the description alone, and not from how fast the machine is.
    """
    described = await client.get("/openapi.json")
    assert described.status_code == 200, described.text
    asked = each_once(described.json()) if thinned else described.json()
    (folder / "openapi.json").write_text(json.dumps(asked), "utf-8")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "schemathesis.cli", "run"),
        *("openapi.json", "--url", str(client.base_url), *options),
        *("--checks", ",".join(CHECKS), "--phases", phases),
        *("--max-examples", "1", "--generation-deterministic"),
        *("--continue-on-failure", "--request-timeout", "300", "--no-color"),
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    return process.returncode, out.decode()
