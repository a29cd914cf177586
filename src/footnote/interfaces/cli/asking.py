"""The options of a question, written once for every command that asks one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from typing import get_type_hints

from footnote.domain import SearchRequest
from footnote.interfaces.cli import searching
from footnote.interfaces.cli.options import AsJson, Collections, TopK, Workspace
from footnote.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How a question is gone about, where, and how what is found is shown."""

    top_k: TopK = None
    collection: Collections = None
    document: searching.DocumentIds = None
    source_type: searching.SourceTypes = None
    kind: searching.Kinds = None
    where: searching.Filter = None
    min_similarity: searching.MinSimilarity = None
    plan: searching.PlanName = None
    changes: searching.Changes = None
    explain: searching.Explain = False
    workspace: Workspace = None
    as_json: AsJson = False

    def request(
        self, query: str, settings: Settings, facets: Sequence[str] | None = None
    ) -> SearchRequest:
        """What is searched, but for the documents. Raises InvalidRequest."""
        return SearchRequest(
            query=query,
            top_k=settings.top_k,
            filters=searching.filters_of(
                collections=self.collection,
                source_types=self.source_type,
                kinds=self.kind,
                where=self.where,
                min_similarity=self.min_similarity,
            ),
            plan=self.plan,
            changes=searching.changes_of(self.changes),
            facets=tuple(facets or ()),
        )


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command, with an option for each field of `Asking` in place of its argument `asking`."""
    hints = get_type_hints(Asking, include_extras=True)
    shared = [
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=each.default,
            annotation=hints[each.name],
        )
        for each in fields(Asking)
    ]

    @wraps(command)
    def run(**given: object) -> None:
        asking = Asking(**{each.name: given.pop(each.name) for each in shared})  # type: ignore[arg-type]  # as typer read them
        command(asking=asking, **given)

    signature = inspect.signature(command, eval_str=True)
    own = [each for name, each in signature.parameters.items() if name != "asking"]
    parameters = [*own, *shared]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # read by typer
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run
