"""How a search goes about it: which stages run, and with which settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FusionName = Literal["adaptive", "rrf", "weighted_blend", "dense_only", "lexical_only"]
DiversityName = Literal["round_robin", "mmr", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Every choice of a search."""

    name: str
    fusion: FusionName = "adaptive"
    route: bool = False
    """Search the documents first, and within those that promise most."""
    across_languages: bool = True
    """Look by themselves for passages in other languages, which no word of the question finds."""
    graph: bool = False
    """Recall also what names the entities of the question, and what stands beside them."""
    rerank: bool = False
    diversity: DiversityName = "none"
    neighbours: int = 0
    """Chunks before and after each evidence that are merged into it, 0…10."""
    across_headings: bool = False
    """Whether neighbours may stand under another heading."""
    spelling: bool = True
    exact_phrases: bool = False
    """Find nothing where no passage holds the query's phrases, rather than search their words."""
    condense: bool = False
    """Have a language model put a follow-up question so that it stands alone; rules do else."""
    queries: int = 1
    """Wordings of the question that are searched, 1…5. More than one needs a language model."""
    hypothetical: bool = False
    """Search with the vector of an imagined answer (HyDE). Needs a language model."""
    corrections: int = 0
    """Cycles of grade → rewrite → retry, 0…2. Needs a language model."""
    cache: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanChanges:
    """What a request changes of a plan; None leaves it."""

    fusion: FusionName | None = None
    route: bool | None = None
    across_languages: bool | None = None
    graph: bool | None = None
    rerank: bool | None = None
    diversity: DiversityName | None = None
    neighbours: int | None = None
    across_headings: bool | None = None
    spelling: bool | None = None
    exact_phrases: bool | None = None
    condense: bool | None = None
    queries: int | None = None
    hypothetical: bool | None = None
    corrections: int | None = None
    cache: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of the conversation a question belongs to."""

    role: Literal["user", "assistant"]
    text: str
