"""Who may do what in a workspace, who sees a document, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from footnote.domain import (
    AccessExplanation,
    DocumentAccess,
    Grant,
    Principal,
    Right,
    Role,
    Visibility,
)
from footnote.domain.access import access_names, with_grants
from footnote.domain.identity import MEMBERS, WHOLE_WORKSPACE, highest_role
from footnote.engine.services import Services, WorkspaceAccess
from footnote.errors import Forbidden, InvalidRequest, NotAuthenticated, NotFound
from footnote.store import access as stored
from footnote.store.database import WorkspaceScope
from footnote.store.documents import no_such_document
from footnote.store.people import standing
from footnote.validation.constrained_types import Access, AnyPrincipalId, AnySubject, Name, Subject


async def current_principal(
    engine: Services, scope: WorkspaceScope, claimed: Principal
) -> Principal:
    """Return the claimed principal with its directory groups and granted roles added.

    The directory counts where login or SCIM is enabled. An administrator is returned without
    grants. Raises NotAuthenticated for a deactivated user.
    """
    if engine.credentials.ways & {"login", "scim"}:
        claimed = await _with_directory_groups(engine, scope, claimed)
    if claimed.role is Role.ADMIN:
        return claimed
    return with_grants(claimed, await stored.grants_of(scope, claimed))


async def _with_directory_groups(
    engine: Services, scope: WorkspaceScope, claimed: Principal
) -> Principal:
    person = await standing(scope, claimed.principal_id)
    if person is None:
        return claimed
    if not person.active:
        raise NotAuthenticated(
            "The account is switched off.", hint="Have the identity provider switch it on."
        )
    mapped = [engine.credentials.roles.get(group) for group in person.groups]
    if engine.credentials.delegation is not None:
        # A backend decides about collections, as it does for the roles of a credential.
        mapped = [role for role in mapped if role is Role.ADMIN]
    return replace(
        claimed,
        principal_id=person.user_name,
        groups=tuple(dict.fromkeys((*claimed.groups, *person.groups))),
        # A credential limited to collections gains no role in the whole workspace.
        role=claimed.role if claimed.collections else highest_role((claimed.role, *mapped)),
    )


async def grants(workspace: WorkspaceAccess) -> tuple[Grant, ...]:
    """List the role grants that the caller may administer, by subject and collection."""
    async with workspace.scope() as scope:
        stored_grants = await stored.list_grants(scope)
    return tuple(
        grant
        for grant in stored_grants
        if workspace.principal.may(Right.ADMINISTER, grant.collection or WHOLE_WORKSPACE)
    )


async def grant_role(
    workspace: WorkspaceAccess, subject: Subject, role: Role, *, collection: Name | None = None
) -> Grant:
    """Grant a subject a role in the workspace or in a collection, replacing an earlier grant.

    Raises Forbidden unless the caller may administer that workspace or collection.
    """
    workspace.require(Right.ADMINISTER, collection or WHOLE_WORKSPACE)
    async with workspace.scope() as scope:
        return await stored.grant_role(scope, subject, role, collection)


async def revoke_role(
    workspace: WorkspaceAccess, subject: AnySubject, *, collection: Name | None = None
) -> None:
    """Revoke a granted role. Raises NotFound where none was granted there, and Forbidden."""
    workspace.require(Right.ADMINISTER, collection or WHOLE_WORKSPACE)
    async with workspace.scope() as scope:
        revoked = await stored.revoke_role(scope, subject, collection)
    if not revoked:
        location = "in the workspace" if collection is None else f"in the collection {collection!r}"
        raise NotFound(
            f"{subject!r} was granted no role {location}",
            hint="`footnote access list` or `GET /v1/grants` shows all",
        )


async def document_access(workspace: WorkspaceAccess, document_id: UUID) -> DocumentAccess:
    """Return who may see a document. Raises NotFound, and Forbidden unless one may set it."""
    async with workspace.scope() as scope:
        access = await stored.stored_access(scope, document_id)
    _require_owner_or_administrator(workspace, document_id, access)
    return _document_access(document_id, access)


async def set_document_access(
    workspace: WorkspaceAccess,
    document_id: UUID,
    visibility: Visibility,
    *,
    shared_with: Access = (),
) -> DocumentAccess:
    """Change who sees a document and its attachments, from the next search on.

    Allowed to the document's owner and to administrators of its collection. Raises NotFound,
    Forbidden, and InvalidRequest for an access list with workspace visibility, or for an
    attachment.
    """
    async with workspace.scope() as scope:
        names = await changed_access_names(workspace, scope, document_id, visibility, shared_with)
    # In the system scope: after the change the caller may no longer see the document.
    async with workspace.system_scope() as scope:
        await stored.change_access(scope, document_id, visibility, names)
        return _document_access(document_id, await stored.stored_access(scope, document_id))


async def changed_access_names(
    workspace: WorkspaceAccess,
    scope: WorkspaceScope,
    document_id: UUID,
    visibility: Visibility,
    shared_with: Access,
) -> tuple[str, ...] | None:
    """Return the names that would admit to a document; None where every role there does.

    `scope` is the caller's. Raises what `set_document_access` raises.
    """
    if visibility is Visibility.WORKSPACE and shared_with:
        raise InvalidRequest(
            "shared_with: a document that the workspace sees needs no list",
            hint="leave the list out, or make the document private",
        )
    access = await stored.stored_access(scope, document_id)
    _require_owner_or_administrator(workspace, document_id, access)
    if access.parent_id is not None:
        raise InvalidRequest(
            f"{document_id} is an attachment, seen by whoever sees what it is attached to",
            hint=f"change {access.parent_id}",
        )
    return access_names(visibility, access.collection, access.created_by, shared_with)


async def explain_access(
    workspace: WorkspaceAccess,
    document_id: UUID,
    principal_id: AnyPrincipalId,
    *,
    groups: Sequence[Name] = (),
    role: Role | None = None,
) -> AccessExplanation:
    """Explain why a principal with these groups may or may not see a document.

    `role` is the workspace role that a credential would carry; roles granted in the workspace are
    added to it. Raises NotFound, also for a document in a collection the caller does not
    administer.
    """
    async with workspace.system_scope() as scope:
        access = await stored.stored_access(scope, document_id)
        if not workspace.principal.may(Right.ADMINISTER, access.collection):
            raise no_such_document(document_id)
        principal = Principal(principal_id=principal_id, groups=tuple(groups), role=role)
        principal = with_grants(principal, await stored.grants_of(scope, principal))
    reason_of_name = {
        principal_id: "handed it in"
        if principal_id == access.created_by
        else "is on its access list",
        MEMBERS: f"has the role {principal.role} in the workspace, which sees the document",
        f"collection:{access.collection}": "has a role in the collection "
        f"{access.collection!r}, which sees the document",
    }
    admitted = [name for name in principal.access_names if name in access.admits]
    reasons = [
        reason_of_name.get(name, f"is in {name}, which is on its access list") for name in admitted
    ] or _obstacles(principal, access)
    return AccessExplanation(
        document_id=document_id,
        principal_id=principal_id,
        visible=bool(admitted) and bool(principal.role or principal.collections),
        visibility=access.visibility,
        role=principal.role,
        collection_role=dict(principal.collections).get(access.collection),
        reasons=tuple(reasons),
    )


def _require_owner_or_administrator(
    workspace: WorkspaceAccess, document_id: UUID, access: stored.StoredAccess
) -> None:
    """Raise Forbidden unless the caller owns the document or administers its collection.

    The credential must have the right too: one limited to writing administers nothing.
    """
    owns = access.created_by == workspace.principal.principal_id
    administers = Right.ADMINISTER in workspace.rights and workspace.principal.may(
        Right.ADMINISTER, access.collection
    )
    if not owns and not administers:
        raise Forbidden(
            f"{workspace.principal.principal_id} may not see or change who sees {document_id}",
            hint="whoever handed it in can, and an administrator of its collection with a "
            "credential that may administer",
        )


def _obstacles(principal: Principal, access: stored.StoredAccess) -> list[str]:
    """List the reasons why the principal may not see the document."""
    obstacles = []
    if principal.role is None and not principal.collections:
        obstacles.append("has no role in the workspace, and so sees nothing of it")
    if access.visibility is Visibility.PRIVATE:
        obstacles.append("the document is private, and neither the name nor a group is on its list")
    elif access.visibility is Visibility.COLLECTION:
        obstacles.append(
            f"the document is for the collection {access.collection!r}, in which there is no role"
        )
    elif principal.role is None:
        obstacles.append(
            f"there is no role in the workspace, nor in the collection {access.collection!r}"
        )
    return obstacles


def _document_access(document_id: UUID, access: stored.StoredAccess) -> DocumentAccess:
    return DocumentAccess(
        document_id=document_id,
        collection=access.collection,
        visibility=access.visibility,
        owner=access.created_by,
        shared_with=access.shared_with,
    )
