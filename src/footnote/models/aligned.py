"""The packaged lane for all languages: MiniLM for English, e5 for all others, in one vector space.

MiniLM is better in English and takes half the computation; e5 supports a hundred languages. e5's
vectors are mapped to MiniLM's space by a rotation (after Xing et al., NAACL 2015): it preserves the
distances between them, and an English question finds the passages near it. For a question in
another language a second, learned map is added to the first, by which it finds English passages.
Both come from `training/embedder_alignment.py`. The language of a passage is detected from its
text, that of a question from its e5 vector, which is more reliable for few words. From a question's
vector the mean of questions in its language is subtracted (`training/query_languages.py`; after
Libovický et al., EMNLP Findings 2020), so that passages in its own language are not favoured.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load

from footnote.domain import Lane
from footnote.language.detection import is_english, mostly_ascii
from footnote.models.e5 import load_e5
from footnote.models.encoder_shape import Precision
from footnote.models.minilm import load_minilm
from footnote.models.sentence_encoder import SentenceEncoder
from footnote.ports import EmbeddedQuestion, Screened, Vector, Vectors

MODEL = "minilm-e5-aligned"
ALIGNMENT_FILE = "e5_alignment.safetensors"
LANGUAGES_FILE = "query_languages.safetensors"
TOWARD_ENGLISH = 0.5
"""Weight of a question's second map: a higher one finds more in English, less in its language."""
NEARNESS = 10.0
"""Inverse temperature of the softmax over languages: a higher one finds more in other languages
among passages in several, and less in the question's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """The maps from e5's space to MiniLM's, and a classifier of English questions."""

    rotation: npt.NDArray[np.float32]
    """Shape (384, 384), for vectors as rows."""
    query_weight: npt.NDArray[np.float32]
    """Map from a question to MiniLM's vectors of passages near it, of the same shape."""
    query_bias: npt.NDArray[np.float32]
    english_weight: npt.NDArray[np.float32]
    english_bias: float

    def passages(self, vectors: Vectors) -> Vectors:
        """Map e5's vectors of passages to MiniLM's space, at unit length."""
        return _unit(vectors @ self.rotation)

    def query(self, vector: Vector) -> Vector:
        """Map e5's vector of a question to MiniLM's space, at unit length."""
        toward_english = _unit(vector @ self.query_weight + self.query_bias)
        return _unit(vector @ self.rotation + TOWARD_ENGLISH * toward_english)

    def is_english(self, vector: Vector) -> bool:
        """Return whether e5's vector is that of an English question."""
        return float(vector @ self.english_weight) + self.english_bias > 0


@dataclass(frozen=True, slots=True)
class Languages:
    """The centre of the questions of each language in MiniLM's space."""

    centres: npt.NDArray[np.float32]
    """Shape (languages, 384): the mean vector of questions about anything."""

    def out_of(self, vector: Vector) -> Vector:
        """Subtract from a question's vector the mean vector of questions in its language.

        This is a mean of all centres, weighted by their cosine to the vector (softmax), so that
        similar languages contribute.
        """
        weights = np.exp(NEARNESS * (_unit(self.centres) @ vector))
        return _unit(vector - weights @ self.centres / weights.sum())


def load_aligned(
    models_folder: Path,
    precision: Precision,
    threads: int,
    batch_tokens: int,
    *,
    at_first_use: bool = False,
) -> AlignedEncoder:
    """Load both packaged models, or have each load at its first use. Blocks: call it in a thread.

    Raises LaneUnavailable when the weights of either are not installed.
    """
    content = files("footnote.models").joinpath(ALIGNMENT_FILE).read_bytes()
    with ThreadPoolExecutor(1, thread_name_prefix="load-minilm") as executor:
        choices = (models_folder, precision, threads, batch_tokens)
        loading = executor.submit(load_minilm, *choices, at_first_use=at_first_use)
        try:
            multilingual = load_e5(*choices, at_first_use=at_first_use)
        except BaseException:
            if loading.exception() is None:
                loading.result().close()
            raise
    try:
        english = loading.result()
    except BaseException:
        multilingual.close()
        raise
    parts = (english.lane.revision, multilingual.lane.revision, hashlib.sha256(content).hexdigest())
    digest = hashlib.sha256(" ".join(parts).encode()).hexdigest()
    lane = Lane(
        name="document",
        provider="packaged",
        model=MODEL,
        dimensions=english.lane.dimensions,
        revision=f"{digest[:12]}-{precision}",
    )
    return AlignedEncoder(lane, english, multilingual, read_alignment(content), read_languages())


