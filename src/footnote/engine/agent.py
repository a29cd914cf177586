"""A question is given to a model that looks things up by itself, with the workspace's tools."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from footnote.answering.agentic import AgenticAnswerer, Equipment
from footnote.domain import AnswerEvent, Turn
from footnote.engine.answer_models import agent_bounds, agent_model_for, mcp_servers
from footnote.engine.answering import grounding_of
from footnote.engine.lanes import serving
from footnote.engine.tools import EvidenceLedger, IndexNow, document_tools
from footnote.engine.workspace import WorkspaceEngine
from footnote.errors import InvalidRequest
from footnote.retrieval.query import MAX_QUERY_CHARACTERS
from footnote.validation.arguments import checks

MAX_QUESTION_CHARACTERS = MAX_QUERY_CHARACTERS


@checks
async def agent_stream(
    workspace: WorkspaceEngine,
    question: str,
    *,
    conversation: Sequence[Turn] = (),
    index_now: IndexNow | None = None,
    base_url: str = "",
) -> AsyncGenerator[AnswerEvent]:
    """The agent's tool calls as they happen, then its answer, cited and grounded like any other.

    `index_now` and `base_url` are those of `document_tools`. Raises InvalidRequest before the
    first event, also where no model answers in the workspace. Closing the generator stops the
    model.
    """
    workspace.require_open()
    if not question.strip() or len(question) > MAX_QUESTION_CHARACTERS:
        raise InvalidRequest(
            "there is no question" if not question.strip() else "the question is too long",
            hint=f"ask with 1 to {MAX_QUESTION_CHARACTERS:,} characters",
        )
    model = await agent_model_for(workspace)
    if model is None:
        raise InvalidRequest(
            "an agent needs a model, and none answers in this workspace",
            hint="set FOOTNOTE_ANSWER_MODELS, or choose one: footnote models use NAME",
        )
    in_lane = await serving(workspace.engine, workspace.workspace.workspace_id)
    ledger = EvidenceLedger()
    answerer = AgenticAnswerer(
        model=model,
        ground=grounding_of(workspace, in_lane),
        analyzer=workspace.engine.analyzer,
        embedder=in_lane.statements,
    )
    equipment = Equipment(
        tools=document_tools(workspace, ledger, index_now=index_now, base_url=base_url),
        servers=await mcp_servers(workspace),
        bounds=agent_bounds(workspace.engine.settings),
        evidence=lambda: ledger.evidence,
    )
    async with aclosing(answerer.stream(question.strip(), equipment, turns=conversation)) as events:
        async for event in events:
            yield event
