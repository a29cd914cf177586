"""An installation is backed up, damaged, restored to a moment; what was erased stays erased.

One installation has the whole story: a full backup, an incremental one and the log, and meanwhile
documents come, one is erased, a workspace is destroyed, and the master key is replaced. After the
last backup one more is erased, and one more destroyed.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

import footnote
from footnote.domain import SearchRequest
from footnote.domain.backups import Backup, BackupKind
from footnote.engine.backup_run import BackupOptions
from footnote.engine.backups import create_backup, list_backups
from footnote.engine.recorded_answers import Questions
from footnote.engine.restoring import RestoreOptions, restore_backup, verify_backups
from footnote.errors import (
    CiphertextDamaged,
    Conflict,
    KeyUnavailable,
    NotFound,
    UnsupportedSettings,
)
from footnote.models.aligned import AlignedEncoder
from footnote.settings import Settings
from tests.engine.backup_homes import KEY, OTHER_KEY, home_of, ingested, names_in

CANARY = "Quillwort7731"
QUESTIONS = ("What does the tenant of the berth pay?", "What does the keeper owe?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What happened, and what was kept of it."""

    settings: Settings
    backups: tuple[Backup, ...]
    between: datetime
    """After the crane came, and before the dock did."""
    erased: UUID


@pytest.fixture(scope="module")
async def story(
    model_home: Path,
    packaged_models: AlignedEncoder,
    kept_parsers: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Story]:
    place = tmp_path_factory.mktemp("backups") / "kept"
    with home_of(model_home) as home:
        settings = Settings(home=home, encryption="on", backup_url=str(place), backup_key=KEY)
        async with footnote.open(settings) as engine:
            await engine.create_workspace("harbour")
            await engine.create_workspace("doomed")
            await engine.create_workspace("late")
            await ingested(engine, "lease.md", "# Lease\n\nThe tenant of the berth pays 400 euros.")
            erased = await ingested(
                engine, "keeper.md", f"# {CANARY}\n\nThe keeper of {CANARY} owes 4,100 euros."
            )
            await ingested(engine, "quay.md", "# Quay\n\nThe quay is 90 metres long.", "harbour")
            await ingested(engine, "secret.md", "# Secret\n\nNobody may read it.", "doomed")
            late = await ingested(engine, "late.md", "# Late\n\nIt goes after the last backup.")
            questions = Questions(workspace="default", questions=QUESTIONS)
            full = await create_backup(settings, BackupOptions(), questions)
            await ingested(engine, "crane.md", "# Crane\n\nThe crane lifts 900 kilograms.")
            between = datetime.now(UTC)
            await ingested(engine, "dock.md", "# Dock\n\nThe dock is 30 metres deep.")
            incremental = await create_backup(settings, BackupOptions())
            await (await engine.workspace()).erase_document(erased)
            await engine.destroy_workspace("doomed", retire_master_key=True)
            coming = await engine.workspace()
            loop = asyncio.get_running_loop()

            def receive_meanwhile(text: str) -> None:
                if text == "reading the write-ahead log":  # After the moment of the run.
                    received = coming.receive(b"# Barge\n\nIt comes meanwhile.", "barge.md")
                    asyncio.run_coroutine_threadsafe(received, loop).result()

            log = await create_backup(settings, BackupOptions(log=True), tell=receive_meanwhile)
            certificate = await (await engine.workspace()).erase_document(late)
            assert any("have been told" in each for each in certificate.not_reached)
            await engine.destroy_workspace("late")
        yield Story(
            settings=settings,
            backups=(full, incremental, log),
            between=between,
            erased=erased,
        )


@pytest.fixture
def elsewhere(story: Story, model_home: Path) -> Iterator[Settings]:
    """Another machine, which has the master key and reaches the backups."""
    with home_of(model_home) as home:
        shutil.copy(story.settings.home / "master.key", home)
        yield story.settings.model_copy(update={"home": home})


def copied(story: Story, folder: Path) -> Settings:
    """The same with a copy of the backups."""
    place = folder / "copy"
    shutil.copytree(str(story.settings.backup_url), place)
    return story.settings.model_copy(update={"backup_url": str(place)})


def objects(settings: Settings) -> list[Path]:
    return sorted(path for path in Path(str(settings.backup_url)).rglob("*") if path.is_file())


async def test_what_is_kept_is_listed_with_the_moments_that_can_be_restored(story: Story) -> None:
    found = await list_backups(story.settings)
    kinds = [each.kind for each in found.backups]
    assert kinds == [BackupKind.FULL, BackupKind.INCREMENTAL, BackupKind.LOG]
    full, incremental, log = found.backups
    assert found.backups == story.backups
    assert (incremental.base, log.base) == (full.backup_id, incremental.backup_id)
    assert (incremental.continues, log.continues) == (full.backup_id, incremental.backup_id)
    assert (full.documents, full.files, full.new_files) == (5, 5, 5)
    assert (incremental.documents, incremental.files, incremental.new_files) == (7, 7, 2)
    assert (log.documents, log.files, log.new_files) == (5, 5, 0)
    assert (log.erasures, log.destroyed_workspaces) == (1, 1)
    assert incremental.bytes < full.bytes / 4
    [span] = found.spans
    assert span.since < story.between < span.until == log.covered_until
    assert full.recorded_answers == 2


