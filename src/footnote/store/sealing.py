"""Which columns of a workspace are encrypted, and the stored form of their values."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from footnote.errors import CiphertextDamaged, KeyUnavailable
from footnote.ports import Cipher, CiphertextLocation, IndexSecrets, Vector, Vectors

SEALED_MARK = "sealed:"
"""Prefix of an encrypted credential; credentials stored before encryption lack it."""
_MEMBER = "sealed"

Form = Literal["text", "words", "json", "metadata", "bytes", "secret", "secret_json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedColumn:
    """A column whose values are encrypted."""

    table: str
    column: str
    key: tuple[str, ...]
    """Columns that identify a row within the workspace."""
    form: Form

    def of(self, *key: object) -> CiphertextLocation:
        """The place of the column in the row with this key."""
        return CiphertextLocation(self.table, "/".join(map(str, key)), self.column)


def _columns(table: str, key: tuple[str, ...], form: Form, *names: str) -> tuple[SealedColumn, ...]:
    return tuple(SealedColumn(table=table, column=name, key=key, form=form) for name in names)


_MESSAGE = ("principal", "conversation_id", "message_no")
TITLE, SUMMARY = _columns("documents", ("document_id",), "text", "title", "summary")
KEYWORDS, SECTIONS = _columns("documents", ("document_id",), "words", "keywords", "sections")
CHUNK_TEXT, CONTEXT = _columns("chunks", ("chunk_no",), "text", "text", "context")
(HEADINGS,) = _columns("chunks", ("chunk_no",), "words", "heading_path")
(PIECE,) = _columns("sealed_texts", ("document_id", "version", "piece"), "bytes", "sealed")
(METADATA_VALUES,) = _columns("documents", ("document_id",), "metadata", "metadata")
SEALED_METADATA = frozenset(("abstract", "comments", "description", "subject", "summary", "title"))
"""Metadata keys whose values describe the content, and are encrypted; filters use the others."""
(CONVERSATION,) = _columns("conversations", ("principal", "conversation_id"), "text", "title")
(QUESTION,) = _columns("messages", _MESSAGE, "text", "text")
(ANSWER,) = _columns("messages", _MESSAGE, "json", "answer")
(COMMENT,) = _columns("feedback", _MESSAGE, "text", "comment")
(VIEW_NAME,) = _columns("saved_views", ("principal", "view_id"), "text", "name")
(VIEW,) = _columns("saved_views", ("principal", "view_id"), "json", "view")
HOLD_REASON, HOLD_LIFTED = _columns("legal_holds", ("hold_id",), "text", "reason", "lift_reason")
(AUDIT_QUERY,) = _columns("audit_queries", ("entry_no",), "text", "query")
(STAGE_RESULT,) = _columns(
    "stage_results", ("document_id", "version", "stage", "part"), "bytes", "payload"
)
(AUDIT_SALT,) = _columns("audit_queries", ("entry_no",), "bytes", "salt")
(INDEX_SECRET,) = _columns("workspaces", ("workspace_id",), "bytes", "lexical_key")
(OUTCOMES,) = _columns("evaluation_runs", ("run_id",), "json", "outcomes")
(STARTED_LINES,) = _columns("started_evaluations", ("run_id",), "text", "lines")
(STARTED_OUTCOME,) = _columns("started_outcomes", ("run_id", "question_no"), "json", "outcome")
(FACT,) = _columns("facts", ("fact_id",), "json", "content")
(CLUSTER_NAME,) = _columns("cluster_names", ("cluster_id",), "json", "name")
(NAMED,) = _columns("document_entities", ("document_id", "ordinal"), "json", "content")
(GIVEN_NAME,) = _columns("entity_names", ("entity_id",), "text", "name")
(ENTITY_DECISION,) = _columns("entity_decisions", ("decision_id",), "json", "content")
(WRITTEN_SENTENCE,) = _columns("written_sentences", ("document_id", "ordinal"), "json", "content")
(SUMMARY_SENTENCE,) = _columns("summary_sentences", ("document_id", "ordinal"), "text", "text")
(WEBHOOK_SECRET,) = _columns("webhook_endpoints", ("endpoint_id",), "secret", "secret")
(SOURCE_SECRET,) = _columns("workspace_sources", ("source_id",), "secret", "secret")
(MCP_HEADERS,) = _columns("mcp_servers", ("name",), "secret_json", "headers")

RESEALED = (
    TITLE, SUMMARY, KEYWORDS, SECTIONS, METADATA_VALUES, CHUNK_TEXT, CONTEXT, HEADINGS, PIECE,
    CONVERSATION, QUESTION, ANSWER, COMMENT, VIEW_NAME, VIEW, HOLD_REASON, HOLD_LIFTED,
    OUTCOMES, STARTED_LINES, STARTED_OUTCOME, FACT, CLUSTER_NAME, SUMMARY_SENTENCE, NAMED,
    WRITTEN_SENTENCE, GIVEN_NAME, ENTITY_DECISION, AUDIT_QUERY, AUDIT_SALT, INDEX_SECRET,
    WEBHOOK_SECRET, SOURCE_SECRET, MCP_HEADERS,
)  # fmt: skip
"""Columns re-encrypted when the data key is rotated; stage results are computed again instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealing:
    """Encrypts values for a workspace's columns, and decrypts values from them.

    Content stays plain where the workspace is not encrypted; credentials are always encrypted. The
    empty text stays empty.
    """

    cipher: Cipher | None = None
    """None where the workspace has no data key yet."""
    index: IndexSecrets | None = None
    """None where content is not encrypted."""
    unavailable: KeyUnavailable | None = None
    """Why there is no cipher although there should be one."""

    @property
    def encrypts(self) -> bool:
        """Whether content is encrypted."""
        return self.index is not None

    def text(self, place: CiphertextLocation, plain: str) -> str:
        """Encrypt a text for its column."""
        if self.index is None or not plain:
            return plain
        return self._sealed_text(place, plain)

    def plain_text(self, place: CiphertextLocation, stored: str) -> str:
        """Decrypt a text from its column. Raises CiphertextDamaged, KeyUnavailable, as all do."""
        if self.index is None or not stored:
            return stored
        return self._unsealed_text(place, stored)

    def words(self, place: CiphertextLocation, plain: Sequence[str]) -> list[str]:
        """Encrypt several texts for an array column."""
        if self.index is None or not plain:
            return list(plain)
        return [self._sealed_text(place, json.dumps(list(plain)))]

    def plain_words(self, place: CiphertextLocation, stored: Sequence[str]) -> list[str]:
        """Decrypt several texts from an array column."""
        if self.index is None or not stored:
            return list(stored)
        plain: list[str] = json.loads(self._unsealed_text(place, stored[0]))
        return plain

    def json(self, place: CiphertextLocation, plain: object) -> object:
        """Encrypt a JSON value for its column."""
        return plain if self.index is None else self._sealed_json(place, plain)

    def plain_json(self, place: CiphertextLocation, stored: object) -> object:
        """Decrypt a JSON value from its column."""
        return stored if self.index is None else self._unsealed_json(place, stored)

    def metadata(self, place: CiphertextLocation, plain: Mapping[str, object]) -> dict[str, object]:
        """Encrypt the metadata of a document for its column."""
        return {
            key: self.json(value_of(place, key), value) if key in SEALED_METADATA else value
            for key, value in plain.items()
        }

    def plain_metadata(
        self, place: CiphertextLocation, stored: Mapping[str, object]
    ) -> dict[str, object]:
        """Decrypt the metadata of a document from its column."""
        return {
            key: self.plain_json(value_of(place, key), value) if key in SEALED_METADATA else value
            for key, value in stored.items()
        }

    def content(self, place: CiphertextLocation, plain: bytes) -> bytes:
        """Encrypt bytes for their column or a file."""
        return plain if self.index is None else self._cipher.seal(plain, place)

    def plain_content(self, place: CiphertextLocation, stored: bytes) -> bytes:
        """Decrypt bytes from their column or a file."""
        return stored if self.index is None else self._cipher.unseal(stored, place)

    def secret(self, place: CiphertextLocation, plain: str) -> str:
        """Encrypt a credential for its column, in every workspace."""
        return SEALED_MARK + self._sealed_text(place, plain)

    def plain_secret(self, place: CiphertextLocation, stored: str) -> str:
        """Decrypt a credential; one stored before encryption existed is returned as it is."""
        if not stored.startswith(SEALED_MARK):
            return stored
        return self._unsealed_text(place, stored.removeprefix(SEALED_MARK))

    def secret_json(self, place: CiphertextLocation, plain: object) -> object:
        """Encrypt a JSON value that contains credentials, in every workspace."""
        return self._sealed_json(place, plain)

    def plain_secret_json(self, place: CiphertextLocation, stored: object) -> object:
        """Decrypt a JSON value with credentials; an unencrypted one is returned as it is."""
        if isinstance(stored, dict) and [*stored] == [_MEMBER]:
            return self._unsealed_json(place, stored)
        return stored

    def vectors(self, plain: Vectors) -> Vectors:
        """Apply the secret transform to vectors, for storage and comparison with stored ones."""
        return plain if self.index is None else self.index.turn(plain)

    def vector(self, plain: Vector | None) -> Vector | None:
        """One vector, if there is one, as `vectors` does."""
        return None if plain is None else self.vectors(plain)

    def plain_vectors(self, stored: Vectors) -> Vectors:
        """Undo the secret transform of stored vectors."""
        return stored if self.index is None else self.index.turn_back(stored)

    def text_hash(self, plain: bytes) -> bytes:
        """Return a text's hash under a secret key, for storage and comparison with stored ones."""
        return plain if self.index is None else self.index.blind(plain)

    def lexical_key(self, stored: bytes) -> bytes:
        """Return the key of the workspace's term ids, from its stored value."""
        return stored if self.index is None else self.index.lexical_key

    @property
    def _cipher(self) -> Cipher:
        if self.cipher is None:
            raise self.unavailable or KeyUnavailable(
                "the workspace has no data key",
                hint="open it by an engine, which has the master key",
            )
        return self.cipher

    def _sealed_text(self, place: CiphertextLocation, plain: str) -> str:
        return base64.b64encode(self._cipher.seal(plain.encode(), place)).decode()

    def _unsealed_text(self, place: CiphertextLocation, stored: str) -> str:
        return self._cipher.unseal(record_in(stored, place), place).decode()

    def _sealed_json(self, place: CiphertextLocation, plain: object) -> dict[str, str]:
        return {_MEMBER: self._sealed_text(place, json.dumps(plain))}

    def _unsealed_json(self, place: CiphertextLocation, stored: object) -> object:
        sealed = stored.get(_MEMBER) if isinstance(stored, dict) else None
        if not isinstance(sealed, str):
            raise _no_ciphertext(place)
        plain: object = json.loads(self._unsealed_text(place, sealed))
        return plain


def value_of(place: CiphertextLocation, key: str) -> CiphertextLocation:
    """The place of one value of metadata."""
    return replace(place, column=f"{place.column}.{key}")


def record_in(stored: str, place: CiphertextLocation) -> bytes:
    """Decode the ciphertext record in a text column. Raises CiphertextDamaged."""
    try:
        return base64.b64decode(stored, validate=True)
    except (binascii.Error, ValueError) as error:
        raise _no_ciphertext(place) from error


def _no_ciphertext(place: CiphertextLocation) -> CiphertextDamaged:
    return CiphertextDamaged(
        f"a value of {place.table}.{place.column} is not encrypted, and its workspace is",
        hint="look who can write to the database, and restore it from a backup",
    )
