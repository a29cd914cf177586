"""What a workspace on a remote server keeps how long, may not delete, and erases for good."""

from __future__ import annotations

from collections.abc import Sequence
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
    ReplayReport,
    decoded,
    object_of,
)
from footnote.interfaces.sdk.transport import Content, Repeat
from footnote.interfaces.sdk.verbs import Remote, verb
from footnote.validation.constrained_types import Name

_ERASURES = "/v1/erasures"


@verb("GET", "/v1/retention", "rules")
async def retention_rules(client: Remote) -> tuple[RetentionRule, ...]:
    """After how many days what is deleted."""


@verb("PUT", "/v1/retention", "rules")
async def set_retention(
    client: Remote, kind: RetentionKind, days: int | None, *, collection: Name | None = None
) -> tuple[RetentionRule, ...]:
    """Have something deleted after so many days, or kept for ever; all rules."""


@verb("DELETE", "/v1/retention", repeat=Repeat.REFUSED)
async def remove_retention(
    client: Remote, kind: RetentionKind, *, collection: Name | None = None
) -> None:
    """Remove a rule. Raises NotFound where there is none."""


@verb("GET", "/v1/retention/preview")
async def retention_preview(
    client: Remote, *, within_days: int = 0, limit: int = 50
) -> RetentionPreview:
    """What the rules delete until so many days from now, as far as it is there now."""


@verb("POST", "/v1/retention/apply", repeat=Repeat.UNSENT)
async def apply_retention(client: Remote) -> RetentionRun:
    """Delete what is due now, rather than wait for a worker."""


@verb("GET", "/v1/legal-holds", "legal_holds")
async def legal_holds(client: Remote, *, lifted: bool = False) -> tuple[LegalHold, ...]:
    """The holds in force, oldest first, and with `lifted` those that were lifted."""


@verb("POST", "/v1/legal-holds", repeat=Repeat.REFUSED)
async def set_legal_hold(
    client: Remote,
    reason: str,
    *,
    document_id: UUID | None = None,
    collection: Name | None = None,
    principal_id: str | None = None,
) -> LegalHold:
    """Keep one document, a collection, or all of a principal from being deleted."""


@verb("POST", "/v1/legal-holds/{hold_id}/lift", repeat=Repeat.REFUSED)
async def lift_legal_hold(client: Remote, hold_id: UUID, reason: str) -> LegalHold:
    """Let what was held be deleted again. Raises NotFound where it is not in force."""


@verb("POST", "/v1/erasures", repeat=Repeat.REFUSED)
async def erase_collection(client: Remote, collection: Name) -> Erasure:
    """Erase all documents of a collection, whoever sees them. Raises NotFound."""


@verb("POST", "/v1/erasures", repeat=Repeat.REFUSED)
async def erase_principal(client: Remote, principal_id: str) -> Erasure:
    """Erase the documents that a principal handed in, its conversations, and what it asked."""


@verb("GET", "/v1/erasures", "erasures")
async def erasures(client: Remote) -> tuple[ErasureEntry, ...]:
    """The ledger of erasures, oldest first: ids, and nothing of what was erased."""


async def verify_erasure(client: Remote, erasure: Erasure) -> ErasureVerification:
    """Whether a certificate is what was given, and its documents are still gone."""
    content = Content(json={"certificate": object_of(erasure)})
    response = await client.transport.json("POST", f"{_ERASURES}/verify", content)
    return decoded(ErasureVerification, response)


async def replay_erasures(
    client: Remote, entries: Sequence[ErasureEntry]
) -> tuple[ReplayedErasure, ...]:
    """Carry erasures out again, after a backup was restored that had what they erased."""
    content = Content(json={"erasures": [object_of(entry) for entry in entries]})
    response = await client.transport.json("POST", f"{_ERASURES}/replay", content, Repeat.REFUSED)
    return decoded(ReplayReport, response).erasures
