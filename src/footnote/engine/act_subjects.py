"""The subject of an audited act: ids and names from its arguments and its results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from enum import StrEnum
from functools import singledispatch
from uuid import UUID

from footnote.domain import (
    Received,
)
from footnote.domain.conversations import Conversation
from footnote.domain.credentials import NewApiKey
from footnote.domain.erasure import ErasureEntry, ReplayedErasure
from footnote.domain.evaluations import EvaluationRun, StartedEvaluation
from footnote.domain.events import PushStatus, WebhookEndpoint
from footnote.domain.lanes import LaneStatus
from footnote.domain.models_in_use import EXTRACTIVE, ModelsInUse
from footnote.domain.people import User, UserGroup
from footnote.domain.retention import LegalHold, RetentionRun
from footnote.domain.sharing import NewShareLink
from footnote.domain.sources import KnownEntry, WorkspaceSource
from footnote.engine.shown_documents import shown_in
from footnote.security.secrets import without_secrets

SUBJECTS = frozenset(
    "chunk_id cluster_id collection collections conversation_id days decision_id document_id"
    " document_ids endpoint_id entity_id expires_in_days expires_in_hours fact_id group_id groups"
    " hold_id ingest_id key_id kind kinds lane link_id measure message_id model most name names"
    " other_id overlap_hours page period principal principal_id rights role run_id shared_with"
    " source_id status subject user_id view_name visibility warn_share".split()
)
"""Names of the parameters whose values the audit log records as the subject of an act. Others are
left out: they may be a file name, a URL with a password, or content."""
MAX_SUBJECT_CHARACTERS = 300


def subject_of(arguments: Mapping[str, object], results: Mapping[str, object]) -> dict[str, str]:
    """Return the ids and names in the arguments and results of an act.

    Where both have a name with different values, that of the result is recorded as `new_NAME`.
    """
    subject = {
        name: text[:MAX_SUBJECT_CHARACTERS]
        for name, value in arguments.items()
        if name in SUBJECTS and (text := _recorded_value(value)) is not None
    }
    for name, value in results.items():
        if (text := _recorded_value(value)) is not None:
            truncated = text[:MAX_SUBJECT_CHARACTERS]
            subject[name if subject.get(name, truncated) == truncated else f"new_{name}"] = (
                truncated
            )
    return subject


def document_ids_in(arguments: Mapping[str, object]) -> Iterator[UUID]:
    """Yield the ids of documents among an act's arguments, given as ids or as records."""
    for name, value in arguments.items():
        if name in ("document_id", "document_ids"):
            values = value if isinstance(value, (list, tuple)) else (value,)
            yield from (item for item in values if isinstance(item, UUID))
        elif isinstance(value, (Received, KnownEntry)):
            yield from (document_id for document_id, _ in shown_in(value))


@singledispatch
def subjects_of(_: object) -> Mapping[str, object]:
    """Map parameter names of verbs to the ids and names in a result; empty for other types."""
    return {}


@subjects_of.register
def _(result: NewApiKey) -> Mapping[str, object]:
    return {
        "key_id": result.key.key_id,
        "principal": result.key.principal,
        "rights": result.key.rights,
    }


@subjects_of.register
def _(result: NewShareLink) -> Mapping[str, object]:
    return {"link_id": result.link.link_id}


@subjects_of.register
def _(result: Conversation) -> Mapping[str, object]:
    return {"conversation_id": result.conversation_id}


@subjects_of.register
def _(result: WebhookEndpoint) -> Mapping[str, object]:
    return {"endpoint_id": result.endpoint_id}


@subjects_of.register
def _(result: PushStatus) -> Mapping[str, object]:
    return {"ingest_id": result.ingest_id}


@subjects_of.register
def _(result: LaneStatus) -> Mapping[str, object]:
    return {"lane": result.lane.fingerprint}


@subjects_of.register
def _(result: ModelsInUse) -> Mapping[str, object]:
    return {"names": result.used or (EXTRACTIVE,)}


@subjects_of.register
def _(result: User) -> Mapping[str, object]:
    return {"user_id": result.user_id, "principal": result.user_name}


@subjects_of.register
def _(result: UserGroup) -> Mapping[str, object]:
    return {"group_id": result.group_id, "name": result.display_name}


@subjects_of.register
def _(result: ErasureEntry) -> Mapping[str, object]:
    return {"certificate_id": result.certificate_id}


@subjects_of.register
def _(result: ReplayedErasure) -> Mapping[str, object]:
    return {} if result.erasure is None else subjects_of(result.erasure)


@subjects_of.register
def _(result: EvaluationRun | StartedEvaluation) -> Mapping[str, object]:
    return {"run_id": result.run_id}


@subjects_of.register
def _(result: WorkspaceSource) -> Mapping[str, object]:
    return {
        "source_id": result.source_id,
        "place": result.place,
        "collection": result.collection,
        "state": result.state,
    }


@subjects_of.register
def _(result: LegalHold) -> Mapping[str, object]:
    return {"hold_id": result.hold_id}


@subjects_of.register
def _(result: RetentionRun) -> Mapping[str, object]:
    return asdict(result)


@subjects_of.register(tuple)
def _(results: tuple[object, ...]) -> Mapping[str, object]:
    """Merge the names of all elements: verbs return pairs, or lists of what they changed."""
    names: dict[str, tuple[object, ...]] = {}
    for result in results:
        for name, value in subjects_of(result).items():
            names[name] = (*names.get(name, ()), value)
    return {name: values[0] if len(values) == 1 else values for name, values in names.items()}


def _recorded_value(value: object) -> str | None:
    """Return a value as the audit log records it; None if it is no id, name or number."""
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, (list, tuple)):
        return ", ".join(filter(None, map(_recorded_value, value)))
    if isinstance(value, (str, int, float, UUID)) and not isinstance(value, bool):
        # The caller may have passed a whole API key where its id was expected.
        return without_secrets(storable_text(str(value)))
    return None


def storable_text(text: str) -> str:
    """Replace NUL and unpaired surrogates, which Postgres or UTF-8 cannot store."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
