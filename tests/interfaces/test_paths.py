"""Which files a command line means, and what they are called."""

import os
import socket
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from footnote.interfaces.cli.ingest import found
from footnote.interfaces.cli.paths import entries, existing, location_of, printable, refusal_of
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
    refusals = {path.name: refusal_of(path) for path in entries([folder])}
    assert refusals["a.md"] == refusals["z.md"] == ""
    assert "cannot be read" in refusals["loop"]


def test_only_regular_files_are_measured_with(folder: Path) -> None:
    assert list(found([folder])) == [(folder / name).resolve() for name in ("a.md", "z.md")]


def test_what_is_no_file_is_refused_by_its_name(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(tmp_path / "socket"))
        named = [tmp_path / "fifo", tmp_path / "socket", Path("/dev/null")]
        assert list(entries(named)) == named
        assert all("not a regular file" in refusal_of(path) for path in named)


def test_a_linked_file_keeps_the_name_it_was_given_under_and_is_taken_in_once(
    tmp_path: Path,
) -> None:
    (tmp_path / "blob").write_text("a")
    (tmp_path / "policy.md").symlink_to("blob")
    assert list(entries([tmp_path / "policy.md", tmp_path])) == [tmp_path / "policy.md"]
    assert location_of(tmp_path / "policy.md") == str((tmp_path / "blob").resolve())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_closed_folder_is_refused_by_its_name(folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0)
    assert closed in list(entries([folder]))
    assert "folder" in refusal_of(closed)


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
