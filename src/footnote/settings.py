"""Every setting of Footnote: typed, documented, with its environment variable and default.

The comments before groups of them are the headings of docs/settings.md.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    Field,
    SecretStr,
    TypeAdapter,
    ValidationError,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from footnote.domain import DiversityName, DocumentClass, FusionName
from footnote.domain.backfill import BackgroundWork
from footnote.domain.configuration import SettingValue
from footnote.domain.entities import EntityKind
from footnote.domain.facts import FactKind
from footnote.domain.redaction import PersonalData
from footnote.errors import InvalidRequest, UnsupportedSettings
from footnote.removed_settings import REMOVED
from footnote.validation.messages import shown, wrong_places, wrong_value

BLEND_WEIGHTS = ("FUSION_WEIGHT_VECTOR", "FUSION_WEIGHT_BM25")
"""Variables of another product, of which the first's share is blend_alpha."""
NAMESPACE = r"^([a-z][a-z0-9-]{0,30})?$"
"""Of an identity provider; it stands before a colon."""


def _default_home() -> Path:
    import platformdirs  # noqa: PLC0415  # unused where home is set

    return Path(platformdirs.user_data_dir("footnote"))


def _default_alpha() -> float | str:
    """The share that another product's variables give the dense recall, else 0.7."""
    given = [os.environ.get(name, "") for name in BLEND_WEIGHTS]
    try:
        dense, lexical = (float(each or 0) for each in given)
    except ValueError:
        return next(each for each in given if each)  # which is refused as a value of the setting
    return dense / total if (total := dense + lexical) else 0.7


def _also(name: str, *variables: str) -> AliasChoices:
    """The variable of a setting, and names under which other products know it."""
    return AliasChoices(f"FOOTNOTE_{name.upper()}", *variables)


def _checked_url(url: str) -> str:
    """The URL, if libpq understands it; what it says of another may quote the password."""
    from psycopg import Error, conninfo  # noqa: PLC0415  # slow, and unused without a URL

    try:
        parts = conninfo.conninfo_to_dict(url)
    except (Error, ValueError):
        raise ValueError(_NO_URL) from None
    # A password that should have been percent-encoded ends up in these two.
    hosts, ports = (str(parts.get(part) or "").split(",") for part in ("host", "port"))
    if any("@" in host and host[0] not in "/@" for host in hosts):
        raise ValueError(_NO_URL)
    if not all(port.isdecimal() or not port for port in ports):
        raise ValueError(_NO_URL)
    return url


_NO_URL = (
    "it is not like postgresql://user:password@host:5432/database, or its password holds "
    "characters that must be percent-encoded"
)

DatabaseUrl = Annotated[str, AfterValidator(_checked_url)]


def _checked_urls(urls: str) -> str:
    """Several of them, with single spaces between them."""
    several = urls.split()
    if any(each.count("://") > 1 for each in several):
        raise ValueError("between several addresses there are spaces, and nothing else")
    try:
        return " ".join(map(_checked_url, several))
    except ValueError as error:
        raise ValueError(f"{error}; between several addresses there are spaces") from None


DatabaseUrls = Annotated[str, AfterValidator(_checked_urls)]


IDENTITY_WAYS = ("keys", "tokens", "gateway", "login", "scim")
"""How callers may prove who they are."""


def _checked_ways(text: str) -> str:
    unknown = [each for each in listed(text) if each not in IDENTITY_WAYS]
    if unknown:
        raise ValueError(f"there is no {unknown[0]!r}; name some of {', '.join(IDENTITY_WAYS)}")
    return text


def listed(text: str) -> tuple[str, ...]:
    """The members of a setting that joins them by commas."""
    return tuple(each.strip() for each in text.split(",") if each.strip())


def _checked_kinds(text: str) -> str:
    """Kinds of personal data, each once and in one order. Raises ValueError."""
    wanted = {each.lower() for each in listed(text)}
    known = [kind.value for kind in PersonalData]
    if wanted == {"all"}:
        return ",".join(known)
    unknown = sorted(wanted.difference(known))
    if unknown:
        raise ValueError(f"{', '.join(unknown)} is none of {', '.join(known)}, or all alone")
    return ",".join(kind for kind in known if kind in wanted)


def _checked_fact_kinds(text: str) -> str:
    """Kinds of facts, each once and in one order. Raises ValueError."""
    return _some_of(text, [kind.value for kind in FactKind], "facts")


def _checked_entity_kinds(text: str) -> str:
    """Kinds of entities, each once and in one order. Raises ValueError."""
    return _some_of(text, [kind.value for kind in EntityKind], "entities")


def _checked_classes(text: str) -> str:
    """Classes of documents, each once and in one order. Raises ValueError."""
    return _members(text, [each.value for each in DocumentClass])


