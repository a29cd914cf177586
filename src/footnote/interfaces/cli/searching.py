"""The options that say how a search goes about it and where it looks, and what they become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import TypeAdapter, ValidationError

from footnote.domain import BlockKind, PlanChanges, SearchFilters, SearchRequest, SourceType
from footnote.errors import InvalidRequest
from footnote.filters import condition_from_text
from footnote.interfaces.cli import present
from footnote.validation.messages import wrong_value

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

PlanName = Annotated[
    str | None,
    typer.Option("--plan", metavar="PLAN", help="balanced, fast or thorough; else FOOTNOTE_PLAN."),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="STAGE=VALUE", help="Change the plan; may be repeated."),
]
Filter = Annotated[
    str | None,
    typer.Option("--filter", metavar="JSON", help="Only in documents of which this holds."),
]
Kinds = Annotated[
    list[BlockKind] | None,
    typer.Option("--kind", help="Only passages of this kind; may be repeated."),
]
SourceTypes = Annotated[
    list[SourceType] | None,
    typer.Option("--source-type", help="Only documents that came so; may be repeated."),
]
DocumentIds = Annotated[
    list[str] | None,
    typer.Option(
        "--document",
        metavar="DOCUMENT",
        help="Only in this one, by id, beginning of an id, or file name; may be repeated.",
    ),
]
MinSimilarity = Annotated[
    float | None,
    typer.Option(
        "--min-similarity", min=-1, max=1, metavar="COSINE", help="What a passage must reach."
    ),
]
Facets = Annotated[
    list[str] | None,
    typer.Option("--facet", metavar="FIELD", help="Count a field's values; may be repeated."),
]
Explain = Annotated[
    bool, typer.Option("--explain", help="Show what each stage did to each passage.")
]

_CHANGES = TypeAdapter(PlanChanges)
_STAGES = tuple(each.name for each in fields(PlanChanges))


def filters_of(
    *,
    collections: Sequence[str] | None,
    source_types: Sequence[SourceType] | None,
    kinds: Sequence[BlockKind] | None,
    where: str | None,
    min_similarity: float | None,
) -> SearchFilters:
    """What restricts a search. Raises InvalidRequest, with the place in the filter."""
    return SearchFilters(
        collections=tuple(collections or ()),
        source_types=tuple(source_types or ()),
        evidence_types=tuple(kinds or ()),
        where=None if where is None else condition_from_text(where),
        min_similarity=min_similarity,
    )


async def looked_up(
    workspace: WorkspaceEngine, request: SearchRequest, documents: Sequence[str] | None
) -> SearchRequest:
    """The request, within the documents that are called so; says which collections there are not.

    Raises NotFound and InvalidRequest.
    """
    await tell_of_unknown_collections(workspace, request.filters.collections)
    ids = [await workspace.document_called(each) for each in documents or ()]
    return replace(request, filters=replace(request.filters, document_ids=tuple(ids)))


async def tell_of_unknown_collections(workspace: WorkspaceEngine, names: Sequence[str]) -> None:
    """Say on standard error which of the collections there are not."""
    if not names:
        return
    for name, closest in await workspace.unknown_collections(names):
        told = f"there is no collection {name!r} with documents in this workspace"
        present.show_degraded([f"{told}; did you mean {closest!r}?" if closest else told])


def changes_of(settings: Sequence[str] | None) -> PlanChanges:
    """What is changed of a plan by words like `fusion=rrf`. Raises InvalidRequest."""
    given = dict(map(_pair, settings or ()))
    try:
        return _CHANGES.validate_python(given)
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        stage = str(wrong["loc"][0])
        raise InvalidRequest(
            f"{stage}={given[stage]} cannot be used: {wrong_value(wrong)}",
            hint="each stage with its values is in docs/retrieval.md",
        ) from error


def _pair(text: str) -> tuple[str, str]:
    stage, equals, value = (part.strip() for part in text.partition("="))
    stage = stage.replace("-", "_")
    if not equals or not stage:
        raise InvalidRequest(
            f"{text!r} does not set anything", hint="write it as in --set neighbours=1"
        )
    if stage not in _STAGES:
        raise InvalidRequest(f"a plan has no {stage!r}", hint=f"it has {', '.join(_STAGES)}")
    return stage, value
