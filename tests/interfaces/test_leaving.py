"""A model stops when its reader goes away, and goes on for a reader who comes back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from functools import partial

import httpx
import pytest

from footnote.engine import opening
from footnote.engine.answer_runs import AnswerRuns, RunLimits
from tests.interfaces.conftest import Library
from tests.interfaces.serving import scripted, served
from tests.interfaces.sse import Told, streaming
from tests.wire import SLOW, Asked, Reply, WireServer, endless, says

QUESTION = "How soon must a claim be reported?"
ASKED = {"question": QUESTION, "stream": True}
SENTENCE = "A claim must be reported in writing within 14 days of the loss [1]. "
PATIENCE_SECONDS = 60


class Script:
    """What the model does next, and that it was asked."""

    def __init__(self) -> None:
        self.reply: Reply = SLOW
        self.heard = threading.Event()

    def __call__(self, asked: Asked) -> Reply:
        self.heard.set()
        return self.reply

    async def was_asked(self) -> bool:
        return await asyncio.to_thread(self.heard.wait, PATIENCE_SECONDS)


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def model(script: Script) -> Iterator[WireServer]:
    with WireServer(respond=script) as server:
        yield server


@pytest.fixture
async def impatient(
    library: Library, model: WireServer, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a server that ends an answer as soon as nobody reads it."""
    _resuming(monkeypatch, 0)
    async with served(scripted(library.settings, model)) as client:
        yield client


@pytest.fixture
async def patient(
    library: Library, model: WireServer, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a server that waits for its readers."""
    _resuming(monkeypatch, PATIENCE_SECONDS)
    async with served(scripted(library.settings, model)) as client:
        yield client


def _resuming(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    limits = RunLimits(resume_seconds=seconds)
    monkeypatch.setattr(opening, "AnswerRuns", partial(AnswerRuns, limits))


async def until(events: AsyncIterator[Told], name: str) -> list[Told]:
    """The events up to the first of this name."""
    found: list[Told] = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for event in events:
            found.append(event)
            if event.event == name:
                return found
    raise AssertionError([each.event for each in found])


async def test_the_model_stops_when_the_reader_goes(
    impatient: httpx.AsyncClient, model: WireServer, script: Script
) -> None:
    script.reply = endless(SENTENCE)
    async with streaming(impatient, "/v1/answers", ASKED) as events:
        found = await until(events, "token")
    assert await model.asked[0].was_left()
    again = await impatient.post("/v1/answers", json=ASKED, headers={"Last-Event-ID": found[-1].id})
    assert again.status_code == 404


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (
            "/openai/v1/chat/completions",
            {"messages": [{"role": "user", "content": QUESTION}], "stream": True},
        ),
        (
            "/agui",
            {
                "threadId": "t",
                "runId": "r",
                "messages": [{"id": "m", "role": "user", "content": QUESTION}],
            },
        ),
    ],
    ids=["chat", "agui"],
)
async def test_the_model_stops_for_readers_of_other_protocols_at_once(
    patient: httpx.AsyncClient, model: WireServer, script: Script, path: str, body: object
) -> None:
    script.reply = endless(SENTENCE)
    async with streaming(patient, path, body) as events:
        async for event in events:
            if "14 days" in str(event.data) and "delta" in str(event.data):
                break
    assert await model.asked[0].was_left()


async def test_the_model_stops_when_nobody_waits_for_the_whole_answer(
    patient: httpx.AsyncClient, model: WireServer, script: Script
) -> None:
    asking = asyncio.create_task(patient.post("/v1/answers", json={"question": QUESTION}))
    assert await script.was_asked()
    asking.cancel()
    assert await model.asked[0].was_left()


async def test_a_reader_who_comes_back_misses_nothing(
    patient: httpx.AsyncClient, model: WireServer, script: Script
) -> None:
    # What is written last may be held back until it is known to be whole.
    pieces = (SENTENCE, "It goes to the insurer [1]. ", "Photographs go with it [1]. ", "That is ")
    script.reply = says(*pieces, "all.", waits_after=len(pieces))
    async with streaming(patient, "/v1/answers", ASKED) as events:
        before = await until(events, "token")
    model.release()
    headers = {"Last-Event-ID": before[-1].id}
    async with streaming(patient, "/v1/answers", ASKED, headers) as events:
        after = await until(events, "done")
    run = before[0].id.partition(":")[0]
    whole = [*before, *after]
    assert [each.id for each in whole] == [f"{run}:{n}" for n in range(1, len(whole) + 1)]
    text = "".join(each.data["text"] for each in whole if each.event == "token")
    assert "14 days" in text
    assert "insurer" in text
    assert len(model.asked) == 1
    assert not model.asked[0].left.is_set()


async def test_what_a_model_used_is_told(
    patient: httpx.AsyncClient, model: WireServer, script: Script
) -> None:
    script.reply = says(SENTENCE)
    async with streaming(patient, "/v1/answers", ASKED) as events:
        found = await until(events, "done")
    counted = [each.data for each in found if each.event == "usage"]
    assert counted[-1]["input_tokens"] == 100
    assert found[-1].data["usage"] == counted[-1]
    assert "scripted" in found[-1].data["model"]
