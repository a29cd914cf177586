"""Collect paragraphs, list items and notes in document order into drafts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from footnote.domain import BlockKind
from footnote.ingestion.parsing.drafts import Draft, clean

_LONG_ITEM_CHARACTERS = 300
"""Average characters above which list items are numbered clauses, each a paragraph of its own."""
BULLET = "-"
_SHOWN_TARGET = re.compile(r"(?:https?|ftp)://\S|mailto:\S", re.IGNORECASE)
_MAX_TARGET_CHARACTERS = 500


@dataclass(slots=True)
class Flow:
    """Collects blocks in document order; consecutive list items, and code lines, are joined.

    Deferred blocks (notes, text boxes, pictures) follow the block that they belong to.
    """

    page: int | None = None
    drafts: list[Draft] = field(default_factory=list)
    _items: list[tuple[int, str, str]] = field(default_factory=list)
    _code: list[str] = field(default_factory=list)
    _deferred: list[Draft] = field(default_factory=list)

    def heading(self, text: str, level: int) -> None:
        """Add a heading of level 1 or deeper."""
        self._add(Draft(kind=BlockKind.HEADING, text=text, page=self.page, level=level))

    def paragraph(self, text: str, kind: BlockKind = BlockKind.PARAGRAPH) -> None:
        """Add a block of its own."""
        self._add(Draft(kind=kind, text=text, page=self.page))

    def item(self, text: str, depth: int = 0, label: str = BULLET) -> None:
        """Add an item to the open list, or to a new one."""
        if text.strip():
            self._close_code()
            if not self._items:
                self._release()
            self._items.append((max(depth, 0), label, clean(text)))

    def code(self, text: str) -> None:
        """Add one or more lines to the open code block, or to a new one."""
        self._close_items()
        if not self._code:
            self._release()
        self._code.append(text)

    def extend(self, drafts: Iterable[Draft]) -> None:
        """Add finished blocks, such as tables."""
        self.close()
        self.drafts.extend(drafts)

    def defer(self, drafts: Iterable[Draft]) -> None:
        """Add blocks after the open block, or after the last one."""
        self._deferred.extend(drafts)

    def note(self, label: str, text: str) -> None:
        """Add a footnote, an endnote or a comment after the open block, or after the last one."""
        if text.strip():
            line = f"[{label}: {clean(text)}]"
            self._deferred.append(Draft(kind=BlockKind.PARAGRAPH, text=line, page=self.page))

    def close(self) -> list[Draft]:
        """Close the open block and return all drafts so far."""
        self._close_items()
        self._close_code()
        self._release()
        return self.drafts

    def split(self) -> tuple[list[Draft], list[Draft]]:
        """Close the open block; return all drafts, and separately those still deferred.

        For a cell, whose notes follow its table.
        """
        deferred, self._deferred = self._deferred, []
        return self.close(), deferred

    def _add(self, draft: Draft) -> None:
        if draft.text.strip():
            self.close()
            self.drafts.append(draft)

    def _release(self) -> None:
        self.drafts.extend(self._deferred)
        self._deferred = []

    def _close_items(self) -> None:
        if not self._items:
            return
        items, self._items = self._items, []
        if sum(len(text) for _, _, text in items) > _LONG_ITEM_CHARACTERS * len(items):
            for _, label, text in items:
                paragraph = text if label in (BULLET, "") else f"{label} {text}"
                self.drafts.append(Draft(kind=BlockKind.PARAGRAPH, text=paragraph, page=self.page))
        else:
            text = list_text(items)
            self.drafts.append(Draft(kind=BlockKind.LIST, text=text, page=self.page))
        self._release()

    def _close_code(self) -> None:
        if self._code:
            text = "\n".join(self._code).strip("\n")
            self._code = []
            self.drafts.append(Draft(kind=BlockKind.CODE, text=text, page=self.page))
            self._release()


def list_text(items: Sequence[tuple[int, str, str]]) -> str:
    """Return items (depth, label, text) as lines, indented by two spaces for each depth.

    >>> list_text([(1, "-", "a"), (2, "1.", "b")])
    '- a\\n  1. b'
    """
    least_depth = min(depth for depth, _, _ in items)
    lines = []
    for depth, label, text in items:
        indent = "  " * (depth - least_depth)
        marker = f"{label} " if label else "  "
        lines.append(indent + marker + text.replace("\n", f"\n{indent}  "))
    return "\n".join(lines)


def link_text(text: str, target: str) -> str:
    """Return a link's text with its target, if that is external and not in the text already.

    >>> link_text("our site", "https://acme.example/")
    'our site (https://acme.example/)'
    """
    if not _SHOWN_TARGET.match(target) or len(target) > _MAX_TARGET_CHARACTERS:
        return text
    address = re.sub(r"^mailto:", "", target, flags=re.IGNORECASE).split("?subject")[0]
    bare = re.sub(r"^\w+://(?:www\.)?", "", address).rstrip("/")
    if not text.strip():
        return address
    if bare and bare.lower() in text.lower():
        return text
    trailing = text[len(text.rstrip()) :]
    return f"{text.rstrip()} ({address}){trailing}"
