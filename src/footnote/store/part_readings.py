"""Store what a language model extracted from each part of a version, until all are read.

A worker that takes over does not pay for these parts again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import TypeAdapter

from footnote.domain import Usage
from footnote.domain.facts import ExtractedFact
from footnote.ports import NamedSpan
from footnote.store.database import WorkspaceScope
from footnote.store.reading_progress import PublishedVersion
from footnote.store.sealing import STAGE_RESULT
from footnote.store.statements import load_statements

_SQL = load_statements("part_readings")

ReadFor = Literal["facts", "names"]
"""What a model extracts from documents; the results of each kind are stored separately."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartReading:
    """The result of reading one part."""

    reader: str
    """The model and the version of its prompt."""
    facts: tuple[ExtractedFact, ...] = ()
    names: tuple[NamedSpan, ...] = ()
    left_out: int = 0
    """Number of facts or names that the model returned but the text does not contain."""
    usage: Usage = field(default_factory=Usage)
    """Usage of all attempts."""
    failure: str | None = None
    """Why the last attempt failed; None once the part is read."""
    attempts: int = 1


_READING = TypeAdapter(PartReading)


async def readings_of(
    scope: WorkspaceScope, read_for: ReadFor, pending: PublishedVersion, reader: str
) -> Mapping[int, PartReading]:
    """Return this reader's results by part number, failures included."""
    rows = await scope.all(_SQL["readings"], _version_key(read_for, pending))
    readings = {}
    for row in rows:
        number = int(row["stage"].removeprefix(f"{read_for} "))
        place = STAGE_RESULT.of(pending.document_id, pending.version, row["stage"], 0)
        reading = _READING.validate_json(scope.sealing.plain_content(place, bytes(row["payload"])))
        if reading.reader == reader:
            readings[number] = reading
    return readings


async def store_reading(
    scope: WorkspaceScope,
    read_for: ReadFor,
    pending: PublishedVersion,
    number: int,
    reading: PartReading,
) -> None:
    """Store the result of a part, unless another version was published meanwhile."""
    stage = f"{read_for} {number}"
    place = STAGE_RESULT.of(pending.document_id, pending.version, stage, 0)
    payload = scope.sealing.content(place, _READING.dump_json(reading))
    await scope.execute(
        _SQL["keep_reading"],
        {**_version_key(read_for, pending), "stage": stage, "payload": payload},
    )


async def drop_readings(
    scope: WorkspaceScope,
    read_for: ReadFor,
    pending: PublishedVersion,
    keep: Mapping[int, PartReading],
) -> None:
    """Delete the version's results, except those of the parts in `keep`."""
    stages = [f"{read_for} {number}" for number in keep]
    await scope.execute(_SQL["drop_readings"], {**_version_key(read_for, pending), "kept": stages})


def _version_key(read_for: ReadFor, pending: PublishedVersion) -> dict[str, object]:
    return {
        "document_id": pending.document_id,
        "version": pending.version,
        "prefix": f"{read_for} ",
    }
