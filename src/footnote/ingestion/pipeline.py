"""Turn a file into published chunks: parse → chunk → enrich → embed → publish."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from footnote.domain import (
    Chunk,
    ChunkTerms,
    Enrichment,
    ParsedDocument,
    Publication,
    SourceType,
    Stage,
)
from footnote.domain.usage import UsageKind, UsageNote
from footnote.errors import DocumentUnreadable
from footnote.ingestion import media
from footnote.ingestion.chunking import ChunkPolicy, ChunkSequence, chunk_blocks
from footnote.ingestion.describing import describe
from footnote.ingestion.enrichment import (
    about_terms,
    about_text,
    classify,
    enrich,
    indexed_text,
    words_of,
)
from footnote.ingestion.failures import failure_of
from footnote.ingestion.injection_screening import DetectInjections, screen_for_injections
from footnote.ingestion.keywords import WordCounts, choose_keywords
from footnote.ingestion.listening import transcribe
from footnote.ingestion.naming import LONG_DOCUMENT
from footnote.ingestion.parsing.serialization import compress, decompress
from footnote.ingestion.provenance import with_provenance
from footnote.ingestion.receive import examine, file_over
from footnote.ingestion.stages import StageLimit, reporting, stage_running
from footnote.ingestion.turns import HeldShare, Shares
from footnote.language.dates import quarters_in
from footnote.language.scripts import without_data
from footnote.ports import (
    Analyzer,
    Describer,
    Embedder,
    Parser,
    Transcriber,
    VersionInWork,
    embed_and_screen,
)
from footnote.ports.metering import note_usage
from footnote.ports.telemetry import ENRICHMENT, model_call, timed

HASH_BYTES = 16  # 2**64 texts before two are expected to collide.
MAX_DEPTH = 8
"""Most levels of files inside files: a mail in an archive in a mail, and so on."""
EMBEDDING_BATCH = 64
MIN_BYTES = 64 * 1024
BYTES_OF_A_BYTE = 4
"""Bytes of memory reserved for a document: `MIN_BYTES`, and `BYTES_OF_A_BYTE` for each byte of
its file. They cover its bytes while it is read, then its text and the terms of its chunks."""
_BYTES_OF_A_BLOCK = 500
_SOURCE_OF_PARTS = {
    media.EMAIL: SourceType.EMAIL_ATTACHMENT,
    media.OUTLOOK: SourceType.EMAIL_ATTACHMENT,
    media.MBOX: SourceType.EMAIL,
}
"""Source type of the files inside a file of each type; inside others, they count as uploaded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingestion:
    """The stages of ingestion, configured once; each is idempotent."""

    parser: Parser
    embedder: Embedder
    analyzer: Analyzer
    policy: ChunkPolicy
    max_file_bytes: int
    transcriber: Transcriber | None = None
    """Transcribes recordings; without it they cannot be read."""
    describer: Describer | None = None
    """Describes the pictures that the parser hands out."""
    detect_injections: DetectInjections | None = None
    """Detects prompt injections in chunks; without it, chunks must be checked when they are
    read."""
    reader_checksum: Callable[[], Awaitable[str | None]] | None = None
    """Returns the checksum of the detector of prompt injections, by which texts that it already
    cleared are found again; None while it cannot be loaded."""
    screening: bool = False
    """Whether texts that the embedder clears of prompt injections are skipped; it is fitted to the
    packaged detector."""
    embedding_batch: int = EMBEDDING_BATCH
    """Texts embedded between two saves: the most that a crash can cost."""
    stage_seconds: float = 900.0
    """Seconds that a stage may take without progress before the document fails."""
    shares: Shares = field(default_factory=Shares)
    """Limits on memory, parsing, computing and embedding, shared between the workspaces."""

    async def __call__(self, work: VersionInWork) -> None:
        """Ingest a version, resuming after what an earlier attempt finished.

        Returns early when the version is replaced or deleted meanwhile. Raises DocumentUnreadable
        or DocumentInterrupted.
        """
        start_stage = partial(stage_running, filename=work.filename, seconds=self.stage_seconds)
        reserved_bytes = MIN_BYTES + BYTES_OF_A_BYTE * work.byte_size
        async with self.shares.memory.hold(work.workspace_id, reserved_bytes) as memory:
            if not await work.begin(Stage.PARSE):
                return
            async with start_stage(Stage.PARSE) as limit:
                parsed = await self._parse(work, memory, limit)
            if not await work.begin(Stage.CHUNK):
                return
            async with (
                start_stage(Stage.CHUNK) as limit,
                self.shares.computing.hold(work.workspace_id, waiting=limit.unlimited()),
            ):
                divided = await limit.compute(self._divide, parsed, work.filename)
            if not await work.begin(Stage.EMBED):
                return
            async with start_stage(Stage.EMBED) as limit:
                screening = await self._embed(work, divided.texts, limit)
            if screening is None or not await work.begin(Stage.PUBLISH):
                return
            async with start_stage(Stage.PUBLISH) as limit:
                await self._publish(work, parsed, divided, screening, limit)

    async def _publish(
        self,
        work: VersionInWork,
        parsed: ParsedDocument,
        divided: _Divided,
        screening: _KnownScreening,
        limit: StageLimit,
    ) -> None:
        """Index the chunks, detect prompt injections in them, and publish the version."""
        enrichment, chunks = divided.enrichment, divided.chunks
        async with self.shares.computing.hold(work.workspace_id, waiting=limit.unlimited()):
            terms = await limit.compute(self._index, work, enrichment, chunks)
            if self.detect_injections is not None:
                orders = await screen_for_injections(
                    self.detect_injections,
                    chunks,
                    enrichment,
                    hashes=divided.texts.hashes,
                    unread=screening.unread,
                    limit=limit,
                    report=partial(work.progress, Stage.PUBLISH),
                )
                if orders is None:
                    return
                chunks = chunks.changed(
                    lambda chunk: replace(chunk, suspicious=bool(orders[chunk.ordinal]))
                )
        limit.forward()
        reader = screening.reader
        if reader is not None:
            assert self.reader_checksum is not None
            # Loading the detector may have failed meanwhile.
            reader = await self.reader_checksum()
        about_document = self.analyzer.terms(about_terms(enrichment), enrichment.language)
        # Keywords are chosen by comparison with the term counts of the whole workspace.
        keywords, among = await choose_keywords(
            divided.words, self.analyzer.terms, work.term_counts
        )
        await work.publish(
            Publication(
                canonical_text=parsed.text,
                page_count=parsed.page_count,
                enrichment=replace(enrichment, keywords=keywords),
                keywords_among=among,
                metadata=with_provenance(parsed, work.filename),
                chunks=chunks,
                text_hashes=divided.texts.hashes,
                chunk_terms=terms,
                document_hash=text_hash(divided.texts.about),
                document_terms=work.document_term_ids(about_document),
                name_terms=self._index_names(work, enrichment, len(chunks)),
                read_for_orders_with=reader,
            )
        )
        note_usage(UsageNote(kind=UsageKind.INGESTION, model="local", units=len(chunks)))

    async def _parse(
        self, work: VersionInWork, memory: HeldShare, limit: StageLimit
    ) -> ParsedDocument:
        """Parse the file and receive those inside it, unless an earlier attempt did."""
        stored = await work.parsed() if work.was_parsed else None
        if (
            stored is not None
            and (parsed := await asyncio.to_thread(decompress, stored)) is not None
        ):
            memory.grow(_bytes_of(parsed))
            return parsed
        with await work.content() as content, limit.unlimited():
            async with reporting(work, Stage.PARSE) as on_progress:
                if self.transcriber is not None and media.is_recording(work.media_type):
                    parsed = await transcribe(
                        self.transcriber,
                        content,
                        work.filename,
                        work.media_type,
                        workspace_id=work.workspace_id,
                        on_progress=on_progress,
                    )
                else:
                    async with self.shares.parsing.hold(work.workspace_id):
                        parsed = await self.parser(content, work.filename, on_progress)
                    # Note the pages that were read from pixels.
                    pages = {block.page for block in parsed.blocks if block.confidence is not None}
                    if pages:
                        note_usage(UsageNote(kind=UsageKind.OCR, model="local", units=len(pages)))
                    if self.describer is not None:
                        parsed = await describe(self.describer, parsed)
        memory.grow(_bytes_of(parsed))
        if parsed.attachments:
            await self._attach(work, parsed, limit)
        await work.detach_beyond(len(parsed.attachments))
        parsed = replace(parsed, attachments=(), pictures=())
        await work.keep_parsed(await asyncio.to_thread(compress, parsed))
        memory.grow(_bytes_of(parsed))
        return parsed

    async def _attach(self, work: VersionInWork, parsed: ParsedDocument, limit: StageLimit) -> None:
        too_deep = await work.depth() >= MAX_DEPTH
        for position, attachment in enumerate(parsed.attachments):
            name, content = attachment.filename, file_over(attachment.content)
            examined = await asyncio.to_thread(examine, content, name, self.max_file_bytes)
            refusal = examined.refusal
            if too_deep:
                refusal = DocumentUnreadable(
                    stage=Stage.RECEIVE,
                    cause=f"“{name}” lies inside {MAX_DEPTH + 1} files, one in another",
                    advice="take it out and send it by itself",
                )
            await work.attach(
                position,
                name,
                content,
                byte_size=examined.byte_size,
                content_sha256=examined.content_sha256,
                media_type=examined.media_type or media.UNKNOWN,
                source_type=_SOURCE_OF_PARTS.get(parsed.media_type, SourceType.UPLOAD),
                failure=None if refusal is None else failure_of(refusal),
            )
            limit.forward()

    def _divide(self, parsed: ParsedDocument, filename: str) -> _Divided:
        """Divide a document into chunks and enrich it. Raises DocumentUnreadable without text."""
        words = words_of(parsed)
        with timed(ENRICHMENT):
            policy = self.policy.for_class(classify(parsed, filename))
            chunks = chunk_blocks(parsed, self.embedder, policy)
            enrichment, chunks = enrich(parsed, chunks, filename, words=words)
        if not chunks:
            raise DocumentUnreadable(
                stage=Stage.CHUNK,
                cause=f"“{filename}” holds no text",
                advice="if it is a picture or a scan, check that text recognition is installed: "
                "footnote doctor",
            )
        about = about_text(enrichment)
        hashes: list[bytes] = []
        lengths = {text_hash(about): len(about)}
        first_ordinals: dict[bytes, int] = {}
        for chunk in chunks:
            text = without_data(chunk.embedded_text)
            key = text_hash(text)
            hashes.append(key)
            if first_ordinals.setdefault(key, chunk.ordinal) == chunk.ordinal:
                lengths[key] = len(text)
        texts = _Texts(chunks, about, tuple(hashes), lengths, first_ordinals)
        return _Divided(words=words, enrichment=enrichment, chunks=chunks, texts=texts)

    async def _embed(
        self, work: VersionInWork, texts: _Texts, limit: StageLimit
    ) -> _KnownScreening | None:
        """Embed and store the missing texts; None if the version was replaced or deleted
        meanwhile."""
        lane = self.embedder.lane
        reader = None if self.reader_checksum is None else await self.reader_checksum()
        stored = await work.known_texts(list(texts.lengths), reader)
        # Batches of like length waste the least padding.
        keys = sorted(stored.missing, key=lambda key: (texts.lengths[key], key))
        unread = dict.fromkeys(stored.clear, 0)
        for start in range(0, len(keys), self.embedding_batch):
            batch = keys[start : start + self.embedding_batch]
            async with self.shares.embedding.hold(
                work.workspace_id, len(batch), waiting=limit.unlimited()
            ):
                with model_call("embeddings", f"{lane.provider}:{lane.model}"):
                    embedded = await embed_and_screen(self.embedder, [texts[key] for key in batch])
            if self.screening:
                unread |= {
                    key: texts.lengths[key] - clear
                    for key, clear in zip(batch, embedded.cleared_characters, strict=True)
                    if clear
                }
            progress = start + len(batch), len(keys)
            if not await work.keep_vectors(batch, embedded.vectors, progress):
                return None
        return _KnownScreening(reader=reader, unread=unread)

    def _index(
        self, work: VersionInWork, enrichment: Enrichment, chunks: Sequence[Chunk]
    ) -> ChunkTerms:
        return ChunkTerms.of(
            work.term_ids(self.analyzer.terms(indexed_text(chunk, enrichment), enrichment.language))
            for chunk in chunks
        )

    def _index_names(
        self, work: VersionInWork, enrichment: Enrichment, chunks: int
    ) -> tuple[int, ...]:
        if chunks < LONG_DOCUMENT:
            return ()
        name_text = "\n".join((enrichment.title, *enrichment.names, *enrichment.cover))
        terms = self.analyzer.terms(name_text, enrichment.language)
        return work.name_term_ids([*terms, *quarters_in(name_text)])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Divided:
    """A document divided into chunks, with its enrichment and the texts to embed."""

    words: WordCounts
    enrichment: Enrichment
    chunks: ChunkSequence
    texts: _Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class _KnownScreening:
    """What is known about prompt injections before the detector reads the chunks."""

    reader: str | None
    """The checksum of the detector that will read them; None where there is none."""
    unread: Mapping[bytes, int]
    """By text hash, the number of characters at its end not cleared of prompt injections; a text
    that is missing here is not cleared at all."""


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts embedded for a document: one for each chunk, and one about the document."""

    chunks: Sequence[Chunk]
    about: str
    hashes: tuple[bytes, ...]
    """The text hash of each chunk."""
    lengths: Mapping[bytes, int]
    """Characters of each distinct text, by its hash."""
    first_ordinals: Mapping[bytes, int]
    """By text hash, the ordinal of the first chunk with the text; the text about the document is in
    none."""

    def __getitem__(self, text_hash: bytes) -> str:
        ordinal = self.first_ordinals.get(text_hash)
        return self.about if ordinal is None else without_data(self.chunks[ordinal].embedded_text)


def text_hash(text: str) -> bytes:
    """Return the 16-byte hash by which a text's vector is stored and found."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=HASH_BYTES).digest()


def _bytes_of(parsed: ParsedDocument) -> int:
    """Estimate the memory of a parsed document in bytes; its text counts three times."""
    largest = max((len(attachment.content) for attachment in parsed.attachments), default=0)
    inside = largest + sum(len(picture.content) for picture in parsed.pictures)
    return 3 * sys.getsizeof(parsed.text) + _BYTES_OF_A_BLOCK * len(parsed.blocks) + inside
