"""Synchronise a workspace with what a source lists; unchanged entries are not read."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from footnote.domain import Received
from footnote.domain.sources import KnownEntry, Labels, Offered
from footnote.engine import WorkspaceEngine
from footnote.errors import (
    Conflict,
    DocumentFailed,
    InvalidRequest,
    NotFound,
    SourceUnreachable,
    UnderLegalHold,
)
from footnote.ingestion.sources.changes import changes_between, deletable

Verdict = Literal[
    "unchanged",
    "added",
    "changed",
    "retried",
    "renamed",
    "known",
    "removed",
    "waiting",
    "refused",
    "kept",
]
"""The outcome for one entry: `retried` had failed before, `known` has the same bytes as another
document, `kept` is gone from its source but was not deleted."""


_ALL_GONE = (
    "all of it is gone at once, as from a disk that is not mounted, so nothing is deleted; "
    "delete it by name if that is meant"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The entries that a source has now."""

    offered: tuple[Offered, ...]
    places: tuple[str, ...]
    """What the listing covers: folders, prefixes or single ids. An entry there that is not listed
    is gone."""
    out_of_sight: tuple[str, ...] = ()
    """Places that could not be read; entries below them do not count as gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The outcome for one entry of a source."""

    external_id: str
    verdict: Verdict
    received: Received | None = None
    entry: KnownEntry | None = None
    reason: str = ""


class Source(Protocol):
    """Something that can be listed and read."""

    async def listing(self) -> Listing:
        """List the entries that it has now."""
        ...

    async def take_in(
        self,
        workspace: WorkspaceEngine,
        offered: Offered,
        labels: Labels,
        before: KnownEntry | None,
    ) -> tuple[Received, Offered] | None:
        """Ingest one entry; return the result, and the entry with its mark when it was read.

        None if it has not changed since `before`. Raises InvalidRequest, DocumentFailed or
        SourceUnreachable if it cannot be read.
        """
        ...

    async def close(self) -> None:
        """Release what the listing opened."""
        ...


async def follow(
    workspace: WorkspaceEngine,
    source: Source,
    labels: Labels,
    *,
    delete_missing: bool,
    retry_failed: bool,
) -> AsyncGenerator[Step]:
    """Ingest new and changed entries, follow renames and, if asked, delete what is gone."""
    try:
        async for step in _follow(
            workspace, source, labels, delete_missing=delete_missing, retry_failed=retry_failed
        ):
            yield step
    finally:
        await source.close()


async def _follow(
    workspace: WorkspaceEngine,
    source: Source,
    labels: Labels,
    *,
    delete_missing: bool,
    retry_failed: bool,
) -> AsyncGenerator[Step]:
    listing = await source.listing()
    registered = await workspace.source_entries(labels.collection, listing.places)

    def read_again(entry: KnownEntry) -> bool:
        other_tags = bool(labels.tags) and entry.tags != labels.tags
        return other_tags or (retry_failed and entry.failed)

    changes = changes_between(
        listing.offered, registered, out_of_sight=listing.out_of_sight, read_again=read_again
    )
    for entry in changes.unchanged:
        yield Step(external_id=entry.external_id, verdict="unchanged", entry=entry)
    for offered in changes.waiting:
        yield Step(external_id=offered.external_id, verdict="waiting")
    missing = {entry.external_id: entry for entry in changes.missing}
    former: dict[str, list[str]] = {}
    for entry in changes.missing:
        former.setdefault(entry.content_sha256, []).append(entry.external_id)
    labels = replace(labels, former=former)
    entries = {entry.external_id: entry for entry in registered}
    for offered in changes.to_read:
        earlier = entries.get(offered.external_id)
        before = None if earlier is not None and read_again(earlier) else earlier
        step = await _take_in(
            workspace, source, offered, labels, missing=missing, former=former, before=before
        )
        yield _retried(step, earlier)
    deletable_entries = deletable(changes, len(registered))
    for entry in changes.missing if delete_missing else ():
        if entry.external_id not in missing:
            continue
        if entry in deletable_entries:
            yield await _remove(workspace, labels, entry)
        else:
            yield Step(external_id=entry.external_id, verdict="kept", entry=entry, reason=_ALL_GONE)


async def _take_in(
    workspace: WorkspaceEngine,
    source: Source,
    offered: Offered,
    labels: Labels,
    *,
    missing: dict[str, KnownEntry],
    former: Mapping[str, list[str]],
    before: KnownEntry | None,
) -> Step:
    """Ingest one entry; if it was renamed, remove its former id from `missing` and `former`."""
    try:
        result = await source.take_in(workspace, offered, labels, before)
    except (Conflict, DocumentFailed, InvalidRequest, NotFound, SourceUnreachable) as error:
        reason = "; ".join(filter(None, (str(error), error.hint)))
        return Step(external_id=offered.external_id, verdict="refused", reason=reason)
    if result is None:
        return Step(external_id=offered.external_id, verdict="unchanged", entry=before)
    received, offered = result
    verdict: Verdict = "added"
    if received.new_version:
        verdict = "changed"
    elif received.duplicate:
        is_same_entry = received.document.external_id == offered.external_id
        verdict = "unchanged" if is_same_entry else "known"
        earlier = missing.get(received.document.external_id or "")
        if earlier is not None and await workspace.rename_source_entry(
            labels.collection, earlier, offered.external_id
        ):
            del missing[earlier.external_id]
            former[earlier.content_sha256].remove(earlier.external_id)
            verdict = "renamed"
    await workspace.remember_source_entry(labels.collection, offered, received)
    return Step(external_id=offered.external_id, verdict=verdict, received=received)


def _retried(step: Step, entry: KnownEntry | None) -> Step:
    """Return the step with the verdict `retried` if it ingested a known document again."""
    if step.verdict != "added" or step.received is None or entry is None:
        return step
    same = step.received.document.document_id == entry.document_id
    return replace(step, verdict="retried") if same else step


async def _remove(workspace: WorkspaceEngine, labels: Labels, entry: KnownEntry) -> Step:
    try:
        removed = await workspace.remove_source_entry(labels.collection, entry)
    except NotFound:
        removed = True  # Deleted by another process.
    except UnderLegalHold as error:
        reason = error.with_hint
        return Step(external_id=entry.external_id, verdict="kept", entry=entry, reason=reason)
    verdict: Verdict = "removed" if removed else "kept"
    return Step(external_id=entry.external_id, verdict=verdict, entry=entry)
