"""What a workspace on a remote server keeps how long, may not delete, and erases for good."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode
from uuid import UUID

from footnote.domain import Erasure
from footnote.domain.erasure import ErasureEntry, ErasureVerification, ReplayedErasure
from footnote.domain.retention import (
    LegalHold,
    RetentionKind,
    RetentionPreview,
    RetentionRule,
    RetentionRun,
)
from footnote.interfaces.schemas import (
    ErasureList,
    LegalHoldList,
    ReplayReport,
    RetentionRules,
    decoded,
    object_of,
)
from footnote.interfaces.sdk.pages import Remote
from footnote.interfaces.sdk.transport import NOTHING, Content, Repeat

_RETENTION = "/v1/retention"
_HOLDS = "/v1/legal-holds"
_ERASURES = "/v1/erasures"


async def retention_rules(client: Remote) -> tuple[RetentionRule, ...]:
    """After how many days what is deleted."""
    return decoded(RetentionRules, await client.transport.json("GET", _RETENTION)).rules


async def set_retention(
    client: Remote, kind: RetentionKind, days: int | None, *, collection: str | None = None
) -> tuple[RetentionRule, ...]:
    """Have something deleted after so many days, or kept for ever; all rules."""
    content = Content(json={"kind": kind, "days": days, "collection": collection})
    return decoded(RetentionRules, await client.transport.json("PUT", _RETENTION, content)).rules


async def remove_retention(
    client: Remote, kind: RetentionKind, *, collection: str | None = None
) -> None:
    """Remove a rule. Raises NotFound where there is none."""
    given = {"kind": kind} | ({} if collection is None else {"collection": collection})
    path = f"{_RETENTION}?{urlencode(given)}"
    await client.transport.call("DELETE", path, repeat=Repeat.REFUSED)


async def retention_preview(
    client: Remote, *, within_days: int = 0, limit: int = 50
) -> RetentionPreview:
    """What the rules delete until so many days from now, as far as it is there now."""
    query = urlencode({"within_days": within_days, "limit": limit})
    found = await client.transport.json("GET", f"{_RETENTION}/preview?{query}")
    return decoded(RetentionPreview, found)


async def apply_retention(client: Remote) -> RetentionRun:
    """Delete what is due now, rather than wait for a worker."""
    path = f"{_RETENTION}/apply"
    return decoded(RetentionRun, await client.transport.json("POST", path, NOTHING, Repeat.UNSENT))


async def legal_holds(client: Remote, *, lifted: bool = False) -> tuple[LegalHold, ...]:
    """The holds in force, oldest first, and with `lifted` those that were lifted."""
    query = urlencode({"lifted": str(lifted).lower()})
    found = await client.transport.json("GET", f"{_HOLDS}?{query}")
    return decoded(LegalHoldList, found).legal_holds


async def set_legal_hold(
    client: Remote,
    reason: str,
    *,
    document_id: UUID | None = None,
    collection: str | None = None,
    principal_id: str | None = None,
) -> LegalHold:
    """Keep one document, a collection, or all of a principal from being deleted."""
    content = Content(
        json={
            "reason": reason,
            "document_id": None if document_id is None else str(document_id),
            "collection": collection,
            "principal_id": principal_id,
        }
    )
    found = await client.transport.json("POST", _HOLDS, content, Repeat.REFUSED)
    return decoded(LegalHold, found)


async def lift_legal_hold(client: Remote, hold_id: UUID, reason: str) -> LegalHold:
    """Let what was held be deleted again. Raises NotFound where it is not in force."""
    path, content = f"{_HOLDS}/{hold_id}/lift", Content(json={"reason": reason})
    return decoded(LegalHold, await client.transport.json("POST", path, content, Repeat.REFUSED))


async def erase_collection(client: Remote, collection: str) -> Erasure:
    """Erase all documents of a collection, whoever sees them. Raises NotFound."""
    content = Content(json={"collection": collection})
    return decoded(Erasure, await client.transport.json("POST", _ERASURES, content, Repeat.REFUSED))


async def erase_principal(client: Remote, principal_id: str) -> Erasure:
    """Erase the documents that a principal handed in, its conversations, and what it asked."""
    content = Content(json={"principal_id": principal_id})
    return decoded(Erasure, await client.transport.json("POST", _ERASURES, content, Repeat.REFUSED))


async def erasures(client: Remote) -> tuple[ErasureEntry, ...]:
    """The ledger of erasures, oldest first: ids, and nothing of what was erased."""
    return decoded(ErasureList, await client.transport.json("GET", _ERASURES)).erasures


async def verify_erasure(client: Remote, erasure: Erasure) -> ErasureVerification:
    """Whether a certificate is what was given, and its documents are still gone."""
    content = Content(json={"certificate": object_of(erasure)})
    found = await client.transport.json("POST", f"{_ERASURES}/verify", content)
    return decoded(ErasureVerification, found)


async def replay_erasures(
    client: Remote, entries: Sequence[ErasureEntry]
) -> tuple[ReplayedErasure, ...]:
    """Carry erasures out again, after a backup was restored that had what they erased."""
    content = Content(json={"erasures": [object_of(each) for each in entries]})
    found = await client.transport.json("POST", f"{_ERASURES}/replay", content, Repeat.REFUSED)
    return decoded(ReplayReport, found).erasures
