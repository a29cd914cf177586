"""Build the stages of a search from the settings of the installation or a workspace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from uuid import UUID

from footnote.domain import Plan
from footnote.retrieval.fusion import FusionChoices
from footnote.retrieval.pipeline import Search
from footnote.retrieval.plans import named_plans
from footnote.settings import Settings


def fusion_choices(settings: Settings) -> FusionChoices:
    """Return the fusion parameters of the settings."""
    return FusionChoices(
        rrf_k=settings.rrf_k,
        dense_weight=settings.rrf_dense_weight,
        lexical_weight=settings.rrf_lexical_weight,
        alpha=settings.blend_alpha,
    )


def plans_of(settings: Settings, *, has_reranker: bool, writes: bool) -> Mapping[str, Plan]:
    """Return the named plans, with the stages that the available models allow."""
    return named_plans(
        fusion=settings.fusion if settings.hybrid else "dense_only",
        diversity=settings.diversity,
        neighbours=settings.neighbours,
        reranks=has_reranker and settings.reranker_enabled,
        writes=writes,
        graph=settings.graph_recall,
    )


def with_settings(stages: Search, settings: Settings, configuration: int) -> Search:
    """Return the stages with every setting that a workspace may change applied."""
    rerank = stages.refine.rerank
    return replace(
        stages,
        gather=replace(
            stages.gather,
            choices=fusion_choices(settings),
            recall_limit=settings.recall_limit,
            candidates=settings.rerank_top_k,
            mmr_candidates=settings.mmr_candidates,
        ),
        refine=replace(
            stages.refine,
            rerank=None if rerank is None else replace(rerank, candidates=settings.rerank_top_k),
        ),
        plans=plans_of(settings, has_reranker=rerank is not None, writes=stages.model is not None),
        default_plan=settings.plan,
        top_k=settings.top_k,
        min_similarity=settings.min_similarity,
        configuration=configuration,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """The settings of one workspace as of one change."""

    change_no: int
    """Number of the last change; 0 before the first."""
    settings: Settings
    """The installation's settings overridden by the workspace's own values."""
    _stages: dict[str, Search] = field(default_factory=dict)

    def stages(self, wired: Search, lane: str) -> Search:
        """Return the search stages of a lane under these settings; built once per lane."""
        if not self.change_no:
            return wired
        if lane not in self._stages:
            self._stages[lane] = with_settings(wired, self.settings, self.change_no)
        return self._stages[lane]


KnownConfigurations = dict[UUID, Configuration]
"""The cached configuration of each workspace. The index raises ConfigurationChanged for an outdated
one."""
