"""`footnote backup` as it is called, and what is left of one that is killed."""

from __future__ import annotations

import json
import shutil
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

import footnote as package
from footnote.models.aligned import AlignedEncoder
from footnote.settings import Settings
from tests.engine.backup_homes import KEY, OTHER_KEY, home_of, ingested, names_in
from tests.interfaces.serving import environment, footnote, said_until
from tests.processes import start_python


@pytest.fixture(scope="module")
async def settings(
    model_home: Path,
    packaged_models: AlignedEncoder,
    kept_parsers: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Settings]:
    place = tmp_path_factory.mktemp("backups") / "kept"
    with home_of(model_home) as home:
        found = Settings(home=home, backup_url=str(place), backup_key=KEY)
        async with package.open(found) as engine:
            await ingested(engine, "lease.md", "# Lease\n\nThe tenant of the berth pays 400 euros.")
        yield found


@pytest.fixture
def elsewhere(settings: Settings, model_home: Path) -> Iterator[Settings]:
    with home_of(model_home) as home:
        if (settings.home / "master.key").exists():
            shutil.copy(settings.home / "master.key", home)
        yield settings.model_copy(update={"home": home})


def env(settings: Settings, **more: str) -> dict[str, str]:
    given = {"FOOTNOTE_BACKUP_URL": str(settings.backup_url), "FOOTNOTE_BACKUP_KEY": KEY, **more}
    return environment(settings, **given)


HALTING = """
import sys, time
from footnote.interfaces.cli.main import run

class Halting:
    def __getattr__(self, name):
        return getattr(sys.__stderr__, name)

    def write(self, text):
        sys.__stderr__.write(text)
        if words in text:
            sys.__stderr__.write("\\n")
            sys.__stderr__.flush()
            time.sleep(3600)

words, sys.stderr = sys.argv.pop(1), Halting()
run()
"""


async def killed_at(words: str, settings: Settings, *arguments: str) -> None:
    """Run the command, which goes no further than where it tells this, and kill it there."""
    process = await start_python(
        *("-c", HALTING, words, "backup", *arguments),
        env=env(settings),
        stdout=DEVNULL,
        stderr=PIPE,
    )
    assert process.stderr is not None
    await said_until(process.stderr, words)
    process.kill()
    await process.communicate()


async def test_a_run_and_a_restore_that_are_killed_leave_nothing_that_looks_whole(
    settings: Settings, elsewhere: Settings
) -> None:
    first = json.loads((await footnote(env(settings), "backup", "create", "--json")).out)
    await killed_at("reading the database", settings, "create", "--full")
    listed = json.loads((await footnote(env(settings), "backup", "list", "--json")).out)
    assert [each["backup_id"] for each in listed["backups"]] == [first["backup_id"]]
    made = await footnote(env(settings), "backup", "create", "--json")
    second = json.loads(made.out)
    assert (second["kind"], second["continues"]) == ("incremental", first["backup_id"])
    await killed_at("replaying the log", elsewhere, "restore")
    assert not (elsewhere.home / "postgres").exists()
    done = await footnote(env(elsewhere), "backup", "restore", "--json")
    assert (done.code, json.loads(done.out)["complete"]) == (0, True)
    assert not (elsewhere.home / "restoring").exists()
    assert await names_in(elsewhere) == ["lease.md"]


async def test_people_are_told_why_no_question_was_asked(
    settings: Settings, elsewhere: Settings
) -> None:
    assert (await footnote(env(settings), "backup", "create")).code == 0
    for words, reason in (
        (("restore",), "No question was asked; --verify asks those that were recorded."),
        (("restore", "--verify", "--replace", "--yes"), NONE_RECORDED),
        (("verify",), NONE_RECORDED),
    ):
        told = await footnote(env(elsewhere), "backup", *words)
        assert [line for line in told.out.splitlines() if "No question" in line] == [reason]


NONE_RECORDED = (
    "No question was asked, since none was recorded; footnote backup create --questions GOLDEN "
    "records what it asks."
)


async def test_people_are_told_what_was_made_and_what_is_wrong(
    settings: Settings, elsewhere: Settings, tmp_path: Path
) -> None:
    golden = tmp_path / "golden.jsonl"
    question = "What does the tenant of the berth pay?"
    line = {
        "id": "1",
        "question": question,
        "answerable": True,
        "relevant": [{"document": "lease.md"}],
    }
    golden.write_text(json.dumps(line) + "\n")
    made = await footnote(env(settings), "backup", "create", "--questions", str(golden))
    assert (made.code, "1 document in 1 workspace, 1 file" in made.out) == (0, True)
    assert "reading the write-ahead log" in made.err
    listed = await footnote(env(settings), "backup", "list")
    assert "can be restored" in listed.out
    verified = await footnote(env(settings), "backup", "verify")
    assert (verified.code, "Asked 1 recorded question: 0" in verified.out) == (0, True)
    wrong = await footnote(env(settings, FOOTNOTE_BACKUP_KEY=OTHER_KEY), "backup", "list")
    assert (wrong.code, "under the key" in wrong.err) == (4, True)
    taken = await footnote(env(settings), "backup", "restore")
    assert (taken.code, "not empty" in taken.err) == (2, True)
    both = await footnote(env(settings), "backup", "create", "--log", "--full")
    assert both.code == 2
    none = await footnote(env(settings), "backup", "restore", "20200101T000000000Z")
    assert (none.code, "no backup" in none.err) == (3, True)
    early = await footnote(env(settings), "backup", "restore", "--at", "2020-01-01T00:00:00Z")
    assert (early.code, "can be restored" in early.err) == (3, True)
    nowhere = await footnote(env(settings, FOOTNOTE_BACKUP_URL=""), "backup", "list")
    assert (nowhere.code, "FOOTNOTE_BACKUP_URL" in nowhere.err) == (2, True)
    pruned = await footnote(env(settings), "backup", "prune", "--keep", "1", "--yes", "--json")
    assert (pruned.code, json.loads(pruned.out)["backups"]) == (0, [])
