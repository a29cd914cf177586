"""The tool that reads one whole document for a question, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from pydantic import Field

from footnote.domain import Answer, Document, Evidence, Passage, SearchFilters, SearchRequest
from footnote.domain.audit import Act
from footnote.engine import documents as document_verbs
from footnote.engine.answer_models import answer_writer_for
from footnote.engine.lanes import serving
from footnote.engine.search import search
from footnote.engine.services import WorkspaceAccess
from footnote.engine.tools.definition import (
    Arguments,
    DocumentId,
    EvidenceLedger,
    ToolContext,
    tool,
)
from footnote.engine.tools.digest import Digest, digest
from footnote.engine.tools.rendering import evidence_text, line, source_line
from footnote.engine.tools.results import Analysis, passage_result, readable, tool_text
from footnote.engine.tools.searching import as_evidence, parents_of
from footnote.errors import ModelUnavailable
from footnote.ports import Refusal
from footnote.validation.constrained_types import StorableText

MAX_PASSAGES = 2_000
"""Of one document: some hundred thousand words."""

MAX_QUESTION_CHARACTERS = 2_000
_PART_PASSAGES = 16
_MAX_STATEMENTS = 12
_MIN_ANSWERABILITY = 0.05
"""Of a part, below which nothing of it is shown. Less than an answer to a question of the whole
workspace needs: the caller chose the document, and a weak result is reported as merely near."""
_MAX_RANKED = 200
_MAX_SHOWN = 20
"""Passages that are shown in full below an analysis."""


class AnalyzeDocument(Arguments):
    """Which document, and what of it."""

    document_id: DocumentId
    question: StorableText = Field(
        min_length=1,
        max_length=MAX_QUESTION_CHARACTERS,
        description="What to find out from the whole document, as a full question.",
    )


@tool(
    """\
Read one whole document, part by part, to answer a deep question about it: all obligations in a \
contract, every figure on a subject, how an argument develops. Returns the findings, each cited \
[n]. Use it when the answer is spread over one document that you know the id of, from \
search_documents or list_documents; it is slower than search_documents, which suffices for single \
facts.""",
    returns=Analysis,
    act=Act.SEARCHED,
)
async def analyze_document(context: ToolContext, arguments: AnalyzeDocument) -> str:
    """Return what the document says on the question, each statement cited."""
    workspace = context.workspace
    document = await document_verbs.document(workspace, arguments.document_id)
    passages = await document_verbs.passages(workspace, arguments.document_id, limit=MAX_PASSAGES)
    if not passages:
        status = document.status.value
        return Refusal(f"analyze_document failed: the document is {status} and has no text yet")
    head = [f"Analysis of “{line(document.title)}”, {len(passages)} passages read."]
    if document.chunk_count > len(passages):
        head.append(f"Its last {document.chunk_count - len(passages)} passages were not read.")
    writer = await answer_writer_for(workspace)
    if writer is not None:

        async def write(instructions: str, prompt: str) -> str:
            async with aclosing(writer(instructions, prompt)) as pieces:
                return "".join([piece.text async for piece in pieces])

        try:
            written = await digest(write, arguments.question, passages)
            return await _written_analysis(context, head, document, written, passages)
        except ModelUnavailable as error:
            head.append(f"The language model could not be asked ({line(str(error))}); quotes:")
    return await _quoted_statements(context, head, document, arguments, passages)


async def _written_analysis(
    context: ToolContext,
    head: list[str],
    document: Document,
    written: Digest,
    passages: Sequence[Passage],
) -> str:
    """Return the model's text, with its markers renumbered, and the passages it cites."""
    if not written.cited:
        return _nothing_found(head, document, len(passages))
    suspicion = context.workspace.engine.suspicion
    flagged = await suspicion.flag([as_evidence(passages[number - 1]) for number in written.cited])
    evidence = dict(zip(written.cited, flagged, strict=True))
    numbers = dict(zip(written.cited, (n for n, _ in context.numbered(flagged)), strict=True))
    parents = await parents_of(context.workspace, [hit.passage for hit in evidence.values()])
    entries = [
        evidence_text(numbers[number], hit, parents, note="Cited above.")
        for number, hit in list(evidence.items())[:_MAX_SHOWN]
    ]
    remaining = [
        source_line(numbers[number], hit.passage, hit.passage.text)
        for number, hit in list(evidence.items())[_MAX_SHOWN:]
    ]
    if written.removed:
        head.append(f"Removed citations of what was never read: {written.removed}.")
    findings = written.numbered(numbers)
    text = "\n\n".join(["\n".join(head), findings, *entries, *remaining])
    cited = {numbers[number]: hit for number, hit in evidence.items()}
    return tool_text(
        text, _analysis(document, len(passages), findings, cited), readable([document])
    )


