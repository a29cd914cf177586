"""Several documents changed or deleted at once: each by itself, and none keeps the others."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import psycopg
import pytest

from footnote.domain import MAX_TAGS, DocumentOutcome, Role, Visibility
from footnote.domain.audit import Act, Outcome
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import Forbidden, InvalidRequest, NotFound
from tests.conftest import TestDatabase
from tests.engine.test_listing import CHESS, FEES, RENT, acting, taken_in
from tests.jobs.test_ingest import MAIL


async def test_tags_are_added_and_taken_away_beside_the_others(workspace: WorkspaceEngine) -> None:
    fees, rent = [await taken_in(workspace, each, "a.md") for each in (FEES, RENT)]
    await workspace.change_document(fees, tags=["dues", "old"])
    outcomes = await workspace.change_documents(
        [fees, rent, fees],
        add_tags=["harbour", "dues"],
        remove_tags=["old"],
        metadata={"year": 2025},
    )
    assert [each.document_id for each in outcomes] == [fees, rent]
    documents = [each.document for each in outcomes if each.document is not None]
    assert [each.tags for each in documents] == [("dues", "harbour"), ("harbour", "dues")]
    assert [each.metadata["year"] for each in documents] == [2025, 2025]
    assert documents == [await workspace.document(each) for each in (fees, rent)]


async def test_what_is_refused_says_why_and_keeps_nothing_else_from_being_done(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    fees = await taken_in(workspace, FEES, "fees.md")
    hidden = await taken_in(workspace, CHESS, "chess.md", visibility=Visibility.PRIVATE)
    mail = await taken_in(workspace, MAIL, "mail.eml")
    [attached, *_] = await workspace.children(mail)
    writer, nobody = await acting(engine, "bob"), uuid4()
    named = [hidden, nobody, attached.document_id, fees]
    outcomes = await writer.change_documents(named, add_tags=["mine"])
    assert [each.refusal.partition(";")[0] for each in outcomes[:2]] == [
        f"there is no document {hidden}",
        f"there is no document {nobody}",
    ]
    assert "is an attachment" in outcomes[2].refusal
    assert outcomes[3].document is not None
    assert outcomes[3].document.tags == ("mine",)
    assert (await workspace.document(hidden)).tags == ()


async def test_too_many_tags_are_refused_of_that_document_alone(workspace: WorkspaceEngine) -> None:
    full, empty = [await taken_in(workspace, each, "a.md") for each in (FEES, RENT)]
    await workspace.change_document(full, tags=[f"t{number}" for number in range(MAX_TAGS)])
    first, second = await workspace.change_documents([full, empty], add_tags=["more"])
    assert f"may have {MAX_TAGS}" in first.refusal
    assert second.document is not None
    assert second.document.tags == ("more",)


async def test_two_who_tag_at_the_same_time_lose_no_tag(workspace: WorkspaceEngine) -> None:
    fees = await taken_in(workspace, FEES, "fees.md")
    given = [f"tag {number}" for number in range(12)]
    await asyncio.gather(*(workspace.change_documents([fees], add_tags=[each]) for each in given))
    assert set((await workspace.document(fees)).tags) == set(given)


async def test_who_sees_several_is_set_by_those_who_may(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    ann, bob = await acting(engine, "ann"), await acting(engine, "bob")
    own = await taken_in(ann, FEES, "fees.md")
    other = await taken_in(bob, RENT, "rent.md")
    first, second = await ann.change_documents(
        [own, other], add_tags=["secret"], visibility=Visibility.PRIVATE, shared_with=["eve"]
    )
    assert first.document is not None
    assert first.document.tags == ("secret",)
    assert "may not see or change who sees" in second.refusal
    # Nothing of it is done to what is refused.
    assert (await workspace.document(other)).tags == ()
    with pytest.raises(NotFound):
        await bob.document(own)
    assert (await (await acting(engine, "eve")).document(own)).document_id == own


async def test_several_are_deleted_and_what_is_held_is_not(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    fees, rent = [await taken_in(workspace, each, "a.md") for each in (FEES, RENT)]
    held = await taken_in(workspace, CHESS, "chess.md")
    await workspace.set_legal_hold("a dispute", document_id=held)
    gone, kept, last = await workspace.delete_documents([fees, held, rent])
    assert (gone, last) == tuple(DocumentOutcome(document_id=each) for each in (fees, rent))
    assert "legal hold" in kept.refusal
    assert [each.document_id for each in (await workspace.documents()).documents] == [held]
    entries = (await workspace.audit_entries(act=Act.DELETED)).entries
    [done] = [each for each in entries if each.outcome is Outcome.DONE]
    assert (done.verb, set(done.documents)) == ("delete_documents", {fees, held, rent})


async def test_what_makes_no_sense_is_refused_whole(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    fees = await taken_in(workspace, FEES, "fees.md")
    with pytest.raises(InvalidRequest, match="nothing is to be changed"):
        await workspace.change_documents([fees])
    with pytest.raises(InvalidRequest, match="shared_with"):
        await workspace.change_documents([fees], add_tags=["a"], shared_with=["eve"])
    with pytest.raises(InvalidRequest, match="document_ids"):
        await workspace.change_documents([], add_tags=["a"])
    with pytest.raises(InvalidRequest, match="document_ids"):
        await workspace.delete_documents([uuid4() for _ in range(501)])
    reader = await acting(engine, "ann", Role.READER)
    with pytest.raises(Forbidden):
        await reader.change_documents([fees], add_tags=["a"])
    with pytest.raises(Forbidden):
        await reader.delete_documents([fees])
    assert (await workspace.document(fees)).tags == ()


async def test_a_document_is_changed_whole_or_not_at_all(workspace: WorkspaceEngine) -> None:
    mail = await taken_in(workspace, MAIL, "mail.eml")
    [attached, *_] = await workspace.children(mail)
    [outcome] = await workspace.change_documents(
        [attached.document_id], metadata={"year": 2025}, visibility=Visibility.PRIVATE
    )
    assert "is an attachment" in outcome.refusal
    assert "year" not in (await workspace.document(attached.document_id)).metadata
    with pytest.raises(InvalidRequest, match="shared_with"):
        await workspace.change_documents(
            [mail], add_tags=["x"], visibility=Visibility.WORKSPACE, shared_with=["eve"]
        )
    assert (await workspace.document(mail)).tags == ()


async def test_a_change_that_fails_half_way_leaves_nothing_of_it(
    own_database: TestDatabase, workspace: WorkspaceEngine
) -> None:
    fees = await taken_in(workspace, FEES, "fees.md")
    with psycopg.connect(own_database.superuser_url, autocommit=True) as connection:
        connection.execute(
            "ALTER TABLE footnote.documents ADD CONSTRAINT never_private "
            "CHECK (visibility <> 'private')"
        )
    with pytest.raises(psycopg.errors.CheckViolation):
        await workspace.change_documents([fees], add_tags=["secret"], visibility=Visibility.PRIVATE)
    assert (await workspace.document(fees)).tags == ()
