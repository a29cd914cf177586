"""Source code becomes code blocks, one for each definition, under the line that opens it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from footnote.domain import BlockKind
from footnote.ingestion.media import language_of
from footnote.ingestion.parsing.drafts import Draft, Reading

_MODIFIERS = (
    "export|default|public|private|protected|internal|static|final|abstract|async|open|sealed|"
    "override|pub(?:\\([a-z ]+\\))?|unsafe|extern|const|inline|virtual|partial|data|suspend"
)
_DEFINING = (
    "def|class|function|func|fn|fun|struct|interface|trait|impl|enum|module|namespace|type|object|"
    "record|protocol|extension|sub|macro_rules!|defmodule|message|service|resource"
)
_DEFINITION = re.compile(rf"(?:(?:{_MODIFIERS})\s+)*(?:{_DEFINING})\b[\s*]*[\w$:.<(\"]")
_SQL_DEFINITION = re.compile(
    r"(?:create|alter)\s+(?:or\s+replace\s+)?(?:\w+\s+){0,3}?"
    r"(?:table|view|function|procedure|trigger|index|type|policy)\b",
    re.IGNORECASE,
)
_C_FUNCTION = re.compile(r"[A-Za-z_][\w\s*&:<>,~\[\]]*?[\s*&]~?[\w:~]+\s*\([^;]*$")
_ASSIGNED_FUNCTION = re.compile(
    r"(?:export\s+)?(?:const|let|var)\s+[\w$]+\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\()"
)
_SHELL_FUNCTION = re.compile(r"[\w-]+\s*\(\)\s*\{?")
_METHOD = re.compile(r"(?:[\w$<>\[\],.?*&:]+\s+)*[\w$~]+\s*\([^;]*$")
_KEYWORDS = re.compile(
    r"(?:if|else|for|while|switch|catch|return|do|try|case|with|elif|except|match)\b"
)
_SECTION = re.compile(r"\[\[?([^\[\]\n]+)\]?\]\s*$")
_ATTACHED = ("#", "//", "/*", "*", "@", "--", '"""', "///", "#[")
_C_LIKE = frozenset(("c", "c++", "c#", "java"))
_UNDIVIDED = frozenset(("css", "yaml", "make", "diff", "graphql"))
_LONGEST_OPENING = 300
_SECTIONED = frozenset(("toml", "ini"))
_MIN_LINES = 4
"""A shorter definition stays with what stands before it."""
_LONG_LINES = 60
"""A longer one is parted at the definitions inside it."""


def read_code(text: str, filename: str) -> Reading:
    """Read source code or configuration; every line is kept, in its order.

    The lines are parted at definitions that stand at the margin, and inside a long one at those
    of the next level, whose common indentation goes.
    """
    language = language_of(filename) or ""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4).split("\n")
    return Reading(
        drafts=tuple(_drafts(lines, language, level=1)),
        title=PurePath(filename.replace("\\", "/")).name,
        metadata={"programming_language": language},
    )


def _drafts(lines: Sequence[str], language: str, level: int) -> Iterator[Draft]:
    for heading, piece in _pieces(lines, language, level):
        if heading:
            yield Draft(kind=BlockKind.HEADING, text=heading, level=level)
        if level == 1 and heading and len(piece) > _LONG_LINES:
            yield from _drafts(piece, language, level + 1)
        else:
            code = textwrap.dedent("\n".join(piece)).strip("\n")
            yield Draft(kind=BlockKind.CODE, text=code)


def _pieces(lines: Sequence[str], language: str, level: int) -> Iterator[tuple[str, Sequence[str]]]:
    """Runs of lines, each with the name of the definition it opens with, if it does."""
    indent = 0 if level == 1 else _inner_indent(lines)
    starts = [(0, "")]
    for index, line in enumerate(lines):
        if not (name := _defined(line, language, indent)):
            continue
        before, named = starts[-1]
        start = _first_attached(lines, index, indent, before)
        if start == 0:
            starts = [(0, name)]
        elif not named or start - before >= _MIN_LINES:
            starts.append((start, name))
    ends = [start for start, _ in starts[1:]] + [len(lines)]
    for (start, name), end in zip(starts, ends, strict=True):
        if any(line.strip() for line in lines[start:end]):
            yield name, lines[start:end]


def _first_attached(lines: Sequence[str], index: int, indent: int, bound: int) -> int:
    """Where the comments and decorators right above a definition begin."""
    start = index
    while start > bound:
        above = lines[start - 1]
        if _indent(above) != indent or not above.strip().startswith(_ATTACHED):
            break
        start -= 1
    return start


def _defined(line: str, language: str, indent: int) -> str:
    """What a line defines at this indentation, as a heading; empty if it defines nothing."""
    if not line.strip() or _indent(line) != indent:
        return ""
    words = line.strip()
    if language in _SECTIONED:
        section = _SECTION.match(words)
        return section.group(1) if section else ""
    opens = language not in _UNDIVIDED and not _KEYWORDS.match(words)
    if opens and (_names_definition(words, language) or _is_function(words, language, indent)):
        return words.rstrip("{:( \t").strip()[:120]
    return ""


def _names_definition(words: str, language: str) -> bool:
    if _DEFINITION.match(words):
        return language in ("python", "ruby") or not words.endswith(";")
    return language == "sql" and _SQL_DEFINITION.match(words) is not None


def _is_function(words: str, language: str, indent: int) -> bool:
    """Whether a line opens a function that no keyword announces."""
    if "(" not in words or len(words) > _LONGEST_OPENING:
        return False
    if language == "shell":
        return _SHELL_FUNCTION.fullmatch(words) is not None
    if language in ("javascript", "typescript") and _ASSIGNED_FUNCTION.match(words):
        return True
    if language in _C_LIKE and not indent:
        return _C_FUNCTION.match(words) is not None
    return bool(indent) and words.endswith("{") and _METHOD.match(words) is not None


def _inner_indent(lines: Sequence[str]) -> int:
    """How far the body of a definition stands in."""
    indents = [_indent(line) for line in lines[1:] if line.strip()]
    return min((indent for indent in indents if indent), default=1_000_000)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
