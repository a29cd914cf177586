"""Report which documents the answers of a workspace cite, and which questions lack an answer.

Both are computed from the answers stored in conversations, so deleted or erased ones do not count.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from footnote.domain import Right
from footnote.domain.answer_statistics import (
    CitationReport,
    NearMiss,
    QuestionsOfDay,
    UnansweredQuestion,
    UnansweredReport,
)
from footnote.domain.identity import WHOLE_WORKSPACE
from footnote.engine.csv_tables import csv_table
from footnote.engine.services import WorkspaceAccess
from footnote.engine.usage import days_between
from footnote.language.detection import detect_language
from footnote.ports import Analyzer
from footnote.retrieval.cache_guards import bare_wording
from footnote.store import answer_statistics as stored
from footnote.store.answer_statistics import StatisticsPeriod, Unanswered
from footnote.validation.constrained_types import Name

MAX_QUESTIONS_READ = 5_000
"""Most unanswered questions read for one period; the latest ones if there are more."""
MAX_LISTED = 500
_WORDINGS, _MISSES = 5, 3

ExportForm = Literal["golden", "csv"]
Listed = Annotated[int, Field(ge=1, le=MAX_LISTED)]


async def citations(
    workspace: WorkspaceAccess,
    *,
    since: date | None = None,
    until: date | None = None,
    collection: Name | None = None,
    limit: Listed = 50,
) -> CitationReport:
    """Report which documents the answers of a period cite most, and which they never cite.

    For administrators, of the collections that they administer, as far as they may see. Raises
    Forbidden, and InvalidRequest for days in the wrong order.
    """
    workspace.require(Right.ADMINISTER, collection)
    principal = workspace.principal
    names: list[str] | None = None
    if collection is not None:
        names = [collection]
    elif not principal.may(Right.ADMINISTER, WHOLE_WORKSPACE):
        names = [name for name, _ in principal.collections if principal.may(Right.ADMINISTER, name)]
    first, last = days_between(since, until)
    async with workspace.scope() as scope:
        report = await stored.citation_report(scope, _period(first, last), names, limit)
    return replace(report, since=first, until=last)


async def unanswered_questions(
    workspace: WorkspaceAccess,
    *,
    since: date | None = None,
    until: date | None = None,
    limit: Listed = 100,
) -> UnansweredReport:
    """Report the unanswered questions of conversations, grouped by their terms.

    For administrators of the whole workspace; who asked is not disclosed. Raises Forbidden, and
    InvalidRequest for days in the wrong order.
    """
    first, last = days_between(since, until)
    async with workspace.scope() as scope:
        unanswered = await stored.unanswered_questions(
            scope, _period(first, last), MAX_QUESTIONS_READ + 1
        )
        complete = len(unanswered) <= MAX_QUESTIONS_READ
        unanswered = unanswered[:MAX_QUESTIONS_READ]
        groups = same_words(unanswered, workspace.engine.analyzer)[:limit]
        document_ids = {miss.document_id for group in groups for miss in _evidence(group)}
        titles = await stored.titles_of(scope, sorted(document_ids))
    days = Counter(question.asked_at.astimezone(UTC).date() for question in unanswered)
    return UnansweredReport(
        since=first,
        until=last,
        questions=tuple(_question(group, titles) for group in groups),
        days=tuple(QuestionsOfDay(day=day, questions=days[day]) for day in sorted(days)),
        asked=len(unanswered),
        complete=complete,
    )


async def export_unanswered(
    workspace: WorkspaceAccess,
    kind: ExportForm,
    *,
    since: date | None = None,
    until: date | None = None,
) -> str:
    """Export the unanswered questions as lines of a golden set or as CSV.

    The lines lack relevant passages: an evaluation rejects them until somebody adds these, or marks
    the question as unanswerable. Raises as `unanswered_questions`.
    """
    report = await unanswered_questions(workspace, since=since, until=until, limit=MAX_LISTED)
    return as_golden(report.questions) if kind == "golden" else as_csv(report.questions)


def _period(first: date, last: date) -> StatisticsPeriod:
    begin = datetime.combine(first, time(), UTC)
    # `date.max` has no next day; its period ends with `datetime.max`.
    midnight = datetime.combine(last, time(), UTC)
    end = midnight + min(timedelta(days=1), datetime.max.replace(tzinfo=UTC) - midnight)
    return StatisticsPeriod(begin=begin, end=end)


def same_words(questions: Iterable[Unanswered], analyzer: Analyzer) -> list[list[Unanswered]]:
    """Group unanswered questions by their terms, the largest group first.

    Terms are those of the lexical index: without stop words, case, accents, inflection and word
    order. The order within a group is kept; groups of equal size keep the order of their first
    question.
    """
    groups: dict[tuple[str, ...], list[Unanswered]] = {}
    for unanswered in questions:
        question = unanswered.answer.asked_as
        terms = analyzer.terms(question, detect_language(question))
        key = tuple(sorted(set(terms))) or bare_wording(question) or (question,)
        groups.setdefault(key, []).append(unanswered)
    return sorted(groups.values(), key=len, reverse=True)


def _evidence(group: Sequence[Unanswered]) -> Sequence[NearMiss]:
    """Return the evidence of a group's latest question by rank; titles are still empty."""
    return [
        NearMiss(
            document_id=passage.document_id,
            title="",
            filename="",
            chunk_id=passage.chunk_id,
            similarity=passage.similarity,
        )
        for passage in sorted(group[0].answer.evidence, key=lambda evidence: evidence.rank)
    ]


def _question(
    group: Sequence[Unanswered], titles: Mapping[UUID, tuple[str, str]]
) -> UnansweredQuestion:
    latest = group[0].answer
    wordings = dict.fromkeys(question.answer.asked_as for question in group)
    wordings.pop(latest.asked_as)
    nearest: dict[UUID, NearMiss] = {}
    for miss in _evidence(group):
        if miss.document_id in titles:
            title, filename = titles[miss.document_id]
            nearest.setdefault(miss.document_id, replace(miss, title=title, filename=filename))
    return UnansweredQuestion(
        question=latest.asked_as,
        wordings=tuple(wordings)[:_WORDINGS],
        asked=len(group),
        people=len({question.asker for question in group}),
        first_asked_at=min(question.asked_at for question in group),
        last_asked_at=max(question.asked_at for question in group),
        searched=latest.searched,
        confidence=max(question.answer.confidence for question in group),
        nearest=tuple(nearest.values())[:_MISSES],
    )


def as_golden(questions: Sequence[UnansweredQuestion]) -> str:
    """Each question as a line of a golden set that somebody has to complete."""
    lines = (
        {
            "id": f"unanswered-{number}",
            "question": question.question,
            "kind": "unanswered",
            "answerable": True,
            "relevant": [],
            "asked": question.asked,
            "wordings": list(question.wordings),
            "nearest": [miss.filename for miss in question.nearest],
        }
        for number, question in enumerate(questions, 1)
    )
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


def as_csv(questions: Sequence[UnansweredQuestion]) -> str:
    """The questions as a table for spreadsheets."""
    names = ("question", "asked", "people", "first_asked_at", "last_asked_at", "nearest")
    return csv_table(
        names,
        (
            (
                question.question,
                question.asked,
                question.people,
                question.first_asked_at.isoformat(),
                question.last_asked_at.isoformat(),
                "; ".join(miss.filename for miss in question.nearest),
            )
            for question in questions
        ),
    )
