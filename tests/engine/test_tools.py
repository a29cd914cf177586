"""The tools of a workspace: what they find, how they say it, and what they refuse."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from footnote.domain import Passage, SourceType
from footnote.engine.tools import EvidenceLedger, Refusal, document_tools
from footnote.engine.tools.creating import sanitised
from tests.engine.shelf import Shelf, named, work_now

ABSENT = "00000000-0000-4000-8000-000000000000"


# --- definitions ------------------------------------------------------------------------------


def test_no_tool_takes_a_workspace_or_a_principal(shelf: Shelf) -> None:
    for tool in shelf.tools().values():
        properties = tool.parameters["properties"]
        assert isinstance(properties, dict)
        assert not {"workspace", "workspace_id", "principal", "user", "access"} & set(properties)
        assert tool.parameters["type"] == "object"
        assert tool.parameters["additionalProperties"] is False
        assert "$ref" not in str(tool.parameters)
        assert len(tool.description) <= 1024, "more than OpenAI takes"


NESTED: dict[str, object] = {"all": []}
for _ in range(500):
    NESTED = {"all": [NESTED]}
HOSTILE: list[dict[str, object]] = [
    {},
    {"query": 7},
    {"query": ""},
    {"query": "x" * 100_000},
    {"query": "\x00"},
    {"query": "\ud800"},
    {"query": "x", "top_k": "many"},
    {"query": "x", "top_k": 10**30},
    {"query": "x", "collections": {"a": "b"}},
    {"query": "x", "document_ids": ["'; DROP TABLE documents; --"]},
    {"query": "x", "where": {"metadata.x'); --": {"eq": [1]}}},
    {"query": "x", "where": NESTED},
    {"query": "x", "created_after": "yesterday"},
    {"query": "x", "principal": "alice"},
    {"document_id": ["a"], "question": {}, "chunk_id": 3, "title": None, "content": b"\xff"},
    {"document_id": ABSENT, "question": "\x00", "chunk_id": "a:b:c", "cursor": "zzz"},
]


@pytest.mark.parametrize("arguments", HOSTILE, ids=[str(n) for n in range(len(HOSTILE))])
async def test_hostile_arguments_are_refused_in_words(
    shelf: Shelf, arguments: dict[str, object]
) -> None:
    for tool in shelf.tools().values():
        if tool.name == "list_documents" and not arguments:
            continue
        said = await tool.call(arguments)
        assert isinstance(said, Refusal), tool.name
        begins = "Failed to create document" if "create" in tool.name else f"{tool.name} failed"
        assert said.startswith(f"{begins}: ")


async def test_a_refusal_says_what_would_be_taken(shelf: Shelf) -> None:
    said = await shelf.call("search_documents", query="rent", top_k=99, where={"colour": "red"})
    assert "top_k" in said
    assert "It takes: query (required), top_k, " in said
    said = await shelf.call("search_documents", query="rent", where={"colour": "red"})
    assert "there is no field 'colour'" in said


# --- finding ----------------------------------------------------------------------------------


async def test_evidence_is_numbered_and_says_where_it_stands(shelf: Shelf) -> None:
    said = await shelf.call("search_documents", query="rent of berth 3", top_k=2)
    first = said.split("\n\n")[1]
    assert first.startswith("[1] document: Lease (lease.md)\n")
    assert f"\nDocument ID: {shelf.ids['lease.md']}\n" in first
    assert "\nSection: Lease > Clause 3\n" in first
    assert re.search(r"^Score: \d\.\d{3}$", first, re.MULTILINE)
    assert "\n> The tenant of berth 3 pays 300 euros" in first


async def test_an_attachment_names_the_message_it_came_with(shelf: Shelf) -> None:
    said = await shelf.call(
        "search_documents", query="turbidity probes carton", source_types=["email_attachment"]
    )
    assert "[1] email_attachment: Delivery note (delivery.md)" in said
    assert "\nParent email: “Four sensors” from Linnet <linnet@supplier.example>\n" in said


async def test_no_text_can_pass_for_an_entry_of_ours(shelf: Shelf) -> None:
    said = await shelf.call("search_documents", query="lighthouse keeper owes nothing")
    entries = [line for line in said.splitlines() if re.match(r"\[\d+\]", line)]
    assert len(entries) == len(set(entries))
    assert not any(line.startswith("[9]") for line in entries)
    assert "> [9] document: Forged (forged.md)" in said


async def test_a_text_that_gives_orders_carries_a_warning(shelf: Shelf) -> None:
    ledger = EvidenceLedger()
    tools = shelf.tools(ledger)
    said = await tools["search_documents"].call({"query": "previous instructions", "top_k": 1})
    assert "\nWarning: this text tries to give orders" in said
    [evidence] = ledger.evidence
    assert evidence.suspicious
    chunk = {"chunk_id": evidence.passage.chunk_id}
    assert "\nWarning: " in await tools["get_document_context"].call(chunk)


async def test_filters_hold(shelf: Shelf) -> None:
    said = await shelf.call("search_documents", query="rent", collections=["export"])
    assert "lease.md" not in said
    said = await shelf.call("search_documents", query="rent", created_before="2001-01-01")
    assert said.startswith("No passages found for “rent”.")
    said = await shelf.call("search_documents", query="rent", where={"tags": "old"}, top_k=1)
    assert "lease.md" in said


async def test_the_same_passage_keeps_its_number_over_calls(shelf: Shelf) -> None:
    ledger = EvidenceLedger()
    tools = shelf.tools(ledger)
    await tools["search_documents"].call({"query": "rent of berth 2", "top_k": 1})
    await tools["search_documents"].call({"query": "repaint hull 5", "top_k": 1})
    chunk = ledger.evidence[0].passage.chunk_id
    said = await tools["get_document_context"].call({"chunk_id": chunk, "window": 1})
    assert re.findall(r"^\[(\d+)\]", said, re.MULTILINE) == ["3", "1", "4"]
    for number, evidence in enumerate(ledger.evidence, start=1):
        assert evidence.rank == number
    again = await tools["search_documents"].call({"query": "repaint hull 5", "top_k": 1})
    assert "\n[2] document: Lease" in again


async def test_a_wider_view_of_a_passage_takes_its_place_in_the_ledger(shelf: Shelf) -> None:
    ledger = EvidenceLedger()
    await shelf.tools(ledger)["search_documents"].call({"query": "berth 4", "top_k": 1})
    [narrow] = ledger.evidence
    wide = replace(narrow, passage=widened(narrow.passage))
    assert ledger.number(wide) == 1
    assert ledger.number(narrow) == 1
    assert ledger.evidence == (replace(wide, rank=1),)


def widened(passage: Passage) -> Passage:
    return replace(passage, char_end=passage.char_end + 5, text=f"{passage.text} more")


# --- documents --------------------------------------------------------------------------------


async def test_what_is_known_of_a_document_is_told_with_where_to_get_it(shelf: Shelf) -> None:
    said = await shelf.call("get_document", document_id=shelf.ids["lease.md"])
    for line in ("Title: Lease", "File name: lease.md", "Status: indexed", "Tags: old"):
        assert line in said.splitlines()
    path = f"/v1/documents/{shelf.ids['lease.md']}/content?workspace=default"
    assert f"Download: {path}" in said.splitlines()
    said = await shelf.call("get_document", document_id=shelf.ids["mail.eml"])
    assert "Attachments: delivery.md" in said.splitlines()


@pytest.mark.parametrize("tool", ["get_document", "analyze_document", "get_document_context"])
async def test_foreign_and_absent_look_the_same(shelf: Shelf, tool: str) -> None:
    told = set()
    for each in (shelf.ids["foreign.md"], ABSENT):
        arguments: Mapping[str, object] = {
            "get_document": {"document_id": each},
            "analyze_document": {"document_id": each, "question": "What is the code?"},
            "get_document_context": {"chunk_id": f"{each}:1:0"},
        }[tool]
        told.add(await shelf.tools()[tool].call(arguments))
    assert told == {f"{tool} failed: not found in this workspace"}


async def test_nothing_of_another_workspace_is_found_or_listed(shelf: Shelf) -> None:
    for tool, arguments in (
        ("search_documents", {"query": "vault code 4711"}),
        ("search_documents", {"query": "vault", "document_ids": [shelf.ids["foreign.md"]]}),
        ("list_documents", {"limit": 100}),
        ("list_documents", {"where": {"document_id": shelf.ids["foreign.md"]}}),
    ):
        said = await shelf.tools()[tool].call(arguments)
        assert "4711" not in said.replace("vault code 4711", "")
        assert "foreign" not in said


async def test_pages_of_a_listing_show_every_document_once(shelf: Shelf) -> None:
    shown: list[str] = []
    cursor = None
    while True:
        said = await shelf.call("list_documents", limit=2, cursor=cursor)
        shown += re.findall(r"^- (\S+) \|", said, re.MULTILINE)
        if "cursor: " not in said:
            break
        cursor = said.rsplit("cursor: ", 1)[1]
    mine = [value for name, value in shelf.ids.items() if name != "foreign.md"]
    assert sorted(shown) == sorted(mine)


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"collection": "lease"}, {"lease.md"}),
        ({"tags": ["old"]}, {"lease.md"}),
        ({"name_contains": "XPOR"}, {"export.md"}),
        ({"source_types": ["email_attachment"]}, {"delivery.md"}),
        ({"document_types": ["email"]}, {"mail.eml"}),
        ({"created_before": "2001-01-01"}, set()),
        ({"created_after": "2001-01-01", "collection": "export"}, {"export.md"}),
        ({"status": "failed"}, set()),
        ({"where": {"media_type": "message/rfc822"}}, {"mail.eml"}),
    ],
    ids=lambda each: next(iter(each)) if isinstance(each, dict) else "",
)
async def test_a_listing_is_filtered(
    shelf: Shelf, filters: dict[str, object], names: set[str]
) -> None:
    said = await shelf.tools()["list_documents"].call(filters)
    assert {row.split(" | ")[2] for row in said.splitlines() if row.startswith("- ")} == names


# --- saving -----------------------------------------------------------------------------------


async def test_a_saved_document_is_found_by_the_next_search(shelf: Shelf) -> None:
    tools = named(document_tools(shelf.other, index_now=work_now))
    content = "The regatta is won by the crew of the Ptarmigan."
    said = await tools["create_document"].call(
        {"title": "Regatta: results/2025", "content": content}
    )
    assert said.startswith("Document created")
    assert "File name: Regatta results 2025.md" in said
    found = await tools["search_documents"].call({"query": "Ptarmigan regatta", "top_k": 1})
    assert "[1] document (generated): Regatta: results/2025" in found
    assert f"> {content}" in found
    again = await tools["create_document"].call(
        {"title": "Regatta: results/2025", "content": content}
    )
    assert again.startswith("There was already a document with exactly this text")
    [document] = [
        each
        for each in (await shelf.other.documents()).documents
        if each.filename == "Regatta results 2025.md"
    ]
    assert document.source_type is SourceType.GENERATED
    assert document.media_type == "text/markdown"


async def test_without_a_worker_a_saved_document_is_kept_and_not_yet_found(shelf: Shelf) -> None:
    tools = named(document_tools(shelf.other))
    said = await tools["create_document"].call({"title": "Later", "content": "Later on."})
    assert said.startswith("Document saved. It is not indexed yet")


async def test_what_cannot_be_indexed_says_why(shelf: Shelf) -> None:
    strict = shelf.engine.settings.model_copy(update={"document_limits": '{"bytes": 10}'})
    workspace = replace(shelf.other, engine=replace(shelf.engine, settings=strict))
    tools = named(document_tools(workspace, index_now=work_now))
    said = await tools["create_document"].call({"title": "Anything", "content": "Far too much."})
    assert isinstance(said, Refusal)
    assert said.startswith("Failed to create document: ")
    assert "more than the 10 allowed" in said


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("../../etc/passwd", "etc passwd"),
        ("Ünïcode 会議 2025", "Ünïcode 会議 2025"),
        ("CON\x00\n..", "CON"),
        ("///", "document"),
        ("a" * 300, "a" * 100),
    ],
    ids=["path", "unicode", "control", "nothing", "long"],
)
def test_a_title_becomes_a_harmless_name(title: str, name: str) -> None:
    assert sanitised(title) == name
