"""Convert AsciiDoc to drafts, line by line; nothing it refers to is opened."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from footnote.domain import BlockKind, MetadataValue
from footnote.ingestion.parsing.delimited import read_delimited
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.tables import Cell, spanned_table_drafts

_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+=+)?$")
_ATTRIBUTE = re.compile(r":(!?[\w\\-]+!?):(?:[ \t]+(.*))?$")
_BLOCK_ATTRIBUTES = re.compile(r"\[[^\]\[]*(?:\[[^\]]*\])?[^\]]*\]$")
_BLOCK_TITLE = re.compile(r"\.(?![.\s])(.+)$")
_DELIMITER = re.compile(
    r"(?:-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|```+[\w+-]*|[|,:!]={3,})$"
)
_DIRECTIVE = re.compile(r"(?:include|toc|ifdef|ifndef|ifeval|endif|video|audio)::.*\[.*\]$")
_IMAGE = re.compile(r"image::([^\[\s]*)\[([^\]]*)\]$")
_ITEM = re.compile(r"[ \t]*(\*{1,5}|-|\.{1,5}|\d{1,4}\.|[a-zA-Z]\.|<(?:\d+|\.)>)[ \t]+(\S.*)$")
_TERM = re.compile(r"[ \t]*(\S.*?)(:{2,4}|;;)(?:[ \t]+(.*))?$")
_CELL = re.compile(r"(?:(\d+)?(?:\.(\d+))?\+|(\d+)\*)?[<^>.]{0,4}[aehlmsdv]?(?<!\\)\|")
_COLUMNS = re.compile(r"cols=(?:\"([^\"]*)\"|([^,\]\"]+))")
_LINK = re.compile(
    r"(?:link:|xref:)?((?:https?|ftp|mailto):[^\s\[\]<>]+|(?<=link:)\S+?)\[([^\]]*)\]"
)
_REFERENCE = re.compile(r"<<([^,>]+)(?:,\s*([^>]+))?>>|xref:([^\s\[]+)\[([^\]]*)\]")
_MACRO = re.compile(
    r"(?:kbd|btn|icon|image|footnote|anchor|stem|pass|latexmath|menu):([^\s\[]*)\[([^\]]*)\]"
)
_ANCHOR = re.compile(r"\[\[[^\]]*\]\]|\[[#.][^\]\s]*\](?=[#*_`])")
_STYLED = re.compile(r"(?<![\w\\])(\*\*|\*|__|_|``|`|##|#|\+\+\+|\+)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_NAME = re.compile(r"\{([\w-]+)\}")
_METADATA_KEYS = {"author": "author", "revdate": "date", "date": "date", "keywords": "tags",
         "description": "description", "lang": "language"}  # fmt: skip
_ATTRIBUTED = re.compile(r"\[(?:quote|verse)[^,\]]*,\s*([^=]+)\]$")
_MAX_DEPTH = 20
_MAX_EXPANDED = 100


@dataclass(slots=True)
class _Reader:
    attributes: dict[str, str] = field(default_factory=dict)

    def plain(self, text: str) -> str:
        """Return inline markup as plain text: links with targets, attribute references as their
        values."""

        def value(name: re.Match[str]) -> str:
            definition = self.attributes.get(name.group(1), "")
            return definition if 0 < len(definition) <= _MAX_EXPANDED else name.group(0)

        text = _MACRO.sub(_macro_text, _ANCHOR.sub("", _NAME.sub(value, text)))
        text = _REFERENCE.sub(lambda match: match.group(2) or match.group(4) or "", text)
        text = _LINK.sub(_link_text, text)
        for _ in range(2):
            text = _STYLED.sub(r"\2", text)
        return text


def read_asciidoc(text: str) -> Reading:
    """Read sections, lists, tables, listings and block titles; comments are dropped.

    Included files are left out, and both branches of conditional passages are kept.
    """
    reader = _Reader()
    lines = text.split("\n")
    drafts = tuple(_drafts([line.rstrip() for line in lines], reader, depth=0))
    metadata: dict[str, MetadataValue] = {
        key: reader.attributes[name]
        for name, key in _METADATA_KEYS.items()
        if name in reader.attributes
    }
    return Reading(drafts=drafts, metadata=metadata)


def _drafts(lines: Sequence[str], reader: _Reader, depth: int) -> Iterator[Draft]:
    position = 0
    style = ""
    while position < len(lines):
        line = lines[position]
        if not line.strip() or line == "+" or _has_no_text(line):
            position += 1
        elif attribute := _ATTRIBUTE.match(line):
            name = attribute.group(1).strip("!\\").lower()
            reader.attributes[name] = attribute.group(2) or ""
            position += 1
        elif _BLOCK_ATTRIBUTES.match(line):
            style = line
            position += 1
        elif _DELIMITER.match(line) and depth <= _MAX_DEPTH:
            end = _closing_index(lines, position)
            inside = lines[position + 1 : end]
            yield from _delimited(line, style, inside, reader, depth)
            yield from _attribution(style, reader)
            style, position = "", end + 1
        elif single := _one_line_block(line, reader):
            yield single
            position += 1
            if single.level == 1:
                position = _author_line(lines, position, reader)
        elif _ITEM.match(line) or _TERM.match(line):
            drafts, position = _list(lines, position, reader, depth)
            yield from drafts
        else:
            end = _paragraph_end(lines, position)
            yield from _paragraph(lines[position:end], style, reader)
            yield from _attribution(style, reader)
            style, position = "", end


def _attribution(style: str, reader: _Reader) -> Iterator[Draft]:
    """Yield the attribution of a quotation or verse: its author and source."""
    if match := _ATTRIBUTED.match(style):
        source = ", ".join(part.strip(' "') for part in match.group(1).split(",") if part.strip())
        yield Draft(kind=BlockKind.PARAGRAPH, text=f"— {reader.plain(source)}")


def _has_no_text(line: str) -> bool:
    """Whether a line holds no text: a comment, a condition, an include, a break."""
    comment = line.startswith("//") and not line.startswith("////")
    return comment or _DIRECTIVE.match(line) is not None or line in ("<<<", "'''", "---", "***")


def _author_line(lines: Sequence[str], position: int, reader: _Reader) -> int:
    """Read the author and revision lines below the title; return the index of the line after
    them."""
    for _ in range(2):
        if (
            position >= len(lines)
            or not lines[position].strip()
            or lines[position].startswith((":", "/", "[", "="))
        ):
            return position
        line = lines[position]
        if match := re.fullmatch(r"([\w .'-]+?)\s*<([^<>\s]+@[^<>\s]+)>.*", line):
            reader.attributes.setdefault("author", match.group(1))
        elif match := re.fullmatch(r"(?:v?[\d.]+,\s*)?(\d{4}-\d{2}-\d{2}).*", line):
            reader.attributes.setdefault("revdate", match.group(1))
        else:
            return position
        position += 1
    return position


def _one_line_block(line: str, reader: _Reader) -> Draft | None:
    """Return the block of one line: a heading, a block title or a picture; None for other lines."""
    if heading := _HEADING.match(line):
        text = reader.plain(heading.group(2))
        return Draft(kind=BlockKind.HEADING, text=text, level=len(heading.group(1)))
    if image := _IMAGE.match(line):
        alt = image.group(2).split(",")[0].strip('"')
        return Draft(kind=BlockKind.IMAGE, text=reader.plain(alt))
    if title := _BLOCK_TITLE.match(line):
        return Draft(kind=BlockKind.CAPTION, text=reader.plain(title.group(1)))
    return None


# --- delimited blocks and tables ------------------------------------------------------------


def _closing_index(lines: Sequence[str], start: int) -> int:
    """Return the index of the line that closes the block opened at `start`, or the line count."""
    mark = re.match(r"`+|.*", lines[start])
    closing = mark.group(0) if mark else lines[start]
    return next((i for i in range(start + 1, len(lines)) if lines[i] == closing), len(lines))


def _delimited(
    mark: str, style: str, inside: Sequence[str], reader: _Reader, depth: int
) -> Iterator[Draft]:
    if mark.startswith("//"):
        return
    if mark.startswith("|="):
        yield from spanned_table_drafts(_table(inside, style, reader))
    elif mark.startswith((",=", ":=")):
        yield from read_delimited("\n".join(inside)).drafts
    elif mark.startswith("++++"):
        if style.startswith(("[stem", "[latexmath", "[asciimath")):
            yield Draft(kind=BlockKind.PARAGRAPH, text="\n".join(inside))
    elif mark.startswith(("----", "....", "```")) or style.startswith(("[source", "[listing")):
        yield Draft(kind=BlockKind.CODE, text="\n".join(inside).strip("\n"))
    elif style.startswith("[verse"):
        text = "\n".join(reader.plain(line) for line in inside)
        yield Draft(kind=BlockKind.PARAGRAPH, text=text)
    else:
        drafts = list(_drafts(inside, reader, depth + 1))
        if (label := _admonition(style)) and drafts and drafts[0].kind is BlockKind.PARAGRAPH:
            drafts[0] = replace(drafts[0], text=label + drafts[0].text)
        elif label:
            yield Draft(kind=BlockKind.PARAGRAPH, text=label)
        yield from drafts


def _admonition(style: str) -> str:
    """Return the label of an admonition such as a note or a warning; empty for other styles."""
    match = re.match(r"\[(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\b", style)
    return f"{match.group(1)}: " if match else ""


def _table(inside: Sequence[str], style: str, reader: _Reader) -> list[list[Cell]]:
    """Return the rows of a table.

    The number of columns is the declared one, else that of the first line.
    """
    text = "\n".join(line for line in inside if not line.startswith("//"))
    marks = list(_CELL.finditer(text))
    cells: list[Cell] = []
    for mark, next_mark in zip(marks, [*marks, None][1:], strict=True):
        source = text[mark.end() : next_mark.start() if next_mark else len(text)].replace(
            "\\|", "|"
        )
        cell_text = reader.plain(" ".join(source.split()))
        columns, rows, times = (
            min(int(digits[:4]), 1_000) if digits else 1 for digits in mark.groups()
        )
        cells += [Cell(cell_text, max(columns, 1), max(rows, 1))] * max(times, 1)
    width = 0
    if declared := _COLUMNS.search(style):
        for part in re.split(r"[,;]", declared.group(1) or declared.group(2)):
            repeat = re.match(r"\s*(\d{1,3})\*", part)
            width += int(repeat.group(1)) if repeat else 1
    width = width or len(_CELL.findall(next((line for line in inside if line.strip()), "")))
    return _rows(cells, max(width, 1))


def _rows(cells: Sequence[Cell], width: int) -> list[list[Cell]]:
    """Distribute cells over rows of `width` columns; a cell that spans rows also fills cells
    below it."""
    rows: list[list[Cell]] = []
    reaching: list[int] = []
    room = 0
    for cell in cells:
        if room <= 0:
            rows.append([])
            reaching = [remaining - 1 for remaining in reaching if remaining > 1]
            room = max(width - len(reaching), 1)
        rows[-1].append(cell)
        reaching += [cell.rows] * cell.columns if cell.rows > 1 else []
        room -= cell.columns
    return rows


# --- lists and paragraphs -------------------------------------------------------------------


def _list(lines: Sequence[str], start: int, reader: _Reader, depth: int) -> tuple[list[Draft], int]:
    """Return the blocks of a list and the index of the line after it.

    A block attached to an item by `+` follows it: a paragraph inside the list, others on their own.
    """
    drafts: list[Draft] = []
    items: list[str] = []
    marks: list[str] = []
    numbers: dict[str, int] = {}
    position = start
    while position < len(lines):
        line = lines[position]
        if item := _ITEM.match(line):
            mark = item.group(1)
            del marks[marks.index(mark) + 1 if mark in marks else len(marks) :]
            marks += [] if mark in marks else [mark]
            numbers = {other: count for other, count in numbers.items() if other in marks}
            numbers[mark] = numbers.get(mark, 0) + 1
            sign = f"{numbers[mark]}." if mark.startswith(".") else "-" if mark[0] in "*-" else mark
            end = _item_end(lines, position)
            text = " ".join(
                [item.group(2), *(following.strip() for following in lines[position + 1 : end])]
            )
            items.append("  " * (len(marks) - 1) + f"{sign} {reader.plain(text)}")
        elif term := _TERM.match(line):
            end = _item_end(lines, position)
            parts = [
                term.group(3) or "",
                *(following.strip() for following in lines[position + 1 : end]),
            ]
            if not any(parts) and end + 1 < len(lines) and not _ITEM.match(lines[end + 1]):
                further = _item_end(lines, end + 1)
                parts, end = [following.strip() for following in lines[end + 1 : further]], further
            meaning = reader.plain(" ".join(filter(None, parts)))
            items.append(f"- {reader.plain(term.group(1))}" + (f": {meaning}" if meaning else ""))
        elif line == "+" and position + 1 < len(lines):
            end = _attached_end(lines, position + 1)
            for draft in _drafts(lines[position + 1 : end], reader, depth + 1):
                if draft.kind is BlockKind.PARAGRAPH:
                    items.append(f"  {draft.text}")
                else:
                    _flush(items, drafts)
                    drafts.append(draft)
        elif _has_no_text(line) or (not line.strip() and _continues(lines, position)):
            end = position + 1
        else:
            break
        position = max(end, position + 1)
    _flush(items, drafts)
    return drafts, position


def _flush(items: list[str], drafts: list[Draft]) -> None:
    if items:
        drafts.append(Draft(kind=BlockKind.LIST, text="\n".join(items)))
        items.clear()


def _continues(lines: Sequence[str], start: int) -> bool:
    """Whether another item, or a block attached to the last one, follows the blank lines."""
    following = next((line for line in lines[start:] if line.strip()), "")
    return bool(_ITEM.match(following) or _TERM.match(following) or following == "+")


def _attached_end(lines: Sequence[str], start: int) -> int:
    position = start
    while position < len(lines) and (
        _BLOCK_ATTRIBUTES.match(lines[position]) or _BLOCK_TITLE.match(lines[position])
    ):
        position += 1
    if position < len(lines) and _DELIMITER.match(lines[position]):
        return _closing_index(lines, position) + 1
    return max(_paragraph_end(lines, position), position + 1)


def _item_end(lines: Sequence[str], start: int) -> int:
    """Return the index after an item's text, which also ends where the next term begins."""
    end = _paragraph_end(lines, start)
    return next((i for i in range(start + 1, end) if _TERM.match(lines[i])), end)


