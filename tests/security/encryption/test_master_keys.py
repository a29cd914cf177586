"""One suite for every master key, on the real thing where one runs here, and what a file does."""

from __future__ import annotations

import base64
import json
import stat
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import UUID

import boto3
import pytest

from footnote.errors import KeyUnavailable, UnsupportedSettings
from footnote.ports import MasterKey
from footnote.security.encryption.local_keys import KeyFile
from footnote.security.encryption.master_keys import KeyedCiphers, master_key_from
from tests.store.s3_server import S3Server, s3_server
from tests.wire import unreachable_origin

from .google_kms import GoogleKms
from .transit_server import TOKEN, TransitServer, transit_server

HERE, THERE = UUID(int=1), UUID(int=2)
DATA_KEY = bytes(range(32))
GIVEN = "base64:" + base64.b64encode(bytes(range(1, 33))).decode()


async def no_token() -> str:
    return "a token"


def named(text: str | None, made_at: Path = Path("/nowhere")) -> MasterKey:
    return master_key_from(text, made_at=made_at, google_token=no_token)


async def made(path: Path) -> MasterKey:
    """The file that Footnote makes where none is named."""
    master = named(None, path)
    await KeyedCiphers([master]).make_master()
    return master


@pytest.fixture(scope="module")
def transit() -> Iterator[TransitServer]:
    with transit_server() as server:
        yield server


@pytest.fixture(scope="module")
def aws() -> Iterator[S3Server]:
    with s3_server() as server:
        yield server


@pytest.fixture
def aws_key(aws: S3Server, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "someone")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a secret")
    client = boto3.client("kms", region_name="us-east-1", endpoint_url=aws.url)
    key_id = client.create_key()["KeyMetadata"]["KeyId"]
    return f"aws-kms://{key_id}?region=us-east-1&endpoint={aws.url}"


@pytest.fixture
def google_key() -> Iterator[str]:
    with GoogleKms() as server:
        resource = "projects/p/locations/l/keyRings/r/cryptoKeys/k"
        yield f"gcp-kms://{resource}?endpoint={server.url}"


@pytest.fixture(params=["made", "file", "given", "vault", "aws", "google"])
async def master(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MasterKey]:
    match request.param:
        case "made":
            yield await made(tmp_path / "home" / "master.key")
        case "file":
            path = tmp_path / "master.key"
            path.write_text("# ours\n" + GIVEN.removeprefix("base64:") + "\n")
            yield named(str(path))
        case "given":
            yield named(GIVEN)
        case "vault":
            yield named(request.getfixturevalue("transit").key("conformance"))
        case "aws":
            yield named(request.getfixturevalue("aws_key"))
        case _:
            yield named(request.getfixturevalue("google_key"))


async def test_a_wrapped_key_is_unwrapped(master: MasterKey) -> None:
    wrapped = await master.wrap(DATA_KEY, HERE)
    assert DATA_KEY not in wrapped
    assert await master.unwrap(wrapped, HERE) == DATA_KEY


async def test_a_wrapped_key_of_another_workspace_is_refused(master: MasterKey) -> None:
    wrapped = await master.wrap(DATA_KEY, HERE)
    with pytest.raises(KeyUnavailable):
        await master.unwrap(wrapped, THERE)


async def test_a_wrapped_key_that_was_changed_is_refused(master: MasterKey) -> None:
    wrapped = bytearray(await master.wrap(DATA_KEY, HERE))
    wrapped[-2] ^= 1
    with pytest.raises(KeyUnavailable):
        await master.unwrap(bytes(wrapped), HERE)


async def test_the_name_holds_nothing_secret(master: MasterKey) -> None:
    assert TOKEN not in repr(master) + master.name
    assert GIVEN.removeprefix("base64:") not in repr(master) + master.name
    assert repr(bytes(range(1, 33)))[2:-1] not in repr(master)


@pytest.fixture(params=["file", "vault"])
async def rotating(request: pytest.FixtureRequest, tmp_path: Path) -> MasterKey:
    if request.param == "file":
        return await made(tmp_path / "master.key")
    return named(request.getfixturevalue("transit").key(f"rotating-{tmp_path.name.lower()}"))


