"""Transcribe segments of speech into utterances with a Whisper model, run by CTranslate2."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import geometric_mean

import ctranslate2
import numpy as np
from ctranslate2.models import Whisper
from tokenizers import Tokenizer

from footnote.domain import Utterance
from footnote.language.sentences import sentence_spans
from footnote.models.speech.audio import RATE, Samples
from footnote.models.speech.spectrogram import log_mel
from footnote.models.transcription import is_silence

BEAMS = 5
_MOMENT_SECONDS = 0.02
_FRAME_SECONDS = 0.01
"""Resolutions: Whisper's attention alignment gives times in steps of 0.02 s, and a spectrogram
frame takes 0.01 s."""
_MIN_PROBABILITY = 1e-6
_REPETITIVE = 2.4
"""Text with a higher zlib compression ratio is repetitive; Whisper's own limit."""
_NO_REPEATED_WORDS = 3
"""Size of the n-grams that may not repeat when a repetitive text is decoded a second time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    """A token of the text."""

    end_character: int
    start_seconds: float
    end_seconds: float
    probability: float


class WhisperModel:
    """A Whisper model from a folder in CTranslate2's form, with weights in 8 bits."""

    def __init__(self, folder: Path, *, threads: int) -> None:
        self._model = Whisper(
            str(folder), device="cpu", compute_type="int8", inter_threads=1, intra_threads=threads
        )
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._end = self._id("<|endoftext|>")
        self._start = self._id("<|startoftranscript|>")
        self._no_times = self._id("<|notimestamps|>")

    @property
    def is_multilingual(self) -> bool:
        """Whether it knows more than English."""
        return bool(self._model.is_multilingual)

    def language_of(self, sounds: Sequence[Samples]) -> str | None:
        """Return the ISO 639-1 code of the language with the highest total probability.

        None if that language has no two-letter code.
        """
        if not self.is_multilingual:
            return "en"
        weights: dict[str, float] = {}
        for sound in sounds:
            [guesses] = self._model.detect_language(self._features(sound))
            for token, probability in guesses:
                weights[token] = weights.get(token, 0.0) + probability
        best = max(weights, key=lambda token: (weights[token], token)).strip("<|>")
        return best if len(best) == 2 else None

    def __call__(self, sound: Samples, language: str | None) -> tuple[Utterance, ...]:
        """Transcribe a segment of at most 30 seconds, split into sentences.

        Seconds count from the start of the segment. A multilingual model needs the language, and
        takes English without it.
        """
        start = [self._start]
        if self.is_multilingual:
            start += [self._id(f"<|{language or 'en'}|>"), self._id("<|transcribe|>")]
        encoded = self._model.encode(self._features(sound))
        # Decode by beam search; if the result is repetitive, once more without repeated n-grams.
        prompt = [*start, self._no_times]
        for without in (0, _NO_REPEATED_WORDS):
            [result] = self._model.generate(
                encoded,
                [prompt],
                beam_size=BEAMS,
                no_repeat_ngram_size=without,
                return_scores=True,
                return_no_speech_prob=True,
            )
            text = self._text(result.sequences_ids[0]).encode()
            if len(text) <= _REPETITIVE * len(zlib.compress(text)):
                break
        tokens = [token for token in result.sequences_ids[0] if token < self._end]
        # The score is a mean that leaves the end out.
        likelihood = result.scores[0] * len(tokens) / (len(tokens) + 1)
        if not tokens or is_silence(result.no_speech_prob, likelihood):
            return ()
        return self._sentences(tokens, self._words(encoded, start, tokens, len(sound) / RATE))

    def _words(
        self, encoded: ctranslate2.StorageView, start: list[int], tokens: list[int], seconds: float
    ) -> list[_Word]:
        """Return each token with its start and end time, by the alignment of cross-attention."""
        [aligned] = self._model.align(encoded, start, [tokens], round(seconds / _FRAME_SECONDS))
        # A token begins where the path first reaches it; the last position is the end.
        begins = dict(reversed(aligned.alignments))
        times = [
            min(begins[index] * _MOMENT_SECONDS, seconds) if index in begins else seconds
            for index in range(len(tokens) + 1)
        ]
        return [
            _Word(
                end_character=len(self._text(tokens[: index + 1])),
                start_seconds=begin,
                end_seconds=max(begin, end),
                probability=max(probability, _MIN_PROBABILITY),
            )
            for index, ((begin, end), probability) in enumerate(
                zip(pairwise(times), aligned.text_token_probs, strict=True)
            )
        ]

    def _sentences(self, tokens: list[int], words: list[_Word]) -> tuple[Utterance, ...]:
        text = self._text(tokens)
        utterances: list[Utterance] = []
        for start, end in sentence_spans(text):
            inside = [word for word in words if start < word.end_character <= end]
            inside = inside or [word for word in words if word.end_character > start][:1]
            utterances.append(
                Utterance(
                    text=text[start:end],
                    start_seconds=inside[0].start_seconds,
                    end_seconds=inside[-1].end_seconds,
                    confidence=geometric_mean([word.probability for word in inside]),
                )
            )
        return tuple(utterances)

    def _text(self, tokens: Sequence[int]) -> str:
        return str(self._tokenizer.decode(tokens)).strip()

    def _features(self, sound: Samples) -> ctranslate2.StorageView:
        picture = log_mel(sound, self._model.n_mels)[None]
        return ctranslate2.StorageView.from_array(np.ascontiguousarray(picture))

    def _id(self, token: str) -> int:
        number = self._tokenizer.token_to_id(token)
        if number is None:
            raise ValueError(f"the tokenizer of the speech model lacks {token}")
        return int(number)
