"""The header of a Markdown file becomes what is known about it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from footnote.domain import MetadataValue

_YAML = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?)\n\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"([A-Za-z][\w-]*)[ \t]*[:=][ \t]*(.*)")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.+)")
_FOLDED = frozenset(("|", ">", "|-", ">-", "|+", ">+"))
_KEPT = {
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


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """The fields of a YAML or TOML header, lists joined by commas, and the text after it.

    Only what stands at the margin is read: nested fields are rare, and none is needed.
    """
    front = _YAML.match(text) or _TOML.match(text)
    if not front:
        return {}, text
    fields: dict[str, list[str]] = {}
    current: list[str] = []
    for line in front.group(1).split("\n"):
        if found := _FIELD.match(line):
            current = fields.setdefault(found.group(1).lower(), [])
            current += _values(found.group(2).strip())
        elif item := _ITEM.match(line):
            current.append(_bare(item.group(1)))
        elif line[:1].isspace() and line.strip() and not _FIELD.match(line.strip()):
            current.append(line.strip())
    joined = {
        name: (" " if name in ("title", "description", "summary") else ", ").join(values)
        for name, values in fields.items()
    }
    return joined, text[front.end() :]


def known_metadata(fields: Mapping[str, str]) -> dict[str, MetadataValue]:
    """Author, date, tags and the like, under the names they have everywhere."""
    return {_KEPT[name]: value for name, value in fields.items() if name in _KEPT and value}


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
