"""Handing a file in is safe to repeat, is refused while too much waits, and leaves nothing lie."""

from __future__ import annotations

import asyncio
import hashlib
import io
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from footnote.domain import (
    DocumentStatus,
    Principal,
    Received,
    Role,
    SearchRequest,
    Visibility,
)
from footnote.engine import Engine, Services, WorkspaceEngine, open_engine
from footnote.engine.receiving import clean_name
from footnote.errors import (
    BlobsUnavailable,
    Conflict,
    DocumentUnreadable,
    InvalidRequest,
    NotFound,
    QueueFull,
)
from footnote.jobs.inline import receive_when_queue_has_room, work_until_resting
from footnote.jobs.maintenance import sweep
from footnote.ports import Blobs
from footnote.settings import Settings, settings_from
from footnote.store.database import SYSTEM
from footnote.store.publishing import MaintenanceLimits, delete_document
from footnote.store.receiving import estimate_retry_seconds
from tests.statements import recorded_statements


def blobs(engine: Services) -> list[Path]:
    return [path for path in (engine.settings.home / "blobs").rglob("*") if path.is_file()]


async def count(workspace: WorkspaceEngine, table: str) -> int:
    async with workspace.scope() as scope:
        row = await (
            await scope.connection.execute(f"SELECT count(*) AS n FROM {table}")
        ).fetchone()
    assert row is not None
    return int(row["n"])


async def index(engine: Engine, workspace: WorkspaceEngine, content: bytes, name: str) -> None:
    received = await workspace.receive(content, name, external_id=name)
    await work_until_resting(engine, workspace, [received.document.document_id], lambda _: None)


# --- deletions meanwhile ----------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"The new lease.", b"The old lease."], ids=["other", "same"])
async def test_what_is_handed_in_while_its_document_is_deleted_is_a_new_document(
    engine: Engine, workspace: WorkspaceEngine, content: bytes
) -> None:
    old = (await workspace.receive(b"The old lease.", "lease.txt", external_id="lease")).document
    tags = ("kept",)  # So that the same bytes change the document, too.
    limits = MaintenanceLimits(hnsw_threshold_chunks=1_000)
    async with engine.database.workspace(workspace.workspace_id, SYSTEM) as scope:
        await delete_document(scope, old.document_id, limits)
        receiving = asyncio.create_task(
            workspace.receive(content, "lease.txt", external_id="lease", tags=tags)
        )
        while not await scope.all("SELECT FROM pg_locks WHERE NOT granted"):
            await asyncio.sleep(0.02)
            assert not receiving.done()
    received = await receiving
    assert received.document.document_id != old.document_id
    assert (received.duplicate, received.new_version) == (False, False)
    listed = (await workspace.documents()).documents
    assert [(each.document_id, each.tags) for each in listed] == [
        (received.document.document_id, tags)
    ]


# --- idempotency keys -------------------------------------------------------------------------


async def test_a_repeated_request_gives_the_same_result(workspace: WorkspaceEngine) -> None:
    first = await workspace.receive(b"one text", "a.txt", idempotency_key="k")
    again = await workspace.receive(b"one text", "a.txt", idempotency_key="k")
    assert again == first
    assert not again.duplicate


async def test_requests_with_one_key_at_once_make_one_document(workspace: WorkspaceEngine) -> None:
    received = await asyncio.gather(
        *(workspace.receive(b"one text", "a.txt", idempotency_key="k") for _ in range(6))
    )
    assert len({each.document.document_id for each in received}) == 1
    assert not any(each.duplicate for each in received)
    assert await count(workspace, "blob_claims") == 0


