"""A prefix of an object store is followed like a folder, by its ETags."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import obstore
import pytest
from pydantic import SecretStr

from footnote.domain.sources import Labels
from footnote.engine import WorkspaceEngine
from footnote.errors import SourceUnreachable, UnsupportedSettings
from footnote.jobs.sources.addresses import source_at
from footnote.jobs.sources.following import Step, follow
from footnote.jobs.sources.objects import ObjectSource
from footnote.settings import Settings
from tests.store.s3_server import S3Server, s3_server


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    with s3_server() as server:
        yield server


def a_source(s3: S3Server, url: str) -> ObjectSource:
    source = source_at(
        url, Settings(source_options=SecretStr(s3.options), document_limits='{"bytes": 1000}')
    )
    assert isinstance(source, ObjectSource)
    return source


async def followed(workspace: WorkspaceEngine, source: ObjectSource) -> dict[str, str]:
    steps: list[Step] = [
        step
        async for step in follow(
            workspace, source, Labels(), delete_missing=True, retry_failed=True
        )
    ]
    return {step.external_id.rpartition("/")[2]: step.verdict for step in steps}


async def test_objects_are_added_changed_renamed_and_removed(
    workspace: WorkspaceEngine, s3: S3Server
) -> None:
    bucket = s3.make_bucket(f"bucket-{uuid4().hex}")
    source = a_source(s3, f"{bucket}/papers/")
    outside = a_source(s3, bucket).store
    await obstore.put_async(outside, "elsewhere/x.txt", b"Not below the prefix.")
    for name in ("a", "b", "c"):
        await obstore.put_async(source.store, f"deep/{name}.txt", f"The text {name}.".encode())
    await obstore.put_async(source.store, "deep/.hidden", b"Hidden.")
    assert await followed(workspace, source) == {
        "a.txt": "added",
        "b.txt": "added",
        "c.txt": "added",
    }
    assert set((await followed(workspace, source)).values()) == {"unchanged"}
    await obstore.put_async(source.store, "deep/a.txt", b"The text a, changed.")
    await obstore.rename_async(source.store, "deep/b.txt", "deep/z.txt")
    await obstore.delete_async(source.store, "deep/c.txt")
    assert await followed(workspace, source) == {
        "a.txt": "changed",
        "z.txt": "renamed",
        "c.txt": "removed",
    }
    page = await workspace.documents()
    assert {each.external_id for each in page.documents} == {
        f"{bucket}/papers/deep/a.txt",
        f"{bucket}/papers/deep/z.txt",
    }


async def test_an_object_that_is_too_large_is_refused_alone(
    workspace: WorkspaceEngine, s3: S3Server
) -> None:
    source = a_source(s3, s3.make_bucket(f"bucket-{uuid4().hex}"))
    await obstore.put_async(source.store, "large.txt", b"x" * 1001)
    await obstore.put_async(source.store, "small.txt", b"A small text.")
    assert await followed(workspace, source) == {"large.txt": "refused", "small.txt": "added"}


async def test_a_bucket_that_is_not_there_deletes_nothing(
    workspace: WorkspaceEngine, s3: S3Server
) -> None:
    with pytest.raises(SourceUnreachable):
        await followed(workspace, a_source(s3, "s3://no-such-bucket"))


@pytest.mark.parametrize(
    ("url", "wanted"), [("s3://papers", "access_key_id"), ("gs://papers", "service_account")]
)
async def test_a_store_without_credentials_says_which_it_wants(
    url: str, wanted: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in os.environ:
        if name.startswith(("AWS_", "GOOGLE_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    source = source_at(url, Settings())
    with pytest.raises(UnsupportedSettings, match=f"{url} cannot be read: it wants cred") as caught:
        await source.listing()
    assert "169.254" not in str(caught.value)
    assert "FOOTNOTE_SOURCE_OPTIONS" in str(caught.value.hint)
    assert wanted in str(caught.value.hint)
