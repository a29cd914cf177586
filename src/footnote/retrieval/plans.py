"""Named search plans, and their overrides by a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace

from footnote.domain import DiversityName, FusionName, Plan, PlanChanges
from footnote.errors import InvalidRequest

BALANCED, FAST, THOROUGH = "balanced", "fast", "thorough"

MAX_NEIGHBOURS = 10
MAX_WORDINGS = 5
MAX_CORRECTIONS = 2


def named_plans(
    *,
    fusion: FusionName,
    diversity: DiversityName,
    neighbours: int,
    reranks: bool,
    writes: bool,
    graph: bool = False,
) -> Mapping[str, Plan]:
    """Return the plans of an installation, by name.

    `balanced` has the stages that cost little. `fast` omits those that process more than the top
    results. `thorough` has every available stage: `reranks` and `writes` say whether a reranker and
    a language model are configured. `graph` adds recall by entities to all but `fast`.
    """
    balanced = Plan(
        name=BALANCED,
        fusion=fusion,
        rerank=reranks,
        diversity=diversity,
        neighbours=neighbours,
        graph=graph,
        condense=writes,
    )
    return {
        BALANCED: balanced,
        FAST: Plan(name=FAST, fusion=fusion, spelling=False),
        THOROUGH: replace(
            balanced,
            name=THOROUGH,
            neighbours=max(neighbours, 1),
            queries=3 if writes else 1,
            hypothetical=writes,
            corrections=MAX_CORRECTIONS if writes else 0,
        ),
    }


def resolved(plans: Mapping[str, Plan], name: str, changes: PlanChanges) -> Plan:
    """Return the named plan with the changes applied. Raises InvalidRequest."""
    plan = plans.get(name)
    if plan is None:
        raise InvalidRequest(
            f"there is no plan {name!r}", hint=f"leave it out, or say one of {', '.join(plans)}"
        )
    overrides = {field: value for field, value in asdict(changes).items() if value is not None}
    for field, minimum, maximum in (
        ("neighbours", 0, MAX_NEIGHBOURS),
        ("queries", 1, MAX_WORDINGS),
        ("corrections", 0, MAX_CORRECTIONS),
    ):
        if field in overrides and not minimum <= overrides[field] <= maximum:
            raise InvalidRequest(
                f"{field} is {overrides[field]}",
                hint=f"choose a number from {minimum} to {maximum}",
            )
    return replace(plan, **overrides)
