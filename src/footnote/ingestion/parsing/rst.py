"""reStructuredText becomes drafts, line by line; nothing it refers to is ever opened."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from footnote.domain import BlockKind, MetadataValue
from footnote.ingestion.parsing.delimited import read_delimited
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.lists import item_lines
from footnote.ingestion.parsing.rstinline import plain, substitutions_of
from footnote.ingestion.parsing.rsttables import grid_table, is_simple_border, simple_table
from footnote.ingestion.parsing.spans import Cell, spanned_table_drafts

_RULE = re.compile(r"([!-/:-@\[-`{-~])\1+")
_BULLET = re.compile(r"([-*+•‣⁃])(?: +|$)")
_ENUMERATED = re.compile(r"(\(?(?:\d{1,4}|#|[A-Za-z]|[ivxlcIVXLC]{1,6})[.)])(?: +|$)")
_DIRECTIVE = re.compile(r"\.\. +(?:\|[^|]+\| *)?([\w:+.-]+?) *::(?: +(.*)|$)")
_FOOTNOTE = re.compile(r"\.\. +\[([^\]]+)\] *(.*)")
_FIELD = re.compile(r":([^:\s][^:]*):(?: +(.*)|$)")
_OPTION = re.compile(r":[\w-]+:(?: |$)")
_CODE = frozenset(
    "code code-block sourcecode parsed-literal prompt console doctest testcode testoutput "
    "ipython productionlist graphviz digraph uml mermaid".split()
)
_DROPPED = frozenset(
    "include literalinclude raw toctree index highlight contents meta default-role sectnum "
    "target-notes header footer role currentmodule module py:module py:currentmodule "
    "tabularcolumns autosummary bibliography replace".split()
)
_ADMONITIONS = frozenset(
    "note warning tip hint important caution danger attention error seealso todo".split()
)
_DOCINFO = {"author": "author", "authors": "author", "date": "date", "version": "version"}
_MAX_DEPTH = 20


@dataclass(slots=True)
class _Reader:
    """What is learnt on the way through one document."""

    styles: list[tuple[str, bool]] = field(default_factory=list)
    """Underlines with or without overline, in the order of their levels."""
    metadata: dict[str, MetadataValue] = field(default_factory=dict)
    put: Mapping[str, str] = field(default_factory=dict)
    """What stands for each name between bars."""

    def plain(self, text: str) -> str:
        """Inline markup as it reads."""
        return plain(text, self.put)


def read_rst(text: str) -> Reading:
    """Read sections, lists, tables, code, notes and admonitions; comments go.

    Included files and raw passages of other formats are left out.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(8).split("\n")
    reader = _Reader(put=substitutions_of(lines))
    drafts = tuple(_drafts([line.rstrip() for line in lines], reader, depth=0))
    return Reading(drafts=drafts, metadata=reader.metadata)


def _drafts(lines: Sequence[str], reader: _Reader, depth: int) -> Iterator[Draft]:
    position = 0
    while position < len(lines):
        line = lines[position]
        if not line:
            position += 1
        elif depth > _MAX_DEPTH:
            yield Draft(kind=BlockKind.PARAGRAPH, text="\n".join(lines[position:]))
            return
        elif line.startswith(".. ") or line == ".." or line.startswith("__ "):
            end = _indented_end(lines, position + 1, 0)
            yield from _explicit(lines[position:end], reader, depth)
            position = end
        elif line[0] == " ":
            end = _indented_end(lines, position, 0)
            yield from _drafts(_dedented(lines[position:end]), reader, depth + 1)
            position = end
        elif depth == 0 and (title := _title(lines, position, reader)):
            yield title
            position += 3 if _RULE.fullmatch(line) else 2
        elif found := _table(lines, position, reader):
            drafts, position = found
            yield from drafts
        elif _marker(line):
            drafts, position = _list(lines, position, reader, depth)
            yield from drafts
        else:
            drafts, position = _paragraph(lines, position, reader, depth)
            yield from drafts


# --- sections and tables --------------------------------------------------------------------


def _title(lines: Sequence[str], at: int, reader: _Reader) -> Draft | None:
    over = _RULE.fullmatch(lines[at]) is not None
    rule_at = at + (2 if over else 1)
    if rule_at >= len(lines):
        return None
    text, rule = lines[rule_at - 1].strip(), lines[rule_at]
    ruled = _RULE.fullmatch(rule)
    if not text or not ruled or (over and lines[at] != rule) or _RULE.fullmatch(text):
        return None
    if len(rule) < min(len(text), 4):
        return None
    style = (rule[0], over)
    if style not in reader.styles:
        reader.styles.append(style)
    level = min(reader.styles.index(style) + 1, 6)
    return Draft(kind=BlockKind.HEADING, text=reader.plain(text), level=level)


