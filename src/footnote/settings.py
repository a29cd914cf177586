"""Every knob of Footnote: typed, documented, with its environment variable and default."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

import platformdirs
from pydantic import AfterValidator, AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from footnote.domain import DiversityName, FusionName
from footnote.errors import UnsupportedSettings
from footnote.wrong_values import wrong_places, wrong_value


def _default_home() -> Path:
    return Path(platformdirs.user_data_dir("footnote"))


def _also(name: str, *variables: str) -> AliasChoices:
    """The variable of a setting, and names under which others know the same knob."""
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

    home: Path = Field(
        default_factory=_default_home,
        description="Folder of the embedded database, blobs and built models.",
    )
    database_url: DatabaseUrl | None = Field(
        None,
        repr=False,
        description="A Postgres with pgvector, as the application's login; unset means embedded.",
    )
    owner_database_url: DatabaseUrl | None = Field(
        None,
        repr=False,
        description="The login that owns the tables, for migrations and index builds; "
        "defaults to database_url.",
    )
    blob_url: str | None = Field(
        None,
        description="Object store of the received files, s3://bucket/prefix, gs://… or az://…; "
        "unset means the folder blobs in home.",
    )
    blob_options: SecretStr | None = Field(
        None,
        description="JSON object of what the object store wants to know, such as endpoint, "
        "access_key_id, secret_access_key and region.",
    )
    pool_size: int = Field(8, ge=1, le=200, description="Connections a process keeps to Postgres.")
    statement_timeout_seconds: float = Field(
        30.0, gt=0, description="Longest a statement of a request may run."
    )

    max_file_bytes: int = Field(
        200 * 1024 * 1024, ge=1, description="Largest file that is accepted, in bytes."
    )
    parse_timeout_seconds: float = Field(
        300.0, gt=0, description="Longest a parser may work on one document."
    )
    parse_memory_bytes: int = Field(
        4 * 1024**3, ge=256 * 1024**2, description="Address space a parser process may take."
    )
    ocr: Literal["auto", "tesseract", "rapidocr", "off"] = Field(
        "auto", description="What reads text from pixels; auto takes the first that is installed."
    )
    ocr_languages: str = Field(
        "eng",
        description="Tesseract language codes, joined by '+', or `auto` for every installed one.",
    )

    speech: str = Field(
        "auto",
        description="What listens to recordings on this machine: `auto` is the packaged English "
        "model where it is installed, `off` nothing, anything else a folder with a Whisper model "
        "in CTranslate2's form. A transcriber wins.",
    )
    transcriber_url: str | None = Field(
        None,
        description="OpenAI-compatible API that writes recordings down, such as "
        "`http://127.0.0.1:8000/v1`; unset takes OpenAI's own if transcriber_model is set.",
    )
    transcriber_model: str | None = Field(
        None, description="Its model; unset takes whisper-1 if transcriber_url is set."
    )
    transcriber_api_key: SecretStr | None = Field(None, description="Its key, where it wants one.")
    vision_model: str | None = Field(
        None,
        description="Model that describes pictures, named like language_model; unset means none.",
    )
    vision_url: str | None = Field(
        None, description="Address of an OpenAI-compatible server of the vision model."
    )
    vision_api_key: SecretStr | None = Field(
        None, description="Key of the vision model; unset takes the provider's own variable."
    )
    vision_max_pictures: int = Field(
        20, ge=1, le=500, description="Most pictures of one document that are described."
    )

    chunk_policy: Literal["balanced", "characters-900-120", "tokens-512-50"] = Field(
        "balanced",
        description="How documents are divided; docs/chunking.md tells the three apart.",
    )
    allow_private_urls: bool = Field(
        False,
        description="Whether addresses of this machine and of private networks may be fetched "
        "from and told of events.",
    )
    fetch_timeout_seconds: float = Field(
        30.0, gt=0, description="Longest that fetching an address may take."
    )
    source_options: SecretStr | None = Field(
        None,
        description="JSON object of what the object stores that are ingested from want to know, "
        "as in FOOTNOTE_BLOB_OPTIONS.",
    )
    imap_password: SecretStr | None = Field(
        None, description="Password of the mailboxes that are ingested from."
    )
    webhook_secret: SecretStr | None = Field(
        None,
        description="Shared secret that signs POST /v1/webhooks/document-uploaded; unset refuses "
        "them all.",
    )
    events_heartbeat_seconds: float = Field(
        15.0, gt=0, description="Silence after which a stream of events says that it lives."
    )
    answer_resume_seconds: float = Field(
        5.0,
        ge=0,
        le=3600,
        description="How long an answer goes on that nobody reads any more, in case its reader "
        "comes back; 0 stops the model at once.",
    )
    webhook_attempts: int = Field(
        8, ge=1, le=50, description="Tries of one delivery to an endpoint, each twice as far apart."
    )

    chunk_tokens: int = Field(
        200, ge=32, le=4000, description="Tokens a chunk aims at, by the lane's tokenizer."
    )

    model_threads: int = Field(
        0, ge=0, description="Threads of a local model; 0 takes one per core."
    )

    reader: str = Field(
        "packaged",
        description="Model that finds answers in passages: `packaged` where its weights are "
        "installed, `none` for rules alone, or the file of other weights.",
    )

    plan: Literal["balanced", "fast", "thorough"] = Field(
        "balanced", description="How a search goes about it when a request does not say."
    )
    fusion: FusionName = Field(
        "adaptive",
        validation_alias=_also("fusion", "DOCUMENT_FUSION_STRATEGY"),
        description="How the dense and the lexical ranking become one.",
    )
    hybrid: bool = Field(
        True,
        validation_alias=_also("hybrid", "DOCUMENT_HYBRID_RETRIEVAL_ENABLED"),
        description="Whether words are searched beside vectors; off means dense_only.",
    )
    rrf_k: int = Field(
        60,
        ge=1,
        validation_alias=_also("rrf_k", "RRF_K"),
        description="Rank constant of Reciprocal Rank Fusion.",
    )
    rrf_dense_weight: float = Field(
        1.0,
        ge=0,
        validation_alias=_also("rrf_dense_weight", "SEMANTIC_WEIGHT"),
        description="Weight of the dense ranking in Reciprocal Rank Fusion.",
    )
    rrf_lexical_weight: float = Field(
        1.0,
        ge=0,
        validation_alias=_also("rrf_lexical_weight", "KEYWORD_WEIGHT"),
        description="Weight of the lexical ranking in Reciprocal Rank Fusion.",
    )
    blend_alpha: float = Field(
        0.7,
        ge=0,
        le=1,
        validation_alias=_also("blend_alpha", "DOCUMENT_HYBRID_RETRIEVAL_ALPHA"),
        description="Share of the dense recall in weighted_blend.",
    )
    blend_dense_weight: float | None = Field(
        None,
        ge=0,
        validation_alias=_also("blend_dense_weight", "FUSION_WEIGHT_VECTOR"),
        description="With blend_lexical_weight, sets blend_alpha to its share of the two.",
    )
    blend_lexical_weight: float | None = Field(
        None,
        ge=0,
        validation_alias=_also("blend_lexical_weight", "FUSION_WEIGHT_BM25"),
        description="See blend_dense_weight.",
    )
    top_k: int = Field(
        8,
        ge=1,
        le=200,
        validation_alias=_also("top_k", "TOP_K_FINAL"),
        description="Evidence returned by a search.",
    )
    recall_limit: int = Field(
        100,
        ge=1,
        le=1000,
        validation_alias=_also("recall_limit", "TOP_K_PRE"),
        description="Candidates each recall brings, at least five times top_k.",
    )
    min_similarity: float | None = Field(
        None,
        ge=-1,
        le=1,
        validation_alias=_also("min_similarity", "SIMILARITY_THRESHOLD"),
        description="Cosine to the query that evidence must reach when a request does not say.",
    )

    diversity: DiversityName = Field("none", description="How results are spread over documents.")
    mmr_candidates: int = Field(
        15,
        ge=1,
        le=500,
        validation_alias=_also("mmr_candidates", "TOP_K_MMR"),
        description="Candidates mmr chooses from, at least twice top_k.",
    )
    neighbours: int = Field(
        0, ge=0, le=10, description="Chunks before and after each evidence merged into it."
    )

    reranker: Literal["none", "reader", "local", "cohere", "jina", "voyage", "tei", "vertex"] = (
        Field("none", description="What reads the best candidates beside the query.")
    )
    reranker_enabled: bool = Field(
        True,
        validation_alias=_also("reranker_enabled", "DOCUMENT_RERANKER_ENABLED"),
        description="Whether plans use the reranker, if there is one.",
    )
    reranker_model: str = Field("", description="Its model; empty takes the kind's usual one.")
    reranker_url: str | None = Field(None, description="Address of a reranker that is served.")
    reranker_api_key: SecretStr | None = Field(
        None, description="Bearer key of the reranker; for vertex, an access token."
    )
    reranker_timeout_seconds: float = Field(
        5.0, gt=0, description="Longest a search waits for the reranker."
    )
    rerank_top_k: int | None = Field(
        None,
        ge=1,
        le=1000,
        validation_alias=_also("rerank_top_k", "RERANK_TOP_K"),
        description="Candidates the reranker reads; unset means three times top_k.",
    )

    language_model: str | None = Field(
        None, description="Model for condensing, rewording and grading; unset means none."
    )
    language_model_url: str | None = Field(
        None, description="Address of an OpenAI-compatible server of the model."
    )
    language_model_api_key: SecretStr | None = Field(
        None, description="Key of the language model; unset takes the provider's own variable."
    )
    language_model_timeout_seconds: float = Field(
        30.0, gt=0, description="Longest a search waits for one reply of the language model."
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
    google_project: str = Field(
        "", description="Google Cloud project that pays for the vertex reranker and judge."
    )
    google_location: str = Field("global", description="Google Cloud location of both.")
    answer_timeout_seconds: float = Field(
        120.0, gt=0, description="Longest that writing an answer may take, all models together."
    )
    answer_max_tokens: int = Field(
        1024, ge=16, description="Most tokens a model may write in one answer."
    )
    answer_context_tokens: int | None = Field(
        None,
        ge=512,
        description="Tokens the answer models take, the answer included; unset takes what is known "
        "of each, else 8192.",
    )
    grounding_judge: Literal["none", "reader", "language_model", "vertex"] = Field(
        "none",
        description="What reads the sentences of an answer beside their quotes, after words, "
        "figures and vectors were compared: the reader, language_model, or Google's Check "
        "Grounding API. See grounding.md.",
    )
    grounding_url: str | None = Field(
        None, description="Address of vertex, instead of Google's: a proxy or a private endpoint."
    )
    grounding_api_key: SecretStr | None = Field(
        None, description="Access token for vertex; unset takes the machine's own credentials."
    )
    agent_max_steps: int = Field(
        12, ge=1, le=100, description="Most requests an agent makes to its model for one answer."
    )
    agent_timeout_seconds: float = Field(
        180.0, gt=0, description="Longest an agent works on one answer."
    )
    agent_max_cost_usd: float | None = Field(
        None, gt=0, description="Most an agent may spend on one answer; unset means no limit."
    )

    search_cache_bytes: int = Field(
        64 * 1024**2, ge=0, description="Memory for answers of earlier searches; 0 keeps none."
    )
    search_cache_seconds: float = Field(
        300.0, gt=0, description="How long the answer of a search is kept."
    )
    search_cache_similarity: float = Field(
        0.9,
        ge=0,
        le=1,
        description="Cosine from which queries of equal wording share an answer; 1 means never.",
    )

    answer_cache_bytes: int = Field(
        32 * 1024**2, ge=0, description="Memory for answers given before; 0 keeps none."
    )
    answer_cache_seconds: float = Field(
        300.0, gt=0, description="How long an answer is given again."
    )

    hnsw_threshold_chunks: int = Field(
        20_000, ge=100, description="Chunks from which a workspace gets its own HNSW index."
    )
    index_cache_bytes: int = Field(
        256 * 1024**2, ge=0, description="Memory for decoded postings and segment lengths."
    )
    vector_cache_bytes: int = Field(
        256 * 1024**2,
        ge=0,
        description="Memory for the vectors of workspaces that are searched again and again; "
        "100,000 of 384 dimensions take 200 MB. 0 leaves every comparison to Postgres.",
    )

    worker_concurrency: int = Field(
        6, ge=1, le=64, description="Documents a worker ingests at the same time."
    )
    worker_memory_bytes: int = Field(
        200 * 1024**2,
        ge=16 * 1024**2,
        description="Memory that the documents in hand of a worker take together, beside models "
        "and caches; one that needs more is ingested alone.",
    )
    worker_stalled_seconds: float = Field(
        10.0, gt=0, description="Silence after which a worker's jobs are given to another."
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
        description="Documents of a workspace that may wait to be indexed; more are refused for "
        "the moment.",
    )
    max_queued_documents_overall: int = Field(
        100_000, ge=1, description="The same for all workspaces together."
    )

    embedding_model: str = Field(
        "multilingual",
        description="Model of new workspaces: multilingual, minilm or e5 (packaged), "
        "fastembed:NAME or fastembed:/folder (local), openai:MODEL or another vendor's, "
        "compatible:MODEL at embedding_url. See lanes.md.",
    )
    embedding_models: str = Field(
        "",
        description="Further models workspaces may be embedded with, joined by commas, each "
        "followed by #DIMENSIONS if it is to be shortened.",
    )
    embedding_url: str | None = Field(
        None,
        description="Address of an OpenAI-compatible server of embeddings; a JSON object gives "
        "openai and compatible their own.",
    )
    embedding_api_key: SecretStr | None = Field(
        None, description="Key of hosted embedders; a JSON object gives each vendor its own."
    )
    embedding_max_tokens: int | None = Field(
        None,
        ge=16,
        description="Tokens a hosted embedder reads of a text, the rest is cut off; unset takes "
        "what is known of the model, else 512.",
    )
    embedding_query_prompt: str = Field(
        "", description="Put before a query for fastembed and hosted embedders."
    )
    embedding_document_prompt: str = Field("", description="Put before a text of a document.")
    reembedding_texts_per_second: float | None = Field(
        None, gt=0, description="Most texts a re-embedding embeds a second; unset means no limit."
    )
    lane_retention_days: float = Field(
        14.0, ge=0, description="How long a lane is kept for a rollback after a switch."
    )

    host: str = Field("127.0.0.1", description="Address the server listens on.")
    port: int = Field(8080, ge=0, le=65535, description="Port the server listens on; 0 picks one.")
    request_body_seconds: float = Field(
        20.0,
        gt=0,
        description="Time in which the body of a request must go on, at 500 bytes a second, or its "
        "connection is closed.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "warning", description="Least severe log line that is written."
    )
    log_format: Literal["console", "json"] = Field("console", description="Shape of log lines.")

    @property
    def alpha(self) -> float:
        """The share of the dense recall in weighted_blend."""
        if self.blend_dense_weight is None and self.blend_lexical_weight is None:
            return self.blend_alpha
        dense = self.blend_dense_weight or 0.0
        total = dense + (self.blend_lexical_weight or 0.0)
        return dense / total if total else self.blend_alpha


def variables_of(name: str) -> tuple[str, ...]:
    """The environment variables of a setting, its own first."""
    alias = Settings.model_fields[name].validation_alias
    if isinstance(alias, AliasChoices):
        return tuple(str(choice) for choice in alias.choices)
    return (f"FOOTNOTE_{name.upper()}",)


_NO_SETTINGS = ("FOOTNOTE_WORKSPACE",)
"""Variables that the command line reads beside the settings."""
_PREFIX = "FOOTNOTE_"
_OF_TESTS = "FOOTNOTE_TEST_"


def unknown_variables(environment: Mapping[str, str]) -> tuple[tuple[str, str | None], ...]:
    """Variables that look like settings and are none, each with the closest that is one."""
    known = {name for field in Settings.model_fields for name in variables_of(field)}
    known.update(_NO_SETTINGS)
    # Compared without what all have in common, which would make any two of them alike.
    ends = [name.removeprefix(_PREFIX) for name in sorted(known) if name.startswith(_PREFIX)]
    found = []
    for name in sorted(environment):
        spelt = name.upper()
        if spelt.startswith(_PREFIX) and not spelt.startswith(_OF_TESTS) and spelt not in known:
            close = get_close_matches(spelt.removeprefix(_PREFIX), ends, n=1)
            found.append((name, f"{_PREFIX}{close[0]}" if close else None))
    return tuple(found)


def environment_of(settings: Settings) -> dict[str, str]:
    """The variables by which another process comes to these settings, secrets included."""
    shown = settings.model_dump(mode="json")
    found = {}
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        if value is None or value == field.get_default(call_default_factory=True):
            continue
        if isinstance(value, SecretStr):
            text = value.get_secret_value()
        else:
            text = shown[name] if isinstance(shown[name], str) else json.dumps(shown[name])
        found[variables_of(name)[0]] = text
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
            else "There is no such setting.",
        ) from error


def _wrong_setting(error: ValidationError) -> tuple[str, str]:
    """The first wrong setting as it was named, and what is wrong with it, without its value."""
    wrong = error.errors(include_url=False)[0]
    unread = _UNREAD.search(wrong["msg"])
    if unread is not None:
        return unread[1], "it is not JSON"
    said = wrong_value(wrong, with_value=False)  # which may be a secret
    [(place, _)] = wrong_places([wrong])
    inside = ".".join(map(str, place[1:]))
    return str(place[0]) if place else "", f"{inside}: {said}" if inside else said


_UNREAD = re.compile('error parsing value for field "([a-z_]+)"')
"""What pydantic-settings says of a variable that should hold JSON."""
