"""An installation answers with its reader, and by rules where that is missing or broken."""

from __future__ import annotations

from pathlib import Path

from footnote.answering import ExtractiveAnswerer, ReaderAnswerer
from footnote.doctor import examine
from footnote.domain import Check
from footnote.engine import open_engine
from footnote.jobs.inline import work_until_resting
from footnote.models.readers import packaged_file
from footnote.settings import Settings

LEASE = b"The lease begins in May.\n\nThe monthly rent of the flat in Basel is CHF 1,450."


async def test_a_reader_that_cannot_be_loaded_leaves_the_answer_to_the_rules(
    settings: Settings, tmp_path: Path
) -> None:
    broken = tmp_path / "reader.safetensors"
    broken.write_bytes(b"these are no weights")
    with_broken = settings.model_copy(update={"reader": str(broken)})
    async with await open_engine(with_broken) as engine:
        workspace = await engine.workspace()
        received = await workspace.receive(LEASE, "lease.txt")
        await work_until_resting(engine, workspace, [received.document.document_id], lambda _: None)
        answer = await workspace.ask("What is the monthly rent of the flat in Basel?")
    assert answer.found
    assert "1,450" in answer.text
    (note,) = answer.degraded
    assert note.startswith("answer: without the reader, ")
    assert "does not hold the weights of a reader" in note


async def test_a_reader_that_is_switched_off_is_not_missed(settings: Settings) -> None:
    async with await open_engine(settings.model_copy(update={"reader": "none"})) as engine:
        assert isinstance(engine.answerer, ExtractiveAnswerer)
        assert engine.reader is None


async def test_the_packaged_reader_answers_where_its_weights_are(settings: Settings) -> None:
    async with await open_engine(settings) as engine:
        assert isinstance(engine.answerer, ReaderAnswerer) == (packaged_file() is not None)


async def test_the_doctor_says_why_answers_are_found_by_rules(
    settings: Settings, tmp_path: Path
) -> None:
    broken = tmp_path / "reader.safetensors"
    broken.write_bytes(b"these are no weights")
    off = await reader_check(settings.model_copy(update={"reader": "none"}))
    assert not off.ok
    assert "switched off" in off.detail
    unusable = await reader_check(settings.model_copy(update={"reader": str(broken)}))
    assert not unusable.ok
    assert "does not hold the weights of a reader" in unusable.detail


async def reader_check(settings: Settings) -> Check:
    health = await examine(settings)
    assert health.ready, "a reader is optional"
    return next(each for each in health.checks if each.name == "reader")
