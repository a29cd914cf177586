"""A home is refused while it holds what Footnote did not make, and nothing in it is changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

import footnote
from footnote.doctor import examine
from footnote.engine import open_engine
from footnote.errors import StoreUnavailable, UnsupportedSettings
from footnote.settings import Settings
from footnote.store import home as homes
from footnote.store.embedded import APPLICATION_ROLE, start_embedded
from footnote.store.system_user import server_account

LONG = ("d" * 60, "e" * 60)


@pytest.fixture
def home(session_home: Path, request: pytest.FixtureRequest) -> Path:
    """A folder of its own that the account of Postgres may enter."""
    folder = session_home / f"h{abs(hash(request.node.name)) % 10**8}"
    folder.mkdir(mode=0o711)
    return folder


@pytest.fixture
def elsewhere(home: Path) -> Path:
    """A folder of somebody's that no start may touch."""
    folder = home.with_name(f"{home.name}-else")
    (folder / "inside").mkdir(parents=True)
    (folder / "diary.txt").write_text("dear diary")
    return folder


def everything(folder: Path) -> dict[str, tuple[int, int, int]]:
    """The kind, rights and owner of all that lies in a folder, itself with it."""
    found = {}
    for path in [folder, *folder.rglob("*")]:
        status = path.lstat()
        found[str(path)] = (status.st_mode, status.st_uid, status.st_gid)
    return found


def refusal(home: Path) -> UnsupportedSettings:
    before = everything(home)
    with pytest.raises(UnsupportedSettings) as caught:
        start_embedded(home)
    assert everything(home) == before
    assert "FOOTNOTE_HOME" in (caught.value.hint or "")
    return caught.value


def a_folder(place: Path, _: Path) -> None:
    (place / "keep").mkdir(parents=True)
    (place / "diary.txt").write_text("dear diary")


def a_file(place: Path, _: Path) -> None:
    place.write_text("a file")


def a_link_to_a_folder(place: Path, elsewhere: Path) -> None:
    place.symlink_to(elsewhere)


def a_link_to_a_file(place: Path, elsewhere: Path) -> None:
    (elsewhere / "diary.txt").chmod(0o644)
    place.symlink_to(elsewhere / "diary.txt")


@pytest.mark.parametrize(
    ("names", "put", "said"),
    [
        (("run", "postgres", "postgres.new"), a_folder, "was not made by Footnote"),
        (("run", "postgres"), a_file, "was not made by Footnote"),
        (("run", "postgres", "postgres.new"), a_link_to_a_folder, "is a symbolic link"),
        (("postgres.lock", "postgres.users"), a_link_to_a_file, "is a symbolic link"),
    ],
)
def test_what_stands_in_the_way_is_named_and_left_alone(
    home: Path,
    elsewhere: Path,
    names: tuple[str, ...],
    put: Callable[[Path, Path], None],
    said: str,
) -> None:
    for name in names:
        own = home / f"for-{name}"
        own.mkdir(mode=0o711)
        put(own / name, elsewhere)
        before = everything(elsewhere)
        refused = refusal(own)
        assert f"{own / name} {said}" in str(refused)
        assert f"move {own / name}" in (refused.hint or "")
        assert everything(elsewhere) == before


@pytest.mark.parametrize("url", [None, "postgresql://127.0.0.1:9/footnote"])
async def test_a_folder_of_somebodys_documents_is_not_taken_for_a_home(
    home: Path, elsewhere: Path, url: str | None
) -> None:
    before = everything(elsewhere)
    with pytest.raises(UnsupportedSettings) as caught:
        async with footnote.open(home=elsewhere, database_url=url):
            pass
    assert str(caught.value) == f"{elsewhere} has files in it, and none of Footnote's"
    assert "an empty or a new folder" in (caught.value.hint or "")
    assert everything(elsewhere) == before
    (check,) = [
        each
        for each in (await examine(Settings(home=elsewhere, database_url=url))).checks
        if each.name == "home"
    ]
    assert (check.ok, check.detail) == (False, str(caught.value))
    assert everything(elsewhere) == before


@pytest.mark.parametrize("name", ["models", "blobs", "postgres", "master.key", "identity.key"])
def test_a_folder_with_anything_of_footnotes_goes_on_to_be_a_home(
    home: Path, elsewhere: Path, name: str
) -> None:
    (elsewhere / name).mkdir()
    homes.require_home(elsewhere)


@pytest.mark.parametrize("name", ["lost+found", ".snapshot", ".DS_Store"])
def test_what_a_file_system_keeps_is_nobodys(home: Path, name: str) -> None:
    (home / name).mkdir()
    homes.require_home(home)


