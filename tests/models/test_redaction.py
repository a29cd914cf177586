"""No personal data leaves for a hosted model, whichever it is; its replies have it again."""

from __future__ import annotations

import ast
import inspect
import io
import json
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from pathlib import Path
from uuid import uuid4

import pytest

import footnote
from footnote.domain import ToolCalled, ToolReturned, Turn
from footnote.domain.redaction import NOTHING, PersonalData, Redaction
from footnote.errors import DocumentUnreadable, ModelUnavailable
from footnote.models.embedder_specs import parse_spec
from footnote.models.embedders import EmbedderChoices, open_hosted
from footnote.models.judge import LanguageModelJudge
from footnote.models.judge_vertex import vertex_judge
from footnote.models.language import language_model_from, vision_model_from
from footnote.models.rerank_http import ApiName, http_reranker
from footnote.models.rerank_transport import fixed_token
from footnote.models.rerank_vertex import vertex_reranker
from footnote.models.served import ServedModel
from footnote.models.transcription import transcriber_from
from footnote.ports import AgentLimits, Tool, WrittenText
from tests.ingestion.files import picture
from tests.wire import WireServer, calls, says

from .answering import models_at
from .embedding_server import DIMENSIONS, embedding_server, texts_of
from .openai_server import OpenAiServer
from .openai_server import says as replies
from .personal import LETTER, PLACED, VALUES, personal_in, redacting, text_only
from .rerank_server import KEY, Reply, rerank_server
from .transcription_server import TranscriptionServer, heard

EMAIL, IBAN = VALUES[PersonalData.EMAIL], VALUES[PersonalData.IBAN]
VENDORS = ("openai:gpt-4o-mini", "anthropic:claude-haiku-4-5", "compatible:qwen3")
PLAIN = "The rent of 1,234.50 EUR is due on 3 March 2024 [1]. «Ja», sagt § 4; 租金 900。"


async def written(server: WireServer, name: str, prompt: str) -> tuple[str, list[str]]:
    async with models_at(server, name) as models:
        writer = models.writer()
        assert writer is not None
        pieces = [piece.text async for piece in writer(f"Be brief. {EMAIL}", prompt)]
    return "".join(pieces), pieces


@pytest.mark.parametrize("name", VENDORS)
@pytest.mark.parametrize("cut", [1, 3, 8, 12])
async def test_a_written_answer_has_what_its_placeholders_stand_for(
    wire_server: WireServer, name: str, cut: int
) -> None:
    said = "She is at [EMAIL_1], pays from [IBAN_1] [1], and [EMAIL_7] is nobody [EM"
    wire_server.script(says(*(said[at : at + cut] for at in range(0, len(said), cut))))
    with redacting():
        text, pieces = await written(wire_server, name, LETTER)
    assert text == f"She is at {EMAIL}, pays from {IBAN} [1], and [EMAIL_7] is nobody [EM"
    assert len(pieces) > 3  # it still comes in pieces
    [asked] = wire_server.asked
    assert personal_in(asked.payload) == []
    assert (asked.prompt, asked.instructions) == (PLACED, "Be brief. [EMAIL_1]")


@pytest.mark.parametrize("name", VENDORS)
async def test_a_text_without_personal_data_is_sent_byte_for_byte(
    wire_server: WireServer, name: str
) -> None:
    wire_server.script(says("May."), says("May."))
    async with models_at(wire_server, name) as models:
        writer = models.writer()
        assert writer is not None
        for redaction in (NOTHING, text_only()):
            with redacting(redaction):
                assert [piece async for piece in writer("Be brief.", PLAIN)]
    without, within = wire_server.asked
    assert json.dumps(without.payload) == json.dumps(within.payload)


async def test_without_redaction_everything_is_sent_as_it_is(wire_server: WireServer) -> None:
    wire_server.script(says("It is [EMAIL_1]."))
    with redacting(NOTHING):
        text, _ = await written(wire_server, VENDORS[0], LETTER)
    assert text == "It is [EMAIL_1]."
    assert wire_server.asked[0].prompt == LETTER


async def test_only_the_kinds_that_are_chosen_are_redacted(wire_server: WireServer) -> None:
    wire_server.script(says("So be it."))
    with redacting(text_only(PersonalData.EMAIL, PersonalData.CARD)):
        await written(wire_server, VENDORS[0], LETTER)
    sent = wire_server.asked[0].prompt
    assert sent == LETTER.replace(EMAIL, "[EMAIL_1]").replace(VALUES[PersonalData.CARD], "[CARD_1]")


