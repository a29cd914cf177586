"""Roles, grants and visibility: who may do what, who sees a document, and why."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest

from footnote.domain import (
    Identity,
    Principal,
    Right,
    Role,
    SearchRequest,
    Visibility,
)
from footnote.domain.sources import Offered
from footnote.engine import Engine, WorkspaceEngine, WorkspaceVerbs
from footnote.errors import Forbidden, InvalidRequest, NotFound
from footnote.jobs.inline import work_until_resting

ANN, BOB = "ann", "bob"
TEXT = b"# Pay\n\nThe lighthouse keeper earns EUR 4,100 a month."


def known_as(name: str, *groups: str, role: Role | None = None, **more: object) -> Identity:
    """Somebody whom a credential proved."""
    principal = Principal(principal_id=name, groups=groups)
    return Identity(principal=principal, role=role, credential="token:test", **more)  # type: ignore[arg-type]  # rights or collections


async def put(
    engine: Engine,
    workspace: WorkspaceEngine,
    text: bytes = TEXT,
    *,
    collection: str | None = None,
    visibility: Visibility | None = None,
    access: list[str] | None = None,
) -> UUID:
    """An indexed document."""
    received = await workspace.receive(
        text, "pay.md", collection=collection, visibility=visibility, shared_with=access
    )
    document_id = received.document.document_id
    await work_until_resting(engine, workspace, [document_id], lambda _: None)
    return document_id


async def found(workspace: WorkspaceEngine) -> set[UUID]:
    """The documents that a search finds."""
    response = await workspace.search(SearchRequest(query="lighthouse keeper earns", top_k=50))
    return {each.passage.document_id for each in response.evidence}


async def test_without_a_role_a_workspace_is_not_there(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    name = workspace.workspace.name
    with pytest.raises(NotFound) as foreign:
        await engine.enter(name, known_as(ANN, "board"))
    with pytest.raises(NotFound) as absent:
        await engine.enter(name + "x", known_as(ANN, "board"))
    assert str(foreign.value).replace(name, "…") == str(absent.value).replace(name + "x", "…")
    await workspace.grant_role("group:board", Role.READER)
    assert (await engine.enter(name, known_as(ANN, "board"))).principal.role is Role.READER
    await workspace.revoke_role("group:board")
    with pytest.raises(NotFound):
        await engine.enter(name, known_as(ANN, "board"))


def attempts(
    workspace: WorkspaceEngine, document_id: UUID
) -> dict[str, Callable[[], Awaitable[object]]]:
    """One verb of each right and more."""
    return {
        "search": lambda: found(workspace),
        "receive": lambda: workspace.receive(b"other", "o.txt"),
        "delete": lambda: workspace.delete_document(document_id),
        "retry": workspace.retry_failed,
        "erase": lambda: workspace.erase_document(document_id),
        "webhooks": workspace.webhooks,
        "grant": lambda: workspace.grant_role(BOB, Role.READER),
    }


@pytest.mark.parametrize(
    ("role", "refused"),
    [
        (Role.READER, {"receive", "delete", "retry", "erase", "webhooks", "grant"}),
        (Role.WRITER, {"erase", "webhooks", "grant"}),
        (Role.ADMIN, set()),
    ],
    ids=["reader", "writer", "admin"],
)
async def test_each_role_may_do_what_its_rights_say(
    engine: Engine, workspace: WorkspaceEngine, role: Role, refused: set[str]
) -> None:
    document_id = await put(engine, workspace)
    inside = await engine.enter(workspace.workspace.name, known_as(ANN, role=role))
    forbidden = set()
    for name, attempt in attempts(inside, document_id).items():
        try:
            await attempt()
        except Forbidden:
            forbidden.add(name)
        except NotFound:
            assert name in ("delete", "erase")  # deleted by the verb before
    assert forbidden == refused


async def test_a_narrow_credential_binds_an_administrator(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    identity = known_as(ANN, role=Role.ADMIN, rights=frozenset({Right.READ}))
    inside = await engine.enter(workspace.workspace.name, identity)
    assert await found(inside) == set()
    with pytest.raises(Forbidden, match="credential may not be used to write"):
        await inside.receive(TEXT, "pay.md")


async def test_a_role_in_a_collection_holds_there_alone(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    name = workspace.workspace.name
    hr = await put(engine, workspace, TEXT + b"1", collection="hr")
    await put(engine, workspace, TEXT + b"2", collection="legal")
    await workspace.grant_role(ANN, Role.WRITER, collection="hr")
    ann = await engine.enter(name, known_as(ANN))
    assert await found(ann) == {hr}
    assert {each.document_id for each in (await ann.documents()).documents} == {hr}
    # How the index is kept would tell of documents that are hidden.
    told, whole = await ann.stats(), await workspace.stats()
    assert (told.documents, told.segments) == (1, 0)
    assert (whole.documents, whole.segments) == (2, 2)
    assert await ann.unknown_collections(["legal"]) == (("legal", None),)
    with pytest.raises(Forbidden, match="in the collection 'legal'"):
        await ann.receive(TEXT, "pay.md", collection="legal")
    with pytest.raises(Forbidden):
        await ann.receive(TEXT, "pay.md")
    with pytest.raises(Forbidden):
        await ann.grant_role(BOB, Role.READER, collection="hr")
    await ann.receive(TEXT, "pay.md", collection="hr")
    await ann.delete_document(hr)


async def test_whoever_may_not_write_in_a_collection_changes_none_of_its_sources(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    place = "/papers/fees.md"
    received = await workspace.receive(TEXT, "fees.md", collection="legal", external_id=place)
    await workspace.remember_source_entry("legal", Offered(external_id=place, mark="1"), received)
    entries = await workspace.source_entries("legal", ["/papers"])
    await workspace.grant_role(ANN, Role.WRITER, collection="hr")
    await workspace.grant_role(ANN, Role.READER, collection="legal")
    ann = await engine.enter(workspace.workspace.name, known_as(ANN))
    for collection in ("legal", "hr"):  # a document is of its collection, whatever is named
        with pytest.raises(Forbidden, match="in the collection 'legal'"):
            await ann.remove_source_entry(collection, entries[0])
        with pytest.raises(Forbidden, match="in the collection 'legal'"):
            await ann.rename_source_entry(collection, entries[0], "/papers/mine.md")
    assert await workspace.source_entries("legal", ["/papers"]) == entries
    document = await workspace.document(received.document.document_id)
    assert (document.external_id, document.filename) == (place, "fees.md")


async def test_an_administrator_of_a_collection_grants_roles_in_it_alone(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await workspace.grant_role(ANN, Role.ADMIN, collection="hr")
    await workspace.grant_role(BOB, Role.READER)
    ann = await engine.enter(workspace.workspace.name, known_as(ANN))
    assert (await ann.grant_role("group:crew", Role.READER, collection="hr")).granted_by == ANN
    assert [(each.subject, each.collection) for each in await ann.grants()] == [
        (ANN, "hr"),
        ("group:crew", "hr"),
    ]
    for place in (None, "legal"):
        with pytest.raises(Forbidden):
            await ann.grant_role(BOB, Role.ADMIN, collection=place)
        with pytest.raises(Forbidden):
            await ann.revoke_role(BOB, collection=place)


async def called(verb: Callable[..., Any], *given: object) -> None:
    """A verb to its end, whether it gives one thing or many."""
    made = verb(*given)
    if inspect.isawaitable(made):
        await made
    else:
        async for _ in made:
            pass


async def test_an_administrator_of_a_collection_administers_nothing_of_the_workspace(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    document_id = await put(engine, workspace, collection="hr")
    await workspace.grant_role(ANN, Role.ADMIN, collection="hr")
    ann = await engine.enter(workspace.workspace.name, known_as(ANN))
    bound = [(name, each) for name, each in vars(WorkspaceVerbs).items() if name[0] != "_"]
    administering = {name for name, each in bound if each.right is Right.ADMINISTER}
    within_collections = {
        *("erase_document", "grants", "grant_role", "revoke_role", "explain_access"),
        *("share_collection", "citations", "collections", "delete_collection"),
    }
    assert within_collections < administering
    for name in sorted(administering - within_collections):
        given = inspect.signature(getattr(ann, name)).parameters.values()
        needed = [each for each in given if each.default is each.empty]
        assert all(each.kind is each.POSITIONAL_OR_KEYWORD for each in needed), name
        with pytest.raises(Forbidden):
            await called(getattr(ann, name), *[None for _ in needed])
    assert (await ann.erase_document(document_id)).document_ids == (document_id,)


async def test_visibility_changes_who_finds_a_document_at_once(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    name = workspace.workspace.name
    await workspace.grant_role("group:crew", Role.READER, collection="hr")
    owner = await engine.enter(name, known_as("owner", role=Role.WRITER))
    ann = await engine.enter(name, known_as(ANN, role=Role.READER))
    crew = await engine.enter(name, known_as("mate", "crew"))
    boss = await engine.enter(name, known_as("boss", role=Role.ADMIN))
    document_id = await put(engine, owner, collection="hr")

    async def who() -> set[str]:
        people = {"owner": owner, "ann": ann, "crew": crew, "boss": boss}
        seen = set()
        for person, inside in people.items():
            hits = await found(inside)
            assert hits == set(await inside.statuses([document_id]))
            seen |= {person} if hits else set()
        return seen

    assert await who() == {"owner", "ann", "crew", "boss"}
    await owner.set_document_access(document_id, Visibility.COLLECTION)
    assert await who() == {"owner", "crew", "boss"}
    shown = await owner.set_document_access(document_id, Visibility.PRIVATE, shared_with=[ANN])
    assert (shown.owner, shown.shared_with) == ("owner", (ANN,))
    assert await who() == {"owner", "ann"}
    with pytest.raises(NotFound):
        await boss.document_access(document_id)
    with pytest.raises(Forbidden, match="may not"):
        await ann.set_document_access(document_id, Visibility.WORKSPACE)
    await owner.set_document_access(document_id, Visibility.PRIVATE, shared_with=["group:crew"])
    assert await who() == {"owner", "crew"}
    await owner.set_document_access(document_id, Visibility.WORKSPACE)
    assert await who() == {"owner", "ann", "crew", "boss"}


async def test_a_key_limited_to_writing_keeps_no_documents_of_others(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    name = workspace.workspace.name
    whole = await engine.enter(name, known_as(ANN, role=Role.ADMIN))
    limited = frozenset({Right.READ, Right.WRITE})
    narrow = await engine.enter(name, known_as(ANN, role=Role.ADMIN, rights=limited))
    others = await put(engine, workspace, collection="hr", visibility=Visibility.COLLECTION)
    own = await put(engine, narrow, TEXT + b"1", collection="hr")
    with pytest.raises(Forbidden, match="may not see or change who sees"):
        await narrow.document_access(others)
    with pytest.raises(Forbidden, match="may not see or change who sees"):
        await narrow.set_document_access(others, Visibility.WORKSPACE)
    (outcome,) = await narrow.change_documents([others], visibility=Visibility.WORKSPACE)
    assert outcome.refusal is not None
    assert (await whole.document_access(others)).visibility is Visibility.COLLECTION
    await narrow.set_document_access(own, Visibility.PRIVATE)
    await whole.set_document_access(others, Visibility.WORKSPACE)


async def test_what_everyone_sees_takes_no_list(workspace: WorkspaceEngine) -> None:
    received = await workspace.receive(TEXT, "pay.md")
    with pytest.raises(InvalidRequest, match="needs no list"):
        await workspace.set_document_access(
            received.document.document_id, Visibility.WORKSPACE, shared_with=[ANN]
        )
    with pytest.raises(InvalidRequest, match="needs no list"):
        await workspace.receive(
            b"more", "more.md", visibility=Visibility.WORKSPACE, shared_with=[ANN]
        )


@pytest.mark.parametrize("name", ["*", "collection:hr", "workspace:members", "group:", ""])
async def test_a_list_names_people_and_groups_alone(workspace: WorkspaceEngine, name: str) -> None:
    with pytest.raises(InvalidRequest):
        await workspace.receive(TEXT, "pay.md", shared_with=[name])
    with pytest.raises(InvalidRequest):
        await workspace.grant_role(name, Role.READER)


async def test_an_attachment_follows_what_it_is_attached_to(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    mail = (
        b"From: a@example.org\nTo: b@example.org\nSubject: Pay\nMIME-Version: 1.0\n"
        b"Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nSee "
        b"below.\n--x\nContent-Type: text/markdown\n"
        b'Content-Disposition: attachment; filename="pay.md"\n\n' + TEXT + b"\n--x--\n"
    )
    received = await workspace.receive(mail, "pay.eml", visibility=Visibility.PRIVATE)
    mail_id = received.document.document_id
    await work_until_resting(engine, workspace, [mail_id], lambda _: None)
    (attachment,) = await workspace.children(mail_id)
    assert attachment.visibility is Visibility.PRIVATE
    ann = await engine.enter(workspace.workspace.name, known_as(ANN, role=Role.READER))
    assert await found(ann) == set()
    await workspace.set_document_access(mail_id, Visibility.PRIVATE, shared_with=[ANN])
    assert attachment.document_id in await found(ann)
    with pytest.raises(InvalidRequest) as refused:
        await workspace.set_document_access(attachment.document_id, Visibility.WORKSPACE)
    assert str(mail_id) in str(refused.value.hint)


async def test_an_explanation_says_what_search_does(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    name = workspace.workspace.name
    await workspace.grant_role("group:crew", Role.READER, collection="hr")
    await workspace.grant_role(BOB, Role.READER)
    everyone = [(ANN, ()), (BOB, ()), ("mate", ("crew",)), (ANN, ("board",))]
    for visibility, shared in (
        (Visibility.WORKSPACE, None),
        (Visibility.COLLECTION, None),
        (Visibility.PRIVATE, [BOB, "group:board"]),
    ):
        document_id = await put(
            engine,
            workspace,
            TEXT + visibility.encode(),
            collection="hr",
            visibility=visibility,
            access=shared,
        )
        for person, groups in everyone:
            told = await workspace.explain_access(document_id, person, groups=groups)
            try:
                inside = await engine.enter(name, known_as(person, *groups))
                sees = document_id in await inside.statuses([document_id])
            except NotFound:
                sees = False
            assert told.visible is sees, (visibility, person, told)
            assert told.reasons


async def test_an_explanation_is_for_those_who_administer_the_collection(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    document_id = await put(engine, workspace, collection="legal")
    await workspace.grant_role(ANN, Role.ADMIN, collection="hr")
    ann = await engine.enter(workspace.workspace.name, known_as(ANN))
    with pytest.raises(NotFound):
        await ann.explain_access(document_id, BOB)
