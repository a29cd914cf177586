"""The audit log as a hash chain: each hash covers its entry and the previous hash.

Changing, removing, adding or reordering entries changes every later hash. A log that is truncated
at its end, or rewritten from some entry on, is still a valid chain: only a head hash stored
elsewhere reveals that.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC
from uuid import UUID

from footnote.domain.audit import NO_ENTRIES, AuditDraft, AuditEntry, AuditFault, AuditHead
from footnote.domain.erasure import Erasure

_SALT_BYTES = 16
_NOT_HASHED = {"query", "query_salt", "entry_hash"}
"""A query can be erased; its digest stays, and is hashed."""


def canonical_json(value: Mapping[str, object]) -> bytes:
    """Serialise to canonical JSON (RFC 8785), for ASCII names and values without fractions."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def hash_of_entry(workspace_id: UUID, entry: AuditEntry) -> str:
    """SHA-256 of an entry in its workspace, hexadecimal."""
    members: dict[str, object] = {
        entry_field.name: getattr(entry, entry_field.name)
        for entry_field in fields(entry)
        if entry_field.name not in _NOT_HASHED
    }
    members |= {
        "workspace_id": str(workspace_id),
        "act_id": str(entry.act_id),
        "recorded_at": entry.recorded_at.astimezone(UTC).isoformat(timespec="microseconds"),
        "subject": dict(entry.subject),
        "documents": [str(document_id) for document_id in entry.documents],
    }
    return hashlib.sha256(canonical_json(members)).hexdigest()


def digest_of_query(salt: str, query: str) -> str:
    """SHA-256 of salt and query: who has both can prove what was asked, who has it learns nothing.

    `salt` is hexadecimal.
    """
    return hashlib.sha256(bytes.fromhex(salt) + query.encode()).hexdigest()


def digest_of_certificate(erasure: Erasure) -> str:
    """SHA-256 over a certificate as canonical JSON, without the hash itself."""
    members: dict[str, object] = {
        member.name: getattr(erasure, member.name) for member in fields(erasure)
    }
    del members["sha256"]
    members |= {
        "certificate_id": str(erasure.certificate_id),
        "workspace_id": str(erasure.workspace_id),
        "document_ids": [str(document_id) for document_id in erasure.document_ids],
        "erased_at": erasure.erased_at.astimezone(UTC).isoformat(timespec="microseconds"),
        "checks": [
            {member.name: getattr(check, member.name) for member in fields(check)}
            for check in erasure.checks
        ],
        "not_reached": list(erasure.not_reached),
    }
    return hashlib.sha256(canonical_json(members)).hexdigest()


def chained(
    workspace_id: UUID, head: AuditHead, drafts: Sequence[tuple[AuditDraft, str | None]]
) -> Iterator[AuditEntry]:
    """Drafts with their queries as the entries that follow a head."""
    for draft, query in drafts:
        salt = None if query is None else secrets.token_hex(_SALT_BYTES)
        digest = None if query is None or salt is None else digest_of_query(salt, query)
        entry = AuditEntry(
            **{
                draft_field.name: getattr(draft, draft_field.name)
                for draft_field in fields(AuditDraft)
            },
            entry_no=head.entry_no + 1,
            query=query,
            query_salt=salt,
            query_digest=digest,
            previous_hash=head.entry_hash,
            entry_hash="",
        )
        entry = replace(entry, entry_hash=hash_of_entry(workspace_id, entry))
        head = AuditHead(entry_no=entry.entry_no, entry_hash=entry.entry_hash)
        yield entry


class Verifier:
    """Verifies a log entry by entry, in order, and collects its faults."""

    def __init__(
        self, workspace_id: UUID, stored_heads: Iterable[AuditHead] = (), max_faults: int = 20
    ) -> None:
        """`stored_heads` are heads stored elsewhere that the log must contain."""
        self._workspace_id = workspace_id
        self._stored_hashes = {head.entry_no: head.entry_hash for head in stored_heads}
        self._max_faults = max_faults
        self.head = NO_ENTRIES
        self.entries = 0
        self.faults: list[AuditFault] = []

    def look_at(self, entry: AuditEntry) -> None:
        """Verify an entry's hashes and its link to the previous entry."""
        self.entries += 1
        number = entry.entry_no
        if number != self.head.entry_no + 1:
            first, last = self.head.entry_no + 1, number - 1
            missing = f"entry {first} is" if first == last else f"entries {first} to {last} are"
            self._fault(number, f"{missing} missing before it")
        if not hmac.compare_digest(entry.previous_hash, self.head.entry_hash):
            self._fault(number, "it does not follow the entry before it")
        if not hmac.compare_digest(entry.entry_hash, hash_of_entry(self._workspace_id, entry)):
            self._fault(number, "it was changed")
        if entry.query is not None and not (
            entry.query_salt is not None
            and entry.query_digest is not None
            and digest_of_query(entry.query_salt, entry.query) == entry.query_digest
        ):
            self._fault(number, "its query was changed")
        if self._stored_hashes.get(number, entry.entry_hash) != entry.entry_hash:
            self._fault(number, "it is not the entry whose hash was kept elsewhere")
        self.head = AuditHead(entry_no=number, entry_hash=entry.entry_hash)

    def finish(self) -> None:
        """Report entries missing at the end, by the heads stored elsewhere."""
        for number in sorted(self._stored_hashes):
            if number > self.head.entry_no:
                self._fault(number, f"the log ends at entry {self.head.entry_no}, before it")

    def _fault(self, entry_no: int, problem: str) -> None:
        if len(self.faults) < self._max_faults:
            self.faults.append(AuditFault(entry_no=entry_no, what=problem))
