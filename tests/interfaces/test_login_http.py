"""People log in at a real provider on loopback, with their browsers' cookies, and out again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import psycopg
import pytest
from structlog.testing import capture_logs

from footnote.domain import Role
from footnote.domain.audit import Act, Outcome
from footnote.engine import Engine, WorkspaceEngine
from footnote.engine.credential_settings import credentials_from
from footnote.errors import UnsupportedSettings
from footnote.interfaces.http.web_app import BUILT
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import environment, footnote, served
from tests.interfaces.test_refusals import assert_problem
from tests.security.provider import CLIENT_ID, CLIENT_SECRET, Provider, provider

PUBLIC = "https://footnote.example.com"
HOST = {"Host": "footnote.example.com"}
SESSION = "__Host-footnote-session"


@pytest.fixture
def issuer() -> Iterator[Provider]:
    with provider() as served_provider:
        yield served_provider


def with_login(settings: Settings, issuer: Provider, **more: object) -> Settings:
    return settings_from(
        settings,
        {
            "identity": "login",
            "public_url": PUBLIC,
            "login": {"issuer": issuer.url, "client_id": CLIENT_ID},
            "login_client_secret": CLIENT_SECRET,
            "claims": {"roles": {"finance": "writer"}},
            **more,
        },
    )


@dataclass(slots=True)
class Browser:
    """Follows redirects between server and provider, and keeps cookies as browsers do."""

    http: httpx.AsyncClient
    cookies: dict[str, str]

    async def ask(self, method: str, path: str, **sent: Any) -> httpx.Response:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {**HOST, **({"Cookie": cookie} if cookie else {}), **sent.pop("headers", {})}
        answer = await self.http.request(method, path, headers=headers, **sent)
        for line in answer.headers.get_list("set-cookie"):
            for name, morsel in SimpleCookie(line).items():
                assert name.startswith("__Host-")
                assert morsel["secure"]
                assert morsel["httponly"]
                assert morsel["path"] == "/"
                assert morsel["domain"] == ""
                assert morsel["samesite"].lower() == "lax"
                self.cookies[name] = morsel.value
                if morsel["max-age"] == "0":
                    del self.cookies[name]
        return answer

    async def at_provider(self, path: str = "/v1/login") -> str:
        """What the provider sends the browser back to."""
        begun = await self.ask("GET", path)
        assert begun.status_code == 302, begun.text
        async with httpx.AsyncClient(timeout=600) as elsewhere:
            answered = await elsewhere.get(begun.headers["location"])
        assert answered.status_code == 302
        back = answered.headers["location"]
        assert back.startswith(f"{PUBLIC}/v1/login/callback?")
        return str(back.removeprefix(PUBLIC))

    async def log_in(self, path: str = "/v1/login") -> httpx.Response:
        return await self.ask("GET", await self.at_provider(path))


@pytest.fixture
async def browser(
    settings: Settings, engine: Engine, workspace: WorkspaceEngine, issuer: Provider
) -> AsyncIterator[Browser]:
    async with served(with_login(settings, issuer)) as http:
        yield Browser(http, {})


async def test_a_person_logs_in_and_is_known(browser: Browser) -> None:
    assert (await browser.ask("GET", "/v1/identity")).status_code == 401
    back = await browser.log_in("/v1/login?next=/documents?page=2")
    assert (back.status_code, back.headers["location"]) == (303, "/documents?page=2")
    assert set(browser.cookies) == {SESSION}
    found = (await browser.ask("GET", "/v1/identity")).json()
    assert (found["principal"], found["role"]) == ("ann", "writer")
    assert found["groups"] == ["finance"]
    assert found["credential"].startswith("session:")
    assert browser.cookies[SESSION] not in str(found)


async def test_each_login_is_in_the_audit_log(browser: Browser, workspace: WorkspaceEngine) -> None:
    await browser.log_in()
    [entry] = (await workspace.audit_entries(principal_id="ann")).entries
    assert (entry.verb, entry.act, entry.outcome) == ("log_in", Act.CHANGED, Outcome.DONE)
    assert entry.credential == f"session:{browser.cookies[SESSION].split('_')[1]}"


async def test_a_login_that_fails_is_in_the_servers_log(browser: Browser) -> None:
    back = await browser.at_provider()
    with capture_logs() as lines:
        refused = await browser.ask("GET", back.replace("state=", "state=x"))
    assert refused.status_code == 401
    [told] = [each for each in lines if each["event"] == "a credential was refused"]
    code = parse_qs(urlsplit(back).query)["code"][0]
    assert code not in str(told)


async def test_the_provider_is_asked_with_pkce_state_and_nonce(
    browser: Browser, issuer: Provider
) -> None:
    begun = await browser.ask("GET", "/v1/login")
    asked = parse_qs(urlsplit(begun.headers["location"]).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["redirect_uri"] == [f"{PUBLIC}/v1/login/callback"]
    for name in ("state", "nonce", "code_challenge"):
        assert len(asked[name][0]) >= 43
    kept = browser.cookies["__Host-footnote-login"]
    assert asked["state"][0] not in kept
    again = await browser.ask("GET", "/v1/login")
    assert parse_qs(urlsplit(again.headers["location"]).query)["state"] != asked["state"]


async def test_an_answer_for_another_browser_makes_no_session(browser: Browser) -> None:
    back = await browser.at_provider()
    victim = Browser(browser.http, {})
    assert_problem(await victim.ask("GET", back), 401, "not-authenticated")
    await victim.ask("GET", "/v1/login")  # with an attempt of its own
    assert_problem(await victim.ask("GET", back), 401, "not-authenticated")
    assert SESSION not in victim.cookies


@pytest.mark.parametrize(
    "change",
    [
        {"nonce": "another"},
        {"nonce": 7},
        {"aud": "another"},
        {"iss": "https://evil.example"},
        {"exp": 1},
        {"azp": "another"},
        {"sub": ""},
    ],
    ids=str,
)
async def test_an_id_token_that_is_wrong_in_one_thing_makes_no_session(
    browser: Browser, issuer: Provider, change: dict[str, Any]
) -> None:
    issuer.id_token_changes = change
    assert_problem(await browser.log_in(), 401, "not-authenticated")
    assert SESSION not in browser.cookies


async def test_a_code_is_good_once_and_errors_are_refused(browser: Browser) -> None:
    back = await browser.at_provider()
    attempt = dict(browser.cookies)
    assert (await browser.ask("GET", back)).status_code == 303
    again = Browser(browser.http, attempt)
    assert_problem(await again.ask("GET", back), 401, "not-authenticated")
    state = parse_qs(urlsplit(back).query)["state"][0]
    denied = f"/v1/login/callback?error=access_denied&state={state}"
    assert_problem(await again.ask("GET", denied), 401, "not-authenticated")
    mixed = f"{back}&iss=x".replace("iss=http", "iss=https")
    assert_problem(await again.ask("GET", mixed), 401, "not-authenticated")


async def test_a_browser_whose_login_fails_is_sent_to_the_page_that_says_so(
    browser: Browser, issuer: Provider
) -> None:
    if not (BUILT / "index.html").is_file():
        pytest.skip("the web app is not built: make web")
    reads_pages = {"headers": {"Accept": "text/html,application/xhtml+xml;q=0.9"}}

    async def sent_to(path: str) -> str:
        answer = await browser.ask("GET", path, **reads_pages)
        assert answer.status_code == 303
        assert "__Host-footnote-login" not in browser.cookies
        return str(answer.headers["location"])

    issuer.failing = True
    assert await sent_to("/v1/login") == "/sign-in?failed=not-ready"
    issuer.failing = False
    issuer.refusing = True
    assert await sent_to(await browser.at_provider()) == "/sign-in?failed=not-authenticated"
    issuer.refusing, issuer.person = False, {"sub": "bea"}
    assert await sent_to(await browser.at_provider()) == "/sign-in?failed=forbidden"


@pytest.mark.parametrize(
    "target", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:x", ""]
)
async def test_nobody_is_sent_elsewhere_after_the_login(browser: Browser, target: str) -> None:
    answer = await browser.ask("GET", "/v1/login", params={"next": target})
    assert_problem(answer, 422, "invalid-request")


async def test_somebody_without_a_role_does_not_get_in_until_the_first_admin_is_made(
    browser: Browser, issuer: Provider, settings: Settings, workspace: WorkspaceEngine
) -> None:
    issuer.person = {"sub": "founder"}
    assert_problem(await browser.log_in(), 403, "forbidden")
    made = await footnote(environment(settings), "admin", "create", "founder")
    assert made.code == 0, made.err
    assert [(each.subject, each.role) for each in await workspace.grants()] == [
        ("founder", Role.ADMIN)
    ]
    assert (await browser.log_in()).status_code == 303
    assert (await browser.ask("GET", "/v1/identity")).json()["role"] == "admin"


async def test_a_page_of_another_site_changes_nothing_with_the_cookie(browser: Browser) -> None:
    await browser.log_in()
    search = {"json": {"query": "premium"}}
    for headers in (
        {},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://evil.footnote.example.com"},
        {"Origin": "https://footnote.example.com:8443"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site"},
    ):
        answer = await browser.ask("POST", "/v1/search", headers=headers, **search)
        assert_problem(answer, 403, "foreign-origin")
        assert_problem(
            await browser.ask("POST", "/v1/logout", headers=headers), 403, "foreign-origin"
        )
    for headers in ({"Origin": PUBLIC}, {"Sec-Fetch-Site": "same-origin"}):
        answer = await browser.ask("POST", "/v1/search", headers=headers, **search)
        assert answer.status_code == 200


async def test_logging_out_ends_the_session_itself(browser: Browser) -> None:
    await browser.log_in()
    kept = dict(browser.cookies)
    assert (await browser.ask("POST", "/v1/logout", headers={"Origin": PUBLIC})).status_code == 204
    assert browser.cookies == {}
    stolen = Browser(browser.http, kept)
    assert_problem(await stolen.ask("GET", "/v1/identity"), 401, "not-authenticated")


async def test_a_guess_at_a_session_does_not_keep_it_from_ending(
    browser: Browser, superuser: psycopg.Connection
) -> None:
    await browser.log_in()
    unused = "UPDATE footnote.sessions SET last_used_at = now() - interval '119 min'"
    superuser.execute(unused)
    [(name, cookie)] = browser.cookies.items()
    guess = Browser(browser.http, {name: cookie[:-64] + "0" * 64})
    assert (await guess.ask("GET", "/v1/identity")).status_code == 401
    noted = superuser.execute(
        "SELECT last_used_at < now() - interval '100 min' FROM footnote.sessions"
    ).fetchone()
    assert noted == (True,)


async def test_a_session_ends_by_itself(browser: Browser, superuser: psycopg.Connection) -> None:
    await browser.log_in()
    assert (await browser.ask("GET", "/v1/identity")).status_code == 200
    superuser.execute("UPDATE footnote.sessions SET last_used_at = now() - interval '121 min'")
    assert (await browser.ask("GET", "/v1/identity")).status_code == 401
    superuser.execute("UPDATE footnote.sessions SET last_used_at = now()")
    assert (await browser.ask("GET", "/v1/identity")).status_code == 200
    superuser.execute("UPDATE footnote.sessions SET expires_at = now()")
    assert (await browser.ask("GET", "/v1/identity")).status_code == 401


async def backchannel(browser: Browser, token: str) -> httpx.Response:
    return await browser.http.post(
        "/v1/login/backchannel", data={"logout_token": token}, headers=HOST
    )


@pytest.mark.parametrize("named", [{}, {"sid": None, "sub": "ann"}, {"sub": "ann"}], ids=str)
async def test_the_provider_ends_a_login(
    browser: Browser, issuer: Provider, named: dict[str, Any]
) -> None:
    await browser.log_in()
    assert (await backchannel(browser, issuer.logout_token(**named))).status_code == 200
    assert (await browser.ask("GET", "/v1/identity")).status_code == 401


@pytest.mark.parametrize(
    "change",
    [
        {"events": {}},
        {"nonce": "x"},
        {"aud": "another"},
        {"iat": 1},
        {"exp": 1},
        {"jti": None},
        {"sid": None, "sub": None},
        {"iss": "https://evil.example"},
    ],
    ids=str,
)
async def test_what_is_no_logout_token_ends_nothing(
    browser: Browser, issuer: Provider, change: dict[str, Any]
) -> None:
    await browser.log_in()
    answer = await backchannel(browser, issuer.logout_token(**change))
    assert_problem(answer, 401, "not-authenticated")
    for token in (issuer.signed(), "x"):
        assert_problem(await backchannel(browser, token), 401, "not-authenticated")
    assert (await browser.ask("GET", "/v1/identity")).status_code == 200


async def test_the_login_of_somebody_else_goes_on(browser: Browser, issuer: Provider) -> None:
    await browser.log_in()
    for named in ({"sid": "s-2"}, {"sid": None, "sub": "bob"}, {"sid": "s-2", "sub": "ann"}):
        assert (await backchannel(browser, issuer.logout_token(**named))).status_code == 200
    assert (await browser.ask("GET", "/v1/identity")).status_code == 200


async def test_a_cookie_opens_nothing_where_nobody_logs_in(
    browser: Browser, settings: Settings
) -> None:
    await browser.log_in()
    async with served(settings_from(settings, {"identity": "keys", "public_url": PUBLIC})) as http:
        other = Browser(http, browser.cookies)
        assert (await other.ask("GET", "/v1/identity")).status_code == 401
        assert_problem(await other.ask("GET", "/v1/login"), 404, "not-found")


async def test_what_a_browser_says_of_its_role_counts_for_nothing_behind_a_gateway(
    browser: Browser, settings: Settings, issuer: Provider
) -> None:
    await browser.log_in()
    gateway = {"addresses": "127.0.0.1"}
    within = with_login(settings, issuer, identity="login,keys,gateway", gateway=gateway)
    async with served(within) as http:
        other = Browser(http, browser.cookies)
        root = {"X-User-Id": "ann", "X-User-Role": "admin"}
        assert (await other.ask("GET", "/v1/identity", headers=root)).json()["role"] == "writer"


async def test_a_forged_cookie_opens_nothing(browser: Browser) -> None:
    await browser.log_in()
    session = browser.cookies[SESSION]
    for forged in (
        session[:-1] + ("0" if session[-1] != "0" else "1"),
        "fs_x",
        "",
        session.replace("fs_", "fn_"),
    ):
        browser.cookies[SESSION] = forged
        assert (await browser.ask("GET", "/v1/identity")).status_code == 401


@pytest.mark.parametrize(
    "wrong",
    [
        {"public_url": None},
        {"public_url": "http://x.example"},
        {"login": {"issuer": "http://127.0.0.1:1"}},
    ],
)
def test_settings_that_let_nobody_log_in_are_refused(
    settings: Settings, wrong: dict[str, object]
) -> None:
    issuer = Provider(url="http://127.0.0.1:1")
    with pytest.raises(UnsupportedSettings):
        credentials_from(with_login(settings, issuer, **wrong))
