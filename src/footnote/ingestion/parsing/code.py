"""Convert source code to code blocks, one for each definition, under the line that opens it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from footnote.domain import BlockKind
from footnote.ingestion.media import language_of
from footnote.ingestion.parsing.codelines import BRACED, INSIDE, CodeLines, indent
from footnote.ingestion.parsing.drafts import Draft, Reading

_MODIFIERS = (
    "export|default|public|private|protected|internal|static|final|abstract|async|open|sealed|"
    "override|pub(?:\\([a-z ]+\\))?|unsafe|extern|const|inline|virtual|partial|data|suspend|"
    "declare|local|typedef"
)
_TYPES = (
    "class|struct|interface|trait|impl|enum|module|mod|namespace|object|record|protocol|extension|"
    "defmodule|service|contract"
)
_DEFINING = (
    f"def|function|func|fn|fun|type|sub|macro_rules!|defp?|message|resource|annotation|{_TYPES}"
)
_DEFINITION = re.compile(rf"(?:(?:{_MODIFIERS})\s+)*(?:{_DEFINING})\b[\s*]*[\w$:.<(\"]")
_TYPE = re.compile(rf"(?:(?:{_MODIFIERS}|template)\s+)*(?:{_TYPES})\b")
_UNNAMED_SPACE = re.compile(r"(?:(?:inline\s+)?namespace|extern)\s*\{?$")
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
_METHOD = re.compile(r"(?:[\w$<>\[\],.?*&:@]+\s+)*[\w$~#]+\s*(?:<[^()]*>\s*)?\([^;]*$")
_KEYWORDS = re.compile(
    r"(?:if|else|for|while|switch|catch|return|do|try|case|with|elif|except|match|new|throw|await)\b"
)
_SECTION = re.compile(r"\[\[?([^\[\]\n]+)\]?\]\s*$")
_COMMENT = ("//", "/*", "*", "--")
_ATTACHED = ("@", '"""', "#[", "template")
_C_LIKE = frozenset(("c", "c++", "c#", "java"))
_UNDIVIDED = frozenset(("css", "yaml", "make", "diff", "graphql"))
_LONGEST_OPENING = 300
_SECTIONED = frozenset(("toml", "ini"))
_LONG_LINES = 60
"""A definition of more lines is split at the definitions inside it."""
_MAX_LEVEL = 6


def read_code(text: str, filename: str) -> Reading:
    """Read source code or configuration; every line is kept, in order.

    The lines are split at the outermost definitions, and inside a long one at those in its body,
    whose common indentation is removed. A definition of one line stays with the lines around it.
    Lines after a definition are not under its heading.
    """
    language = language_of(filename) or ""
    lines = text.expandtabs(4).split("\n")
    code = CodeLines.of(lines, language)
    return Reading(
        drafts=tuple(_drafts(code, _Scope(start=0, stop=len(lines), level=1))),
        title=PurePath(filename.replace("\\", "/")).name,
        metadata={"programming_language": language},
    )


@dataclass(frozen=True, slots=True)
class _Scope:
    """The lines of a definition or file, and the heading level of the definitions inside it."""

    start: int
    stop: int
    level: int
    opening: int | None = None
    """Index of the line that names the definition; None for a file."""
    of_type: bool = False
    """Whether it is a class or the like, whose methods need no keyword."""


def _drafts(code: CodeLines, scope: _Scope) -> Iterator[Draft]:
    """Yield the blocks of a scope, in order."""
    position = scope.start
    for inner in _definitions(code, scope):
        yield from _between_definitions(code, scope, position, inner.start)
        assert inner.opening is not None
        yield Draft(kind=BlockKind.HEADING, text=_name(code, inner.opening), level=scope.level)
        if inner.stop - inner.start > _LONG_LINES and scope.level < _MAX_LEVEL:
            yield from _drafts(code, inner)
        else:
            yield _block(code, inner.start, inner.stop, inner.level)
        position = inner.stop
    yield from _between_definitions(code, scope, position, scope.stop)


def _between_definitions(code: CodeLines, scope: _Scope, start: int, stop: int) -> Iterator[Draft]:
    """Yield the lines between definitions as a block under the surrounding heading."""
    if any(line.strip() for line in code.raw[start:stop]):
        yield _block(code, start, stop, scope.level)


def _block(code: CodeLines, start: int, stop: int, level: int) -> Draft:
    """Return a block of lines without the first line's indentation, as far as each has it."""
    lines = [line.rstrip() for line in code.raw[start:stop]]
    margin = next((indent(line) for line in lines if line), 0)
    text = "\n".join(line[min(margin, indent(line)) :] for line in lines).strip("\n")
    return Draft(kind=BlockKind.CODE, text=text, level=level)


