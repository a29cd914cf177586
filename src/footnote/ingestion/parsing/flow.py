"""Paragraphs, list items and notes in document order become drafts, each kind kept whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from footnote.domain import BlockKind
from footnote.ingestion.parsing.drafts import Draft, clean

_LONG_ITEM_CHARACTERS = 300
"""Items longer than this on average are numbered clauses, each worth a paragraph of its own."""
BULLET = "-"
_SHOWN_TARGET = re.compile(r"(?:https?|ftp)://\S|mailto:\S", re.IGNORECASE)
_MAX_TARGET_CHARACTERS = 500


@dataclass(slots=True)
class Flow:
    """Collects what a document says; list items and code lines that follow each other join.

    What is deferred (notes, text boxes, pictures) comes after the block that it hangs on.
    """

    page: int | None = None
    drafts: list[Draft] = field(default_factory=list)
    _items: list[tuple[int, str, str]] = field(default_factory=list)
    _code: list[str] = field(default_factory=list)
    _deferred: list[Draft] = field(default_factory=list)

    def heading(self, text: str, level: int) -> None:
        """A heading of level 1 or deeper."""
        self._add(Draft(kind=BlockKind.HEADING, text=text, page=self.page, level=level))

    def paragraph(self, text: str, kind: BlockKind = BlockKind.PARAGRAPH) -> None:
        """A block of its own."""
        self._add(Draft(kind=kind, text=text, page=self.page))

    def item(self, text: str, depth: int = 0, label: str = BULLET) -> None:
        """An item of the list that is open, or of a new one."""
        if text.strip():
            self._close_code()
            if not self._items:
                self._release()
            self._items.append((max(depth, 0), label, clean(text)))

    def code(self, text: str) -> None:
        """A line or several of the code that is open, or of a new one."""
        self._close_items()
        if not self._code:
            self._release()
        self._code.append(text)

    def extend(self, drafts: Iterable[Draft]) -> None:
        """Finished blocks, tables for example."""
        self.close()
        self.drafts.extend(drafts)

    def defer(self, drafts: Iterable[Draft]) -> None:
        """Blocks that follow the one that is open, or the last one."""
        self._deferred.extend(drafts)

    def note(self, label: str, text: str) -> None:
        """A footnote, an endnote or a comment on the block that is open, or on the last one."""
        if text.strip():
            said = f"[{label}: {clean(text)}]"
            self._deferred.append(Draft(kind=BlockKind.PARAGRAPH, text=said, page=self.page))

    def close(self) -> list[Draft]:
        """End what is open; all drafts so far."""
        self._close_items()
        self._close_code()
        self._release()
        return self.drafts

    def split(self) -> tuple[list[Draft], list[Draft]]:
        """All drafts, those still deferred apart: for a cell, whose notes follow its table."""
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
                said = text if label in (BULLET, "") else f"{label} {text}"
                self.drafts.append(Draft(kind=BlockKind.PARAGRAPH, text=said, page=self.page))
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
    """Items of depth, label and text as lines, two spaces of indent for each depth.

    >>> list_text([(1, "-", "a"), (2, "1.", "b")])
    '- a\\n  1. b'
    """
    least = min(depth for depth, _, _ in items)
    lines = []
    for depth, label, text in items:
        indent = "  " * (depth - least)
        marker = f"{label} " if label else "  "
        lines.append(indent + marker + text.replace("\n", f"\n{indent}  "))
    return "\n".join(lines)


def link_text(text: str, target: str) -> str:
    """What a link says and where it leads, if that is outside the file and not said already.

    >>> link_text("our site", "https://acme.example/")
    'our site (https://acme.example/)'
    """
    if not _SHOWN_TARGET.match(target) or len(target) > _MAX_TARGET_CHARACTERS:
        return text
    shown = re.sub(r"^mailto:", "", target, flags=re.IGNORECASE).split("?subject")[0]
    bare = re.sub(r"^\w+://(?:www\.)?", "", shown).rstrip("/")
    if not text.strip():
        return shown
    if bare and bare.lower() in text.lower():
        return text
    trailing = text[len(text.rstrip()) :]
    return f"{text.rstrip()} ({shown}){trailing}"
