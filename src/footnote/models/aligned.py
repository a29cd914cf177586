"""The packaged lane for all languages: English by MiniLM, every other language by e5, in one space.

MiniLM is the better of the two in English and half the work; e5 knows a hundred languages. Vectors
by e5 are turned by a rotation onto MiniLM's (after Xing et al., NAACL 2015): what they say of each
other stays as it is, and an English question finds what it is near to. A question in another
language finds English passages by a second, learned map that is added to the first. Both come from
`training/embedder_alignment.py`. The language of a passage is told from its text, that of a
question from its vector by e5, which is surer of few words. From a question's vector what any
question in its language has is taken away (`training/query_languages.py`; after Libovický et al.,
EMNLP Findings 2020), so that among passages of several languages it is not near to whatever is in
its own.
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
"""Weight of the second map of a question: more finds more in English and less in its language."""
NEARNESS = 10.0
"""How much the nearest languages count before others: more finds more in other languages among
passages of several, and less in its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """The maps from e5's space to MiniLM's, and what tells an English question from others."""

    rotation: npt.NDArray[np.float32]
    """Shape (384, 384), for vectors as rows."""
    query_weight: npt.NDArray[np.float32]
    """From a question to the vectors MiniLM gives to what is near it, of the same shape."""
    query_bias: npt.NDArray[np.float32]
    english_weight: npt.NDArray[np.float32]
    english_bias: float

    def passages(self, vectors: Vectors) -> Vectors:
        """e5's vectors of passages in MiniLM's space, at unit length."""
        return _unit(vectors @ self.rotation)

    def query(self, vector: Vector) -> Vector:
        """e5's vector of a question in MiniLM's space, at unit length."""
        toward_english = _unit(vector @ self.query_weight + self.query_bias)
        return _unit(vector @ self.rotation + TOWARD_ENGLISH * toward_english)

    def is_english(self, vector: Vector) -> bool:
        """Whether e5's vector is that of an English question."""
        return float(vector @ self.english_weight) + self.english_bias > 0


@dataclass(frozen=True, slots=True)
class Languages:
    """Where the questions of each language lie in MiniLM's space."""

    centres: npt.NDArray[np.float32]
    """Shape (languages, 384): the mean vector of questions about anything."""

    def out_of(self, vector: Vector) -> Vector:
        """A question's vector without what it shares with any question in its language.

        Languages that are alike share it: each counts by how near its centre is.
        """
        near = np.exp(NEARNESS * (_unit(self.centres) @ vector))
        return _unit(vector - near @ self.centres / near.sum())


def load_aligned(
    models_folder: Path,
    precision: Precision,
    threads: int,
    batch_tokens: int,
    *,
    at_first_use: bool = False,
) -> AlignedEncoder:
    """Both packaged models, ready to embed, or each to load once it does. Blocks: call it in a
    thread.

    Raises LaneUnavailable when the weights of either are not installed.
    """
    content = files("footnote.models").joinpath(ALIGNMENT_FILE).read_bytes()
    with ThreadPoolExecutor(1, thread_name_prefix="load-minilm") as beside:
        choices = (models_folder, precision, threads, batch_tokens)
        loading = beside.submit(load_minilm, *choices, at_first_use=at_first_use)
        try:
            others = load_e5(*choices, at_first_use=at_first_use)
        except BaseException:
            if loading.exception() is None:
                loading.result().close()
            raise
    try:
        english = loading.result()
    except BaseException:
        others.close()
        raise
    parts = (english.lane.revision, others.lane.revision, hashlib.sha256(content).hexdigest())
    digest = hashlib.sha256(" ".join(parts).encode()).hexdigest()
    lane = Lane(
        name="document",
        provider="packaged",
        model=MODEL,
        dimensions=english.lane.dimensions,
        revision=f"{digest[:12]}-{precision}",
    )
    return AlignedEncoder(lane, english, others, read_alignment(content), read_languages())


