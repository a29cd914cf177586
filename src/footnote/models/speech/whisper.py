"""Stretches of speech become utterances, by a Whisper model that CTranslate2 runs."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import ctranslate2
import numpy as np
from ctranslate2.models import Whisper, WhisperGenerationResult
from tokenizers import Tokenizer

from footnote.domain import Utterance
from footnote.models.speech.audio import RATE, Samples
from footnote.models.speech.spectrogram import log_mel
from footnote.models.transcription import is_silence

BEAMS = 5
_BATCH = 4
"""Stretches decoded together."""
_MOMENT_SECONDS = 0.02
"""Between two of Whisper's marks of time."""
_REPETITIVE = 2.4
"""Text that zlib makes this many times smaller goes in circles; the limit is Whisper's own."""
_NO_REPEATED_WORDS = 3
"""What went in circles is decoded once more, without any three tokens twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What a stretch of speech says."""

    utterances: tuple[Utterance, ...]
    """Seconds count from the beginning of the stretch."""


class WhisperModel:
    """A Whisper model from a folder in CTranslate2's form, with weights in 8 bits."""

    def __init__(self, folder: Path, *, threads: int) -> None:
        self._model = Whisper(
            str(folder), device="cpu", compute_type="int8", inter_threads=1, intra_threads=threads
        )
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._end = self._id("<|endoftext|>")
        self._start = self._id("<|startoftranscript|>")
        self._first_moment = self._id("<|notimestamps|>") + 1

    @property
    def is_multilingual(self) -> bool:
        """Whether it knows more than English."""
        return bool(self._model.is_multilingual)

    def language_of(self, sounds: Sequence[Samples]) -> str | None:
        """ISO 639-1 of the language that most of it is in; None where the model tells none."""
        if not self.is_multilingual:
            return "en"
        weights: dict[str, float] = {}
        for guesses in self._model.detect_language(self._seen(sounds)):
            for token, probability in guesses:
                weights[token] = weights.get(token, 0.0) + probability
        best = max(weights, key=lambda token: (weights[token], token))
        return best.strip("<|>") if len(best.strip("<|>")) == 2 else None

    def __call__(self, sounds: Sequence[Samples], language: str | None) -> Iterator[Heard]:
        """What each stretch of at most 30 seconds says, in their order."""
        prompt = [self._start]
        if self.is_multilingual:
            prompt += [self._id(f"<|{language or 'en'}|>"), self._id("<|transcribe|>")]
        for first in range(0, len(sounds), _BATCH):
            batch = sounds[first : first + _BATCH]
            for sound, result in zip(batch, self._decoded(batch, prompt), strict=True):
                yield self._heard(result, len(sound) / RATE)

    def _decoded(
        self, sounds: Sequence[Samples], prompt: list[int]
    ) -> Iterator[WhisperGenerationResult]:
        """The likeliest reading of each, not one that goes in circles if there is another."""
        results = self._generated(sounds, prompt)
        for sound, result in zip(sounds, results, strict=True):
            if self._is_repetitive(result):
                yield self._generated([sound], prompt, no_repeat_ngram_size=_NO_REPEATED_WORDS)[0]
            else:
                yield result

    def _generated(
        self, sounds: Sequence[Samples], prompt: list[int], *, no_repeat_ngram_size: int = 0
    ) -> list[WhisperGenerationResult]:
        results: list[WhisperGenerationResult] = self._model.generate(
            self._seen(sounds),
            [prompt] * len(sounds),
            beam_size=BEAMS,
            no_repeat_ngram_size=no_repeat_ngram_size,
            return_scores=True,
            return_no_speech_prob=True,
        )
        return results

    def _heard(self, result: WhisperGenerationResult, seconds: float) -> Heard:
        tokens = result.sequences_ids[0]
        # The score is a mean that leaves the end out.
        likelihood = result.scores[0] * len(tokens) / (len(tokens) + 1)
        if is_silence(result.no_speech_prob, likelihood):
            return Heard(utterances=())
        confidence = math.exp(min(likelihood, 0.0))
        return Heard(
            utterances=tuple(
                Utterance(text=text, start_seconds=start, end_seconds=end, confidence=confidence)
                for start, end, text in self._parts(tokens, seconds)
            )
        )

    def _parts(self, tokens: Sequence[int], seconds: float) -> Iterator[tuple[float, float, str]]:
        """Text between two marks of time; what has none ends with the stretch."""
        start, words = 0.0, list[int]()
        for token in tokens:
            if token < self._end:
                words.append(token)
            elif token >= self._first_moment:
                moment = min((token - self._first_moment) * _MOMENT_SECONDS, seconds)
                if words:
                    yield start, max(moment, start), self._text(words)
                start, words = max(moment, start), []
        if words:
            yield start, max(seconds, start), self._text(words)

    def _is_repetitive(self, result: WhisperGenerationResult) -> bool:
        text = self._text([each for each in result.sequences_ids[0] if each < self._end]).encode()
        return len(text) > _REPETITIVE * len(zlib.compress(text))

    def _text(self, tokens: Sequence[int]) -> str:
        return str(self._tokenizer.decode(tokens)).strip()

    def _seen(self, sounds: Sequence[Samples]) -> ctranslate2.StorageView:
        pictures = np.stack([log_mel(sound, self._model.n_mels) for sound in sounds])
        return ctranslate2.StorageView.from_array(np.ascontiguousarray(pictures))

    def _id(self, token: str) -> int:
        number = self._tokenizer.token_to_id(token)
        if number is None:
            raise ValueError(f"the tokenizer of the speech model lacks {token}")
        return int(number)