async def test_nothing_that_is_kept_can_be_read_without_the_key(story: Story) -> None:
    for path in objects(story.settings):
        content = path.read_bytes()
        assert b"euros" not in content
        assert CANARY.encode() not in content
        assert b"PGDMP" not in content
        assert b"harbour" not in content


async def test_what_was_erased_and_destroyed_does_not_come_back(
    story: Story, elsewhere: Settings
) -> None:
    options = RestoreOptions(backup_id=story.backups[0].backup_id, ask=True)
    done = await restore_backup(elsewhere, options)
    assert done.complete
    assert done.destroyed == ("doomed", "late")
    assert [each.erasure is not None for each in done.erasures] == [True, True]
    assert done.keys_restored == 3
    assert (done.workspaces, done.documents, done.files) == (2, 2, 2)
    assert done.comparison is not None
    assert (done.comparison.asked, done.comparison.erased) == (1, 1)
    async with footnote.open(elsewhere) as engine:
        assert [each.name for each in await engine.workspaces()] == ["default", "harbour"]
        workspace, harbour = await engine.workspace(), await engine.workspace("harbour")
        assert [each.filename for each in (await workspace.documents()).documents] == ["lease.md"]
        assert "400 euros" in (await workspace.ask(QUESTIONS[0])).text
        found = await workspace.search(SearchRequest(query=CANARY))
        assert not any(CANARY in each.passage.text for each in found.evidence)
        with pytest.raises(NotFound):
            await harbour.document((await workspace.documents()).documents[0].document_id)
        assert [each.filename for each in (await harbour.documents()).documents] == ["quay.md"]


async def test_a_moment_between_two_uploads_is_restored(story: Story, elsewhere: Settings) -> None:
    done = await restore_backup(elsewhere, RestoreOptions(at=story.between))
    assert (done.at, done.complete) == (story.between, True)
    assert await names_in(elsewhere) == ["crane.md", "lease.md"]


async def test_the_newest_state_is_restored_in_the_place_of_another_that_is_moved_aside(
    story: Story, elsewhere: Settings
) -> None:
    async with footnote.open(elsewhere) as engine:
        await engine.create_workspace("other")
        with pytest.raises(Conflict, match="uses"):
            await restore_backup(elsewhere, RestoreOptions(replace=True))
    with pytest.raises(Conflict, match="not empty"):
        await restore_backup(elsewhere, RestoreOptions())
    done = await restore_backup(elsewhere, RestoreOptions(replace=True))
    assert done.moved_aside is not None
    assert (Path(done.moved_aside) / "postgres" / "PG_VERSION").is_file()
    assert await names_in(elsewhere) == ["crane.md", "dock.md", "lease.md"]
    kept_apart = elsewhere.model_copy(update={"backup_url": str(elsewhere.home / "kept")})
    assert (await create_backup(kept_apart, BackupOptions())).kind is BackupKind.FULL


async def test_verifying_restores_on_trial_and_asks_what_was_recorded(story: Story) -> None:
    found = await verify_backups(story.settings, story.backups[0].backup_id)
    assert found.sound, found
    assert found.restoration is not None
    assert found.restoration.comparison is not None
    assert found.restoration.comparison.asked == 1
    assert not (story.settings.home / "verifying").exists()


async def test_a_run_counts_what_its_restoration_brings_though_documents_come_meanwhile(
    story: Story,
) -> None:
    log = story.backups[-1]
    found = await verify_backups(story.settings, log.backup_id)
    assert found.restoration is not None
    restored = found.restoration
    # One document was erased after the run, and is erased again.
    assert (restored.documents, restored.files) == (log.documents - 1, log.files - 1)
    assert (log.documents, log.files, log.new_files) == (5, 5, 0)


