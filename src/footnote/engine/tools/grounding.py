"""The tool that holds statements against documents before they are said."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from pydantic import Field

from footnote.domain.grounding import ClaimCheck, ClaimVerdict, GroundingSource
from footnote.engine.grounding import MAX_STATEMENT_CHARACTERS, check_grounding
from footnote.engine.services import WorkspaceAccess
from footnote.engine.tools.definition import Arguments, Definition, Text
from footnote.engine.tools.rendering import line
from footnote.engine.tools.results import Result, told
from footnote.ports import ReadableDocument

_MOST_STATEMENTS = 30
_MOST_SOURCES = 20
_SHOWN_QUOTES = 2

_CHECK = """\
Check statements against documents or passages: for each it says whether they support it, \
contradict it, or neither, with the exact quotes and the numbers, dates or names that they lack. \
Use it before you state something that must be right. The ids come from search_documents or \
list_documents."""


class CheckStatements(Arguments):
    """Which statements, and what to hold them against."""

    statements: tuple[Text, ...] = Field(
        min_length=1,
        max_length=_MOST_STATEMENTS,
        description=f"Single statements of at most {MAX_STATEMENT_CHARACTERS} characters.",
    )
    document_ids: tuple[UUID, ...] = Field(
        (), max_length=_MOST_SOURCES, description="Whole documents to check against."
    )
    chunk_ids: tuple[Text, ...] = Field(
        (), max_length=_MOST_SOURCES, description="Single passages to check against."
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Checking:
    """Checks statements in one workspace."""

    workspace: WorkspaceAccess

    def definitions(self) -> tuple[Definition[CheckStatements]]:
        """The tool."""
        return (
            Definition(
                name="check_statements",
                description=_CHECK,
                arguments=CheckStatements,
                work=self.check,
                returns=CheckedStatements,
            ),
        )

    async def check(self, asked: CheckStatements) -> str:
        """Each statement with its verdict and quotes."""
        sources = [GroundingSource(document_id=each) for each in dict.fromkeys(asked.document_ids)]
        sources += [GroundingSource(chunk_id=each) for each in dict.fromkeys(asked.chunk_ids)]
        found = await check_grounding(self.workspace, sources, statements=asked.statements)
        result = CheckedStatements(
            judge=found.judge,
            degraded=list(found.degraded),
            statements=[_statement(each) for each in found.claims],
        )
        lines = [text for each in found.claims for text in _lines(each)]
        documents = {
            quote.document_id: ReadableDocument(
                document_id=quote.document_id,
                filename=quote.filename or "",
                title=quote.document_title or "",
            )
            for each in found.claims
            for quote in each.quotes
            if quote.document_id is not None
        }
        return told("\n".join(lines), result, documents.values())


def _lines(claim: ClaimCheck) -> list[str]:
    verdict = claim.verdict.value.replace("_", " ").upper()
    missing = ", ".join(f"{each.kind.value} {line(each.text)}".strip() for each in claim.guards)
    why = f" (not in the quotes: {missing})" if missing else ""
    return [
        f"{claim.number}. {verdict}, {claim.probability:.2f}{why}: {line(claim.text, 400)}",
        *(
            f"   {each.relation.value}: “{line(each.quote, 400)}” "
            f"({line(each.document_title or each.source_id)}, Chunk ID: {each.chunk_id})"
            for each in claim.quotes[:_SHOWN_QUOTES]
        ),
        *([] if claim.quotes else ["   Nothing there speaks of it."]),
    ]


def _statement(claim: ClaimCheck) -> CheckedStatement:
    supported = claim.verdict is ClaimVerdict.SUPPORTED
    return CheckedStatement(
        number=claim.number,
        text=claim.text,
        verdict=claim.verdict.value,
        probability=claim.probability,
        missing=[] if supported else [each.text for each in claim.guards if each.text],
        quotes=[
            CheckedQuote(
                quote=each.quote,
                relation=each.relation.value,
                document_id=each.document_id,
                document_title=each.document_title,
                chunk_id=each.chunk_id,
                page=each.page,
                paragraph=each.paragraph,
                char_start=each.char_start,
                char_end=each.char_end,
            )
            for each in claim.quotes
        ],
    )
