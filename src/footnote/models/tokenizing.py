"""Tokenise texts for the packaged encoders: WordPiece for MiniLM, Unigram for e5."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from sentencepiece import (
    SentencePieceNormalizer,
    SentencePieceProcessor,
    sentencepiece_model_pb2,
)
from tokenizers import Tokenizer

_SURROGATE = re.compile("[\ud800-\udfff]")

_messages: Any = sentencepiece_model_pb2
"""Typed as Any: the module creates its classes on import, so it has no type information."""


class TokenIds(Protocol):
    """Converts texts to token ids."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, without special tokens or truncation."""
        ...

    def encode(self, texts: Sequence[str], limit: int) -> list[list[int]]:
        """Ids of each text between the marks for beginning and end, `limit` of them at most."""
        ...

    def end_of(self, text: str, tokens: int) -> int:
        """Return the character offset at which the first `tokens` tokens (from 1) end.

        The text's end if it has fewer.
        """
        ...


class WordPieces:
    """The tokenizer of a BERT checkpoint, from its `tokenizer.json`."""

    def __init__(self, file: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(file))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        marks = (self._tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]"))
        self._begin, self._end = (mark for mark in marks if mark is not None)

    def count(self, texts: Sequence[str]) -> list[int]:
        """Word pieces of each text."""
        return [len(ids) for ids in self._ids(texts)]

    def encode(self, texts: Sequence[str], limit: int) -> list[list[int]]:
        """Ids of each text between [CLS] and [SEP]."""
        return [[self._begin, *ids[: limit - 2], self._end] for ids in self._ids(texts)]

    def end_of(self, text: str, tokens: int) -> int:
        """See `TokenIds`."""
        offsets = self._tokenizer.encode(encodable(text), add_special_tokens=False).offsets
        return offsets[tokens - 1][1] if tokens < len(offsets) else len(text)

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        clean = [encodable(text) for text in texts]
        encodings = self._tokenizer.encode_batch_fast(clean, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]


@cache
def word_pieces(file: Path) -> WordPieces:
    """The tokenizer in the file, once for all models of the process."""
    return WordPieces(file)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnigramVocabulary:
    """Pieces by id, the log probability of each, and which ids are marks."""

    pieces: Sequence[str]
    scores: Sequence[float]
    begin: int
    padding: int
    end: int
    unknown: int
    unused: Sequence[int] = ()
    """Ids of special tokens that occur in no text, such as the mask token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenizedText:
    """A tokenised text: the ids of its pieces, and their character offsets."""

    ids: list[int]
    offsets: list[tuple[int, int]]


class UnigramPieces:
    """A Unigram tokenizer (Kudo, ACL 2018) as XLM-RoBERTa uses it, run by SentencePiece.

    For 250,000 pieces it holds 60 MB where the library `tokenizers` holds 260, and finds the
    same pieces.
    """

    def __init__(self, model: bytes) -> None:
        self._processor = SentencePieceProcessor(model_proto=model)
        self.begin: int = self._processor.bos_id()
        self.end: int = self._processor.eos_id()
        self.padding: int = self._processor.pad_id()

    def count(self, texts: Sequence[str]) -> list[int]:
        """Pieces of each text."""
        return [len(self._ids(text)) for text in texts]

    def encode(self, texts: Sequence[str], limit: int) -> list[list[int]]:
        """Ids of each text between `<s>` and `</s>`."""
        return [[self.begin, *self._ids(text)[: limit - 2], self.end] for text in texts]

    def end_of(self, text: str, tokens: int) -> int:
        """See `TokenIds`."""
        offsets = self.pieces(text).offsets
        return offsets[tokens - 1][1] if tokens < len(offsets) else len(text)

    def pieces(self, text: str) -> TokenizedText:
        """Return the pieces of the text, without special tokens, with their character offsets."""
        clean = encodable(text)
        encoded = self._processor.encode(clean, return_type="proto").pieces
        # Map each byte offset of the text's UTF-8 to its character offset.
        if clean.isascii():
            characters: Sequence[int] = range(len(clean) + 1)
        else:
            widths = (len(character.encode()) for character in clean)
            positions = [position for position, width in enumerate(widths) for _ in range(width)]
            characters = [*positions, len(clean)]
        return TokenizedText(
            ids=[piece.id for piece in encoded],
            offsets=[(characters[piece.begin], characters[piece.end]) for piece in encoded],
        )

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._processor.encode(encodable(text))
        return ids


def unigram_model(vocabulary: UnigramVocabulary) -> bytes:
    """Return a serialised SentencePiece model of the vocabulary, normalising as XLM-RoBERTa does.

    That is NFKC, with white space and invisible characters collapsed to one space and trimmed.
    """
    model = _messages.ModelProto()
    rules = SentencePieceNormalizer(rule_name="nmt_nfkc")
    model.normalizer_spec.CopyFrom(
        _messages.ModelProto.FromString(rules.serialized_model_proto()).normalizer_spec
    )
    trained = model.trainer_spec
    trained.model_type = _messages.TrainerSpec.UNIGRAM
    trained.bos_id, trained.pad_id = vocabulary.begin, vocabulary.padding
    trained.eos_id, trained.unk_id = vocabulary.end, vocabulary.unknown
    trained.bos_piece = vocabulary.pieces[vocabulary.begin]
    trained.pad_piece = vocabulary.pieces[vocabulary.padding]
    trained.eos_piece = vocabulary.pieces[vocabulary.end]
    trained.unk_piece = vocabulary.pieces[vocabulary.unknown]
    kind = _messages.ModelProto.SentencePiece
    kinds = dict.fromkeys((vocabulary.begin, vocabulary.padding, vocabulary.end), kind.CONTROL)
    kinds |= dict.fromkeys(vocabulary.unused, kind.CONTROL)
    kinds[vocabulary.unknown] = kind.UNKNOWN
    for number, (text, score) in enumerate(zip(vocabulary.pieces, vocabulary.scores, strict=True)):
        model.pieces.add(piece=text, score=score, type=kinds.get(number, kind.NORMAL))
    content: bytes = model.SerializeToString()
    return content


def encodable(text: str) -> str:
    """Replace each lone surrogate, which cannot be encoded in UTF-8, by U+FFFD.

    The length stays the same, so character offsets stay valid.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    return text
