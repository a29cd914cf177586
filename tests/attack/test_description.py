"""Generated requests meet nothing that the description of the API does not say."""

from __future__ import annotations

import asyncio
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import footnote
from footnote.settings import Settings
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
SECONDS = 60
"""For all operations together; what is not reached in them is met by another run."""


async def test_what_is_answered_is_described(settings: Settings, tmp_path: Path) -> None:
    async with footnote.open(settings) as engine:
        await engine.create_workspace("acme")  # whom the examples name
    async with served(settings) as client:
        code, said = await generated(str(client.base_url.join("/openapi.json")), tmp_path)
    assert code == 0, said


async def generated(description: str, folder: Path) -> tuple[int | None, str]:
    """How a run over everything that the description names ends, and what it says."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "schemathesis.cli", "run"),
        description,
        *("--checks", ",".join(CHECKS), "--phases", "examples,coverage,fuzzing"),
        *("--max-examples", "3", "--generation-deterministic", "--max-time", str(SECONDS)),
        *("--continue-on-failure", "--request-timeout", "30", "--no-color"),
        # These wait for what happens next, and nothing does.
        *("--exclude-path-regex", "/events$"),
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    return process.returncode, out.decode()
