"""Plain text and timed captions become drafts."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from footnote.domain import BlockKind
from footnote.ingestion.parsing.drafts import Draft, Reading

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_MARKED = re.compile(r"(={1,6}|#{1,6})[ \t]+(?=\S)")
_UNDERLINE = re.compile(r"([=\-~*_])\1{2,}")
_NUMBERED = re.compile(r"((?:\d{1,2}\.)*\d{1,2})\.?[ \t]+\S")
_LABELLED = re.compile(r"(?:chapter|section|part|article|annex|appendix)\s+[\dIVXLCA-Z]+\b", re.I)
_BULLET = re.compile(r"[ \t]*(?:[-*•–+‣▪·]|\(?\d{1,3}[.)]|\(?[a-z][.)])[ \t]+\S")
_CAPTION_TIME = re.compile(r"(\d\d:)?\d\d:\d\d[.,]\d{3}\s+-->\s+(\d\d:)?\d\d:\d\d[.,]\d{3}")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
_TAG = re.compile(r"<[^<>]*>")
MAX_HEADING_CHARACTERS = 80


def decode(content: bytes) -> str:
    """Text in whatever encoding it came: a mark, UTF-8, UTF-16 by its zeros, else Windows-1252."""
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return content.decode(encoding, "replace")
    head = content[:2000]
    if head.count(0) > len(head) // 4:
        little = head[1::2].count(0) > head[::2].count(0)
        return content.decode("utf-16-le" if little else "utf-16-be", "replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def read_plain_text(text: str) -> Reading:
    """Paragraphs parted by blank lines; what looks like a heading or a list becomes one."""
    return Reading(drafts=tuple(_plain_drafts(text.replace("\r\n", "\n").replace("\r", "\n"))))


def _plain_drafts(text: str) -> Iterator[Draft]:
    for number, paragraph in enumerate(_PARAGRAPH.split(text.replace("\x0c", "\n\n").strip())):
        lines = paragraph.strip("\n").split("\n")
        level = _heading_level(lines)
        if number == 0 and level == 0 and len(lines) == 1 and _could_be_title(lines[0]):
            level = 1
        if level:
            marked = bool(_MARKED.match(lines[0].strip()))
            yield Draft(kind=BlockKind.HEADING, text=_MARKED.sub("", lines[0].strip()), level=level)
            lines = lines[1 if marked else 2 :]
        if not lines:
            continue
        if all(_BULLET.match(line) or line[:1].isspace() for line in lines) and len(lines) > 1:
            yield Draft(kind=BlockKind.LIST, text="\n".join(lines))
        else:
            separator = " " if _is_wrapped_prose(lines) else "\n"
            yield Draft(kind=BlockKind.PARAGRAPH, text=separator.join(lines))


def _is_wrapped_prose(lines: list[str]) -> bool:
    """Whether lines break only because a page was so wide, and not for a poem or an address."""
    widest = max(map(len, lines))
    return widest >= 50 and all(len(line) > 0.6 * widest for line in lines[:-1])


def _could_be_title(line: str) -> bool:
    return len(line) <= MAX_HEADING_CHARACTERS and line.rstrip()[-1:] not in ".;,:!?"


def _heading_level(lines: list[str]) -> int:
    """1 to 6 when a paragraph opens as a heading, 0 otherwise."""
    first = lines[0].strip()
    if not first or len(first) > MAX_HEADING_CHARACTERS or first[-1] in ".;,:!?":
        return 0
    if marked := _MARKED.match(first):
        return len(marked.group(1))
    if len(lines) > 1:
        rule = _UNDERLINE.fullmatch(lines[1].strip())
        return (1 if rule.group(1) == "=" else 2) if rule else 0
    if numbered := _NUMBERED.match(first):
        return min(1 + numbered.group(1).count("."), 6) + 1
    letters = [character for character in first if character.isalpha()]
    shouted = len(letters) > 3 and all(character.isupper() for character in letters)
    return 2 if shouted or _LABELLED.match(first) else 0


def read_captions(text: str) -> Reading:
    """WebVTT or SubRip: one utterance per cue, with its speaker, cues of one speaker joined."""
    drafts: list[Draft] = []
    speaker, start, words = "", "", list[str]()
    for cue in _PARAGRAPH.split(text.replace("\r\n", "\n")):
        lines = cue.strip().split("\n")
        timed = next((i for i, line in enumerate(lines) if _CAPTION_TIME.search(line)), None)
        if timed is None:
            continue
        body = " ".join(lines[timed + 1 :])
        voice = _VOICE.search(body)
        named = voice.group(1).strip() if voice else ""
        if words and (named != speaker or not named):
            drafts.append(_utterance(start, speaker, words))
            words = []
        if not words:
            start = lines[timed].split("-->")[0].strip().replace(",", ".").rsplit(".", 1)[0]
        speaker = named
        words.append(_TAG.sub("", body).strip())
    if words:
        drafts.append(_utterance(start, speaker, words))
    return Reading(drafts=tuple(drafts))


def _utterance(start: str, speaker: str, words: list[str]) -> Draft:
    who = f"{speaker}: " if speaker else ""
    return Draft(kind=BlockKind.UTTERANCE, text=f"[{start}] {who}{' '.join(words)}")