def _table(lines: Sequence[str], at: int, reader: _Reader) -> tuple[list[Draft], int] | None:
    if lines[at].startswith(("+-", "+=")):
        end = next((i for i in range(at, len(lines)) if not lines[i].startswith(("+", "|"))), None)
        end = len(lines) if end is None else end
        rows = grid_table(lines[at:end])
    elif is_simple_border(lines[at]):
        rows, end = simple_table(lines, at)
    else:
        return None
    shown = [
        [Cell(reader.plain(cell.text), cell.columns, cell.rows, cell.is_header) for cell in row]
        for row in rows
    ]
    return list(spanned_table_drafts(shown)), max(end, at + 1)


# --- explicit markup ------------------------------------------------------------------------


def _explicit(lines: Sequence[str], reader: _Reader, depth: int) -> Iterator[Draft]:
    """A directive, a footnote, or what is only for the processor: targets and comments."""
    if note := _FOOTNOTE.match(lines[0]):
        said = " ".join([note.group(2), *(line.strip() for line in lines[1:])])
        text = f"[{note.group(1).lstrip('#')}] {reader.plain(said)}"
        yield Draft(kind=BlockKind.PARAGRAPH, text=text)
        return
    directive = _DIRECTIVE.match(lines[0])
    if not directive or lines[0][2:].lstrip().startswith("|"):
        return  # what is put for a name stands where the name does
    name, argument = directive.group(1).lower(), (directive.group(2) or "").strip()
    content = _dedented(lines[1:])
    options: dict[str, str] = {}
    while content and _OPTION.match(content[0]):
        key, _, value = content[0][1:].partition(":")
        options[key] = value.strip()
        content = content[1:]
    if name in ("csv-table", "list-table", "table"):
        yield Draft(kind=BlockKind.CAPTION, text=reader.plain(argument))
        yield from _table_directive(name, options.get("header", ""), content, reader, depth)
    elif name in ("image", "figure"):
        yield Draft(kind=BlockKind.IMAGE, text=options.get("alt", ""))
        caption = " ".join(line.strip() for line in content)
        yield Draft(kind=BlockKind.CAPTION, text=reader.plain(caption))
    elif name not in _DROPPED:
        yield from _directive(name, argument, content, reader, depth)


def _table_directive(
    name: str, header: str, content: list[str], reader: _Reader, depth: int
) -> Iterator[Draft]:
    if name == "csv-table":
        rows = filter(None, (header, *content))
        yield from read_delimited("\n".join(rows)).drafts
    elif name == "list-table":
        yield from spanned_table_drafts(_listed_rows(content, reader))
    else:
        yield from _drafts(content, reader, depth + 1)


def _directive(
    name: str, argument: str, content: list[str], reader: _Reader, depth: int
) -> Iterator[Draft]:
    if name in _CODE:
        yield Draft(kind=BlockKind.CODE, text="\n".join(content).strip("\n"))
    elif name == "math":
        yield Draft(kind=BlockKind.PARAGRAPH, text="\n".join([argument, *content]).strip())
    elif name in _ADMONITIONS:
        drafts = list(_drafts(content, reader, depth + 1))
        told = " ".join(filter(None, (reader.plain(argument), drafts[0].text if drafts else "")))
        yield Draft(kind=BlockKind.PARAGRAPH, text=f"{name.capitalize()}: {told}")
        yield from drafts[1:]
    else:  # any other kind says what stands in it
        yield Draft(kind=BlockKind.PARAGRAPH, text=reader.plain(argument))
        yield from _drafts(content, reader, depth + 1)


def _listed_rows(content: Sequence[str], reader: _Reader) -> list[list[Cell]]:
    """The rows of a list-table: items, each a list of cells."""
    rows: list[list[Cell]] = []
    for line in content:
        bare = line.lstrip()
        if bare.startswith("* -"):
            rows.append([Cell(bare[3:].strip())])
        elif rows and f"{bare} ".startswith("- "):
            rows[-1].append(Cell(bare[1:].strip()))
        elif rows and bare:
            before = rows[-1][-1].text
            rows[-1][-1] = Cell(f"{before} {bare}".strip())
    return [[Cell(reader.plain(cell.text)) for cell in row] for row in rows]


# --- lists and paragraphs -------------------------------------------------------------------


def _marker(line: str) -> re.Match[str] | None:
    return _BULLET.match(line) or _ENUMERATED.match(line)


def _list(lines: Sequence[str], at: int, reader: _Reader, depth: int) -> tuple[list[Draft], int]:
    """Items of one list as one block; code and tables inside them stand on their own."""
    drafts: list[Draft] = []
    shown: list[str] = []
    position, number = at, 0
    while position < len(lines) and (marker := _marker(lines[position])):
        end = _indented_end(lines, position + 1, 0)
        first = lines[position][marker.end() :]
        number += 1
        sign = "-" if _BULLET.match(lines[position]) else marker.group(1).replace("#", str(number))
        apart = [""] if end > position + 1 and not lines[position + 1] else []
        inside = [first, *apart, *_dedented(lines[position + 1 : end])]
        for part in item_lines(sign, list(_drafts(inside, reader, depth + 1))):
            if isinstance(part, Draft):
                _flush(shown, drafts)
                drafts.append(part)
            else:
                shown.append(part)
        position = end
        following = _after_blanks(lines, end)
        if following < len(lines) and _is_of_one_list(marker, _marker(lines[following])):
            position = following
    _flush(shown, drafts)
    return drafts, position