async def test_the_same_bytes_under_two_ids_are_two_documents_each_with_its_own_words(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    text = b"The deductible is 2,500 euros."
    first = await workspace.receive(text, "a.txt", external_id="a", metadata={"of": "a"})
    second = await workspace.receive(text, "b.txt", external_id="b", metadata={"of": "b"})
    upload = await workspace.receive(text, "c.txt")
    assert not any(each.duplicate for each in (first, second, upload))
    changed = await workspace.receive(b"The notice is three months.", "a.txt", external_id="a")
    assert changed.document.document_id == first.document.document_id
    ids = [each.document.document_id for each in (first, second, upload)]
    await work_until_resting(engine, workspace, ids, lambda _: None)
    for each in (second, upload):
        kept = await workspace.document(each.document.document_id)
        assert (kept.version, kept.metadata) == (1, each.document.metadata)
        original = await workspace.original(kept.document_id)
        assert original.content == text


async def test_the_same_bytes_again_take_tags_and_metadata_that_come_with_them(
    workspace: WorkspaceEngine,
) -> None:
    text = b"The deductible is 2,500 euros."
    await workspace.receive(text, "a.txt", external_id="a", tags=("x",), metadata={"y": 1, "z": 1})
    again = await workspace.receive(text, "a.txt", external_id="a", metadata={"z": 2})
    assert again.duplicate
    assert (again.document.tags, again.document.metadata) == (("x",), {"y": 1, "z": 2})
    assert (await workspace.document(again.document.document_id)).metadata == {"y": 1, "z": 2}


async def test_a_key_of_other_bytes_is_refused_and_nothing_is_stored(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await workspace.receive(b"one text", "a.txt", idempotency_key="k")
    for content, given in (
        (b"another text", {}),
        (b"one text", {"collection": "elsewhere"}),
        (b"one text", {"tags": ["x"]}),
        (b"one text", {"metadata": {"y": 1}}),
        (b"one text", {"visibility": Visibility.PRIVATE}),
        (b"one text", {"shared_with": ["user:ann"]}),
    ):
        with pytest.raises(Conflict) as caught:
            await workspace.receive(content, "a.txt", idempotency_key="k", **given)
        assert caught.value.hint is not None
        assert "new key" in caught.value.hint
    assert (await workspace.stats()).documents == 1
    assert len(blobs(engine)) == 1


async def test_a_key_belongs_to_a_workspace_and_a_principal(engine: Engine) -> None:
    await engine.create_workspace("other")
    mine = await engine.workspace()
    for workspace in (
        mine,
        await engine.workspace("other"),
        await engine.workspace(principal=Principal(principal_id="alice")),
    ):
        content = f"a text of {workspace.principal} in {workspace.workspace.name}".encode()
        received = await workspace.receive(content, "a.txt", idempotency_key="k")
        assert not received.duplicate


async def test_a_repeated_request_shows_no_document_that_is_hidden_since(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    bob = await engine.workspace(principal=Principal(principal_id="bob", role=Role.WRITER))
    await workspace.receive(b"one text", "a.txt")
    first = await bob.receive(b"one text", "a.txt", idempotency_key="k")
    document_id = first.document.document_id
    await workspace.set_document_access(document_id, Visibility.PRIVATE)
    with pytest.raises(NotFound) as repeated:
        await bob.receive(b"one text", "a.txt", idempotency_key="k")
    with pytest.raises(NotFound) as absent:
        await bob.document(document_id)
    assert str(repeated.value) == str(absent.value)
    assert await count(workspace, "blob_claims") == 0


async def test_a_key_expires(engine: Engine, workspace: WorkspaceEngine) -> None:
    await workspace.receive(b"one text", "a.txt", idempotency_key="k")
    async with workspace.scope() as scope:
        await scope.connection.execute("UPDATE idempotency_keys SET expires_at = now()")
    received = await workspace.receive(b"another text", "a.txt", idempotency_key="k")
    assert not received.duplicate
    async with workspace.scope() as scope:
        await scope.connection.execute("UPDATE idempotency_keys SET expires_at = now()")
    await sweep(engine, workspace.workspace.workspace_id)
    assert await count(workspace, "idempotency_keys") == 0


@pytest.mark.parametrize("key", ["", "x" * 256, "a\nb"], ids=["empty", "long", "control"])
async def test_a_key_that_cannot_be_one_is_refused(workspace: WorkspaceEngine, key: str) -> None:
    with pytest.raises(InvalidRequest):
        await workspace.receive(b"one text", "a.txt", idempotency_key=key)


# --- new versions for fewer -------------------------------------------------------------------

BOARD, CREW = "group:board", "group:crew"


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ({}, {"shared_with": [BOARD]}),
        ({}, {"visibility": Visibility.PRIVATE}),
        ({}, {"visibility": Visibility.COLLECTION}),
        ({"visibility": Visibility.COLLECTION}, {"shared_with": [BOARD]}),
        ({"shared_with": [BOARD, CREW]}, {"shared_with": [BOARD]}),
        (
            {"visibility": Visibility.COLLECTION, "shared_with": [CREW]},
            {"visibility": Visibility.COLLECTION, "shared_with": [BOARD]},
        ),
    ],
    ids=["list", "private", "collection", "of a collection", "fewer names", "other names"],
)
async def test_a_new_version_for_fewer_than_see_the_document_is_refused(
    workspace: WorkspaceEngine, before: dict[str, Any], wanted: dict[str, Any]
) -> None:
    first = await workspace.receive(b"one text", "a.txt", external_id="a", **before)
    with pytest.raises(Conflict, match="was to be seen by fewer") as refused:
        await workspace.receive(b"another text", "a.txt", external_id="a", **wanted)
    assert "who may see the document" in (refused.value.hint or "")
    again = await workspace.receive(b"one text", "a.txt", external_id="a", **wanted)
    assert (again.duplicate, again.document) == (True, first.document)


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ({"shared_with": [BOARD]}, {}),
        ({"shared_with": [BOARD]}, {"shared_with": [BOARD, CREW]}),
        ({"shared_with": [BOARD]}, {"visibility": Visibility.PRIVATE}),
        ({"shared_with": [BOARD]}, {"visibility": Visibility.WORKSPACE}),
        ({"visibility": Visibility.COLLECTION}, {"visibility": Visibility.COLLECTION}),
    ],
    ids=["nothing said", "more names", "no list", "wider", "the same"],
)
async def test_a_new_version_for_as_many_keeps_who_sees_the_document(
    workspace: WorkspaceEngine, before: dict[str, Any], wanted: dict[str, Any]
) -> None:
    first = await workspace.receive(b"one text", "a.txt", external_id="a", **before)
    again = await workspace.receive(b"another text", "a.txt", external_id="a", **wanted)
    assert again.new_version
    assert again.document.visibility is first.document.visibility


