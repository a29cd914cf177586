"""Questions as token ids, and labels of tokens as stretches of whole words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote.language.scripts import HANGUL, UNSPACED
from footnote.models.tokenizing import UnigramPieces

BIO_TAGS = ("outside", "begins", "goes on")
"""Of a token: whether it belongs to a stretch that is moved."""
PARTS = ("shared", "begins", "goes on", "dropped")
"""Of a token of a question: whether it belongs to all its parts, to one, or to none, as words do
that join parts or compare them."""
BEGINS, GOES_ON, DROPPED = 1, 2, 3
"""Numbers among both."""
QUESTION_TOKENS, ASKED_TOKENS, ANSWERED_TOKENS = 72, 96, 64
"""Most tokens that are read."""
PREFIX = "query: "
_BOUNDARY = re.compile(rf"[^\w\u0300-\u036f\u0900-\u0dff]|[{UNSPACED}{HANGUL}]")
"""What belongs to no word, or is one by itself: particles of Korean are no part of the noun."""
_NUMBER = re.compile(r"\d[-/.,:–]\d")
"""What joins digits: the seasons 2024/25, a time, an amount."""

_Floats = npt.NDArray[np.float32]
CharSpan = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A word with the number of its label, and how likely that is by itself, 0…1."""

    label: int
    start: int
    end: int
    chance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedText:
    """A text, and where its tokens stand among those that are run."""

    text: str
    first: int
    offsets: Sequence[CharSpan]
    """Half-open, of each token."""

    @property
    def end(self) -> int:
        """The number of the token behind its last one, of all that are run."""
        return self.first + len(self.offsets)

    @property
    def words(self) -> list[range]:
        """The tokens of each word, numbered as those of the text are; white space belongs to what
        follows, and where a script puts none between words each token is one."""
        found: list[range] = []
        for at, (start, _) in enumerate(self.offsets):
            before = self.text[self.offsets[at - 1][0] : start] if at else ""
            if found and (not before.strip() or _is_one_word(self.text, start)):
                found[-1] = range(found[-1].start, at + 1)
            else:
                found.append(range(at, at + 1))
        return found

    def labelled(self, odds: _Floats) -> list[Labelled]:
        """Its words, each with the likeliest label that all labels together allow (Viterbi).

        `odds` are log-odds of all tokens that are run, (tokens, labels), of which the second begins
        a stretch and the third goes on with one; a stretch begins somewhere, and words are whole.
        """
        words = self.words
        if not words:
            return []
        logs = odds - odds.max(axis=1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
        scores = np.zeros((len(words), odds.shape[1]), np.float32)
        for row, word in enumerate(words):
            own = logs[self.first + word.start : self.first + word.stop]
            scores[row] = own.mean(axis=0)
            scores[row, BEGINS] = (own[0, BEGINS] + own[1:, GOES_ON].sum()) / len(own)
        follows = np.zeros((odds.shape[1], odds.shape[1]), np.float32)
        follows[:, GOES_ON] = -np.inf
        follows[[BEGINS, GOES_ON], GOES_ON] = 0
        # Before the first word there is none of a stretch.
        best, came_from = scores[0] + follows[0], np.zeros(scores.shape, np.int64)
        for row in range(1, len(words)):
            through = best[:, None] + follows
            came_from[row] = through.argmax(axis=0)
            best = through.max(axis=0) + scores[row]
        path = [int(best.argmax())]
        for row in range(len(words) - 1, 0, -1):
            path.append(int(came_from[row, path[-1]]))
        return [
            Labelled(
                label=label,
                start=self.offsets[word.start][0],
                end=self.offsets[word.stop - 1][1],
                chance=float(np.exp(scores[row, label])),
            )
            for row, (word, label) in enumerate(zip(words, reversed(path), strict=True))
        ]

    def stretches(self, words: Sequence[Labelled]) -> tuple[CharSpan, ...]:
        """What labelled words begin and go on with, without white space at the ends."""
        found: list[CharSpan] = []
        for word in words:
            if word.label == BEGINS:
                found.append((word.start, word.end))
            elif word.label == GOES_ON:
                found[-1] = (found[-1][0], word.end)
        return _trimmed(self.text, found)

    def dropped(self, words: Sequence[Labelled]) -> tuple[CharSpan, ...]:
        """The words that belong to no part."""
        return _trimmed(
            self.text, [(each.start, each.end) for each in words if each.label == DROPPED]
        )

    def tokens_of(self, place: CharSpan) -> list[int]:
        """The numbers of the tokens, of all that are run, that reach into a stretch of it."""
        start, end = place
        return [
            self.first + at
            for at, (first, last) in enumerate(self.offsets)
            if first < end and last > start and self.text[max(first, start) : last].strip()
        ]


_NOTHING = EncodedText(text="", first=0, offsets=())


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedTurns:
    """Token ids of a question, followed by the previous question and answer if given."""

    ids: list[int]
    question: EncodedText
    asked: EncodedText
    answered: EncodedText


def encode_turns(
    tokenizer: UnigramPieces,
    question: str,
    asked: str = "",
    answered: str = "",
    *,
    most_asked: int = ASKED_TOKENS,
) -> EncodedTurns:
    """Tokenise a question, alone or with the previous question and its answer."""
    ids = [tokenizer.begin]

    def said(text: str, most: int, prefix: str = "") -> EncodedText:
        own = tokenizer.pieces(prefix + text)
        skipped = sum(end <= len(prefix.rstrip()) for _, end in own.offsets)
        last = skipped + most
        places = [(max(0, start - len(prefix)), end - len(prefix)) for start, end in own.offsets]
        found = EncodedText(text=text, first=len(ids) + skipped, offsets=places[skipped:last])
        ids.extend([*own.ids[:last], tokenizer.end])
        return found

    first = said(question, QUESTION_TOKENS, PREFIX)
    ids += [tokenizer.end] if asked or answered else []
    return EncodedTurns(
        ids=ids,
        question=first,
        asked=said(asked, most_asked) if asked or answered else _NOTHING,
        answered=said(answered, ANSWERED_TOKENS) if asked or answered else _NOTHING,
    )


def _is_one_word(text: str, at: int) -> bool:
    """Whether the characters before and at this place belong to one word, or to one number."""
    beside = text[max(0, at - 1) : at + 1]
    around = text[max(0, at - 2) : at + 2]
    return len(beside) == 2 and (not _BOUNDARY.search(beside) or bool(_NUMBER.search(around)))


def _trimmed(text: str, stretches: Sequence[CharSpan]) -> tuple[CharSpan, ...]:
    """The stretches without white space at their ends, and without those that are nothing else."""
    found = []
    for start, end in stretches:
        held = text[start:end]
        if held.strip():
            first = start + len(held) - len(held.lstrip())
            found.append((first, first + len(held.strip())))
    return tuple(found)
