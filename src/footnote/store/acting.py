"""Keep for whom a worker acts later: what their credential said, in columns beside the work."""

from __future__ import annotations

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from footnote.domain import Identity, Principal, Role
from footnote.domain.identity import LOCAL_IDENTITY


def actor_columns(actor: Identity | None) -> dict[str, object]:
    """Return the statement parameters of the columns; all None where no worker acts later."""
    if actor is None:
        names = ("actor_groups", "actor_role", "actor_collections", "actor_credential")
        return dict.fromkeys(names)
    return {
        "actor_groups": list(actor.principal.groups),
        "actor_role": actor.role,
        "actor_collections": Jsonb(dict(actor.collections)),
        "actor_credential": actor.credential,
    }


def actor_in(row: DictRow, principal_id: str, *, role_of_before: Role | None) -> Identity:
    """Return whoever a row's work is done for.

    `role_of_before` is the role where an older version wrote the row, without the columns.
    """
    if row["actor_groups"] is None:
        principal = Principal(principal_id=principal_id, role=None)
        return Identity(principal=principal, role=role_of_before)
    role = row["actor_role"]
    return Identity(
        principal=Principal(
            principal_id=principal_id, groups=tuple(row["actor_groups"]), role=None
        ),
        role=None if role is None else Role(role),
        collections=tuple(
            (name, Role(collection_role))
            for name, collection_role in row["actor_collections"].items()
        ),
        credential=row["actor_credential"],
    )


def role_of_operator(principal_id: str) -> Role | None:
    """Return the role of the operator, whom no credential has to prove; None for all others."""
    return LOCAL_IDENTITY.role if principal_id == LOCAL_IDENTITY.principal.principal_id else None
