"""Lists by way of the engine: changed documents, views, versions, passages, what is alike."""

from __future__ import annotations

from uuid import UUID

import pytest

from footnote.domain import (
    DocumentSort,
    Passage,
    Principal,
    Role,
    SearchFilters,
    SearchRequest,
    SortOrder,
    Visibility,
)
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.errors import Forbidden, InvalidRequest, NotFound
from footnote.filters import condition_from
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings
from tests.jobs.test_ingest import MAIL

FEES = b"# Fees\n\nThe berth fee is 40 crowns.\n\n## Late fees\n\nA late berth fee is 60 crowns.\n"
RENT = b"# Rent\n\nThe fee for a berth in the harbour is 45 crowns a night.\n"
CHESS = b"# Chess\n\nThe queen's gambit opens with the pawn before the queen.\n"


async def taken_in(
    workspace: WorkspaceEngine,
    content: bytes,
    name: str,
    *,
    external_id: str | None = None,
    visibility: Visibility | None = None,
) -> UUID:
    received = await workspace.receive(
        content, name, external_id=external_id, visibility=visibility
    )
    document_id = received.document.document_id
    await work_until_resting(workspace.engine, workspace, [document_id], lambda _: None)
    return document_id


async def acting(engine: Engine, who: str, role: Role = Role.WRITER) -> WorkspaceEngine:
    return await engine.workspace(principal=Principal(principal_id=who, role=role))


async def test_changed_tags_and_metadata_are_searched_from_then_on(
    workspace: WorkspaceEngine,
) -> None:
    document_id = await taken_in(workspace, FEES, "fees.md")

    async def found(**where: object) -> bool:
        filters = SearchFilters(where=condition_from(where))
        return bool(
            (await workspace.search(SearchRequest(query="berth fee", filters=filters))).evidence
        )

    assert not await found(tags="dues")
    before = await workspace.document(document_id)
    changed = await workspace.change_document(
        document_id, tags=["dues", "dues"], metadata={"year": 2025, "by": "Ann"}
    )
    assert (changed.tags, changed.version) == (("dues",), before.version)
    assert changed.metadata == {**before.metadata, "year": 2025, "by": "Ann"}
    assert changed.updated_at > before.updated_at
    assert await found(tags="dues", **{"metadata.year": 2025})
    changed = await workspace.change_document(document_id, metadata={"year": None, "by": "Bo"})
    assert changed.metadata == {**before.metadata, "by": "Bo"}
    assert changed.tags == ("dues",)
    assert not await found(**{"metadata.year": 2025})
    assert (await workspace.change_document(document_id, tags=())).tags == ()


