"""The tools a model may use on one workspace, as one principal: it can name neither."""

from __future__ import annotations

from collections.abc import Mapping

from footnote.engine.services import WorkspaceAccess
from footnote.engine.tools.analysis import analyze_document
from footnote.engine.tools.creating import create_document
from footnote.engine.tools.definition import (
    ABSENT,
    Arguments,
    BoundTool,
    EvidenceLedger,
    IndexNow,
    ToolContext,
)
from footnote.engine.tools.documents import get_document, list_documents, passage_path
from footnote.engine.tools.facts import recall_facts
from footnote.engine.tools.grounding import check_statements
from footnote.engine.tools.related import find_related
from footnote.engine.tools.searching import get_document_context, search_documents
from footnote.engine.tools.summaries import summarize_documents
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
    """Return the tools of a workspace, bound to it and its principal.

    With a ledger, evidence is numbered over all their calls; without one, anew in each. Without
    `index_now`, a document that a model saves is found once a worker has indexed it. A text that
    tells of a failure is a `Refusal`. `base_url` is where the HTTP server is reached, for links.
    """
    context = ToolContext(
        workspace=workspace, ledger=ledger, index_now=index_now, base_url=base_url
    )
    return (
        search_documents.bound(context),
        get_document.bound(context),
        list_documents.bound(context),
        get_document_context.bound(context),
        analyze_document.bound(context),
        check_statements.bound(context),
        recall_facts.bound(context),
        find_related.bound(context),
        summarize_documents.bound(context),
        create_document.bound(context),
    )


def argument_shapes(tools: tuple[Tool, ...]) -> Mapping[str, type[Arguments]]:
    """Return the pydantic model of each tool's arguments, for libraries that take no schema."""
    return {
        tool.name: tool.call.definition.arguments
        for tool in tools
        if isinstance(tool.call, BoundTool)
    }
