"""The package has one name to install it by, one version, and one hint for what an extra brings."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from footnote import __version__
from footnote.errors import how_to_install
from footnote.interfaces.cli.main import app
from footnote.interfaces.http.app import create_app
from footnote.settings import Settings
from tests.docs.pages import pages

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRA_OF_A_NAME = re.compile(r"footnote\[")
EXTRA_OF_A_CLONE = re.compile(r"""pip install (?:\./packages/models )?['"]\.\[([\w,-]+)\]""")


def test_the_package_is_built_under_a_name_that_is_ours() -> None:
    assert PROJECT["project"]["name"] == "footnote-engine"


def test_the_version_is_written_once() -> None:
    assert "version" in PROJECT["project"]["dynamic"]
    source = ROOT / PROJECT["tool"]["hatch"]["version"]["path"]
    assert f'__version__ = "{__version__}"' in source.read_text(encoding="utf-8")


def test_the_command_and_the_description_of_the_api_tell_that_version(
    capsys: pytest.CaptureFixture[str],
) -> None:
    app(["--version"], standalone_mode=False)
    assert capsys.readouterr().out == f"footnote {__version__}\n"
    assert create_app(Settings()).openapi()["info"]["version"] == __version__


def test_a_hint_names_an_extra_as_a_clone_installs_it() -> None:
    assert how_to_install("mcp") == "in a clone of Footnote: pip install '.[mcp]'"


def test_no_page_and_no_code_installs_an_extra_by_a_name_that_is_not_ours() -> None:
    texts = {each.name: each.text for each in pages()}
    texts |= {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in (ROOT / "src").rglob("*.py")
    }
    assert [name for name, text in texts.items() if EXTRA_OF_A_NAME.search(text)] == []


def test_one_place_in_the_code_says_how_to_install_an_extra() -> None:
    writers = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "src").rglob("*.py")
        if EXTRA_OF_A_CLONE.search(path.read_text(encoding="utf-8"))
        or ".[{" in path.read_text(encoding="utf-8")
    ]
    assert writers == ["src/footnote/errors.py"]


def test_every_extra_that_code_or_docs_name_exists() -> None:
    extras = set(PROJECT["project"]["optional-dependencies"])
    named = {
        extra
        for each in pages()
        for found in EXTRA_OF_A_CLONE.findall(each.text)
        for extra in found.split(",")
    }
    for path in (ROOT / "src").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        named |= set(re.findall(r'how_to_install\("([\w-]+)"\)', source))
        named |= set(re.findall(r'wanted\("[^"]+", "([\w-]+)"\)', source))
    assert extras == named
