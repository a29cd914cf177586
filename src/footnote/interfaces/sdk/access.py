"""Roles in a workspace on a remote server, and who sees its documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode
from uuid import UUID

from footnote.domain import AccessExplanation, DocumentAccess, Grant, Role, Visibility
from footnote.interfaces.schemas import GrantList, decoded
from footnote.interfaces.sdk.pages import Remote
from footnote.interfaces.sdk.transport import Content, Repeat

_GRANTS = "/v1/grants"


async def grants(client: Remote) -> tuple[Grant, ...]:
    """Every role granted where the caller may administer, by subject and collection."""
    return decoded(GrantList, await client.transport.json("GET", _GRANTS)).grants


async def grant_role(
    client: Remote, subject: str, role: Role, *, collection: str | None = None
) -> Grant:
    """Give somebody a role in the workspace or in a collection, in the place of an earlier one."""
    content = Content(json={"subject": subject, "role": role, "collection": collection})
    return decoded(Grant, await client.transport.json("PUT", _GRANTS, content))


async def revoke_role(client: Remote, subject: str, *, collection: str | None = None) -> None:
    """Take a role back. Raises NotFound where none was granted there."""
    path = _with_query(_GRANTS, {"subject": subject, "collection": collection})
    await client.transport.call("DELETE", path, repeat=Repeat.REFUSED)


async def document_access(client: Remote, document_id: UUID) -> DocumentAccess:
    """Who sees a document. Raises NotFound."""
    found = await client.transport.json("GET", f"/v1/documents/{document_id}/access")
    return decoded(DocumentAccess, found)


async def set_document_access(
    client: Remote,
    document_id: UUID,
    visibility: Visibility,
    *,
    shared_with: Sequence[str] = (),
) -> DocumentAccess:
    """Change who sees a document and its attachments, from the next search on."""
    content = Content(json={"visibility": visibility, "shared_with": list(shared_with)})
    found = await client.transport.json("PUT", f"/v1/documents/{document_id}/access", content)
    return decoded(DocumentAccess, found)


async def explain_access(
    client: Remote,
    document_id: UUID,
    principal_id: str,
    *,
    groups: Sequence[str] = (),
    role: Role | None = None,
) -> AccessExplanation:
    """Why somebody, with those groups, sees a document or does not."""
    path = _with_query(
        f"/v1/documents/{document_id}/access/explanation",
        {"principal": principal_id, "group": list(groups), "role": role},
    )
    return decoded(AccessExplanation, await client.transport.json("GET", path))


def _with_query(path: str, given: Mapping[str, str | Sequence[str] | None]) -> str:
    """The path with the parameters that are there; those of several values are repeated."""
    query = urlencode({name: each for name, each in given.items() if each}, doseq=True)
    return f"{path}?{query}" if query else path