# --- back-pressure ----------------------------------------------------------------------------


@pytest.fixture
async def crowded(settings: Settings) -> AsyncIterator[WorkspaceEngine]:
    """A workspace in which two documents may wait."""
    async with await open_engine(
        settings_from(settings, {"document_limits": {"queued": 2}})
    ) as engine:
        workspace = await engine.workspace()
        for number in range(2):
            await workspace.receive(f"text {number}".encode(), f"{number}.txt")
        yield workspace


async def test_a_full_queue_refuses_and_says_when_to_come_again(crowded: WorkspaceEngine) -> None:
    with pytest.raises(QueueFull) as caught:
        await crowded.receive(b"one more", "more.txt")
    assert caught.value.retryable
    assert 1 <= caught.value.retry_after_seconds <= 60
    assert len(blobs(crowded.engine)) == 2
    assert (await crowded.receive(b"", "empty.txt")).document.status is DocumentStatus.FAILED


async def test_another_workspace_is_not_refused(crowded: WorkspaceEngine) -> None:
    assert isinstance(crowded.engine, Engine)
    await crowded.engine.create_workspace("other")
    await (await crowded.engine.workspace("other")).receive(b"one more", "more.txt")


@pytest.mark.usefixtures("own_database")
async def test_the_limit_of_all_workspaces_counts_each(settings: Settings) -> None:
    settings = settings_from(settings, {"document_limits": {"queued": 1}})
    async with await open_engine(settings) as engine:
        for number in range(10):
            await engine.create_workspace(f"w{number}")
            await (await engine.workspace(f"w{number}")).receive(b"one text", "a.txt")
        with pytest.raises(QueueFull, match="too many documents wait"):
            await (await engine.workspace()).receive(b"one more", "more.txt")


async def test_who_indexes_meanwhile_gets_everything_in(crowded: WorkspaceEngine) -> None:
    heard: list[QueueFull] = []
    for number in range(5):
        receive = partial(crowded.receive, b"more %d" % number, f"more-{number}.txt")
        await receive_when_queue_has_room(crowded, receive, work=True, tell=heard.append)
    assert (await crowded.stats()).documents == 7
    assert "2 documents of this workspace wait" in str(heard[0])


def test_the_wait_grows_with_the_queue_and_stays_bearable() -> None:
    waits = [estimate_retry_seconds(seconds) for seconds in (0, 50, 600, 3600, 1e9)]
    assert waits == [1, 1, 6, 36, 60]


# --- blobs without a document -----------------------------------------------------------------


@dataclass(frozen=True)
class FailsAfterWriting:
    """Blobs whose writing seems to fail although the bytes are there."""

    inner: object

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    async def put(self, key: str, content: bytes) -> None:
        await self.inner.put(key, content)  # type: ignore[attr-defined]
        raise BlobsUnavailable("the connection was lost")


