"""Conversations over HTTP and on the command line."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.interfaces.conftest import Library, but_for_ids
from tests.interfaces.serving import environment, footnote, footnote_process

CLAIM = "How soon must a claim be reported to the insurer?"
ABSENT = "5b0f7f5e-3c1d-4f64-8f0a-2d9f4c6f7a10"


async def begun(http: httpx.AsyncClient, **wants: object) -> str:
    made = await http.post("/v1/conversations", json=wants)
    assert made.status_code == 201, made.text
    assert made.headers["Location"] == f"/v1/conversations/{made.json()['conversation_id']}"
    return str(made.json()["conversation_id"])


async def test_a_title_that_nobody_sees_is_none_and_such_a_question_is_refused(
    library: Library,
) -> None:
    begun_untitled = await begun(library.http, title="\u200b\u202e")
    at = f"/v1/conversations/{begun_untitled}"
    empty = await library.http.post(f"{at}/messages", json={"question": "\u200b\u202e"})
    assert (empty.status_code, empty.json()["detail"]) == (422, "the query is empty")
    empty = await library.http.post("/v1/answers", json={"question": "\u200b"})
    assert (empty.status_code, empty.json()["detail"]) == (422, "the query is empty")
    assert (await library.http.patch(at, json={"title": "\u200b"})).status_code == 422
    await asked(library.http, begun_untitled, CLAIM)
    assert (await library.http.get(at)).json()["title"] == CLAIM


async def asked(http: httpx.AsyncClient, conversation: str, question: str) -> dict[str, Any]:
    answer = await http.post(
        f"/v1/conversations/{conversation}/messages", json={"question": question}
    )
    assert answer.status_code == 200, answer.text
    exchange: dict[str, Any] = answer.json()
    return exchange


async def test_a_conversation_is_walked_through(library: Library) -> None:
    http = library.http
    mine = await begun(http)
    at = f"/v1/conversations/{mine}"
    exchange = await asked(http, mine, CLAIM)
    assert "within 14 days" in exchange["reply"]["text"]
    assert exchange["reply"]["answer"]["citations"][0]["filename"].startswith("policy")
    assert exchange["evidence"][0]["rank"] == 1

    follow_up = await asked(http, mine, "What about storm damage?")
    reply = follow_up["reply"]
    assert reply["answer"]["asked_as"] != "What about storm damage?"

    message = f"{at}/messages/{reply['message_id']}"
    for thumb in ("down", "up"):
        judged = await http.put(f"{message}/feedback", json={"thumb": thumb, "comment": "so"})
        assert judged.json()["feedback"]["thumb"] == thumb
    assert (await http.delete(f"{message}/feedback")).status_code == 204

    again = await http.post(f"{message}/regenerate", json={"plan": "fast"})
    assert again.json()["question"]["message_id"] == follow_up["question"]["message_id"]
    edited = await http.patch(
        f"{at}/messages/{follow_up['question']['message_id']}",
        json={"question": "How is the premium paid?"},
    )
    assert "bank transfer" in edited.json()["reply"]["text"]

    page = (await http.get(f"{at}/messages", params={"limit": 3})).json()
    rest = (await http.get(f"{at}/messages", params={"cursor": page["next_cursor"]})).json()
    said = [each["text"] for each in (*page["messages"], *rest["messages"])]
    assert said[0::2] == [CLAIM, "How is the premium paid?"]
    assert rest["next_cursor"] is None
    other = (await http.post("/v1/conversations", json={})).json()["conversation_id"]
    of_another = {"cursor": page["next_cursor"]}
    refused = await http.get(f"/v1/conversations/{other}/messages", params=of_another)
    assert refused.status_code == 422
    assert "the cursor is not one we gave" in refused.text
    second = str(page["messages"][1]["message_no"])
    later = (await http.get(f"{at}/messages", params={"cursor": second})).json()
    assert [each["text"] for each in later["messages"]] == said[2:]
    everything = (await http.get(f"{at}/messages", params={"branches": "true"})).json()
    assert len(everything["messages"]) == 7
    back = await http.post(f"{message}/activate")
    assert [each["message_id"] for each in back.json()["messages"]][-1] == reply["message_id"]

    found = (await http.get(at)).json()
    assert found["title"] == CLAIM
    assert (await http.patch(at, json={"title": "Claims"})).json()["title"] == "Claims"
    listed = (await http.get("/v1/conversations", params={"limit": 1})).json()
    assert listed["conversations"][0]["title"] == "Claims"

    whole = (await http.get(f"{at}/export")).json()
    assert len(whole["messages"]) == 7
    markdown = await http.get(f"{at}/export", params={"format": "markdown"})
    assert markdown.headers["content-type"].startswith("text/markdown")
    assert markdown.text.startswith("# Claims\n")
    assert "[^1-1]: " in markdown.text

    assert (await http.delete(at)).status_code == 204
    assert (await http.get(at)).status_code == 404


async def test_an_answer_is_told_as_it_is_made_and_then_kept(library: Library) -> None:
    mine = await begun(library.http)
    at = f"/v1/conversations/{mine}/messages"
    told = await library.http.post(at, json={"question": CLAIM, "stream": True})
    assert told.headers["content-type"].startswith("text/event-stream")
    names = [line[7:] for line in told.text.splitlines() if line.startswith("event: ")]
    assert (names[0], names[-1]) == ("sources", "done")
    question, reply = (await library.http.get(at)).json()["messages"]
    assert told.headers["Footnote-Question-Id"] == question["message_id"]
    assert told.headers["Footnote-Reply-Id"] == reply["message_id"]


async def test_a_question_that_cannot_be_kept_is_refused(library: Library) -> None:
    http = library.http
    mine = await begun(http)
    question = (await asked(http, mine, CLAIM))["question"]["message_id"]
    at = f"/v1/conversations/{mine}/messages"
    for stream in (False, True):
        for method, path in (("POST", at), ("PATCH", f"{at}/{question}")):
            for text, why in (
                (b"a\\u0000b", "a character that cannot be stored"),
                (b"a\\ud800b", "a character that cannot be stored"),
            ):
                answer = await http.request(
                    method,
                    path,
                    content=b'{"question": "%s", "stream": %s}'
                    % (text, json.dumps(stream).encode()),
                    headers={"Content-Type": "application/json"},
                )
                assert answer.status_code == 422, answer.text
                [wrong] = answer.json()["errors"]
                assert wrong["where"] == "body.question"
                assert why in wrong["message"]
    assert len((await http.get(at)).json()["messages"]) == 2


async def test_a_body_of_nothing_may_be_left_out(library: Library) -> None:
    http = library.http
    made = await http.post("/v1/conversations")
    assert made.status_code == 201, made.text
    assert made.json()["document_mode"] == "first"
    mine = made.json()["conversation_id"]
    reply = (await asked(http, mine, CLAIM))["reply"]["message_id"]
    again = await http.post(f"/v1/conversations/{mine}/messages/{reply}/regenerate")
    assert again.status_code == 200, again.text
    assert "14 days" in again.json()["reply"]["text"]


@pytest.mark.parametrize("nothing", [{}, {"title": None, "document_mode": None}])
async def test_a_change_of_nothing_leaves_it_as_it_was(
    library: Library, nothing: dict[str, None]
) -> None:
    at = f"/v1/conversations/{await begun(library.http, title='Mine')}"
    before = (await library.http.get(at)).json()
    assert (await library.http.patch(at, json=nothing)).json() == before
    absent = f"{at}/documents/{ABSENT}"
    assert (await library.http.delete(absent)).json() == before
    missing = await library.http.patch(f"/v1/conversations/{ABSENT}", json=nothing)
    assert missing.status_code == 404


async def test_a_key_makes_repeating_safe(library: Library) -> None:
    key = {"Idempotency-Key": uuid4().hex}
    made = [
        (await library.http.post("/v1/conversations", json={}, headers=key)).json()
        for _ in range(2)
    ]
    assert made[0] == made[1]
    at = f"/v1/conversations/{made[0]['conversation_id']}/messages"
    replies = [
        (await library.http.post(at, json={"question": CLAIM}, headers=key)).json()["reply"]
        for _ in range(2)
    ]
    assert replies[0] == replies[1]
    other = await library.http.post(at, json={"question": "When?"}, headers=key)
    assert other.status_code == 409


async def test_a_key_makes_asking_otherwise_and_answering_again_safe_to_repeat(
    library: Library,
) -> None:
    http, key = library.http, {"Idempotency-Key": uuid4().hex}
    mine = await begun(http)
    exchange = await asked(http, mine, CLAIM)
    at = f"/v1/conversations/{mine}/messages"
    edit = f"{at}/{exchange['question']['message_id']}"
    again = f"{at}/{exchange['reply']['message_id']}/regenerate"
    for method, path, body in (("PATCH", edit, {"question": "When?"}), ("POST", again, {})):
        made = await asyncio.gather(
            *(http.request(method, path, json=body, headers=key) for _ in range(2))
        )
        made.append(await http.request(method, path, json=body, headers=key))
        assert [each.status_code for each in made] == [200] * 3
        assert len({each.json()["reply"]["message_id"] for each in made}) == 1
        assert len({each.json()["question"]["message_id"] for each in made}) == 1
    kept = (await http.get(at, params={"branches": True})).json()["messages"]
    assert len(kept) == 5  # a question and its answer, the same for the other, one answer more
    other = await http.patch(edit, json={"question": "Where?"}, headers=key)
    assert other.status_code == 409


async def test_documents_are_attached_and_detached(library: Library) -> None:
    http = library.http
    minutes = library.ids["minutes.md"]
    mine = await begun(http, document_mode="only", document_ids=[minutes])
    at = f"/v1/conversations/{mine}"
    exchange = await asked(http, mine, CLAIM)
    assert {each["document_id"] for each in exchange["evidence"]} <= {minutes}
    policy = f"{at}/documents/{library.ids['policy.md']}"
    for _ in range(2):
        assert (await http.put(policy)).json()["document_ids"] == [
            minutes,
            library.ids["policy.md"],
        ]
    assert "14 days" in (await asked(http, mine, CLAIM))["reply"]["text"]
    for _ in range(2):
        assert (await http.delete(policy)).json()["document_ids"] == [minutes]
    foreign = await http.put(f"{at}/documents/{library.ids['annex.md']}")
    absent = await http.put(f"{at}/documents/{ABSENT}")
    assert foreign.status_code == absent.status_code == 404
    assert but_for_ids(foreign) == but_for_ids(absent)


async def test_what_is_elsewhere_and_what_is_absent_look_the_same(library: Library) -> None:
    http, annex = library.http, {"Footnote-Workspace": "annex"}
    mine = await begun(http)
    reply = (await asked(http, mine, CLAIM))["reply"]["message_id"]
    question = {"question": "When?"}
    for method, path, body in (
        ("GET", "", None),
        ("PATCH", "", {"title": "x"}),
        ("DELETE", "", None),
        ("GET", "/export", None),
        ("GET", "/messages", None),
        ("POST", "/messages", question),
        ("PATCH", f"/messages/{reply}", question),
        ("POST", f"/messages/{reply}/regenerate", {}),
        ("POST", f"/messages/{reply}/activate", None),
        ("PUT", f"/messages/{reply}/feedback", {"thumb": "up"}),
        ("DELETE", f"/messages/{reply}/feedback", None),
        ("DELETE", f"/documents/{ABSENT}", None),
    ):
        answers = [
            await http.request(method, f"/v1/conversations/{each}{path}", json=body, headers=annex)
            for each in (mine, ABSENT)
        ]
        assert [each.status_code for each in answers] == [404, 404], (method, path)
        assert but_for_ids(answers[0]) == but_for_ids(answers[1])
    listed = await http.get("/v1/conversations", headers=annex)
    assert listed.json() == {"conversations": [], "next_cursor": None, "matches": []}


# --- the command line -------------------------------------------------------------------------


async def several(library: Library, *commands: tuple[str, ...]) -> list[str]:
    """What each of the commands prints."""
    env = environment(library.settings)
    ended = [await footnote(env, *arguments) for arguments in commands]
    assert [each.code for each in ended] == [0] * len(ended)
    return [each.out for each in ended]


async def test_one_bad_line_does_not_end_a_chat(library: Library) -> None:
    env = environment(library.settings)
    talked = await footnote(env, "chat", stdin=f"\0\n{CLAIM}\n".encode())
    assert talked.code != 0
    assert "Error:" in talked.err
    assert "within 14 days of the loss" in talked.out


async def test_a_line_that_is_no_text_is_refused_by_itself(library: Library) -> None:
    env, asked = environment(library.settings), b"a\xff\xfe\n" + f"{CLAIM}\n".encode()
    for talked in (
        await footnote(env, "chat", "--json", stdin=asked),
        await footnote_process(env | {"LC_ALL": "C.UTF-8"}, "chat", "--json", stdin=asked),
    ):
        assert talked.code == 2, talked.err
        refused, answered = map(json.loads, talked.out.splitlines())
        assert refused["question"] == "a\ufffd\ufffd\n"
        assert refused["error"]["message"] == "the line is not UTF-8: its byte 2 is 0xFF"
        assert "UTF-8" in refused["error"]["hint"]
        assert (answered["question"], answered["found"]) == (CLAIM, True)
    shown = await footnote(env, "chat", stdin=asked)
    assert "Error: the line is not UTF-8: its byte 2 is 0xFF" in shown.err
    assert "within 14 days of the loss" in shown.out


async def test_a_line_longer_than_a_question_is_refused_by_itself(library: Library) -> None:
    env, long = environment(library.settings), b"\0" * 50_000
    talked = await footnote(env, "chat", "--json", stdin=long + f"\n{CLAIM}\n".encode())
    assert talked.code == 2, talked.err
    refused, answered = map(json.loads, talked.out.splitlines())
    assert refused["error"]["message"] == "the line has more than 10,000 characters"
    assert len(refused["question"]) < 10_010
    assert (answered["question"], answered["found"]) == (CLAIM, True)
    shown = await footnote(env, "chat", stdin=b"a" * 10_001)
    assert shown.code == 2
    assert "Error: the line has more than 10,000 characters" in shown.err


async def test_a_line_with_no_end_in_sight_ends_a_chat(library: Library) -> None:
    asked = b"\0" * 10_100_000 + f"\n{CLAIM}\n".encode()
    talked = await footnote(environment(library.settings), "chat", stdin=asked)
    assert talked.code == 2
    assert "Error: a line of the input has more than 10,002,000 characters" in talked.err
    assert "within 14 days of the loss" not in talked.out


async def test_the_longest_question_may_have_a_line_of_its_own(library: Library) -> None:
    asked = CLAIM.ljust(10_000, "?") + "\n"
    talked = await footnote(environment(library.settings), "chat", "--json", stdin=asked.encode())
    assert talked.code == 0, talked.out[-300:]


async def test_a_chat_by_a_plan_that_is_not_there_does_not_begin(library: Library) -> None:
    talked = await footnote(environment(library.settings), "chat", "--plan", "z", stdin=b"")
    assert talked.code == 2
    assert "there is no plan 'z'" in talked.err
    assert "balanced, fast, thorough" in talked.err


async def test_a_chat_says_each_answer_as_a_line_of_json(library: Library) -> None:
    env = environment(library.settings)
    asked = f"{CLAIM}\n\0\nAnd by email?\n".encode()
    talked = await footnote(env, "chat", "--json", stdin=asked)
    assert talked.code != 0
    first, refused, second = map(json.loads, talked.out.splitlines())
    assert (first["question"], first["asked_as"]) == (CLAIM, None)
    assert first["citations"]
    assert second["question"] == "And by email?"
    assert "claim be reported" in second["asked_as"]
    assert refused["error"]["code"] == "invalid-request"
    assert len({each["conversation_id"] for each in (first, refused, second)}) == 1
    shown = await footnote(env, "chat", stdin=f"{CLAIM}\nAnd by email?\n".encode())
    assert talked.out.count("asked_as") == 2
    assert f"Asked as “{second['asked_as']}”." in " ".join(shown.out.split())


async def test_a_chat_goes_on_on_the_command_line(library: Library) -> None:
    env, minutes = environment(library.settings), library.ids["minutes.md"]
    alone = await footnote(env, "chat", "--only", stdin=b"What about storms?")
    assert (alone.code, "--document" in alone.err) == (2, True)
    assert "--conversation" not in alone.err
    talked = await footnote(env, "chat", stdin=f"{CLAIM}\n\nWhat about storm damage?\n".encode())
    assert talked.code == 0, talked.err
    assert "within 14 days of the loss" in talked.out
    assert "(policy" in talked.out
    mine = talked.err.split("--conversation ")[1].split()[0]
    more = await footnote(
        *(env, "chat", "--conversation", mine, "--document", minutes, "--only", "--plan", "fast"),
        *("--top-k", "3"),
        stdin=b"When is the next buoy launched?",
    )
    assert more.code == 0, more.err
    messages = (await library.http.get(f"/v1/conversations/{mine}/messages")).json()["messages"]
    assert [each["role"] for each in messages] == ["user", "assistant"] * 3
    assert {each["document_id"] for each in messages[-1]["answer"]["evidence"]} <= {minutes}
    reply = messages[1]["message_id"]
    listed, given, lines, shown_again, markdown, as_json, renamed, removed = await several(
        library,
        ("conversations", "list", "--json"),
        ("feedback", "give", mine, reply, "up", "--comment", "right", "--json"),
        ("feedback", "export", "--down"),
        ("conversations", "show", mine),
        ("conversations", "export", mine),
        ("conversations", "export", mine, "--format", "json"),
        ("conversations", "rename", mine, "Claims"),
        ("conversations", "delete", mine, "--json"),
    )
    by_id = {each["conversation_id"]: each for each in json.loads(listed)["conversations"]}
    assert (by_id[mine]["title"], by_id[mine]["document_mode"]) == (CLAIM, "only")
    assert json.loads(given)["feedback"]["comment"] == "right"
    assert reply in [json.loads(line)["id"] for line in lines.splitlines()]
    assert f"> {CLAIM}" in shown_again
    assert f"{reply} · up" in shown_again
    assert markdown.startswith("# How soon")
    assert len(json.loads(as_json)["messages"]) == 6
    assert renamed == "Claims\n"
    assert json.loads(removed)["title"] == "Claims"
    assert (await library.http.get(f"/v1/conversations/{mine}")).status_code == 404