async def test_who_may_not_write_changes_nothing(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    document_id = await taken_in(workspace, FEES, "fees.md")
    hidden = await taken_in(workspace, CHESS, "chess.md", visibility=Visibility.PRIVATE)
    reader = await acting(engine, "ann", Role.READER)
    with pytest.raises(Forbidden):
        await reader.change_document(document_id, tags=["mine"])
    writer = await acting(engine, "bob")
    with pytest.raises(NotFound):
        await writer.change_document(hidden, tags=["mine"])
    assert (await workspace.document(document_id)).tags == ()


async def test_an_attachment_has_the_tags_of_its_mail(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    mail = await taken_in(workspace, MAIL, "mail.eml")
    [attached, *_] = await workspace.children(mail)
    await workspace.change_document(mail, tags=["winch"])
    assert (await workspace.document(attached.document_id)).tags == ("winch",)
    with pytest.raises(InvalidRequest, match="is an attachment"):
        await workspace.change_document(attached.document_id, tags=["pawl"])
    changed = await workspace.change_document(attached.document_id, metadata={"part": 7})
    assert changed.metadata["part"] == 7


async def test_versions_are_told_with_the_one_that_is_cited(workspace: WorkspaceEngine) -> None:
    document_id = await taken_in(workspace, FEES, "fees.md", external_id="fees")
    await taken_in(workspace, RENT, "rent.md", external_id="fees")
    versions = await workspace.versions(document_id)
    assert [(each.version, each.filename, each.published) for each in versions] == [
        (2, "rent.md", True),
        (1, "fees.md", False),
    ]


async def test_passages_come_page_by_page_in_their_order(workspace: WorkspaceEngine) -> None:
    text = "".join(f"# Part {n}\n\nBerth {n} costs {n} crowns a night.\n\n" for n in range(5))
    document_id = await taken_in(workspace, text.encode(), "berths.md")
    whole = await workspace.document_passages(document_id, limit=500)
    assert whole.next_cursor is None
    starts = [each.char_start for each in whole.passages]
    assert starts == sorted(starts)
    assert [each.heading_path[0] for each in whole.passages] == [f"Part {n}" for n in range(5)]
    paged: list[Passage] = []
    cursor = None
    while True:
        page = await workspace.document_passages(document_id, limit=2, cursor=cursor)
        paged += page.passages
        cursor = page.next_cursor
        if cursor is None:
            break
    assert tuple(paged) == whole.passages
    with pytest.raises(InvalidRequest):
        await workspace.document_passages(document_id, cursor="x")
    other_id = await taken_in(workspace, b"Berths cost more in June.", "june.md")
    of_other = (await workspace.document_passages(document_id, limit=2)).next_cursor
    with pytest.raises(InvalidRequest, match="the cursor is not one we gave"):
        await workspace.document_passages(other_id, cursor=of_other)


async def test_what_is_about_the_same_is_alike_and_what_is_hidden_is_not_told(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    fees = await taken_in(workspace, FEES, "fees.md")
    rent = await taken_in(workspace, RENT, "rent.md")
    chess = await taken_in(workspace, CHESS, "chess.md")
    ann = await acting(engine, "ann")
    hidden = await taken_in(ann, FEES + b"\nBy Ann.\n", "ann.md", visibility=Visibility.PRIVATE)
    alike = await workspace.similar_documents(fees)
    assert [each.document.document_id for each in alike] == [rent, chess]
    assert alike[0].similarity > alike[1].similarity
    assert [each.document.document_id for each in await ann.similar_documents(fees, limit=1)] == [
        hidden
    ]
    with pytest.raises(NotFound):
        await workspace.similar_documents(hidden)


async def test_views_are_ones_own_and_kept_by_name(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    ann, bob = await acting(engine, "ann", Role.READER), await acting(engine, "bob")
    await ann.keep_view("failed ones", query="storm", sort=DocumentSort.TITLE)
    await ann.keep_view("mine", tag="ann", where='{"metadata.year": 2025}')
    kept = await ann.keep_view("failed ones", collection="claims", order=SortOrder.ASCENDING)
    assert kept.updated_at is not None
    views = await ann.views()
    assert [each.name for each in views] == ["failed ones", "mine"]
    assert (views[0].query, views[0].collection, views[0].order) == ("", "claims", "asc")
    assert views[0].sort is DocumentSort.CREATED_AT
    assert await bob.views() == ()
    with pytest.raises(NotFound):
        await bob.remove_view("mine")
    await ann.remove_view("mine")
    assert [each.name for each in await ann.views()] == ["failed ones"]
    with pytest.raises(InvalidRequest, match="there is no field"):
        await ann.keep_view("wrong", where='{"langage": "de"}')


async def test_an_encrypted_workspace_lists_as_any_other(settings: Settings) -> None:
    encrypting = settings.model_copy(update={"encryption": "on"})
    async with await open_engine(encrypting) as engine:
        workspace = await engine.workspace()
        for name, content in (("b.md", RENT), ("a.md", CHESS), ("c.md", FEES)):
            await taken_in(workspace, content, name)
        for order, expected in (
            ("asc", ["Chess", "Fees", "Rent"]),
            ("desc", ["Rent", "Fees", "Chess"]),
        ):
            titles, cursor = [], None
            while True:
                page = await workspace.documents(
                    sort=DocumentSort.TITLE, order=SortOrder(order), limit=1, cursor=cursor
                )
                titles += [each.title for each in page.documents]
                cursor = page.next_cursor
                if cursor is None:
                    break
            assert titles == expected
        page = await workspace.documents(query="che .md", facets=["status"])
        assert [each.title for each in page.documents] == ["Chess"]
        assert (page.total, page.facets["status"][0].documents) == (1, 1)
        await workspace.keep_view("Zauberlehrling", query="Quecksilber")
        assert [each.query for each in await workspace.views()] == ["Quecksilber"]
        async with workspace.system_scope() as scope:
            row = await scope.single("SELECT name, view::text AS view FROM saved_views")
        assert "Zauberlehrling" not in row["name"]
        assert "Quecksilber" not in row["view"]
