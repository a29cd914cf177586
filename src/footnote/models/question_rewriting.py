"""Rewrite a follow-up question so that it stands alone.

It moves spans between texts, as rewriting by segmentation does (Liu et al., EMNLP 2020): a network
above the reader's lower layers labels the tokens of the spans, and classifies the question by how
they are moved. `training/question_rewriting.py` fits it.
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
    CharSpan,
    EncodedText,
    EncodedTurns,
    encode_turns,
)
from footnote.models.reader_encoder import ReaderEncoder
from footnote.models.tokenizing import UnigramPieces

KINDS = ("alone", "replaces", "refers")
"""Kinds of question: self-contained; elliptical, replacing a part of the previous question; or
with a reference to something said before."""
_PASSES = 3
"""Most rewrites of a question: each resolves one reference."""
_UNSPACED = re.compile(f"[{UNSPACED}]{{2}}")
_END = " \t\n?!.…¿¡,;:。？！،؟"

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class RewritingHead:
    """The weights of the classifiers above their own layers."""

    kinds: _Floats
    """Of shape (width, kinds), applied to the state of the first token, `<s>`; with biases."""
    kinds_bias: _Floats
    labels: _Floats
    """Of shape (width, labels), applied to each token's state; with biases."""
    labels_bias: _Floats

    @classmethod
    def of(cls, tensors: Mapping[str, npt.NDArray[np.generic]]) -> RewritingHead:
        """Read them from a file's tensors. Raises KeyError where one is absent."""
        names = ("kinds", "kinds_bias", "labels", "labels_bias")
        return cls(**{name: tensors[f"rewriting.{name}"].astype(np.float32) for name in names})


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedText:
    """A text with the spans to move."""

    text: str
    stretches: Sequence[CharSpan] = ()

    @property
    def pieces(self) -> list[str]:
        """The texts of the spans."""
        return [self.text[start:end] for start, end in self.stretches]


def apply_rewrite(
    kind: str, question: TaggedText, previous_question: TaggedText, previous_answer: TaggedText
) -> str:
    """Rewrite the question: fill its ellipsis or resolve its reference by the tagged spans.

    >>> previous = TaggedText(text="What is due for storm?", stretches=[(16, 21)])
    >>> question = TaggedText(text="And fire?", stretches=[(4, 8)])
    >>> apply_rewrite("replaces", question, previous, TaggedText(text=""))
    'What is due for fire?'
    """
    if kind == "replaces" and question.stretches:
        pieces = question.pieces
        count = min(len(pieces), len(previous_question.stretches))
        text = _replace_spans(
            previous_question.text, previous_question.stretches[:count], pieces[:count]
        )
        for piece in pieces[count:]:
            text = _append_piece(text, piece)
        return text
    antecedents = ", ".join(dict.fromkeys([*previous_question.pieces, *previous_answer.pieces]))
    if kind == "refers" and antecedents:
        if question.stretches:
            return _replace_spans(question.text, question.stretches[:1], [antecedents])
        return _join_texts(question.text, antecedents)
    return question.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriter:
    """The classifiers, and the layers below them, run in the calling thread.

    Its methods raise ModelUnavailable when the model cannot run, for example for lack of memory.
    """

    encoder: ReaderEncoder
    tokenizer: UnigramPieces
    head: RewritingHead
    layers: int
    """Number of the reader's lowest layers that are run below the rewriter's own."""

    def rewrite_follow_up(self, question: str, previous_question: str, previous_answer: str) -> str:
        """See `QuestionRewriter.rewrite_follow_up`."""
        for _ in range(_PASSES):
            encoded = encode_turns(self.tokenizer, question, previous_question, previous_answer)
            if len(encoded.question.offsets) >= QUESTION_TOKENS:
                return question  # One that long stands alone; truncating it would lose words.
            states = self._states(encoded)
            kind = KINDS[int((states[0] @ self.head.kinds + self.head.kinds_bias).argmax())]
            label_logits = states @ self.head.labels + self.head.labels_bias
            tagged_question, tagged_answer = (
                marked(encoded.question, label_logits),
                TaggedText(text=previous_answer),
            )
            if kind == "replaces":
                has_several_spans = len(tagged_question.stretches) > 1
                tagged_previous = (
                    marked(encoded.asked, label_logits)
                    if has_several_spans
                    else most_confident_span((encoded.asked,), label_logits)[0]
                )
                return apply_rewrite(kind, tagged_question, tagged_previous, tagged_answer)
            rewritten = apply_rewrite(
                kind,
                tagged_question,
                *most_confident_span((encoded.asked, encoded.answered), label_logits),
            )
            if not tagged_question.stretches or rewritten == question:
                return rewritten
            question = rewritten
        return question

    def _states(self, encoded: EncodedTurns) -> _Floats:
        states: _Floats = self.encoder.rewriting_states([encoded.ids], self.layers)[0]
        return states


def marked(encoded: EncodedText, marks: _Floats) -> TaggedText:
    """Return a text with all its labelled spans."""
    return TaggedText(text=encoded.text, stretches=encoded.stretches(encoded.labelled(marks)))


def most_confident_span(texts: Sequence[EncodedText], marks: _Floats) -> list[TaggedText]:
    """Return the texts with only the most confident of all their labelled spans."""
    candidates = []
    for text_index, encoded in enumerate(texts):
        words = encoded.labelled(marks)
        for start, end in encoded.stretches(words):
            probabilities = [word.chance for word in words if word.start < end and word.end > start]
            candidates.append((sum(probabilities) / len(probabilities), text_index, (start, end)))
    best = max(candidates, default=None)
    return [
        TaggedText(text=encoded.text, stretches=[best[2]] if best and best[1] == text_index else ())
        for text_index, encoded in enumerate(texts)
    ]


def _replace_spans(text: str, places: Sequence[CharSpan], pieces: Sequence[str]) -> str:
    """Replace the spans at these places by pieces; a capital at the start of the text is kept.

    A word that would then occur twice in a row, since one of the labelled spans has it and the
    other lacks it, is written once.
    """
    for (start, end), piece in sorted(zip(places, pieces, strict=True), reverse=True):
        replacement = _without_repeated_words(
            text[:start].split()[-1:], piece, text[end:].split()[:1]
        )
        if start == 0 and text[:1].isupper():
            replacement = replacement[:1].upper() + replacement[1:]
        text = f"{text[:start]}{replacement}{text[end:]}"
    return text


def _without_repeated_words(preceding: Sequence[str], piece: str, following: Sequence[str]) -> str:
    """Remove a word at either end of the piece that equals its neighbour; one word stays."""
    words = piece.split(maxsplit=1)
    if len(words) > 1 and preceding and preceding[0].casefold() == words[0].casefold():
        piece = words[1]
    words = piece.rsplit(maxsplit=1)
    if len(words) > 1 and following and following[0].casefold() == words[1].casefold():
        piece = words[0]
    return piece


def _append_piece(question: str, piece: str) -> str:
    """Append a piece after the question's last word."""
    body = question.rstrip(_END)
    return f"{_join_texts(body, piece)}{question[len(body) :] or '?'}"


def _join_texts(text: str, addition: str) -> str:
    """Join both, with a space unless their script has none."""
    are_unspaced = _UNSPACED.fullmatch(text[-1:] + addition[:1])
    return f"{text}{addition}" if are_unspaced else f"{text} {addition}".strip()
