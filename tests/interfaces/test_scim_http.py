"""A directory pushes people and groups by SCIM 2.0, and what it says holds at once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from scim2_models import Context, EnterpriseUser, ListResponse, ServiceProviderConfig, User

from footnote.domain import Role
from footnote.engine import Engine, WorkspaceEngine
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import served
from tests.interfaces.test_login_http import HOST, Browser, with_login
from tests.security.provider import Provider, provider

USER = "urn:ietf:params:scim:schemas:core:2.0:User"
ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
ANN = {
    "schemas": [USER, ENTERPRISE],
    "userName": "ann",
    "externalId": "00u1",
    "name": {"givenName": "Ann", "familyName": "Example"},
    "emails": [{"value": "ann@example.com", "type": "work", "primary": True}],
    "active": True,
    "password": "not to be kept",
    ENTERPRISE: {"department": "Finance"},
}


@pytest.fixture
def issuer() -> Iterator[Provider]:
    with provider() as served_provider:
        yield served_provider


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory with a key that may administer."""

    http: httpx.AsyncClient
    key: str

    async def ask(self, method: str, path: str, body: Any = None, **params: Any) -> httpx.Response:
        return await self.http.request(
            method,
            f"/scim/v2/{path}",
            json=body,
            params=params,
            headers={
                **HOST,
                "Authorization": f"Bearer {self.key}",
                "Content-Type": "application/scim+json",
            },
        )

    async def add(self, **changes: Any) -> dict[str, Any]:
        answer = await self.ask("POST", "Users", {**ANN, **changes})
        assert answer.status_code == 201, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def add_group(self, name: str, *members: dict[str, Any]) -> dict[str, Any]:
        body = {
            "schemas": [GROUP],
            "displayName": name,
            "members": [{"value": each["id"]} for each in members],
        }
        answer = await self.ask("POST", "Groups", body)
        assert answer.status_code == 201, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def patch(self, path: str, *operations: dict[str, Any]) -> httpx.Response:
        return await self.ask("PATCH", path, {"schemas": [PATCH], "Operations": list(operations)})


@pytest.fixture
async def directory(
    settings: Settings, engine: Engine, workspace: WorkspaceEngine, issuer: Provider
) -> AsyncIterator[Directory]:
    key = await workspace.create_key("directory", rights=("administer",))
    within = with_login(settings, issuer, identity="scim,keys,login")
    async with served(within) as http:
        yield Directory(http, key.secret)


async def test_a_person_is_added_shown_and_found(directory: Directory) -> None:
    made = await directory.add()
    User[EnterpriseUser].model_validate(made, scim_ctx=Context.RESOURCE_QUERY_RESPONSE)
    assert made["userName"] == "ann"
    assert made[ENTERPRISE]["department"] == "Finance"
    assert "password" not in str(made)
    assert made["meta"]["location"].endswith(f"/scim/v2/Users/{made['id']}")
    shown = await directory.ask("GET", f"Users/{made['id']}")
    assert shown.headers["content-type"].startswith("application/scim+json")
    assert shown.json() == made
    await directory.add(userName="bob", externalId="00u2")
    for condition in ('userName eq "ANN"', 'externalId eq "00u1"', 'username EQ "ann"'):
        found = (await directory.ask("GET", "Users", filter=condition)).json()
        assert [each["userName"] for each in found["Resources"]] == ["ann"], condition
        assert found["totalResults"] == 1
    page = (await directory.ask("GET", "Users", startIndex=2, count=1)).json()
    assert (page["totalResults"], page["startIndex"], page["itemsPerPage"]) == (2, 2, 1)
    assert page["Resources"][0]["userName"] == "bob"
    assert page["schemas"] == [str(ListResponse.__schema__)]
    nobody = (await directory.ask("GET", "Users", filter='userName eq "x\\"y"')).json()
    assert (nobody["totalResults"], nobody["Resources"]) == (0, [])


