"""Models and MCP servers are chosen over HTTP and on the command line."""

from __future__ import annotations

import json

from footnote.settings import Settings, settings_from
from tests.interfaces.serving import environment, footnote, served

URL = "http://93.184.215.14/mcp"
MODELS = "qwen3@http://127.0.0.1:9/v1,llama3@http://127.0.0.1:9/v1"
KEY = {"Authorization": "Bearer very-secret"}


async def test_models_and_servers_over_http(settings: Settings) -> None:
    configured = {"answer_models": MODELS}
    async with served(settings_from(settings, configured)) as client:
        shown = (await client.get("/v1/models")).json()
        assert (shown.pop("object"), [each["id"] for each in shown.pop("data")]) == (
            *("list", ["footnote"]),
        )
        assert shown == {
            "configured": ["qwen3", "llama3"],
            "chosen": None,
            "used": ["qwen3", "llama3"],
        }
        chosen = await client.put("/v1/models", json={"use": ["llama3"]})
        assert (chosen.status_code, chosen.json()["used"]) == (200, ["llama3"])
        quotes = (await client.put("/v1/models", json={"use": ["extractive"]})).json()
        assert (quotes["chosen"], quotes["used"]) == (["extractive"], ["extractive"])
        refused = await client.put("/v1/models", json={"use": ["gpt-9"]})
        assert refused.status_code == 422
        assert "no answer model is called 'gpt-9'" in refused.json()["detail"]
        assert (await client.delete("/v1/models")).json() == shown

        server = {"name": "tickets", "url": URL, "headers": KEY}
        added = await client.post("/v1/mcp-servers", json=server)
        expected = {"name": "tickets", "url": URL, "header_names": ["Authorization"]}
        assert (added.status_code, added.json()) == (201, expected)
        assert (await client.post("/v1/mcp-servers", json=server)).status_code == 409
        private = {"name": "mine", "url": "http://127.0.0.1/mcp"}
        assert (await client.post("/v1/mcp-servers", json=private)).status_code == 422
        listed = await client.get("/v1/mcp-servers")
        assert listed.json() == {"mcp_servers": [expected]}
        assert (await client.delete("/v1/mcp-servers/tickets")).status_code == 204
        gone = await client.delete("/v1/mcp-servers/tickets")
        assert gone.status_code == 404
        for answer in (added, listed, gone):
            assert "very-secret" not in answer.text


async def test_models_and_servers_on_the_command_line(settings: Settings) -> None:
    env = environment(
        settings,
        FOOTNOTE_ANSWER_MODELS=MODELS,
    )
    used = await footnote(env, "models", "use", "llama3,qwen3")
    assert used.out.index("llama3") < used.out.index("qwen3")
    shown = await footnote(env, "models", "show", "--json")
    assert json.loads(shown.out)["chosen"] == ["llama3", "qwen3"]

    header = "Authorization: Bearer very-secret"
    added = await footnote(env, "mcp-servers", "add", "tickets", URL, "--header", header)
    assert (added.code, "very-secret" in added.out) == (0, False)
    listed = await footnote(env, "mcp-servers", "list", "--json")
    assert json.loads(listed.out) == {
        "mcp_servers": [{"name": "tickets", "url": URL, "header_names": ["Authorization"]}]
    }
    wrong = await footnote(env, "mcp-servers", "add", "more", URL, "--header", "very-secret")
    assert (wrong.code, "very-secret" in wrong.err) == (2, False)
    assert (await footnote(env, "mcp-servers", "remove", "absent")).code == 3
    removed = await footnote(env, "mcp-servers", "remove", "tickets")
    assert removed.out == "Removed the MCP server tickets.\n"
