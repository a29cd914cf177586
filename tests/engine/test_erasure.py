"""What was erased is found nowhere: a word that one document alone had is looked for everywhere.

The word is in the text, the name, the metadata, the path and the picture of a document. It is
searched for, asked about, answered, shared, streamed, told to a webhook and handed in again, and
then erased.
"""

from __future__ import annotations

import asyncio
import io
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from uuid import UUID

import docx
import httpx
import psycopg
import pytest
from psycopg import sql

import footnote
from footnote.domain import Role, SearchRequest
from footnote.domain.erasure import Erasure, ErasureEntry
from footnote.engine import Engine, WorkspaceEngine
from footnote.engine.exchanges import Asking
from footnote.jobs.worker import run_worker
from footnote.settings import Settings, settings_from
from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import TestDatabase, fresh_database
from tests.ingestion import files
from tests.ingestion.test_describing import photo
from tests.interfaces.serving import served
from tests.jobs.web_server import Answer, Asked, web_server
from tests.models.openai_server import OpenAiServer, says

CANARY = "Quillwort7731"
OTHER = b"# Lease\n\nThe tenant of the berth pays 400 euros in rent each month."


def report() -> bytes:
    document = docx.Document()
    document.add_heading(f"The {CANARY} file", level=1)
    document.add_paragraph(f"The keeper of {CANARY} owes the harbour 4,100 euros for its berth.")
    document.add_picture(io.BytesIO(photo()))
    document.core_properties.subject = f"About {CANARY}"
    return files.saved(document)


