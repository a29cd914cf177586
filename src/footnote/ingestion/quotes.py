"""Separate what a message quotes of an earlier one from its own text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from footnote.domain import Block

_SEPARATOR = re.compile(
    r"(?:-{2,}|_{5,})\s*(?:original message|forwarded message|ursprüngliche nachricht"
    r"|weitergeleitete nachricht|message d['’]origine|message transféré|mensaje original"
    r"|mensaje reenviado|messaggio originale|oorspronkelijk bericht)\b",
    re.I,
)
_WROTE = re.compile(
    r"(?:on|am|le|el|il|op)\b.{5,200}?"
    r"(?:wrote|schrieb.{0,80}|a écrit|escribió|ha scritto|schreef.{0,80})\s*:\s*(?:\n|$)",
    re.I | re.S,
)
_HEADERS = re.compile(
    r"(?:from|von|de|da|van):\s.+\n(?:.+\n)*?(?:sent|gesendet|envoyé|enviado|inviato|verzonden"
    r"|date|datum|fecha|data):\s",
    re.I,
)
_NEAR = 3
"""Blocks after an introduction within which marked quotes begin; else all that follows is
quoted."""


def quoted_blocks(blocks: Sequence[Block]) -> tuple[bool, ...]:
    """Return for each block whether it is quoted: marked by `>`, or below the headers of a
    reply."""
    result: list[bool] = []
    to_the_end = headers_seen = False
    for index, block in enumerate(blocks):
        quoted = to_the_end or _is_marked(block.text)
        has_headers = bool(_HEADERS.match(block.text))
        if not quoted and index and _introduces(block.text, has_headers and headers_seen):
            quoted = True
            following = blocks[index + 1 : index + 1 + _NEAR]
            to_the_end = not any(_is_marked(later.text) for later in following)
        headers_seen = headers_seen or has_headers
        result.append(quoted)
    return tuple(result)


def _is_marked(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip()]
    return sum(line.lstrip().startswith(">") for line in lines) > len(lines) / 2


def _introduces(text: str, has_further_headers: bool) -> bool:
    """Whether a block introduces a quoted message.

    The first headers of a message are its own, further ones those of what it quotes.
    """
    return has_further_headers or bool(_SEPARATOR.match(text) or _WROTE.match(text))
