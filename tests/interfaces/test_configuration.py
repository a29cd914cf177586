"""Settings of a workspace over HTTP, by the clients and on the command line."""

from __future__ import annotations

import json

import pytest

import footnote
from footnote.domain import Role
from footnote.domain.configuration import SettingSource
from footnote.engine import Engine
from footnote.errors import InvalidRequest, NotFound
from footnote.settings import PER_WORKSPACE, Settings, settings_from
from tests.interfaces.serving import environment, served
from tests.interfaces.serving import footnote as command


async def test_a_setting_is_changed_seen_and_taken_back_over_http(
    settings: Settings, engine: Engine
) -> None:
    await engine.create_workspace("acme")
    here = {"Footnote-Workspace": "acme"}
    async with served(settings) as http:
        changed = await http.put("/v1/config/RRF_K", json={"value": "30"}, headers=here)
        assert (changed.status_code, changed.json()["value"]) == (200, 30)
        shown = (await http.get("/v1/config/rrf_k", headers=here)).json()
        assert shown == changed.json()
        listed = (await http.get("/v1/config", headers=here)).json()["settings"]
        assert [each["name"] for each in listed] == list(PER_WORKSPACE)
        assert shown in listed
        elsewhere = (await http.get("/v1/config/rrf_k")).json()
        assert (elsewhere["value"], elsewhere["source"]) == (60, "installation")
        back = (await http.delete("/v1/config/rrf_k", headers=here)).json()
        assert (back["value"], back["source"], back["changed_by"]) == (60, "installation", None)
        history = (await http.get("/v1/config/history?name=rrf_k", headers=here)).json()
        assert [(each["change_no"], each["value"]) for each in history["changes"]] == [
            (2, None),
            (1, 30),
        ]


@pytest.mark.parametrize(
    ("path", "value", "status"),
    [
        ("rrf_k", 0, 422),
        ("rrf_k", {"k": 60}, 422),
        ("rrf_k", "9" * 300, 422),
        ("min_similarity", None, 200),
        ("home", "/tmp", 404),
        ("history", 1, 405),
    ],
)
async def test_what_cannot_be_set_is_a_problem(
    settings: Settings, engine: Engine, path: str, value: object, status: int
) -> None:
    await engine.create_workspace("acme")
    async with served(settings) as http:
        headers = {"Footnote-Workspace": "acme"}
        said = await http.put(f"/v1/config/{path}", json={"value": value}, headers=headers)
        assert said.status_code == status, said.text
        assert (await http.put("/v1/config/rrf_k", json={}, headers=headers)).status_code == 422


async def test_a_reader_may_look_and_not_change(settings: Settings, engine: Engine) -> None:
    workspace = await engine.workspace()
    key = await workspace.create_key("rae", rights=("read",), principal="rae")
    await workspace.grant_role("rae", Role.READER)
    headers = {"Authorization": f"Bearer {key.secret}"}
    async with served(settings_from(settings, {"identity": "keys"})) as http:
        assert (await http.get("/v1/config", headers=headers)).status_code == 200
        for said in (
            await http.put("/v1/config/top_k", json={"value": 3}, headers=headers),
            await http.delete("/v1/config/top_k", headers=headers),
        ):
            assert said.status_code == 403
    assert await workspace.setting_history() == ()


async def test_the_client_has_the_same_verbs(settings: Settings, engine: Engine) -> None:
    await engine.create_workspace("acme")
    async with (
        served(settings) as http,
        footnote.AsyncClient(str(http.base_url), workspace="acme") as client,
    ):
        changed = await client.change_setting("DOCUMENT_FUSION_STRATEGY", "rrf")
        assert (changed.value, changed.source) == ("rrf", SettingSource.WORKSPACE)
        assert await client.setting("fusion") == changed
        assert changed in await client.settings_in_use()
        assert (await client.unset_setting("fusion")).source is SettingSource.INSTALLATION
        workspace = await engine.workspace("acme")
        assert await client.setting_history("fusion") == await workspace.setting_history("fusion")
        assert len(await client.setting_history(limit=1)) == 1
        with pytest.raises(InvalidRequest, match="weighted_blend"):
            await client.change_setting("fusion", "best")
        for name in ("home", "../models", "a/b", ""):
            with pytest.raises(NotFound):
                await client.setting(name)


@pytest.mark.usefixtures("own_database")
async def test_the_commands_show_set_and_unset(settings: Settings) -> None:
    env = environment(settings)
    told = await command(env, "config", "set", "DOCUMENT_RERANKER_ENABLED", "off")
    assert told.code == 0
    assert "reranker_enabled is false, set here by local" in told.out
    changed = await command(env, "config", "get", "reranker_enabled", "--json")
    assert json.loads(changed.out)["value"] is False
    listed = await command(env, "config", "list", "--json")
    own = [each for each in json.loads(listed.out)["settings"] if each["source"] == "workspace"]
    assert own == [json.loads(changed.out)]
    assert "reranker_enabled" in (await command(env, "config", "list")).out
    unset = await command(env, "config", "unset", "reranker_enabled")
    assert "reranker_enabled is true, of the installation." in unset.out
    history = await command(env, "config", "history")
    assert "reranker_enabled" in history.out
    wrong = await command(env, "config", "set", "top_k", "many")
    assert wrong.code == 2
    assert "it must be a whole number" in wrong.err
    assert "Hint: give it another value; it says: Passages returned" in wrong.err
    below = await command(env, "config", "set", "min_similarity", "-0.2")
    assert "min_similarity is -0.2, set here by local" in below.out
    assert "it must be at least 1" in (await command(env, "config", "set", "top_k", "-5")).err
    unknown = await command(env, "config", "set", "top_k", "5", "--loud")
    assert unknown.code == 2
    assert "--loud" in unknown.err
