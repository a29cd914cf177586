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
async def erase(workspace: TheWorkspace, wanted: Erase) -> Erasure:
    """Delete something for good with all that quotes it, look everywhere, and certify it."""
    given = (wanted.document_id, wanted.collection, wanted.principal_id)
    if sum(each is not None for each in given) != 1:
        raise InvalidRequest(
            "one thing is erased at a time", hint="name a document, a collection or a principal"
        )
    if wanted.document_id is not None:
        return await workspace.erase_document(wanted.document_id)
    if wanted.collection is not None:
        return await workspace.erase_collection(wanted.collection)
    return await workspace.erase_principal(wanted.principal_id or "")


@router.post("/v1/erasures/verify")
async def verify_erasure(workspace: TheWorkspace, wanted: VerifyErasure) -> ErasureVerification:
    """Verify that a certificate is what was given, and that its documents are still gone."""
    certificate = _understood(Erasure, wanted.certificate, "body.certificate")
    return await workspace.verify_erasure(certificate)


@router.post("/v1/erasures/replay")
async def replay_erasures(workspace: TheWorkspace, wanted: ReplayErasures) -> ReplayReport:
    """Erase again what a restored backup brought back."""
    entries = [
        _understood(ErasureEntry, each, f"body.erasures.{place}")
        for place, each in enumerate(wanted.erasures)
    ]
    return ReplayReport(erasures=await workspace.replay_erasures(entries))


def _understood(kind: type[Kind], given: Mapping[str, object], where: str) -> Kind:
    """What came from here once, with members that later versions may add. Raises InvalidRequest."""
    try:
        return adapter(kind).validate_python(given)
    except ValidationError as error:
        raise InvalidRequest(
            f"{where}: it is not what an erasure gave", hint="send it as it came, unchanged"
        ) from error
