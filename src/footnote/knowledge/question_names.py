"""The stretches of a question that may name an entity, with the keys that names are found by.

No model is asked: whether a stretch is a name is told by the documents that name something so. A
model would be one more pass for each question, and what it finds is of use only where a key is
equal.
"""

from __future__ import annotations

from collections.abc import Sequence

from footnote.knowledge.linking import form_keys
from footnote.ports import QuestionName

MOST_WORDS = 6
"""Of one name."""
_WORDS_READ = 48
"""Of a question, its first ones."""
_AROUND = " \t\n\"'“”„«»‘’().,;:!?¿¡[]{}"


def names_in(question: str) -> Sequence[QuestionName]:
    """The stretches of a question that may name an entity, longest first.

    Of a question with capital letters or digits those that begin and end with such a word; of one
    without any all of them.

    >>> [each.text for each in names_in("Who leads Northwind Traders of Hull?")][:2]
    ['Who leads Northwind Traders of Hull', 'Who leads Northwind Traders']
    """
    words = [each.strip(_AROUND) for each in question.split()[:_WORDS_READ]]
    marked = [any(c.isupper() or c.isdigit() for c in each) for each in words]
    if not any(marked[1:]):
        # A capital at the beginning says nothing where there is no other.
        marked = [bool(each) for each in words]
    found = []
    for length in range(min(MOST_WORDS, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            end = start + length
            if marked[start] and marked[end - 1]:
                text = " ".join(words[start:end])
                if keys := form_keys(text):
                    found.append(QuestionName(start=start, end=end, text=text, keys=keys))
    return found