class AlignedEncoder:
    """An Embedder that gives each text to the model for its language."""

    def __init__(
        self,
        lane: Lane,
        english: SentenceEncoder,
        multilingual: SentenceEncoder,
        alignment: Alignment,
        languages: Languages,
    ) -> None:
        self._lane = lane
        self._english = english
        self._multilingual = multilingual
        self._alignment = alignment
        self._languages = languages
        self._queries = 0
        """Number of queries being embedded."""

    @property
    def lane(self) -> Lane:
        """The `document` lane; its revision covers both models and the alignment."""
        return self._lane

    @property
    def english(self) -> SentenceEncoder:
        """MiniLM alone: the thresholds for comparing statements in answers are fitted to it."""
        return self._english

    @property
    def multilingual(self) -> SentenceEncoder:
        """e5 alone, for classifiers over a question's vector in any language."""
        return self._multilingual

    @property
    def max_tokens(self) -> int:
        """Most tokens of a text that MiniLM reads; e5 reads more."""
        return self._english.max_tokens

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count MiniLM's tokens; texts in other languages have more of them than of e5's."""
        return self._english.count_tokens(texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed passages, each with the model for its language. Raises LaneUnavailable."""
        return (await self.embed_and_screen(texts)).vectors

    async def embed_and_screen(self, texts: Sequence[str]) -> Screened:
        """As `embed_documents`, with the result of each model's injection screen."""
        native = await asyncio.to_thread(lambda: [is_english(text) for text in texts])
        english = [position for position, is_native in enumerate(native) if is_native]
        foreign = [position for position, is_native in enumerate(native) if not is_native]
        vectors = np.empty((len(texts), self._lane.dimensions), dtype=np.float32)
        clear = np.zeros(len(texts), dtype=np.int64)
        if english:
            screened = await self._english.run_and_screen([texts[n] for n in english])
            vectors[english], clear[english] = screened.vectors, screened.cleared_characters
        if foreign:
            screened = await self._multilingual.run_and_screen([texts[n] for n in foreign])
            vectors[foreign] = self._alignment.passages(screened.vectors)
            clear[foreign] = screened.cleared_characters
        return Screened(vectors=vectors, cleared_characters=clear.tolist())

    async def embed_query(self, text: str) -> Vector:
        """Embed a question with the model for its language. Raises LaneUnavailable."""
        return (await self.embed_question(text)).vector

    async def embed_question(self, text: str) -> EmbeddedQuestion:
        """As `embed_query`, with e5's classification of the question.

        When no other query is being embedded, a question that looks English is run by both models
        at once; under load MiniLM runs only after e5 has found the question to be English.
        """
        early: asyncio.Future[Vector] | None = None
        if not self._queries and mostly_ascii(text):
            early = self._english.begin_query(text)
        self._queries += 1
        try:
            embedded = await self._multilingual.embed_question(text)
            across = None
            if self._alignment.is_english(embedded.vector):
                vector = await (early or self._english.begin_query(text))
                self._english.note_query(text)
                # Passages in other languages have e5 vectors, to which the question's e5 vector is
                # nearer.
                across = self._languages.out_of(self._alignment.passages(embedded.vector[None])[0])
            else:
                vector = self._alignment.query(embedded.vector)
            return replace(
                embedded, vector=self._languages.out_of(vector), cross_lingual_vector=across
            )
        finally:
            self._queries -= 1
            if early is not None and not early.cancel() and not early.cancelled():
                early.exception()  # Marks it as retrieved; awaiting it raises it.

    def close(self) -> None:
        """Shut down both models after their current runs."""
        self._english.close()
        self._multilingual.close()


def read_alignment(content: bytes) -> Alignment:
    """Read the alignment from the content of its file, which is in half precision."""
    tensors = {name: value.astype(np.float32) for name, value in load(content).items()}
    return Alignment(
        rotation=tensors["rotation"],
        query_weight=tensors["query_weight"],
        query_bias=tensors["query_bias"],
        english_weight=tensors["english_weight"],
        english_bias=float(tensors["english_bias"][0]),
    )


def read_languages() -> Languages:
    """Read the packaged language centres."""
    content = files("footnote.models").joinpath(LANGUAGES_FILE).read_bytes()
    return Languages(load(content)["centres"])


def _unit(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: npt.NDArray[np.float32] = (vectors / lengths).astype(np.float32)
    return unit
