"""The words and tables of DrawingML shapes: paragraphs with their bullets, cells with spans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from footnote.ingestion.parsing.drafts import Draft
from footnote.ingestion.parsing.equations import equation_text
from footnote.ingestion.parsing.flow import BULLET, Flow, link_text
from footnote.ingestion.parsing.package import (
    RELATIONSHIPS,
    Package,
    alternative,
    attribute,
    child,
    children,
    local,
)
from footnote.ingestion.parsing.tables import grouped_header_rows, spread_table_drafts
from footnote.ingestion.parsing.wordstyles import format_number

_AUTO_NUMBER = re.compile(
    r"(arabic|alphaLc|alphaUc|romanLc|romanUc)(Period|ParenR|ParenBoth|Plain)"
)
_NUMBER_STYLES = {"arabic": "decimal", "alphaLc": "lowerLetter", "alphaUc": "upperLetter",
                  "romanLc": "lowerRoman", "romanUc": "upperRoman"}  # fmt: skip
_AFFIXES = {"Period": ("", "."), "ParenR": ("", ")"), "ParenBoth": ("(", ")"), "Plain": ("", "")}


def paragraph_text(paragraph: Element, package: Package, part: str) -> str:
    """Return the text of an `a:p`, with link targets, and with equations on one line."""
    text = ""
    for item in paragraph:
        name = local(item)
        if name in ("r", "fld"):
            run_text = "".join(text_element.text or "" for text_element in children(item, "t"))
            link = child(item, "rPr", "hlinkClick")
            if link is not None:
                relation = package.relations(part).get(link.get(f"{RELATIONSHIPS}id", ""))
                if relation is not None and relation.external:
                    run_text = link_text(run_text, relation.target)
            text += run_text
        elif name == "br":
            text += "\n"
        elif name == "AlternateContent" and (chosen := alternative(item)) is not None:
            text += paragraph_text(chosen, package, part)
        elif name == "m":
            text += f" {equation_text(item)} "
    return text


@dataclass(slots=True)
class _Numbers:
    """The running numbers of the lists in one text frame, by depth."""

    counters: dict[int, tuple[str, int]] = field(default_factory=dict)

    def label(self, depth: int, mark: Element | None) -> str:
        """Return the label of the next item; after an interruption a list restarts."""
        for deeper in [key for key in self.counters if key > depth]:
            del self.counters[deeper]
        scheme = attribute(mark, "type") or "" if mark is not None else ""
        match = _AUTO_NUMBER.fullmatch(scheme)
        if mark is None or match is None:
            self.counters.pop(depth, None)
            return BULLET
        previous_scheme, number = self.counters.get(depth, ("", 0))
        start = attribute(mark, "startAt") or "1"
        number = number + 1 if previous_scheme == scheme else int(start) if start.isdecimal() else 1
        self.counters[depth] = (scheme, number)
        before, after = _AFFIXES[match.group(2)]
        return before + format_number(number, _NUMBER_STYLES[match.group(1)]) + after


def frame_drafts(
    body: Element, package: Package, part: str, *, bulleted: bool, page: int | None
) -> list[Draft]:
    """Return the blocks of a text frame.

    Paragraphs are list items if marked as such; with `bulleted`, also those that are unmarked, if
    there are several.
    """
    flow = Flow(page=page)
    numbers = _Numbers()
    paragraphs = [
        (paragraph, text)
        for paragraph in children(body, "p")
        if (text := paragraph_text(paragraph, package, part)).strip()
    ]
    styles = child(body, "lstStyle")
    for paragraph, text in paragraphs:
        properties = child(paragraph, "pPr")
        level = attribute(properties, "lvl") or "0" if properties is not None else "0"
        depth = int(level) if level.isdecimal() else 0
        style = child(styles, f"lvl{depth + 1}pPr") if styles is not None else None
        mark = bullet_mark(properties)
        mark = bullet_mark(style) if mark is None else mark
        is_implied = mark is None and bulleted and len(paragraphs) > 1
        if is_implied or (mark is not None and local(mark) != "buNone"):
            flow.item(text, depth, numbers.label(depth, mark))
        else:
            numbers.counters.clear()
            flow.paragraph(text)
    return flow.close()


def bullet_mark(properties: Element | None) -> Element | None:
    """Return the element that sets a paragraph's bullet: none, character, picture or number."""
    if properties is None:
        return None
    return next(children(properties, "buNone", "buChar", "buBlip", "buAutoNum"), None)


def drawing_table_drafts(
    table: Element, package: Package, part: str, page: int | None
) -> Iterator[Draft]:
    """Yield the drafts of an `a:tbl`; the text of a merged cell is repeated in every cell it
    covers."""
    rows: list[list[str]] = []
    covered: set[tuple[int, int]] = set()
    for row_index, row in enumerate(children(table, "tr")):
        texts: list[str] = []
        for cell in children(row, "tc"):
            column = len(texts)
            if attribute(cell, "hMerge") in ("1", "true") and texts:
                text = texts[-1]
                covered.add((row_index, column))
            elif attribute(cell, "vMerge") in ("1", "true") and rows:
                text = rows[-1][column] if column < len(rows[-1]) else ""
                covered.add((row_index, column))
            else:
                body = child(cell, "txBody")
                paragraphs = children(body, "p") if body is not None else ()
                lines = (paragraph_text(paragraph, package, part) for paragraph in paragraphs)
                text = "\n".join(line for line in lines if line.strip())
            texts.append(text)
        rows.append(texts)
    headers = grouped_header_rows(rows, covered)
    yield from spread_table_drafts(rows, covered=covered, header_rows=headers, page=page)
