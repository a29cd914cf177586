"""No credential is ever in a log, an error, a trace or the output of a command, at any level."""

from __future__ import annotations

import asyncio
import base64
import json
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import quote, urlencode, urlsplit

import httpx
import pytest

from footnote.engine import Engine, open_engine
from footnote.errors import FootnoteError
from footnote.settings import Settings, settings_from
from footnote.store import pools
from tests.interfaces.serving import MAIN, environment, footnote
from tests.interfaces.test_login_http import HOST, PUBLIC, Browser
from tests.processes import start_python
from tests.security.provider import CLIENT_ID, CLIENT_SECRET, Provider, provider
from tests.wire import WireServer, fails, says

pytestmark = pytest.mark.usefixtures("own_database")

CONFIGURED = {
    "FOOTNOTE_IDENTITY_SECRET": "identity-secret-7c1d-0123456789abcdef0123456789abcdef",
    "FOOTNOTE_MASTER_KEY": "base64:"
    + base64.b64encode(b"master-key-of-thirty-two-bytes!!").decode()
    + ",vault://hvs.vault-token-42c0ff@vault.example:8200/transit/before",
    "FOOTNOTE_WEBHOOK_SECRET": "webhook-secret-1f6e93",
    "FOOTNOTE_IMAP_PASSWORD": "imap-password-77aa01",
    "FOOTNOTE_SOURCE_OPTIONS": '{"secret_access_key": "source-secret-90ab12"}',
    "FOOTNOTE_BACKUP_OPTIONS": '{"secret_access_key": "backup-secret-5be017"}',
    "FOOTNOTE_BACKUP_KEY": "base64:"
    + base64.b64encode(b"backup-key-of-thirty-two-bytes!!").decode(),
    "FOOTNOTE_LOGIN_CLIENT_SECRET": CLIENT_SECRET,
}
DATABASE_PASSWORD = "database-password-6e2f"
MODEL_KEY, SERVED_KEY = "sk-answer-5d1e0b7f", "sk-reranker-91be77d0"
HIDDEN_PARTS = (
    MODEL_KEY,
    SERVED_KEY,
    "source-secret-90ab12",
    "backup-secret-5be017",
    CONFIGURED["FOOTNOTE_MASTER_KEY"].removeprefix("base64:").partition(",")[0],
    "hvs.vault-token-42c0ff",
    CONFIGURED["FOOTNOTE_BACKUP_KEY"].removeprefix("base64:"),
)


@pytest.fixture
def issuer() -> Iterator[Provider]:
    with provider() as served_provider:
        yield served_provider


def with_password(url: str) -> str:
    """The same database, by a login whose password it does not ask for."""
    parts = urlsplit(url)
    user = parts.netloc.rpartition("@")[0].partition(":")[0] or "postgres"
    host = parts.netloc.rpartition("@")[2]
    return url.replace(f"{parts.netloc}/", f"{user}:{DATABASE_PASSWORD}@{host}/", 1)


def configured(settings: Settings, issuer: Provider, wire: WireServer) -> dict[str, str]:
    assert settings.database_url is not None
    assert settings.owner_database_url is not None
    return environment(
        settings,
        **CONFIGURED,
        FOOTNOTE_DATABASE_URL=with_password(settings.database_url),
        FOOTNOTE_OWNER_DATABASE_URL=with_password(settings.owner_database_url),
        FOOTNOTE_IDENTITY="keys,tokens,login",
        FOOTNOTE_TOKENS=json.dumps(
            {"issuer": issuer.url, "audience": CLIENT_ID, "jwks_url": f"{issuer.url}/jwks"}
        ),
        FOOTNOTE_CLAIMS='{"roles": {"finance": "admin"}}',
        FOOTNOTE_LOGIN=json.dumps({"issuer": issuer.url, "client_id": CLIENT_ID}),
        FOOTNOTE_PUBLIC_URL=PUBLIC,
        FOOTNOTE_ENCRYPTION="on",
        FOOTNOTE_MODEL_KEYS=json.dumps({wire.openai_url: MODEL_KEY, "127.0.0.1:9": SERVED_KEY}),
        FOOTNOTE_ANSWER_MODELS=f"openai:scripted@{wire.openai_url}",
        FOOTNOTE_LANGUAGE_MODEL=f"openai:scripted@{wire.openai_url}",
        FOOTNOTE_GROUNDING_JUDGE="language_model",
        FOOTNOTE_RERANKER="cohere@http://127.0.0.1:9/rerank",
        FOOTNOTE_SPEECH="whisper-1@http://127.0.0.1:9/v1",
        FOOTNOTE_LOG="debug",
    )