async def test_what_cannot_be_is_refused_in_the_shape_of_the_standard(
    directory: Directory,
) -> None:
    await directory.add()
    taken = await directory.ask("POST", "Users", {**ANN, "userName": "Ann"})
    assert (taken.status_code, taken.json()["scimType"]) == (409, "uniqueness")
    bodies: list[Any] = [
        {},
        [],
        {"schemas": [USER]},
        {**ANN, "userName": ""},
        {**ANN, "userName": 7},
        {**ANN, "userName": "*"},
        {**ANN, "userName": "group:x"},
        {**ANN, "emails": "x"},
    ]
    for body in bodies:
        refused = await directory.ask("POST", "Users", body)
        assert refused.status_code == 400, body
        assert refused.json()["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:Error"]
        assert refused.json()["status"] == "400"
    for condition in ("userName", 'password eq "x"', 'userName co "a"', "userName eq ann or 1=1"):
        assert (await directory.ask("GET", "Users", filter=condition)).status_code == 400
    missing = "Users/1b4e28ba-2fa1-11d2-883f-0016d3cca427"
    for method in ("GET", "DELETE"):
        assert (await directory.ask(method, missing)).status_code == 404
    stranger = {"id": "1b4e28ba-2fa1-11d2-883f-0016d3cca427"}
    group = {"schemas": [GROUP], "displayName": "x", "members": [{"value": stranger["id"]}]}
    assert (await directory.ask("POST", "Groups", group)).status_code == 400


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "replace", "path": "active", "value": False},
        {"op": "Replace", "path": "active", "value": "False"},
        {"op": "replace", "value": {"active": False}},
    ],
    ids=["rfc", "entra", "okta"],
)
async def test_who_is_switched_off_is_out_at_once(
    directory: Directory, workspace: WorkspaceEngine, operation: dict[str, Any]
) -> None:
    ann = await directory.add()
    key = await workspace.create_key("hers", principal="ann")
    browser = Browser(directory.http, {})
    assert (await browser.log_in()).status_code == 303
    holder = {**HOST, "Authorization": f"Bearer {key.secret}"}

    async def answers() -> list[int]:
        by_key = await directory.http.get("/v1/identity", headers=holder)
        return [by_key.status_code, (await browser.ask("GET", "/v1/identity")).status_code]

    assert await answers() == [200, 200]
    patched = await directory.patch(f"Users/{ann['id']}", operation)
    assert (patched.status_code, patched.json()["active"]) == (200, False)
    assert await answers() == [401, 401]
    assert (await browser.log_in()).status_code == 401
    await directory.patch(f"Users/{ann['id']}", {"op": "replace", "path": "active", "value": True})
    # The key is good again; the session was ended for good.
    assert await answers() == [200, 401]


@pytest.mark.parametrize("renamed", [False, True], ids=["removed", "renamed"])
async def test_the_keys_of_somebody_who_is_gone_are_revoked(
    directory: Directory, workspace: WorkspaceEngine, renamed: bool
) -> None:
    ann = await directory.add()
    key, other = [await workspace.create_key(each, principal=each) for each in ("ann", "bob")]
    path = f"Users/{ann['id']}"
    if renamed:
        change = {"op": "replace", "path": "userName", "value": "ann.b"}
        assert (await directory.patch(path, change)).status_code == 200
    else:
        assert (await directory.ask("DELETE", path)).status_code == 204
    for each, status in ((key, 401), (other, 200)):
        holder = {**HOST, "Authorization": f"Bearer {each.secret}"}
        answer = await directory.http.get("/v1/identity", headers=holder)
        assert answer.status_code == status


