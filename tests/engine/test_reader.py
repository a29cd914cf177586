"""An installation answers with its reader, and says why where that is missing or broken."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from structlog.testing import capture_logs

from footnote.doctor import examine
from footnote.domain import Check
from footnote.engine import open_engine
from footnote.jobs.inline import work_until_resting
from footnote.models.readers import packaged_file
from footnote.settings import Settings

LEASE = b"The lease begins in May.\n\nThe monthly rent of the flat in Basel is CHF 1,450."


async def test_the_packaged_reader_answers(settings: Settings) -> None:
    async with await open_engine(settings) as engine:
        workspace = await engine.workspace()
        received = await workspace.receive(LEASE, "lease.txt")
        await work_until_resting(engine, workspace, [received.document.document_id], lambda _: None)
        answer = await workspace.ask("What is the monthly rent of the flat in Basel?")
    assert answer.degraded == ()
    (citation,) = answer.citations
    assert LEASE.decode()[citation.char_start : citation.char_end] == citation.quote
    assert "1,450" in citation.quote


async def test_a_reader_that_cannot_be_loaded_answers_nothing_and_says_why(
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
    assert not answer.found
    assert [each.passage.filename for each in answer.evidence] == ["lease.txt"]
    (note,) = answer.degraded
    assert note.startswith("answer: nothing was read, ")
    assert "does not hold the weights of a reader" in note


async def test_a_reader_that_is_switched_off_answers_nothing_and_says_so(
    settings: Settings,
) -> None:
    async with await open_engine(settings.model_copy(update={"reader": "none"})) as engine:
        workspace = await engine.workspace()
        answer = await workspace.ask("What is the monthly rent?")
    assert not answer.found
    assert engine.reader is None


async def test_the_doctor_says_why_nothing_is_read(settings: Settings, tmp_path: Path) -> None:
    broken = tmp_path / "reader.safetensors"
    broken.write_bytes(b"these are no weights")
    off = await reader_check(settings.model_copy(update={"reader": "none"}))
    assert not off.ok
    assert "switched off" in off.detail
    unusable = await reader_check(settings.model_copy(update={"reader": str(broken)}))
    assert not unusable.ok
    assert "does not hold the weights of a reader" in unusable.detail


async def test_the_doctor_and_the_log_say_what_another_reader_lacks(
    settings: Settings, tmp_path: Path
) -> None:
    packaged = packaged_file()
    assert packaged is not None
    whole = await reader_check(settings)
    assert whole.ok
    assert "without" not in whole.detail
    own = settings.model_copy(
        update={"reader": str(another(packaged, tmp_path / "own.safetensors"))}
    )
    with capture_logs() as logged:
        lacking = await reader_check(own)
    assert not lacking.ok
    for name in ("mentions.safetensors", "unmet_words.safetensors"):
        assert f"without {name}" in lacking.detail
    assert "looks through" in lacking.detail
    assert lacking.hint is not None
    (line,) = [each for each in logged if "lacking" in each]
    assert "unmet_words.safetensors" in str(line["lacking"])


def another(weights: Path, place: Path) -> Path:
    """The same reader with one number another, and so other states."""
    tensors = load_file(weights)
    with safe_open(weights, "numpy") as opened:
        metadata = opened.metadata()
    tensors["norm.bias"] = tensors["norm.bias"] + np.float32(1e-4)
    save_file(tensors, place, metadata=metadata)
    return place


async def reader_check(settings: Settings) -> Check:
    health = await examine(settings)
    assert health.ready, "a reader is optional"
    return next(each for each in health.checks if each.name == "reader")
