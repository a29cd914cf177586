"""Convert the blocks of Markdown to drafts, without the marks that only style them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote, list_block
from markdown_it.token import Token

from footnote.domain import BlockKind, MetadataValue
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.html import read_html
from footnote.ingestion.parsing.tables import table_drafts

_YAML = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?)\n\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_YAML_FIELD = re.compile(r"([^\s#\-\[\]{},&*!|>%@`?:].*?):(?:[ \t]+(.*)|$)")
_TOML_FIELD = re.compile(r"([\w.\"'-]+)[ \t]*=[ \t]*(.*)")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.+)")
_FOLDED = frozenset(("|", ">", "|-", ">-", "|+", ">+"))
_METADATA_KEYS = {
    "author": "author",
    "authors": "author",
    "date": "date",
    "tags": "tags",
    "keywords": "tags",
    "categories": "categories",
    "description": "description",
    "summary": "description",
    "lang": "language",
    "language": "language",
}
_STYLED = re.compile(r"[\\`*_\[<&!~]| {2,}\n")
_TAG = re.compile(r"<!--.*?(?:-->|\Z)|<[^<>]*>", re.DOTALL)
_TABLE = re.compile(r"<table[\s>]", re.IGNORECASE)
_FORMULA = re.compile(r"\$\$[^$]+\$\$|\$(?![\s$])[^$\n]+?(?<![\s\\])\$(?!\d)")
# Private-use characters replace a formula while the text around it is parsed.
_PLACEHOLDER = "\ue000{}\ue001"
_WITHOUT_PLACEHOLDERS = {0xE000: None, 0xE001: None}
_PLACEHOLDER_PATTERN = re.compile("\ue000(\\d+)\ue001")
_MEANING = re.compile(r":[ \t]+(?=\S)")
_FIELD_LINE = re.compile(r"(?:\*\*|__)?[^\W_][^\n:|]{0,59}:(?:\*\*|__)?[ \t]+\S")
_MAX_TERMS = 4
_MAX_TERM_CHARACTERS = 80
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
# Levels of tokens: a quote opens one, a list two. The library drops what is nested deeper than its
# limit, 20 for CommonMark. A level takes three of Python's thousand stack frames.
_MAX_NESTING = 100
# Inline content beyond the library's limit is not dropped, and a higher limit takes longer.
_MAX_INLINE_NESTING = 20
_INTERRUPTED_BY_LISTS = ["paragraph", "reference", "blockquote"]
_BlockRule = Callable[[StateBlock, int, int, bool], bool]


def read_markdown(text: str) -> Reading:
    """Read a Markdown file and its YAML or TOML front matter."""
    fields, body = split_front_matter(text)
    metadata = _take_metadata(fields)
    has_title = "title" in fields and not fields["title"].is_nested
    title = " ".join(fields.pop("title").values) if has_title else None
    drafts = list(markdown_drafts(body))
    if fields:  # Other fields become text, so that nothing is lost.
        lines = [line for field in fields.values() for line in field.lines]
        drafts.insert(0, Draft(kind=BlockKind.PARAGRAPH, text="\n".join(lines)))
    return Reading(drafts=tuple(drafts), title=title, metadata=metadata)


def markdown_drafts(text: str, page: int | None = None) -> Iterator[Draft]:
    """The blocks of CommonMark with tables, all on one page."""
    return _MarkdownWalk(text, page).drafts()


def _limit_depth(rule: _BlockRule) -> _BlockRule:
    """Limit a block rule to the nesting that the library reads; deeper, its marks are text."""

    def bounded(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return state.level + 2 < _MAX_NESTING and rule(state, start, end, silent)

    return bounded


class _MarkdownWalk:
    """One pass over the token stream of one text."""

    def __init__(self, text: str, page: int | None) -> None:
        self._markdown = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable("table")
        rules = self._markdown.block.ruler
        rules.at("list", _limit_depth(list_block), {"alt": _INTERRUPTED_BY_LISTS})
        by_quotes = [*_INTERRUPTED_BY_LISTS, "list"]
        rules.at("blockquote", _limit_depth(blockquote), {"alt": by_quotes})
        # Most paragraphs carry no inline marks: they are parsed only where some occur.
        self._markdown.core.ruler.disable(["inline", "text_join"])
        self._environment: dict[str, object] = {}
        self._tokens = self._markdown.parse(text, self._environment)
        self._markdown.options["maxNesting"] = _MAX_INLINE_NESTING
        self._page = page
        self._lists: list[int | None] = []
        """Open lists, innermost last: the next number, or None where items have bullets."""
        self._marker = ""
        self._items: list[str] = []
        self._terms: list[str] = []
        """Terms whose meaning the next paragraph gives."""

    def drafts(self) -> Iterator[Draft]:
        position = 0
        while position < len(self._tokens):
            token = self._tokens[position]
            if token.type == "table_open":
                yield from self._flush_list()
                rows, position = self._table(position)
                yield from table_drafts(rows, self._page, has_header=True)
            elif token.type == "inline":
                yield from self._inline(position)
            elif token.type == "code_block" and self._items and not self._lists:
                lines = filter(None, map(str.strip, token.content.split("\n")))
                self._items += [f"  {self.plain(line)}" for line in lines]
            elif token.type in ("fence", "code_block"):
                yield from self._flush_list()
                yield Draft(kind=BlockKind.CODE, text=token.content.rstrip(), page=self._page)
            elif token.type == "html_block":
                yield from self._flush_list()
                if _TABLE.search(token.content):
                    for draft in read_html(token.content).drafts:
                        yield replace(draft, page=self._page)
                else:
                    bare = _TAG.sub("", _BREAK.sub("\n", token.content))
                    yield Draft(kind=BlockKind.PARAGRAPH, text=bare, page=self._page)
            else:
                yield from self._structure(token)
            position += 1
        yield from self._flush_list()

    def _structure(self, token: Token) -> Iterator[Draft]:
        """Open and close lists; other structural tokens need no action."""
        if token.type in ("bullet_list_open", "ordered_list_open") and not self._lists:
            yield from self._flush_list()
        if token.type == "bullet_list_open":
            self._lists.append(None)
        elif token.type == "ordered_list_open":
            start = token.attrGet("start")
            self._lists.append(1 if start is None else int(start))
        elif token.type == "list_item_open":
            number = self._lists[-1]
            if number is not None:
                self._lists[-1] = number + 1
            self._marker = "- " if number is None else f"{number}. "
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
            if not self._lists:
                yield from self._flush_list()

    def _inline(self, position: int) -> Iterator[Draft]:
        token, opening = self._tokens[position], self._tokens[position - 1]
        lines = token.content.split("\n")
        # A line break within a sentence is a space; between lines of `key: value` it is kept.
        parts = lines if all(map(_FIELD_LINE.match, lines)) else [token.content]
        text = "\n".join(map(self.plain, parts))
        if opening.type == "heading_open":
            yield from self._flush_list()
            level = int(opening.tag[1])
            yield Draft(kind=BlockKind.HEADING, text=text, page=self._page, level=level)
        elif self._lists:
            indent = "  " * (len(self._lists) - 1)
            marker, self._marker = self._marker, ""
            if marker or not self._items:
                self._items.append(f"{indent}{marker}{text}")
            else:
                self._items.append(f"{indent}  {text}")
        elif not self._takes_terms(position):
            yield from self._flush_list()
            is_image = token.content.startswith("![") and token.content.endswith(")")
            kind = BlockKind.IMAGE if is_image else BlockKind.PARAGRAPH
            yield Draft(kind=kind, text=text, page=self._page)

    def _takes_terms(self, position: int) -> bool:
        """Take a paragraph of a definition list as list items; return whether it was one.

        Each meaning follows a colon (PHP Markdown Extra, Pandoc and others).
        """
        lines = self._tokens[position].content.split("\n")
        following = self._tokens[position + 3 : position + 4]
        has_meaning_below = (
            bool(following)
            and following[0].type == "inline"
            and bool(_MEANING.match(following[0].content))
        )
        starts = [index for index, line in enumerate(lines) if _MEANING.match(line)]
        if not starts and has_meaning_below and _are_terms(lines):
            self._terms = [self.plain(line) for line in lines]
            return True
        if not starts or not _are_terms(lines[: starts[0]] or self._terms):
            return False
        ends = [*starts[1:], len(lines)]
        meanings = [
            self.plain(_MEANING.sub("", " ".join(line.strip() for line in lines[start:end]), 1))
            for start, end in zip(starts, ends, strict=True)
        ]
        terms = [self.plain(line) for line in lines[: starts[0]]] or self._terms
        self._items += [*(f"- {term}" for term in terms), *(f"  {meaning}" for meaning in meanings)]
        self._terms = []
        return True

    def _flush_list(self) -> Iterator[Draft]:
        if self._items:
            yield Draft(kind=BlockKind.LIST, text="\n".join(self._items), page=self._page)
            self._items = []

    def _table(self, position: int) -> tuple[list[list[str]], int]:
        rows: list[list[str]] = []
        while self._tokens[position].type != "table_close":
            token = self._tokens[position]
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(self.plain(token.content))
            position += 1
        return rows, position

    def plain(self, content: str) -> str:
        """Return inline Markdown as plain text: link texts, no emphasis, formulas as written."""
        if not _STYLED.search(content):
            return content.replace("\n", " ")
        if "$" not in content or "`" in content:
            return self._plain_part(content)
        formulas: list[str] = []

        def mask(formula: re.Match[str]) -> str:
            formulas.append(formula.group(0))
            return _PLACEHOLDER.format(len(formulas) - 1)

        text = self._plain_part(_FORMULA.sub(mask, content.translate(_WITHOUT_PLACEHOLDERS)))
        return _PLACEHOLDER_PATTERN.sub(lambda match: formulas[int(match.group(1))], text)

    def _plain_part(self, content: str) -> str:
        tokens: list[Token] = []
        self._markdown.inline.parse(content, self._markdown, self._environment, tokens)
        return "".join(_plain_tokens(tokens))


def _are_terms(lines: Sequence[str]) -> bool:
    are_short = all(len(line) <= _MAX_TERM_CHARACTERS for line in lines)
    return 0 < len(lines) <= _MAX_TERMS and are_short and not lines[-1].endswith((".", ":", ";"))


def _plain_tokens(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "softbreak":
            yield " "
        elif token.type == "hardbreak" or (
            token.type == "html_inline" and _BREAK.fullmatch(token.content)
        ):
            yield "\n"
        elif token.type != "html_inline":
            yield token.content


# --- front matter -----------------------------------------------------------------------------


@dataclass(slots=True)
class _Field:
    values: list[str]
    lines: list[str]
    """The field's lines as written, without comment lines."""
    is_nested: bool = False
    """Whether it contains fields, which `values` does not represent."""