def _some_of(text: str, known: Sequence[str], switch: str) -> str:
    """At least one of them; the setting `switch` is for none."""
    if not listed(text):
        raise ValueError(
            f"it names no kind; name some of {', '.join(known)}, or set {switch} to false to "
            f"extract no {switch}"
        )
    return _members(text, known)


def _members(text: str, known: Sequence[str]) -> str:
    wanted = {each.lower() for each in listed(text)}
    unknown = sorted(wanted.difference(known))
    if unknown:
        raise ValueError(f"{', '.join(unknown)} is none of {', '.join(known)}")
    return ",".join(each for each in known if each in wanted)


def _checked_policy(text: str) -> str:
    tokens = text.removeprefix("balanced-")
    if text not in ("balanced", "characters-900-120", "tokens-512-50") and not (
        text != tokens and tokens.isdecimal() and 32 <= int(tokens) <= 4000
    ):
        raise ValueError(
            "say balanced, balanced-32 to balanced-4000, characters-900-120 or tokens-512-50"
        )
    return text


ChunkPolicyName = Annotated[str, AfterValidator(_checked_policy)]
RedactedKinds = Annotated[str, AfterValidator(_checked_kinds)]


def _checked_work(text: str) -> str:
    """Kinds of background work, each once and in one order. Raises ValueError."""
    return _members(text, [kind.value for kind in BackgroundWork])


PausedWork = Annotated[str, AfterValidator(_checked_work)]
FactKinds = Annotated[str, AfterValidator(_checked_fact_kinds)]
EntityKinds = Annotated[str, AfterValidator(_checked_entity_kinds)]
DocumentClasses = Annotated[str, AfterValidator(_checked_classes)]
IdentityWays = Annotated[str, AfterValidator(_checked_ways)]


class EmbeddingOptions(BaseModel, extra="forbid", frozen=True):
    """What fastembed and hosted embedders were trained with, where nobody knows it of them."""

    max_tokens: Annotated[int, Field(ge=16)] | None = None
    query_prompt: str = ""
    document_prompt: str = ""


class TokenClaims(BaseModel, extra="forbid", frozen=True):
    """Which claims of a token say who somebody is, with dots where they lead into objects."""

    principal: str = "sub"
    groups: str = "groups"
    role: str | None = "role"
    workspace: str | None = None


def _json_of(record: type[BaseModel]) -> AfterValidator:
    """Text that holds such a record as a JSON object."""

    def checked(text: str) -> str:
        try:
            record.model_validate_json(text)
        except ValidationError as error:
            wrong = error.errors(include_url=False)[0]
            members = ", ".join(record.model_fields)
            inside = ".".join(map(str, wrong["loc"]))
            raise ValueError(
                f"it must be a JSON object with some of {members}"
                + (f"; {inside}: {wrong_value(wrong, with_value=False)}" if inside else "")
            ) from None
        return text

    return AfterValidator(checked)