@pytest.mark.parametrize("name", VENDORS[:2])
async def test_an_agent_asks_tools_by_true_values_and_reads_placeholders(
    wire_server: WireServer, name: str
) -> None:
    called: list[Mapping[str, object]] = []

    async def search(arguments: Mapping[str, object]) -> str:
        called.append(arguments)
        return json.dumps({"from": EMAIL, "phone": "+44 20 7946 0958", "card": 4111111111111111})

    tool = Tool(
        name="search",
        description=f"Asks {EMAIL}.",
        parameters={"type": "object", "properties": {"query": {"type": "string"}}},
        call=search,
    )
    wire_server.script(
        calls("search", '{"query": "who is [EMAIL_1] at [IBAN_1]?"}'),
        says("It is [EM", "AIL_1], at [PHONE_2]."),
    )
    with redacting():
        async with models_at(wire_server, name) as models:
            agent = models.agent()
            assert agent is not None
            events = agent(
                "Answer.",
                (Turn(role="user", text=f"I am {EMAIL}"), Turn(role="assistant", text=IBAN)),
                LETTER,
                tools=[tool],
                servers=(),
                bounds=AgentLimits(steps=4, seconds=20.0),
            )
            async with aclosing(events):
                told = [event async for event in events]
    assert called == [{"query": f"who is {EMAIL} at {IBAN}?"}]
    [asked] = [event for event in told if isinstance(event, ToolCalled)]
    assert json.loads(asked.arguments) == called[0]
    [returned] = [event for event in told if isinstance(event, ToolReturned)]
    assert EMAIL in returned.result
    text = "".join(event.text for event in told if isinstance(event, WrittenText))
    assert text == f"It is {EMAIL}, at +44 20 7946 0958."
    assert len(wire_server.asked) == 2
    for request in wire_server.asked:
        assert personal_in(request.payload) == []
    [result] = wire_server.asked[1].tool_results
    assert result == '{"from": "[EMAIL_1]", "phone": "[PHONE_2]", "card": [CARD_2]}'


async def test_a_language_model_and_a_judge_by_one_are_sent_placeholders() -> None:
    with OpenAiServer(replies("Ask [EMAIL_1]."), replies("1: 90")) as server, redacting():
        model = language_model_from("compatible", server.url, KEY, 30.0, 64)
        assert await model("Rewrite.", LETTER) == f"Ask {EMAIL}."
        assert await LanguageModelJudge(model=model)([LETTER], [LETTER]) == [0.9]
        await model.close()
    assert len(server.asked) == 2
    for asked in server.asked:
        assert personal_in(asked.payload) == []
    assert server.asked[0].prompt == PLACED


@pytest.mark.parametrize("kind", ["cohere", "jina", "voyage", "tei"])
async def test_rerankers_are_sent_one_placeholder_for_query_and_texts(kind: ApiName) -> None:
    async with rerank_server() as server:
        reranker = http_reranker(kind, model="", url=server.url, api_key=KEY, timeout_seconds=30)
        with redacting():
            near, far = await reranker(f"who is {EMAIL}", [LETTER, "penguins"])
        await reranker.close()
    assert near > far
    [request] = server.received
    assert personal_in(request.body) == []
    assert request.body["query"] == "who is [EMAIL_1]"
    assert PLACED in json.dumps(request.body)


async def test_google_is_sent_placeholders_to_rank_and_to_judge() -> None:
    token = fixed_token(KEY)
    async with rerank_server() as server:
        reranker = vertex_reranker(project="a", token=token, timeout_seconds=30, url=server.url)
        judge = vertex_judge(project="a", token=token, timeout_seconds=30, url=server.url)
        with redacting():
            await reranker(f"who is {EMAIL}", [LETTER])
            server.replies.append(Reply(body=b'{"supportScore": 0.5}'))
            assert await judge([LETTER], [LETTER]) == [0.5]
        await reranker.close()
        await judge.close()
    assert [personal_in(request.body) for request in server.received] == [[], []]


@pytest.mark.parametrize("embeddings", [True, False])
async def test_embedders_are_sent_placeholders_unless_it_is_said_otherwise(
    embeddings: bool,
) -> None:
    texts = [LETTER, f"Bob is bob@example.com, not {EMAIL}", PLAIN]
    with embedding_server() as server:
        choices = EmbedderChoices(models_folder=Path("unused"))
        embedder = await open_hosted(
            parse_spec(f"compatible:served#{DIMENSIONS}@{server.url}"), choices
        )
        with redacting(Redaction(kinds=frozenset(PersonalData), embeddings=embeddings)):
            vectors = await embedder.embed_documents(texts)
            await embedder.embed_query(f"mail of {EMAIL}")
        await embedder.close()
    sent = [text for asked in server.asked for text in texts_of(asked)]
    assert len(vectors) == 3
    expected = [PLACED, "Bob is [EMAIL_1], not [EMAIL_2]", PLAIN, "mail of [EMAIL_1]"]
    assert sent == (expected if embeddings else [*texts, f"mail of {EMAIL}"])


