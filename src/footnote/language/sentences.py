"""Split a text in any language into sentences."""

from __future__ import annotations

import re

from footnote.language.calendar import ABBREVIATED_MONTHS, WEEKDAYS, months_of

_NEVER_FINAL = frozenset(
    "mr mrs ms dr prof st hon rev gen col capt lt sgt messrs mme mlle sr sra dña cf vs viz e.g i.e "
    "eg ie approx resp incl excl z.b d.h u.a bzw ca vgl ggf inkl zzgl hr fr p.ex".split()
)
"""Abbreviations that never end a sentence, in lower case and without their last full stop."""

_BEFORE_NUMBER = frozenset(
    "no nos nr art arts sec secs fig figs eq eqs ch chap vol vols p pp para paras cl reg ref refs "
    "tab ext tel max min abs ziff núm pág jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
"""Abbreviations that do not close a sentence when a number follows."""

_FINAL_BEFORE_STARTER = frozenset(
    "inc ltd corp co bros etc al u.s u.k u.n e.u a.m p.m ph.d b.c a.d jr usw".split()
)
"""Abbreviations that end a sentence only when a word of `_STARTERS` follows; `a.m.` and `p.m.` also
before other capitalised words, see `_ends_after_time`."""

_TIME_ZONES = frozenset(
    "UTC GMT Z ET EST EDT CT CST CDT MT MST MDT PT PST PDT AKST AKDT HST AST ADT NST NDT BST IST "
    "WET WEST CET CEST EET EEST MSK JST KST HKT SGT AEST AEDT ACST ACDT AWST NZST NZDT SAST "
    "Eastern Central Mountain Pacific Atlantic Greenwich Coordinated Universal".split()
)
"""Abbreviations of time zones, and first words of their names."""

_STARTERS = frozenset(
    "the a an this that these those it its he she they we i you in on at for from as if when while "
    "but and or however there here his her their our der die das ein eine es er sie wir in im am "
    "le la les un une il elle ils el los las una".split()
)


_GERMAN_MONTHS = months_of("de")
_DAYS_AND_MONTHS = (
    months_of("en")
    | ABBREVIATED_MONTHS.keys()
    | {form for day in WEEKDAYS["en"] for form in (day, f"{day}s", day[:3])}
    | {"tues", "thur", "thurs"}
)
"""English names and abbreviations in lower case, which may follow a time of day."""

# Each branch can only match at the start of its run, which keeps hostile input linear.
_BOUNDARY = re.compile(
    r"""
      (?P<wide> [。！？｡]+ [」』”’）)"'\]]* \s* )             # needs no space after it
    | (?P<stop> (?<![.!?…؟۔।]) [.!?…؟۔।]+ [)\]”’»"'*_`]* (?=\s) \s+ )
    | (?P<line> \n \s* \n \s* )                               # a blank line
    | (?P<item> \n [ \t]* (?= (?: [-*•+–|] | \d{1,3}[.)] | [a-z][.)] | \#{1,6} ) [ \t] ) )
    """,
    re.VERBOSE,
)
_LAST_WORD = re.compile(r"[\w.\-]+$")
_FIRST_WORD = re.compile(r"\w+")
_INITIAL = re.compile(r"[^\W\d_]\.")
_NUMERAL = re.compile(r"\(?(?:\d|[IVXLC]+\b)")
_ITEM_NUMBER = re.compile(r"(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,4})(?:\.\d{1,3})*")
_CLOSERS = ")]”’»\"'*_`"


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Half-open offsets of the sentences of a text, ascending, without surrounding white space.

    Law: what lies between two spans is white space, so no word is ever lost. List items,
    table rows and paragraphs end a sentence with or without a full stop; a single line break
    inside a paragraph does not.

    >>> text = "Dr. No paid 3.5 EUR. Why?"
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Dr. No paid 3.5 EUR.', 'Why?']
    """
    spans: list[tuple[int, int]] = []
    start = len(text) - len(text.lstrip())
    for match in _BOUNDARY.finditer(text):
        if match.end() <= start:
            continue
        if match.lastgroup == "stop" and not _ends_sentence(text, start, match):
            continue
        _append_trimmed(spans, text, start, match.end())
        start = match.end()
    _append_trimmed(spans, text, start, len(text))
    return spans


def _append_trimmed(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        spans.append((start, end))


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    """Return whether the matched stop ends the sentence that begins at `start`."""
    mark = match.group().rstrip().rstrip(_CLOSERS)
    if match.end() >= len(text) or mark.strip(".…"):
        return True
    if text[match.end()].islower():
        return False
    return mark != "." or _full_stop_ends(text, start, match.start(), match.end())


def _full_stop_ends(text: str, start: int, stop: int, resume: int) -> bool:
    # No abbreviation is longer than the window, which keeps one huge word linear.
    match = _LAST_WORD.search(text, max(start, stop - 24), stop)
    if match is None:
        return True
    word = match.group()
    lowered = word.lower()
    if match.start() == start and _ITEM_NUMBER.fullmatch(word):
        return False
    following = _FIRST_WORD.match(text, resume)
    next_word = following.group().lower() if following else ""
    registered = word == "V" and text.startswith("e.", max(start, match.start() - 3))
    if lowered in _FINAL_BEFORE_STARTER or registered:
        return next_word in _STARTERS or _ends_after_time(text, match, following)
    initial = len(word) == 1 and word.isupper() and word.isascii()
    abbreviated = len(word) == 1 and _INITIAL.match(text, resume)  # `e. V.`, `z. B.`
    if lowered in _NEVER_FINAL or initial or abbreviated:
        return False
    if lowered in _BEFORE_NUMBER:
        return _NUMERAL.match(text, resume) is None
    # After `30.` the name of a month continues a German date.
    return not (word.isdigit() and len(word) <= 2 and next_word in _GERMAN_MONTHS)


def _ends_after_time(text: str, word: re.Match[str], following: re.Match[str] | None) -> bool:
    """Return whether the word is `a.m` or `p.m` and the next one cannot belong to its time of day.

    In capitals it must follow a digit, as it may also be the initials of a person.
    """
    if following is None or not following.group()[0].isupper():
        return False
    after_digit = text[max(word.start() - 3, 0) : word.start()].rstrip()[-1:].isdecimal()
    if word.group() not in ("a.m", "p.m") and not (after_digit and word.group() in ("A.M", "P.M")):
        return False
    next_word = following.group()
    return next_word not in _TIME_ZONES and next_word.lower() not in _DAYS_AND_MONTHS
