"""Find the spans of a question that may name an entity, with the look-up keys of the names.

No model is used: whether a span is a name is decided by the look-up, and a name that a model finds
would also need an equal key.
"""

from __future__ import annotations

from collections.abc import Sequence

from footnote.knowledge.linking import form_keys
from footnote.ports import QuestionName

MAX_WORDS = 6
"""Most words of one name."""
_WORDS_READ = 48
"""Words of a question that are read, from its beginning."""
_AROUND = " \t\n\"'“”„«»‘’().,;:!?¿¡[]{}"


def names_in(question: str) -> Sequence[QuestionName]:
    """Return the spans of a question that may name an entity, longest first.

    If a word after the first has a capital letter or digit, a span must begin and end with such a
    word; otherwise all spans count.

    >>> [name.text for name in names_in("Who leads Northwind Traders of Hull?")][:2]
    ['Who leads Northwind Traders of Hull', 'Who leads Northwind Traders']
    """
    words = [word.strip(_AROUND) for word in question.split()[:_WORDS_READ]]
    marked = [any(c.isupper() or c.isdigit() for c in word) for word in words]
    if not any(marked[1:]):
        # A capital at the beginning says nothing where there is no other.
        marked = [bool(word) for word in words]
    names = []
    for length in range(min(MAX_WORDS, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            end = start + length
            if marked[start] and marked[end - 1]:
                text = " ".join(words[start:end])
                if keys := form_keys(text):
                    names.append(QuestionName(start=start, end=end, text=text, keys=keys))
    return names