def split_front_matter(text: str) -> tuple[dict[str, _Field], str]:
    """Return the fields of a YAML or TOML header by lower-case name, and the text after it.

    Two rules may also enclose a part of the text: what is no mapping is no header.
    """
    if front := _TOML.match(text):
        try:
            tomllib.loads(front.group(1))
        except (ValueError, RecursionError):
            return {}, text
        fields = _fields(front.group(1).split("\n"), _TOML_FIELD)
    elif front := _YAML.match(text):
        lines = front.group(1).split("\n")
        if not _are_a_mapping(lines):
            return {}, text
        fields = _fields(lines, _YAML_FIELD)
    else:
        return {}, text
    return fields, text[front.end() :]


def _are_a_mapping(lines: Sequence[str]) -> bool:
    """Whether these lines of YAML name fields at the margin, and all else is within one of them."""
    if not lines[0].strip():
        return False
    at_margin = [line for line in lines if line.strip() and line[0] not in " \t#"]
    are_fields = [bool(_YAML_FIELD.match(line)) for line in at_margin]
    return any(are_fields[:1]) and all(
        is_field or _ITEM.match(line) or line[0] in "]}"
        for line, is_field in zip(at_margin, are_fields, strict=True)
    )


def _fields(lines: Sequence[str], shape: re.Pattern[str]) -> dict[str, _Field]:
    """Return the fields, which begin at the margin; lines below belong to the field above them.

    A TOML table is one field, under the line that opens it.
    """
    fields: dict[str, _Field] = {}
    current = _Field([], [])
    in_table = is_folded = False
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("["):
            in_table = True
            current = fields.setdefault(line, _Field([], []))
        elif not in_table and (match := shape.match(line)):
            value = (match.group(2) or "").strip()
            is_folded = value in _FOLDED
            current = fields.setdefault(_bare(match.group(1)).lower(), _Field([], []))
            current.values += _values(value)
        elif is_folded:
            current.values.append(line.strip())
        elif item := _ITEM.match(line):
            current.is_nested |= bool(shape.match(item.group(1)))
            current.values.append(_bare(item.group(1)))
        elif line[0].isspace() and not shape.match(line.strip()):
            current.values.append(line.strip())
        else:
            current.is_nested = True
        current.lines.append(line)
    return fields


def _take_metadata(fields: dict[str, _Field]) -> dict[str, MetadataValue]:
    """Remove author, date, tags and the like; return them under their common names."""
    metadata: dict[str, MetadataValue] = {}
    for name, key in _METADATA_KEYS.items():
        field = fields.get(name)
        if field is None or field.is_nested or key in metadata:
            continue
        if value := (" " if key == "description" else ", ").join(field.values):
            metadata[key] = value
        del fields[name]
    return metadata


def _values(text: str) -> list[str]:
    if text in _FOLDED:
        return []
    if text.startswith("[") and text.endswith("]"):
        return [bare for part in text[1:-1].split(",") if (bare := _bare(part))]
    return [bare] if (bare := _bare(text)) else []


def _bare(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return re.sub(r"[ \t]#.*$", "", text).strip()
