"""Loads the named SQL statements that lie in `sql/` beside this module."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import LiteralString

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@cache
def load_statements(module: str) -> dict[str, LiteralString]:
    """The statements of `sql/<module>.sql`, by the name in their `-- name:` line."""
    text = (files("footnote.store") / "sql" / f"{module}.sql").read_text(encoding="utf-8")
    pieces = _NAME.split(text)
    return {name: body.strip() for name, body in zip(pieces[1::2], pieces[2::2], strict=True)}