async def _quoted_statements(
    context: ToolContext,
    head: list[str],
    document: Document,
    arguments: AnalyzeDocument,
    passages: Sequence[Passage],
) -> str:
    """Return the best-supported statements of all parts, in the order of the document."""
    ranked = await _ranked(context.workspace, arguments, passages)
    serving_lane = await serving(context.workspace)
    answerer = replace(
        serving_lane.answerer,
        least_answerability=_MIN_ANSWERABILITY,
        undecided=_MIN_ANSWERABILITY,
    )
    answers = [
        await answerer(arguments.question, [ranked[passage.chunk_id] for passage in part])
        for part in _parts(passages)
    ]
    statements = _strongest(answers)
    if not statements:
        return _nothing_found(head, document, len(passages))
    if max(answer.confidence for answer in answers) < serving_lane.answerer.least_answerability:
        head.append("Nothing in it answers this clearly; the following comes nearest.")
    ledger = EvidenceLedger() if context.ledger is None else context.ledger
    lines, section = list[str](), ""
    sources: dict[int, str] = {}
    cited: dict[int, Evidence] = {}
    for statement in statements:
        passage = statement.evidence.passage
        number = ledger.number(statement.evidence)
        heading = line(" > ".join(passage.heading_path))
        if heading != section:
            lines.append(f"{heading}:")
            section = heading
        lines.append(f"- {line(statement.text, 1000)} [{number}]")
        sources.setdefault(number, source_line(number, passage, statement.quote))
        cited.setdefault(number, statement.evidence)
    text = "\n".join([*head, "", *lines, "", "Sources:", *sources.values()])
    analysis = _analysis(document, len(passages), "\n".join(lines), cited)
    return tool_text(text, analysis, readable([document]))


async def _ranked(
    workspace: WorkspaceAccess, arguments: AnalyzeDocument, passages: Sequence[Passage]
) -> dict[str, Evidence]:
    """Return each passage as evidence by its chunk id, ranked by a search in the document."""
    response = await search(
        workspace,
        SearchRequest(
            query=arguments.question,
            top_k=min(len(passages), _MAX_RANKED),
            filters=SearchFilters(document_ids=(arguments.document_id,)),
        ),
    )
    hits = {hit.passage.chunk_id: hit for hit in response.evidence}
    last = len(hits) + 1
    ranked = await workspace.engine.suspicion.flag(
        [
            replace(hits[passage.chunk_id], passage=passage)
            if passage.chunk_id in hits
            else replace(as_evidence(passage), rank=last + position)
            for position, passage in enumerate(passages)
        ]
    )
    return {hit.passage.chunk_id: hit for hit in ranked}


def _nothing_found(head: Sequence[str], document: Document, passages_read: int) -> str:
    text = "\n".join([*head, "The document does not answer this."])
    return tool_text(text, _analysis(document, passages_read, "", {}), readable([document]))


def _analysis(
    document: Document, passages_read: int, findings: str, cited: Mapping[int, Evidence]
) -> Analysis:
    return Analysis(
        document_id=document.document_id,
        title=document.title,
        passages_read=passages_read,
        found=bool(cited),
        findings=findings,
        passages=[passage_result(number, hit) for number, hit in sorted(cited.items())],
    )


def _parts(passages: Sequence[Passage]) -> list[Sequence[Passage]]:
    """Group consecutive passages to read together; split a section only if it is too long."""
    parts: list[list[Passage]] = []
    sections: list[list[Passage]] = []
    for passage in passages:
        if sections and sections[-1][-1].heading_path[:2] == passage.heading_path[:2]:
            sections[-1].append(passage)
        else:
            sections.append([passage])
    for section in sections:
        for start in range(0, len(section), _PART_PASSAGES):
            piece = section[start : start + _PART_PASSAGES]
            if parts and len(parts[-1]) + len(piece) <= _PART_PASSAGES:
                parts[-1].extend(piece)
            else:
                parts.append(list(piece))
    return list(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    """A sentence of an answer, with what it rests on."""

    text: str
    evidence: Evidence
    quote: str
    strength: float
    char_start: int
    """Of the quote in the document."""


def _strongest(answers: Sequence[Answer]) -> list[_Statement]:
    """Return the strongest statements of the answers, in the order of the document."""
    statements = [
        statement for answer in answers if answer.found for statement in _statements(answer)
    ]
    strongest = sorted(
        statements, key=lambda statement: (-statement.strength, statement.char_start)
    )
    return sorted(strongest[:_MAX_STATEMENTS], key=lambda statement: statement.char_start)


def _statements(answer: Answer) -> Iterator[_Statement]:
    evidence = {hit.passage.chunk_id: hit for hit in answer.evidence}
    citations = {citation.marker: citation for citation in answer.citations}
    for sentence in answer.sentences:
        cited = [citations[marker] for marker in sentence.markers if marker in citations]
        if cited:
            yield _Statement(
                text=sentence.text,
                evidence=evidence[cited[0].chunk_id],
                quote=cited[0].quote,
                strength=answer.confidence * sentence.support,
                char_start=cited[0].char_start,
            )
