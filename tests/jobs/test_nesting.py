"""Files inside files become children, of the right source, and not without end."""

from __future__ import annotations

import asyncio
import io
import zipfile
from email.message import EmailMessage
from hashlib import sha256

from footnote.domain import DocumentStatus, SourceType, Visibility
from footnote.engine import Engine, WorkspaceEngine
from footnote.ingestion.pipeline import MAX_DEPTH
from footnote.jobs.inline import work_until_resting
from footnote.store.database import SYSTEM
from footnote.store.document_locks import lock_family, wait_for_publications
from footnote.store.ingesting import open_version
from footnote.store.receiving import announce_change
from tests.jobs.test_ingest import ingest


def archive(**members: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        for name, member in members.items():
            packed.writestr(name.replace("_", "."), member)
    return content.getvalue()


def mail_around(name: str, content: bytes) -> bytes:
    message = EmailMessage()
    message["From"], message["To"] = "ann@example.org", "bob@example.org"
    message["Subject"] = f"With {name}"
    message.set_content("See the file.")
    message.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


async def test_a_member_of_an_archive_was_uploaded_and_that_of_a_mail_attached(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    inner = mail_around("note.txt", b"The winch is broken.")
    await ingest(
        engine, workspace, ("all.zip", archive(mail_eml=inner, terms_md=b"# Terms\n\nNo."))
    )
    documents = {each.filename: each for each in (await workspace.documents()).documents}
    assert {name: each.source_type for name, each in documents.items()} == {
        "all.zip": SourceType.UPLOAD,
        "mail.eml": SourceType.UPLOAD,
        "terms.md": SourceType.UPLOAD,
        "note.txt": SourceType.EMAIL_ATTACHMENT,
    }
    assert {each.status for each in documents.values()} == {DocumentStatus.INDEXED}


async def test_what_lies_too_deep_fails_alone_and_says_so(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    content = b"The innermost text."
    for number in range(MAX_DEPTH + 2):
        content = mail_around("inner.txt" if not number else f"mail{number}.eml", content)
    await ingest(engine, workspace, ("outer.eml", content))
    documents = (await workspace.documents(limit=50)).documents
    failed = [each for each in documents if each.status is DocumentStatus.FAILED]
    assert len(documents) == MAX_DEPTH + 2
    assert len(failed) == 1
    assert failed[0].failure is not None
    assert "one in another" in failed[0].failure.cause


async def test_an_upload_under_the_external_id_of_an_attachment_is_not_taken_for_it(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    mail = mail_around("note.txt", b"The winch is broken.")
    received = await workspace.receive(mail, "mail.eml", visibility=Visibility.PRIVATE)
    mail_id = received.document.document_id
    uploaded = await workspace.receive(b"My own note.", "own.txt", external_id=f"{mail_id}/0000")
    own_id = uploaded.document.document_id
    await work_until_resting(engine, workspace, [mail_id, own_id], lambda _: None)
    [attachment] = await workspace.children(mail_id)
    assert attachment.document_id != own_id
    assert attachment.visibility is Visibility.PRIVATE
    assert (await workspace.document(mail_id)).status is DocumentStatus.INDEXED
    own = await workspace.document(own_id)
    assert (own.version, own.filename, own.parent_id) == (1, "own.txt", None)


async def test_an_attachment_and_a_change_of_its_mail_wait_for_each_other_in_one_order(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    received = await workspace.receive(mail_around("note.txt", b"A note."), "mail.eml")
    mail_id = received.document.document_id
    version = await open_version(
        engine.database,
        engine.blobs,
        workspace_id=workspace.workspace_id,
        document_id=mail_id,
        version=1,
        lane=engine.lane,
        limits=engine.maintenance_limits,
    )
    assert version is not None

    async def attach(content: bytes) -> None:
        await version.attach(
            0,
            "note.txt",
            io.BytesIO(content),
            byte_size=len(content),
            content_sha256=sha256(content).hexdigest(),
            media_type="text/plain",
            source_type=SourceType.EMAIL_ATTACHMENT,
            failure=None,
        )

    await attach(b"The winch is broken.")
    async with engine.database.workspace(workspace.workspace_id, SYSTEM) as scope:
        # As deletions and changes of access lock.
        await wait_for_publications(scope, mail_id)
        await announce_change(scope)
        attaching = asyncio.create_task(attach(b"The winch is repaired."))
        waiting = (
            "SELECT FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        while not await scope.all(waiting):
            await asyncio.sleep(0.02)
            assert not attaching.done()
        assert len(await lock_family(scope, mail_id)) == 2
    await attaching
    [attachment] = await workspace.children(mail_id)
    assert attachment.version == 2
