"""What a workspace wants redacted never leaves, and its answers, quotes and tools have it still."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from footnote.domain import SearchRequest
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.engine.exchanges import Asking
from footnote.errors import InvalidRequest, UnsupportedSettings
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings, settings_from
from tests.models.personal import personal_in
from tests.wire import WireServer, calls, says

EMAIL, PHONE = "claims@insurer.example.com", "+49 30 901820"
NOTE = f"# Claims\n\nA claim is reported to {EMAIL} or by telephone to {PHONE} within 14 days.\n"
QUESTION = "To which address is a claim reported?"
WRITTEN = says("A claim is reported to [EM", "AIL_1] or by telephone to [PHONE_", "1]. [1]")


def configured(settings: Settings, server: WireServer, **more: object) -> Settings:
    return settings_from(
        settings,
        {
            "answer_models": f"openai:scripted@{server.openai_url}",
            "language_model": f"scripted@{server.openai_url}",
            **more,
        },
    )


@pytest.fixture
async def engine(settings: Settings, wire_server: WireServer) -> AsyncIterator[Engine]:
    async with await open_engine(configured(settings, wire_server)) as made:
        yield made


@pytest.fixture
async def workspace(engine: Engine) -> WorkspaceEngine:
    made = await engine.workspace()
    received = await made.receive(NOTE.encode(), "claims.md")
    await work_until_resting(engine, made, [received.document.document_id], lambda _: None)
    return made


async def test_an_answer_and_its_quotes_have_what_never_left(
    workspace: WorkspaceEngine, wire_server: WireServer
) -> None:
    await workspace.change_setting("redact", "email, phone")
    wire_server.script(WRITTEN)
    answer = await workspace.ask(QUESTION)
    assert EMAIL in answer.text
    assert PHONE in answer.text
    assert "[EMAIL" not in answer.text
    [citation, *_] = answer.citations
    assert EMAIL in citation.quote
    assert citation.quote in NOTE
    [asked] = wire_server.asked
    assert personal_in(asked.payload) == []
    assert "[EMAIL_1]" in asked.prompt


async def test_conversations_and_agents_are_redacted_as_well(
    workspace: WorkspaceEngine, wire_server: WireServer
) -> None:
    await workspace.change_setting("redact", "all")
    wire_server.script(WRITTEN, WRITTEN, WRITTEN)
    mine = (await workspace.create_conversation()).conversation_id
    await workspace.ask_in_conversation(mine, Asking(question=f"I am {EMAIL}. {QUESTION}"))
    again = await workspace.ask_in_conversation(mine, Asking(question="And by telephone?"))
    assert again.reply.answer is not None
    wire_server.script(
        calls("search_documents", '{"query": "mail of [EMAIL_1]"}'),
        says("Report it to [EMAIL_1]."),
    )
    async for _ in workspace.agent_stream(f"Who is {EMAIL}?"):
        pass
    assert len(wire_server.asked) >= 4
    assert [personal_in(each.payload) for each in wire_server.asked] == [[]] * len(
        wire_server.asked
    )


async def test_a_change_holds_from_the_next_text_in_every_process(
    workspace: WorkspaceEngine, settings: Settings, wire_server: WireServer
) -> None:
    wire_server.script(WRITTEN, WRITTEN, WRITTEN)
    async with await open_engine(configured(settings, wire_server)) as elsewhere:
        there = await elsewhere.workspace()
        assert EMAIL not in (await there.ask(QUESTION)).text
        assert EMAIL in wire_server.asked[-1].prompt
        await workspace.change_setting("redact", "email")
        # What is asked of a model before the index is read is redacted, too.
        await there.ask(f"{QUESTION} I am {EMAIL}.")
        assert EMAIL not in str(wire_server.asked[-1].payload)
        await workspace.unset_setting("redact")
        await there.ask(f"{QUESTION} I was {EMAIL}.")
        assert EMAIL in str(wire_server.asked[-1].payload)


async def test_a_search_that_is_rewritten_sends_no_personal_data(
    workspace: WorkspaceEngine, wire_server: WireServer
) -> None:
    await workspace.change_setting("redact", "email")
    wire_server.script(*[says("mail of [EMAIL_1]")] * 9)
    await workspace.search(SearchRequest(query=f"mail of {EMAIL}", plan="thorough"))
    assert wire_server.asked
    assert EMAIL not in str([each.payload for each in wire_server.asked])


async def test_other_workspaces_are_sent_as_they_were(
    engine: Engine, workspace: WorkspaceEngine, wire_server: WireServer
) -> None:
    await workspace.change_setting("redact", "all")
    await engine.create_workspace("other")
    other = await engine.workspace("other")
    received = await other.receive(NOTE.encode(), "claims.md")
    await work_until_resting(engine, other, [received.document.document_id], lambda _: None)
    wire_server.script(WRITTEN)
    await other.ask(QUESTION)
    assert EMAIL in wire_server.asked[-1].prompt


async def test_a_workspace_adds_to_what_the_installation_redacts_and_takes_nothing_away(
    settings: Settings, wire_server: WireServer
) -> None:
    installed = configured(settings, wire_server, redact="phone,email")
    async with await open_engine(installed) as engine:
        workspace = await engine.workspace()
        held = await workspace.setting("redact")
        assert (held.value, held.installation_value) == ("email,phone", "email,phone")
        for name, value in (
            ("redact", ""),
            ("redact", "iban,email"),
            ("redact_embeddings", False),
            ("redact_media", "send"),
        ):
            with pytest.raises(InvalidRequest, match="redacts more"):
                await workspace.change_setting(name, value)
        assert (await workspace.change_setting("redact", "all")).value == (
            "email,phone,iban,card,national_id,ip"
        )
        with pytest.raises(InvalidRequest, match="names is none of email"):
            await workspace.change_setting("redact", "names")


async def test_what_the_installation_adds_later_holds_in_workspaces_with_their_own(
    workspace: WorkspaceEngine, settings: Settings, wire_server: WireServer
) -> None:
    await workspace.change_setting("redact", "email")
    await workspace.change_setting("redact_media", "send")
    async with await open_engine(configured(settings, wire_server, redact="phone")) as later:
        there = await later.workspace()
        assert (await there.setting("redact")).value == "email,phone"
        assert (await there.setting("redact_media")).value == "refuse"
        wire_server.script(WRITTEN)
        await there.ask(QUESTION)
        assert personal_in(wire_server.asked[-1].payload) == []


def test_a_kind_that_is_none_is_refused_at_the_start() -> None:
    with pytest.raises(UnsupportedSettings, match="none of email, phone"):
        settings_from(None, {"redact": "email,names"})
