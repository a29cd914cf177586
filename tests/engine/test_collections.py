"""Collections are counted as far as their administrators may see, and removed when empty."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from footnote.domain import DocumentStatus, Principal, Role, Visibility
from footnote.engine import WorkspaceEngine
from footnote.errors import Conflict, Forbidden, NotFound
from footnote.jobs.inline import work_until_resting


def acting(workspace: WorkspaceEngine, name: str, **roles: Role) -> WorkspaceEngine:
    principal = Principal(principal_id=name, role=None, collections=tuple(roles.items()))
    return replace(workspace, principal=principal)


async def indexed(
    workspace: WorkspaceEngine, text: bytes, collection: str, visibility: Visibility | None = None
) -> UUID:
    name = f"{len(text)}.md"
    received = await workspace.receive(text, name, collection=collection, visibility=visibility)
    document_id = received.document.document_id
    await work_until_resting(workspace.engine, workspace, [document_id], lambda _: None)
    return document_id


async def test_a_collection_is_counted_with_who_sees_it_and_who_has_a_role(
    workspace: WorkspaceEngine,
) -> None:
    text = b"# Policy\n\nThe deductible is EUR 900."
    await indexed(workspace, text, "claims")
    await indexed(workspace, text + b" For each event.", "claims", visibility=Visibility.COLLECTION)
    await indexed(workspace, b"# Pay\n\nEUR 4,100.", "pay")
    await workspace.grant_role("group:crew", Role.READER, collection="claims")
    await workspace.grant_role("ann", Role.WRITER)
    claims, pay = await workspace.collections()
    assert (claims.name, claims.documents, pay.name, pay.documents) == ("claims", 2, "pay", 1)
    assert claims.documents_by_status == {DocumentStatus.INDEXED: 2}
    assert claims.documents_by_visibility == {Visibility.WORKSPACE: 1, Visibility.COLLECTION: 1}
    assert (claims.chunks, claims.bytes) == (2, 2 * len(text) + 16)
    assert claims.changed_at is not None
    assert [(each.subject, each.role) for each in claims.grants] == [("group:crew", Role.READER)]
    assert pay.grants == ()


async def test_an_administrator_of_a_collection_is_told_of_no_other(
    workspace: WorkspaceEngine,
) -> None:
    await indexed(workspace, b"# Policy\n\nThe deductible is EUR 900.", "claims")
    await indexed(workspace, b"# Pay\n\nEUR 4,100.", "pay")
    of_pay = acting(workspace, "ann", pay=Role.ADMIN, claims=Role.READER)
    assert [each.name for each in await of_pay.collections()] == ["pay"]
    with pytest.raises(Forbidden):
        await acting(workspace, "ben", pay=Role.WRITER).collections()
    with pytest.raises(Forbidden):
        await of_pay.delete_collection("claims")


async def test_a_collection_counts_nothing_that_its_reader_may_not_see(
    workspace: WorkspaceEngine,
) -> None:
    owner = replace(workspace, principal=Principal(principal_id="ann", role=Role.WRITER))
    await indexed(owner, b"# Mine\n\nNobody reads this.", "diary", visibility=Visibility.PRIVATE)
    [diary] = await workspace.collections()
    assert (diary.documents, diary.chunks, diary.bytes, diary.changed_at) == (0, 0, 0, None)
    # It is not empty for all that.
    with pytest.raises(Conflict, match="has documents"):
        await workspace.delete_collection("diary")


async def test_an_empty_collection_is_removed_with_the_roles_in_it(
    workspace: WorkspaceEngine,
) -> None:
    document_id = await indexed(workspace, b"# Pay\n\nEUR 4,100.", "pay")
    await workspace.grant_role("ann", Role.READER, collection="pay")
    with pytest.raises(Conflict):
        await workspace.delete_collection("pay")
    await workspace.delete_document(document_id)
    [empty] = await workspace.collections()
    assert (empty.name, empty.documents) == ("pay", 0)
    await workspace.delete_collection("pay")
    assert await workspace.collections() == ()
    assert await workspace.grants() == ()
    with pytest.raises(NotFound):
        await workspace.delete_collection("pay")
