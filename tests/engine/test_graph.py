"""The graph says how entities and documents are related, in words that stand where it says."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from footnote.domain import Principal, Role, Visibility
from footnote.domain.relationships import Graph, NodeKind, RelationshipKind
from footnote.engine import Engine, WorkspaceEngine
from footnote.engine.tools import document_tools
from footnote.engine.tools.related import Relationships
from footnote.errors import InvalidRequest, NotFound
from footnote.jobs.extracting import extract_entity_slice, extract_fact_slice
from footnote.jobs.inline import work_until_resting
from footnote.ports import Refusal, ToolText

LEASE = """# Lease of the Harbour Warehouse

Northwind Traders Ltd lets the warehouse to Maria Keller. The rent is due on the third day of
each month and is paid into the account that is named below. Keys are handed over in Hamburg.

The tenant keeps the floor free of oil and reports any damage within three working days.
"""
LEASE_OF_LATER = LEASE.replace("third day", "fifth day").replace(
    "Warehouse\n", "Warehouse 2025\n", 1
)
LEASE_TITLE = "Lease of the Harbour Warehouse"
REPORT = """# Report of June

Maria Keller met Otto Brandt of Northwind Traders Ltd in Hamburg. Both had read the
Lease of the Harbour Warehouse before.
"""
MAIL = b"""From: otto@example.org
To: maria@example.org
Subject: Keys
Message-ID: <keys-1@example.org>

Where are the keys of the warehouse? They were to be handed over last week.
"""
ANSWER = b"""From: maria@example.org
To: otto@example.org
Subject: Re: Keys
Message-ID: <keys-2@example.org>
In-Reply-To: <keys-1@example.org>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="part"

--part
Content-Type: text/plain

They lie in the office of the harbour master, as agreed.

--part
Content-Type: text/plain; name="list.txt"
Content-Disposition: attachment; filename="list.txt"

Two keys for the gate and one for the office.

