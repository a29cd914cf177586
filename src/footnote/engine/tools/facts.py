"""The tool that finds facts: single values and statements, with the words that say them."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from pydantic import Field

from footnote.domain.audit import Act
from footnote.engine.facts import contradicting_facts
from footnote.engine.facts import recall_facts as recall
from footnote.engine.tools.definition import Arguments, ToolContext, tool
from footnote.engine.tools.rendering import line
from footnote.engine.tools.results import Result, filled, tool_text
from footnote.ports import ReadableDocument
from footnote.validation.constrained_types import FactQuery

_MAX_FACTS = 50


class RecallFacts(Arguments):
    """What facts are wanted about."""

    query: FactQuery = Field(description="A question, or a topic.")
    document_id: UUID | None = Field(None, description="Only of this document.")
    limit: int = Field(10, ge=1, le=_MAX_FACTS, description="How many.")


class FactLocation(Result):
    """Where a fact stands."""

    document_id: UUID
    document_title: str
    quote: str
    char_start: int = Field(description="Where it begins in the text of its document.")
    char_end: int


class KnownFact(Result):
    """A fact."""

    fact_id: UUID
    status: str
    statement: str
    subject: str
    predicate: str
    object: str
    value: str | None = Field(None, description="As a decimal number, its scale applied.")
    unit: str = ""
    valid_from: date | None = None
    valid_to: date | None = None
    confidence: float
    sources: list[FactLocation]
    conflicts_with: list[str] = Field(description="What other documents say instead.")


class KnownFacts(Result):
    """The facts that say most, the best first."""

    facts: list[KnownFact]


@tool(
    """\
Find single facts that were extracted from the documents: values of tables, lines such as \
"Deductible: 500 EUR", definitions and short statements, each with its exact words, its period \
and what other documents say instead. Use it for a number, a date or a definition; use \
search_documents for everything else, and where it finds nothing.""",
    returns=KnownFacts,
    act=Act.SEARCHED,
)
async def recall_facts(context: ToolContext, arguments: RecallFacts) -> str:
    """Return each fact on a line, with its quotes below."""
    workspace = context.workspace
    hits = await recall(
        workspace, arguments.query, document_id=arguments.document_id, limit=arguments.limit
    )
    contradicting = await contradicting_facts(workspace, [hit.fact.fact_id for hit in hits])
    result = KnownFacts(
        facts=[
            filled(
                KnownFact,
                hit.fact,
                status=hit.fact.status.value,
                sources=[filled(FactLocation, source) for source in hit.fact.sources],
                conflicts_with=[fact.statement for fact in contradicting.get(hit.fact.fact_id, ())],
            )
            for hit in hits
        ]
    )
    lines: list[str] = []
    for number, fact in enumerate(result.facts, start=1):
        days = [fact.valid_from, fact.valid_to]
        period = " ({} to {})".format(*(day or "…" for day in days)) if any(days) else ""
        lines.append(f"{number}. {line(fact.statement, 400)}{period}")
        lines += [
            f"   “{line(source.quote, 300)}” ({line(source.document_title)}, "
            f"Document ID: {source.document_id})"
            for source in fact.sources[:3]
        ]
        lines += [f"   OTHERWISE: {line(other, 300)}" for other in fact.conflicts_with]
    documents = [
        ReadableDocument(
            document_id=source.document_id,
            filename="",
            title=source.document_title,
        )
        for fact in result.facts
        for source in fact.sources
    ]
    text = "\n".join(lines) or "No facts were found; use search_documents."
    return tool_text(text, result, documents)
