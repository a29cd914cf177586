"""The demo has its documents, and forgets nothing but an earlier demo. `.ci/run` runs all of it."""

from __future__ import annotations

import fcntl
from pathlib import Path

from footnote.interfaces.cli import demo


def test_the_documents_of_a_clone_are_those_that_the_wheel_brings() -> None:
    examples = Path(__file__).parents[2] / "examples/documents"
    assert demo.documents() == examples
    assert any(examples.glob("scanned-*"))


def test_an_earlier_demo_is_forgotten(tmp_path: Path) -> None:
    home = tmp_path / "home"
    demo.start_afresh(home)
    (home / "postgres").mkdir()
    demo.start_afresh(home)
    assert [path.name for path in home.iterdir()] == ["made-by-the-demo"]


def test_a_folder_that_no_demo_made_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("mine")
    demo.start_afresh(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letters.txt"]


def test_a_demo_that_is_served_goes_on_with_what_is_there(tmp_path: Path) -> None:
    home = tmp_path / "home"
    demo.start_afresh(home)
    (home / "postgres").mkdir()
    with (home / "postgres.users").open("ab") as users:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        demo.start_afresh(home)
    assert (home / "postgres").is_dir()