async def test_bytes_whose_document_was_never_written_are_swept(
    engine: Engine, workspace: WorkspaceEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = await workspace.receive(b"one text", "a.txt")
    whole = engine.blobs
    monkeypatch.setattr(engine, "blobs", FailsAfterWriting(whole))
    for content in (b"one text", b"another text"):
        with pytest.raises(BlobsUnavailable):
            await workspace.receive(content, "b.txt", collection="elsewhere")
    monkeypatch.setattr(engine, "blobs", whole)
    workspace_id = workspace.workspace.workspace_id
    assert await sweep(engine, workspace_id) == 0, "their time of grace is not over"
    assert len(blobs(engine)) == 2
    assert await sweep(engine, workspace_id, grace_seconds=0) == 1
    assert [path.name for path in blobs(engine)] == [kept.document.content_sha256]
    assert await count(workspace, "blob_claims") == 0


@dataclass
class Removing:
    """A blob store in which something happens while it removes."""

    blobs: Blobs
    meanwhile: Callable[[], Awaitable[object]]

    async def delete(self, key: str) -> None:
        await self.meanwhile()
        await self.blobs.delete(key)


async def test_bytes_that_come_again_while_they_are_removed_are_kept_elsewhere(
    engine: Engine, workspace: WorkspaceEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = (await workspace.receive(b"one text", "a.txt")).document
    whole, again = engine.blobs, list[Received]()

    async def hand_in() -> None:
        monkeypatch.setattr(engine, "blobs", whole)
        async with asyncio.timeout(600):  # no transaction of the removal may be in its way
            again.append(await workspace.receive(b"one text", "b.txt"))

    monkeypatch.setattr(engine, "blobs", Removing(whole, hand_in))
    await workspace.delete_document(first.document_id)
    [received] = again
    assert not received.duplicate
    [blob] = blobs(engine)
    assert blob.name == received.document.content_sha256
    assert blob.read_bytes() == b"one text"
    workspace_id = workspace.workspace.workspace_id
    assert (await workspace.receive(b"one text", "c.txt")).duplicate
    await sweep(engine, workspace_id, grace_seconds=0)
    assert blobs(engine) == [blob], "what a duplicate wrote under the first key is gone"
    assert await count(workspace, "blob_claims") == 0


async def test_a_removal_that_was_cut_off_is_repeated(
    engine: Engine, workspace: WorkspaceEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = (await workspace.receive(b"one text", "a.txt")).document
    whole = engine.blobs

    async def die() -> None:
        raise BlobsUnavailable("the store went away")

    monkeypatch.setattr(engine, "blobs", Removing(whole, die))
    with pytest.raises(BlobsUnavailable):
        await workspace.delete_document(document.document_id)
    monkeypatch.setattr(engine, "blobs", whole)
    workspace_id = workspace.workspace.workspace_id
    assert len(blobs(engine)) == 1
    assert await sweep(engine, workspace_id) == 0, "somebody may be at it"
    assert await sweep(engine, workspace_id, grace_seconds=0) == 1
    assert blobs(engine) == []
    assert await count(workspace, "blob_claims") == 0


async def test_files_are_removed_by_as_many_statements_whether_they_are_few_or_many(
    engine: Engine, workspace: WorkspaceEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    for attachments in (2, 40):
        parent = (await workspace.receive(f"with {attachments}".encode(), "m.eml")).document
        for number in range(attachments):
            await workspace.receive(f"{number} of {attachments}".encode(), f"{number}.txt")
        async with workspace.scope() as scope:
            await scope.execute(
                "UPDATE documents SET parent_id = %(parent)s WHERE document_id <> %(parent)s",
                {"parent": parent.document_id},
            )
        assert len(blobs(engine)) == attachments + 1
        with monkeypatch.context() as patched:
            statements = recorded_statements(patched)
            await workspace.delete_document(parent.document_id)
        assert blobs(engine) == []
        assert await count(workspace, "blob_claims") == 0
        counts.append(len(statements))
    assert counts[0] == counts[1]


async def test_bytes_that_are_handed_in_while_their_document_is_deleted_stay(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    for _ in range(5):
        known = await workspace.receive(b"one text", "a.txt")
        _, received = await asyncio.gather(
            workspace.delete_document(known.document.document_id),
            workspace.receive(b"one text", "a.txt", collection="elsewhere"),
        )
        assert len(blobs(engine)) == 1
        await workspace.delete_document(received.document.document_id)
        assert not blobs(engine)


# --- another try ------------------------------------------------------------------------------


async def test_a_failed_document_is_tried_again_as_the_same_version(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await index(engine, workspace, b"%PDF-1.7 broken", "a.pdf")
    [failed] = (await workspace.documents()).documents
    assert failed.status is DocumentStatus.FAILED
    queued = await workspace.retry(failed.document_id)
    assert (queued.status, queued.version, queued.failure) == (DocumentStatus.QUEUED, 1, None)
    assert await workspace.retry(failed.document_id) == queued, "once is enough"
    async with engine.database.outside() as connection:
        rows = await (
            await connection.execute(
                "SELECT attempts FROM procrastinate_jobs WHERE queue_name = 'ingest'"
            )
        ).fetchall()
    assert rows == [{"attempts": 0}]
    done = await work_until_resting(engine, workspace, [failed.document_id], lambda _: None)
    assert done[failed.document_id].status is DocumentStatus.FAILED


async def test_an_indexed_document_is_not_tried_again(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await index(engine, workspace, b"one text", "a.txt")
    [indexed] = (await workspace.documents()).documents
    with pytest.raises(Conflict, match="nothing to try again"):
        await workspace.retry(indexed.document_id)


async def test_a_document_without_bytes_says_what_to_do(
    engine: Engine, workspace: WorkspaceEngine, tmp_path: Path, settings: Settings
) -> None:
    path = tmp_path / "large.txt"
    path.write_text("The deductible is 2,500 euros. " * 100)
    small = settings_from(settings, {"document_limits": {"bytes": 100}})
    async with await open_engine(small) as strict:
        received = await (await strict.workspace()).receive_file(path)
        failed = received.document
    with pytest.raises(DocumentUnreadable, match="never taken in") as caught:
        await workspace.retry(failed.document_id)
    assert "hand the file in once more" in caught.value.advice
    [retried] = await workspace.retry_failed()
    assert "hand the file in once more" in retried.refusal
    await workspace.receive_file(path)
    await work_until_resting(engine, workspace, [failed.document_id], lambda _: None)
    document = await workspace.document(failed.document_id)
    assert document.status is DocumentStatus.INDEXED
    assert document.media_type == "text/plain"


async def test_bytes_that_would_not_be_accepted_are_not_tried_again(
    workspace: WorkspaceEngine,
) -> None:
    received = await workspace.receive(bytes(range(256)) * 8, "noise.bin")
    with pytest.raises(DocumentUnreadable, match="type that cannot be read"):
        await workspace.retry(received.document.document_id)


# --- erasure ----------------------------------------------------------------------------------


async def test_an_erased_document_is_found_nowhere(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    for number in range(10):  # more than a merge takes, so that segments are shared
        await index(
            engine, workspace, f"Common words and number{number}.".encode(), f"{number}.txt"
        )
    for version in (1, 2):
        await index(engine, workspace, f"# Secret\n\nZanzibar {version}.".encode(), "secret.md")
    [secret] = [d for d in (await workspace.documents()).documents if d.filename == "secret.md"]
    assert (await workspace.search(SearchRequest(query="Zanzibar"))).evidence
    erasure = await workspace.erase_document(secret.document_id)
    assert erasure.complete
    held = {check.place: check.held for check in erasure.checks}
    for place in ("documents", "chunks", "document_versions", "posting lists", "blobs"):
        assert held[place] > 0, place
    assert held["document_versions"] == held["blobs"] == 2
    found = await workspace.search(SearchRequest(query="Zanzibar"))
    assert secret.document_id not in {each.passage.document_id for each in found.evidence}
    assert (await workspace.search(SearchRequest(query="number3"))).evidence
    assert len(blobs(engine)) == 10
    async with workspace.scope() as scope:
        row = await (
            await scope.connection.execute(
                "SELECT count(*) AS n FROM segments WHERE NOT isempty(dead)"
            )
        ).fetchone()
    assert row == {"n": 0}


async def test_bytes_of_another_document_survive_an_erasure(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    gone = await workspace.receive(b"one text", "a.txt", collection="left")
    await workspace.receive(b"one text", "a.txt", collection="right")
    erasure = await workspace.erase_document(gone.document.document_id)
    assert erasure.complete
    assert len(blobs(engine)) == 1


async def test_a_trace_that_is_left_is_told(engine: Engine, workspace: WorkspaceEngine) -> None:
    received = await workspace.receive(b"one text", "a.txt")
    async with workspace.scope() as scope:
        await scope.connection.execute(
            "UPDATE procrastinate_jobs SET status = 'doing' WHERE queue_name = 'ingest'"
        )
    erasure = await workspace.erase_document(received.document.document_id)
    assert not erasure.complete
    assert {check.place: check.left for check in erasure.checks}["queued jobs"] == 1


# --- names ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\Akte 7.docx", "Akte 7.docx"),
        ("..", "unnamed"),
        ("docs/..", "unnamed"),
        ("/", "unnamed"),
        ("\0\x1b", "unnamed"),
        ("a\x07\x1b[31mb.txt", "a[31mb.txt"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("half\ud800.txt", "half.txt"),
        ("9.41\u202fAM\u3000new.png", "9.41 AM new.png"),
        (".gitignore", ".gitignore"),
        ("x" * 400 + ".md", "x" * 252 + ".md"),
        ("y" * 400, "y" * 255),
        ("z." + "e" * 400, "z." + "e" * 253),
    ],
    ids=lambda name: ascii(name)[:40],
)
def test_a_name_is_kept_without_what_could_mislead(given: str, kept: str) -> None:
    assert clean_name(given) == kept
    assert clean_name(kept) == kept


async def test_a_long_name_keeps_the_ending_that_tells_its_type(
    workspace: WorkspaceEngine,
) -> None:
    received = await workspace.receive(b"a,b\n1,2\n", "x" * 400 + ".csv")
    assert received.document.media_type == "text/csv"
    refused = await workspace.receive(b"\0\1" * 50, "dir/no\x1bise" + "e" * 400 + ".bin")
    assert refused.document.failure is not None
    assert received.document.filename.endswith("x.csv")
    assert "\x1b" not in refused.document.failure.cause
    assert "dir/" not in refused.document.failure.cause


# --- files that change ------------------------------------------------------------------------


class Rewritten(io.FileIO):
    """A file that somebody writes to each time it has been read, as often as is told."""

    def __init__(self, path: Path, texts: list[bytes]) -> None:
        super().__init__(path, "r")
        self._path, self._texts = path, texts

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if offset == 0 and whence == io.SEEK_SET and self.tell() > 0 and self._texts:
            self._path.write_bytes(self._texts.pop(0))
        return super().seek(offset, whence)


BEFORE = b"The deductible is 2,500 euros.\n" * 400_000
"""Of more than the pieces in which it is stored."""


@pytest.mark.parametrize(
    "after",
    [b"The deductible is 9,900 euros.\n" * 400_000, BEFORE + b"More.\n", BEFORE[:-31], b"Short."],
    ids=["as long", "longer", "shorter", "in one piece"],
)
@pytest.mark.parametrize("encryption", ["off", "on"])
async def test_a_file_that_changes_while_it_is_read_is_read_again(
    settings: Settings, tmp_path: Path, encryption: str, after: bytes
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(BEFORE)
    async with await open_engine(settings_from(settings, {"encryption": encryption})) as engine:
        workspace = await engine.workspace((await engine.create_workspace("changing")).name)
        with io.BufferedReader(Rewritten(path, [after])) as content:
            received = await workspace.receive_stream(content, "a.txt")
        sha256 = hashlib.sha256(after).hexdigest()
        assert received.document.byte_size == len(after)
        [kept] = blobs(engine)
        assert kept.name == sha256
        async for key in engine.blobs.list():
            with await engine.blobs.open(key) as stored:
                assert stored.read() == after


async def test_a_file_that_always_changes_is_refused_and_none_of_it_kept(
    engine: Engine, workspace: WorkspaceEngine, tmp_path: Path
) -> None:
    path, before = tmp_path / "a.txt", set(blobs(engine))
    path.write_bytes(b"One text.")
    texts = [b"%d texts." % number for number in range(50)]
    with (
        io.BufferedReader(Rewritten(path, texts)) as content,
        pytest.raises(InvalidRequest, match=r"a\.txt: it changed while it was read"),
    ):
        await workspace.receive_stream(content, "a.txt")
    assert set(blobs(engine)) == before
    assert (await workspace.documents()).documents == ()
