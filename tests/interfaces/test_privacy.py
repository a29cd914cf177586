"""Retention, legal holds and erasures over HTTP, by the client and by commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import footnote
from footnote.domain.retention import RetentionKind
from footnote.engine import Engine
from footnote.errors import InvalidRequest, NotFound, UnderLegalHold
from footnote.settings import Settings
from tests.interfaces.serving import environment, served
from tests.interfaces.serving import footnote as command

DOCUMENTS = RetentionKind.DOCUMENTS


async def test_the_client_has_the_verbs_of_retention(settings: Settings, engine: Engine) -> None:
    await engine.create_workspace("acme")
    async with (
        served(settings) as http,
        footnote.AsyncClient(str(http.base_url), workspace="acme") as client,
    ):
        await client.receive(b"A note.", "note.txt", collection="notes")
        [rule] = await client.set_retention(DOCUMENTS, 30, collection="notes")
        assert await client.retention_rules() == (rule,)
        preview = await client.retention_preview(within_days=31)
        assert [each.filename for each in preview.documents] == ["note.txt"]
        assert (await client.retention_preview()).document_count == 0
        assert (await client.apply_retention()).documents == 0
        await client.remove_retention(DOCUMENTS, collection="notes")
        with pytest.raises(NotFound):
            await client.remove_retention(DOCUMENTS)
        with pytest.raises(InvalidRequest):
            await client.set_retention(DOCUMENTS, 0)


async def test_the_client_has_the_verbs_of_legal_holds(settings: Settings, engine: Engine) -> None:
    await engine.create_workspace("acme")
    async with (
        served(settings) as http,
        footnote.AsyncClient(str(http.base_url), workspace="acme") as client,
    ):
        received = await client.receive(b"A note.", "note.txt")
        document_id = received.document.document_id
        hold = await client.set_legal_hold("case 7", document_id=document_id)
        assert await client.legal_holds() == (hold,)
        with pytest.raises(UnderLegalHold, match="is not deleted"):
            await client.delete_document(document_id)
        refused = await http.delete(
            f"/v1/documents/{document_id}", headers={"Footnote-Workspace": "acme"}
        )
        assert refused.status_code == 409
        assert refused.json()["type"] == "urn:footnote:problem:legal-hold"
        lifted = await client.lift_legal_hold(hold.hold_id, "settled")
        assert await client.legal_holds() == ()
        assert await client.legal_holds(lifted=True) == (lifted,)
        await client.delete_document(document_id)
        with pytest.raises(InvalidRequest, match="one thing"):
            await client.set_legal_hold("case 7")


@pytest.mark.usefixtures("own_database")
async def test_the_commands_of_legal_holds(settings: Settings) -> None:
    env = environment(settings)
    told = await command(env, "hold", "set", "-c", "notes", "--reason", "case 7", "--json")
    hold = json.loads(told.out)
    assert (hold["collection"], hold["reason"]) == ("notes", "case 7")
    assert "case 7" in (await command(env, "hold", "list")).out
    refused = await command(env, "workspace", "destroy", "default", "--yes")
    assert refused.code == 2
    assert "footnote hold lift" in refused.err
    lifted = await command(env, "hold", "lift", hold["hold_id"], "--reason", "settled")
    assert "settled" in lifted.out
    assert "No legal holds." in (await command(env, "hold", "list")).out
    again = await command(env, "hold", "lift", hold["hold_id"], "--reason", "settled")
    assert again.code == 3


@pytest.mark.usefixtures("own_database")
async def test_the_commands_of_retention(settings: Settings) -> None:
    env = environment(settings)
    told = await command(env, "retention", "set", "documents", "30", "-c", "notes")
    assert (told.code, "notes" in told.out) == (0, True)
    kept = await command(env, "retention", "set", "documents", "forever", "--json")
    assert [each["days"] for each in json.loads(kept.out)["rules"]] == [None, 30]
    preview = await command(env, "retention", "preview", "--within", "30")
    assert "0 documents, 0 conversations, 0 queries, 0 pushes" in preview.out
    assert "Deleted 0 documents" in (await command(env, "retention", "apply")).out
    unset = await command(env, "retention", "unset", "documents")
    assert unset.out == "Removed the rule for documents in the workspace.\n"
    assert (await command(env, "retention", "unset", "documents")).code == 3
    wrong = await command(env, "retention", "set", "documents", "soon")
    assert (wrong.code, "forever" in wrong.err) == (2, True)
    none = await command(env, "retention", "set", "documents", "0")
    assert (none.code, "days" in none.err, "--help" in none.err) == (2, True, True)
    assert "set_retention" not in none.err, "commands do not speak of what Python calls"
    assert "notes" in (await command(env, "retention", "list")).out


async def test_the_client_erases_verifies_and_replays(settings: Settings, engine: Engine) -> None:
    await engine.create_workspace("acme")
    async with (
        served(settings) as http,
        footnote.AsyncClient(str(http.base_url), workspace="acme") as client,
    ):
        received = await client.receive(b"A note.", "note.txt", collection="notes")
        erasure = await client.erase_collection("notes")
        assert erasure.document_ids == (received.document.document_id,)
        assert erasure.complete
        told = await client.verify_erasure(erasure)
        assert (told.valid, told.faults) == (True, ())
        entries = await client.erasures()
        assert [each.certificate_id for each in entries] == [erasure.certificate_id]
        [nothing] = await client.replay_erasures(entries)
        assert nothing.erasure is None
        assert (await client.erase_principal("nobody")).document_ids == ()
        with pytest.raises(NotFound):
            await client.erase_collection("nothing")
        headers = {"Footnote-Workspace": "acme"}
        for wrong in ({}, {"collection": "a", "principal_id": "b"}):
            said = await http.post("/v1/erasures", json=wrong, headers=headers)
            assert said.status_code == 422


@pytest.mark.usefixtures("own_database")
async def test_the_commands_of_erasure(settings: Settings, tmp_path: Path) -> None:
    env = environment(settings)
    note = tmp_path / "note.md"
    note.write_text("# Note\n\nThe quillwort blooms.")
    assert (await command(env, "ingest", str(note))).code == 0
    erased = await command(env, "documents", "erase", "note.md", "--yes", "--json")
    assert erased.code == 0
    assert json.loads(erased.out)["complete"] is True
    certificate = tmp_path / "certificate.json"
    certificate.write_text(erased.out)
    verified = await command(env, "erasure", "verify", str(certificate))
    assert (verified.code, "of the audit log" in verified.out) == (0, True)
    changed = json.loads(erased.out) | {"erased_by": "somebody else"}
    certificate.write_text(json.dumps(changed))
    assert (await command(env, "erasure", "verify", str(certificate))).code == 1
    ledger = tmp_path / "erasures.json"
    ledger.write_text((await command(env, "erasure", "list", "--json")).out)
    unasked = await command(env, "erasure", "replay", str(ledger))
    assert (unasked.code, "--yes" in unasked.err) == (2, True)
    forged = await command(env, "erasure", "replay", str(certificate), "--yes")
    assert (forged.code, "was changed" in forged.err) == (2, True)
    certificate.write_text("[" * 200_000)
    nested = await command(env, "erasure", "verify", str(certificate))
    assert (nested.code, "cannot be read as JSON" in nested.err) == (2, True)
    replayed = await command(env, "erasure", "replay", str(ledger), "--yes")
    assert (replayed.code, "nothing of it was there" in replayed.out) == (0, True)
    by_hand = await command(env, "documents", "erase", "--principal", "ann", "--yes")
    assert by_hand.code == 0
    assert "SHA-256" in by_hand.out
    for wrong in ((), ("note.md", "--principal", "ann")):
        assert (await command(env, "documents", "erase", *wrong)).code == 2
    assert (await command(env, "erasure", "verify", str(note))).code == 2
