"""Convert plain text and timed captions to drafts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import unescape
from typing import NamedTuple

from footnote.domain import BlockKind
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.hyphens import Vocabulary, join_lines
from footnote.ingestion.parsing.numbered_headings import separate_headings

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_MARKED = re.compile(r"(={1,6}|#{1,6})[ \t]+(?=\S)")
_UNDERLINE = re.compile(r"([=\-~*_])\1{2,}")
_NUMBERED = re.compile(r"((?:\d{1,2}\.)*\d{1,2})\.?[ \t]+\S")
_LABELLED = re.compile(
    r"(?:(?i:chapter|section|part|article|artikel|clause|annex|appendix|schedule)\s+|§\s*)"
    r"(?:(?P<number>\d+[a-z]?(?:\.\d+)*)|[A-Z]\w*|[ivxlc]+)(?!\w)"
)
_BULLET = re.compile(r"[ \t]*(?:[-*•–+‣▪·]|\(?\d{1,3}[.)]|\(?[a-z][.)])[ \t]+\S")
_CAPTION_TIME = re.compile(
    r"((?:\d{2,}:)?\d\d:\d\d[.,]\d{3})\s+-->\s+((?:\d{2,}:)?\d\d:\d\d[.,]\d{3})"
)
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
_TAG = re.compile(r"<[^<>]*>")
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"[-–—\[(\s]*(?:(?:page|seite|página|pagina|p\.)\s*)?\d{1,4}"
    r"(?:\s*(?:/|of|von|de|di|sur)\s*\d{1,4})?[-–—\])\s]*",
    re.IGNORECASE,
)
_PAGE_BREAK = "\n\x0c\n"
MAX_HEADING_CHARACTERS = 80
_MAX_LINE_CHARACTERS = 1000
"""A longer line was not wrapped by its author, so its words do not tell how words are
hyphenated."""


def read_plain_text(text: str) -> Reading:
    """Read paragraphs between blank lines; what looks like a heading or a list becomes one, and a
    numbered heading may stand directly above its text.

    Form feeds separate pages, whose running lines and page numbers are dropped. Words hyphenated at
    line ends are joined.
    """
    vocabulary = words_inside(text.split("\n"))
    pages = text.strip("\x0c").split("\x0c")
    if len(pages) > 1:
        pages = list(_without_running_lines(pages))
    lines = _PAGE_BREAK.join(pages).split("\n")
    pages = "\n".join(separate_headings(lines)).split(_PAGE_BREAK)
    if len(pages) == 1:
        return Reading(drafts=tuple(_page_drafts(pages[0], None, vocabulary)))
    drafts: list[Draft] = []
    for number, page in enumerate(pages, start=1):
        drafts += _page_drafts(page, number, vocabulary)
    return Reading(drafts=tuple(drafts), page_count=len(pages))


def _without_running_lines(pages: list[str]) -> Iterator[str]:
    """Yield pages without page numbers, and without first and last lines that most pages share."""
    split = [page.strip("\n").split("\n") for page in pages]
    counts = Counter(
        (edge, _DIGITS.sub("#", lines[edge].strip())) for lines in split for edge in (0, -1)
    )
    for lines in split:
        for edge in (-1, 0):
            line = lines[edge].strip() if lines else ""
            times = counts[edge, _DIGITS.sub("#", line)]
            is_running = times > 2 and 2 * times > len(pages)
            if lines and (_PAGE_NUMBER.fullmatch(line) or is_running):
                del lines[edge]
        yield "\n".join(lines)


def _page_drafts(text: str, page: int | None, vocabulary: Vocabulary) -> Iterator[Draft]:
    paragraphs = _PARAGRAPH.split(text.strip())
    for number, paragraph in enumerate(paragraphs):
        lines = paragraph.strip("\n").split("\n")
        level = _heading_level(lines)
        is_first = number == 0 and page in (None, 1) and (page or len(paragraphs) > 1)
        is_short = (
            len(lines[0]) <= MAX_HEADING_CHARACTERS and lines[0].rstrip()[-1:] not in ".;,:!?"
        )
        if is_first and level == 0 and len(lines) == 1 and is_short:
            level = 1
        if is_first and level == 2 and _is_over_heading(lines, paragraphs):
            level = 1
        if level:
            title = _MARKED.sub("", lines[0].strip())
            is_marked = bool(_MARKED.match(lines[0].strip()))
            yield Draft(kind=BlockKind.HEADING, text=title, level=level, page=page)
            lines = lines[1 if is_marked else 2 :]
        if lines:
            yield replace(list_or_paragraph(lines, vocabulary), page=page)


def words_inside(lines: Iterable[str]) -> Vocabulary:
    """Collect the words that stand inside lines, so that those at their ends can be compared."""
    vocabulary = Vocabulary()
    vocabulary.add(
        word for line in lines if len(line) <= _MAX_LINE_CHARACTERS for word in line.split()[:-1]
    )
    return vocabulary


def list_or_paragraph(lines: list[str], vocabulary: Vocabulary) -> Draft:
    """The draft of lines without a blank one between them; lines of wrapped prose are joined."""
    if is_list(lines):
        return Draft(kind=BlockKind.LIST, text="\n".join(lines))
    if _is_wrapped_prose(lines):
        text = join_lines([line.strip() for line in lines], vocabulary)
        return Draft(kind=BlockKind.PARAGRAPH, text=text)
    return Draft(kind=BlockKind.PARAGRAPH, text="\n".join(lines))


def is_list(lines: Sequence[str]) -> bool:
    """Whether a paragraph is the items of a list, each with a bullet or a number."""
    if len(lines) < 2 or not _BULLET.match(lines[0]):
        return False
    return all(_BULLET.match(line) or line[:1].isspace() for line in lines)


def _is_wrapped_prose(lines: list[str]) -> bool:
    """Whether lines are broken only by the page width, unlike those of a poem or an address."""
    widest = max(map(len, lines))
    return widest >= 50 and all(len(line) > 0.6 * widest for line in lines[:-1])


def _is_over_heading(lines: list[str], paragraphs: Sequence[str]) -> bool:
    """Whether a one-line heading without a number has another heading directly below it."""
    first = lines[0].strip()
    if len(lines) > 1 or len(paragraphs) < 2 or _MARKED.match(first):
        return False
    below = _heading_level(paragraphs[1].strip("\n").split("\n"))
    return below > 0 and not (_NUMBERED.match(first) or _LABELLED.match(first))


def _heading_level(lines: list[str]) -> int:
    """1 to 6 when a paragraph opens as a heading, 0 otherwise."""
    first = lines[0].strip()
    if not first or len(first) > MAX_HEADING_CHARACTERS or first[-1] in ".;,:!?":
        return 0
    if mark := _MARKED.match(first):
        return len(mark.group(1))
    if len(lines) > 1:
        rule = _UNDERLINE.fullmatch(lines[1].strip())
        return (1 if rule.group(1) == "=" else 2) if rule else 0
    if numbering := _NUMBERED.match(first):
        return min(2 + numbering.group(1).count("."), 6)
    letters = [character for character in first if character.isalpha()]
    is_uppercase = len(letters) > 3 and all(character.isupper() for character in letters)
    if label := _LABELLED.match(first):
        return min(2 + (label["number"] or "").count("."), 6)
    return 2 if is_uppercase else 0


def read_captions(text: str) -> Reading:
    """Read WebVTT or SubRip: one utterance per cue, with its speaker; cues of one speaker are
    joined."""
    cues: list[_Cue] = []
    for block in _PARAGRAPH.split(text):
        cue = _cue(block.strip().split("\n"))
        if cue is None:
            continue
        if cues and cue.speaker and cue.speaker == cues[-1].speaker:
            before = cues[-1]
            cues[-1] = before._replace(end=cue.end, words=f"{before.words} {cue.words}")
        else:
            cues.append(cue)
    return Reading(drafts=tuple(map(_utterance, cues)))


class _Cue(NamedTuple):
    """A caption between two times, which are kept as written."""

    start: str
    end: str
    speaker: str
    words: str


def _cue(lines: list[str]) -> _Cue | None:
    for number, line in enumerate(lines):
        if match := _CAPTION_TIME.search(line):
            body = " ".join(lines[number + 1 :])
            voice = _VOICE.search(body)
            speaker = voice.group(1).strip() if voice else ""
            words = unescape(_TAG.sub("", body)).strip()
            return _Cue(match[1], match[2], speaker, words)
    return None


def _utterance(cue: _Cue) -> Draft:
    time = re.split("[.,]", cue.start)[0]
    speaker = f"{cue.speaker}: " if cue.speaker else ""
    return Draft(
        kind=BlockKind.UTTERANCE,
        text=f"[{time}] {speaker}{cue.words}",
        start_seconds=_seconds(cue.start),
        end_seconds=_seconds(cue.end),
    )


def _seconds(moment: str) -> float:
    seconds = 0
    *units, fraction = re.split("[:.,]", moment)
    for unit in units:
        seconds = 60 * seconds + int(unit)
    return seconds + int(fraction) / 1000
