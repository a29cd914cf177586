"""Settings of how documents are read, and of what is made of them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from footnote.domain.entities import EntityKind
from footnote.settings.kinds import (
    ChunkPolicyName,
    Clustered,
    DocumentClasses,
    DocumentLimits,
    EntityKinds,
    FactKinds,
    MadeBy,
    OcrChoice,
    PausedWork,
    RedactedKinds,
    json_of,
)
from footnote.settings.models import ModelName, SpeechName

OcrEngine = Literal["auto", "tesseract", "rapidocr", "off"]


class DocumentSettings(BaseModel):
    """Parsers, workers, redaction and knowledge."""

    # Reading documents

    document_limits: Annotated[str, json_of(DocumentLimits)] = Field(
        "{}",
        description="JSON object of what documents may take. bytes (209715200): the largest file "
        "that is accepted; the process that reads it holds it in memory. memory_bytes "
        "(4294967296): address space that a parser may take; large files may need more, small "
        "machines have less. pictures (20): most of one document that are described, each a call. "
        "attempts (5): tries of a stage whose failure can heal, and of a document whose worker "
        "died. queued (10000): documents of a workspace that may wait to be indexed, and a tenth "
        "of those of all together; more are refused for the moment, so that nobody fills the "
        "queue.",
    )
    parser_sandbox: Literal["auto", "required", "off"] = Field(
        "auto",
        description="Whether the processes that read files are kept from the network and from "
        "other files by the kernel: auto as far as it can, required refuses to start where it "
        "cannot. See sandbox.md.",
    )
    ocr: OcrChoice = Field(
        "auto",
        description="Engine that recognises text in scans and pictures: auto takes the first of "
        "tesseract and rapidocr that is installed, off saves its time. Behind a colon the "
        "languages of the scans as Tesseract codes joined by '+' (eng where they are not said), "
        "or auto for every installed one: tesseract:deu+fra.",
    )
    speech: SpeechName = Field(
        "auto",
        description="What writes recordings down: `auto` is the packaged English model on this "
        "machine where it is installed, `off` nothing, a folder a Whisper model in CTranslate2's "
        "form, which may know more languages; `openai:whisper-1`, or "
        "`whisper-1@http://127.0.0.1:8000/v1`, a service. See models-for-documents.md.",
    )
    vision_model: ModelName | None = Field(
        None,
        description="Model that describes pictures so that they can be found, spelled like "
        "language_model; unset means none.",
    )
    chunk_policy: ChunkPolicyName = Field(
        "balanced",
        description="How documents are divided into chunks: balanced aims at 200 tokens, "
        "balanced-400 at as many as it says, for more context and less exact hits; "
        "characters-900-120 and tokens-512-50 divide as another system did whose results are to "
        "be compared. See chunking.md.",
    )

    # Workers

    worker_concurrency: int = Field(
        6,
        ge=1,
        le=64,
        description="Documents a worker ingests at the same time; a third as many parsers read "
        "files, no more than cores.",
    )

    # Redaction

    redact: RedactedKinds = Field(
        "",
        description="Personal data that is replaced in what is sent to models outside this "
        "process, and put back into their replies: email, phone, iban, card, national_id and ip, "
        "joined by commas, or all. Empty sends texts as they are. See privacy.md.",
    )
    redact_embeddings: bool = Field(
        True,
        description="Whether that holds for texts sent to hosted embedders, too. What is redacted "
        "there is found by its words and no longer by its vector.",
    )
    redact_media: Literal["refuse", "send"] = Field(
        "refuse",
        description="What becomes of pictures and recordings for hosted models where redact is "
        "set, for nothing in them can be replaced: they are refused, or sent as they are.",
    )

    # Knowledge

    facts: MadeBy = Field(
        "off",
        description="Whether facts are extracted from documents in the background: by rules, from "
        "tables, lines of key and value, definitions and plain sentences; or by the language "
        "model, too, which reads five passages at a time and costs tokens: `footnote facts "
        "progress` says about how many, before it begins. See facts.md.",
    )
    fact_kinds: FactKinds = Field(
        "cell,property,definition,statement",
        description="Which kinds of facts are extracted, joined by commas.",
    )
    fact_classes: DocumentClasses = Field(
        "",
        description="Of which classes of documents facts are extracted, joined by commas; empty "
        "means all of them.",
    )

    clusters: Clustered = Field(
        "off",
        description="Whether documents that are alike are clustered in the background, at several "
        "granularities, and the clusters called something: documents, chunks (the passages, "
        "whatever documents they are in; of more than 20,000 a sample) or all of both. See "
        "clusters.md.",
    )
    entities: MadeBy = Field(
        "off",
        description="Whether persons, organisations, places, dates, amounts and identifiers that "
        "documents name are extracted and linked in the background: by rules and the reader, or by "
        "the language model, too, which reads five passages at a time and costs tokens: `footnote "
        "entities progress` says about how many, before it begins. See entities.md.",
    )
    entity_kinds: EntityKinds = Field(
        ",".join(EntityKind),
        description="Which kinds of entities are extracted, joined by commas.",
    )
    graph_recall: bool = Field(
        False,
        description="Whether searches also recall passages by the entities that a question names, "
        "as far as entities are extracted. See retrieval.md.",
    )
    paused_work: PausedWork = Field(
        "",
        description="Work in the background that is paused, joined by commas: entities, "
        "entities_by_model, facts, facts_by_model, clusters, chunk_clusters, summaries, "
        "summaries_by_model, keywords, suspicion. What was made stays. See backfill.md.",
    )

    summaries: MadeBy = Field(
        "off",
        description="Whether the sentences that say most of a document are found in the "
        "background, for summaries of documents, collections and clusters: by rules, or written by "
        "the language model, too, each with the sentences that it rests on, which costs tokens: "
        "`footnote summaries progress` says about how many, before it begins. See summaries.md.",
    )

    @property
    def limits(self) -> DocumentLimits:
        """What documents may take."""
        return DocumentLimits.model_validate_json(self.document_limits)

    @property
    def ocr_engine(self) -> OcrEngine:
        """What recognises text in scans."""
        engine: OcrEngine = self.ocr.partition(":")[0]  # type: ignore[assignment]  # its pattern
        return engine

    @property
    def ocr_languages(self) -> str:
        """The languages of scans, as Tesseract has them."""
        return self.ocr.partition(":")[2] or "eng"