--part--
"""


SETTINGS = {"entities": "rules", "facts": "rules"}


@pytest.fixture
def engine(encrypted_engine: Engine) -> Engine:
    return encrypted_engine


@pytest.fixture
async def workspace(engine: Engine) -> WorkspaceEngine:
    return await engine.workspace((await engine.create_workspace("related")).name)


async def put(workspace: WorkspaceEngine, content: str | bytes, name: str) -> UUID:
    """Ingest a file and have all that is there read for entities."""
    raw = content.encode() if isinstance(content, str) else content
    document_id = (await workspace.receive(raw, name)).document.document_id
    await settled(workspace, document_id)
    return document_id


async def settled(workspace: WorkspaceEngine, document_id: UUID) -> None:
    """Index a document, and have all that is there read for entities."""
    await work_until_resting(workspace.engine, workspace, [document_id], lambda _: None)
    await extract_entity_slice(workspace.engine, workspace.workspace_id)


def edges_of(graph: Graph) -> dict[tuple[str, RelationshipKind, str], list[str]]:
    """By the names of its ends and its kind the quotes of each edge."""
    names = {each.node_id: each.name for each in graph.nodes}
    return {
        (names[each.source_id], each.kind, names[each.target_id]): [
            one.quote for one in each.evidence
        ]
        for each in graph.edges
    }


async def stands_where_it_says(workspace: WorkspaceEngine, graph: Graph) -> None:
    """Each edge has words, and they are where it says; its ends are nodes."""
    nodes = {each.node_id for each in graph.nodes}
    for edge in graph.edges:
        assert {edge.source_id, edge.target_id} <= nodes
        assert edge.weight > 0
        assert edge.documents > 0
        assert edge.evidence
        for each in edge.evidence:
            text = await workspace.text(each.document_id, most_characters=100_000)
            assert text is not None
            assert text.text[each.char_start : each.char_end] == each.quote
            if each.chunk_id is None:  # it stands in a heading
                continue
            passage = (await workspace.context(each.chunk_id, window=0)).chunk
            assert passage.char_start <= each.char_start < passage.char_end


async def test_names_of_one_sentence_are_related_in_its_words(workspace: WorkspaceEngine) -> None:
    await put(workspace, LEASE, "lease.md")
    await put(workspace, REPORT, "report.md")
    maria = await workspace.entity_called("Maria Keller")
    graph = await workspace.graph(entity_id=maria)
    await stands_where_it_says(workspace, graph)
    assert graph.complete
    assert {each.kind for each in graph.edges} == {RelationshipKind.NAMED_TOGETHER}
    names = {each.node_id: each.name for each in graph.nodes}
    beside = {
        names[end]: edge
        for edge in graph.edges
        if maria in (edge.source_id, edge.target_id)
        for end in (edge.source_id, edge.target_id)
        if end != maria
    }
    assert {"Northwind Traders Ltd", "Otto Brandt", "Hamburg"} <= beside.keys()
    landlord = beside["Northwind Traders Ltd"]
    assert landlord.documents == 2
    assert any("lets the warehouse to Maria Keller" in each.quote for each in landlord.evidence)
    assert landlord.weight > beside["Otto Brandt"].weight
    whole = await workspace.graph()
    await stands_where_it_says(workspace, whole)
    assert {"Hamburg", "Maria Keller"} <= {each.name for each in whole.nodes}
    assert {each.kind for each in whole.nodes} == {NodeKind.ENTITY}
    few = await workspace.graph(limit=2)
    assert (len(few.nodes), few.complete) == (2, False)


async def test_merged_entities_share_their_edges(workspace: WorkspaceEngine) -> None:
    await put(workspace, LEASE, "lease.md")
    await put(workspace, REPORT, "report.md")
    maria = await workspace.entity_called("Maria Keller")
    otto = await workspace.entity_called("Otto Brandt")
    await workspace.merge_entities(maria, otto)
    graph = await workspace.graph(entity_id=maria)
    assert otto not in {each.node_id for each in graph.nodes}
    assert all(each.source_id != each.target_id for each in graph.edges)
    await stands_where_it_says(workspace, graph)


async def test_documents_are_related_by_what_they_say(workspace: WorkspaceEngine) -> None:
    lease = await put(workspace, LEASE, "lease.md")
    report = await put(workspace, REPORT, "report.md")
    # What comes later is found as well.
    later = await put(workspace, LEASE_OF_LATER, "lease-2025.md")
    graph = await workspace.graph(document_id=lease)
    await stands_where_it_says(workspace, graph)
    related = {
        (each.source_id, each.kind, each.target_id): [one.quote for one in each.evidence]
        for each in graph.edges
    }
    citing = related[report, RelationshipKind.CITES, lease]
    assert [" ".join(each.split()) for each in citing] == ["Lease of the Harbour Warehouse"]
    ends = sorted((lease, later))
    assert any(
        "keeps the floor free" in each
        for each in related[ends[0], RelationshipKind.VERSION_OF, ends[1]]
    )
    ends = sorted((lease, report))
    assert related[ends[0], RelationshipKind.SHARES_ENTITIES, ends[1]]
    named = {target for source, kind, target in related if kind is RelationshipKind.NAMES}
    assert await workspace.entity_called("Maria Keller") in named
    other_way = await workspace.graph(document_id=report)
    assert (report, RelationshipKind.CITES, lease) in {
        (each.source_id, each.kind, each.target_id) for each in other_way.edges
    }


async def test_mails_are_related_to_what_they_answer_and_carry(workspace: WorkspaceEngine) -> None:
    answer = await put(workspace, ANSWER, "answer.eml")
    asked = await put(workspace, MAIL, "asked.eml")
    graph = await workspace.graph(document_id=answer)
    await stands_where_it_says(workspace, graph)
    kinds = {(each.source_id, each.kind, each.target_id) for each in graph.edges}
    assert (answer, RelationshipKind.REPLIES_TO, asked) in kinds
    attachments = [each for each in kinds if each[1] is RelationshipKind.ATTACHED_TO]
    [(attached, _, carrier)] = attachments
    assert carrier == answer
    of_attachment = await workspace.graph(document_id=attached)
    assert (attached, RelationshipKind.ATTACHED_TO, answer) in {
        (each.source_id, each.kind, each.target_id) for each in of_attachment.edges
    }
    of_asked = await workspace.graph(document_id=asked)
    assert (answer, RelationshipKind.REPLIES_TO, asked) in {
        (each.source_id, each.kind, each.target_id) for each in of_asked.edges
    }


async def test_documents_that_contradict_each_other_are_related(workspace: WorkspaceEngine) -> None:
    one = await put(workspace, "# Terms\n\nNotice period: 30 days\n", "terms.md")
    other = await put(workspace, "# Terms\n\nNotice period: 60 days\n", "terms-b.md")
    await extract_fact_slice(workspace.engine, workspace.workspace_id)
    graph = await workspace.graph(document_id=one)
    await stands_where_it_says(workspace, graph)
    [found] = [each for each in graph.edges if each.kind is RelationshipKind.CONTRADICTS]
    assert {found.source_id, found.target_id} == {one, other}
    assert {"30 days", "60 days"} == {each.quote.partition(": ")[2] for each in found.evidence}


async def test_what_a_fact_states_of_two_entities_relates_them(workspace: WorkspaceEngine) -> None:
    document_id = await put(workspace, "Maria Keller works for Northwind Traders Ltd.", "note.md")
    await extract_fact_slice(workspace.engine, workspace.workspace_id)
    maria = await workspace.entity_called("Maria Keller")
    employer = await workspace.entity_called("Northwind Traders Ltd")
    for graph in (
        await workspace.graph(entity_id=maria),
        await workspace.graph(document_id=document_id),
    ):
        await stands_where_it_says(workspace, graph)
        [stated] = [each for each in graph.edges if each.kind is RelationshipKind.STATED]
        assert (stated.source_id, stated.label, stated.target_id) == (maria, "works for", employer)
    [fact] = [each for each in (await workspace.facts()).facts if each.object_entity_id]
    await workspace.decide_fact(fact.fact_id, "rejected")
    rejected = await workspace.graph(entity_id=maria)
    assert RelationshipKind.STATED not in {each.kind for each in rejected.edges}


async def test_a_new_version_replaces_what_was_related(workspace: WorkspaceEngine) -> None:
    lease = await put(workspace, LEASE, "lease.md")
    report = (
        await workspace.receive(REPORT.encode(), "report.md", external_id="report")
    ).document.document_id
    await settled(workspace, report)
    assert RelationshipKind.CITES in {
        each.kind for each in (await workspace.graph(document_id=lease)).edges
    }
    await workspace.receive(
        b"# Report\n\nNothing was found in May.\n", "report.md", external_id="report"
    )
    await work_until_resting(workspace.engine, workspace, [report], lambda _: None)
    # Before it is read anew, nothing is said of the version that is gone.
    for _ in range(2):
        graph = await workspace.graph(document_id=lease)
        await stands_where_it_says(workspace, graph)
        assert report not in {each.node_id for each in graph.nodes}
        await extract_entity_slice(workspace.engine, workspace.workspace_id)


async def test_what_may_not_be_seen_relates_to_nothing(workspace: WorkspaceEngine) -> None:
    lease = await put(workspace, LEASE, "lease.md")
    report = await put(workspace, REPORT, "report.md")
    otto = await workspace.entity_called("Otto Brandt")
    await workspace.set_document_access(report, Visibility.PRIVATE, shared_with=["ann"])
    reader = replace(workspace, principal=Principal(principal_id="ben", role=Role.READER))
    for graph in (await reader.graph(), await reader.graph(document_id=lease)):
        await stands_where_it_says(reader, graph)
        assert not {otto, report} & {each.node_id for each in graph.nodes}
        assert all(each.document_id == lease for edge in graph.edges for each in edge.evidence)
        assert all(edge.documents == 1 for edge in graph.edges)
    absent = uuid4()
    said = []
    for middle in (otto, absent):
        with pytest.raises(NotFound) as unseen:
            await reader.graph(entity_id=middle)
        said.append(str(unseen.value).replace(str(middle), ""))
    for middle in (report, absent):
        with pytest.raises(NotFound) as unseen:
            await reader.graph(document_id=middle)
        said.append(str(unseen.value).replace(str(middle), ""))
    assert said[0] == said[1]
    assert said[2] == said[3]
    await workspace.delete_document(report)
    whole = await workspace.graph()
    assert otto not in {each.node_id for each in whole.nodes}


async def test_a_graph_has_one_middle(workspace: WorkspaceEngine) -> None:
    with pytest.raises(InvalidRequest, match="one middle"):
        await workspace.graph(entity_id=uuid4(), document_id=uuid4())
    empty = await workspace.graph()
    assert (empty.nodes, empty.edges, empty.complete) == ((), (), True)


async def test_an_agent_finds_what_is_related_with_the_words_that_show_it(
    workspace: WorkspaceEngine,
) -> None:
    lease = await put(workspace, LEASE, "lease.md")
    report = await put(workspace, REPORT, "report.md")
    find = {each.name: each for each in document_tools(workspace)}["find_related"]
    of_person = await find.call({"entity": "Maria Keller"})
    assert "Northwind Traders Ltd lets the warehouse to Maria Keller." in of_person
    assert "is named together with" in of_person
    of_document = await find.call({"document_id": str(report)})
    assert f"Report of June – cites – {LEASE_TITLE}" in of_document
    assert f"Document ID: {report}" in of_document
    assert isinstance(of_document, ToolText)
    data = Relationships.model_validate(of_document.data)
    assert [
        each.target_document_id for each in data.relationships if each.relationship == "cites"
    ] == [lease]
    assert len((await find.call({"entity": "Maria Keller", "limit": 1})).splitlines()) <= 3
    for wrong in ({}, {"entity": "Maria Keller", "document_id": str(lease)}):
        assert "name either" in await find.call(wrong)
    for absent in ({"entity": "Ulf Nobody"}, {"document_id": str(uuid4())}):
        assert isinstance(await find.call(absent), Refusal)
    # What is hidden is related to nothing, and is no evidence.
    await workspace.set_document_access(report, Visibility.PRIVATE, shared_with=["ann"])
    ben = replace(workspace, principal=Principal(principal_id="ben", role=Role.READER))
    as_ben = {each.name: each for each in document_tools(ben)}["find_related"]
    assert isinstance(await as_ben.call({"document_id": str(report)}), Refusal)
    seen = await as_ben.call({"entity": "Maria Keller"})
    assert "Otto Brandt" not in seen
    assert "Northwind" in seen
