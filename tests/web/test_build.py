"""What is built is small, and what is locked says nothing of where it came from."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from footnote.interfaces.http.web_app import BUILT

WEB = Path(__file__).parents[2] / "web"
FIRST_LOAD_BYTES = 180_000
WIDGET_BYTES = 20_000


def test_the_lock_file_has_checksums_and_no_addresses() -> None:
    text = (WEB / "package-lock.json").read_text(encoding="utf-8")
    packages = json.loads(text)["packages"]
    own = {name: each for name, each in packages.items() if name and not each.get("inBundle")}
    assert [name for name, each in own.items() if "integrity" not in each] == []
    for each in packages.values():
        each.pop("funding", None)
    assert not re.search(r"://|resolved|\.tgz", json.dumps(packages))


def test_a_build_prints_warnings_alone() -> None:
    scripts = json.loads((WEB / "package.json").read_text(encoding="utf-8"))["scripts"]
    builds = [step for step in scripts["build"].split(" && ") if step.startswith("vite build")]
    assert builds
    assert [step for step in builds if "--logLevel warn" not in step] == []


def test_the_first_load_is_within_its_budget() -> None:
    index = BUILT / "index.html"
    if not index.is_file():
        pytest.skip("the web app is not built: make web")
    loaded = set(re.findall(r'(?:src|href)="(/assets/[^"]+\.js)"', index.read_text()))
    sizes = {name: len(gzip.compress((BUILT / name[1:]).read_bytes())) for name in loaded}
    assert sizes, "the page loads no script"
    assert not any("PagePane" in name for name in sizes), "the viewer is loaded when it is needed"
    assert sum(sizes.values()) <= FIRST_LOAD_BYTES, sizes


def test_what_shows_pages_goes_without_what_reads_pdf_files() -> None:
    viewers = list((BUILT / "assets").glob("PagePanes-*.js"))
    if not viewers:
        pytest.skip("the web app is not built: make web")
    assert [each.name for each in viewers if b"pdf.worker" in each.read_bytes()] == []


def test_the_widget_costs_other_sites_little() -> None:
    widget = BUILT / "widget.js"
    if not widget.is_file():
        pytest.skip("the web app is not built: make web")
    assert len(gzip.compress(widget.read_bytes())) <= WIDGET_BYTES


def test_the_build_has_nothing_of_the_network() -> None:
    index = BUILT / "index.html"
    if not index.is_file():
        pytest.skip("the web app is not built: make web")
    text = index.read_text()
    assert re.findall(r'(?:src|href)="(?!/)[^"]*"', text) == []
    assert "<script>" not in text
    assert "<style" not in text
