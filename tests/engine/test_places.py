"""A quote is cited where it stands, however little or much stands there."""

from __future__ import annotations

import shutil

import pytest
from reportlab.pdfgen.canvas import Canvas

from footnote.domain import Citation, SearchRequest
from footnote.engine import WorkspaceEngine
from footnote.errors import NotFound
from footnote.jobs.inline import work_until_resting
from tests.ingestion import corpus_pages, pdf_files


async def publish(workspace: WorkspaceEngine, content: bytes, name: str) -> None:
    received = await workspace.receive(content, name)
    ids = [received.document.document_id]
    rested = await work_until_resting(workspace.engine, workspace, ids, lambda _: None)
    assert [each.status for each in rested.values()] == ["indexed"]


async def cited(workspace: WorkspaceEngine, question: str, words: str) -> Citation:
    """The citation of the answer whose quote has these words."""
    answer = await workspace.ask(question)
    (found,) = [each for each in answer.citations if words in each.quote]
    return found


def over_the_break() -> bytes:
    """A paragraph that begins at the foot of the first page and ends on the second."""

    def first(canvas: Canvas) -> None:
        canvas.drawString(72, 90, "The lighthouse keeper is paid 4,100 euros each month. The lamp")

    def second(canvas: Canvas) -> None:
        canvas.drawString(72, 760, "burns for eleven hours. Whale oil for it costs 90 euros.")

    return pdf_files.pdf(first, second)


async def test_a_paragraph_over_a_page_break_is_cited_page_by_page(
    workspace: WorkspaceEngine,
) -> None:
    await publish(workspace, over_the_break(), "keeper.pdf")
    paid = await cited(workspace, "What is the lighthouse keeper paid each month?", "4,100")
    oil = await cited(workspace, "What does whale oil cost?", "90 euros")
    assert (paid.page, oil.page) == (1, 2)
    response = await workspace.search(SearchRequest(query="whale oil"))
    pages = [(each.passage.page_start, each.passage.page_end) for each in response.evidence]
    assert pages == [(1, 2)]


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="no tesseract here")
async def test_each_frame_of_a_picture_has_chunks_of_its_own(workspace: WorkspaceEngine) -> None:
    frames = corpus_pages.FILES["TIFF"]["frames.tif"]()
    await publish(workspace, frames, "frames.tif")
    response = await workspace.search(SearchRequest(query="fires on the quay"))
    places = {
        (each.passage.page_start, each.passage.page_end): each.passage.text
        for each in response.evidence
    }
    assert places == {
        (1, 1): "Invoice 4711\n\nPay within thirty days.",
        (2, 2): "Harbour rules\n\nNo fires on the quay.",
    }
    assert response.evidence[0].passage.page_start == 2


async def test_the_only_line_of_a_file_is_found_once_and_quoted(workspace: WorkspaceEngine) -> None:
    await publish(workspace, b"Berth twelve costs 480 euros a year\n", "a.txt")
    await publish(workspace, b"# The harbour master\n\n## Berth seven costs 90 euros\n", "b.md")
    for berth, words in (("twelve", "480 euros"), ("seven", "90 euros")):
        citation = await cited(workspace, f"What does berth {berth} cost?", words)
        passage = (await workspace.context(citation.chunk_id, 0)).chunk
        assert passage.text == citation.quote
        assert passage.text not in (passage.document_title, *passage.heading_path)


async def test_an_absent_chunk_is_named_no_longer_than_one_can_be(
    workspace: WorkspaceEngine,
) -> None:
    with pytest.raises(NotFound) as raised:
        await workspace.context("7" * 5_000)
    assert "there is no chunk 777" in str(raised.value)
    assert len(str(raised.value)) < 200