async def test_after_a_rotation_old_keys_are_unwrapped_until_they_retire(
    rotating: MasterKey,
) -> None:
    old = await rotating.wrap(DATA_KEY, HERE)
    await rotating.rotate()
    assert await rotating.unwrap(old, HERE) == DATA_KEY
    fresh = await rotating.wrap(DATA_KEY, HERE)
    await rotating.retire_old()
    assert await rotating.unwrap(fresh, HERE) == DATA_KEY
    with pytest.raises(KeyUnavailable):
        await rotating.unwrap(old, HERE)


@pytest.mark.parametrize("kind", ["given", "aws_key", "google_key"])
async def test_a_key_that_footnote_cannot_rotate_says_who_does(
    kind: str, request: pytest.FixtureRequest
) -> None:
    master = named(GIVEN if kind == "given" else request.getfixturevalue(kind))
    with pytest.raises(UnsupportedSettings) as told:
        await master.rotate()
    assert "rotate-master" in (told.value.hint or "")


async def test_a_made_file_is_its_owners_alone_and_made_once(tmp_path: Path) -> None:
    path = tmp_path / "home" / "master.key"
    first, second = named(None, path), named(None, path)
    with pytest.raises(KeyUnavailable, match="there is no master key"):
        await first.wrap(DATA_KEY, HERE)
    for each in (first, second):
        await KeyedCiphers([each]).make_master()
    wrapped = await first.wrap(DATA_KEY, HERE)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert await second.unwrap(wrapped, HERE) == DATA_KEY
    assert [each.name for each in path.parent.iterdir()] == ["master.key"]


async def test_a_process_notices_that_another_one_has_rotated(tmp_path: Path) -> None:
    path = tmp_path / "master.key"
    serving, rotating = await made(path), KeyFile(path)
    await rotating.rotate()
    later = await serving.wrap(DATA_KEY, THERE)
    await rotating.retire_old()
    assert await rotating.unwrap(later, THERE) == DATA_KEY


def test_a_named_file_is_never_made(tmp_path: Path) -> None:
    said = "^The setting master_key cannot be used: there is no master key at /"
    with pytest.raises(UnsupportedSettings, match=said) as refused:
        named(str(tmp_path / "absent.key"))
    assert "FOOTNOTE_MASTER_KEY" in str(refused.value.hint)
    assert not (tmp_path / "absent.key").exists()


async def test_a_missing_key_is_named_by_its_fingerprint(tmp_path: Path) -> None:
    wrapped = await named(GIVEN).wrap(DATA_KEY, HERE)
    with pytest.raises(KeyUnavailable, match=wrapped[:8].hex()):
        await named("base64:" + base64.b64encode(bytes(32)).decode()).unwrap(wrapped, HERE)


@pytest.mark.parametrize(
    "wrong",
    ["base64:c2hvcnQ=", "base64:!", "vault://host", "ftp://key", "gcp-kms://key", "aws-kms://"],
)
def test_a_setting_that_names_no_key_is_refused_without_its_value(wrong: str) -> None:
    with pytest.raises(UnsupportedSettings) as refused:
        named(wrong)
    assert wrong.partition(":")[2] not in str(refused.value)


def test_a_transit_engine_without_a_token_is_refused() -> None:
    with pytest.raises(UnsupportedSettings) as refused:
        named("vault://v:8200/transit/k")
    assert "vault://TOKEN@host" in (refused.value.hint or "")


async def test_a_transit_engine_that_refuses_is_quoted(transit: TransitServer) -> None:
    stranger = named(transit.key("guarded", "not%20it"))
    with pytest.raises(KeyUnavailable, match=r"\(403\).*permission denied"):
        await stranger.wrap(DATA_KEY, HERE)


async def test_a_service_that_does_not_answer_is_a_key_that_is_unavailable() -> None:
    host = unreachable_origin().partition("://")[2]
    with pytest.raises(KeyUnavailable, match="does not answer"):
        await named(f"vault+http://token@{host}/transit/key").wrap(DATA_KEY, HERE)


async def test_google_is_asked_as_its_reference_says() -> None:
    with GoogleKms() as server:
        resource = "projects/p/locations/l/keyRings/r/cryptoKeys/k"
        await named(f"gcp-kms://{resource}?endpoint={server.url}").wrap(DATA_KEY, HERE)
    [asked] = server.asked
    assert asked.path == f"/v1/{resource}:encrypt"
    assert asked.headers["authorization"] == "Bearer a token"
    assert json.loads(asked.content) == {
        "plaintext": base64.b64encode(DATA_KEY).decode(),
        "additionalAuthenticatedData": base64.b64encode(HERE.bytes).decode(),
    }
