"""Tags go in with a file and come back with its document and its attachments."""

from __future__ import annotations

from pathlib import Path

from footnote.domain import SearchFilters, SearchRequest
from footnote.engine import Engine, WorkspaceEngine
from footnote.filters import condition_from
from footnote.jobs.inline import work_until_resting
from tests.jobs.test_ingest import MAIL


async def test_tags_are_kept_once_each_in_one_form(workspace: WorkspaceEngine) -> None:
    tags = ["urgent", "gro\u0308\u00dfe", "urgent", "gr\u00f6\u00dfe"]
    received = await workspace.receive(b"text", "a.txt", tags=tags)
    assert received.document.tags == ("urgent", "gr\u00f6\u00dfe")
    found = await workspace.document(received.document.document_id)
    assert found.tags == received.document.tags


async def test_repeated_tags_do_not_count_towards_the_limit(workspace: WorkspaceEngine) -> None:
    received = await workspace.receive(b"text", "a.txt", tags=["a"] * 60)
    assert received.document.tags == ("a",)


async def test_a_file_on_a_disk_is_tagged_too(workspace: WorkspaceEngine, tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    file.write_text("A note.")
    assert (await workspace.receive_file(file, tags=["a"])).document.tags == ("a",)
    file.write_text("Another note.")
    again = await workspace.receive_file(file)
    assert (again.new_version, again.document.tags) == (True, ("a",))


async def test_an_attachment_is_found_by_the_tag_of_its_mail(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    mail = (await workspace.receive(MAIL, "mail.eml", tags=["winch"])).document
    other = (await workspace.receive(b"part,amount\npawl,12\n", "pawls.csv")).document
    ids = [mail.document_id, other.document_id]
    await work_until_resting(engine, workspace, ids, lambda _: None)
    assert {each.tags for each in await workspace.children(mail.document_id)} == {("winch",)}
    tagged = SearchFilters(where=condition_from({"tags": "winch"}))
    found = await workspace.search(SearchRequest(query="pawl", filters=tagged))
    assert {each.passage.filename for each in found.evidence} <= {"parts.csv", "mail.eml"}
    assert found.evidence[0].passage.filename == "parts.csv"


async def test_a_search_by_sender_finds_the_message(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    mail = (await workspace.receive(MAIL, "mail.eml")).document
    await work_until_resting(engine, workspace, [mail.document_id], lambda _: None)
    for name, expected in (("ada@example.org", 1), ("Ada", 1), ("bob@example.org", 0)):
        sent = SearchFilters(where=condition_from({"sender": name, "date": "2025-03-03"}))
        found = await workspace.search(SearchRequest(query="winch", filters=sent))
        assert len(found.evidence) == expected
