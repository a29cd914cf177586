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
    about = {
        name: written[:MAX_SUBJECT_CHARACTERS]
        for name, value in arguments.items()
        if name in SUBJECTS and (written := _written(value)) is not None
    }
    for name, value in results.items():
        if (written := _written(value)) is not None:
            made = written[:MAX_SUBJECT_CHARACTERS]
            about[name if about.get(name, made) == made else f"new_{name}"] = made
    return about


def documents_given(arguments: Mapping[str, object]) -> Iterator[UUID]:
    """Yield the ids of documents among an act's arguments, given as ids or as records."""
    for name, value in arguments.items():
        if name in ("document_id", "document_ids"):
            listed = value if isinstance(value, (list, tuple)) else (value,)
            yield from (each for each in listed if isinstance(each, UUID))
        elif isinstance(value, (Received, KnownEntry)):
            yield from (document_id for document_id, _ in shown_in(value))


@singledispatch
def named_in(_: object) -> Mapping[str, object]:
    """Map parameter names of verbs to the ids and names in a result; empty for other types."""
    return {}


@named_in.register
def _(made: NewApiKey) -> Mapping[str, object]:
    return {"key_id": made.key.key_id, "principal": made.key.principal, "rights": made.key.rights}


@named_in.register
def _(made: NewShareLink) -> Mapping[str, object]:
    return {"link_id": made.link.link_id}


@named_in.register
def _(made: Conversation) -> Mapping[str, object]:
    return {"conversation_id": made.conversation_id}


@named_in.register
def _(made: WebhookEndpoint) -> Mapping[str, object]:
    return {"endpoint_id": made.endpoint_id}


@named_in.register
def _(made: PushStatus) -> Mapping[str, object]:
    return {"ingest_id": made.ingest_id}


@named_in.register
def _(changed: LaneStatus) -> Mapping[str, object]:
    return {"lane": changed.lane.fingerprint}


@named_in.register
def _(changed: ModelsInUse) -> Mapping[str, object]:
    return {"names": changed.used or (EXTRACTIVE,)}


@named_in.register
def _(changed: User) -> Mapping[str, object]:
    return {"user_id": changed.user_id, "principal": changed.user_name}


@named_in.register
def _(changed: UserGroup) -> Mapping[str, object]:
    return {"group_id": changed.group_id, "name": changed.display_name}


@named_in.register
def _(made: ErasureEntry) -> Mapping[str, object]:
    return {"certificate_id": made.certificate_id}


@named_in.register
def _(made: ReplayedErasure) -> Mapping[str, object]:
    return {} if made.erasure is None else named_in(made.erasure)


@named_in.register
def _(made: EvaluationRun | StartedEvaluation) -> Mapping[str, object]:
    return {"run_id": made.run_id}


@named_in.register
def _(made: WorkspaceSource) -> Mapping[str, object]:
    return {
        "source_id": made.source_id,
        "place": made.place,
        "collection": made.collection,
        "state": made.state,
    }


@named_in.register
def _(made: LegalHold) -> Mapping[str, object]:
    return {"hold_id": made.hold_id}


@named_in.register
def _(run: RetentionRun) -> Mapping[str, object]:
    return asdict(run)


@named_in.register(tuple)
def _(made: tuple[object, ...]) -> Mapping[str, object]:
    """Merge the names of all elements: verbs return pairs, or lists of what they changed."""
    named: dict[str, tuple[object, ...]] = {}
    for each in made:
        for name, value in named_in(each).items():
            named[name] = (*named.get(name, ()), value)
    return {name: values[0] if len(values) == 1 else values for name, values in named.items()}


def _written(value: object) -> str | None:
    """Return a value as the audit log records it; None if it is no id, name or number."""
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, (list, tuple)):
        return ", ".join(filter(None, map(_written, value)))
    if isinstance(value, (str, int, float, UUID)) and not isinstance(value, bool):
        # The caller may have passed a whole API key where its id was expected.
        return without_secrets(storable_text(str(value)))
    return None


def storable_text(text: str) -> str:
    """Replace NUL and unpaired surrogates, which Postgres or UTF-8 cannot store."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
