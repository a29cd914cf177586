"""What the default install serves is imported without the libraries of any extra."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.test_distribution import PROJECT

SOURCE = Path(__file__).parents[1] / "src"
ENTRIES = (
    "footnote",
    "footnote.interfaces.cli.main",
    "footnote.interfaces.http.app",
    "footnote.interfaces.sdk",
    "footnote.sync",
    "footnote.tools",
)
# Run in a process of its own: refuses what the default install does not bring.
IMPORT = """
import json, sys

refused = set(json.loads(sys.argv[1]))

class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in refused:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NotInstalled())
for name in sys.argv[2:]:
    __import__(name)
"""


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _installed_by_default() -> set[str]:
    """The distributions that the project depends on without an extra, and what these depend on."""
    found: set[str] = set()
    waiting = [
        (Requirement(each).name, Requirement(each).extras)
        for each in PROJECT["project"]["dependencies"]
    ]
    while waiting:
        name, extras = waiting.pop()
        if _canonical(name) in found and not extras:
            continue
        found.add(_canonical(name))
        try:
            needed = [Requirement(each) for each in requires(name) or ()]
        except PackageNotFoundError:  # of another system
            continue
        waiting += [
            (each.name, each.extras)
            for each in needed
            if each.marker is None
            or any(each.marker.evaluate({"extra": extra}) for extra in {"", *extras})
        ]
    return found


@pytest.fixture(scope="module")
def refused() -> str:
    """The modules here that the default install does not bring, as JSON."""
    default = _installed_by_default() | {_canonical(PROJECT["project"]["name"])}
    modules = {
        module
        for module, names in packages_distributions().items()
        if not any(_canonical(name) in default for name in names)
    }
    assert {"pydantic_ai", "genai_prices", "mcp", "pytest"} <= modules
    assert not {"footnote", "fastapi", "numpy", "psycopg"} & modules
    return json.dumps(sorted(modules))


def test_it_is_imported_without_the_libraries_of_an_extra(refused: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", IMPORT, refused, *ENTRIES],
        check=False,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(SOURCE), "PATH": ""},
    )
    assert run.returncode == 0, run.stderr[-2_000:]