def _after_blanks(lines: Sequence[str], at: int) -> int:
    return next((i for i in range(at, len(lines)) if lines[i]), len(lines))


def _is_of_one_list(marker: re.Match[str], other: re.Match[str] | None) -> bool:
    """Whether an item after a blank line goes on with the list of the one before it."""
    if other is None:
        return False
    return _sort_of(marker.group(1)) == _sort_of(other.group(1))


def _sort_of(sign: str) -> str:
    """The bullet itself, or whether an enumeration counts in numbers or in letters."""
    first = sign.strip("(.)")[:1]
    if first.isdigit() or first == "#":
        return "number"
    return "letter" if first.isalpha() else sign


def _flush(shown: list[str], drafts: list[Draft]) -> None:
    if shown:
        drafts.append(Draft(kind=BlockKind.LIST, text="\n".join(shown)))
        shown.clear()


def _paragraph(
    lines: Sequence[str], at: int, reader: _Reader, depth: int
) -> tuple[list[Draft], int]:
    end = next((i for i in range(at, len(lines)) if not lines[i]), len(lines))
    run = list(lines[at:end])
    if run[0].startswith(">>>"):
        return [Draft(kind=BlockKind.CODE, text="\n".join(run))], end
    if _FIELD.match(run[0]):
        return _fields(run, reader), end
    if _RULE.fullmatch(run[0]) and len(run) == 1:
        return [], end
    if run[0].startswith("| "):
        verses = "\n".join(reader.plain(line.lstrip("|").strip()) for line in run)
        return [Draft(kind=BlockKind.PARAGRAPH, text=verses)], end
    if len(run) > 1 and run[1].startswith(" "):
        return _definition(lines, at, reader, depth)
    return _prose(lines, run, end, reader)


def _prose(
    lines: Sequence[str], run: list[str], end: int, reader: _Reader
) -> tuple[list[Draft], int]:
    """A paragraph, and the literal block that its last two colons announce."""
    if not run[-1].endswith("::"):
        return [Draft(kind=BlockKind.PARAGRAPH, text=reader.plain(" ".join(run)))], end
    code_end = _indented_end(lines, end, 0)
    run[-1] = run[-1][:-1] if len(run[-1]) > 2 and run[-1][-3] != " " else run[-1][:-2]
    code = "\n".join(_dedented(lines[end:code_end])).strip("\n")
    return [
        Draft(kind=BlockKind.PARAGRAPH, text=reader.plain(" ".join(run))),
        Draft(kind=BlockKind.CODE, text=code),
    ], code_end


def _fields(run: Sequence[str], reader: _Reader) -> list[Draft]:
    """Names and values; those about the document are known from then on."""
    shown: list[str] = []
    for line in run:
        found = _FIELD.match(line)
        if not found:
            shown[-1] += f" {reader.plain(line.strip())}"
            continue
        name, value = found.group(1), reader.plain(found.group(2) or "")
        if known := _DOCINFO.get(name.lower()):
            reader.metadata.setdefault(known, value)
        shown.append(f"{name}: {value}")
    return [Draft(kind=BlockKind.PARAGRAPH, text="\n".join(shown))]


def _definition(
    lines: Sequence[str], at: int, reader: _Reader, depth: int
) -> tuple[list[Draft], int]:
    """Terms and, indented below each, what it means."""
    shown: list[str] = []
    drafts: list[Draft] = []
    following = end = at
    while following == at or _is_term(lines, following):
        end = _indented_end(lines, following + 1, 0)
        meaning = _drafts(_dedented(lines[following + 1 : end]), reader, depth + 1)
        term = Draft(kind=BlockKind.PARAGRAPH, text=reader.plain(lines[following]))
        for part in item_lines("-", [term, *meaning]):
            if isinstance(part, Draft):
                _flush(shown, drafts)
                drafts.append(part)
            else:
                shown.append(part)
        following = _after_blanks(lines, end)
    _flush(shown, drafts)
    return drafts, end


def _is_term(lines: Sequence[str], at: int) -> bool:
    """Whether a line is followed by its meaning, and begins nothing else."""
    if at + 1 >= len(lines) or not lines[at + 1].startswith(" "):
        return False
    line = lines[at]
    special = line.startswith((" ", ".. ", "__ ", "| ", ">>>", "+-", "+=")) or line == ".."
    return not (special or _marker(line) or _FIELD.match(line) or _RULE.fullmatch(line))


def _indented_end(lines: Sequence[str], start: int, indent: int) -> int:
    """Where the run of lines that stand further in ends."""
    end = start
    for position in range(start, len(lines)):
        line = lines[position]
        if line and len(line) - len(line.lstrip()) <= indent:
            break
        if line:
            end = position + 1
    return end


def _dedented(lines: Sequence[str]) -> list[str]:
    indents = [len(line) - len(line.lstrip()) for line in lines if line]
    least = min(indents, default=0)
    cut = [line[least:] for line in lines]
    while cut and not cut[0]:
        cut = cut[1:]
    return cut
