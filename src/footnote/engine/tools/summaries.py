"""The tool that says what documents say as a whole, in passages that can be cited."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from footnote.domain.audit import Act
from footnote.engine.summaries import summary
from footnote.engine.tools.definition import Arguments, ToolContext, tool
from footnote.engine.tools.rendering import evidence_text, line
from footnote.engine.tools.results import (
    PassageResult,
    Result,
    document_of,
    passage_result,
    tool_text,
)
from footnote.engine.tools.searching import as_evidence, parents_of
from footnote.store.passages import passages_at
from footnote.validation.constrained_types import Name


class SummarizeDocuments(Arguments):
    """What is to be summarised: exactly one of the three."""

    document_id: UUID | None = Field(None, description="This document.")
    collection: Name | None = Field(None, description="All documents of this collection.")
    cluster_id: UUID | None = Field(None, description="All documents of this cluster.")
    sentences: int = Field(10, ge=1, le=20, description="How many sentences are looked for.")


class SummaryPassages(Result):
    """The passages whose sentences say most of the whole, the one that says most first."""

    documents: int = Field(description="How many documents it was made from.")
    sentences: list[str] = Field(description="The sentences that were chosen.")
    passages: list[PassageResult] = Field(description="Where they stand.")


@tool(
    """\
Find what one document, a collection or a cluster of documents says as a whole: the passages whose \
sentences say most of it, spread over the documents, as numbered sources to cite. Use it for \
questions about the whole, such as the main themes or risks across these contracts, and look into \
what it finds with search_documents; use search_documents alone for anything particular.""",
    returns=SummaryPassages,
    act=Act.SEARCHED,
)
async def summarize_documents(context: ToolContext, arguments: SummarizeDocuments) -> str:
    """Return the central sentences, and below them each of their passages once."""
    workspace = context.workspace
    summarised = await summary(
        workspace,
        document_id=arguments.document_id,
        collection=arguments.collection,
        cluster_id=arguments.cluster_id,
        sentences=arguments.sentences,
    )
    async with workspace.scope() as scope:
        passages = await passages_at(
            scope,
            [(sentence.document_id, sentence.char_start) for sentence in summarised.sentences],
        )
    numbered = context.numbered([as_evidence(passage) for passage in passages])
    parents = await parents_of(workspace, [hit.passage for _, hit in numbered])
    result = SummaryPassages(
        documents=summarised.documents,
        sentences=[sentence.text for sentence in summarised.sentences],
        passages=[passage_result(*numbered_hit) for numbered_hit in numbered],
    )
    head = [f"What {summarised.documents} documents say most of, in their own sentences:"]
    head += [f"- {line(sentence, 400)}" for sentence in result.sentences]
    entries = [evidence_text(number, hit, parents) for number, hit in numbered]
    text = "\n\n".join(["\n".join(head), *entries])
    if not numbered:
        text = "There is no summary of it yet; use search_documents."
    return tool_text(text, result, [document_of(hit) for _, hit in numbered])
