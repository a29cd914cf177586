"""An export has everything that is kept about a person, and nothing of anybody else."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import sql

from footnote.domain import Principal, Role
from footnote.domain.audit import Act
from footnote.domain.people import WantedGroup, WantedUser
from footnote.domain.personal_data import ArchivePiece
from footnote.domain.sources import NewSource
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.engine.exchanges import Asking
from footnote.errors import Forbidden
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings
from footnote.store.personal_data import COVERED, LEFT_OUT, PAGE, ROWS
from footnote.store.sessions import NewSession, add_session
from tests.conftest import TestDatabase
from tests.evaluation.factories import a_new_run, an_order

PAT, SAM = "pat-7f3c@example.com", "sam-91aa@example.com"
NOTE = "# Claims\n\nA claim must be reported within 14 days of the loss.\n"
SECTIONS = {*ROWS, "conversations", "messages", "documents", "audit", "views"}
NAMES_SOMEBODY = re.compile(
    r"principal|custodian|owner|subject|access|user|person|member|credential|issuer|actor|author|_by$|caller"
)
"""How a column that says who somebody is may be called."""


class Archive:
    """An export that was read to its end."""

    def __init__(self, content: bytes) -> None:
        self.zip = zipfile.ZipFile(io.BytesIO(content))
        assert self.zip.testzip() is None
        self.names = self.zip.namelist()
        self.manifest = json.loads(self.zip.read("manifest.json"))

    def __getitem__(self, section: str) -> list[dict[str, Any]]:
        lines = self.zip.read(f"{section}.jsonl").decode().splitlines()
        return [json.loads(line) for line in lines]

    @property
    def text(self) -> str:
        return "\n".join(self.zip.read(name).decode("utf-8", "replace") for name in self.names)


async def archive_of(pieces: AsyncGenerator[ArchivePiece]) -> Archive:
    return Archive(b"".join([piece.content async for piece in pieces]))


def acting(workspace: WorkspaceEngine, who: str, role: Role = Role.ADMIN) -> WorkspaceEngine:
    return replace(workspace, principal=Principal(principal_id=who, role=role))


async def filled(workspace: WorkspaceEngine, who: str, said: str) -> UUID:
    """A person who does something of everything; the id of the document."""
    person = acting(workspace, who)
    received = await person.receive(
        f"{NOTE}\n{said} says so.\n".encode(), f"{said}.md", idempotency_key=f"once {said}"
    )
    document_id = received.document.document_id
    await work_until_resting(workspace.engine, workspace, [document_id], lambda _: None)
    mine = (await person.create_conversation(title=f"About {said}")).conversation_id
    await person.attach_document(mine, document_id)
    asked = await person.ask_in_conversation(
        mine, Asking(question="How soon must a claim be reported?")
    )
    await person.give_feedback(mine, asked.reply.message_id, "up", f"good, says {said}")
    await person.change_setting("top_k", len(said))
    await person.keep_view(f"view of {said}", query=said)
    await person.keep_evaluation(a_new_run(f"{said}.jsonl"))
    started = await person.start_evaluation(an_order(f"{said}.jsonl"))
    await person.cancel_evaluation(started.run_id)
    source = await person.add_source(NewSource(place=f"folder:/srv/{said}"), anywhere=True)
    await person.pause_source(source.source_id)
    await person.push_url(f"https://example.com/{said}.pdf")
    await person.add_webhook(f"https://93.184.215.14/{said}")
    await workspace.grant_role(who, Role.ADMIN)
    await workspace.create_key(f"key of {said}", principal=who)
    user = await workspace.add_user(
        WantedUser(
            user_name=who, external_id=f"ext {said}", attributes={"nickName": f"nick {said}"}
        )
    )
    await workspace.add_user_group(
        WantedGroup(display_name=f"friends of {said}", member_ids=(user.user_id,))
    )
    async with workspace.system_scope() as scope:
        await add_session(
            scope,
            NewSession(
                credential_id=f"session{said}",
                secret_hash=b"secret of a session".ljust(32, b"."),
                principal=who,
                groups=(),
                role=Role.ADMIN,
                issuer="https://issuer.example",
                subject=f"sub {said}",
                provider_session=None,
                lifetime=timedelta(hours=1),
            ),
        )
    return document_id


@pytest.fixture
async def engine(
    encryption: str, own_database: TestDatabase, own_settings: Settings
) -> AsyncIterator[Engine]:
    settings = own_settings.model_copy(update={"encryption": encryption, "identity": "keys"})
    async with await open_engine(settings) as opened:
        yield opened


async def test_an_export_has_everything_of_one_person_and_nothing_of_another(
    engine: Engine, own_database: TestDatabase
) -> None:
    workspace = await engine.workspace()
    of_pat, of_sam = await filled(workspace, PAT, "patty"), await filled(workspace, SAM, "sammy")
    await acting(workspace, PAT).share_collection("default")
    archive = await archive_of(workspace.export_person(PAT, with_files=True))
    assert set(archive.names) == {
        *(f"{name}.jsonl" for name in SECTIONS),
        f"files/{of_pat}/patty.md",
        "manifest.json",
    }
    assert {name for name in SECTIONS if archive[name]} == SECTIONS
    told = archive.text
    for part in (
        "About patty",
        "good, says patty",
        "patty.pdf",
        "nick patty",
        "friends of patty",
        "key of patty",
        "sub patty",
        "once patty",
        "patty says so",
    ):
        assert part in told, part
    # What others did is there only as far as it was about this person.
    assert "sammy" not in told
    assert SAM not in told
    assert str(of_sam) not in told
    for secret in ("secret_hash", "secret of a session", '"secret"'):
        assert secret not in told
    [question, answer] = archive["messages"]
    assert question["text"] == "How soon must a claim be reported?"
    assert answer["answer"]["citations"][0]["quote"] in NOTE
    assert answer["feedback"]["comment"] == "good, says patty"
    assert {each["query"] for each in archive["audit"]} >= {"How soon must a claim be reported?"}
    assert {each["principal"] for each in archive["audit"]} == {PAT, "local"}

    for each in archive.manifest["files"]:
        content = archive.zip.read(each["name"])
        assert each["sha256"] == hashlib.sha256(content).hexdigest()
        assert each["byte_size"] == len(content)
        assert each["records"] in (None, len(content.splitlines()))
    assert archive.manifest["left_out"] == dict(LEFT_OUT)

    with psycopg.connect(own_database.superuser_url) as connection:
        named_in = tables_with(connection, PAT)
    assert named_in <= {*COVERED, *LEFT_OUT}
    assert {"audit_log", "messages", "sessions", "users", "webhook_endpoints"} <= named_in


async def test_each_column_that_names_somebody_is_exported_or_left_out_with_a_reason(
    own_database: TestDatabase,
) -> None:
    with psycopg.connect(own_database.superuser_url) as connection:
        rows = connection.execute(
            """
            SELECT table_name, column_name FROM information_schema.columns
            WHERE table_schema = 'footnote' AND table_name NOT LIKE 'procrastinate%'
                AND udt_name IN ('text', '_text', 'jsonb', 'uuid', 'bytea', 'varchar')
            """
        ).fetchall()
    columns = set(rows)
    unknown = {
        f"{table}.{column}"
        for table, column in columns
        if NAMES_SOMEBODY.search(column)
        and column not in COVERED.get(table, ())
        and table not in LEFT_OUT
    }
    assert not unknown, "name them in footnote.store.personal_data, exported or with a reason"
    assert {(table, column) for table in COVERED for column in COVERED[table]} <= columns
    assert {*LEFT_OUT} <= {table for table, _ in columns}


async def test_somebody_absent_and_somebody_of_another_workspace_look_the_same(
    engine: Engine,
) -> None:
    workspace = await engine.workspace()
    await engine.create_workspace("elsewhere")
    await filled(await engine.workspace("elsewhere"), PAT, "patty")
    seen = []
    for who in (PAT, "nobody-at-all@example.com"):
        archive = await archive_of(workspace.export_person(who, with_files=True))
        assert "patty" not in archive.text
        seen.append([(each["name"], each["records"]) for each in archive.manifest["files"]])
        # That the export itself was begun is all that is known of them.
        assert [each["verb"] for each in archive["audit"]] == ["export_person"]
    assert seen[0] == seen[1]


async def test_exports_are_entered_with_whom_they_are_about_and_what_they_show(
    engine: Engine,
) -> None:
    workspace = await engine.workspace()
    of_pat = await filled(workspace, PAT, "patty")
    await archive_of(workspace.export_person(PAT))
    [*entries] = (await workspace.audit_entries(act=Act.EXPORTED)).entries
    assert {each.outcome for each in entries} == {"begun", "showing", "done"}
    assert {each.subject["principal_id"] for each in entries} == {PAT}
    assert of_pat in entries[0].documents


async def test_everybody_exports_themselves_and_administrators_alone_others(
    engine: Engine,
) -> None:
    workspace = await engine.workspace()
    await filled(workspace, PAT, "patty")
    await filled(workspace, SAM, "sammy")
    await workspace.set_legal_hold("case 7", principal_id=PAT)
    everything = await archive_of(workspace.export_person(PAT))
    assert "set_legal_hold" in everything.text  # who hands it on decides what the person is told
    reader = acting(workspace, PAT, Role.READER)
    archive = await archive_of(reader.export_self())
    assert "About patty" in archive.text
    assert "sammy" not in archive.text
    assert {each["principal"] for each in archive["audit"]} == {PAT}
    assert "set_legal_hold" not in archive.text
    with pytest.raises(Forbidden):
        await archive_of(reader.export_person(SAM))
    link = replace(reader, credential="link:0123456789abcdef")
    with pytest.raises(Forbidden):
        await archive_of(link.export_self())


async def test_more_than_a_page_is_exported_in_pieces(engine: Engine) -> None:
    workspace = await engine.workspace()
    person = acting(workspace, PAT)
    for _ in range(PAGE + 3):
        await person.create_conversation()
    pieces = [piece async for piece in workspace.export_person(PAT)]
    assert max(len(piece.content) for piece in pieces) < 200_000
    archive = Archive(b"".join(piece.content for piece in pieces))
    ids = [each["conversation_id"] for each in archive["conversations"]]
    assert len(set(ids)) == len(ids) == PAGE + 3


async def test_an_export_that_is_left_early_is_over(engine: Engine) -> None:
    workspace = await engine.workspace()
    await filled(workspace, PAT, "patty")
    pieces = workspace.export_person(PAT)
    await anext(pieces)
    await pieces.aclose()
    outcomes = {each.outcome for each in (await workspace.audit_entries()).entries}
    assert "begun" in outcomes


def tables_with(connection: psycopg.Connection[tuple[object, ...]], who: str) -> set[str]:
    """Every table in which somebody is named, by whatever column."""
    tables = connection.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'footnote'::regnamespace"
        " AND relkind IN ('r', 'p') AND relname NOT LIKE 'procrastinate%'"
    ).fetchall()
    return {
        str(name)
        for (name,) in tables
        if connection.execute(
            sql.SQL("SELECT EXISTS (SELECT FROM footnote.{} AS t WHERE t::text LIKE %s)").format(
                sql.Identifier(str(name))
            ),
            (f"%{who}%",),
        ).fetchone()
        == (True,)
    }
