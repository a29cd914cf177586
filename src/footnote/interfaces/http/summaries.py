"""Routes of summaries: what a document, a collection or a cluster says as a whole."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query

from footnote.domain.summaries import Summary, SummaryProgress
from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.validation.constrained_types import Name

router = workspace_router("summaries")


@router.get("/v1/summaries", responses=problem_responses("not-found"))
async def get_summary(
    workspace: TheWorkspace,
    *,
    document_id: Annotated[UUID | None, Query(description="Of this document.")] = None,
    collection: Annotated[Name | None, Query(description="Of this collection.")] = None,
    cluster_id: Annotated[UUID | None, Query(description="Of this cluster.")] = None,
    sentences: Annotated[int, Query(ge=1, le=20, description="The most sentences.")] = 5,
    write: Annotated[
        bool,
        Query(
            description="Have the language model write of a collection or a cluster, too, which "
            "costs tokens; of a document it has written before, where it is to."
        ),
    ] = False,
) -> Summary:
    """Summarise a document, a collection or a cluster in sentences of the documents."""
    return await workspace.summary(
        document_id=document_id,
        collection=collection,
        cluster_id=cluster_id,
        sentences=sentences,
        write=write,
    )


@router.get("/v1/summaries/progress")
async def get_summary_progress(workspace: TheWorkspace) -> SummaryProgress:
    """Say how far the documents of the workspace are summarised."""
    return await workspace.summary_progress()
