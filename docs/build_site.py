"""Builds the documentation site, strictly: `python -m docs.build_site dist/site`.

Each version has a folder beside the others, and `versions.json` lists them for the switcher.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tomli_w
from docs.reference_pages import reference_pages

from footnote import __version__

ROOT = Path(__file__).parents[1]
CONFIGURATION = ROOT / "docs/site.toml"
MERMAID = "12.3.0"
MERMAID_DIGEST = "336df803d87a38b70a01e736e666c8f7601d2ce42f5e47c8fafe5d721074b9a3"
"""Draws the diagrams of the pages that have some; MIT."""
_LINK = re.compile(r"\]\(([^)\s#:]+)(#[^)\s]*)?\)")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def build(out: Path, program: Path | None) -> Path:
    """Build this version's folder below `out`, list all versions there. Returns the folder.

    `program` draws diagrams, see `drawing_program`; without it they are shown as text.

    Raises SystemExit when a link leads nowhere or a page stands nowhere.
    """
    configured = tomllib.loads(CONFIGURATION.read_text(encoding="utf-8"))
    target = out / __version__
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pages = {path: (ROOT / path).read_text(encoding="utf-8") for path in _kept_pages()}
        pages |= reference_pages()
        require_places(configured["project"]["nav"], pages)
        _lay_out(pages, folder / "pages")
        if program:
            shutil.copy(program, folder / "pages/mermaid.js")
        else:
            configured["project"]["markdown_extensions"]["pymdownx"]["superfences"] = {}
        render(folder, configured)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(folder / "site", target)
    versions = sorted(
        (each.parent.name for each in out.glob("*/index.html")),
        key=lambda version: [int(part) for part in re.findall(r"\d+", version)],
        reverse=True,
    )
    listed = [{"version": each, "title": each, "aliases": []} for each in versions]
    (out / "versions.json").write_text(json.dumps(listed), encoding="utf-8")
    (out / "index.html").write_text(
        '<!doctype html><meta charset="utf-8"><title>Footnote</title>'
        f'<meta http-equiv="refresh" content="0; url={versions[0]}/index.html">'
        f'<a href="{versions[0]}/index.html">Footnote {versions[0]}</a>\n',
        encoding="utf-8",
    )
    return target


def render(folder: Path, configured: dict[str, Any]) -> None:
    """Make `site` of the `pages` in a folder. Raises SystemExit when a link leads nowhere."""
    configured["project"] |= {"docs_dir": "pages", "site_dir": "site"}
    (folder / "zensical.toml").write_text(tomli_w.dumps(configured), encoding="utf-8")
    command = (sys.executable, "-m", "zensical", "build", "--clean", "--strict")
    if subprocess.run(command, check=False, cwd=folder).returncode:
        raise SystemExit("the site was not built; what is wrong stands above")


def drawing_program(folder: Path) -> Path | None:
    """Mermaid, fetched once by npm; None where it cannot be, and diagrams are shown as text."""
    program = folder / f"mermaid-{MERMAID}.js"
    if not program.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        try:
            command = ("npm", "pack", "--silent", f"mermaid@{MERMAID}")
            subprocess.run(command, check=True, cwd=folder, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            sys.stderr.write(f"Diagrams are shown as text: npm could not fetch Mermaid ({error})\n")
            return None
        packed = folder / f"mermaid-{MERMAID}.tgz"
        with tarfile.open(packed) as archive:
            file = archive.extractfile("package/dist/mermaid.min.js")
            content = file.read() if file else b""
        packed.unlink()
        if hashlib.sha256(content).hexdigest() != MERMAID_DIGEST:
            raise SystemExit(f"mermaid {MERMAID} is not what it was: its SHA-256 has changed")
        program.write_bytes(content)
    return program


def _kept_pages() -> Iterator[str]:
    """The pages that are in the repository, by their paths."""
    for pattern in ("*.md", "docs/**/*.md", "examples/*.md", "bench/*.md"):
        yield from (path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob(pattern)))


def require_places(nav: list[Any], pages: dict[str, str]) -> None:
    """Raise SystemExit unless navigation and pages are the same; decisions have their own list."""
    placed = set(_leaves(nav))
    wanted = {path for path in pages if not re.match(r"docs/decisions/\d", path)}
    faults = [f"{path} stands nowhere in the navigation" for path in sorted(wanted - placed)]
    faults += [f"the navigation has {path}, which is no page" for path in sorted(placed - wanted)]
    if faults:
        raise SystemExit(f"{CONFIGURATION.relative_to(ROOT)}: " + "; ".join(faults))


def _leaves(nav: list[Any]) -> Iterator[str]:
    for entry in nav:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            if isinstance(value, list):
                yield from _leaves(value)
            else:
                yield value


def _lay_out(pages: dict[str, str], folder: Path) -> None:
    """Write pages where they are in the repository, so that links hold, with what they link to.

    A link to a folder becomes one to its page, or plain code where it has none.
    """
    waiting = dict(pages)
    written: set[str] = set()
    while waiting:
        path, text = waiting.popitem()
        written.add(path)
        parent = (ROOT / path).parent

        def replaced(match: re.Match[str], parent: Path = parent) -> str:
            linked = Path(os.path.normpath(parent / match[1]))
            if linked.is_dir() and (linked / "README.md").is_file():
                linked /= "README.md"
            name = os.path.relpath(linked, ROOT)
            if name not in written and linked.is_file():
                if linked.suffix == ".md":
                    waiting.setdefault(name, linked.read_text(encoding="utf-8"))
                else:
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(linked, folder / name)
            return f"]({os.path.relpath(linked, parent)}{match[2] or ''})"

        if "```mermaid" in text:
            script = os.path.relpath("mermaid.js", Path(path).parent)
            text += f'\n<script src="{script}"></script>\n'
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(_outside_fences(text, replaced), encoding="utf-8")


def _outside_fences(text: str, replaced: Any) -> str:
    parts, at = [], 0
    for fence in _FENCE.finditer(text):
        parts += [_LINK.sub(replaced, text[at : fence.start()]), fence[0]]
        at = fence.end()
    return "".join([*parts, _LINK.sub(replaced, text[at:])])


if __name__ == "__main__":
    place = Path(sys.argv[1]).resolve()
    sys.stdout.write(f"{build(place, drawing_program(place.parent / 'fetched'))}\n")