async def test_each_damaged_or_missing_object_is_found(story: Story, tmp_path: Path) -> None:
    settings = copied(story, tmp_path)
    place = Path(str(settings.backup_url))
    assert (await verify_backups(settings, parts_only=True)).sound
    kept = {path: path.read_bytes() for path in objects(settings)}
    indexes = {path for path in kept if path.name == "files"}
    manifests = set((place / "manifests").iterdir())
    header = place / "footnote-backups.json"
    notes = set((place / "notes").iterdir())
    assert len(notes) == 4
    parts = kept.keys() - indexes - manifests - notes - {header}
    assert len(parts) > 12
    for damaged in (parts, indexes, manifests, *({each} for each in notes)):
        for position in (0, -1, 0.5):
            for path in damaged:
                changed = bytearray(kept[path])
                changed[int(position * len(changed)) if position == 0.5 else int(position)] ^= 1
                path.write_bytes(changed)
            found = await verify_backups(settings, parts_only=True)
            told = " ".join(found.faults)
            assert [path for path in damaged if str(path.relative_to(place)) not in told] == []
        named = damaged - manifests - notes  # Of others nothing else tells that they were there.
        for path in named:
            path.unlink()
        told = " ".join((await verify_backups(settings, parts_only=True)).faults)
        assert [p for p in named if str(p.relative_to(place)) not in told] == []
        for path in damaged:
            path.write_bytes(kept[path])
    for position in range(len(kept[header])):
        changed = bytearray(kept[header])
        changed[position] ^= 1
        header.write_bytes(changed)
        with pytest.raises((CiphertextDamaged, KeyUnavailable, UnsupportedSettings)):
            await verify_backups(settings, parts_only=True)


async def test_a_damaged_manifest_is_listed_and_stands_in_the_way_until_it_is_removed(
    story: Story, elsewhere: Settings, tmp_path: Path
) -> None:
    settings = copied(story, tmp_path).model_copy(update={"home": elsewhere.home})
    place = Path(str(settings.backup_url))
    (place / "manifests" / "zz").write_text("not one of ours")
    listed = await list_backups(settings)
    assert len(listed.backups) == len(list((place / "manifests").iterdir())) - 1
    [fault] = listed.damaged
    assert "remove manifests/zz there" in fault
    oldest = listed.backups[0].backup_id
    with pytest.raises(CiphertextDamaged, match="the backup zz") as refused:
        await restore_backup(settings, RestoreOptions(backup_id=oldest))
    assert "--erasures" in str(refused.value.hint)
    assert not (settings.home / "postgres").exists()
    (place / "manifests" / "zz").unlink()
    assert (await list_backups(settings)).damaged == ()


async def test_a_missing_header_is_named_and_not_taken_for_an_empty_place(
    story: Story, tmp_path: Path
) -> None:
    settings = copied(story, tmp_path)
    header = Path(str(settings.backup_url)) / "footnote-backups.json"
    header.unlink()
    with pytest.raises(CiphertextDamaged, match="missing beside the backups") as told:
        await list_backups(settings)
    header.write_text(str(told.value.hint).partition(": ")[2].partition(" if ")[0])
    assert (await list_backups(settings)).backups


async def test_a_damaged_backup_is_not_restored_and_leaves_nothing(
    story: Story, elsewhere: Settings, tmp_path: Path
) -> None:
    settings = copied(story, tmp_path).model_copy(update={"home": elsewhere.home})
    base = next(path for path in objects(settings) if path.name == "base")
    content = bytearray(base.read_bytes())
    content[-5] ^= 1
    base.write_bytes(content)
    with pytest.raises(CiphertextDamaged):
        await restore_backup(settings, RestoreOptions())
    assert not (settings.home / "postgres").exists()
    assert not (settings.home / "restoring").exists()


async def test_another_key_another_place_and_a_missing_master_key_are_told(
    story: Story, elsewhere: Settings, tmp_path: Path
) -> None:
    other = Settings(home=elsewhere.home, backup_url=elsewhere.backup_url, backup_key=OTHER_KEY)
    for call in (list_backups(other), restore_backup(other, RestoreOptions())):
        with pytest.raises(KeyUnavailable, match="under the key"):
            await call
    nowhere = elsewhere.model_copy(update={"backup_url": str(tmp_path / "none")})
    with pytest.raises(NotFound, match="no backups"):
        await list_backups(nowhere)
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "letter").write_text("Dear")
    with pytest.raises(Conflict, match="something else"):
        await create_backup(
            story.settings.model_copy(update={"backup_url": str(tmp_path / "letters")}),
            BackupOptions(),
        )
    with pytest.raises(UnsupportedSettings, match="key"):
        await create_backup(Settings(home=elsewhere.home, backup_url="b"), BackupOptions())
    with pytest.raises(NotFound, match="no backup leads"):
        await restore_backup(elsewhere, RestoreOptions(at=story.between - timedelta(days=1)))
    (elsewhere.home / "master.key").unlink()
    with pytest.raises(KeyUnavailable) as refused:
        await restore_backup(elsewhere, RestoreOptions())
    # Not in the folder that it was put together in, which is gone again.
    assert f"there is no master key at {elsewhere.home / 'master.key'}" in str(refused.value)
    assert "restoring" not in refused.value.with_hint
    assert "FOOTNOTE_MASTER_KEY" in refused.value.with_hint
    left = [each for each in elsewhere.home.iterdir() if each.name != "models"]
    assert [each for each in left if not each.is_file() or each.stat().st_size] == [], "only locks"
