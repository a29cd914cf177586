"""Which files a command line means, and what they are called."""

import os
import socket
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from footnote.interfaces.cli.paths import (
    entries,
    existing,
    location_below,
    location_of,
    printable,
    refusal_of,
    regular_files,
)
from footnote.validation.text import is_storable

NAMES = st.binary(min_size=1, max_size=20).filter(
    lambda name: not {b"\0"[0], b"/"[0]} & set(name) and name not in {b".", b".."}
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "z.md").write_text("z")
    return tmp_path


def test_a_link_in_a_circle_is_refused_alone(folder: Path) -> None:
    named = [path.name for path in entries([folder])]
    assert named == ["a.md", "loop", "z.md"]
    refusals = {path.name: refusal_of(path, [folder]) for path in entries([folder])}
    assert refusals["a.md"] == refusals["z.md"] == ""
    assert "cannot be read" in refusals["loop"]


def test_only_regular_files_are_measured_with(folder: Path) -> None:
    assert list(regular_files([folder])) == [(folder / name).resolve() for name in ("a.md", "z.md")]


def test_what_is_no_file_is_refused_by_its_name(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(tmp_path / "socket"))
        named = [tmp_path / "fifo", tmp_path / "socket", Path("/dev/null")]
        assert list(entries(named)) == named
        assert all("not a regular file" in refusal_of(path, named) for path in named)


def test_a_linked_file_keeps_the_name_it_was_given_under_and_is_taken_in_once(
    tmp_path: Path,
) -> None:
    (tmp_path / "blob").write_text("a")
    (tmp_path / "policy.md").symlink_to("blob")
    assert list(entries([tmp_path / "policy.md", tmp_path])) == [tmp_path / "policy.md"]
    assert location_of(tmp_path / "policy.md") == str((tmp_path / "blob").resolve())


def test_a_link_that_leads_out_of_the_folder_is_refused_by_its_own_name(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "secret.md"
    (folder / "deep").mkdir(parents=True)
    outside.write_text("the key is under the mat")
    (folder / "deep" / "own.md").write_text("own")
    (folder / "inward.md").symlink_to("deep/own.md")
    (folder / "one.md").symlink_to(outside)
    (folder / "two.md").symlink_to("../secret.md")
    (folder / "up.md").symlink_to("../folder-of-another/a.md")
    listed = list(entries([folder]))
    assert [path.name for path in listed] == ["inward.md", "one.md", "two.md", "up.md"]
    refusals = {path.name: refusal_of(path, [folder]) for path in listed}
    assert refusals.pop("inward.md") == ""
    assert set(refusals) == {"one.md", "two.md", "up.md"}
    for name in ("one.md", "two.md"):
        assert refusals[name].startswith(f"it is a link to {outside}, outside of what was named")
    assert location_below(folder / "one.md", [folder]) == str(folder / "one.md")
    assert list(regular_files([folder])) == [folder / "deep" / "own.md"]


def test_a_link_is_followed_where_it_or_what_it_leads_to_is_named(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "other.md"
    folder.mkdir()
    outside.write_text("other")
    link = folder / "link.md"
    link.symlink_to(outside)
    (tmp_path / "folder-link").symlink_to(folder)
    for roots in ([link], [folder, link], [folder, outside], [folder, tmp_path]):
        assert refusal_of(link, roots) == "", roots
        assert list(regular_files(roots)) == [outside], roots
    (folder / "own.md").write_text("own")
    assert list(regular_files([tmp_path / "folder-link"])) == [folder / "own.md"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_closed_folder_is_refused_by_its_name(folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0)
    assert closed in list(entries([folder]))
    assert "folder" in refusal_of(closed, [folder])


@pytest.mark.parametrize("text", ["", "no-such-file"])
def test_an_empty_and_an_unknown_path_are_wrong_usage(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        existing(text)


@given(NAMES)
def test_the_bytes_of_a_name_can_be_told_from_its_location(name: bytes) -> None:
    path = Path("/no-such-folder") / os.fsdecode(name)
    location = location_of(path)
    assert is_storable(location)
    assert is_storable(printable(path.name))
    told = (
        unquote_to_bytes(urlsplit(location).path)
        if location.startswith("file:")
        else location.encode()
    )
    assert told == os.fsencode(path)


def test_a_byte_that_is_no_text_is_made_printable() -> None:
    assert printable(os.fsdecode(b"caf\xe9.txt")) == "caf%E9.txt"
    assert printable("café.txt") == "café.txt"