class Scan:
    """What was said where, and which secrets must not be in any of it."""

    def __init__(self, *secrets: str) -> None:
        self.secrets = [*secrets, DATABASE_PASSWORD, *CONFIGURED.values(), *HIDDEN_PARTS]
        self.said: list[tuple[str, str]] = []

    def add(self, where: str, text: str) -> None:
        self.said.append((where, text))

    def problem(self, answer: httpx.Response) -> None:
        """What an answer that is none of success tells."""
        assert answer.status_code >= 400, (answer.request.url, answer.status_code)
        self.add(f"{answer.request.method} {answer.request.url.path}", answer.text)
        self.add("headers", str(dict(answer.headers)))

    def leaks(self) -> set[tuple[str, str]]:
        return {
            (where, secret)
            for where, text in self.said
            for secret in self.secrets
            for form in {secret, quote(secret, safe=""), json.dumps(secret)[1:-1]}
            if form in text
        }


@asynccontextmanager
async def serving(env: Mapping[str, str], log: list[str]) -> AsyncIterator[str]:
    """The address of a server whose log lines are collected while it runs."""
    process = await start_python(
        *(*MAIN, "serve", "--port", "0"), env=env, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE
    )
    ready = asyncio.Event()
    stream = process.stderr
    assert stream is not None

    async def collect() -> None:
        async for line in stream:
            log.append(line.decode())
            if "Ready." in log[-1]:
                ready.set()
        ready.set()

    collecting = asyncio.create_task(collect())
    try:
        await asyncio.wait_for(ready.wait(), 180)
        [said] = [line for line in log if "listens on " in line] or ["".join(log)]
        yield said.split("listens on ")[1].split()[0]
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
        await collecting


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}", **HOST}


