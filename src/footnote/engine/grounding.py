"""Check statements against given texts, and documents and passages of a workspace."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from footnote.answering.claim_extraction import Claim, claim_of, claims_of
from footnote.answering.claim_verification import ClaimVerifier, Origin
from footnote.answering.source_texts import passages_of
from footnote.domain import Document, Passage, PlanChanges, SearchFilters, SearchRequest
from footnote.domain.grounding import GroundingCheck, GroundingSource
from footnote.engine.configuration import configuration_of
from footnote.engine.lanes import serving
from footnote.engine.search import search
from footnote.engine.services import WorkspaceAccess
from footnote.errors import InvalidRequest, ModelUnavailable, NotFound
from footnote.language.detection import detect_language
from footnote.retrieval.plans import FAST
from footnote.retrieval.query import plain_query
from footnote.store.documents import documents_and_attachments
from footnote.store.passages import passage_context
from footnote.validation.text import is_storable

MAX_STATEMENTS = 100
MAX_STATEMENT_CHARACTERS = 1_000
MAX_ANSWER_CHARACTERS = 20_000
MAX_SOURCES = 50
MAX_SOURCE_CHARACTERS = 300_000
"""Of all texts that are given together: about a hundred pages."""
MAX_SOURCE_NAME_CHARACTERS = 200
"""Of a source's id, and of its title."""
PASSAGES_OF_DOCUMENTS = 8
"""Passages retrieved from the documents for each statement."""
CHECK_SECONDS = 60.0
JUDGE_SECONDS = 30.0
_MAX_CONCURRENT = 4
"""Most concurrent searches of one check."""
_DETECTION_CHARACTERS = 4_000
"""Characters of a text by which its language is detected."""


async def check_grounding(
    workspace: WorkspaceAccess,
    sources: Sequence[GroundingSource],
    *,
    statements: Sequence[str] = (),
    answer: str | None = None,
) -> GroundingCheck:
    """Check whether the sources support each statement, or each statement of an answer.

    No language model is needed: the reader judges, unless FOOTNOTE_GROUNDING_JUDGE names another
    judge or none; `judge` of the result says which. Raises
    InvalidRequest, which names the statement or source; a document or passage that is absent looks
    the same as a foreign one. Raises ModelUnavailable after `CHECK_SECONDS`.
    """
    engine, started_at = workspace.engine, time.perf_counter()
    claims = _claims(statements, answer)
    names = _names(sources)
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            loaded = await _load_sources(workspace, sources, names)
            passages, notes = await _passages(workspace, claims, loaded)
            kind = (await configuration_of(workspace)).settings.grounding_judge
            check = ClaimVerifier(
                analyzer=engine.analyzer,
                embedder=(await serving(workspace)).embedder,
                reader=engine.reader if kind == "reader" else None,
                judge=engine.judge if kind not in ("none", "reader") else None,
                judge_seconds=JUDGE_SECONDS,
            )
            loaded_at = time.perf_counter()
            checked = await check(claims, passages, loaded.origins)
    except TimeoutError as error:
        raise ModelUnavailable(
            f"holding {len(claims)} statements against {len(sources)} sources took longer than "
            f"{CHECK_SECONDS:g} seconds",
            hint="give fewer statements or shorter sources, or try again when less is going on",
        ) from error
    ended_at = time.perf_counter()
    return GroundingCheck(
        claims=checked.claims,
        judge=checked.judge,
        degraded=tuple(dict.fromkeys((*notes, *checked.degraded))),
        timings_ms={
            "sources": 1000 * (loaded_at - started_at),
            "check": 1000 * (ended_at - loaded_at),
        },
    )


@dataclass(slots=True, kw_only=True)
class _LoadedSources:
    """The sources that statements are checked against."""

    passages: list[Passage] = field(default_factory=list)
    """Passages of given texts and named passages; every statement is checked against these."""
    documents: dict[UUID, str] = field(default_factory=dict)
    """The names of documents, which are searched for each statement."""
    origins: dict[str, Origin] = field(default_factory=dict)

    def add(self, passages: Sequence[Passage], origin: Origin) -> None:
        """Add the passages of a source."""
        for passage in passages:
            if passage.chunk_id not in self.origins:
                self.origins[passage.chunk_id] = origin
                self.passages.append(passage)


def _claims(statements: Sequence[str], answer: str | None) -> list[Claim]:
    """What is to be checked. Raises InvalidRequest."""
    if bool(statements) == (answer is not None):
        raise InvalidRequest(
            "there are both statements and an answer"
            if statements
            else "there is neither a statement nor an answer",
            hint="give a list of statements, or an answer that is split into its statements",
        )
    if answer is not None:
        _check_text("answer", answer, MAX_ANSWER_CHARACTERS)
        claims = claims_of(answer)
        if not claims:
            raise InvalidRequest("the answer holds no statement", hint="give one with words in it")
    else:
        claims = [claim_of(statement) for statement in statements]
    if len(claims) > MAX_STATEMENTS:
        raise InvalidRequest(
            f"there are {len(claims)} statements, and {MAX_STATEMENTS} are allowed",
            hint="check them in several requests",
        )
    for number, claim in enumerate(claims, start=1):
        _check_text(f"statement {number}", claim.text, MAX_STATEMENT_CHARACTERS)
        if not any(map(str.isalnum, claim.words)):
            raise InvalidRequest(
                f"statement {number} has neither a letter nor a digit", hint="leave it out"
            )
    return claims


