"""What stands in a list item becomes lines of its list, and blocks that do not fit in one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from footnote.domain import BlockKind
from footnote.ingestion.parsing.drafts import Draft

_IN_LINE = frozenset((BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.CAPTION, BlockKind.IMAGE))


def item_lines(sign: str, content: Iterable[Draft]) -> Iterator[str | Draft]:
    """Lines under the item's sign, two spaces further in; code and tables come as they are."""
    is_first = True
    for draft in content:
        if draft.kind not in _IN_LINE:
            yield draft
            continue
        for line in draft.text.split("\n"):
            if not line.strip():
                continue
            yield f"{sign} {line.strip()}" if is_first else f"  {line}"
            is_first = False
