"""Read golden sets: JSON Lines of questions with known answers, validated."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import NoReturn, TypeVar
from uuid import UUID

from footnote.domain import BlockKind, Condition, SearchFilters, SourceType
from footnote.errors import InvalidRequest
from footnote.filters import condition_from

FORMAT = "docs/evaluation.md describes the format"
UNSORTED = "question"
"""The kind of a question that names none."""

_DIGEST_DIGITS = 16
_KEYS = ("id", "question", "kind", "language", "answerable", "relevant", "answer", "filters")
_FILTERS = (
    "collections",
    "document_ids",
    "source_types",
    "evidence_types",
    "where",
    "min_similarity",
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSpan:
    """A place that answers a question."""

    document: str
    """Its file name, external id, title or id; an attachment may be `mail.eml/its name`."""
    page: int | None = None
    quote: str = ""
    """Text that is found there, ignoring differences in white space; empty for the whole place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenQuestion:
    """A question whose answer is known.

    Law: it has relevant places exactly when it is answerable.
    """

    identity: str
    question: str
    answerable: bool
    relevant: tuple[GoldenSpan, ...]
    kind: str = UNSORTED
    language: str | None = None
    answer: str = ""
    """A short reference answer, for people and for its first figure."""
    filters: SearchFilters = field(default_factory=SearchFilters)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSet:
    """The questions of a golden file, in its order."""

    name: str
    questions: tuple[GoldenQuestion, ...]
    digest: str
    """Differs when the questions do; `_DIGEST_DIGITS` hexadecimal digits."""


def read_golden(path: Path) -> GoldenSet:
    """The questions of a golden file; blank lines and unknown keys are passed over.

    Raises InvalidRequest that names the first wrong line, its field and the remedy.
    """
    return golden_of(path.name, text_of(path), title=str(path))


