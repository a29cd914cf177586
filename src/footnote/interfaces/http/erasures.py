"""Routes of what was deleted for good: erased, listed, verified, and erased again."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from pydantic import Field, ValidationError

from footnote.domain import Erasure
from footnote.domain.erasure import ErasureEntry, ErasureVerification
from footnote.errors import InvalidRequest
from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.requests import Request
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.schemas import ErasureList, Kind, ReplayReport, adapter
from footnote.validation.constrained_types import Name, PrincipalId

router = workspace_router("privacy")

MAX_REPLAYED = 1000


class Erase(Request):
    """What is erased; exactly one of the three."""

    document_id: UUID | None = Field(None, description="With its attachments.")
    collection: Name | None = Field(None, description="All documents in it, whoever sees them.")
    principal_id: PrincipalId | None = Field(
        None, description="The documents it handed in, its conversations, and what it asked."
    )


class VerifyErasure(Request):
    """A certificate as it was given."""

    certificate: dict[str, object] = Field(description="An `Erasure`, unchanged.")


class ReplayErasures(Request):
    """Erasures of the ledger, or certificates."""

    erasures: tuple[dict[str, object], ...] = Field(
        max_length=MAX_REPLAYED, description="Each an `ErasureEntry` or an `Erasure`, unchanged."
    )


@router.get("/v1/erasures")
async def list_erasures(workspace: TheWorkspace) -> ErasureList:
    """List what was erased, oldest first: ids, and nothing of what was erased.

    Keep a copy beside each backup: it says what to erase again after a restore.
    """
    return ErasureList(erasures=await workspace.erasures())


@router.post("/v1/erasures", responses=problem_responses("conflict"))
async def erase(workspace: TheWorkspace, body: Erase) -> Erasure:
    """Delete something for good with all that quotes it, look everywhere, and certify it."""
    targets = (body.document_id, body.collection, body.principal_id)
    if sum(target is not None for target in targets) != 1:
        raise InvalidRequest(
            "one thing is erased at a time", hint="name a document, a collection or a principal"
        )
    if body.document_id is not None:
        return await workspace.erase_document(body.document_id)
    if body.collection is not None:
        return await workspace.erase_collection(body.collection)
    return await workspace.erase_principal(body.principal_id or "")


@router.post("/v1/erasures/verify")
async def verify_erasure(workspace: TheWorkspace, body: VerifyErasure) -> ErasureVerification:
    """Verify that a certificate is what was given, and that its documents are still gone."""
    certificate = _parsed(Erasure, body.certificate, "body.certificate")
    return await workspace.verify_erasure(certificate)


@router.post("/v1/erasures/replay")
async def replay_erasures(workspace: TheWorkspace, body: ReplayErasures) -> ReplayReport:
    """Erase again what a restored backup brought back."""
    entries = [
        _parsed(ErasureEntry, entry, f"body.erasures.{index}")
        for index, entry in enumerate(body.erasures)
    ]
    return ReplayReport(erasures=await workspace.replay_erasures(entries))


def _parsed(kind: type[Kind], value: Mapping[str, object], location: str) -> Kind:
    """A record that was issued here; unknown members are ignored. Raises InvalidRequest."""
    try:
        return adapter(kind).validate_python(value)
    except ValidationError as error:
        raise InvalidRequest(
            f"{location}: it is not what an erasure gave", hint="send it as it came, unchanged"
        ) from error
