"""The audit log, use and budgets over HTTP and on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import psycopg
import pytest

from footnote.settings import Settings
from tests.conftest import TestDatabase
from tests.interfaces.conftest import Library
from tests.interfaces.serving import environment
from tests.interfaces.serving import footnote as command


@pytest.mark.usefixtures("own_database")
async def test_what_was_done_is_listed_exported_and_verified(
    settings: Settings, tmp_path: Path, test_database: TestDatabase
) -> None:
    env = environment(settings)
    paper = tmp_path / "policy.md"
    paper.write_text("# Policy\n\nA claim must be reported within 14 days of the loss.\n")
    assert (await command(env, "ingest", str(paper))).code == 0
    assert (await command(env, "search", "claim")).code == 0
    listed = await command(env, "audit", "list", "--act", "searched", "--json")
    [entry] = json.loads(listed.out)["entries"]
    assert (entry["verb"], entry["query"], entry["principal"]) == ("search", "claim", "local")
    shown = await command(env, "audit", "list", "--document", "policy.md")
    assert "search" in shown.out
    exported = await command(env, "audit", "export")
    lines = [json.loads(line) for line in exported.out.splitlines()]
    assert [line["entry_no"] for line in lines] == list(range(1, len(lines) + 1))
    verified = await command(env, "audit", "verify")
    assert verified.code == 0
    assert "intact" in verified.out
    head = verified.out.split()[-1]
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute("UPDATE footnote.audit_log SET principal = 'eve' WHERE entry_no = 2")
    tampered = await command(env, "audit", "verify", "--kept", head)
    assert tampered.code == 1
    assert "Entry 2: it was changed." in tampered.out
    wrong = await command(env, "audit", "verify", "--kept", "yesterday")
    assert wrong.code == 2
    assert "no head of a log" in wrong.err


async def test_what_a_request_was_shown_is_in_the_log(library: Library) -> None:
    http: httpx.AsyncClient = library.http
    found = (await http.post("/v1/search", json={"query": "claim"})).json()
    page = (await http.get("/v1/audit", params={"act": "searched", "limit": 1})).json()
    [entry] = page["entries"]
    # Documents of which passages are near duplicates are shown, too.
    assert set(entry["documents"]) >= {each["document_id"] for each in found["evidence"]}
    assert entry["query"] == "claim"
    verified = (await http.post("/v1/audit/verify", json={})).json()
    assert verified["intact"]
    kept = {**verified["head"], "entry_hash": "0" * 64}
    again = (await http.post("/v1/audit/verify", json={"kept": [kept]})).json()
    assert not again["intact"]
    refused = await http.get("/v1/audit", params={"since": "2026-05-02T09:30:00"})
    assert refused.status_code == 422


@pytest.mark.usefixtures("own_database")
async def test_what_was_used_is_shown_and_limited(settings: Settings, tmp_path: Path) -> None:
    env = environment(settings)
    paper = tmp_path / "policy.md"
    paper.write_text("# Policy\n\nA claim must be reported within 14 days of the loss.\n")
    assert (await command(env, "ingest", str(paper))).code == 0
    shown = await command(env, "usage", "--document", "policy.md", "--json")
    kinds = {each["kind"] for each in json.loads(shown.out)["rows"]}
    assert kinds == {"embedding", "ingestion", "storage"}
    assert "storage" in (await command(env, "usage")).out
    limited = await command(env, "budget", "set", "documents", "1")
    assert "exceeded" in limited.out
    refused = await command(env, "search", "claim")
    assert refused.code == 4
    assert "is used up this month" in refused.err
    removed = await command(env, "budget", "remove", "documents")
    assert removed.out == "Removed the budget of documents (month).\n"
    assert "No budgets." in (await command(env, "budget", "list")).out
    assert (await command(env, "search", "claim")).code == 0