def text_of(path: Path) -> str:
    """The text of a golden file. Raises InvalidRequest."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InvalidRequest(
            f"the golden set {path} cannot be read: {reason}", hint="check the path"
        ) from error


def golden_of(name: str, text: str, title: str = "") -> GoldenSet:
    """Parse the text of a golden file; `title` is its name in the error for an empty set.

    Raises InvalidRequest as `read_golden` does.
    """
    questions: list[GoldenQuestion] = []
    lines_of: dict[str, int] = {}
    digest = sha256()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        reader = _Line(file=name, number=number)
        row = _row(reader, line)
        question = _question(reader, row)
        if question.identity in lines_of:
            reader.wrong("id", f"repeats line {lines_of[question.identity]}", "give each its own")
        lines_of[question.identity] = number
        questions.append(question)
        digest.update(json.dumps([row.get(key) for key in _KEYS]).encode())
    if not questions:
        raise InvalidRequest(f"the golden set {title or name} has no question", hint=FORMAT)
    return GoldenSet(
        name=name, questions=tuple(questions), digest=digest.hexdigest()[:_DIGEST_DIGITS]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """One line of the file; its methods read values and raise InvalidRequest with its number."""

    file: str
    number: int

    def wrong(self, field_path: str, problem: str, remedy: str) -> NoReturn:
        line_name = f"{self.file}, line {self.number}"
        raise InvalidRequest(f"{line_name}: {field_path} {problem}", hint=f"{remedy}; {FORMAT}")

    def text(self, row: Mapping[str, object], key: str, prefix: str = "", *, empty: bool) -> str:
        """A text; "" when it is absent and may be empty."""
        value = row.get(key)
        if value is None and empty:
            return ""
        if not isinstance(value, str):
            self.wrong(prefix + key, f"is {_abbreviated(value)}", "give it as a text in quotes")
        text = unicodedata.normalize("NFC", value).strip()
        if not text and not empty:
            self.wrong(prefix + key, "is empty", "say something there")
        return text

    def items(self, row: Mapping[str, object], key: str, prefix: str = "") -> list[object]:
        """A list; empty when it is absent."""
        value = row.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            self.wrong(prefix + key, f"is {_abbreviated(value)}", "give a list in square brackets")
        return value

    def record(self, value: object, field_path: str) -> dict[str, object]:
        """An object."""
        if not isinstance(value, dict):
            self.wrong(field_path, f"is {_abbreviated(value)}", "give an object in braces")
        return value


def _row(line: _Line, text: str) -> dict[str, object]:
    try:
        value: object = json.loads(text)
    except json.JSONDecodeError as error:
        line.wrong(f"character {error.pos + 1}", f"is not JSON: {error.msg}", "mend the line")
    except RecursionError:
        line.wrong("the line", "is nested too deeply", "mend the line")
    return line.record(value, "the line")


def _question(line: _Line, row: Mapping[str, object]) -> GoldenQuestion:
    question = line.text(row, "question", empty=False)
    relevant = tuple(
        _span(line, value, f"relevant[{position}]")
        for position, value in enumerate(line.items(row, "relevant"))
    )
    answerable = row.get("answerable", bool(relevant))
    if not isinstance(answerable, bool):
        line.wrong("answerable", f"is {_abbreviated(answerable)}", "say true or false")
    if answerable and not relevant:
        line.wrong("relevant", "names no document", "name one, or set answerable to false")
    if relevant and not answerable:
        line.wrong("relevant", "names documents", "leave it empty, or set answerable to true")
    return GoldenQuestion(
        identity=line.text(row, "id", empty=True) or f"line {line.number}",
        question=question,
        answerable=answerable,
        relevant=relevant,
        kind=line.text(row, "kind", empty=True) or UNSORTED,
        language=line.text(row, "language", empty=True) or None,
        answer=line.text(row, "answer", empty=True),
        filters=_filters(line, row.get("filters")),
    )


def _span(line: _Line, value: object, field_path: str) -> GoldenSpan:
    if isinstance(value, str):
        value = {"document": value}
    row = line.record(value, field_path)
    page = row.get("page")
    if page is not None and (not isinstance(page, int) or isinstance(page, bool) or page < 1):
        line.wrong(
            f"{field_path}.page", f"is {_abbreviated(page)}", "give a whole number from 1, or null"
        )
    return GoldenSpan(
        document=line.text(row, "document", f"{field_path}.", empty=False),
        page=page,
        quote=line.text(row, "quote", f"{field_path}.", empty=True),
    )


def _filters(line: _Line, value: object) -> SearchFilters:
    if value is None:
        return SearchFilters()
    row = line.record(value, "filters")
    # Elsewhere an unknown key is harmless; an unknown filter would ask another question.
    for key in row:
        if key not in _FILTERS:
            line.wrong(f"filters.{key}", "is no filter", f"use {', '.join(_FILTERS)}")
    similarity = row.get("min_similarity")
    if isinstance(similarity, bool) or not isinstance(similarity, int | float | None):
        line.wrong("filters.min_similarity", f"is {_abbreviated(similarity)}", "give a number")
    return SearchFilters(
        collections=_values_of(line, row, "collections", str),
        document_ids=_values_of(line, row, "document_ids", UUID),
        source_types=_values_of(line, row, "source_types", SourceType),
        evidence_types=_values_of(line, row, "evidence_types", BlockKind),
        where=_condition(line, row.get("where")),
        min_similarity=similarity,
    )


def _condition(line: _Line, value: object) -> Condition | None:
    try:
        return None if value is None else condition_from(value)
    except InvalidRequest as error:
        line.wrong("filters.where", f"is no condition: {error}", error.hint or "mend it")


def _values_of(line: _Line, row: Mapping[str, object], key: str, kind: type[T]) -> tuple[T, ...]:
    parsed = []
    for position, value in enumerate(line.items(row, key, "filters.")):
        try:
            if not isinstance(value, str):
                raise ValueError  # noqa: TRY301, TRY004  # both have the same message
            parsed.append(kind(value))  # type: ignore[call-arg]  # every kind is made from a text
        except ValueError:
            field_path = f"filters.{key}[{position}]"
            line.wrong(field_path, f"is {_abbreviated(value)}", _choices(kind))
    return tuple(parsed)


def _choices(kind: type[object]) -> str:
    if issubclass(kind, StrEnum):
        return "use one of " + ", ".join(member.value for member in kind)
    return "give an id" if kind is UUID else "give a text in quotes"


def _abbreviated(value: object) -> str:
    if value is None:
        return "missing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:39] + "…"


def documents_of(questions: Sequence[GoldenQuestion]) -> dict[str, list[str]]:
    """Each expected document with the questions that expect it, in order of first mention."""
    expected: dict[str, list[str]] = {}
    for question in questions:
        for name in dict.fromkeys(span.document for span in question.relevant):
            expected.setdefault(name, []).append(question.identity)
    return expected