async def test_no_credential_is_in_a_log_an_error_or_what_commands_say(
    settings: Settings,
    issuer: Provider,
    wire_server: WireServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    issuer.new_key()
    env = configured(settings, issuer, wire_server)
    log: list[str] = []
    scopes = ("--scope", "administer", "--scope", "write", "--scope", "read")
    made = await footnote(env, "keys", "create", "all", *scopes, "--json")
    assert made.code == 0, made.err
    key = json.loads(made.out)["secret"]
    token, expired = issuer.signed({"groups": ["finance"]}), issuer.signed({"exp": 1})
    scan = Scan(key, token, expired)
    scan.add("keys create", made.err)
    provider_says = f"invalid key {MODEL_KEY}"
    async with (
        serving(env, log) as address,
        httpx.AsyncClient(base_url=address, timeout=600) as http,
    ):
        own = bearer(key)
        # What goes well.
        upload = {"file": ("note.txt", b"The rent is 900 euros.")}
        accepted = await http.post("/v1/documents", files=upload, headers=own)
        assert accepted.status_code == 202, accepted.text
        wire_server.script(*[says("It is 900 euros. [1]")] * 4)
        assert (await http.get("/v1/identity", headers=bearer(token))).status_code == 200
        asked = await http.post("/v1/answers", json={"question": "Rent?"}, headers=own)
        assert asked.status_code == 200, asked.text
        webhook = await http.post(
            "/v1/webhooks", json={"url": "https://93.184.215.14/x"}, headers=own
        )
        link = await http.post("/v1/share-links", json={"collection": "default"}, headers=own)
        browser = Browser(http, {})
        assert (await browser.log_in()).status_code in (302, 303, 307)
        scan.secrets += [webhook.json()["secret"], link.json()["token"], *browser.cookies.values()]
        assert (
            await http.get("/v1/shared", headers=bearer(link.json()["token"]))
        ).status_code == 200
        rotated = await http.post(f"/v1/keys/{key.split('_')[1]}/rotate", json={}, headers=own)
        scan.secrets.append(rotated.json()["secret"])

        # What fails: wrong credentials, those of others in their place, in addresses and bodies.
        for wrong in (
            expired,
            f"{token}x",
            f"{key}0",
            key[:-1] + "x",
            link.json()["token"][:-1] + "x",
        ):
            answer = await http.get("/v1/identity", headers=bearer(wrong))
            assert answer.status_code == 401
            scan.problem(answer)
        for secret in (key, token, link.json()["token"], webhook.json()["secret"]):
            given = urlencode({"api_key": secret, "limit": secret})
            scan.problem(await http.get(f"/v1/documents?{given}", headers=own))
            scan.problem(await http.get(f"/v1/keys/{quote(secret)}", headers=own))
            scan.problem(await http.delete(f"/v1/share-links/{quote(secret)}", headers=own))
            scan.problem(await http.delete(f"/v1/keys/{quote(secret)}", headers=own))
        cookie = "; ".join(f"{name}={value}x" for name, value in browser.cookies.items())
        scan.problem(await http.get("/v1/documents", headers={"Cookie": cookie, **HOST}))
        scan.problem(await http.get("/v1/login/callback?code=nothing&state=nothing", headers=HOST))
        wire_server.script(*[fails(401, message=provider_says)] * 8)
        refused = await http.post("/v1/answers", json={"question": "And why?"}, headers=own)
        scan.add("an answer that a provider refused", refused.text)
        issuer.failing = True
        scan.add("login", (await http.get("/v1/login", headers=HOST)).text)
        issuer.failing = False
        await http.post(
            "/v1/webhooks/document-uploaded",
            content=b"{}",
            headers={"X-Signature": "wrong", **HOST},
        )
        assert (await http.delete(f"/v1/keys/{key.split('_')[1]}", headers=own)).status_code in (
            204,
            401,
        )
        scan.problem(await http.get("/v1/identity", headers=own))
    scan.add("log", "".join(log))
    assert any("debug" in line for line in log)  # it was as talkative as it can be

    commands: tuple[tuple[str, ...], ...] = (
        ("doctor",),
        ("doctor", "--json"),
        ("config", "list"),
        ("keys", "list"),
        ("share", "list"),
        ("webhooks", "list"),
        ("audit", "list"),
        ("encryption", "status"),
        ("keys", "revoke", key),
        ("share", "revoke", link.json()["token"]),
    )
    for words in commands:
        ended = await footnote(env, *words)
        said = ended.out + ended.err
        # What the caller typed may stand in what is said of it in no case either.
        scan.add("footnote " + " ".join(words[:2]), said)
    monkeypatch.setattr(pools, "OPEN_SECONDS", 0.5)
    broken = env | {"FOOTNOTE_DATABASE_URL": f"postgresql://u:{DATABASE_PASSWORD}@127.0.0.1:9/x"}
    for words in (("doctor",), ("search", "rent")):
        ended = await footnote(broken, *words)
        assert ended.code
        scan.add("without a database", ended.out + ended.err)
    assert scan.leaks() == set()


async def test_no_secret_is_in_what_settings_and_engines_show_of_themselves(
    settings: Settings, engine: Engine
) -> None:
    given = {
        name.removeprefix("FOOTNOTE_").lower(): value for name, value in CONFIGURED.items()
    } | {
        "database_url": f"postgresql://u:{DATABASE_PASSWORD}@127.0.0.1:9/x",
        "owner_database_url": f"postgresql://o:{DATABASE_PASSWORD}@127.0.0.1:9/x",
    }
    scan = Scan()
    made = settings_from(None, {"home": settings.home, **given})
    for shown in (repr(made), str(made)):
        scan.add("settings", shown)
    with pytest.raises(FootnoteError) as caught:
        await open_engine(made)
    error: BaseException | None = caught.value
    while error is not None:
        scan.add("error", f"{error!r} {error}")
        error = error.__cause__ or error.__context__
    async with await open_engine(
        settings_from(
            settings,
            {
                "master_key": CONFIGURED["FOOTNOTE_MASTER_KEY"],
                "encryption": "off",
                "identity": "keys",
                "identity_secret": CONFIGURED["FOOTNOTE_IDENTITY_SECRET"],
                "model_keys": json.dumps({"openai": MODEL_KEY, "cohere": SERVED_KEY}),
                "answer_models": "openai:x",
                "reranker": "cohere",
            },
        )
    ) as opened:
        inside = await opened.workspace()
        key = await inside.create_key("k")
        scan.secrets.append(key.secret)
        for part in (
            opened,
            inside,
            opened.credentials,
            opened.reranker,
            opened.answer_models,
            opened.answer_models.choices,
            opened.database,
            opened.database.keys,
            key.key,
            opened.answer_models.writer(),
        ):
            scan.add(type(part).__name__, repr(part))
    for name in given:
        with pytest.raises(FootnoteError) as refused:
            settings_from(None, {name: [given[name]], "home": settings.home})
        scan.add(name, f"{refused.value!r} {refused.value} {refused.value.hint}")
    assert scan.leaks() == set()
