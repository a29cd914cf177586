"""The numbered migration steps of the package: their headers and statements.

Programs read the first line of a step: `-- migration: expand`, or `-- migration: contract 0047`
with the newest step that a program must know to keep using the database. An expand step names what
it replaces on purpose: `-- migration: expand, replaces tell`.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import LiteralString

from footnote.domain.upgrading import StepKind

VERSION: str = import_module("footnote").__version__
"""Version of the package, which is imported by name as its root imports modules above the store."""
_HEADER = re.compile(
    r"-- migration: (expand|contract (?P<needs>\d{4}))(, replaces (?P<replaces>[\w., ]+))?\n"
)
_TOKEN = re.compile(
    r"""--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?P<tag>\$\w*\$).*?(?P=tag)|\w+|;|\s+|.""",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One numbered step."""

    name: str
    statements: LiteralString

    @property
    def number(self) -> int:
        """Its place in the order, from 1."""
        return int(self.name.split("_")[0])

    @property
    def checksum(self) -> str:
        """Hex SHA-256 of the statements, without the header line."""
        return hashlib.sha256(_HEADER.sub("", self.statements, count=1).encode()).hexdigest()

    @property
    def kind(self) -> StepKind:
        """Whether older programs can keep running after the step."""
        return StepKind.EXPAND if self.needs is None else StepKind.CONTRACT

    @property
    def needs(self) -> int | None:
        """The newest step a program must know to keep running after this one; None if any may."""
        needs = self._header["needs"]
        return None if needs is None else int(needs)

    @property
    def replaces(self) -> tuple[str, ...]:
        """Names of what it replaces on purpose, in such a way that older programs still work."""
        return tuple(name.strip() for name in (self._header["replaces"] or "").split(",") if name)

    @property
    def parts(self) -> tuple[str, ...]:
        """Its statements one by one, without comments."""
        return split_statements(self.statements)

    @property
    def is_concurrent(self) -> bool:
        """Whether it must run outside a transaction, each statement by itself."""
        return any(re.search(r"\bCONCURRENTLY\b", part, re.IGNORECASE) for part in self.parts)

    @property
    def _header(self) -> re.Match[str]:
        match = _HEADER.match(self.statements)
        if match is None:
            raise ValueError(f"migration {self.name} does not begin with `-- migration: KIND`")
        return match


@cache
def known_migrations() -> tuple[Migration, ...]:
    """The steps this version knows, in order."""
    folder = files("footnote.store") / "migrations"
    paths = [path for path in folder.iterdir() if path.name.endswith(".sql")]
    paths.sort(key=lambda path: path.name)
    return tuple(
        Migration(
            name=path.name.removesuffix(".sql"),
            statements=path.read_text(encoding="utf-8"),
        )
        for path in paths
    )


def newest_migration() -> Migration:
    """Return the last step of this version, by which versions are compared."""
    return known_migrations()[-1]


def split_statements(text: str) -> tuple[str, ...]:
    """Split a script into statements, without comments and the semicolons between them.

    A semicolon in quotes, in a dollar-quoted body or in `BEGIN ATOMIC … END` does not separate.
    """
    statements: list[str] = []
    pending: list[str] = []
    depth, previous_word = 0, ""
    for match in _TOKEN.finditer(text):
        piece = match[0]
        word = piece.upper()
        if piece.startswith(("--", "/*")):
            continue
        if word == "ATOMIC" and previous_word == "BEGIN":
            depth = 1
        elif depth and word == "CASE":
            depth += 1
        elif depth and word == "END":
            depth -= 1
        if piece == ";" and not depth:
            statements.append("".join(pending).strip())
            pending = []
        else:
            pending.append(piece)
        if not piece.isspace():
            previous_word = word
    statements.append("".join(pending).strip())
    return tuple(statement for statement in statements if statement)
