"""Lighthouse finds nothing to better: what is served stays open to everybody and sound."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser

from .conftest import Site
from .lighthouse import CATEGORIES, LEAST, audited, missing

WANTED = tuple(each for each in CATEGORIES if each != "performance")
"""How fast a page is here depends on what else the machine does: `make lighthouse` measures it, and
`test_build.py` and `test_loading.py` hold what is loaded to its budget."""


@pytest.mark.skipif(bool(missing()), reason=missing() or "all is there")
async def test_the_first_page_keeps_its_scores(browser: Browser, site: Site) -> None:
    page = (await audited({"start": site.address}, wanted=WANTED))["start"]
    assert {each: score for each, score in page.scores.items() if score < LEAST} == {}, (
        page.shortcomings
    )
    assert page.scores.keys() == set(WANTED)
    # It does not jump about while it is loaded, however slow that is.
    assert page.figures["cumulative_layout_shift"] < 0.1
