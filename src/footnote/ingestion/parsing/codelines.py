"""Lines of source code with strings and comments blanked, and the nesting depth of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

BRACED = frozenset(
    ("javascript", "typescript", "java", "c", "c++", "c#", "go", "rust", "kotlin", "swift", "scala")
)
"""Languages whose blocks are in braces; in others the indentation gives the nesting."""
INSIDE = 1_000_000
"""The depth of a line that begins inside a string, a comment or an open bracket."""

_QUOTED = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_TRIPLE = r'"""[\s\S]*?(?:"""|\Z)'
_SLASHED = r"//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)"
_BACKTICK = r"`(?:[^`\\]|\\[\s\S])*(?:`|\Z)"
_REGEX = r"(?<=[=(,:\[!&|?;{}])[ ]*/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,49}\]){1,99}/"
_SCRIPT = f"{_SLASHED}|{_BACKTICK}|{_QUOTED}|{_REGEX}"
_PREPROCESSED = r"^[ ]*\#(?:[^\n\\]|\\[\s\S])*"
_CHARACTER = r"'(?:[^'\\\n]|\\[^\n]{1,8})'"
_DOUBLE_QUOTED = r"\"(?:[^\"\\\n]|\\.)*\""
_RUST_STRING = r"r(?P<hashes>\#*)\"[\s\S]*?(?:\"(?P=hashes)|\Z)|\"(?:[^\"\\]|\\[\s\S])*\""
_DOLLAR_QUOTED = r"(?P<tag>\$\w*\$)[\s\S]*?(?:(?P=tag)|\Z)"
_BLANKED = {
    "python": rf"{_TRIPLE}|'''[\s\S]*?(?:'''|\Z)|\#[^\n]*|{_QUOTED}",
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "go": f"{_SLASHED}|{_BACKTICK}|{_QUOTED}",
    "rust": f"{_SLASHED}|{_RUST_STRING}|{_CHARACTER}",
    "c": f"{_SLASHED}|{_PREPROCESSED}|{_QUOTED}",
    "c++": f"{_SLASHED}|{_PREPROCESSED}|{_DOUBLE_QUOTED}|{_CHARACTER}",
    "c#": f"{_SLASHED}|{_PREPROCESSED}|{_TRIPLE}|{_QUOTED}",
    "sql": rf"--[^\n]*|/\*[\s\S]*?(?:\*/|\Z)|{_DOLLAR_QUOTED}|'(?:[^']|'')*'|\"[^\"\n]*\"",
}
_PATTERNS = {name: re.compile(pattern, re.MULTILINE) for name, pattern in _BLANKED.items()}
_DEFAULT_PATTERN = re.compile(f"{_SLASHED}|{_TRIPLE}|{_DOUBLE_QUOTED}|{_CHARACTER}")
"""Strings and comments of Java, Kotlin, Swift and Scala, where a quote mark may stand alone in a
name or before a type."""
_BRACKET = re.compile(r"[()\[\]{}]")
_VISIBLE = re.compile(r"[^\s]")
_CLOSER = re.compile(r"[)\]}]|(?:end|fi|done|esac)\b")
_CONTINUATION = re.compile(
    r"(?:\{|=>|->|:|where\b|extends\b|implements\b|throws\b|noexcept\b|requires\b)"
)
"""How a line begins that continues a definition's head, before its body."""
_UNFINISHED = re.compile(r"(?:[,=|&+<(]|=>|->)$")
_SQL_WORD = re.compile(
    r"\bend\s+(?:if|loop|while|repeat)\b|\b(?:begin|case|end)\b|;|^go$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class CodeLines:
    """Source code by lines; all tuples are as long as `raw`."""

    raw: tuple[str, ...]
    plain: tuple[str, ...]
    """The lines with strings and comments replaced by blanks."""
    depths: tuple[int, ...]
    """For each line, the number of brackets open at its start if `in_braces`, else its indentation,
    or `INSIDE` where it begins inside a string, a comment or an open bracket."""
    in_braces: bool
    language: str

    @classmethod
    def of(cls, lines: Sequence[str], language: str) -> CodeLines:
        """Analyse the lines of a file; tabs must have been expanded."""
        plain, hidden = _plain(lines, language)
        open_brackets = _open_brackets(plain)
        in_braces = language in BRACED and open_brackets is not None
        if in_braces and open_brackets is not None:
            depths = open_brackets[:-1]
        else:
            brackets = open_brackets if language == "python" else None
            depths = [
                INSIDE if hidden[number] or (brackets and brackets[number]) else indent(line)
                for number, line in enumerate(lines)
            ]
        return cls(tuple(lines), tuple(plain), tuple(depths), in_braces, language)

    def end(self, start: int, stop: int) -> int:
        """Return the index after the last line of the definition at `start`, at most `stop`."""
        if self.language == "sql":
            # The line after the semicolon that ends the SQL statement, not a block inside it.
            nesting = 0
            for number in range(start, stop):
                for match in _SQL_WORD.finditer(self.plain[number].strip()):
                    word = match.group().lower()
                    if word == "go" or (word == ";" and nesting <= 0):
                        return number + (word == ";")
                    nesting += (word in ("begin", "case")) - (word == "end")
            return stop
        opening = self._opening(start, stop) if self.in_braces else None
        if opening is None:
            return self._end_by_indent(start, stop)
        depth = self.depths[start]
        ends = (
            line + 1
            for line in range(opening, stop)
            if line + 1 >= len(self.raw) or self.depths[line + 1] <= depth
        )
        return next(ends, stop)

    def has_body(self, start: int, stop: int) -> bool:
        """Whether the definition at `start` has a body in braces."""
        return self._opening(start, stop) is not None

    def _opening(self, start: int, stop: int) -> int | None:
        """Return the line where the body of the definition at `start` opens; None without
        braces."""
        depth = self.depths[start]
        level = depth
        for number in range(start, stop):
            words = self.plain[number].strip()
            before = self.plain[number - 1].strip() if number > start else ""
            if number > start and level == depth:
                continues = _CONTINUATION.match(words) or _UNFINISHED.search(before)
                if not words or not continues:
                    return None
            for match in re.finditer(r"[()\[\]{};]", words):
                mark = match.group()
                if mark == "{" and level == depth:
                    return number
                if mark == ";" and level == depth:
                    return None
                level += (mark in "([{") - (mark in ")]}")
        return None

    def _end_by_indent(self, start: int, stop: int) -> int:
        """Return the first line after `start` that is indented no deeper and does not close a
        block."""
        margin = indent(self.raw[start])
        end = start + 1
        for number in range(start + 1, stop):
            words = self.plain[number].strip()
            if self.depths[number] == INSIDE:
                end = number + 1
            elif words:
                is_outside = indent(self.raw[number]) <= margin
                if is_outside and not (
                    _CLOSER.match(words) or (words == "{" and number == start + 1)
                ):
                    break
                end = number + 1
        return end


def indent(line: str) -> int:
    """Return the number of blanks that a line begins with."""
    return len(line) - len(line.lstrip())


def _plain(lines: Sequence[str], language: str) -> tuple[list[str], list[bool]]:
    """Return the lines with strings and comments blanked, and whether each begins inside one."""
    pattern = _PATTERNS.get(language, _DEFAULT_PATTERN if language in BRACED else None)
    if pattern is None:
        return list(lines), [False] * len(lines)

    def blank(match: re.Match[str]) -> str:
        return _VISIBLE.sub(" ", match.group()).replace("\n", "\n\0")

    plain = pattern.sub(blank, "\n".join(lines).replace("\0", " ")).split("\n")
    return [line.removeprefix("\0") for line in plain], [line.startswith("\0") for line in plain]


def _open_brackets(plain: Sequence[str]) -> list[int] | None:
    """Return the number of open brackets before each line and after the last; None if
    unbalanced."""
    depth = 0
    depths = [0]
    for line in plain:
        for match in _BRACKET.finditer(line):
            depth += 1 if match.group() in "([{" else -1
            if depth < 0:
                return None
        depths.append(depth)
    return depths if depth == 0 else None