def _names(sources: Sequence[GroundingSource]) -> list[str]:
    """Return the id of each source in the results. Raises InvalidRequest."""
    if not sources:
        raise InvalidRequest(
            "there are no sources",
            hint="give texts, or the ids of documents or passages of this workspace",
        )
    if len(sources) > MAX_SOURCES:
        raise InvalidRequest(
            f"there are {len(sources)} sources, and {MAX_SOURCES} are allowed",
            hint="name the documents that matter",
        )
    names: dict[str, int] = {}
    for number, source in enumerate(sources, start=1):
        if (
            sum(value is not None for value in (source.text, source.document_id, source.chunk_id))
            != 1
        ):
            raise InvalidRequest(
                f"source {number} needs exactly one of text, document_id and chunk_id",
                hint="give several sources for several of them",
            )
        name = str(number) if source.id is None else source.id
        _check_text(f"the id of source {number}", name, MAX_SOURCE_NAME_CHARACTERS)
        _check_text(f"the title of source {number}", source.title, MAX_SOURCE_NAME_CHARACTERS)
        if not name:
            raise InvalidRequest(f"the id of source {number} is empty", hint="leave it out")
        if name in names:
            raise InvalidRequest(
                f"sources {names[name]} and {number} have the same id {name!r}",
                hint="give each its own, or none: they are numbered then",
            )
        names[name] = number
        if source.text is not None:
            _check_text(f"the text of source {number}", source.text, MAX_SOURCE_CHARACTERS)
            if not source.text.strip():
                raise InvalidRequest(f"the text of source {number} is empty", hint="leave it out")
    total = sum(len(source.text) for source in sources if source.text is not None)
    if total > MAX_SOURCE_CHARACTERS:
        raise InvalidRequest(
            f"the texts of the sources have {total:,} characters together, and "
            f"{MAX_SOURCE_CHARACTERS:,} are allowed",
            hint="shorten them, or ingest them and name the documents",
        )
    return list(names)


def _check_text(subject: str, text: str, limit: int) -> None:
    """Raise InvalidRequest for a text that is too long or cannot be written."""
    if len(text) > limit:
        raise InvalidRequest(
            f"{subject} has {len(text):,} characters, and {limit:,} are allowed", hint="shorten it"
        )
    if not is_storable(text):
        raise InvalidRequest(
            f"{subject} holds a character that cannot be stored",
            hint="leave NUL and halves of characters out",
        )


async def _load_sources(
    workspace: WorkspaceAccess, sources: Sequence[GroundingSource], names: Sequence[str]
) -> _LoadedSources:
    """Load the sources that do not depend on the statement. Raises InvalidRequest."""
    loaded, documents = _LoadedSources(), dict[UUID, Document]()
    document_ids = [source.document_id for source in sources if source.document_id is not None]
    if document_ids:
        async with workspace.scope() as scope:
            documents_with_attachments = await documents_and_attachments(scope, document_ids)
        documents = {document.document_id: document for document in documents_with_attachments}
    for number, (source, name) in enumerate(zip(sources, names, strict=True), start=1):
        if source.document_id is not None:
            _check_document(source.document_id, documents.get(source.document_id), number)
            loaded.documents.setdefault(source.document_id, name)
        elif source.chunk_id is not None:
            try:
                async with workspace.scope() as scope:
                    passage = (await passage_context(scope, source.chunk_id, 0)).chunk
            except NotFound as absent:
                raise InvalidRequest(
                    f"source {number}: {absent} in this workspace",
                    hint=absent.hint,
                ) from absent
            loaded.add([passage], Origin(source_id=name))
        elif source.text is not None:
            language = await asyncio.to_thread(detect_language, source.text[:_DETECTION_CHARACTERS])
            passages = await asyncio.to_thread(
                passages_of, source.text, source=number, title=source.title, language=language
            )
            loaded.add(passages, Origin(source_id=name, is_from_request=True))
    return loaded


def _check_document(document_id: UUID, document: Document | None, number: int) -> None:
    """Raise InvalidRequest for one that is absent, or has no text."""
    if document is None:
        raise InvalidRequest(
            f"source {number}: there is no document {document_id} in this workspace",
            hint="correct the id, or leave the source out",
        )
    if not document.chunk_count:
        raise InvalidRequest(
            f"source {number}: the document {document_id} is {document.status.value} "
            "and has no text yet",
            hint="wait until it is indexed, or see why it failed",
        )


async def _passages(
    workspace: WorkspaceAccess, claims: Sequence[Claim], loaded: _LoadedSources
) -> tuple[list[list[Passage]], list[str]]:
    """Return the passages for each claim, fixed and retrieved, and notes on degraded searches."""
    if not loaded.documents:
        return [loaded.passages for _ in claims], []
    limit = asyncio.Semaphore(_MAX_CONCURRENT)
    filters = SearchFilters(document_ids=tuple(loaded.documents))

    async def search_claim(claim: Claim) -> tuple[list[Passage], tuple[str, ...]]:
        async with limit:
            response = await search(
                workspace,
                SearchRequest(
                    query=plain_query(claim.words),
                    top_k=PASSAGES_OF_DOCUMENTS,
                    filters=filters,
                    plan=FAST,
                    changes=PlanChanges(cache=False),
                ),
            )
        return [hit.passage for hit in response.evidence], response.degraded

    results = await asyncio.gather(*map(search_claim, claims))
    for passage in (passage for passages, _ in results for passage in passages):
        name = loaded.documents[passage.document_id]
        loaded.origins.setdefault(passage.chunk_id, Origin(source_id=name))
    fixed_ids = {passage.chunk_id for passage in loaded.passages}
    return [
        [*loaded.passages, *(passage for passage in passages if passage.chunk_id not in fixed_ids)]
        for passages, _ in results
    ], [note for _, degraded in results for note in degraded]
