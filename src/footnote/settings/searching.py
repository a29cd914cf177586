"""Settings of models, of searches and of answers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, SecretStr

from footnote.domain import DiversityName, FusionName
from footnote.settings.kinds import (
    AnswerLimits,
    EmbeddingOptions,
    GoogleProject,
    also,
    default_alpha,
    json_of,
)
from footnote.settings.models import EmbedderNames, ModelName, ModelNames, RerankerName


class SearchSettings(BaseModel):
    """Models that are served, embedders, search, reranker, answers and caches."""

    # Served models

    model_keys: SecretStr | None = Field(
        None,
        description="JSON object of the keys of served models, by vendor or by the host and port "
        'of an address: {"openai": "…", "127.0.0.1:8000": "…"}. A vendor\'s key is sent to no '
        "address that a setting names. Without one the vendor's own variable is read, save "
        "OpenAI's. See answer-models.md.",
    )
    google_project: GoogleProject = Field(
        "",
        description="Google Cloud project that pays for the reranker and the grounding judge "
        "vertex, with a location behind it where it is not global, and an address where that is "
        "not Google's: acme-1234/eu@https://proxy.example.com.",
    )
    language_model: ModelName | None = Field(
        None,
        description="Model that condenses and rewords questions and grades passages: VENDOR:MODEL, "
        "or MODEL@ADDRESS for one of an OpenAI-compatible server; unset means none. See "
        "query-understanding.md.",
    )

    # Embedding models

    embedding_models: EmbedderNames = Field(
        "multilingual",
        description="Models that workspaces may be embedded with, joined by commas, that of new "
        "workspaces first: multilingual, minilm or e5 (packaged), fastembed:NAME or "
        "fastembed:/folder (local), openai:MODEL or another vendor's, compatible:MODEL@ADDRESS; "
        "`#512` behind the name shortens its vectors to 512 dimensions. See lanes.md.",
    )
    embedding_options: Annotated[str, json_of(EmbeddingOptions)] = Field(
        "{}",
        description="JSON object of what a fastembed or hosted model was trained with, where it is "
        "not known: query_prompt and document_prompt, put before a query and before a chunk, and "
        "max_tokens, of which the rest of a text is cut off (512 where nobody knows).",
    )
    model_threads: int = Field(
        0,
        ge=0,
        le=256,
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
        validation_alias=also("top_k", "TOP_K_FINAL"),
        description="Passages returned by a search that does not say how many.",
    )
    recall_limit: int = Field(
        100,
        ge=1,
        le=1000,
        validation_alias=also("recall_limit", "TOP_K_PRE"),
        description="Candidates the dense and the lexical recall bring each, at least five times "
        "top_k; more find more and take longer.",
    )
    min_similarity: float | None = Field(
        None,
        ge=-1,
        le=1,
        validation_alias=also("min_similarity", "SIMILARITY_THRESHOLD"),
        description="Cosine to the query that a passage must reach when a request does not say.",
    )
    fusion: FusionName = Field(
        "adaptive",
        validation_alias=also("fusion", "DOCUMENT_FUSION_STRATEGY"),
        description="How the dense and the lexical ranking become one. See fusion.md.",
    )
    hybrid: bool = Field(
        True,
        validation_alias=also("hybrid", "DOCUMENT_HYBRID_RETRIEVAL_ENABLED"),
        description="Whether words are searched beside vectors; off means dense_only.",
    )
    rrf_k: int = Field(
        60,
        ge=1,
        le=1_000_000,
        validation_alias=also("rrf_k", "RRF_K"),
        description="Rank constant of Reciprocal Rank Fusion; a larger one counts the first "
        "ranks for less.",
    )
    rrf_dense_weight: float = Field(
        1.0,
        ge=0,
        allow_inf_nan=False,
        validation_alias=also("rrf_dense_weight", "SEMANTIC_WEIGHT"),
        description="Weight of the dense ranking in Reciprocal Rank Fusion.",
    )
    rrf_lexical_weight: float = Field(
        1.0,
        ge=0,
        allow_inf_nan=False,
        validation_alias=also("rrf_lexical_weight", "KEYWORD_WEIGHT"),
        description="Weight of the lexical ranking in Reciprocal Rank Fusion.",
    )
    blend_alpha: float = Field(
        default_factory=default_alpha,
        validate_default=True,
        ge=0,
        le=1,
        validation_alias=also("blend_alpha", "DOCUMENT_HYBRID_RETRIEVAL_ALPHA"),
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
        validation_alias=also("mmr_candidates", "TOP_K_MMR"),
        description="Candidates the diversity mmr chooses from, at least twice top_k.",
    )
    neighbours: int = Field(
        0,
        ge=0,
        le=10,
        description="Chunks before and after each hit that are merged into it, for more context.",
    )
    hnsw_threshold_chunks: int = Field(
        150_000,
        ge=100,
        description="Chunks from which a workspace gets its own HNSW index, which it keeps until "
        "it has half as many. Below it every vector is compared, exactly: in memory, or by "
        "Postgres in half a microsecond each until the process has them there.",
    )

    # Reranker

    reranker: RerankerName = Field(
        "none",
        description="Model that orders the best candidates anew; it finds better and takes longer: "
        "none, reader, local, cohere, jina, voyage, tei or vertex, with its model and its address "
        "where they are not the usual ones: local:/folder, cohere:rerank-v3.5, "
        "tei@http://127.0.0.1:8081. See rerankers.md.",
    )
    reranker_enabled: bool = Field(
        True,
        validation_alias=also("reranker_enabled", "DOCUMENT_RERANKER_ENABLED"),
        description="Whether plans use the reranker, if there is one.",
    )
    rerank_top_k: int | None = Field(
        None,
        ge=1,
        le=1000,
        validation_alias=also("rerank_top_k", "RERANK_TOP_K"),
        description="Candidates the reranker reads; unset means three times top_k.",
    )

    # Answers

    reader: str = Field(
        "packaged",
        description="Model that finds answers in passages: `packaged`, the file of other weights, "
        "or `none`, which leaves answers to models that write.",
    )
    answer_models: ModelNames | None = Field(
        None,
        description="Models that write answers, joined by commas: each is asked when those before "
        "it failed. Spelled like language_model, which is taken when unset; with none, answers are "
        "quotes. See answer-models.md.",
    )
    answer_limits: Annotated[str, json_of(AnswerLimits)] = Field(
        "{}",
        description="JSON object of what writing may take. tokens (1024): most that a model may "
        "write in one answer, one reply to a search or one description of a picture; models that "
        "think before they write need more. context_tokens: what the answer models take, the "
        "answer included, where it is not what is known of each, else 8192. agent_cost_usd: most "
        "an agent may spend on one answer.",
    )
    suggestions: int = Field(
        3,
        ge=0,
        le=5,
        description="Most questions that are suggested after an answer, each tried on the "
        "documents before; 0 suggests none.",
    )
    grounding_judge: Literal["none", "reader", "language_model", "vertex"] = Field(
        "reader",
        description="Model that reads the sentences of a model's answer, and statements that are "
        "checked, beside their quotes: the reader, language_model, vertex (Google's Check "
        "Grounding API), or none, which leaves them to exact values. See grounding.md.",
    )

    # Caches

    cache_bytes: int = Field(
        608 * 1024**2,
        ge=0,
        description="Memory of all caches of a process together: 8 of 19 parts are for vectors, "
        "8 for the index, 2 for searches and 1 for answers. 100,000 vectors of 384 dimensions "
        "take 40 MB, and 77 MB of a file in FOOTNOTE_HOME; 0 keeps nothing.",
    )

    @property
    def writing(self) -> AnswerLimits:
        """What writing may take."""
        return AnswerLimits.model_validate_json(self.answer_limits)