def test_a_log_that_is_not_there_is_not_advised(home: Path) -> None:
    with pytest.raises(StoreUnavailable, match="did not start") as caught:
        start_embedded(Path("/proc/footnote"))
    assert caught.value.hint == "set FOOTNOTE_HOME to a folder you may write to"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give folders away")
@pytest.mark.parametrize("name", ["run", "postgres"])
def test_an_empty_folder_of_another_user_is_not_taken(home: Path, name: str) -> None:
    (home / name).mkdir()
    os.chown(home / name, 65534, 65534)
    assert f"{home / name} belongs to another user" in str(refusal(home))


def test_a_link_where_the_sockets_of_a_long_path_go_is_not_followed(
    home: Path, elsewhere: Path
) -> None:
    deep = home.joinpath(*LONG)
    deep.mkdir(parents=True)
    sockets = homes.socket_folder_of(deep)
    assert not sockets.is_relative_to(home)
    sockets.symlink_to(elsewhere)
    try:
        before = everything(elsewhere)
        assert "is a symbolic link" in str(refusal(deep))
        assert everything(elsewhere) == before
    finally:
        sockets.unlink()


@pytest.mark.parametrize("mode", [0o1777, 0o777, 0o1755])
def test_a_folder_that_users_share_is_no_home(home: Path, mode: int) -> None:
    home.chmod(mode)
    refused = refusal(home)
    assert "shared" in str(refused)
    assert str(home / "footnote") in (refused.hint or "")


async def test_the_root_of_the_file_system_is_no_home(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(homes, "FILESYSTEM_ROOT", home)
    assert "is the root of the file system" in str(refusal(home))
    link = home.with_name(f"{home.name}-link")
    link.symlink_to(home)
    assert "is the root of the file system" in str(refusal(link))
    for url in (None, "postgresql://127.0.0.1:9/none"):
        with pytest.raises(UnsupportedSettings, match="the root of the file system"):
            await open_engine(Settings(home=home, database_url=url))
    assert everything(home).keys() == {str(home)}


@pytest.mark.parametrize("below", ["", "deeper/still"])
async def test_a_home_that_is_a_file_is_called_one(home: Path, below: str) -> None:
    file = home / "file"
    file.write_text("a file")
    chosen = file / below
    said = f"{file} is a file"
    with pytest.raises(UnsupportedSettings) as caught:
        start_embedded(chosen)
    assert said in str(caught.value)
    for url in (None, "postgresql://127.0.0.1:9/none"):
        settings = Settings(home=chosen, database_url=url)
        with pytest.raises(UnsupportedSettings) as caught:
            await open_engine(settings)
        assert said in str(caught.value)
        [check] = [each for each in (await examine(settings)).checks if each.name == "home"]
        assert said in check.detail
    assert file.read_text() == "a file"


def test_a_home_that_leads_nowhere_is_refused(home: Path) -> None:
    dangling = home / "dangling"
    dangling.symlink_to(home / "nothing")
    with pytest.raises(UnsupportedSettings, match="is a symbolic link that leads to no folder"):
        start_embedded(dangling)
    assert not (home / "nothing").exists()


def test_a_home_as_earlier_versions_left_it_starts(home: Path) -> None:
    started_and_stopped(home)
    own = server_account()
    # Earlier versions took any folder in the place of theirs, and any home.
    (home / "run" / "keep").mkdir()
    (home / "run" / ".s.PGSQL.5432").touch()
    home.chmod(0o777)
    started_and_stopped(home)
    assert (home / "run" / "keep").exists()
    assert (home / "run").stat().st_uid == (os.geteuid() if own.uid is None else own.uid)


def test_a_home_whose_first_start_was_cut_short_starts(home: Path) -> None:
    (home / "run").mkdir()
    (home / "postgres").mkdir()
    draft = home / "postgres.new"
    (draft / "pg_wal").mkdir(parents=True)
    (draft / "postgresql.conf").touch()
    started_and_stopped(home)
    assert not draft.exists()


def test_a_home_may_be_a_link_to_a_folder(home: Path) -> None:
    link = home / "link"
    (home / "real").mkdir(mode=0o711)
    link.symlink_to(home / "real")
    started_and_stopped(link)
    assert (home / "real" / "postgres" / "PG_VERSION").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give folders away")
def test_a_database_of_another_user_is_left_alone(home: Path) -> None:
    for name in ("run", "postgres"):
        (home / name).mkdir()
        os.chown(home / name, 65534, 65534)
    (home / "postgres" / "PG_VERSION").write_text("18\n")
    assert "belongs to another user" in str(refusal(home))


def started_and_stopped(home: Path) -> None:
    server = start_embedded(home)
    try:
        psycopg.connect(server.url(APPLICATION_ROLE)).close()
    finally:
        server.release()
