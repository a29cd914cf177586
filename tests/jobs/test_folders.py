"""Documents follow their files: what did not change is not read, what moved stays itself."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from footnote.domain import Document, Received, Visibility
from footnote.domain.sources import Labels, Offered
from footnote.engine import Engine, WorkspaceEngine, sources
from footnote.errors import StoreUnavailable
from footnote.interfaces.cli.paths import entries, location_of
from footnote.jobs.inline import work_until_resting
from footnote.jobs.sources.folders import FolderSource
from footnote.jobs.sources.following import Step, follow
from footnote.jobs.sources.watching import watch

PATIENCE_SECONDS = 600
NO_LABELS = Labels()


def count_of(verdict: str, steps: list[Step]) -> int:
    return sum(each.verdict == verdict for each in steps)


@dataclass(slots=True)
class Shelf:
    """A folder, and the paths that were read from it."""

    folder: Path
    workspace: WorkspaceEngine
    read: list[str] = field(default_factory=list)

    def write(self, name: str, text: str, age_seconds: float = 100) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        written = path.stat().st_mtime - age_seconds
        os.utime(path, (written, written))
        return path

    async def receive(self, workspace: WorkspaceEngine, path: Path, labels: Labels) -> Received:
        self.read.append(path.name)
        with path.open("rb") as content:
            return await workspace.receive_stream(
                content,
                path.name,
                collection=labels.collection,
                external_id=location_of(path),
                tags=labels.tags,
                visibility=labels.visibility,
                former=labels.former,
            )

    def source(self, settle_seconds: float = 0) -> FolderSource:
        return FolderSource(
            list_files=lambda: list(entries([self.folder])),
            identify=location_of,
            receive=self.receive,
            roots=(self.folder,),
            settle_seconds=settle_seconds,
        )

    async def follow(
        self, *, delete_missing: bool = False, labels: Labels = NO_LABELS, settle_seconds: float = 0
    ) -> list[Step]:
        self.read.clear()
        source = self.source(settle_seconds)
        steps = follow(
            self.workspace, source, labels, delete_missing=delete_missing, retry_failed=True
        )
        return [step async for step in steps]

    async def mark_of(self, name: str) -> str:
        """What tells this state of a file from others."""
        offered = (await self.source().listing()).offered
        return next(each.mark for each in offered if Path(each.external_id).name == name)

    async def everything(self) -> tuple[Document, ...]:
        return (await self.workspace.documents(limit=500)).documents

    async def documents(self) -> dict[str, Document]:
        page = await self.workspace.documents(limit=500)
        return {each.filename: each for each in page.documents}


@pytest.fixture
def shelf(workspace: WorkspaceEngine, tmp_path: Path) -> Shelf:
    folder = tmp_path / "shelf"
    folder.mkdir()
    return Shelf(folder, workspace)


def verdicts(steps: list[Step]) -> dict[str, str]:
    return {Path(step.external_id).name: step.verdict for step in steps}


async def test_a_second_run_over_an_unchanged_folder_reads_nothing(shelf: Shelf) -> None:
    for number in range(5):
        shelf.write(f"deep/{number}.txt", f"The text number {number}.")
    assert count_of("added", await shelf.follow()) == 5
    again = await shelf.follow()
    assert shelf.read == []
    assert count_of("unchanged", again) == 5


async def test_only_what_changed_is_read(shelf: Shelf) -> None:
    shelf.write("a.txt", "The first text.")
    shelf.write("b.txt", "The second text.")
    await shelf.follow()
    shelf.write("b.txt", "The second text, changed.")
    shelf.write("c.txt", "The third text.")
    steps = await shelf.follow()
    assert sorted(shelf.read) == ["b.txt", "c.txt"]
    assert verdicts(steps) == {"a.txt": "unchanged", "b.txt": "changed", "c.txt": "added"}
    assert (await shelf.documents())["b.txt"].version == 2


async def test_what_had_failed_is_tried_again_and_called_so(shelf: Shelf) -> None:
    shelf.write("broken.pdf", "%PDF-1.7 nothing more")
    assert verdicts(await shelf.follow()) == {"broken.pdf": "added"}
    documents = [each.document_id for each in (await shelf.documents()).values()]
    await work_until_resting(shelf.workspace.engine, shelf.workspace, documents, lambda _: None)
    assert verdicts(await shelf.follow()) == {"broken.pdf": "retried"}
    assert count_of("unchanged", await shelf.follow()) == 1


async def test_a_file_that_was_just_written_is_looked_at_again(shelf: Shelf) -> None:
    # Two seconds may pass until it is read; one of a clock that is ahead stays new.
    shelf.write("a.txt", "The first text.", age_seconds=-3600)
    await shelf.follow()
    steps = await shelf.follow()
    assert shelf.read == ["a.txt"]
    assert verdicts(steps) == {"a.txt": "unchanged"}


async def test_a_renamed_file_is_the_same_document(shelf: Shelf) -> None:
    path = shelf.write("draft.txt", "The contract in its final form.")
    shelf.write("other.txt", "Something else.")
    await shelf.follow()
    before = (await shelf.documents())["draft.txt"]
    path.rename(shelf.folder / "final.txt")
    steps = await shelf.follow(delete_missing=True)
    assert verdicts(steps) == {"other.txt": "unchanged", "final.txt": "renamed"}
    after = (await shelf.documents())["final.txt"]
    assert (after.document_id, after.version) == (before.document_id, 1)
    assert after.external_id == location_of(shelf.folder / "final.txt")
    assert count_of("unchanged", await shelf.follow(delete_missing=True)) == 2


async def test_a_renamed_folder_keeps_all_its_documents(shelf: Shelf) -> None:
    for number in range(3):
        shelf.write(f"old/{number}.txt", f"The text number {number}.")
    await shelf.follow()
    before = {each.document_id for each in (await shelf.documents()).values()}
    (shelf.folder / "old").rename(shelf.folder / "new")
    assert count_of("renamed", await shelf.follow(delete_missing=True)) == 3
    assert {each.document_id for each in (await shelf.documents()).values()} == before


async def test_what_is_gone_is_deleted_only_if_that_is_asked_for(shelf: Shelf) -> None:
    gone = shelf.write("gone.txt", "This file goes.")
    shelf.write("stays.txt", "This file stays.")
    await shelf.follow()
    gone.unlink()
    await shelf.follow()
    assert set(await shelf.documents()) == {"gone.txt", "stays.txt"}
    steps = await shelf.follow(delete_missing=True)
    assert verdicts(steps) == {"stays.txt": "unchanged", "gone.txt": "removed"}
    assert set(await shelf.documents()) == {"stays.txt"}


async def test_a_deletion_that_failed_is_made_up_for_by_the_next_run(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = shelf.write("gone.txt", "This file goes.")
    shelf.write("stays.txt", "This file stays.")
    await shelf.follow()
    gone.unlink()

    async def fail(*_: object) -> None:
        raise StoreUnavailable("the statement was cancelled")

    with monkeypatch.context() as patched:
        patched.setattr(sources, "delete_document", fail)
        with pytest.raises(StoreUnavailable):
            await shelf.follow(delete_missing=True)
    assert set(await shelf.documents()) == {"gone.txt", "stays.txt"}
    steps = await shelf.follow(delete_missing=True)
    assert verdicts(steps) == {"stays.txt": "unchanged", "gone.txt": "removed"}
    assert set(await shelf.documents()) == {"stays.txt"}


async def test_an_empty_folder_is_taken_for_a_disk_that_is_not_mounted(shelf: Shelf) -> None:
    paths = [shelf.write(f"{number}.txt", f"The text number {number}.") for number in range(3)]
    await shelf.follow()
    for path in paths:
        path.unlink()
    steps = await shelf.follow(delete_missing=True)
    assert [step.verdict for step in steps] == ["kept"] * 3
    assert "not mounted" in steps[0].reason
    assert len(await shelf.documents()) == 3


async def test_copies_come_change_and_go_each_by_itself(shelf: Shelf) -> None:
    shelf.write("a.txt", "The same text.")
    second = shelf.write("b.txt", "The same text.")
    shelf.write("z.txt", "Another text.")
    assert count_of("added", await shelf.follow()) == 3
    before = await shelf.documents()
    shelf.write("a.txt", "A text of its own.")
    assert verdicts(await shelf.follow())["a.txt"] == "changed"
    after = await shelf.documents()
    assert set(after) == {"a.txt", "b.txt", "z.txt"}
    assert after["a.txt"].document_id == before["a.txt"].document_id
    assert after["b.txt"] == before["b.txt"]
    second.unlink()
    assert verdicts(await shelf.follow(delete_missing=True))["b.txt"] == "removed"
    assert set(await shelf.documents()) == {"a.txt", "z.txt"}


async def test_of_two_new_copies_of_what_is_gone_one_is_its_new_place(shelf: Shelf) -> None:
    gone = shelf.write("old.txt", "The same text.")
    shelf.write("z.txt", "Another text.")
    await shelf.follow()
    before = (await shelf.documents())["old.txt"]
    gone.unlink()
    shelf.write("a.txt", "The same text.")
    shelf.write("b.txt", "The same text.")
    steps = await shelf.follow(delete_missing=True)
    assert (count_of("renamed", steps), count_of("added", steps)) == (1, 1)
    after = await shelf.documents()
    assert set(after) == {"a.txt", "b.txt", "z.txt"}
    assert before.document_id in {after[name].document_id for name in ("a.txt", "b.txt")}


async def test_what_moves_keeps_its_own_document_and_who_sees_it(shelf: Shelf) -> None:
    private = Labels(visibility=Visibility.PRIVATE)
    moved = shelf.write("hr/offer.txt", "The same text.")
    await shelf.follow(labels=private)
    gone = shelf.write("public/offer.txt", "The same text.")
    shelf.write("z.txt", "Another text.")
    await shelf.follow()
    own = {each.external_id: each for each in await shelf.everything()}[location_of(moved)]
    moved.rename(shelf.folder / "hr/final.txt")
    gone.unlink()
    assert verdicts(await shelf.follow(delete_missing=True))["final.txt"] == "renamed"
    after = (await shelf.documents())["final.txt"]
    assert (after.document_id, after.visibility) == (own.document_id, Visibility.PRIVATE)


async def test_what_is_to_be_private_takes_no_document_over_that_all_see(shelf: Shelf) -> None:
    gone = shelf.write("public.txt", "The same text.")
    shelf.write("z.txt", "Another text.")
    await shelf.follow()
    gone.rename(shelf.folder / "private.txt")
    private = Labels(visibility=Visibility.PRIVATE)
    assert verdicts(await shelf.follow(labels=private))["private.txt"] == "added"
    documents = await shelf.documents()
    assert documents["private.txt"].visibility is Visibility.PRIVATE
    assert documents["public.txt"].visibility is Visibility.WORKSPACE
    shelf.write("z.txt", "A text for few.")
    steps = await shelf.follow(labels=private)
    (refused,) = [each for each in steps if each.external_id.endswith("z.txt")]
    assert refused.verdict == "refused"
    assert "seen by the whole workspace" in refused.reason


async def test_documents_that_copies_shared_before_go_with_the_last_of_them(shelf: Shelf) -> None:
    # As installations have them from the time when the same bytes were one document.
    first = shelf.write("a.txt", "The same text.")
    shelf.write("z.txt", "Another text.")
    await shelf.follow()
    second = shelf.write("b.txt", "The same text.")
    shared = (await shelf.documents())["a.txt"]
    await shelf.workspace.remember_source_entry(
        None,
        Offered(external_id=location_of(second), mark=await shelf.mark_of("b.txt")),
        Received(document=shared, duplicate=True, new_version=False),
    )
    first.unlink()
    assert verdicts(await shelf.follow(delete_missing=True))["a.txt"] == "kept"
    assert set(await shelf.documents()) == {"b.txt", "z.txt"}
    second.unlink()
    assert verdicts(await shelf.follow(delete_missing=True))["b.txt"] == "removed"
    assert set(await shelf.documents()) == {"z.txt"}


async def test_a_document_that_was_handed_in_otherwise_is_not_deleted(shelf: Shelf) -> None:
    await shelf.workspace.receive(b"The same text.", "upload.txt")
    path = shelf.write("a.txt", "The same text.")
    shelf.write("b.txt", "Another text.")
    assert verdicts(await shelf.follow())["a.txt"] == "added"
    path.unlink()
    assert verdicts(await shelf.follow(delete_missing=True))["a.txt"] == "removed"
    assert "upload.txt" in await shelf.documents()


async def test_other_tags_are_put_on_what_did_not_change(shelf: Shelf) -> None:
    shelf.write("a.txt", "The first text.")
    await shelf.follow()
    await shelf.follow(labels=Labels(tags=("marine",)))
    assert (await shelf.documents())["a.txt"].tags == ("marine",)
    await shelf.follow(labels=Labels(tags=("marine",)))
    assert shelf.read == []


async def test_a_file_that_is_being_written_waits(shelf: Shelf) -> None:
    path = shelf.write("growing.txt", "Half of", age_seconds=0)
    steps = await shelf.follow(settle_seconds=1000)
    assert verdicts(steps) == {"growing.txt": "waiting"}
    path.write_text("Half of it and the rest.")
    os.utime(path, (1, 1))
    assert verdicts(await shelf.follow(settle_seconds=1000)) == {"growing.txt": "added"}


async def test_two_workspaces_remember_apart(shelf: Shelf, engine: Engine) -> None:
    shelf.write("a.txt", "The first text.")
    await shelf.follow()
    await engine.create_workspace("twin")
    twin = Shelf(shelf.folder, await engine.workspace("twin"))
    assert verdicts(await twin.follow()) == {"a.txt": "added"}


@asynccontextmanager
async def watched(
    shelf: Shelf, scan_seconds: float
) -> AsyncIterator[Callable[[str, str], asyncio.Future[None]]]:
    """The shelf watched; yields a function that waits until a file has had a verdict."""
    stop = asyncio.Event()
    seen: list[Step] = []
    changed = asyncio.Condition()
    tasks: set[asyncio.Task[None]] = set()

    async def announce() -> None:
        async with changed:
            changed.notify_all()

    def note(step: Step) -> None:
        seen.append(step)
        task = asyncio.ensure_future(announce())
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async def told(name: str, verdict: str) -> None:
        def happened() -> bool:
            return any((Path(s.external_id).name, s.verdict) == (name, verdict) for s in seen)

        async with asyncio.timeout(PATIENCE_SECONDS), changed:
            await changed.wait_for(happened)

    watching = asyncio.create_task(
        watch(
            shelf.workspace,
            shelf.source(0.05),
            Labels(),
            paths=[shelf.folder],
            scan_seconds=scan_seconds,
            settle_seconds=0.05,
            stop=stop,
            on_step=note,
        )
    )
    try:
        yield lambda name, verdict: asyncio.ensure_future(told(name, verdict))
    finally:
        stop.set()
        await watching


@pytest.mark.parametrize("scan_seconds", [3600, 0.2], ids=["told by the system", "by looking"])
async def test_a_watched_folder_is_followed(
    shelf: Shelf, scan_seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    if scan_seconds < 1:
        # What the system says is then heard every few minutes only.
        monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")
        monkeypatch.setenv("WATCHFILES_POLL_DELAY_MS", "600000")
    shelf.write("first.txt", "Here before.")
    async with watched(shelf, scan_seconds) as told:
        await told("first.txt", "added")
        path = shelf.write("second.txt", "Come later.", age_seconds=0)
        await told("second.txt", "added")
        path.write_text("Come later, and changed.")
        await told("second.txt", "changed")
        path.rename(shelf.folder / "third.txt")
        await told("third.txt", "renamed")
        (shelf.folder / "third.txt").unlink()
        await told("third.txt", "removed")
    assert set(await shelf.documents()) == {"first.txt"}
