"""One whole document is read for a question, with a model and without."""

from __future__ import annotations

import re
from dataclasses import replace

from footnote.engine.tools import EvidenceLedger, document_tools
from tests.engine.shelf import Shelf, named
from tests.models.answering import models_at
from tests.wire import WireServer, fails, says


async def test_a_whole_document_is_read_and_its_findings_are_cited(shelf: Shelf) -> None:
    ledger = EvidenceLedger()
    said = await shelf.tools(ledger)["analyze_document"].call(
        {"document_id": shelf.ids["lease.md"], "question": "How much rent is paid each month?"}
    )
    assert "7 passages read" in said
    cited = {int(number) for number in re.findall(r"^- .* \[(\d+)\]$", said, re.MULTILINE)}
    assert cited
    for number in cited:
        quote = re.search(rf"^\[{number}\] Lease .*: “(.+)”$", said, re.MULTILINE)
        assert quote is not None
        assert quote[1] in ledger.evidence[number - 1].passage.text


async def test_a_document_that_does_not_answer_says_so(shelf: Shelf) -> None:
    said = await shelf.call(
        "analyze_document",
        document_id=shelf.ids["lease.md"],
        question="Who painted the ceiling of the Sistine Chapel?",
    )
    assert "The document does not answer this." in said


async def test_a_model_reads_a_whole_document_and_cites_only_what_it_was_shown(
    shelf: Shelf,
) -> None:
    ledger = EvidenceLedger()
    with WireServer(says("Rent is 300 euros [3]. The roof is blue [99].")) as server:
        said = await analysed_by(shelf, server, ledger)
    assert "Rent is 300 euros [1]. The roof is blue." in said
    assert "Removed citations of what was never read: 1." in said
    assert "\n[1] document: Lease (lease.md)\n" in said
    [evidence] = ledger.evidence
    assert "> The tenant of berth 3 pays 300 euros" in said
    assert "berth 3" in evidence.passage.text
    assert "> The tenant of berth 7" in server.asked[0].prompt


async def test_without_its_model_a_document_is_read_for_quotes(shelf: Shelf) -> None:
    with WireServer(respond=lambda _: fails(401)) as server:
        said = await analysed_by(shelf, server, EvidenceLedger())
    assert "The language model could not be asked" in said
    assert re.search(r"^- The tenant of berth .* \[1\]$", said, re.MULTILINE)


async def analysed_by(shelf: Shelf, server: WireServer, ledger: EvidenceLedger) -> str:
    async with models_at(server, "openai:writer") as models:
        engine = replace(shelf.engine, answer_models=models)
        tools = named(document_tools(replace(shelf.workspace, engine=engine), ledger))
        return await tools["analyze_document"].call(
            {"document_id": shelf.ids["lease.md"], "question": "What does berth 3 cost?"}
        )
