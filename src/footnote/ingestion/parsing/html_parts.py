"""Choose the blocks of an HTML page's main part, and put its footer last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import zip_longest

from footnote.domain import BlockKind
from footnote.ingestion.parsing.drafts import Draft

FOOTER = "footer"
"""The part that the footer of a page is, but not the footer of an article or a quotation."""


def main_part_and_footer(drafts: Sequence[Draft], parts: Sequence[Set[str]]) -> tuple[Draft, ...]:
    """Return the blocks of `main`, else of `article`, if it has most of the text, else all; and
    after them those of the footer. `parts` names the parts that each draft is in."""
    parted = list(zip(drafts, parts, strict=True))
    footer = [draft for draft, inside in parted if FOOTER in inside]
    chosen = [draft for draft, inside in parted if FOOTER not in inside]
    for part in ("main", "article"):
        main = [draft for draft, inside in parted if part in inside and FOOTER not in inside]
        if 2 * _size(main) > _size(chosen):
            chosen = main
            break
    return (*chosen, *_footer_lines(footer))


def _footer_lines(drafts: Sequence[Draft]) -> Iterator[Draft]:
    """Yield a footer's blocks under no heading of the page; its own headings are lines, and those
    of menus, with nothing left below them, are dropped."""
    for draft, below in zip_longest(drafts, drafts[1:]):
        if draft.kind is not BlockKind.HEADING:
            yield replace(draft, level=1)
        elif below is not None and below.kind is not BlockKind.HEADING:
            yield replace(draft, kind=BlockKind.PARAGRAPH, level=1)


def _size(drafts: Sequence[Draft]) -> int:
    return sum(len(draft.text) for draft in drafts)
