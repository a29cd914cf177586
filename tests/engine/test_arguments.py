"""Arguments that make no sense are refused in a sentence, before anything is stored."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest

import footnote
from footnote.domain import (
    LOCAL_PRINCIPAL,
    MetadataValue,
    Principal,
    SearchFilters,
    SearchRequest,
)
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import InvalidRequest, NotReady
from footnote.settings import Settings

Call = Callable[[WorkspaceEngine], Awaitable[object]]
"""What a caller without a type checker might do, hence Any."""

LABELS: dict[str, dict[str, Any]] = {
    "access is a text": {"shared_with": "alice"},
    "access holds a number": {"shared_with": [7]},
    "access is a number": {"shared_with": 7},
    "access holds an empty name": {"shared_with": ["alice", " "]},
    "access holds a NUL": {"shared_with": ["alice\0bob"]},
    "tags are a text": {"tags": "urgent"},
    "tags are bytes": {"tags": b"urgent"},
    "a tag is None": {"tags": [None]},
    "metadata is a list": {"metadata": ["year"]},
    "metadata key": {"metadata": {7: "seven"}},
    "list": {"metadata": {"years": [2024, 2025]}},
    "None": {"metadata": {"year": None}},
    "object": {"metadata": {"year": object()}},
    "mapping": {"metadata": {"year": {"from": 2024}}},
    "nan": {"metadata": {"share": float("nan")}},
    "infinity": {"metadata": {"share": float("-inf")}},
    "too large": {"metadata": {"number": 2**63}},
    "too small": {"metadata": {"number": -(2**63) - 1}},
    "collection": {"collection": 7},
    "external id": {"external_id": 7},
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS.keys())
async def test_labels_of_another_type_are_refused(
    workspace: WorkspaceEngine, labels: dict[str, Any]
) -> None:
    with pytest.raises(InvalidRequest):
        await workspace.receive(b"text", "a.txt", **labels)
    assert (await workspace.stats()).documents == 0
    assert not (workspace.engine.settings.home / "blobs").exists()


@pytest.mark.parametrize("field", ["collections", "document_ids", "source_types", "evidence_types"])
async def test_a_filter_of_one_text_is_not_taken_for_its_letters(
    workspace: WorkspaceEngine, field: str
) -> None:
    named: dict[str, Any] = {field: "default"}
    with pytest.raises(InvalidRequest, match=field):
        await workspace.search(SearchRequest(query="limit", filters=SearchFilters(**named)))


async def test_the_largest_numbers_are_kept(workspace: WorkspaceEngine) -> None:
    metadata: dict[str, MetadataValue] = {
        "least": -(2**63),
        "most": 2**63 - 1,
        "share": 0.5,
        "signed": True,
        "by": "Ada",
    }
    received = await workspace.receive(b"text", "a.txt", metadata=metadata)
    assert received.document.metadata == metadata


@pytest.mark.parametrize(
    "principal",
    [
        Principal(principal_id=""),
        Principal(principal_id=" \t"),
        Principal(principal_id="alice\0"),
        Principal(principal_id="\ud800"),
        Principal(principal_id="alice", groups=("board", "")),
        Principal(principal_id="alice", groups=("bo\0ard",)),
    ],
    ids=repr,
)
async def test_nobody_acts_under_a_name_that_is_none(engine: Engine, principal: Principal) -> None:
    with pytest.raises(InvalidRequest, match="principal: one of its names"):
        await engine.workspace(principal=principal)


async def test_access_that_is_a_list_admits_those_in_it(engine: Engine) -> None:
    alice = await engine.workspace(principal=Principal(principal_id="alice"))
    ace = await engine.workspace(principal=Principal(principal_id="a"))
    received = await alice.receive(b"text", "a.txt", shared_with=["alice"])
    await alice.document(received.document.document_id)
    with pytest.raises(footnote.NotFound):
        await ace.document(received.document.document_id)


def _calls() -> dict[str, Call]:
    wrong: Any = None
    text: Any = "nope"
    return {
        "content": lambda one: one.receive(text, "a.txt"),
        "filename": lambda one: one.receive(b"text", wrong),
        "path": lambda one: one.receive_file(text),
        "document": lambda one: one.document(text),
        "children": lambda one: one.children(text),
        "deletion": lambda one: one.delete_document(text),
        "statuses": lambda one: one.statuses([text]),
        "search": lambda one: one.search(wrong),
        "query": lambda one: one.search(SearchRequest(query=wrong)),
        "filters": lambda one: one.search(SearchRequest(query="fee", filters=text)),
        "similarity": lambda one: one.search(
            SearchRequest(query="fee", filters=SearchFilters(min_similarity=9))
        ),
        "question": lambda one: one.ask(wrong),
        "no results": lambda one: one.ask("What is the fee?", top_k=0),
        "top_k": lambda one: one.ask("What is the fee?", top_k=text),
        "chunk": lambda one: one.context(wrong),
        "window": lambda one: one.context("a", text),
        "plan": lambda one: one.search(SearchRequest(query="fee", plan="")),
        "no passages": lambda one: one.passages(uuid4(), limit=0),
        "fewer than no characters": lambda one: one.text(uuid4(), most_characters=-5),
        "conversation": lambda one: one.conversation(text),
        "mode": lambda one: one.create_conversation(document_mode=text),
        "attached": lambda one: one.create_conversation(document_ids=text),
        "models": lambda one: one.use_models(text),
        "agent": lambda one: anext(one.agent_stream("What is the fee?", conversation=text)),
    }


@pytest.mark.parametrize("call", _calls().values(), ids=_calls().keys())
async def test_arguments_of_another_type_are_refused(
    workspace: WorkspaceEngine, call: Call
) -> None:
    with pytest.raises(InvalidRequest):
        await call(workspace)


async def test_a_document_is_read_without_saying_how_much_of_it(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    received = await workspace.receive(b"The quay is closed.", "quay.txt")
    document_id = received.document.document_id
    await footnote.work_until_resting(engine, workspace, [document_id])
    assert [each.text for each in await workspace.passages(document_id)] == ["The quay is closed."]
    whole = await workspace.text(document_id)
    assert whole is not None
    assert whole.text.strip() == "The quay is closed."


WAITED_FOR: dict[str, tuple[Any, str]] = {
    "text": ("x", "document_ids: it must be an array, not 'x'"),
    "texts": (["x"], "document_ids[0]: it must be a uuid.UUID, not 'x'"),
    "numbers": ([5], "document_ids[0]: it must be a uuid.UUID, not 5"),
    "nothing": (None, "document_ids: it must be an array, not null"),
}


@pytest.mark.parametrize(("wrong", "said"), WAITED_FOR.values(), ids=WAITED_FOR.keys())
async def test_what_is_waited_for_is_checked_as_arguments_of_verbs_are(
    engine: Engine, workspace: WorkspaceEngine, wrong: Any, said: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        await footnote.work_until_resting(engine, workspace, wrong)
    assert str(refused.value) == said
    assert refused.value.hint == "see the arguments of work_until_resting"
    assert await footnote.work_until_resting(engine, workspace, [uuid4()]) == {}
    no_workspace: Any = "default"
    with pytest.raises(InvalidRequest, match="workspace: it must be a footnote"):
        await footnote.work_until_resting(engine, no_workspace, [])


def test_the_blocking_twin_checks_what_is_waited_for(settings: Settings) -> None:
    wrong: Any = ["x"]
    with footnote.open_sync(settings) as engine:
        workspace: Any = engine.workspace()
        with pytest.raises(InvalidRequest, match=r"document_ids\[0\]: it must be a uuid.UUID"):
            workspace.work_until_resting(wrong)
        with pytest.raises(InvalidRequest, match="on_change: it must be a function"):
            workspace.work_until_resting([], 5)


async def test_a_workspace_has_a_name_and_a_principal(engine: Engine) -> None:
    wrong: Any = 5
    with pytest.raises(InvalidRequest):
        await engine.workspace(wrong)
    with pytest.raises(InvalidRequest):
        await engine.workspace("default", wrong)
    with pytest.raises(InvalidRequest):
        await engine.create_workspace(wrong)


async def test_a_closed_engine_says_so(settings: Settings) -> None:
    async with footnote.open(settings) as engine:
        workspace = await engine.workspace()
    with pytest.raises(NotReady):
        await engine.workspace()
    with pytest.raises(NotReady):
        await workspace.receive(b"text", "a.txt")
    with pytest.raises(NotReady):
        await workspace.document(uuid4())
    with pytest.raises(NotReady):
        await workspace.ask("What is the fee?")


def test_settings_of_another_type_are_refused() -> None:
    wrong: Any = "/srv/footnote"
    with pytest.raises(footnote.UnsupportedSettings, match="cannot be str"):
        footnote.open_sync(wrong).__enter__()


def test_a_closed_blocking_engine_says_so(settings: Settings) -> None:
    with footnote.open_sync(settings) as engine:
        workspace = engine.workspace("default", LOCAL_PRINCIPAL)
    with pytest.raises(NotReady):
        engine.workspace()
    with pytest.raises(NotReady):
        engine.workspaces()
    with pytest.raises(NotReady):
        workspace.ask("What is the fee?")
    with pytest.raises(NotReady):
        workspace.work_until_resting([])
