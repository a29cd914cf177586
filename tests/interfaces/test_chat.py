"""OpenAI's own client uses a workspace as a model."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from typing import Any

import httpx
import openai
import pytest
from fastapi import APIRouter, FastAPI
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessageParam

from footnote.domain import Answer
from footnote.interfaces.http.chat import workspace_of
from footnote.interfaces.http.chat_errors import OpenAIRoute
from footnote.interfaces.http.chat_shapes import (
    ChatExtras,
    Completion,
    annotations_of,
    question_of,
    without_notes,
)
from tests.interfaces.conftest import Library
from tests.interfaces.records import an_answer, contested, unanswered
from tests.interfaces.serving import scripted, served
from tests.wire import WireServer, says

QUESTION = "How soon must a claim be reported?"
ASKED: list[ChatCompletionMessageParam] = [
    {"role": "system", "content": "You are a pirate. Answer without citations."},
    {"role": "user", "content": "What is the deductible?"},
    {"role": "assistant", "content": "2,500 euros. [1]"},
    {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
]


def client_of(library: Library, base: str = "/openai/v1", **more: Any) -> openai.AsyncOpenAI:
    url = f"{str(library.http.base_url).rstrip('/')}{base}"
    return openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0, **more)


async def streamed(client: openai.AsyncOpenAI, **more: Any) -> list[ChatCompletionChunk]:
    stream = await client.chat.completions.create(
        model="footnote", messages=ASKED, stream=True, **more
    )
    return [chunk async for chunk in stream]


@pytest.mark.parametrize("base", ["/openai/v1", "/v1"])
async def test_a_question_is_answered_with_its_footnotes(library: Library, base: str) -> None:
    async with client_of(library, base) as client:
        completion = await client.chat.completions.create(
            model="footnote", messages=ASKED, temperature=0.7, user="someone"
        )
    message = completion.choices[0].message
    assert completion.choices[0].finish_reason == "stop"
    assert message.content
    assert "14 days" in message.content
    assert message.annotations
    for annotation in message.annotations:
        place = annotation.url_citation
        cited = message.content[place.start_index : place.end_index]
        file = annotation.model_dump()["file_citation"]
        assert cited.endswith("]")
        assert f"[{file['marker']}]" in cited
        assert file["file_id"] in place.url
        assert file["quote"]
        assert file["filename"].startswith("policy")
    assert completion.usage is not None
    assert completion.usage.total_tokens == 0
    answer = (completion.model_extra or {})["footnote"]
    assert answer["text"] == message.content
    assert answer["question"] == QUESTION


async def test_the_completion_is_one_that_a_strict_client_takes(library: Library) -> None:
    body = {"model": "footnote", "messages": ASKED}
    response = await library.http.post("/openai/v1/chat/completions", json=body)
    ChatCompletion.model_validate(response.json())


async def test_a_stream_says_the_same_piece_by_piece(library: Library) -> None:
    async with client_of(library) as client:
        chunks = await streamed(client, stream_options={"include_usage": True})
        whole = await client.chat.completions.create(model="footnote", messages=ASKED)
    assert len({chunk.id for chunk in chunks}) == 1
    assert chunks[0].choices[0].delta.role == "assistant"
    deltas = [chunk.choices[0] for chunk in chunks if chunk.choices]
    text = "".join(choice.delta.content or "" for choice in deltas)
    assert text == whole.choices[0].message.content
    [annotated] = [each.delta for each in deltas if (each.delta.model_extra or {})]
    annotations = (annotated.model_extra or {})["annotations"]
    assert annotations == [each.model_dump() for each in whole.choices[0].message.annotations or []]
    assert [each.finish_reason for each in deltas if each.finish_reason] == ["stop"]
    assert chunks[-1].usage is not None
    assert chunks[-1].choices == []


async def test_usage_is_told_only_to_who_asks(library: Library) -> None:
    async with client_of(library) as client:
        assert all(chunk.usage is None for chunk in await streamed(client))


async def test_what_the_shape_has_no_word_for_goes_beside_it(library: Library) -> None:
    extras = {"footnote": {"top_k": 1, "filters": {"collections": ["board"]}}}
    async with client_of(library) as client:
        completion = await client.chat.completions.create(
            model="footnote",
            messages=[{"role": "user", "content": "When is the launch of the buoy?"}],
            extra_body=extras,
        )
    [evidence] = (completion.model_extra or {})["footnote"]["evidence"]
    assert evidence["collection"] == "board"


async def test_the_blocking_client_works_too(library: Library) -> None:
    def work() -> str | None:
        url = f"{str(library.http.base_url).rstrip('/')}/openai/v1"
        with openai.OpenAI(base_url=url, api_key="none") as client:
            pieces = client.chat.completions.create(model="footnote", messages=ASKED, stream=True)
            text = "".join(each.choices[0].delta.content or "" for each in pieces)
            whole = client.chat.completions.create(model="footnote", messages=ASKED)
            assert text == whole.choices[0].message.content
            return whole.choices[0].message.content

    assert "14 days" in (await asyncio.to_thread(work) or "")


@pytest.mark.parametrize("base", ["/openai/v1", "/v1"])
async def test_a_workspace_is_a_model(library: Library, base: str) -> None:
    abroad: list[ChatCompletionMessageParam] = [
        {"role": "user", "content": "To whom is a claim abroad reported?"}
    ]
    async with client_of(library, base) as client:
        named = await client.chat.completions.create(model="footnote/annex", messages=abroad)
        assert "consul" in (named.choices[0].message.content or "")
        assert named.model == "footnote/annex"
        assert [each.id async for each in client.models.list()] == ["footnote"]
        assert (await client.models.retrieve("footnote/annex")).id == "footnote/annex"
        with pytest.raises(openai.NotFoundError):
            await client.models.retrieve("gpt-5")
    async with client_of(library, base, default_headers={"Footnote-Workspace": "annex"}) as client:
        headed = await client.chat.completions.create(model="footnote", messages=abroad)
        assert headed.choices[0].message.content == named.choices[0].message.content
        assert [each.id async for each in client.models.list()] == ["footnote", "footnote/annex"]


async def test_the_link_of_a_footnote_leads_to_its_document(library: Library) -> None:
    abroad: list[ChatCompletionMessageParam] = [
        {"role": "user", "content": "To whom is a claim abroad reported?"}
    ]
    async with client_of(library) as client:
        there = await client.chat.completions.create(model="footnote/annex", messages=abroad)
        here = await client.chat.completions.create(model="footnote", messages=ASKED)
    async with client_of(library, default_headers={"Footnote-Workspace": "annex"}) as client:
        headed = await client.chat.completions.create(model="footnote", messages=abroad)
    for completion, ending in (
        (there, "/content?workspace=annex"),
        (headed, "/content?workspace=annex"),
        (here, "/content"),
    ):
        annotations = completion.choices[0].message.annotations
        assert annotations
        for annotation in annotations:
            url = annotation.url_citation.url
            assert url.endswith(ending)
            assert (await library.http.get(url)).status_code == 200


def test_a_link_names_the_workspace_in_a_form_that_addresses_can_hold() -> None:
    def links(page: int | None) -> list[str]:
        known = an_answer()
        cited = tuple(replace(each, page=page) for each in known.citations)
        found = annotations_of(replace(known, citations=cited), "http://h/", "a&b /ü")
        return [each["url_citation"]["url"] for each in found]  # type: ignore[index]

    [paged] = links(3)
    assert re.search(r"/pages/3\.png\?start=\d+&end=\d+&workspace=a%26b%20%2F%C3%BC$", paged)
    [plain] = links(None)
    assert plain.endswith("/content?workspace=a%26b%20%2F%C3%BC")


def test_a_person_reads_what_the_answer_had_to_do_without() -> None:
    notes = ("search: words alone", "answer: quoted without m, it is down", "answer: cut off")
    answer = replace(an_answer(), degraded=notes)
    completion = Completion(model="footnote", created=0, base_url="http://h/")
    body: dict[str, Any] = completion.whole(answer)
    content = body["choices"][0]["message"]["content"]
    assert content == f"{answer.text}\n\nNote: quoted without m, it is down\nNote: cut off"
    assert body["footnote"]["degraded"] == list(notes)


@pytest.mark.parametrize("notes", [("quoted, m is down",), ("cut off", "quoted,\nfor [1] fails")])
def test_a_note_is_no_part_of_what_was_said(notes: tuple[str, ...]) -> None:
    answer = replace(an_answer(), degraded=tuple(f"answer: {each}" for each in notes))
    body: dict[str, Any] = Completion(model="m", created=0, base_url="http://h/").whole(answer)
    shown = body["choices"][0]["message"]["content"]
    assert shown.startswith(f"{answer.text}\n\nNote: ")
    said = [("user", "Rent?"), ("assistant", shown), ("user", shown), ("user", "And then?")]
    question = question_of(said, ChatExtras())
    assert [each.text for each in question.conversation] == ["Rent?", answer.text, shown]
    # What comes back is never longer than what was said.
    alone = question_of([("assistant", "Note: cut off"), ("user", "And then?")], ChatExtras())
    assert alone.conversation == ()


@pytest.mark.parametrize(
    "text",
    ["Rent is 9. [1]\n\nNote: heating is extra. [2]", "Rent is 9.\n\nNote: a.\n\nPaid. [1]"],
    ids=["cited", "amid"],
)
def test_a_note_of_the_answer_itself_stays(text: str) -> None:
    question = question_of([("assistant", text), ("user", "And then?")], ChatExtras())
    assert [each.text for each in question.conversation] == [text]


async def test_a_stream_says_that_its_model_was_of_no_use(library: Library) -> None:
    with WireServer(respond=lambda _: says("Ships are blue.")) as model:
        settings = scripted(library.settings, model)
        async with (
            served(settings) as http,
            client_of(replace(library, http=http)) as client,
        ):
            chunks = await streamed(client)
            whole = await client.chat.completions.create(model="footnote", messages=ASKED)
    text = "".join(each.choices[0].delta.content or "" for each in chunks)
    assert text == whole.choices[0].message.content
    answer = (chunks[-1].model_extra or {})["footnote"]
    [note] = [each for each in answer["degraded"] if each.startswith("answer: ")]
    assert text == f"{answer['text']}\n\nNote: {note.removeprefix('answer: ')}"


async def test_a_model_that_is_not_there_is_not_found(library: Library) -> None:
    async with client_of(library) as client:
        for name in ("footnote/nobody", "gpt-5", "footnote/"):
            with pytest.raises(openai.NotFoundError) as raised:
                await client.chat.completions.create(model=name, messages=ASKED)
            assert raised.value.code == "model_not_found"
            assert raised.value.body == {
                "message": "There is no such model.",
                "type": "invalid_request_error",
                "param": "model",
                "code": "model_not_found",
            }
        with pytest.raises(openai.NotFoundError):
            await client.models.retrieve("footnote/nobody")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "system", "content": "x"}]}, "no text of a user"),
        ({"messages": [{"role": "user", "content": "x" * 10_001}]}, "10,001"),
        ({"messages": ASKED, "n": 2}, "n: "),
        ({"messages": ASKED, "stream": "yes"}, "stream: it must be true or false"),
        ({"messages": [{"role": "user", "content": 7}]}, "messages.0.content: it must be"),
        ({"messages": ASKED, "footnote": {"top": 1}}, "footnote.top"),
        ({"messages": ASKED, "footnote": {"plan": "nonsense"}}, "nonsense"),
        ({"messages": ASKED, "stream": True, "footnote": {"plan": "nonsense"}}, "nonsense"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
            "image_url",
        ),
        ({"messages": [{"role": "user", "content": "How\ud800?"}]}, "cannot be stored"),
        ({"messages": [{"role": "assistant", "content": "\udfff"}, *ASKED]}, "cannot be stored"),
    ],
    ids=[
        "empty",
        "no user",
        "long",
        "two",
        "stream",
        "kinds",
        "extra",
        "plan",
        "streamed plan",
        "image",
        "half a character",
        "half a character before",
    ],
)
async def test_a_wrong_request_is_an_error_in_their_shape(
    library: Library, body: dict[str, Any], said: str
) -> None:
    response = await library.http.post(
        "/openai/v1/chat/completions",
        content=json.dumps(body).encode(),  # httpx itself would refuse half of a character
        headers={"Content-Type": "application/json"},
    )
    assert response.status_code == 400
    error = response.json()["error"]
    assert error["type"] == "invalid_request_error"
    assert said in error["message"]


@pytest.mark.parametrize(
    ("content", "kind", "code", "said"),
    [
        (b"{", "application/json", "bad-request", "not JSON"),
        (b"[]", "application/json", "invalid-request", "must be a JSON object"),
        (b'"{}"', "application/json", "invalid-request", "must be a JSON object"),
        (b"", "application/json", "invalid-request", "required"),
        (b"{}", "text/plain", "invalid-request", "Content-Type: application/json"),
    ],
    ids=["no json", "array", "text", "empty", "type"],
)
async def test_no_json_object_is_an_error_in_their_shape(
    library: Library, content: bytes, kind: str, code: str, said: str
) -> None:
    response = await library.http.post(
        "/openai/v1/chat/completions", content=content, headers={"Content-Type": kind}
    )
    assert response.status_code == 400
    error = response.json()["error"]
    assert said in error.pop("message")
    assert error == {"type": "invalid_request_error", "param": None, "code": code}


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/openai/v1/embeddings"), ("PUT", "/openai/v1/chat/completions")],
)
async def test_what_a_workspace_cannot_do_is_an_error_in_their_shape(
    library: Library, method: str, path: str
) -> None:
    response = await library.http.request(method, path, json={})
    assert response.status_code == 404
    error = response.json()["error"]
    assert error["code"] == "unknown_url"
    assert f"there is no {method} {path} here" in error["message"]


@pytest.mark.parametrize("base", ["/openai/v1", "/v1"])
async def test_their_client_reads_what_there_is_not(library: Library, base: str) -> None:
    """Below /v1 too, where it is told from ours by how the path begins."""
    async with client_of(library, base) as client:
        for asked in (
            client.embeddings.create(model="footnote", input="x"),
            client.responses.create(model="footnote", input="x"),
            client.completions.create(model="footnote", prompt="x"),
            client.models.delete("footnote"),
            client.chat.completions.retrieve("chatcmpl-1"),
            client.chat.completions.list(),
            client.files.list(),
        ):
            with pytest.raises(openai.NotFoundError) as refused:
                await asked
            assert refused.value.code == "unknown_url"
            assert "there is no" in refused.value.message


@pytest.mark.parametrize("path", ["/v1/nothing", "/v1/documents/x/y/z", "/v2", "/v1/searching"])
async def test_an_unknown_path_of_ours_stays_a_problem(library: Library, path: str) -> None:
    response = await library.http.get(path)
    assert response.status_code == 404
    assert response.json()["type"] == "urn:footnote:problem:no-such-route"


async def test_a_defect_of_ours_is_an_error_in_their_shape() -> None:
    app = FastAPI()
    router = APIRouter(route_class=OpenAIRoute)

    @router.get("/broken")
    async def broken() -> None:
        raise KeyError("a secret")

    app.include_router(router)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        response = await client.get("/broken")
    assert response.status_code == 500
    assert response.json()["error"]["type"] == "server_error"
    assert "secret" not in response.text


def test_two_workspaces_at_once_are_refused() -> None:
    assert workspace_of("footnote/acme", "acme") == "acme"
    assert workspace_of("footnote", "acme") == "acme"
    assert workspace_of("footnote", None) is None
    with pytest.raises(Exception, match="names 'other'"):
        workspace_of("footnote/acme", "other")


def test_a_long_conversation_is_cut_and_never_refused() -> None:
    said = [("user", "q" * 30_000), ("assistant", "a")] * 200 + [
        ("user", "now?"),
        ("assistant", ""),
    ]
    question = question_of(said, ChatExtras())
    assert question.question == "now?"
    assert len(question.conversation) == 100
    assert max(len(turn.text) for turn in question.conversation) == 20_000


def test_footnotes_stand_at_their_statements() -> None:
    answer = an_answer()
    twice = Answer(
        question="?",
        found=True,
        sentences=(*answer.sentences, *answer.sentences),
        citations=answer.citations,
        evidence=answer.evidence,
        confidence=1.0,
    )
    places = [each["url_citation"] for each in annotations_of(twice, "http://127.0.0.1/")]
    texts = [twice.text[p["start_index"] : p["end_index"]] for p in places]  # type: ignore[index]
    assert texts == [f"{answer.sentences[0].text} [1]"] * 2
    assert places[0] != places[1]


UNANSWERED = "Who decides about the deductible for storm damage to a moored buoy?"


async def test_where_nothing_answers_the_closest_passage_stands_below_with_its_footnote(
    library: Library,
) -> None:
    messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": UNANSWERED}]
    async with client_of(library) as client:
        completion = await client.chat.completions.create(model="footnote", messages=messages)
        stream = await client.chat.completions.create(
            model="footnote", messages=messages, stream=True
        )
        chunks = [chunk async for chunk in stream]
    message = completion.choices[0].message
    assert message.content
    refusal, below = message.content.split("\n\n")
    assert refusal == "I could not find this in your documents."
    assert below.startswith("Closest passage: “The deductible for storm damage")
    assert below.endswith("” [1]")
    assert message.annotations
    (annotation,) = message.annotations
    place = annotation.url_citation
    assert message.content[place.start_index : place.end_index] == below
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert "".join(delta.content or "" for delta in deltas) == message.content
    noted = [(delta.model_extra or {}).get("annotations") for delta in deltas]
    assert [len(each) for each in noted if each] == [1]


def test_the_closest_passage_is_taken_off_what_a_front_end_sends_back() -> None:
    answer = unanswered()
    content = Completion(model="footnote", created=0, base_url="http://x/").whole(answer)
    said = content["choices"][0]["message"]["content"]  # type: ignore[index]  # JSON
    assert said.endswith("Note: words alone")
    assert without_notes(said) == answer.text


def test_what_documents_do_not_agree_about_stands_below_and_is_taken_off_again() -> None:
    answer = contested()
    completion = Completion(model="footnote", created=0, base_url="http://x/")
    message = completion.whole(answer)["choices"][0]["message"]  # type: ignore[index]  # JSON
    said = message["content"]
    below = "The documents disagree about Acme – employs: “450 people” [1]; “470 people” [2]"
    assert said == f"{answer.text}\n\n{below}\n\nNote: words alone"
    places = [each["url_citation"] for each in message["annotations"]]
    texts = [said[each["start_index"] : each["end_index"]] for each in places]
    assert texts == [answer.text, below, below]
    assert without_notes(said) == answer.text
