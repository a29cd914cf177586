"""Puts a follow-up question so that it stands alone, and tells what one asks of a column, and of
which.

The first moves stretches of texts, as rewriting by segmentation does (Liu et al., EMNLP 2020): a
network above the reader's lower layers says of each token whether it belongs to one, and of the
question which way they go. `training/question_rewriting.py` fits it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote.language.scripts import UNSPACED
from footnote.models.question_tokens import (
    QUESTION_TOKENS,
    Said,
    Stretch,
    Talk,
    talk_of,
    titles_talk,
)
from footnote.models.reader_encoder import ReaderEncoder
from footnote.models.tokenizing import UnigramPieces
from footnote.ports import ColumnChances, MeantColumn, Operation, ToldOperation

KINDS = ("alone", "replaces", "refers")
"""How a question stands to the one before: not at all, with something else in the place of a piece
of that one, or with a word that points at something that was said."""
EXTREMES = (Operation.LARGEST, Operation.SMALLEST)
OPERATIONS = ("none", *(each.value for each in Operation))
LEAST_OTHER = 0.25
"""Probability from which another calculation than the five is heard: one that is taken for them is
answered wrongly. Of 139 such questions that nothing was fitted to 126 are heard beside titles."""
HEADS = (
    "kinds",
    "labels",
    "columns",
    "extremes",
    "narrowing",
    "operations",
    "operations_beside",
)
"""By their names in the reader's file, behind `rewriting.`."""
_PASSES = 3
"""As many words of a question can point back, each at something else."""
_UNSPACED = re.compile(f"[{UNSPACED}]{{2}}")
_END = " \t\n?!.…¿¡,;:。？！،؟"

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class RewritingHead:
    """The weights above the layers that are its own."""

    kinds: _Floats
    """Of shape (width, kinds), with their biases: of the state of a question's first mark."""
    kinds_bias: _Floats
    labels: _Floats
    """Of shape (width, marks), with their biases: of each token's state."""
    labels_bias: _Floats
    columns: _Floats
    """Of shape (width, 2), with its biases: what a token of a title says for its column, and the
    state of the question's first mark for none of them."""
    columns_bias: _Floats
    extremes: _Floats
    """Of shape (width, 2), with its biases: of a title's states, whether its largest or its
    smallest is meant."""
    extremes_bias: _Floats
    narrowing: _Floats
    """Of shape (width, marks), with their biases: of the state of each of a question's tokens
    beside titles, whether it says which rows are meant."""
    narrowing_bias: _Floats
    operations: _Floats
    """Of shape (width, operations), with their biases: of the state of a question's first mark."""
    operations_bias: _Floats
    operations_beside: _Floats
    """The same of a question that stands beside the titles of a table."""
    operations_beside_bias: _Floats
    least_column: float
    """Probability from which a column is believed, 0…1."""
    least_operation: float
    """The same of an operation."""

    @classmethod
    def of(cls, tensors: Mapping[str, npt.NDArray[np.generic]]) -> RewritingHead:
        """From a file's tensors. Raises KeyError, or ValueError for tensors of another shape."""
        arrays = {
            name: tensors[f"rewriting.{name}"].astype(np.float32)
            for head in HEADS
            for name in (head, f"{head}_bias")
        }
        column, operation = map(float, tensors["rewriting.least"].astype(np.float32))
        return cls(**arrays, least_column=column, least_operation=operation)

    def column_chances(self, states: _Floats, talk: Talk, places: Sequence[Stretch]) -> _Floats:
        """How likely each title is of the column that is meant, and at the end that none is."""
        own = states @ self.columns + self.columns_bias
        odds = np.full(len(places) + 1, -np.inf, np.float32)
        for number, place in enumerate(places):
            if rows := talk.asked.tokens_of(place):
                odds[number] = own[rows, 0].mean()
        odds[-1] = own[0, 1]
        chances: _Floats = np.exp(odds - odds.max())
        chances /= chances.sum()
        return chances


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A text with the stretches that are moved."""

    text: str
    stretches: Sequence[Stretch] = ()

    @property
    def pieces(self) -> list[str]:
        """Their words."""
        return [self.text[start:end] for start, end in self.stretches]


def put_alone(kind: str, question: Marked, asked: Marked, answered: Marked) -> str:
    """The question with what it left out or pointed at, as its stretches say.

    >>> asked = Marked(text="What is due for storm?", stretches=[(16, 21)])
    >>> put_alone("replaces", Marked(text="And fire?", stretches=[(4, 8)]), asked, Marked(text=""))
    'What is due for fire?'
    """
    if kind == "replaces" and question.stretches:
        pieces = question.pieces
        count = min(len(pieces), len(asked.stretches))
        text = _with(asked.text, asked.stretches[:count], pieces[:count])
        for piece in pieces[count:]:
            text = _appended(text, piece)
        return text
    things = ", ".join(dict.fromkeys([*asked.pieces, *answered.pieces]))
    if kind == "refers" and things:
        if question.stretches:
            return _with(question.text, question.stretches[:1], [things])
        return _joined(question.text, things)
    return question.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriter:
    """The head, and the layers below it. Every run is in the calling thread.

    Its methods raise ModelUnavailable when the model cannot run, for lack of memory say.
    """

    encoder: ReaderEncoder
    tokenizer: UnigramPieces
    head: RewritingHead
    layers: int
    """Of the reader, from the lowest, that are run below those that are its own."""

    def stand_alone(self, question: str, asked: str, answered: str) -> str:
        """See `QuestionRewriter.stand_alone`."""
        for _ in range(_PASSES):
            talk = talk_of(self.tokenizer, question, asked, answered)
            if len(talk.question.offsets) >= QUESTION_TOKENS:
                return question  # So long a question says what it means; none of it is left out.
            states = self._states(talk)
            kind = KINDS[int((states[0] @ self.head.kinds + self.head.kinds_bias).argmax())]
            marks = states @ self.head.labels + self.head.labels_bias
            own, answer = _marked(talk.question, marks), Marked(text=answered)
            if kind == "replaces":
                several = len(own.stretches) > 1
                before = _marked(talk.asked, marks) if several else surest((talk.asked,), marks)[0]
                return put_alone(kind, own, before, answer)
            alone = put_alone(kind, own, *surest((talk.asked, talk.answered), marks))
            if not own.stretches or alone == question:
                return alone
            question = alone
        return question

    def column(self, question: str, row: str, titles: Sequence[str]) -> MeantColumn | None:
        """See `ColumnFinder.column`."""
        talk, places = titles_talk(self.tokenizer, question, row, titles)
        states = self._states(talk)
        chances = self.head.column_chances(states, talk, places)
        best = int(chances.argmax())
        if best == len(titles) or chances[best] < self.head.least_column:
            return None
        title = states[talk.asked.tokens_of(places[best])].mean(axis=0)
        ends = title @ self.head.extremes + self.head.extremes_bias
        marks = states @ self.head.narrowing + self.head.narrowing_bias
        return MeantColumn(
            number=best,
            probability=float(chances[best]),
            extreme=EXTREMES[int(ends.argmax())],
            extreme_odds=float(ends.max() - ends.min()),
            narrowing=_marked(talk.question, marks).pieces,
        )

    def chances(self, question: str, row: str, titles: Sequence[str]) -> ColumnChances:
        """See `ColumnFinder.chances`."""
        talk, places = titles_talk(self.tokenizer, question, row, titles)
        states = self._states(talk)
        chances = self.head.column_chances(states, talk, places)
        marks = states @ self.head.narrowing + self.head.narrowing_bias
        return ColumnChances(
            each=chances[:-1].tolist(),
            none=float(chances[-1]),
            narrowing=_marked(talk.question, marks).pieces,
        )

    def operation_beside(self, question: str, row: str, titles: Sequence[str]) -> ToldOperation:
        """See `ColumnFinder.operation_beside`."""
        talk, places = titles_talk(self.tokenizer, question, row, titles)
        states = self._states(talk)
        odds = states[0] @ self.head.operations_beside + self.head.operations_beside_bias
        chances = _softmax(odds)
        operation, probability = self._operation_of(chances)
        told = zip(OPERATIONS[1:], chances[1:].tolist(), strict=True)
        return ToldOperation(
            operation=operation,
            probability=probability,
            none=float(self.head.column_chances(states, talk, places)[-1]),
            chances={Operation(each): chance for each, chance in told},
        )

    def operation(self, question: str) -> Operation | None:
        """See `Reader.operation`."""
        state = self._states(talk_of(self.tokenizer, question))[0]
        odds = state @ self.head.operations + self.head.operations_bias
        return self._operation_of(_softmax(odds))[0]

    def _operation_of(self, chances: _Floats) -> tuple[Operation | None, float]:
        """What is believed of the probabilities of each, and its probability."""
        other = float(chances[OPERATIONS.index(Operation.OTHER)])
        if other >= LEAST_OTHER:
            return Operation.OTHER, other
        best = int(chances.argmax())
        if best == 0 or chances[best] < self.head.least_operation:
            return None, float(chances[0])
        return Operation(OPERATIONS[best]), float(chances[best])

    def _states(self, talk: Talk) -> _Floats:
        states: _Floats = self.encoder.rewriting_states([talk.ids], self.layers)[0]
        return states


def _softmax(odds: _Floats) -> _Floats:
    raised = np.exp(odds - odds.max())
    chances: _Floats = raised / raised.sum()
    return chances


def _marked(said: Said, marks: _Floats) -> Marked:
    """A text with all that is marked of it."""
    return Marked(text=said.text, stretches=said.stretches(said.labelled(marks)))


def surest(texts: Sequence[Said], marks: _Floats) -> list[Marked]:
    """The texts with the surest of all stretches that are marked in them."""
    found = []
    for number, said in enumerate(texts):
        words = said.labelled(marks)
        for start, end in said.stretches(words):
            inside = [each.chance for each in words if each.start < end and each.end > start]
            found.append((sum(inside) / len(inside), number, (start, end)))
    best = max(found, default=None)
    return [
        Marked(text=said.text, stretches=[best[2]] if best and best[1] == number else ())
        for number, said in enumerate(texts)
    ]


def _with(text: str, places: Sequence[Stretch], pieces: Sequence[str]) -> str:
    """The text with pieces in these places; one that begins it begins with a capital as it did.

    A word that would stand there twice, since one of the marks has it and the other lacks it,
    stands there once.
    """
    for (start, end), piece in sorted(zip(places, pieces, strict=True), reverse=True):
        new = _unless_said(text[:start].split()[-1:], piece, text[end:].split()[:1])
        begins = start == 0 and text[:1].isupper()
        text = f"{text[:start]}{new[:1].upper() + new[1:] if begins else new}{text[end:]}"
    return text


def _unless_said(before: Sequence[str], piece: str, behind: Sequence[str]) -> str:
    """The piece, without a word at its ends that stands beside it, unless it is all of it."""
    words = piece.split(maxsplit=1)
    if len(words) > 1 and before and before[0].casefold() == words[0].casefold():
        piece = words[1]
    words = piece.rsplit(maxsplit=1)
    if len(words) > 1 and behind and behind[0].casefold() == words[1].casefold():
        piece = words[0]
    return piece


def _appended(question: str, piece: str) -> str:
    """The question with a piece behind its last word."""
    words = question.rstrip(_END)
    return f"{_joined(words, piece)}{question[len(words) :] or '?'}"


def _joined(one: str, other: str) -> str:
    """Both, as their script joins words."""
    close = _UNSPACED.fullmatch(one[-1:] + other[:1])
    return f"{one}{other}" if close else f"{one} {other}".strip()
