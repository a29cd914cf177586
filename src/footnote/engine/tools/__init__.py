"""The tools a model may use on one workspace, as one principal: it can name neither."""

from __future__ import annotations

from collections.abc import Mapping

from footnote.engine.services import WorkspaceAccess
from footnote.engine.tools.analysis import Analysing
from footnote.engine.tools.creating import IndexNow, Writing
from footnote.engine.tools.definition import ABSENT, Arguments, Definition
from footnote.engine.tools.documents import Shelves, passage_path
from footnote.engine.tools.grounding import Checking
from footnote.engine.tools.ledger import EvidenceLedger
from footnote.engine.tools.searching import Searching
from footnote.ports import Refusal, Tool

__all__ = [
    "ABSENT",
    "EvidenceLedger",
    "IndexNow",
    "Refusal",
    "argument_shapes",
    "document_tools",
    "passage_path",
]


def document_tools(
    workspace: WorkspaceAccess,
    ledger: EvidenceLedger | None = None,
    *,
    index_now: IndexNow | None = None,
    base_url: str = "",
) -> tuple[Tool, ...]:
    """The tools of a workspace, bound to it and to whom it was opened for.

    With a ledger, evidence is numbered over all their calls; without one, anew in each. Without
    `index_now`, a document that a model saves is found once a worker has indexed it. A text that
    tells of a failure is a `Refusal`. `base_url` is where the HTTP server is reached, for links.
    """
    searching = Searching(workspace=workspace, ledger=ledger)
    search, context = searching.definitions()
    return (
        search.tool(),
        *(each.tool() for each in Shelves(workspace=workspace, base_url=base_url).definitions()),
        context.tool(),
        *(each.tool() for each in Analysing(workspace=workspace, ledger=ledger).definitions()),
        *(each.tool() for each in Checking(workspace=workspace).definitions()),
        *(each.tool() for each in Writing(workspace=workspace, index_now=index_now).definitions()),
    )


def argument_shapes(tools: tuple[Tool, ...]) -> Mapping[str, type[Arguments]]:
    """The model of each tool's arguments, for libraries that want one instead of a schema."""
    return {each.name: each.call.arguments for each in tools if isinstance(each.call, Definition)}