def places_with(word: str, database: TestDatabase, folders: list[Path]) -> Iterator[str]:
    """Every column of every table, and every file, that has a word in plain, whatever its case."""
    low = word.lower()
    with psycopg.connect(database.superuser_url) as connection:
        columns = connection.execute(
            "SELECT table_schema, table_name, column_name FROM information_schema.columns"
            " JOIN information_schema.tables USING (table_schema, table_name)"
            " WHERE table_type = 'BASE TABLE'"
            " AND table_schema NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        assert len(columns) > 300
        for schema, table, column in columns:
            name = sql.Identifier(column)
            # Bytes are rendered as hexadecimal digits, and looked into as bytes as well.
            statement = sql.SQL(
                "SELECT count(*) FROM {} WHERE strpos(lower({}::text), %(low)s) > 0"
                " OR strpos({}::text, encode(%(word)s::bytea, 'hex')) > 0"
                " OR strpos({}::text, encode(%(lower)s::bytea, 'hex')) > 0"
            ).format(sql.Identifier(schema, table), name, name, name)
            row = connection.execute(
                statement, {"low": low, "word": word.encode(), "lower": low.encode()}
            ).fetchone()
            assert row is not None
            if row[0]:
                yield f"{table}.{column}"
    for folder in folders:
        for path in folder.rglob("*"):
            if low in path.name.lower():
                yield str(path)
            if path.is_file() and low.encode() in path.read_bytes().lower():
                yield str(path)


@pytest.fixture
async def planted(
    own_database: TestDatabase, own_settings: Settings, tmp_path: Path
) -> AsyncIterator[tuple[Engine, WorkspaceEngine, UUID]]:
    """An engine and a workspace in which the word went through everything, and its document."""

    told = asyncio.Event()

    async def takes_all(asked: Asked) -> Answer:
        if b'"document.indexed"' in asked.body and CANARY.encode() in asked.body:
            told.set()
        return Answer(200)

    with OpenAiServer(says(f"A photograph of {CANARY} by the quay.")) as vision:
        changed = settings_from(
            own_settings,
            {
                "allow_private_urls": True,
                "vision_model": f"scripted@{vision.url}",
                "ocr": "off",
                "identity": "keys",
            },
        )
        async with web_server(takes_all) as receiver, footnote.open(changed) as engine:
            workspace = await engine.workspace()
            await workspace.add_webhook(receiver.url("/hook"))
            other = await workspace.receive(OTHER, "lease.md")
            received = await plant(workspace, tmp_path)
            stop = asyncio.Event()
            worker = asyncio.create_task(run_worker(engine, stop=stop))
            try:
                async with asyncio.timeout(600):
                    await told.wait()
            finally:
                stop.set()
                await worker
            assert (await workspace.document(received)).status == "indexed"
            assert any(CANARY.encode() in asked.body for asked in receiver.asked)
            await use(workspace, received, other.document.document_id)
            key = await workspace.create_key("rae", rights=("read",), principal="rae")
            await workspace.grant_role("rae", Role.READER)
            async with served(changed) as http:
                http.headers["Authorization"] = f"Bearer {key.secret}"
                await stream(http, received)
            yield engine, workspace, received


async def plant(workspace: WorkspaceEngine, folder: Path) -> UUID:
    """Hand the document in three ways, of which two give what is there already."""
    given = {
        "external_id": f"/papers/{CANARY}/report.docx",
        "metadata": {"keeper": CANARY, "year": 2025},
        "tags": (CANARY,),
        "idempotency_key": "upload-1",
    }
    file = report()  # The file says when it was written, so another would have other bytes.
    received = await workspace.receive(file, f"{CANARY}.docx", **given)  # type: ignore[arg-type]
    again = await workspace.receive(file, f"{CANARY}.docx", **given)  # type: ignore[arg-type]
    assert again.document.document_id == received.document.document_id
    pushed = await workspace.push_content(
        file, f"{CANARY}.docx", external_id=f"/papers/{CANARY}/report.docx"
    )
    assert pushed.document_id == received.document.document_id
    await workspace.push_url(f"http://127.0.0.1:9/{CANARY}.docx")
    path = folder / f"{CANARY}.docx"
    path.write_bytes(report())
    return received.document.document_id


async def use(workspace: WorkspaceEngine, document_id: UUID, other: UUID) -> None:
    """Search, ask, converse, judge, share and look at a page."""
    question = f"What does the keeper of {CANARY} owe?"
    found = await workspace.search(SearchRequest(query=question))
    assert found.evidence[0].passage.document_id == document_id
    assert (await workspace.search(SearchRequest(query=f"{CANARY} by the quay"))).evidence
    assert (await workspace.ask(question)).found
    begun = await workspace.create_conversation(idempotency_key="talk-1")
    exchange = await workspace.ask_in_conversation(
        begun.conversation_id, Asking(question=question), idempotency_key="question-1"
    )
    assert exchange.reply.answer is not None
    assert CANARY in exchange.reply.text
    await workspace.give_feedback(
        begun.conversation_id, exchange.reply.message_id, "up", f"Yes, {CANARY} it is."
    )
    await workspace.attach_document(begun.conversation_id, document_id)
    await workspace.ask_in_conversation(begun.conversation_id, Asking(question="For which berth?"))
    await workspace.share_conversation(begun.conversation_id)
    await workspace.share_collection("default")
    await workspace.check_grounding(
        [footnote.GroundingSource(document_id=document_id)],
        statements=[f"{CANARY} owes 4,100 euros."],
    )
    await workspace.page_rectangles(document_id, 1, [footnote.Highlight(text=CANARY)])
    hold = await workspace.set_legal_hold(f"the case of {CANARY}", document_id=document_id)
    await workspace.lift_legal_hold(hold.hold_id, f"{CANARY} is settled")
    await workspace.search(SearchRequest(query="What rent does the tenant pay?"))
    kept = await workspace.create_conversation()
    await workspace.ask_in_conversation(
        kept.conversation_id, Asking(question="What rent does the tenant of the berth pay?")
    )
    assert other != document_id


async def stream(http: httpx.AsyncClient, document_id: UUID) -> None:
    """Stream an answer and events, as a page does."""
    body = {"question": f"Who keeps {CANARY}?", "stream": True}
    async with http.stream("POST", "/v1/answers", json=body) as response:
        said = [line async for line in response.aiter_lines()]
    assert any(CANARY in line for line in said)
    path = f"/v1/documents/{document_id}/events"
    async with http.stream("GET", path, headers={"Last-Event-ID": "0-0"}) as response:
        async for line in response.aiter_lines():
            if CANARY in line:
                return
    raise AssertionError("no event named the document")


def folders_of(engine: Engine) -> list[Path]:
    return [engine.settings.home / "blobs", engine.settings.home / "pages"]


async def test_a_word_that_was_erased_is_found_in_no_table_no_file_no_log_and_no_restored_backup(
    planted: tuple[Engine, WorkspaceEngine, UUID],
    own_database: TestDatabase,
    postgres: EmbeddedPostgres,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    engine, workspace, document_id = planted
    dump = tmp_path / "before.dump"
    dumped = ("--format=custom", f"--file={dump}", own_database.superuser_url)
    run(postgres.binaries / "pg_dump", *dumped)
    folders = [engine.settings.home / "blobs", engine.settings.home / "pages"]
    before = set(places_with(CANARY, own_database, folders))
    for place in (
        *("documents.filename", "documents.metadata", "documents.external_id", "documents.tags"),
        *("document_versions.canonical_text", "document_versions.filename", "chunks.text"),
        *("messages.text", "messages.answer", "conversations.title", "feedback.comment"),
        *("audit_queries.query", "events.body", "ingest_requests.request", "legal_holds.reason"),
    ):
        assert place in before, place
    erasure = await workspace.erase_document(document_id)
    assert erasure.complete, [each for each in erasure.checks if each.left and not each.kept]
    assert set(places_with(CANARY, own_database, folders)) == set()
    assert (await workspace.search(SearchRequest(query=CANARY))).evidence[
        0
    ].passage.document_id != (document_id)
    written = capfd.readouterr()
    assert CANARY not in written.out + written.err + caplog.text
    # What does not quote it is as it was.
    page = await workspace.audit_entries(limit=500)
    assert "What rent does the tenant pay?" in {each.query for each in page.entries}
    titles = {each.title for each in (await workspace.conversations()).conversations}
    assert titles == {"", "What rent does the tenant of the berth pay?"}
    assert (await workspace.verify_audit()).intact
    # The searches after the erasure are asked anew, and so may name it.
    held = {each.place: each.held for each in erasure.checks}
    for place in (
        *("documents", "chunks", "embeddings", "events", "blobs", "posting lists"),
        *("queries beside the audit log", "questions in conversations", "comments on answers"),
        *("titles of conversations", "answers in conversations", "ingest_requests", "audit log"),
        *("legal_holds", "idempotency_keys", "conversation_documents", "message_sources"),
    ):
        assert held.get(place, 0) > 0 or place == "embeddings", place
    entries = await workspace.erasures()
    assert entries[0].certificate_id == erasure.certificate_id
    with fresh_database(postgres, template="template0") as restored:
        into = f"--dbname={restored.superuser_url}"
        run(postgres.binaries / "pg_restore", into, "--clean", "--if-exists", str(dump))
        assert "chunks.text" in set(places_with(CANARY, restored, []))
        with fresh_database(postgres, template=restored.name) as another:
            await assert_that_to_delete_it_is_too_little(engine, another, document_id)
        await assert_that_it_is_erased_again(engine, restored, erasure, entries)


async def assert_that_to_delete_it_is_too_little(
    engine: Engine, database: TestDatabase, document_id: UUID
) -> None:
    async with footnote.open(over(engine, database)) as opened:
        await (await opened.workspace()).delete_document(document_id)
    left = set(places_with(CANARY, database, []))
    assert {"messages.text", "audit_queries.query", "events.body"} <= left


async def assert_that_it_is_erased_again(
    engine: Engine, database: TestDatabase, erasure: Erasure, entries: Sequence[ErasureEntry]
) -> None:
    async with footnote.open(over(engine, database)) as opened:
        again = await opened.workspace()
        told = await again.verify_erasure(erasure)
        assert not told.valid
        assert any("are there again" in each for each in told.faults)
        assert "the audit log does not have it" in told.faults
        [replayed] = await again.replay_erasures(entries)
        assert replayed.certificate_id == erasure.certificate_id
        assert replayed.erasure is not None
        assert replayed.erasure.complete
        assert set(places_with(CANARY, database, [])) == set()
        assert (await again.verify_erasure(replayed.erasure)).valid
        [nothing] = await again.replay_erasures(entries)
        assert (nothing.erasure, nothing.refusal) == (None, None)
        ledger = {each.certificate_id for each in await again.erasures()}
        assert ledger == {erasure.certificate_id, replayed.erasure.certificate_id}


def over(engine: Engine, database: TestDatabase) -> Settings:
    """The settings of an engine, over another database."""
    urls = {
        "database_url": database.application_url,
        "owner_database_url": database.owner_url,
    }
    return engine.settings.model_copy(update=urls)


def run(program: Path, *arguments: str) -> None:
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