def _definitions(code: CodeLines, scope: _Scope) -> list[_Scope]:
    """The definitions in the body of a scope that are worth a heading; none overlap."""
    # The nesting depth of the definitions in the scope.
    if scope.opening is None:
        depth = 0
    else:
        outer = code.depths[scope.opening]
        if code.in_braces:
            depth = outer + 1
        else:
            inner = (
                code.depths[number]
                for number in range(scope.opening + 1, scope.stop)
                if code.plain[number].strip() and outer < code.depths[number] < INSIDE
            )
            depth = min(inner, default=INSIDE)
    definitions: list[_Scope] = []
    position = scope.start if scope.opening is None else scope.opening + 1
    bound = position
    while position < scope.stop:
        if code.depths[position] != depth or not _opens(code, position, scope):
            position += 1
            continue
        words = code.plain[position].strip()
        stop = _end(code, position, scope)
        if stop - position > 1 or code.language in _SECTIONED:
            stop = _with_closers(code, stop, scope.stop)
            start = _first_attached(code, position, bound, after_other=bool(definitions))
            definitions.append(
                _Scope(
                    start=start,
                    stop=stop,
                    level=scope.level + 1,
                    opening=position,
                    of_type=bool(_TYPE.match(words) or _UNNAMED_SPACE.match(words)),
                )
            )
        bound = position = stop
    return definitions


def _end(code: CodeLines, position: int, scope: _Scope) -> int:
    if code.language not in _SECTIONED:
        return code.end(position, scope.stop)
    following = range(position + 1, scope.stop)
    stop = next(
        (number for number in following if _SECTION.match(code.raw[number].strip())), scope.stop
    )
    return (
        _first_attached(code, stop, position + 1, after_other=False) if stop < scope.stop else stop
    )


def _with_closers(code: CodeLines, stop: int, limit: int) -> int:
    """Return the end of following lines that hold only brackets: they are worth no block of their
    own."""
    end = stop
    for number in range(stop, limit):
        if any(map(str.isalnum, code.raw[number])):
            break
        if code.plain[number].strip():
            end = number + 1
    return end


def _first_attached(code: CodeLines, opening: int, bound: int, *, after_other: bool) -> int:
    """Return the first of the comments and decorators directly above a definition.

    After another definition, a comment above a blank line belongs to it as well.
    """
    start = opening
    past_blank = False
    comments = _COMMENT if code.language in BRACED else (*_COMMENT, "#")
    for number in range(opening - 1, bound - 1, -1):
        line = code.raw[number].strip()
        if not line:
            if not after_other:
                break
            past_blank = True
            continue
        if line.startswith(comments if past_blank else (*comments, *_ATTACHED)):
            start = number
        elif code.depths[number] <= code.depths[opening] and code.plain[number].strip():
            break  # else it may continue a decorator or a comment above it
    return start


def _name(code: CodeLines, opening: int) -> str:
    """The line that opens a definition, as a heading."""
    words = code.raw[opening].strip()
    if code.language in _SECTIONED and (section := _SECTION.match(words)):
        return section.group(1)
    return words.rstrip("{:( \t").strip()[:120]


def _opens(code: CodeLines, number: int, scope: _Scope) -> bool:
    """Whether a line opens a definition."""
    words = code.plain[number].strip()
    if code.language in _SECTIONED:
        return _SECTION.match(words) is not None
    if not words or code.language in _UNDIVIDED or _KEYWORDS.match(words):
        return False
    if _DEFINITION.match(words) or _UNNAMED_SPACE.match(words):
        is_definition = code.language in ("python", "ruby") or not words.endswith(";")
    else:
        is_definition = code.language == "sql" and _SQL_DEFINITION.match(words) is not None
    return is_definition or _is_function(code, number, scope)


def _is_function(code: CodeLines, number: int, scope: _Scope) -> bool:
    """Whether a line opens a function that has no keyword."""
    words, language = code.plain[number].strip(), code.language
    if "(" not in words or len(words) > _LONGEST_OPENING:
        return False
    if language == "shell":
        return _SHELL_FUNCTION.fullmatch(words) is not None
    if language in ("javascript", "typescript") and _ASSIGNED_FUNCTION.match(words):
        return True
    in_type = scope.of_type and _METHOD.match(words) is not None
    at_margin = language in _C_LIKE and _C_FUNCTION.match(words) is not None
    if not (in_type or (at_margin and (scope.of_type or scope.opening is None))):
        return False
    if code.in_braces:
        return code.has_body(number, scope.stop)
    following = code.plain[number + 1].strip() if number + 1 < len(code.plain) else ""
    return code.plain[number].rstrip().endswith("{") or following.startswith("{")
