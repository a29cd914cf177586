"""The tool that checks statements against documents."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from footnote.domain.audit import Act
from footnote.domain.grounding import ClaimVerdict, GroundingSource
from footnote.engine.grounding import MAX_STATEMENT_CHARACTERS, check_grounding
from footnote.engine.tools.definition import Arguments, ToolContext, tool
from footnote.engine.tools.rendering import line
from footnote.engine.tools.results import Result, filled, tool_text
from footnote.ports import ReadableDocument
from footnote.validation.constrained_types import StorableText

_MAX_STATEMENTS = 30
_MAX_SOURCES = 20
_MAX_QUOTES = 2


class CheckStatements(Arguments):
    """Which statements, and what to hold them against."""

    statements: tuple[StorableText, ...] = Field(
        min_length=1,
        max_length=_MAX_STATEMENTS,
        description=f"Single statements of at most {MAX_STATEMENT_CHARACTERS} characters.",
    )
    document_ids: tuple[UUID, ...] = Field(
        (), max_length=_MAX_SOURCES, description="Whole documents to check against."
    )
    chunk_ids: tuple[StorableText, ...] = Field(
        (), max_length=_MAX_SOURCES, description="Single passages to check against."
    )


class CheckedQuote(Result):
    """What speaks of a statement."""

    quote: str
    relation: str
    document_id: UUID | None = None
    document_title: str | None = None
    chunk_id: str | None = None
    page: int | None = None
    paragraph: int
    char_start: int = Field(description="Where it begins in the text of its document.")
    char_end: int


class CheckedStatement(Result):
    """A statement with its verdict."""

    number: int
    text: str
    verdict: str
    probability: float = Field(description="0 to 1, how likely the verdict is right.")
    missing: list[str] = Field(description="Numbers, dates and names that the quotes lack.")
    quotes: list[CheckedQuote]


class CheckedStatements(Result):
    """Every statement in its order."""

    judge: str
    degraded: list[str] = Field(description="What could not be done, and why.")
    statements: list[CheckedStatement]


@tool(
    """\
Check statements against documents or passages: for each it says whether they support it, \
contradict it, or neither, with the exact quotes and the numbers, dates or names that they lack. \
Use it before you state something that must be right. The ids come from search_documents or \
list_documents.""",
    returns=CheckedStatements,
    act=Act.SEARCHED,
)
async def check_statements(context: ToolContext, arguments: CheckStatements) -> str:
    """Return each statement with its verdict and quotes."""
    sources = [
        GroundingSource(document_id=document_id)
        for document_id in dict.fromkeys(arguments.document_ids)
    ]
    sources += [
        GroundingSource(chunk_id=chunk_id) for chunk_id in dict.fromkeys(arguments.chunk_ids)
    ]
    check = await check_grounding(context.workspace, sources, statements=arguments.statements)
    result = CheckedStatements(
        judge=check.judge,
        degraded=list(check.degraded),
        statements=[
            filled(
                CheckedStatement,
                claim,
                verdict=claim.verdict.value,
                missing=[]
                if claim.verdict is ClaimVerdict.SUPPORTED
                else [guard.text for guard in claim.guards if guard.text],
                quotes=[
                    filled(CheckedQuote, quote, relation=quote.relation.value)
                    for quote in claim.quotes
                ],
            )
            for claim in check.claims
        ],
    )
    lines: list[str] = []
    for claim in check.claims:
        verdict = claim.verdict.value.replace("_", " ").upper()
        missing = ", ".join(
            f"{guard.kind.value} {line(guard.text)}".strip() for guard in claim.guards
        )
        why = f" (not in the quotes: {missing})" if missing else ""
        lines.append(
            f"{claim.number}. {verdict}, {claim.probability:.2f}{why}: {line(claim.text, 400)}"
        )
        lines += [
            f"   {quote.relation.value}: “{line(quote.quote, 400)}” "
            f"({line(quote.document_title or quote.source_id)}, Chunk ID: {quote.chunk_id})"
            for quote in claim.quotes[:_MAX_QUOTES]
        ] or ["   Nothing there speaks of it."]
    documents = [
        ReadableDocument(
            document_id=quote.document_id,
            filename=quote.filename or "",
            title=quote.document_title or "",
        )
        for claim in check.claims
        for quote in claim.quotes
        if quote.document_id is not None
    ]
    return tool_text("\n".join(lines), result, documents)
