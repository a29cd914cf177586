"""Inline markup of reStructuredText as it reads, its substitutions made."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence

_LITERAL = re.compile(r"``(.+?)``", re.DOTALL)
_ROLE = re.compile(r"(?::[\w:+.-]+:)?`([^`<]*?)(?: *<([^`>]*)>)?`(?::[\w:+.-]+:)?(__?)?")
_STRONG = re.compile(r"(?<![\w*])(\*\*|\*)(?=\S)(.+?)(?<=\S)\1(?!\w)", re.DOTALL)
_REFERENCE = re.compile(r"(?<=\w)__?(?=[\s.,;:!?)\]]|$)")
_MARK = re.compile(r"\](_)(?=\W|$)")
_HELD = re.compile(r"\x00(\d+)\x00")
_SUBSTITUTED = re.compile(r"\|(?!\s)([^|\n]+?)(?<!\s)\|_{0,2}")
_DEFINED = re.compile(r"( *)\.\. +\|([^|]+)\| +(replace|image|unicode)::(?: +(.*)|$)")
_ALTERNATIVE = re.compile(r":alt: *(.*)")
_CHARACTER = re.compile(r"(?:0x|x|\\x|U\+|u|\\u|&#x)([0-9A-Fa-f]{1,6});?")
_MOST_NESTED = 5


def substitutions_of(lines: Sequence[str]) -> dict[str, str]:
    """What a document puts for `|name|`, by `name` in lower case; a picture is what it shows."""
    found: dict[str, str] = {}
    for number, line in enumerate(lines):
        if defined := _DEFINED.match(line):
            indent, name, kind, said = defined.groups()
            more = _indented(lines, number + 1, len(indent))
            found.setdefault(_key(name), _put(kind, said or "", more))
    return found


def _indented(lines: Sequence[str], start: int, indent: int) -> list[str]:
    """The lines right below that stand further in."""
    more = []
    for line in lines[start:]:
        if len(line) - len(line.lstrip()) <= indent:
            break
        more.append(line.strip())
    return more


def _put(kind: str, said: str, more: Sequence[str]) -> str:
    if kind == "image":
        return next((alt[1] for line in more if (alt := _ALTERNATIVE.match(line))), "")
    text = " ".join([said, *(line for line in more if not line.startswith(":"))]).strip()
    if kind == "replace":
        return text
    shown = [_character(word) for word in text.split(" .. ")[0].split()]
    return ("" if all(len(each) < 2 for each in shown) else " ").join(shown)


def _character(word: str) -> str:
    """The character of a code, or the word itself."""
    code = _CHARACTER.fullmatch(word)
    return chr(int(code[1], 16)) if code and int(code[1], 16) <= sys.maxunicode else word


def _key(name: str) -> str:
    return " ".join(name.lower().split())


def _substituted(text: str, put: Mapping[str, str]) -> str:
    """The text with what stands for each name; a name that is not defined stays as it is."""
    most = 10 * len(text) + 10_000
    for _ in range(_MOST_NESTED):
        longer = _SUBSTITUTED.sub(lambda found: put.get(_key(found[1]), found[0]), text)
        if longer == text or len(longer) > most:
            break
        text = longer
    return text


def plain(text: str, put: Mapping[str, str]) -> str:
    """Inline markup as it reads: links with where they lead, literals untouched."""
    if not any(mark in text for mark in "`*_|\\"):
        return text
    held: list[str] = []

    def hold(found: re.Match[str]) -> str:
        held.append(found.group(1))
        return f"\x00{len(held) - 1}\x00"

    text = _LITERAL.sub(hold, text.replace("\x00", ""))
    text = _substituted(text, put) if put else text
    text = _ROLE.sub(_role_text, text)
    text = _STRONG.sub(r"\2", _STRONG.sub(r"\2", text))
    text = _REFERENCE.sub("", _MARK.sub("]", text))
    text = re.sub(r"\\(\S)", r"\1", text.replace("\\ ", ""))
    return _HELD.sub(lambda found: held[int(found.group(1))], text)


def _role_text(found: re.Match[str]) -> str:
    text, target = found.group(1).strip(), (found.group(2) or "").strip()
    if not text:
        return target
    return f"{text} ({target})" if target.startswith(("http://", "https://")) else text