async def test_groups_give_roles_and_open_what_is_shared_with_them(
    directory: Directory, workspace: WorkspaceEngine, issuer: Provider
) -> None:
    issuer.person = {"sub": "ann"}
    ann, bob = await directory.add(), await directory.add(userName="bob", externalId="2")
    browser = Browser(directory.http, {})
    assert (await browser.log_in()).status_code == 403
    finance = await directory.add_group("finance", ann)  # which the settings map to writer
    assert (await browser.log_in()).status_code == 303
    who = (await browser.ask("GET", "/v1/identity")).json()
    assert (who["role"], who["groups"]) == ("writer", ["finance"])

    await workspace.grant_role("group:board", Role.ADMIN)
    board = await directory.add_group("board", bob)
    path = f"Groups/{board['id']}"
    member = {"op": "add", "path": "members", "value": [{"value": ann["id"]}]}
    assert len((await directory.patch(path, member)).json()["members"]) == 2
    assert (await browser.ask("GET", "/v1/identity")).json()["role"] == "admin"
    by_path = {"op": "remove", "path": f'members[value eq "{ann["id"]}"]'}
    left = (await directory.patch(path, by_path)).json()["members"]
    assert [each["value"] for each in left] == [bob["id"]]
    assert (await browser.ask("GET", "/v1/identity")).json()["role"] == "writer"
    by_value = {"op": "Remove", "path": "members", "value": [{"value": bob["id"]}]}
    assert not (await directory.patch(path, by_value)).json().get("members")

    shown = (await directory.ask("GET", f"Users/{ann['id']}")).json()
    assert [each["value"] for each in shown["groups"]] == [finance["id"]]
    assert (await directory.ask("DELETE", f"Groups/{finance['id']}")).status_code == 204
    assert (await browser.ask("GET", "/v1/identity")).status_code == 404
    assert (await directory.ask("DELETE", f"Users/{ann['id']}")).status_code == 204
    assert (await browser.ask("GET", "/v1/identity")).status_code == 401


async def test_a_person_and_a_group_are_replaced(directory: Directory) -> None:
    ann = await directory.add()
    body = {"schemas": [USER], "userName": "ann", "active": True, "displayName": "Ann"}
    replaced = (await directory.ask("PUT", f"Users/{ann['id']}", body)).json()
    assert replaced["displayName"] == "Ann"
    assert "emails" not in replaced
    group = await directory.add_group("finance", ann)
    body = {"schemas": [GROUP], "displayName": "Finance team", "members": []}
    replaced = (await directory.ask("PUT", f"Groups/{group['id']}", body)).json()
    assert replaced["displayName"] == "Finance team"
    found = await directory.ask("GET", "Groups", filter='displayName eq "finance team"')
    assert found.json()["totalResults"] == 1


async def test_only_an_administrator_of_the_workspace_keeps_people(
    directory: Directory, workspace: WorkspaceEngine, engine: Engine
) -> None:
    ann = await directory.add()
    other = await engine.create_workspace("acme")
    foreign = await (await engine.workspace(other.name)).create_key("d", rights=("administer",))
    elsewhere = Directory(directory.http, foreign.secret)
    assert (await elsewhere.ask("GET", f"Users/{ann['id']}")).status_code == 404
    assert (await elsewhere.ask("GET", "Users")).json()["totalResults"] == 0
    for wanted in (
        {"rights": ("read", "write")},
        {"rights": ("administer",), "collections": ("hr",)},
    ):
        key = await workspace.create_key("low", **wanted)
        low = Directory(directory.http, key.secret)
        assert (await low.ask("GET", "Users")).status_code == 403
        assert (await low.ask("POST", "Users", ANN)).status_code == 403


async def test_what_is_supported_is_told(directory: Directory, settings: Settings) -> None:
    told = (await directory.ask("GET", "ServiceProviderConfig")).json()
    ServiceProviderConfig.model_validate(told)
    assert told["patch"] == {"supported": True}
    async with served(settings_from(settings, {"identity": "keys"})) as http:
        without = await http.get(
            "/scim/v2/Users", headers={"Authorization": f"Bearer {directory.key}"}
        )
        assert without.status_code == 404
