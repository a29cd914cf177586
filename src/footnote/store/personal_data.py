"""Export of personal data: what is stored about a principal, table by table, in pages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from psycopg.rows import DictRow

from footnote.domain import Document
from footnote.domain.audit import AuditEntry
from footnote.store.audit import entries_about
from footnote.store.database import WorkspaceScope
from footnote.store.documents import document_of
from footnote.store.statements import load_statements

_SQL = load_statements("personal_data")
PAGE = 500

ROWS = (
    *("profile", "groups", "grants", "keys", "sessions", "share_links", "pushes"),
    *("idempotency_keys", "settings", "webhooks", "usage", "evaluations"),
    *("started_evaluations", "sources"),
)
"""Sections of an export whose rows are returned as stored; none of them is encrypted."""

_ACTOR = ("actor_groups", "actor_role", "actor_collections", "actor_credential")
COVERED: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "api_keys": frozenset(
            ("principal", "groups", "created_by", "credential_id", "replaced_by")
        ),
        "audit_log": frozenset(("principal", "credential", "subject")),
        "audit_queries": frozenset(("query",)),
        "conversations": frozenset(("principal", "title")),
        "conversation_documents": frozenset(("principal",)),
        "documents": frozenset(("created_by", "access")),
        "evaluation_runs": frozenset(("kept_by",)),
        "feedback": frozenset(("principal", "comment")),
        "grants": frozenset(("subject", "granted_by")),
        "idempotency_keys": frozenset(("principal",)),
        "ingest_requests": frozenset(("principal", "request", *_ACTOR)),
        "memberships": frozenset(("user_id",)),
        "messages": frozenset(("principal", "text", "answer")),
        "retention_rules": frozenset(("set_by",)),
        "saved_views": frozenset(("principal", "name", "view")),
        "sessions": frozenset(("principal", "groups", "issuer", "subject", "credential_id")),
        "setting_changes": frozenset(("changed_by",)),
        "share_links": frozenset(
            ("owner", "owner_groups", "owner_role", "owner_collections", "credential_id")
        ),
        "started_evaluations": frozenset(
            ("started_by", "starter_groups", "starter_role", "starter_collections")
        ),
        "usage": frozenset(("principal",)),
        "users": frozenset(("user_id", "user_name", "external_id", "attributes")),
        "webhook_endpoints": frozenset(("access",)),
        "workspace_sources": frozenset(("added_by", *_ACTOR)),
    }
)
"""By table, the columns by which an export finds a principal, or that contain data about one."""

LEFT_OUT: Mapping[str, str] = MappingProxyType(
    {
        "clusters": "which documents or chunks lie together; `members` says of which it is one",
        "credential_directory": "ids of credentials, which keys, sessions and share links have",
        "document_entities": "what documents name, which those documents have",
        "document_keys": "by which titles, sentences and mails documents are found",
        "entity_decisions": "who merged, split or renamed what, which audit has",
        "entity_names": "names that administrators gave to what documents name",
        "entity_pairs": "what documents name in one sentence, which those documents have",
        "entity_sets": "which program read a document for entities",
        "erasures": "the ledger of what was erased by whom, which audit has",
        "events": "copies of what documents say of who may see them; they go after seven days",
        "fact_sets": "which program read a document for facts",
        "facts": "who confirmed or rejected one, which audit has; what it says is of a document",
        "failed_credentials": "keyed hashes of addresses, which nobody can turn back",
        "legal_holds": "holds name whom they are about, who may not be told of them; who set and "
        "lifted them is in audit",
        "login_directory": "what the provider calls a session, which sessions have",
        "message_sources": "which documents an answer used, which messages say themselves",
        "rate_limits": "when a credential may ask again; it is forgotten within minutes",
        "user_groups": "names of groups; those of the person are in groups",
    }
)
"""Tables that may name a principal or a credential of one but are not exported, with the reason."""


async def rows_about(
    scope: WorkspaceScope, section: str, principal: str, after: str
) -> tuple[list[DictRow], str | None]:
    """Return a page of a section of ROWS, and the key after which the next one begins."""
    rows = await scope.all(_SQL[section], {"who": principal, "after": after, "limit": PAGE})
    entries = [{name: row[name] for name in row if name != "key"} for row in rows]
    return entries, rows[-1]["key"] if len(rows) == PAGE else None


async def documents_about(
    scope: WorkspaceScope, principal: str, after: str
) -> tuple[list[tuple[bool, Document]], str | None]:
    """Return a page of visible documents with whether the person added each, and the next key."""
    rows = await scope.all(_SQL["documents"], {"who": principal, "after": after, "limit": PAGE})
    documents = [(row["added"], document_of(scope, row)) for row in rows]
    return documents, rows[-1]["key"] if len(rows) == PAGE else None


async def audit_about(
    scope: WorkspaceScope, principal: str, after: int, *, by_others: bool
) -> tuple[tuple[AuditEntry, ...], int | None]:
    """Return a page of the person's audit entries; with `by_others`, also of others' about them."""
    entries = await entries_about(scope, principal, by_others=by_others, after=after, limit=PAGE)
    return entries, entries[-1].entry_no if len(entries) == PAGE else None
