"""Encode questions as token ids, and decode labels of tokens as spans of whole words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote.language.scripts import HANGUL, UNSPACED
from footnote.models.tokenizing import UnigramPieces

BIO_TAGS = ("outside", "begins", "goes on")
"""Labels of a token: whether it is in a span that is moved."""
PARTS = ("shared", "begins", "goes on", "dropped")
"""Labels of a question's token: in all its parts, in one, or in none, as words that join or compare
the parts are."""
BEGINS, GOES_ON, DROPPED = 1, 2, 3
"""Indices of labels, the same in both sets."""
QUESTION_TOKENS, ASKED_TOKENS, ANSWERED_TOKENS = 72, 96, 64
"""Most tokens that are read of each text."""
PREFIX = "query: "
_BOUNDARY = re.compile(rf"[^\w\u0300-\u036f\u0900-\u0dff]|[{UNSPACED}{HANGUL}]")
"""Characters outside words, or words by themselves; so Korean particles are apart from nouns."""
_NUMBER = re.compile(r"\d[-/.,:–]\d")
"""Separators between digits: the season 2024/25, a time, an amount."""

_Floats = npt.NDArray[np.float32]
CharSpan = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A word with the index of its label, and the probability of that label alone, 0…1."""

    label: int
    start: int
    end: int
    chance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedText:
    """A text, and the positions of its tokens in the model's input."""

    text: str
    first: int
    offsets: Sequence[CharSpan]
    """Half-open character offsets of each token."""

    @property
    def end(self) -> int:
        """The position after its last token in the model's input."""
        return self.first + len(self.offsets)

    @property
    def words(self) -> list[range]:
        """The tokens of each word, numbered within the text.

        White space belongs to the word that follows; in a script without spaces each token is a
        word.
        """
        words: list[range] = []
        for index, (start, _) in enumerate(self.offsets):
            previous = self.text[self.offsets[index - 1][0] : start] if index else ""
            if words and (not previous.strip() or _is_one_word(self.text, start)):
                words[-1] = range(words[-1].start, index + 1)
            else:
                words.append(range(index, index + 1))
        return words

    def labelled(self, odds: _Floats) -> list[Labelled]:
        """Label its words by the likeliest valid sequence of labels (Viterbi).

        `odds` are log-odds for all tokens of the input, (tokens, labels), of which the second label
        begins a span and the third continues one; a span must begin, and a word has one label.
        """
        words = self.words
        if not words:
            return []
        log_probabilities = odds - odds.max(axis=1, keepdims=True)
        log_probabilities -= np.log(np.exp(log_probabilities).sum(axis=1, keepdims=True))
        scores = np.zeros((len(words), odds.shape[1]), np.float32)
        for row, word in enumerate(words):
            word_logs = log_probabilities[self.first + word.start : self.first + word.stop]
            scores[row] = word_logs.mean(axis=0)
            scores[row, BEGINS] = (word_logs[0, BEGINS] + word_logs[1:, GOES_ON].sum()) / len(
                word_logs
            )
        transitions = np.zeros((odds.shape[1], odds.shape[1]), np.float32)
        transitions[:, GOES_ON] = -np.inf
        transitions[[BEGINS, GOES_ON], GOES_ON] = 0
        # Before the first word there is no span to continue.
        best_scores, back_pointers = scores[0] + transitions[0], np.zeros(scores.shape, np.int64)
        for row in range(1, len(words)):
            path_scores = best_scores[:, None] + transitions
            back_pointers[row] = path_scores.argmax(axis=0)
            best_scores = path_scores.max(axis=0) + scores[row]
        path = [int(best_scores.argmax())]
        for row in range(len(words) - 1, 0, -1):
            path.append(int(back_pointers[row, path[-1]]))
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
        """Return the spans of words labelled as begun and continued, without outer white space."""
        spans: list[CharSpan] = []
        for word in words:
            if word.label == BEGINS:
                spans.append((word.start, word.end))
            elif word.label == GOES_ON:
                spans[-1] = (spans[-1][0], word.end)
        return _trimmed(self.text, spans)

    def dropped(self, words: Sequence[Labelled]) -> tuple[CharSpan, ...]:
        """Return the words that belong to no part."""
        return _trimmed(
            self.text, [(word.start, word.end) for word in words if word.label == DROPPED]
        )

    def tokens_of(self, span: CharSpan) -> list[int]:
        """Return the input positions of the tokens that overlap a span of the text."""
        start, end = span
        return [
            self.first + index
            for index, (first, last) in enumerate(self.offsets)
            if first < end and last > start and self.text[max(first, start) : last].strip()
        ]


_NO_TEXT = EncodedText(text="", first=0, offsets=())


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
    previous_question: str = "",
    previous_answer: str = "",
    *,
    max_previous_tokens: int = ASKED_TOKENS,
) -> EncodedTurns:
    """Tokenise a question, alone or with the previous question and its answer."""
    ids = [tokenizer.begin]

    def encode(text: str, max_tokens: int, prefix: str = "") -> EncodedText:
        pieces = tokenizer.pieces(prefix + text)
        skipped = sum(end <= len(prefix.rstrip()) for _, end in pieces.offsets)
        last = skipped + max_tokens
        offsets = [
            (max(0, start - len(prefix)), end - len(prefix)) for start, end in pieces.offsets
        ]
        encoded = EncodedText(text=text, first=len(ids) + skipped, offsets=offsets[skipped:last])
        ids.extend([*pieces.ids[:last], tokenizer.end])
        return encoded

    encoded_question = encode(question, QUESTION_TOKENS, PREFIX)
    ids += [tokenizer.end] if previous_question or previous_answer else []
    return EncodedTurns(
        ids=ids,
        question=encoded_question,
        asked=encode(previous_question, max_previous_tokens)
        if previous_question or previous_answer
        else _NO_TEXT,
        answered=encode(previous_answer, ANSWERED_TOKENS)
        if previous_question or previous_answer
        else _NO_TEXT,
    )


def _is_one_word(text: str, at: int) -> bool:
    """Return whether the characters before and at this place are of one word, or of one number."""
    adjacent = text[max(0, at - 1) : at + 1]
    context = text[max(0, at - 2) : at + 2]
    return len(adjacent) == 2 and (not _BOUNDARY.search(adjacent) or bool(_NUMBER.search(context)))


def _trimmed(text: str, stretches: Sequence[CharSpan]) -> tuple[CharSpan, ...]:
    """Trim white space at the ends of the spans, and remove spans of nothing else."""
    trimmed = []
    for start, end in stretches:
        span_text = text[start:end]
        if span_text.strip():
            first = start + len(span_text) - len(span_text.lstrip())
            trimmed.append((first, first + len(span_text.strip())))
    return tuple(trimmed)
