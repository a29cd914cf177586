"""Turn a model's output into text that can only be read: no link, picture, markup or code."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection

from footnote.answering.addresses import addresses_in, replace_addresses

# Controls, soft hyphen, zero-width, bidirectional, tag and variation characters: invisible
# characters can carry instructions to a model, or a message from it.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    # Joiners are meaningful between letters of scripts that join, and between pictograms.
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SPACES = re.compile(r"\s+")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_TARGET = r"\((?:[^()]|\([^()]{0,1000}\)){0,4000}\)"
# A picture with an unclosed address ends at the next space.
_PICTURE = re.compile(
    rf"!\[[^\[\]]{{0,1000}}\](?:{_TARGET}|\([^()\s]{{0,4000}}|\[[^\[\]]{{0,1000}}\]|(?=[\s.,;]|\Z))"
)
_LINK = re.compile(rf"\[((?:[^\[\]]|\[[^\[\]]{{0,100}}\]){{0,1000}})\]{_TARGET}")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[a-zA-Z][^<>:@]{0,2000}>|<[!?][^<>]{0,2000}>")
_VALUE = r"""(?:"[^"<]{0,2000}"|'[^'<]{0,2000}'|["']?[^\s"'<>]{1,2000})"""
# Attributes distinguish a tag, closed or not, from an address in angle brackets.
_TAG_WITH_ATTRIBUTES = re.compile(
    rf"</?[a-zA-Z][\w\-]{{0,40}}(?:[\s/]+[a-zA-Z@:][\w:.\-]{{0,60}}\s*=\s*(?:{_VALUE}|(?=[\s>]|\Z)))+"
    r"""["']?(?:[^<>.!?\[\]]{0,80}>)?"""
)
_EMBEDDED = re.compile(
    r"<(script|style|iframe|object|svg|math)\b[^<>]{0,2000}>.*?</\1\s{0,9}>",
    re.DOTALL | re.IGNORECASE,
)
_TAG_OPENING = re.compile(r"<(?=[a-zA-Z/!?])")
_MODEL_TOKEN = re.compile(r"<\|[^<>|]{0,100}\|>|<<\s?/?SYS\s?>>")
_WIDE_MARKER = re.compile(r"【([^【】]{0,100})】")
_FENCE = re.compile(r"`{2,}|~{3,}")
_EMPTIED = re.compile(r"\(\s*\)|<\s*>|\s+(?=[.,;:!?)])")
_BRACKETS = str.maketrans("[]", "()")


def visible_text(text: str) -> str:
    """The visible text in one line; `[n]` markers stay, and links keep their words.

    Entities are resolved. Invisible characters, pictures, HTML, comments, control tokens of models
    and code fences are removed, including those that only appear after other removals.
    """
    return _until_unchanged(_without_markup, text)


def without_hidden(text: str) -> str:
    """The text without invisible characters that a model would read."""
    return _INVISIBLE.sub("", text)


def without_directions(text: str) -> str:
    """The text without direction marks, embeddings, overrides and isolates."""
    return _DIRECTIONS.sub("", text)


def plain_text(text: str, *, addresses: Collection[str] = ()) -> str:
    """One line without links, markers, pictures and tags, and without text that could become one.

    An address that is not among `addresses` is removed; the others are put in backticks, which no
    Markdown viewer links. Square brackets become round ones, and unclosed backticks are dropped.
    Emphasis stays. Law: it is idempotent.

    >>> plain_text("*Pay* at https://a.example/x [now] <b>or</b> else.")
    '*Pay* at (now) or else.'
    """

    def without_links(text: str) -> str:
        text = visible_text(text).translate(_BRACKETS)
        without_addresses = replace_addresses(
            text, lambda address: address if address in addresses else ""
        )
        return text if without_addresses == text else _EMPTIED.sub("", without_addresses)

    result = _until_unchanged(without_links, text)
    if "`" in result and (result.count("`") % 2 or addresses_in(result)):
        result = _until_unchanged(without_links, result.replace("`", ""))
    return replace_addresses(result, lambda address: f"`{address}`")


def _without_markup(text: str) -> str:
    text = without_hidden(_ENTITY.sub(lambda match: html.unescape(match.group()), text))
    text = _WIDE_MARKER.sub(r"[\1]", text)
    text = _LINK.sub(r"\1", _PICTURE.sub("", text))
    text = _EMBEDDED.sub("", _COMMENT.sub("", text))
    text = _TAG_WITH_ATTRIBUTES.sub("", text)
    text = _TAG.sub("", _MODEL_TOKEN.sub("", text))
    text = _TAG_OPENING.sub("< ", text)
    return _SPACES.sub(" ", _FENCE.sub("", text)).strip()


def _until_unchanged(change: Callable[[str], str], text: str) -> str:
    """Apply the change until the text stays the same."""
    while (changed := change(text)) != text:
        text = changed
    return text
