"""The caller's identity, and what administrators of a workspace on a remote server manage.

API keys, the audit log, collections, the installation, and what was used and may be.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Literal
from uuid import UUID

from footnote.domain import Health
from footnote.domain.answer_statistics import CitationReport, UnansweredReport
from footnote.domain.audit import Act, AuditHead, AuditPage, AuditVerification
from footnote.domain.backfill import Backfill, BackgroundWork
from footnote.domain.credentials import ApiKey, NewApiKey
from footnote.domain.listing import CollectionSummary
from footnote.domain.usage import Budget, Measure, Period, PersonUsageRow, UsageRow
from footnote.errors import NotFound
from footnote.interfaces.schemas import (
    WhoAsks,
    decoded,
)
from footnote.interfaces.sdk.transport import Content, Repeat
from footnote.interfaces.sdk.verbs import Remote, verb
from footnote.validation.constrained_types import Name, PageLimit

_KEYS = "/v1/keys"
_KEY_ID = re.compile("[0-9a-f]{16}")  # Of another id there is none, nor a path.


@verb("GET", "/v1/identity")
async def identity(client: Remote) -> WhoAsks:
    """Who asks, as the credential proved it, and what they may do in the workspace."""


@verb("POST", "/v1/keys", repeat=Repeat.REFUSED)
async def create_key(
    client: Remote,
    name: str,
    *,
    rights: Sequence[str] = ("read",),
    principal: str | None = None,
    groups: Sequence[str] = (),
    collections: Sequence[str] = (),
    expires_in_days: float | None = None,
) -> NewApiKey:
    """Make a key; its secret is shown this once. It has no more rights than the caller."""


@verb("GET", "/v1/keys", "keys")
async def keys(client: Remote) -> tuple[ApiKey, ...]:
    """The keys of the workspace, oldest first, without their secrets."""


async def rotate_key(client: Remote, key_id: str, *, overlap_hours: float = 24.0) -> NewApiKey:
    """Make a key that takes the place of another, which stays valid for the overlap."""
    content = Content(json={"overlap_hours": overlap_hours})
    path = f"{_key(key_id)}/rotate"
    return decoded(NewApiKey, await client.transport.json("POST", path, content, Repeat.REFUSED))


async def revoke_key(client: Remote, key_id: str) -> None:
    """Make a key useless at once. Raises NotFound."""
    await client.transport.call("DELETE", _key(key_id), repeat=Repeat.REFUSED)


@verb("GET", "/v1/audit")
async def audit_entries(
    client: Remote,
    *,
    principal_id: str | None = None,
    act: Act | None = None,
    document_id: UUID | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: PageLimit = 50,
    cursor: str | None = None,
) -> AuditPage:
    """What was done in the workspace, newest first."""


async def verify_audit(client: Remote, kept: Sequence[AuditHead] = ()) -> AuditVerification:
    """Whether no entry of the log was changed, removed or put in between.

    Keep the head of what it gives elsewhere; handed in later, it also shows whether the log was cut
    off or written anew.
    """
    heads = [{"entry_no": head.entry_no, "entry_hash": head.entry_hash} for head in kept]
    content = Content(json={"kept": heads})
    response = await client.transport.json("POST", "/v1/audit/verify", content)
    return decoded(AuditVerification, response)


@verb("GET", "/v1/usage", "rows")
async def usage(
    client: Remote,
    *,
    since: date | None = None,
    until: date | None = None,
    principal_id: str | None = None,
    conversation_id: UUID | None = None,
    document_id: UUID | None = None,
) -> tuple[UsageRow, ...]:
    """What was used by day, kind and model, latest first; both days included, in UTC."""


@verb("GET", "/v1/usage/people", "rows")
async def usage_by_person(
    client: Remote, *, since: date | None = None, until: date | None = None
) -> tuple[PersonUsageRow, ...]:
    """What each person, key and service used by day; latest first, then who cost most."""


@verb("GET", "/v1/collections", "collections")
async def collections(client: Remote) -> tuple[CollectionSummary, ...]:
    """The collections that the caller administers, with counts of what it may see of each."""


@verb("DELETE", "/v1/collections", repeat=Repeat.REFUSED)
async def delete_collection(client: Remote, collection: Name) -> None:
    """Remove a collection without documents, with the roles granted in it. Raises Conflict."""


@verb("GET", "/v1/doctor")
async def examine_installation(client: Remote) -> Health:
    """What the server stands on, what is wrong of it, and what to do about that."""


@verb("GET", "/v1/citations")
async def citations(
    client: Remote,
    *,
    since: date | None = None,
    until: date | None = None,
    collection: Name | None = None,
    limit: int = 50,
) -> CitationReport:
    """Which documents the answers of a period cite most, and which they never do."""


@verb("GET", "/v1/unanswered")
async def unanswered_questions(
    client: Remote, *, since: date | None = None, until: date | None = None, limit: int = 100
) -> UnansweredReport:
    """What was asked in conversations and not answered, what was asked most first."""


async def export_unanswered(
    client: Remote,
    kind: Literal["golden", "csv"],
    *,
    since: date | None = None,
    until: date | None = None,
) -> str:
    """The questions that were not answered, as lines of a golden set or as a table."""
    content = Content(params=_query_params(format=kind, since=since, until=until))
    response = await client.transport.call(
        "GET", "/v1/unanswered/export", content, repeat=Repeat.LOST
    )
    return response.text


@verb("GET", "/v1/budgets", "budgets")
async def budgets(client: Remote) -> tuple[Budget, ...]:
    """The budgets of the workspace, with what was used of each."""


@verb("PUT", "/v1/budgets", "budgets")
async def set_budget(
    client: Remote, measure: Measure, period: Period, most: float, *, warn_share: float = 0.8
) -> tuple[Budget, ...]:
    """Limit what the workspace may use in a period, in the place of a limit before; all of them."""


@verb("DELETE", "/v1/budgets", repeat=Repeat.REFUSED)
async def remove_budget(client: Remote, measure: Measure, period: Period) -> None:
    """Limit it no more. Raises NotFound where it was not."""


def _key(key_id: str) -> str:
    if not _KEY_ID.fullmatch(key_id):
        raise NotFound(
            "that is no id of a key", hint="`footnote keys list` or `GET /v1/keys` shows the ids"
        )
    return f"{_KEYS}/{key_id}"


def _query_params(**values: object) -> Mapping[str, str | int]:
    return {
        name: value if isinstance(value, int) else str(value)
        for name, value in values.items()
        if value is not None
    }


_BACKFILL = "/v1/backfill"


@verb("GET", "/v1/backfill")
async def backfill(client: Remote) -> Backfill:
    """What documents have and lack of what is derived from them, by kind."""


async def start_backfill(client: Remote, kinds: Sequence[BackgroundWork] = ()) -> Backfill:
    """Have workers make up for what documents lack. Raises Conflict."""
    return await _change_backfill(client, _BACKFILL, kinds)


async def pause_backfill(client: Remote, kinds: Sequence[BackgroundWork] = ()) -> Backfill:
    """Have workers leave these kinds alone, or all; what was made stays."""
    return await _change_backfill(client, f"{_BACKFILL}/pause", kinds)


async def resume_backfill(client: Remote, kinds: Sequence[BackgroundWork] = ()) -> Backfill:
    """Have workers go on with these kinds, or all, where they were paused."""
    return await _change_backfill(client, f"{_BACKFILL}/resume", kinds)


async def _change_backfill(client: Remote, path: str, kinds: Sequence[BackgroundWork]) -> Backfill:
    body = Content(json={"kinds": [kind.value for kind in kinds]} if kinds else {})
    return decoded(Backfill, await client.transport.json("POST", path, body, repeat=Repeat.LOST))