class Settings(BaseSettings):
    """Read from the environment (`FOOTNOTE_…`) when created; explicit arguments win."""

    model_config = SettingsConfigDict(
        env_prefix="FOOTNOTE_",
        env_ignore_empty=True,
        frozen=True,
        extra="forbid",
        populate_by_name=True,
        hide_input_in_errors=True,
    )

    # Where data is kept

    home: Path = Field(
        default_factory=_default_home,
        description="Folder of the embedded database, the received files and the models that are "
        "built; set it to a disk with room.",
    )
    database_url: DatabaseUrl | None = Field(
        None,
        repr=False,
        description="Address of a Postgres with pgvector, with the application's login; unset "
        "means an embedded one in home. Several machines need it.",
    )
    direct_database_url: DatabaseUrl | None = Field(
        None,
        repr=False,
        description="The same database past the connection pooler (PgBouncer) that database_url "
        "goes through: connections of the queue, and those that hear of events, are one process's. "
        "Unset takes database_url.",
    )
    owner_database_url: DatabaseUrl | None = Field(
        None,
        repr=False,
        description="The same with the login that owns the tables, past a pooler too, for "
        "migrations and index builds, so that the application's login need not; unset takes "
        "direct_database_url.",
    )
    replica_database_urls: DatabaseUrls = Field(
        "",
        repr=False,
        description="Addresses of streaming replicas, with spaces between them, that searches, "
        "answers and lists of documents are read from while they are near enough to the primary.",
    )
    replica_max_lag_seconds: float = Field(
        10.0,
        ge=0.5,
        description="How old what a replica lacks may be; beyond, the primary is read.",
    )
    pool_size: int = Field(
        8,
        ge=1,
        le=200,
        description="Connections a process keeps to Postgres; more let more requests work at "
        "once, within what Postgres allows.",
    )
    blob_url: str | None = Field(
        None,
        description="Object store of the received files, s3://bucket/prefix, gs://… or az://…; "
        "unset means the folder blobs in home, which several machines would have to share.",
    )
    blob_options: SecretStr | None = Field(
        None,
        description="JSON object of what the object store wants to know, such as endpoint, "
        "access_key_id, secret_access_key and region.",
    )

    # Keys

    encryption: Literal["off", "on"] = Field(
        "off",
        description="Whether the content of new workspaces is encrypted: texts, titles, messages, "
        "files and vectors. On, workspaces that were made without are refused; off, those that "
        "were made with go on as they are.",
    )
    master_key: SecretStr | None = Field(
        None,
        description="What wraps the keys of workspaces: the path of a file, base64:…, "
        "vault://host:8200/transit/KEY, aws-kms://alias/KEY?region=… or gcp-kms://projects/…; "
        "unset means the file master.key in home, made when it is first needed. Several machines "
        "need the same one.",
    )
    previous_master_key: SecretStr | None = Field(
        None,
        description="The master key of before, spelled alike: it still unwraps what the new one "
        "has not wrapped yet.",
    )
    vault_token: SecretStr | None = Field(
        None, description="Token for the transit engine of a master key in Vault or OpenBao."
    )

    # Backups

    backup_url: str | None = Field(
        None,
        description="Where `footnote backup` keeps backups: a folder, s3://bucket/prefix, gs://… "
        "or az://…; best on another machine, and not the place of the received files.",
    )
    backup_options: SecretStr | None = Field(
        None,
        description="JSON object of what the object store of the backups wants to know, as in "
        "FOOTNOTE_BLOB_OPTIONS.",
    )
    backup_key: SecretStr | None = Field(
        None,
        description="What backups are encrypted under: the path of a file with 32 bytes in Base64, "
        "or base64:…; without it no backup is made, and without it none can be read.",
    )
    backup_database_url: DatabaseUrl | None = Field(
        None,
        repr=False,
        description="Address of the external Postgres with a login that may make base backups "
        "(REPLICATION) or read all rows (BYPASSRLS); unset takes owner_database_url. See "
        "backup.md.",
    )

    # Sources

    allow_private_urls: bool = Field(
        False,
        description="Whether addresses of this machine and of private networks may be fetched "
        "from and sent events; off keeps users out of your network.",
    )
    fetch_timeout_seconds: float = Field(
        30.0,
        gt=0,
        description="Longest that fetching an address, or an answer of a mailbox, may take; a "
        "slow line with large files needs more.",
    )
    source_options: SecretStr | None = Field(
        None,
        description="JSON object of what the object stores that are ingested from want to know, "
        "as in FOOTNOTE_BLOB_OPTIONS.",
    )
    imap_password: SecretStr | None = Field(
        None, description="Password of the mailboxes that are ingested from."
    )
    source_places: str = Field(
        "",
        description="Places, with commas between them, below which administrators of workspaces "
        "may name sources over the network, such as folder:/srv/documents/{workspace}, "
        "s3://bucket/{workspace}, imaps://mail.example.org or https://wiki.example.org/public; "
        "without any, only commands on this machine can.",
    )
    webhook_secret: SecretStr | None = Field(
        None,
        description="Shared secret that signs POST /v1/webhooks/document-uploaded; unset refuses "
        "them all.",
    )

    # Reading documents

    max_file_bytes: int = Field(
        200 * 1024 * 1024,
        ge=1,
        description="Largest file that is accepted, in bytes; the process that reads it holds it "
        "in memory.",
    )
    parse_timeout_seconds: float = Field(
        300.0,
        gt=0,
        description="Longest a parser may work on one document; it may compute twice as long on "
        "several cores. A slow machine, or long scans, need more. A fifth of it is for the "
        "description of a picture, three times it for a recording that a transcriber writes down.",
    )
    parse_memory_bytes: int = Field(
        4 * 1024**3,
        ge=256 * 1024**2,
        description="Address space a parser process may take; large files may need more, small "
        "machines have less.",
    )
    parser_sandbox: Literal["auto", "required", "off"] = Field(
        "auto",
        description="Whether the processes that read files are kept from the network and from "
        "other files by the kernel: auto as far as it can, required refuses to start where it "
        "cannot. See sandbox.md.",
    )
    ocr: Literal["auto", "tesseract", "rapidocr", "off"] = Field(
        "auto",
        description="Engine that recognises text in scans and pictures; auto takes the first that "
        "is installed, off saves its time.",
    )
    ocr_languages: str = Field(
        "eng",
        description="Languages of the scans as Tesseract codes joined by '+', such as `deu+fra`, "
        "or `auto` for every installed one.",
    )
    speech: str = Field(
        "auto",
        description="Speech recognition on this machine: `auto` is the packaged English model "
        "where it is installed, `off` none, anything else a folder with a Whisper model in "
        "CTranslate2's form, which may know more languages. A transcriber takes its place.",
    )
    transcriber_url: str | None = Field(
        None,
        description="OpenAI-compatible API that writes recordings down, such as "
        "`http://127.0.0.1:8000/v1`; unset takes OpenAI's own if transcriber_model is set.",
    )
    transcriber_model: str | None = Field(
        None,
        description="Model of the transcriber; unset takes whisper-1 if transcriber_url is set.",
    )
    transcriber_api_key: SecretStr | None = Field(
        None, description="Key of the transcriber, where it wants one."
    )
    vision_model: str | None = Field(
        None,
        description="Model that describes pictures so that they can be found, named like "
        "language_model; unset means none.",
    )
    vision_url: str | None = Field(
        None, description="Address of an OpenAI-compatible server of the vision model."
    )
    vision_api_key: SecretStr | None = Field(
        None, description="Key of the vision model; unset takes the provider's own variable."
    )
    vision_max_pictures: int = Field(
        20,
        ge=1,
        le=500,
        description="Most pictures of one document that are described: each costs a call.",
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
    worker_stalled_seconds: float = Field(
        10.0,
        gt=0,
        description="Silence after which a worker's jobs are given to another. It says that it "
        "lives five times as often; a machine that stalls for long needs more.",
    )
    max_attempts: int = Field(
        5,
        ge=1,
        le=50,
        description="Tries of a stage whose failure can heal, and of a document whose worker died.",
    )
    max_queued_documents: int = Field(
        10_000,
        ge=1,
        description="Documents of a workspace that may wait to be indexed, and a tenth of those of "
        "all together; more are refused for the moment, so that nobody fills the queue.",
    )

    # Embedding models

    embedding_model: str = Field(
        "multilingual",
        description="Model of new workspaces: multilingual, minilm or e5 (packaged), "
        "fastembed:NAME or fastembed:/folder (local), openai:MODEL or another vendor's, "
        "compatible:MODEL at embedding_url; `#512` behind the name shortens its vectors to 512 "
        "dimensions. See lanes.md.",
    )
    embedding_models: str = Field(
        "",
        description="Further models workspaces may be embedded with, joined by commas and named "
        "in the same way.",
    )
    embedding_url: str | None = Field(
        None,
        description="Address of an OpenAI-compatible server of embeddings; a JSON object gives "
        "openai and compatible their own.",
    )
    embedding_api_key: SecretStr | None = Field(
        None, description="Key of hosted embedders; a JSON object gives each vendor its own."
    )
    embedding_options: Annotated[str, _json_of(EmbeddingOptions)] = Field(
        "{}",
        description="JSON object of what a fastembed or hosted model was trained with, where it is "
        "not known: query_prompt and document_prompt, put before a query and before a chunk, and "
        "max_tokens, of which the rest of a text is cut off (512 where nobody knows).",
    )
    model_threads: int = Field(
        0,
        ge=0,
        description="Threads of a model on this machine; 0 takes one per core, fewer leave cores "
        "to others.",
    )

    # Search

    plan: Literal["balanced", "fast", "thorough"] = Field(
        "balanced",
        description="Stages of a search whose request names no plan; thorough costs calls of the "
        "language model. See retrieval.md.",
    )
    top_k: int = Field(
        8,
        ge=1,
        le=200,
        validation_alias=_also("top_k", "TOP_K_FINAL"),
        description="Passages returned by a search that does not say how many.",
    )
    recall_limit: int = Field(
        100,
        ge=1,
        le=1000,
        validation_alias=_also("recall_limit", "TOP_K_PRE"),
        description="Candidates the dense and the lexical recall bring each, at least five times "
        "top_k; more find more and take longer.",
    )
    min_similarity: float | None = Field(
        None,
        ge=-1,
        le=1,
        validation_alias=_also("min_similarity", "SIMILARITY_THRESHOLD"),
        description="Cosine to the query that a passage must reach when a request does not say.",
    )
    fusion: FusionName = Field(
        "adaptive",
        validation_alias=_also("fusion", "DOCUMENT_FUSION_STRATEGY"),
        description="How the dense and the lexical ranking become one. See fusion.md.",
    )
    hybrid: bool = Field(
        True,
        validation_alias=_also("hybrid", "DOCUMENT_HYBRID_RETRIEVAL_ENABLED"),
        description="Whether words are searched beside vectors; off means dense_only.",
    )
    rrf_k: int = Field(
        60,
        ge=1,
        le=1_000_000,
        validation_alias=_also("rrf_k", "RRF_K"),
        description="Rank constant of Reciprocal Rank Fusion; a larger one counts the first "
        "ranks for less.",
    )
    rrf_dense_weight: float = Field(
        1.0,
        ge=0,
        allow_inf_nan=False,
        validation_alias=_also("rrf_dense_weight", "SEMANTIC_WEIGHT"),
        description="Weight of the dense ranking in Reciprocal Rank Fusion.",
    )
    rrf_lexical_weight: float = Field(
        1.0,
        ge=0,
        allow_inf_nan=False,
        validation_alias=_also("rrf_lexical_weight", "KEYWORD_WEIGHT"),
        description="Weight of the lexical ranking in Reciprocal Rank Fusion.",
    )
    blend_alpha: float = Field(
        default_factory=_default_alpha,
        validate_default=True,
        ge=0,
        le=1,
        validation_alias=_also("blend_alpha", "DOCUMENT_HYBRID_RETRIEVAL_ALPHA"),
        description="Share of the dense recall in weighted_blend. Where it is not set, "
        "FUSION_WEIGHT_VECTOR and FUSION_WEIGHT_BM25 are read, and it is the share of the first.",
    )
    diversity: DiversityName = Field(
        "none", description="How results are spread over documents, where one would fill them all."
    )
    mmr_candidates: int = Field(
        15,
        ge=1,
        le=500,
        validation_alias=_also("mmr_candidates", "TOP_K_MMR"),
        description="Candidates the diversity mmr chooses from, at least twice top_k.",
    )
    neighbours: int = Field(
        0,
        ge=0,
        le=10,
        description="Chunks before and after each hit that are merged into it, for more context.",
    )
    hnsw_threshold_chunks: int = Field(
        20_000,
        ge=100,
        description="Chunks from which a workspace gets its own HNSW index: below it every vector "
        "is compared, exactly and in longer time.",
    )

    # Reranker

    reranker: Literal["none", "reader", "local", "cohere", "jina", "voyage", "tei", "vertex"] = (
        Field(
            "none",
            description="Model that orders the best candidates anew; it finds better and takes "
            "longer. See rerankers.md.",
        )
    )
    reranker_enabled: bool = Field(
        True,
        validation_alias=_also("reranker_enabled", "DOCUMENT_RERANKER_ENABLED"),
        description="Whether plans use the reranker, if there is one.",
    )
    reranker_model: str = Field(
        "",
        description="Name of the reranker's model, or the folder of a local one; empty takes the "
        "kind's usual one.",
    )
    reranker_url: str | None = Field(None, description="Address of a reranker that is served.")
    reranker_api_key: SecretStr | None = Field(
        None, description="Bearer key of the reranker; for vertex, an access token."
    )
    rerank_top_k: int | None = Field(
        None,
        ge=1,
        le=1000,
        validation_alias=_also("rerank_top_k", "RERANK_TOP_K"),
        description="Candidates the reranker reads; unset means three times top_k.",
    )
    google_project: str = Field(
        "",
        pattern=r"^([^/]+(/[^/]+)?)?$",
        description="Google Cloud project that pays for the reranker and the grounding judge "
        "vertex, with a location behind it where it is not global: acme-1234/eu.",
    )

    # Language model

    language_model: str | None = Field(
        None,
        description="Model that condenses and rewords questions and grades passages; unset means "
        "none. See query-understanding.md.",
    )
    language_model_url: str | None = Field(
        None, description="Address of an OpenAI-compatible server of the language model."
    )
    language_model_api_key: SecretStr | None = Field(
        None, description="Key of the language model; unset takes the provider's own variable."
    )

    # Answers

    reader: str = Field(
        "packaged",
        description="Model that finds answers in passages: `packaged`, the file of other weights, "
        "or `none`, which leaves answers to models that write.",
    )
    answer_models: str | None = Field(
        None,
        description="Models that write answers, joined by commas: each is asked when those before "
        "it failed. Named like language_model, which is taken when unset; with none, answers are "
        "quotes. See answer-models.md.",
    )
    answer_model_url: str | None = Field(
        None,
        description="Address of the server of answer_models; a JSON object gives each vendor its "
        "own.",
    )
    answer_model_api_key: SecretStr | None = Field(
        None, description="Key of answer_models; a JSON object gives each vendor its own."
    )
    answer_timeout_seconds: float = Field(
        120.0,
        gt=0,
        description="Longest that writing an answer may take, all models together; a model must "
        "begin within a quarter of it, and an agent has half as long again.",
    )
    answer_max_tokens: int = Field(
        1024,
        ge=16,
        description="Most tokens a model may write in one answer, one reply to a search or one "
        "description of a picture; models that think before they write need more.",
    )
    answer_context_tokens: int | None = Field(
        None,
        ge=512,
        description="Tokens the answer models take, the answer included; unset takes what is known "
        "of each, else 8192.",
    )
    suggestions: int = Field(
        3,
        ge=0,
        le=5,
        description="Most questions that are suggested after an answer, each tried on the "
        "documents before; 0 suggests none.",
    )
    grounding_judge: Literal["none", "reader", "language_model", "vertex"] = Field(
        "none",
        description="Model that checks the sentences of an answer against their quotes, after "
        "words, figures and vectors were compared: the reader, language_model, or Google's Check "
        "Grounding API. See grounding.md.",
    )
    grounding_url: str | None = Field(
        None, description="Address of vertex, instead of Google's: a proxy or a private endpoint."
    )
    grounding_api_key: SecretStr | None = Field(
        None, description="Access token for vertex; unset takes the machine's own credentials."
    )
    agent_max_cost_usd: float | None = Field(
        None, gt=0, description="Most an agent may spend on one answer; unset means no limit."
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

    facts: bool = Field(
        False,
        description="Whether facts are extracted from documents in the background: from tables, "
        "lines of key and value, definitions and plain sentences. See facts.md.",
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

    clusters: bool = Field(
        False,
        description="Whether documents that are alike are clustered in the background, at several "
        "granularities, and the clusters called something. See clusters.md.",
    )
    chunk_clusters: bool = Field(
        False,
        description="Whether the passages of documents are clustered, too, whatever documents they "
        "are in; of more than 20,000 a sample. See clusters.md.",
    )
    entities: bool = Field(
        False,
        description="Whether persons, organisations, places, dates, amounts and identifiers that "
        "documents name are extracted and linked in the background. See entities.md.",
    )
    entity_kinds: EntityKinds = Field(
        ",".join(EntityKind),
        description="Which kinds of entities are extracted, joined by commas.",
    )
    entities_by_model: bool = Field(
        False,
        description="Whether the language model reads documents for names, too, five passages at "
        "a time. It costs tokens: `footnote entities progress` says about how many, before it "
        "begins.",
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
    facts_by_model: bool = Field(
        False,
        description="Whether the language model reads documents for facts, too, five passages at "
        "a time. It costs tokens: `footnote facts progress` says about how many, before it begins.",
    )

    summaries: bool = Field(
        False,
        description="Whether the sentences that say most of a document are found in the "
        "background, for summaries of documents, collections and clusters. See summaries.md.",
    )
    summaries_by_model: bool = Field(
        False,
        description="Whether the language model writes summaries, too, each sentence with those of "
        "the documents that it rests on. It costs tokens: `footnote summaries progress` says about "
        "how many, before it begins.",
    )

    # Caches

    cache_bytes: int = Field(
        608 * 1024**2,
        ge=0,
        description="Memory of all caches of a process together: 8 of 19 parts are for vectors, "
        "8 for the index, 2 for searches and 1 for answers. 100,000 vectors of 384 dimensions "
        "take 200 MB; 0 keeps nothing.",
    )

    # Identity

    identity: IdentityWays = Field(
        "",
        description="How callers prove who they are, joined by commas: keys, tokens, gateway, "
        "login, scim. Empty serves this computer only, everybody on it as one administrator. See "
        "identity.md.",
    )
    identity_secret: SecretStr | None = Field(
        None,
        description="Secret of at least 32 characters that the hashes of keys are made with; unset "
        "takes the file identity.key in home. Servers of one database need the same.",
    )
    token_issuer: str | None = Field(None, description="Issuer (`iss`) whose tokens are accepted.")
    token_namespace: str = Field(
        "",
        pattern=NAMESPACE,
        description="What stands before everybody's name, groups and roles of that issuer, as in "
        "partners:ann; needed where people also log in at another one.",
    )
    token_audience: str | None = Field(
        None, description="Audience (`aud`) that a token must be meant for."
    )
    token_jwks_url: str | None = Field(
        None, description="Address of the issuer's public keys (JWKS)."
    )
    token_secret: SecretStr | None = Field(
        None,
        description="Secret that this server and the issuer share, of at least 32 characters, for "
        "the algorithms HS256, HS384 and HS512.",
    )
    token_algorithms: str = Field(
        "RS256,ES256,Ed25519",
        description="Algorithms a token may be signed with, joined by commas; those of "
        "token_secret must be named too.",
    )
    token_claims: Annotated[str, _json_of(TokenClaims)] = Field(
        "{}",
        description="JSON object of the claims that say who asks (principal, else sub), in which "
        "groups (groups), with which role (role) and for which workspaces (workspace, else all are "
        "for the default one); dots lead into objects, as in realm_access.roles.",
    )
    token_roles: str = Field(
        "{}",
        description="JSON object of the roles (reader, writer, admin) that groups and values of "
        'the role claim stand for, such as {"finance": "writer"}.',
    )
    login_issuer: str | None = Field(
        None, description="Issuer of the OpenID provider at which people log in."
    )
    login_namespace: str = Field(
        "", pattern=NAMESPACE, description="The same for whoever logs in there."
    )
    login_client_id: str | None = Field(
        None, description="What this server is called there; public_url must be set too."
    )
    login_client_secret: SecretStr | None = Field(
        None, description="Its secret there; unset for a public client."
    )
    login_scopes: str = Field(
        "openid profile email", description="What is asked of the provider, with openid among it."
    )
    login_session_hours: float = Field(
        12.0, gt=0, le=720, description="How long a login is good at most."
    )
    login_idle_minutes: float = Field(
        120.0, gt=0, le=43_200, description="How long it is good while nobody uses it."
    )
    proxy_addresses: str = Field(
        "",
        description="Addresses and networks of the proxies before this server, joined by commas, "
        "whose X-Forwarded-For says where a request comes from. It counts for limits of failed "
        "credentials and for logs alone.",
    )
    gateway_addresses: str = Field(
        "",
        description="Addresses and networks of the proxies whose X-User-Id and X-User-Role are "
        "believed, joined by commas.",
    )
    gateway_roles: str = Field(
        "{}", description="JSON object of the roles that values of X-User-Role stand for."
    )

    backend_url: str | None = Field(
        None,
        validation_alias=_also("backend_url", "BACKEND_URL"),
        description="Address of a backend of yours that decides which collections a caller may "
        "see. See access.md.",
    )
    backend_paths: str = Field(
        '{"customer": "/api/customer/projects/{id}", "auditor": "/api/auditor/projects/{id}"}',
        description="JSON object: what the backend is asked for each value of X-User-Role, `{id}` "
        "being the collection.",
    )
    backend_remember_seconds: float = Field(
        30.0, ge=0, le=3600, description="How long a yes of the backend is believed."
    )

    # Server and logs

    host: str = Field(
        "127.0.0.1",
        description="Address the server listens on; without identity only one of this computer.",
    )
    port: int = Field(8080, ge=0, le=65535, description="Port the server listens on; 0 picks one.")
    public_url: str | None = Field(
        None,
        description="Address under which browsers and other programs reach the server, such as "
        "https://documents.example.com; needed where it is another name than host.",
    )
    allowed_hosts: str = Field(
        "",
        description="Further names and addresses, joined by commas, that the Host header of a "
        "request may have.",
    )
    cors_origins: str = Field(
        "",
        description="Origins of other sites whose pages may ask, such as https://app.example.com, "
        "joined by commas; they send a key or a token, never cookies.",
    )
    prices: str | None = Field(
        None,
        description="JSON object of prices in US dollars by model or kind of use, over those that "
        "are known: input_per_million, output_per_million, per_request, per_unit.",
    )
    requests_per_minute: int | None = Field(
        None,
        ge=1,
        description="Requests that each API key or token may make in a minute, in all processes "
        "together; unset sets no limit. This computer without a credential has none.",
    )
    search_timeout_seconds: float = Field(
        60.0,
        gt=0,
        description="Longest a search may take, the time of its models included; a statement of a "
        "request, and one reply of the language model, may take half of it.",
    )
    audit_queries: bool = Field(
        True,
        description="Whether the audit log keeps what was asked; off leaves who searched when, "
        "and which documents were shown.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "warning", description="Least severe log line that is written."
    )
    log_format: Literal["console", "json"] = Field(
        "console", description="Shape of log lines: for people, or for what collects them."
    )
    metrics_address: str | None = Field(
        None,
        pattern=r"^(([^:]+|\[[0-9a-fA-F:]+\]):)?[1-9][0-9]{0,4}$",
        description="Port at which Prometheus finds `/metrics`, such as 9464, for this computer "
        "alone; 0.0.0.0:9464 for all that reach it, who may read it, and it names no workspace. "
        "The worker beside a server takes the next port. Unset measures nothing for it.",
    )
    traces_kept_hours: float = Field(
        0.0,
        ge=0,
        le=8760,
        description="How long traces are kept in the database for `footnote trace`; 0 keeps none.",
    )

    @property
    def identity_ways(self) -> frozenset[str]:
        """How callers may prove who they are; empty where this computer alone is served."""
        return frozenset(listed(self.identity))

    @property
    def metrics_at(self) -> tuple[str, int] | None:
        """The host and the port at which Prometheus finds the metrics of this process."""
        if self.metrics_address is None:
            return None
        host, _, port = self.metrics_address.rpartition(":")
        return host.strip("[]") or "127.0.0.1", int(port)


def variables_of(name: str) -> tuple[str, ...]:
    """The environment variables of a setting, its own first."""
    alias = Settings.model_fields[name].validation_alias
    if isinstance(alias, AliasChoices):
        return tuple(str(choice) for choice in alias.choices)
    return (f"FOOTNOTE_{name.upper()}",)


PER_WORKSPACE = (
    *("plan", "top_k", "recall_limit", "min_similarity", "fusion", "hybrid"),
    *("rrf_k", "rrf_dense_weight", "rrf_lexical_weight"),
    *(
        "blend_alpha",
        "diversity",
        "mmr_candidates",
        "neighbours",
        "reranker_enabled",
        "rerank_top_k",
    ),
    *("grounding_judge", "suggestions"),
    *("redact", "redact_embeddings", "redact_media"),
    *("facts", "fact_kinds", "fact_classes", "facts_by_model"),
    *("clusters", "chunk_clusters", "paused_work"),
    *("entities", "entity_kinds", "entities_by_model", "graph_recall"),
    *("summaries", "summaries_by_model"),
)
"""Settings of which a workspace may have its own value: what a search or an answer reads when it
begins, and what is read before a text leaves for a hosted model."""


def per_workspace(called: str) -> str | None:
    """The setting of PER_WORKSPACE that is called so, by its name or a variable of it."""
    wanted = called.strip().upper()
    return next(
        (name for name in PER_WORKSPACE if wanted in (name.upper(), *variables_of(name))), None
    )


@cache
def _checking(name: str) -> TypeAdapter[SettingValue]:
    field = Settings.model_fields[name]
    typed: object = Annotated[(field.annotation, *field.metadata, field.description)]
    return TypeAdapter(typed)  # type: ignore[arg-type]  # made only now, of the field


def checked_setting(name: str, value: object) -> SettingValue:
    """The value as the setting has it, from text too. Raises InvalidRequest."""
    checking = _checking(name)
    if value == "null":  # a command line has no other way to say it
        value = None
    elif isinstance(value, bool):  # which would pass for a number
        value = "true" if value else "false"
    try:
        # A number is no flag; text is read as it is from the environment.
        return checking.validate_python(
            value, strict=True if isinstance(value, int | float) else None
        )
    except ValidationError as error:
        raise InvalidRequest(
            f"the setting {name} cannot be {shown(value)}: "
            f"{wrong_value(error.errors(include_url=False)[0])}",
            hint=Settings.model_fields[name].description,
        ) from error


COMMAND_LINE_VARIABLES = ("FOOTNOTE_API_KEY", "FOOTNOTE_NO_SERVER", "FOOTNOTE_WORKSPACE")
"""Variables that the command line reads beside the settings."""
_PREFIX = "FOOTNOTE_"
_OF_TESTS = "FOOTNOTE_TEST_"


def unknown_variables(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Variables that look like settings and are none, each with what may be meant."""
    known = {name for field in Settings.model_fields for name in variables_of(field)}
    known.update(COMMAND_LINE_VARIABLES)
    # Compared without what all have in common, which would make any two of them alike.
    ends = [name.removeprefix(_PREFIX) for name in sorted(known) if name.startswith(_PREFIX)]
    found = []
    for name in sorted(environment):
        spelt = name.upper()
        if spelt.startswith(_PREFIX) and not spelt.startswith(_OF_TESTS) and spelt not in known:
            from difflib import get_close_matches  # noqa: PLC0415  # seldom needed

            end = spelt.removeprefix(_PREFIX)
            close = get_close_matches(end, ends, n=1)
            meant = f"did you mean {_PREFIX}{close[0]}?" if close else "docs/settings.md lists all."
            gone = REMOVED.get(end.lower())
            found.append((name, meant if gone is None else f"it was removed: {gone}."))
    return tuple(found)


def environment_of(settings: Settings) -> dict[str, str]:
    """The variables by which another process comes to these settings, secrets included."""
    shown = settings.model_dump(mode="json")
    found = {}
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        if value is None or value == field.get_default(call_default_factory=True):
            continue
        secret = isinstance(value, SecretStr)
        found[variables_of(name)[0]] = value.get_secret_value() if secret else str(shown[name])
    return found


@lru_cache(maxsize=1)
def load_settings() -> Settings:
    """The settings of this process."""
    return settings_from(None, {})


def settings_from(base: Settings | None, overrides: Mapping[str, object]) -> Settings:
    """The overrides over `base`, or over the environment. Raises UnsupportedSettings."""
    given: object = base
    if not isinstance(given, Settings | None):
        raise UnsupportedSettings(
            f"Settings cannot be {type(given).__name__}.",
            hint='Give a footnote.Settings, or settings by name: footnote.open(home="/srv").',
        )
    explicit = base.model_dump() if base is not None else {}
    try:
        return Settings.model_validate({**explicit, **overrides})
    except ValidationError as error:
        said, said_of_it = _wrong_setting(error)
        name = next(
            (each for each in Settings.model_fields if said in (each, *variables_of(each))), ""
        )
        raise UnsupportedSettings(
            f"The setting {name or said} cannot be used: {said_of_it}.",
            hint=f"Set {' or '.join(variables_of(name))} to another value."
            if name
            else f"It was removed: {REMOVED[said]}."
            if said in REMOVED
            else "There is no such setting.",
        ) from error


def _wrong_setting(error: ValidationError) -> tuple[str, str]:
    """The first wrong setting as it was named, and what is wrong with it, without its value."""
    wrong = error.errors(include_url=False)[0]
    said = wrong_value(wrong, with_value=False)  # which may be a secret
    [(place, _)] = wrong_places([wrong])
    inside = ".".join(map(str, place[1:]))
    return str(place[0]) if place else "", f"{inside}: {said}" if inside else said
