"""Parse queries from the reply of a language model."""

from __future__ import annotations

import re

from footnote.retrieval.query import QueryPart, query_parts
from footnote.validation.text import is_storable

MAX_WORDING_CHARACTERS = 500
"""Longer lines are no queries but answers, explanations or apologies."""

_MARK = re.compile(r"(?:[-*•–+>#]+|\(?\d{1,2}[.):]|[a-z][.)])\s+")
_LABEL = re.compile(
    r"(?:(?:standalone|rewritten|search|better|new|condensed|alternative)\s+)?"
    r"(?:question|query|wording)\s*\d{0,2}\s*[:：]\s*",
    re.IGNORECASE,
)
_EMPHASIS = ("**", "__", "`", "*", "_")


def wordings_from(reply: str, question: str, user_text: str = "") -> tuple[str, ...]:
    """The distinct queries of a reply, one for each line, in its order.

    Numbers, bullets, labels and emphasis around them are taken off; announcements ("Here are
    three:") and code fences are left out. Phrases and exclusions are the user's to make: those of
    the question hold for every wording, and others lose their marks, except where the user
    made them earlier, in `user_text`.

    >>> wordings_from('Sure:\\n1. term of notice\\n2) **how "long" is it**\\n- Term of notice', "x")
    ('term of notice', 'how long is it')
    >>> wordings_from("term of notice", 'notice period -draft "Acme Ltd"')
    ('term of notice -draft "Acme Ltd"',)
    """
    wordings: dict[str, str] = {}
    storable = "".join(character if is_storable(character) else " " for character in reply)
    for line in storable.splitlines():
        content = _strip_marks(line)
        if not content or content.endswith((":", "：")):
            continue
        wording = _with_operators(_without_new_marks(content, f"{question}\n{user_text}"), question)
        if len(wording) <= MAX_WORDING_CHARACTERS and _has_content(wording):
            wordings.setdefault(sameness(wording), wording)
    return tuple(wordings.values())


def sameness(wording: str) -> str:
    """Return a key that is equal for wordings that differ only in case, space or final
    punctuation."""
    return " ".join(wording.casefold().split()).rstrip(".?!。？！ ")


def _strip_marks(line: str) -> str:
    text = line.strip()
    if text.startswith("```"):
        return ""
    previous = None
    while text != previous:
        previous = text
        opening = _MARK.match(text) or _LABEL.match(text)
        text = text[opening.end() :] if opening else text
        for mark in _EMPHASIS:
            if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
                text = text[len(mark) : -len(mark)].strip()
    return text


def _without_new_marks(wording: str, user_text: str) -> str:
    """Remove the marks of phrases and exclusions that the user did not write."""
    allowed = {_operator_key(part) for part in query_parts(user_text)}
    previous = None
    while wording != previous:  # Marks may be nested; each round makes it shorter.
        previous, pieces, position = wording, [], 0
        for part in query_parts(wording):
            marked = part.quoted or part.excluded
            text = wording[part.start : part.end]
            pieces.append(wording[position : part.start])
            pieces.append(part.text if marked and _operator_key(part) not in allowed else text)
            position = part.end
        wording = "".join([*pieces, wording[position:]]).strip()
    return wording


def _with_operators(wording: str, question: str) -> str:
    """Append every phrase and exclusion of the question that the wording lacks."""
    present = {_operator_key(part) for part in query_parts(wording)}
    missing = [
        question[part.start : part.end]
        for part in query_parts(question)
        if (part.quoted or part.excluded) and _operator_key(part) not in present
    ]
    return " ".join([wording, *missing])


def _operator_key(part: QueryPart) -> tuple[str, bool, bool]:
    return part.text.casefold(), part.quoted, part.excluded


def _has_content(wording: str) -> bool:
    return any(
        not part.excluded and any(map(str.isalnum, part.text)) for part in query_parts(wording)
    )