class AlignedEncoder:
    """An Embedder that gives each text to the model for its language."""

    def __init__(
        self,
        lane: Lane,
        english: SentenceEncoder,
        others: SentenceEncoder,
        alignment: Alignment,
        languages: Languages,
    ) -> None:
        self._lane = lane
        self._english = english
        self._others = others
        self._alignment = alignment
        self._languages = languages
        self._queries = 0
        """That are being embedded."""

    @property
    def lane(self) -> Lane:
        """The `document` lane; its revision names both models and what joins them."""
        return self._lane

    @property
    def english(self) -> SentenceEncoder:
        """MiniLM alone, to which the numbers are fitted that compare statements in answers."""
        return self._english

    @property
    def multilingual(self) -> SentenceEncoder:
        """e5 alone, for what is told from a question's vector in whatever language."""
        return self._others

    @property
    def max_tokens(self) -> int:
        """Tokens that MiniLM reads; e5 reads more of a text than that."""
        return self._english.max_tokens

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """MiniLM's tokens, of which other languages need more than e5 does."""
        return self._english.count_tokens(texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages, each by the model for its language. Raises LaneUnavailable."""
        return (await self.embed_and_screen(texts)).vectors

    async def embed_and_screen(self, texts: Sequence[str]) -> Screened:
        """Like `embed_documents`, with what the model of each text tells of it."""
        native = await asyncio.to_thread(lambda: [is_english(text) for text in texts])
        english = [place for place, yes in enumerate(native) if yes]
        others = [place for place, yes in enumerate(native) if not yes]
        vectors = np.empty((len(texts), self._lane.dimensions), dtype=np.float32)
        clear = np.zeros(len(texts), dtype=np.int64)
        if english:
            made = await self._english.run_and_screen([texts[n] for n in english])
            vectors[english], clear[english] = made.vectors, made.cleared_characters
        if others:
            made = await self._others.run_and_screen([texts[n] for n in others])
            vectors[others] = self._alignment.passages(made.vectors)
            clear[others] = made.cleared_characters
        return Screened(vectors=vectors, cleared_characters=clear.tolist())

    async def embed_query(self, text: str) -> Vector:
        """The vector of a question, by the model for its language. Raises LaneUnavailable."""
        return (await self.embed_question(text)).vector

    async def embed_question(self, text: str) -> EmbeddedQuestion:
        """Like `embed_query`, with what e5's vector tells of the question.

        A lone question that looks English is read by both models at once; where many ask, no
        core is spent on what may be needless.
        """
        ahead: asyncio.Future[Vector] | None = None
        if not self._queries and mostly_ascii(text):
            ahead = self._english.begin_query(text)
        self._queries += 1
        try:
            found = await self._others.embed_question(text)
            across = None
            if self._alignment.is_english(found.vector):
                vector = await (ahead or self._english.begin_query(text))
                self._english.note_query(text)
                # Passages in other languages have e5's vectors, and e5's of the question is nearer.
                across = self._languages.out_of(self._alignment.passages(found.vector[None])[0])
            else:
                vector = self._alignment.query(found.vector)
            return replace(
                found, vector=self._languages.out_of(vector), cross_lingual_vector=across
            )
        finally:
            self._queries -= 1
            if ahead is not None and not ahead.cancel() and not ahead.cancelled():
                ahead.exception()  # It is seen; whoever waits for it has it raised.

    def close(self) -> None:
        """Let both models end once their current run is done."""
        self._english.close()
        self._others.close()


def read_alignment(content: bytes) -> Alignment:
    """The alignment as its file has it, in half precision."""
    tensors = {name: value.astype(np.float32) for name, value in load(content).items()}
    return Alignment(
        rotation=tensors["rotation"],
        query_weight=tensors["query_weight"],
        query_bias=tensors["query_bias"],
        english_weight=tensors["english_weight"],
        english_bias=float(tensors["english_bias"][0]),
    )


def read_languages() -> Languages:
    """The packaged centres."""
    content = files("footnote.models").joinpath(LANGUAGES_FILE).read_bytes()
    return Languages(load(content)["centres"])


def _unit(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: npt.NDArray[np.float32] = (vectors / lengths).astype(np.float32)
    return unit