async def test_a_picture_is_refused_rather_than_sent() -> None:
    content = picture(["alice@example.com"])
    with OpenAiServer(replies("a chart of [EMAIL_1]")) as server:
        model = vision_model_from("compatible", server.url, KEY, 30.0, 64)
        for _ in range(9):  # it says nothing of the model's health
            with redacting(), pytest.raises(ModelUnavailable, match="cannot be redacted") as caught:
                await model(content, "image/png")
            assert "FOOTNOTE_REDACT_MEDIA" in (caught.value.hint or "")
        assert server.asked == []
        with redacting(text_only()):
            assert await model(content, "image/png") == "a chart of [EMAIL_1]"
        await model.close()


async def test_no_model_is_sent_a_picture_that_must_not_be(wire_server: WireServer) -> None:
    model = language_model_from("x", wire_server.openai_url, KEY, 30.0, 64)
    from pydantic_ai.messages import BinaryContent, ModelRequest, UserPromptPart  # noqa: PLC0415

    picture_part = BinaryContent(data=picture(["x"]), media_type="image/png")
    message = ModelRequest(parts=[UserPromptPart(content=["Look", picture_part])])
    with redacting(), pytest.raises(ModelUnavailable, match="cannot be redacted"):
        await model.reply(message)
    await model.close()
    assert wire_server.asked == []


async def test_a_recording_is_refused_rather_than_sent() -> None:
    with TranscriptionServer(heard((0, 1, "hello"))) as server:
        transcriber = transcriber_from(
            served=ServedModel(name="openai", url=server.url),
            api_key=KEY,
            timeout_seconds=30,
            max_bytes=1000,
        )
        recording = io.BytesIO(b"RIFF")
        with redacting(), pytest.raises(DocumentUnreadable, match="cannot be redacted"):
            await transcriber(recording, "audio/wav", workspace_id=uuid4())
        assert server.posted == []
        with redacting(text_only()):
            heard_of = await transcriber(recording, "audio/wav", workspace_id=uuid4())
        assert [each.text for each in heard_of.utterances] == ["hello"]
        await transcriber.close()


# What reaches the network, and why no personal data leaves by it for a model.
NETWORK = {
    "anthropic",
    "aiohttp",
    "boto3",
    "botocore",
    "google",
    "httpx",
    "httpx2",
    "mcp",
    "openai",
    "pydantic_ai",
    "requests",
    "urllib.request",
    "websockets",
}
CHAT = "asks through RedactingModel"
REACHING = {
    "models.agent_loop": CHAT,
    "models.agent_tools": "shapes tools, asks nothing",
    "models.answer_failures": "names errors",
    "models.answer_writing": CHAT,
    "models.embed_vendor": "asked by HostedEmbedder alone, which redacts",
    "models.google_token": "sends no text",
    "models.mcp_toolset": "asks tools of the workspace's own choice, not a model",
    "models.redacted_chat": "is RedactingModel",
    "models.rerank_transport": "JsonEndpoint redacts what it posts",
    "models.transcription": "refuses to send recordings",
    "models.vision": "refuses to send pictures",
    "models.writing": CHAT,
    "telemetry.switching": "notes calls; their content by choice alone, for the operator",
}


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def test_whatever_reaches_the_network_for_a_model_is_known_to_redact() -> None:
    root = Path(inspect.getfile(footnote)).parent
    reaching = {
        ".".join(path.relative_to(root).with_suffix("").parts)
        for path in root.rglob("*.py")
        for name in imports_of(path)
        if name.split(".")[0] in NETWORK or name in NETWORK
    }
    elsewhere = {
        name
        for name in reaching
        if name.split(".")[0] in {"interfaces", "store", "security", "jobs", "ingestion", "engine"}
    }
    assert reaching - elsewhere == set(REACHING)
    # Beside models: identity providers, keys, webhooks, sources and tools for other frameworks.
    assert not {name for name in elsewhere if "model" in name}


def test_every_language_model_is_made_behind_the_redaction() -> None:
    root = Path(inspect.getfile(footnote)).parent / "models"
    makers = [
        path
        for path in root.rglob("*.py")
        if "writing.model_named(" in path.read_text()
        or "writing.compatible_model(" in path.read_text()
        or "writing.vendor_model(" in path.read_text()
    ]
    assert {path.stem for path in makers} == {"language", "answer_models"}
    assert all("RedactingModel(" in path.read_text() for path in makers)
