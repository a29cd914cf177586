"""Roles in a workspace on a remote server, and who sees its documents."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from footnote.domain import AccessExplanation, DocumentAccess, Grant, Role, Visibility
from footnote.interfaces.sdk.transport import Repeat
from footnote.interfaces.sdk.verbs import Remote, verb
from footnote.validation.constrained_types import Name


@verb("GET", "/v1/grants", "grants")
async def grants(client: Remote) -> tuple[Grant, ...]:
    """Every role granted where the caller may administer, by subject and collection."""


@verb("PUT", "/v1/grants")
async def grant_role(
    client: Remote, subject: str, role: Role, *, collection: Name | None = None
) -> Grant:
    """Give somebody a role in the workspace or in a collection, in the place of an earlier one."""


@verb("DELETE", "/v1/grants", repeat=Repeat.REFUSED)
async def revoke_role(client: Remote, subject: str, *, collection: Name | None = None) -> None:
    """Take a role back. Raises NotFound where none was granted there."""


@verb("GET", "/v1/documents/{document_id}/access")
async def document_access(client: Remote, document_id: UUID) -> DocumentAccess:
    """Who sees a document. Raises NotFound."""


@verb("PUT", "/v1/documents/{document_id}/access")
async def set_document_access(
    client: Remote,
    document_id: UUID,
    visibility: Visibility,
    *,
    shared_with: Sequence[str] = (),
) -> DocumentAccess:
    """Change who sees a document and its attachments, from the next search on."""


@verb(
    "GET",
    "/v1/documents/{document_id}/access/explanation",
    names={"principal_id": "principal", "groups": "group"},
)
async def explain_access(
    client: Remote,
    document_id: UUID,
    principal_id: str,
    *,
    groups: Sequence[str] = (),
    role: Role | None = None,
) -> AccessExplanation:
    """Why somebody, with those groups, sees a document or does not."""
