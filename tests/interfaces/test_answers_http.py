"""An answer is told as it is made, can be gone on with, and ends with its reader."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from tests.interfaces.conftest import Library
from tests.interfaces.sse import Told, streaming

QUESTION = "How soon must a claim be reported?"
ASKED = {"question": QUESTION, "filters": {"collections": ["insurance"]}, "stream": True}


async def told_of(
    client: httpx.AsyncClient, body: object = ASKED, headers: dict[str, str] | None = None
) -> list[Told]:
    async with streaming(client, "/v1/answers", body, headers) as events:
        return [each async for each in events]


def without_times(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name not in {"timings_ms", "cached"}}


async def test_a_stream_tells_sources_first_and_the_whole_answer_last(library: Library) -> None:
    events = await told_of(library.http)
    names = [each.event for each in events]
    assert names[0] == "sources"
    assert names[-1] == "done"
    assert {"token", "citation", "grounding", "usage"} <= set(names)
    text = "".join(each.data["text"] for each in events if each.event == "token")
    done = events[-1].data
    assert text == done["text"]
    assert events[0].data["evidence"] == done["evidence"]
    cited = [each.data for each in events if each.event == "citation"]
    assert cited == done["citations"]
    grounded = [each.data for each in events if each.event == "grounding"]
    assert [each["position"] for each in grounded] == list(range(len(done["sentences"])))
    assert [each["verdict"] for each in grounded] == [each["verdict"] for each in done["sentences"]]


async def test_a_stream_ends_in_what_is_given_in_one_piece(library: Library) -> None:
    whole = await library.http.post("/v1/answers", json={**ASKED, "stream": False})
    events = await told_of(library.http)
    assert without_times(events[-1].data) == without_times(whole.json())


async def test_accepting_events_is_asking_for_them(library: Library) -> None:
    body = {"question": QUESTION}
    events = await told_of(library.http, body, {"Accept": "text/event-stream"})
    assert events[-1].event == "done"


async def test_ids_number_the_events_of_one_run(library: Library) -> None:
    events = await told_of(library.http)
    run = events[0].id.partition(":")[0]
    assert [each.id for each in events] == [f"{run}:{n}" for n in range(1, len(events) + 1)]


@pytest.mark.parametrize("by", ["get", "post"])
@pytest.mark.parametrize("after", [0, 1, 3])
async def test_what_followed_an_event_is_told_again(library: Library, by: str, after: int) -> None:
    events = await told_of(library.http)
    run = events[0].id.partition(":")[0]
    headers = {"Last-Event-ID": f"{run}:{after}"}
    if by == "post":
        assert await told_of(library.http, ASKED, headers) == events[after:]
    else:
        path = f"/v1/answers/{run}/events"
        async with streaming(library.http, path, headers=headers) as again:
            assert [each async for each in again] == events[after:]


async def test_without_a_last_id_everything_is_told_again(library: Library) -> None:
    events = await told_of(library.http)
    run = events[0].id.partition(":")[0]
    async with streaming(library.http, f"/v1/answers/{run}/events") as again:
        assert [each async for each in again] == events


async def test_the_answer_of_another_workspace_looks_like_none(library: Library) -> None:
    events = await told_of(library.http)
    run = events[0].id.partition(":")[0]
    there = {"Footnote-Workspace": "annex"}
    foreign = await library.http.get(f"/v1/answers/{run}/events", headers=there)
    absent = await library.http.get(f"/v1/answers/{uuid4()}/events", headers=there)
    assert foreign.status_code == absent.status_code == 404
    assert "Of several servers only the one that made an answer" in absent.json()["hint"]
    assert foreign.content == absent.content
    posted = await library.http.post(
        "/v1/answers", json=ASKED, headers={**there, "Last-Event-ID": events[0].id}
    )
    assert posted.content == absent.content


@pytest.mark.parametrize(
    "wrong", ["7", "x" * 36 + ":1", f"{UUID(int=7)}:", f"{UUID(int=7)}", "-" * 36 + ":1"]
)
async def test_an_id_we_never_gave_is_refused(library: Library, wrong: str) -> None:
    response = await library.http.post("/v1/answers", json=ASKED, headers={"Last-Event-ID": wrong})
    assert response.status_code == 422
    assert "Last-Event-ID" in response.json()["detail"]


async def test_an_id_of_another_answer_does_not_go_with_this_one(library: Library) -> None:
    response = await library.http.get(
        f"/v1/answers/{uuid4()}/events", headers={"Last-Event-ID": f"{uuid4()}:1"}
    )
    assert response.status_code == 422


async def test_what_is_wrong_with_a_question_is_a_problem_and_no_stream(library: Library) -> None:
    response = await library.http.post("/v1/answers", json={**ASKED, "plan": "nonsense"})
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"


async def test_an_answer_that_is_not_there_is_streamed_too(library: Library) -> None:
    body = {"question": "Who won the regatta of 1871 in Valparaíso?", "stream": True}
    events = await told_of(library.http, body)
    assert events[-1].data["found"] is False
    assert (
        "".join(each.data["text"] for each in events if each.event == "token")
        == (events[-1].data["text"])
    )


UNANSWERED = {"question": "Who decides about the deductible for storm damage to a moored buoy?"}


async def test_where_nothing_answers_the_closest_passage_is_told(library: Library) -> None:
    whole = (await library.http.post("/v1/answers", json=UNANSWERED)).json()
    assert (whole["found"], whole["citations"]) == (False, [])
    closest = whole["closest"]
    assert "2,500 euros" in closest["text"]
    assert closest["citation"]["marker"] == 1
    assert closest["citation"]["quote"] == closest["text"]
    assert closest["citation"]["filename"] == "policy.md"
    events = await told_of(library.http, {**UNANSWERED, "stream": True})
    assert without_times(events[-1].data) == without_times(whole)
    answered = await library.http.post("/v1/answers", json={**ASKED, "stream": False})
    assert answered.json()["closest"] is None
