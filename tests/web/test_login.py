"""People sign in at their provider with a browser, come back to what they asked for, and leave."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, expect

from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over
from tests.interfaces.serving import environment, footnote, hosted
from tests.security.provider import CLIENT_ID, CLIENT_SECRET, Provider, provider

from .conftest import watched_page
from .test_for_everyone import violations
from .tls_proxy import tls_proxy

ASKED_FOR = "/find?query=lantern"
SESSION = "__Host-footnote-session"


@dataclass(frozen=True, slots=True)
class Organisation:
    """A server that is reached over TLS, and the provider at which its people sign in."""

    address: str
    issuer: Provider


@pytest.fixture(scope="module")
async def organisation(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Organisation]:
    folder = tmp_path_factory.mktemp("login")
    with fresh_database(postgres) as database, provider() as issuer:
        settings = settings_over(database, folder, model_home)
        made = await footnote(environment(settings), "workspace", "create", "default")
        assert made.code == 0, made.err
        async with tls_proxy(folder) as proxy:
            env = environment(
                settings,
                FOOTNOTE_IDENTITY="login",
                FOOTNOTE_PUBLIC_URL=proxy.address,
                FOOTNOTE_LOGIN=json.dumps({"issuer": issuer.url, "client_id": CLIENT_ID}),
                FOOTNOTE_LOGIN_CLIENT_SECRET=CLIENT_SECRET,
                FOOTNOTE_CLAIMS='{"roles": {"finance": "writer"}}',
            )
            async with hosted(env) as address:
                proxy.behind = urlsplit(address).port or 0
                yield Organisation(proxy.address, issuer)


@pytest.fixture
async def visitor(browser: Browser, organisation: Organisation) -> AsyncIterator[Page]:
    """The page of somebody who is not signed in."""
    issuer = organisation.issuer
    person = dict(issuer.person)
    async with watched_page(
        browser, organisation.address, refused=(401,), elsewhere=issuer.url
    ) as page:
        yield page
    issuer.person, issuer.refusing = person, False


async def sign_in(page: Page) -> None:
    """Ask for a page, be led to the page to sign in, and go to the provider from there."""
    await page.goto(ASKED_FOR)
    await page.wait_for_url("**/sign-in*")
    await page.get_by_role("link", name="Sign in with your organisation").click()


async def refused_for(page: Page, words: str) -> None:
    """What failed is said on the page to sign in, where one can begin again."""
    await page.wait_for_url("**/sign-in?failed=*")
    await expect(page.get_by_role("alert")).to_contain_text(words)
    await expect(page.get_by_role("link", name="Sign in with your organisation")).to_be_visible()
    assert SESSION not in {each.get("name") for each in await page.context.cookies()}
    assert await violations(page) == []


async def test_somebody_signs_in_comes_back_to_what_was_asked_for_and_leaves(
    visitor: Page, organisation: Organisation
) -> None:
    page = visitor
    await sign_in(page)
    await expect(page.get_by_label("Search", exact=True).first).to_be_visible()
    await expect(page).to_have_url(f"{organisation.address}{ASKED_FOR}")
    # No script can read who it is.
    assert await page.evaluate("document.cookie") == ""
    kept = {each.get("name"): each for each in await page.context.cookies()}
    assert (kept[SESSION].get("httpOnly"), kept[SESSION].get("secure")) == (True, True)
    # What changes something is let through, since the browser says where it comes from.
    await page.goto("/")
    await page.get_by_role("button", name="View and account").click()
    await page.get_by_role("menuitem", name="Sign out").click()
    await page.wait_for_url("**/sign-in*")
    assert SESSION not in {each.get("name") for each in await page.context.cookies()}
    await page.goto("/documents")
    await page.wait_for_url("**/sign-in*")


async def test_somebody_whom_the_provider_refuses_is_told(
    visitor: Page, organisation: Organisation
) -> None:
    organisation.issuer.refusing = True
    await sign_in(visitor)
    await refused_for(visitor, "did not let you in")


async def test_an_answer_with_another_state_is_told(
    visitor: Page, organisation: Organisation
) -> None:
    await visitor.goto("/v1/login/callback?code=stolen&state=anothers")
    await refused_for(visitor, "begun in another window")
    # From there one gets in all the same.
    await visitor.get_by_role("link", name="Sign in with your organisation").click()
    await expect(visitor.get_by_text("What do your documents say?")).to_be_visible()


async def test_somebody_without_a_role_is_told_whom_to_ask(
    visitor: Page, organisation: Organisation
) -> None:
    organisation.issuer.person = {"sub": "bea", "groups": []}
    await sign_in(visitor)
    await refused_for(visitor, "Ask an administrator")
