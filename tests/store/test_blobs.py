"""Every place of blobs keeps the same promises: a folder, memory, and a server that speaks S3."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from uuid import UUID, uuid4

import obstore
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from obstore.store import MemoryStore, S3Store

import footnote
from footnote.domain import DocumentStatus
from footnote.engine.pages import BlobsWithPages
from footnote.errors import (
    BlobDamaged,
    BlobsUnavailable,
    NotFound,
    UnsupportedSettings,
)
from footnote.ports import Blobs
from footnote.settings import Settings
from footnote.store.blobs import LocalBlobs, StoredBlobs, blob_key, blobs_from
from footnote.store.object_stores import store_at
from footnote.store.sealed_blobs import SealedBlobs
from tests.store.s3_server import S3Server, s3_server

PLACES = ["folder", "memory", "s3"]


@dataclass(frozen=True, slots=True)
class Place:
    """Blobs, and a way to spoil what they keep behind their back."""

    blobs: Blobs
    overwrite: Callable[[str, bytes], Awaitable[object]]


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    with s3_server() as server:
        yield server


def s3_place(server: S3Server) -> Place:
    url = f"{server.make_bucket(f'bucket-{uuid4().hex}')}/some/prefix"
    blobs = blobs_from(Path("unused"), url, server.options)
    assert isinstance(blobs, StoredBlobs)
    store = blobs.store
    assert isinstance(store, S3Store)
    return Place(blobs, lambda key, content: obstore.put_async(store, key, content))


def folder_place(folder: Path) -> Place:
    async def overwrite(key: str, content: bytes) -> None:
        (folder / key).write_bytes(content)

    return Place(blobs_from(folder, None, None), overwrite)


@pytest.fixture(params=PLACES)
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    if request.param == "folder":
        yield folder_place(tmp_path / "blobs")
    elif request.param == "memory":
        store = MemoryStore()
        yield Place(StoredBlobs(store), lambda key, content: obstore.put_async(store, key, content))
    else:
        yield s3_place(request.getfixturevalue("s3"))


async def read(blobs: Blobs, key: str) -> bytes:
    """What is kept under a key."""
    with await blobs.open(key) as file:
        return file.read()


def key_of(content: bytes, workspace_id: UUID | None = None) -> str:
    return blob_key(workspace_id or uuid4(), hashlib.sha256(content).hexdigest())


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(content=st.binary(max_size=4096))
async def test_what_is_put_is_what_is_got(place: Place, content: bytes) -> None:
    key = key_of(content)
    await place.blobs.put(key, content)
    assert await read(place.blobs, key) == content


async def test_many_megabytes_come_back(place: Place) -> None:
    content = bytes(range(256)) * 4096 * 12
    key = key_of(content)
    await place.blobs.put(key, content)
    assert await read(place.blobs, key) == content


async def test_a_file_is_stored_from_its_beginning_in_pieces(place: Place) -> None:
    content = bytes(range(256)) * 80_000
    file = BytesIO(content)
    file.seek(7)
    key = key_of(content)
    await place.blobs.put(key, file)
    assert await read(place.blobs, key) == content


async def test_putting_again_changes_nothing(place: Place) -> None:
    key = key_of(b"same")
    await place.blobs.put(key, b"same")
    await place.blobs.put(key, b"same")
    assert await read(place.blobs, key) == b"same"
    assert [each async for each in place.blobs.list()] == [key]


async def test_what_was_never_put_is_not_found(place: Place) -> None:
    key = key_of(b"never")
    assert not await place.blobs.exists(key)
    with pytest.raises(NotFound, match="missing"):
        await read(place.blobs, key)


async def test_what_is_deleted_is_gone_and_deleting_again_is_fine(place: Place) -> None:
    key = key_of(b"short-lived")
    await place.blobs.put(key, b"short-lived")
    assert await place.blobs.exists(key)
    await place.blobs.delete(key)
    await place.blobs.delete(key)
    assert not await place.blobs.exists(key)


async def test_the_keys_of_one_workspace_are_listed_and_no_others(place: Place) -> None:
    mine, yours = uuid4(), uuid4()
    contents = [f"file {number}".encode() for number in range(60)]
    for content in contents:
        await place.blobs.put(key_of(content, mine), content)
    await place.blobs.put(key_of(b"theirs", yours), b"theirs")
    found = [each async for each in place.blobs.list(str(mine))]
    assert sorted(found) == sorted(key_of(content, mine) for content in contents)
    assert [each async for each in place.blobs.list(str(uuid4()))] == []


async def test_damaged_bytes_are_not_given_back_and_putting_anew_heals(place: Place) -> None:
    key = key_of(b"the truth")
    await place.blobs.put(key, b"the truth")
    await place.overwrite(key, b"the trust")
    with pytest.raises(BlobDamaged) as caught:
        await read(place.blobs, key)
    assert not caught.value.retryable
    await place.blobs.put(key, b"the truth")
    assert await read(place.blobs, key) == b"the truth"


async def test_a_folder_of_before_is_read_as_it_was_written(tmp_path: Path) -> None:
    key = key_of(b"kept")
    path = tmp_path / key
    path.parent.mkdir(parents=True)
    path.write_bytes(b"kept")
    assert await read(LocalBlobs(tmp_path), key) == b"kept"
    assert path.relative_to(tmp_path).parts[1:] == (path.name[:2], path.name)


async def test_a_store_that_does_not_answer_can_be_tried_again() -> None:
    options = (
        '{"endpoint": "http://127.0.0.1:1", "access_key_id": "a", "secret_access_key": "b",'
        ' "region": "us-east-1"}'
    )
    blobs = blobs_from(Path("unused"), "s3://bucket", options)
    for attempt in (blobs.put(key_of(b"x"), b"x"), read(blobs, key_of(b"x"))):
        with pytest.raises(BlobsUnavailable) as caught:
            await attempt
        assert caught.value.retryable
        assert str(caught.value).endswith("cannot be used: it does not answer")


async def test_a_bucket_that_is_not_there_is_no_missing_file(s3: S3Server) -> None:
    blobs = blobs_from(Path("unused"), "s3://no-such-bucket", s3.options)
    for attempt in (blobs.put(key_of(b"x"), b"x"), read(blobs, key_of(b"x"))):
        with pytest.raises(BlobsUnavailable, match="bucket"):
            await attempt


@pytest.mark.parametrize(
    ("url", "options", "said"),
    [
        ("ftp://host/folder", None, "blob_url cannot be used: it names no object store"),
        ("nonsense", None, "blob_url cannot be used: it names no object store"),
        ("az://", None, "blob_url cannot be used: it names no bucket or container"),
        ("s3:///prefix", None, "blob_url cannot be used: it names no bucket or container"),
        ("s3://bucket", "{", "blob_options cannot be used: it is not JSON"),
        ("s3://bucket", "[1]", "blob_options cannot be used: it is not a JSON object"),
        (
            "s3://bucket",
            '{"region": "a", "region": "b"}',
            "blob_options cannot be used: it has 'region' more than once",
        ),
        ("s3://bucket", '{"a":' * 9000 + "1" + "}" * 9000, "it is nested too deeply"),
        ("s3://bucket", '{"default_headers": {"a": {"b": 1}}}', "must be a JSON object of texts"),
        (
            "gs://bucket",
            '{"service_account": "/no/such/key.json"}',
            "its option service_account names a file that is not there",
        ),
        ("s3://bucket", '{"colour": "blue"}', "blob_options cannot be used: it holds 'colour'"),
        (
            "s3://bucket",
            '{"endpoint": "minio:9000"}',
            "its option endpoint must be an address that begins with",
        ),
        ("az://container", None, "blob_options cannot be used: it lacks account_name"),
        ("gs://bucket", '{"service_account_key": "x"}', "blob_options cannot be used: "),
    ],
)
def test_settings_that_name_no_store_are_refused(url: str, options: str | None, said: str) -> None:
    with pytest.raises(UnsupportedSettings) as caught:
        blobs_from(Path("unused"), url, options)
    assert said in str(caught.value)
    assert "Generic" not in str(caught.value)
    assert caught.value.hint


async def test_documents_live_in_an_object_store_and_say_when_it_damaged_them(
    settings: Settings, s3: S3Server
) -> None:
    url = s3.make_bucket(f"bucket-{uuid4().hex}")
    overrides = {"blob_url": url, "blob_options": s3.options, "document_limits": {"attempts": 1}}
    async with footnote.open(footnote.settings.settings_from(settings, overrides)) as engine:
        workspace = await engine.workspace()
        kept = await workspace.receive(b"The anchor is rusty.", "kept.txt")
        spoilt = await workspace.receive(b"The buoy is red.", "spoilt.txt")
        assert isinstance(engine.blobs, BlobsWithPages)
        assert isinstance(engine.blobs.blobs, SealedBlobs)
        blobs = engine.blobs.blobs.stored
        assert isinstance(blobs, StoredBlobs)
        key = blob_key(workspace.workspace.workspace_id, spoilt.document.content_sha256)
        await obstore.put_async(blobs.store, key, b"The buoy is green.")
        ids = [kept.document.document_id, spoilt.document.document_id]
        rested = await footnote.work_until_resting(engine, workspace, ids)
        assert rested[ids[0]].status is DocumentStatus.INDEXED
        failure = rested[ids[1]].failure
        assert failure is not None
        assert not failure.retryable
        assert "spoilt.txt" in failure.cause
        assert str(ids[1]) in failure.cause
        await workspace.receive(b"The buoy is red.", "spoilt.txt")
        rested = await footnote.work_until_resting(engine, workspace, ids)
        assert {each.status for each in rested.values()} == {DocumentStatus.INDEXED}
        for document_id in ids:
            await workspace.delete_document(document_id)
        assert [each async for each in blobs.list()] == []


@pytest.mark.parametrize(("name", "folder"), [("backup_url", True), ("blob_url", False)])
def test_a_folder_is_offered_where_backups_may_lie_in_one(name: str, folder: bool) -> None:
    with pytest.raises(UnsupportedSettings) as caught:
        store_at("ftp://host/folder", None, name, "options")
    assert ("a folder" in str(caught.value.hint)) is folder
