"""Every knob of Footnote: typed, documented, with its environment variable and default."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

import platformdirs
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from footnote.errors import UnsupportedSettings


def _default_home() -> Path:
    return Path(platformdirs.user_data_dir("footnote"))


class Settings(BaseSettings):
    """Read from the environment (`FOOTNOTE_…`) when created; explicit arguments win."""

    model_config = SettingsConfigDict(env_prefix="FOOTNOTE_", frozen=True, extra="forbid")

    home: Path = Field(
        default_factory=_default_home,
        description="Folder of the embedded database, blobs and built models.",
    )
    database_url: str | None = Field(
        None,
        description="A Postgres with pgvector, as the application's login; unset means embedded.",
    )
    owner_database_url: str | None = Field(
        None,
        description="The login that owns the tables, for migrations and index builds; "
        "defaults to database_url.",
    )
    pool_size: int = Field(8, ge=1, le=200, description="Connections a process keeps to Postgres.")
    statement_timeout_seconds: float = Field(
        30.0, gt=0, description="Longest a statement of a request may run."
    )
    default_workspace: str = Field("default", description="Workspace used when none is named.")
    default_collection: str = Field("default", description="Collection used when none is named.")

    max_file_bytes: int = Field(
        200 * 1024 * 1024, ge=1, description="Largest file that is accepted, in bytes."
    )
    max_pages: int = Field(5000, ge=1, description="Most pages a document may have.")
    parse_timeout_seconds: float = Field(
        300.0, gt=0, description="Longest a parser may work on one document."
    )
    parse_memory_bytes: int = Field(
        4 * 1024**3, ge=256 * 1024**2, description="Address space a parser process may take."
    )
    parse_processes: int = Field(2, ge=1, le=64, description="Parser processes a worker keeps.")
    ocr: Literal["auto", "tesseract", "rapidocr", "off"] = Field(
        "auto", description="What reads text from pixels; auto takes the first that is installed."
    )
    ocr_languages: str = Field("eng", description="Tesseract language codes, joined by '+'.")

    chunk_tokens: int = Field(
        200, ge=32, le=4000, description="Tokens a chunk aims at, by the lane's tokenizer."
    )
    chunk_overlap_sentences: int = Field(
        1, ge=0, le=10, description="Sentences repeated at the start of the next chunk."
    )

    embedding_precision: Literal["int8", "fp32"] = Field(
        "int8", description="Arithmetic of the packaged model."
    )
    embedding_batch_tokens: int = Field(
        8192, ge=256, description="Padded tokens embedded in one batch."
    )
    model_threads: int = Field(
        0, ge=0, description="Threads of a local model; 0 takes one per core."
    )

    fusion: Literal["rrf", "dense_only", "lexical_only"] = Field(
        "rrf", description="How the dense and the lexical ranking become one."
    )
    rrf_k: int = Field(60, ge=1, description="Rank constant of Reciprocal Rank Fusion.")
    top_k: int = Field(8, ge=1, le=200, description="Evidence returned by a search.")
    recall_limit: int = Field(
        100, ge=1, le=1000, description="Candidates each recall brings, at least five times top_k."
    )
    hnsw_threshold_chunks: int = Field(
        20_000, ge=100, description="Chunks from which a workspace gets its own HNSW index."
    )
    hnsw_ef_search: int = Field(200, ge=10, le=1000, description="Breadth of an HNSW search.")
    merge_fan_in: int = Field(
        8, ge=2, le=64, description="Segments of one size class that are merged into one."
    )
    index_cache_bytes: int = Field(
        256 * 1024**2, ge=0, description="Memory for decoded postings and segment lengths."
    )

    answer_sentences: int = Field(
        4, ge=1, le=12, description="Most sentences in an extractive answer."
    )

    worker_concurrency: int = Field(
        4, ge=1, le=64, description="Documents a worker ingests at the same time."
    )
    worker_heartbeat_seconds: float = Field(
        2.0, gt=0, description="How often a worker says that it lives."
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

    host: str = Field("127.0.0.1", description="Address the server listens on.")
    port: int = Field(8080, ge=0, le=65535, description="Port the server listens on; 0 picks one.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "warning", description="Least severe log line that is written."
    )
    log_format: Literal["console", "json"] = Field("console", description="Shape of log lines.")


@lru_cache(maxsize=1)
def load_settings() -> Settings:
    """The settings of this process."""
    return Settings()


def settings_from(base: Settings | None, overrides: Mapping[str, object]) -> Settings:
    """The overrides over `base`, or over the environment. Raises UnsupportedSettings."""
    explicit = base.model_dump() if base is not None else {}
    try:
        return Settings.model_validate({**explicit, **overrides})
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in wrong["loc"])
        variable = f"FOOTNOTE_{name.upper()}"
        known = name in Settings.model_fields
        raise UnsupportedSettings(
            f"The setting {name} cannot be used: {wrong['msg']}.",
            hint=f"Set {variable} to another value." if known else "There is no such setting.",
        ) from error
