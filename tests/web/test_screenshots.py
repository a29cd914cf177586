"""The pictures of the docs: each is shown, small, and every page of the app can be drawn."""

from __future__ import annotations

import re
from pathlib import Path

from footnote.interfaces.http.web_app import PAGES

from .screenshots import IN_DOCS, LOOKS, MAX_BYTES, SHOTS

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"


def test_every_page_of_the_app_is_drawn() -> None:
    # `/admin` leads to the first of its sections.
    drawn = {shot.path for shot in SHOTS.values()}
    assert set(PAGES) - {"/admin"} == drawn - {""}


def test_the_pictures_of_the_docs_are_those_that_are_chosen_and_small() -> None:
    kept = {path.stem: path for path in PICTURES.glob("*.webp")}
    assert set(kept) == set(IN_DOCS)
    assert {name for name, path in kept.items() if path.stat().st_size > MAX_BYTES} == set()
    assert set(IN_DOCS) <= {f"{name}-{look}" for name in SHOTS for look in LOOKS}


def test_each_picture_is_shown_with_words_for_who_does_not_see_it() -> None:
    shown: dict[str, str] = {}
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        found = re.findall(r"!\[([^\]]*)\]\((?:docs/)?pictures/([^)]+)\.webp\)", text)
        shown |= {name: words for words, name in found}
    assert set(shown) == set(IN_DOCS)
    assert all(shown.values())