def _paragraph_end(lines: Sequence[str], start: int) -> int:
    for position in range(start + 1, len(lines)):
        line = lines[position]
        starts = _ITEM.match(line) or _DELIMITER.match(line) or _BLOCK_ATTRIBUTES.match(line)
        if not line.strip() or line == "+" or starts or _has_no_text(line) or _HEADING.match(line):
            return position
    return len(lines)


def _paragraph(lines: Sequence[str], style: str, reader: _Reader) -> Iterator[Draft]:
    if style.startswith(("[source", "[listing")):
        yield Draft(kind=BlockKind.CODE, text="\n".join(lines))
    elif all(line.startswith("|") for line in lines):
        yield from spanned_table_drafts(_table([line.rstrip("|") for line in lines], style, reader))
    elif lines[0][:1].isspace():
        yield Draft(kind=BlockKind.CODE, text="\n".join(lines))
    else:
        text = " ".join(line.strip().removesuffix(" +") for line in lines)
        yield Draft(kind=BlockKind.PARAGRAPH, text=_admonition(style) + reader.plain(text))


def _link_text(link: re.Match[str]) -> str:
    address, text = link.group(1), link.group(2).split(",")[0].strip('"^ ')
    address = address.removeprefix("mailto:")
    return f"{text} ({address})" if text else address


def _macro_text(macro: re.Match[str]) -> str:
    name = macro.group(0).split(":", 1)[0]
    target, text = macro.group(1), macro.group(2)
    if name == "footnote":
        return f" ({text})" if text else ""
    if name == "menu":
        return " > ".join(filter(None, (target, text)))
    return text.split(",")[0] if name in ("image", "icon") else text
