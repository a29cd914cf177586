"""A mailbox is followed by the UIDs of its messages, and nothing in it is changed."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from footnote.domain import SourceType
from footnote.domain.sources import Labels
from footnote.engine import WorkspaceEngine
from footnote.errors import InvalidRequest, SourceUnreachable
from footnote.ingestion.sources.mailboxes import folder_name, mailbox_at
from footnote.jobs.sources.addresses import source_at
from footnote.jobs.sources.following import follow
from footnote.settings import Settings
from tests.jobs.imap_server import Mailbox, imap_server


def a_message(subject: str) -> bytes:
    return (
        f"From: Ada <ada@example.org>\r\nTo: Bob <bob@example.org>\r\nSubject: {subject}\r\n"
        "Date: Mon, 3 Mar 2025 10:00:00 +0000\r\n\r\n"
        f"The text of {subject}.\r\n"
    ).encode()


@pytest.fixture
async def mailbox() -> AsyncIterator[Mailbox]:
    messages = {3: a_message("winches"), 7: a_message("anchors")}
    async with imap_server(Mailbox(messages=messages)) as served:
        yield served


async def followed(
    workspace: WorkspaceEngine, mailbox: Mailbox, folder: str = "INBOX", password: str = "pass word"
) -> dict[str, str]:
    settings = Settings(imap_password=SecretStr(password), document_limits='{"bytes": 5000}')
    source = source_at(f"imap://ada@127.0.0.1:{mailbox.port}/{folder}", settings)
    steps = follow(workspace, source, Labels(), delete_missing=True, retry_failed=True)
    return {step.external_id.rpartition("/")[2]: step.verdict async for step in steps}


async def test_a_second_run_reads_only_new_messages(
    workspace: WorkspaceEngine, mailbox: Mailbox
) -> None:
    assert await followed(workspace, mailbox) == {"3": "added", "7": "added"}
    page = await workspace.documents()
    assert {each.source_type for each in page.documents} == {SourceType.EMAIL}
    assert {each.media_type for each in page.documents} == {"message/rfc822"}
    mailbox.said.clear()
    mailbox.messages[9] = a_message("chains")
    del mailbox.messages[3]
    assert await followed(workspace, mailbox) == {"7": "unchanged", "9": "added", "3": "removed"}
    assert mailbox.fetched == [9]
    assert {line.split(" ")[0] for line in mailbox.said} == {
        "CAPABILITY",
        "LOGIN",
        "EXAMINE",
        "UID",
        "LOGOUT",
    }


async def test_new_numbers_for_old_messages_are_renames(
    workspace: WorkspaceEngine, mailbox: Mailbox
) -> None:
    await followed(workspace, mailbox)
    before = {each.document_id for each in (await workspace.documents()).documents}
    mailbox.validity = 2
    mailbox.messages = {1: mailbox.messages[3], 2: mailbox.messages[7]}
    assert await followed(workspace, mailbox) == {"1": "renamed", "2": "renamed"}
    assert {each.document_id for each in (await workspace.documents()).documents} == before


async def test_a_message_that_is_too_large_is_refused_unread(
    workspace: WorkspaceEngine, mailbox: Mailbox
) -> None:
    mailbox.messages[8] = b"x" * 5001
    assert (await followed(workspace, mailbox))["8"] == "refused"
    assert 8 not in mailbox.fetched


async def test_a_wrong_password_or_folder_deletes_nothing(
    workspace: WorkspaceEngine, mailbox: Mailbox
) -> None:
    await followed(workspace, mailbox)
    for wrong in ({"password": "guessed"}, {"folder": "Elsewhere"}):
        with pytest.raises(SourceUnreachable) as caught:
            await followed(workspace, mailbox, **wrong)
        assert "guessed" not in str(caught.value)
    assert len((await workspace.documents()).documents) == 2


async def test_a_folder_may_have_a_name_of_any_letters(
    workspace: WorkspaceEngine, mailbox: Mailbox
) -> None:
    mailbox.folder = "Entw&APw-rfe"
    assert await followed(workspace, mailbox, folder="Entw%C3%BCrfe") == {
        "3": "added",
        "7": "added",
    }


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20))
def test_a_folder_name_goes_over_the_wire_in_seven_bits(folder: str) -> None:
    assert all(0x20 <= ord(character) < 0x7F for character in folder_name(folder))


@pytest.mark.parametrize(
    "address",
    [
        "imaps://ada:secret@mail.example.com/INBOX",
        "imap://ada@mail.example.com/INBOX",
        "imaps://mail.example.com/INBOX",
        "imaps://ada@mail.example.com:99999/",
        "imaps://ada@mail.example.com:0/",
        "http://ada@mail.example.com:143/",
        "imaps://ada@mail.example.com/a%0d%0ab",
    ],
)
def test_an_address_that_would_tell_too_much_is_refused(address: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        mailbox_at(address)
    assert "secret" not in str(caught.value)


def test_the_usual_folder_and_port_are_filled_in() -> None:
    assert (
        mailbox_at("imaps://ada@mail.example.com").url == "imaps://ada@mail.example.com:993/INBOX"
    )


@pytest.mark.parametrize("beyond", [1000, 0], ids=["a rest", "no rest"])
async def test_a_large_message_is_read_in_pieces_and_kept_as_it_was(
    workspace: WorkspaceEngine, mailbox: Mailbox, beyond: int
) -> None:
    head = a_message("bottles")
    message = head + b"bottle\r\n" * (2 * 1024**2 // 8)
    mailbox.messages = {5: message[: 2 * 1024**2] + b"x" * beyond}
    settings = Settings(imap_password=SecretStr(mailbox.password))
    source = source_at(f"imap://ada@127.0.0.1:{mailbox.port}/INBOX", settings)
    steps = follow(workspace, source, Labels(), delete_missing=True, retry_failed=True)
    assert [step.verdict async for step in steps] == ["added"]
    assert sum("BODY.PEEK" in line for line in mailbox.said) == 3
    [document] = (await workspace.documents()).documents
    original = await workspace.original(document.document_id)
    assert original.content == mailbox.messages[5]
