"""Keys are shown, renewed and destroyed on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from footnote.settings import Settings
from tests.conftest import TestDatabase
from tests.interfaces.serving import environment, footnote


@pytest.fixture
def env(own_database: TestDatabase, settings: Settings) -> dict[str, str]:
    return environment(settings) | {"FOOTNOTE_ENCRYPTION": "on"}


async def test_a_workspace_is_encrypted_renewed_and_destroyed(
    env: dict[str, str], tmp_path: Path
) -> None:
    paper = tmp_path / "cider.md"
    paper.write_text("# Cider\n\nThe press of the mill weighs 900 kilograms.")
    assert (await footnote(env, "workspace", "create", "mill")).code == 0
    ingested = await footnote(env, "--workspace", "mill", "ingest", str(paper))
    assert ingested.code == 0, ingested.err

    status = await footnote(env, "encryption", "status")
    assert "New workspaces are encrypted: on" in status.out
    assert "mill: encrypted, data keys: version 1 current" in status.out
    told = json.loads((await footnote(env, "encryption", "status", "--json")).out)
    assert [each["encrypted"] for each in told["workspaces"]] == [True]

    rotated = await footnote(env, "encryption", "rotate-master")
    assert rotated.out.strip() == "Wrapped 1 key of 1 workspace by local."
    found = await footnote(env, "--workspace", "mill", "search", "press", "--json")
    assert "900 kilograms" in json.loads(found.out)["evidence"][0]["text"]

    begun = json.loads((await footnote(env, "encryption", "rotate-data", "mill", "--json")).out)
    assert begun["workspace"] == "mill"
    assert "coming" in {each["state"] for each in begun["keys"]}

    destroyed = await footnote(env, "workspace", "destroy", "mill", "--yes")
    assert destroyed.code == 0, destroyed.err
    assert " 0 are left." in destroyed.out.replace("\n", " ")
    assert " 0 could be read with the keys that are left." in destroyed.out.replace("\n", " ")
    assert "rotate-master --retire-old" in destroyed.out.replace("\n", " ")
    assert (await footnote(env, "workspace", "destroy", "mill", "--yes")).code == 3


async def test_keys_in_backups_are_made_useless_on_request(env: dict[str, str]) -> None:
    assert (await footnote(env, "workspace", "create", "mill")).code == 0
    done = await footnote(
        env, "workspace", "destroy", "mill", "--yes", "--retire-master-key", "--json"
    )
    proof = json.loads(done.out)
    assert proof["complete"] is True
    assert (proof["backup_keys"], proof["backup_keys_usable"]) == (1, 0)


async def test_keys_are_exported_and_imported(env: dict[str, str], tmp_path: Path) -> None:
    assert (await footnote(env, "workspace", "create", "mill")).code == 0
    path = str(tmp_path / "keys.json")
    exported = await footnote(env, "encryption", "export-keys", path, "--json")
    assert (parsed := json.loads(exported.out))["keys"] == 1
    assert parsed["path"] == path
    assert "Wrote 1 wrapped key " in (await footnote(env, "encryption", "export-keys", path)).out
    imported = await footnote(env, "encryption", "import-keys", path, "--json")
    assert json.loads(imported.out) == {
        "restored": 0,
        "unchanged": 1,
        "absent": [],
        "unlisted": [],
    }
    missing = await footnote(env, "encryption", "import-keys", str(tmp_path / "none.json"))
    assert missing.code == 2


async def test_a_workspace_is_not_destroyed_unasked(env: dict[str, str]) -> None:
    assert (await footnote(env, "workspace", "create", "mill")).code == 0
    unasked = await footnote(env, "workspace", "destroy", "mill")
    assert unasked.code == 2
    assert "Nothing was destroyed" in unasked.err
    assert "--yes" in unasked.err
    declined = await footnote(env, "workspace", "destroy", "mill", stdin=b"n\n")
    assert declined.code == 130
    assert declined.err.splitlines()[-1] == "Nothing was destroyed."
    assert "mill" in (await footnote(env, "workspace", "list")).out
    missing = await footnote(env, "workspace", "destroy", "mull", stdin=b"y\n")
    assert missing.code == 3
    assert "there is no workspace 'mull'" in missing.err
    assert "for ever?" not in missing.err, "nobody is asked about what is not there"
    taken = await footnote(env, "workspace", "create", "mill")
    assert taken.code == 2
    assert "footnote workspace list" in taken.err


async def test_a_master_key_of_the_environment_is_rotated_by_who_set_it(
    env: dict[str, str],
) -> None:
    given = env | {"FOOTNOTE_MASTER_KEY": "base64:" + "A" * 43 + "="}
    refused = await footnote(given, "encryption", "rotate-master")
    assert refused.code == 2
    assert "before the old one in FOOTNOTE_MASTER_KEY" in refused.err.replace("\n", " ")


async def test_a_lost_master_key_is_told_and_not_replaced(
    env: dict[str, str], settings: Settings
) -> None:
    assert (await footnote(env, "workspace", "create", "mill")).code == 0
    place = settings.home / "master.key"
    kept = place.read_text()
    place.unlink()
    refused = await footnote(env, "workspace", "create", "press")
    assert refused.code != 0
    assert "there is no master key at" in refused.err.replace("\n", " ")
    assert not place.exists()
    status = await footnote(env, "encryption", "status")
    assert "mill: not all data keys can be unwrapped: there is no master key at" in status.out
    doctor = await footnote(env, "doctor", "--json")
    told = json.loads(doctor.out)
    assert (doctor.code, told["ready"]) == (4, False)
    assert [each["name"] for each in told["checks"] if each["hint"]].count("master key") == 1
    place.write_text(kept)
    assert (await footnote(env, "workspace", "create", "press")).code == 0
    assert "can be unwrapped" not in (await footnote(env, "encryption", "status")).out
