"""A conversation is its principal's alone, and what is deleted is gone from its answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from uuid import UUID, uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql
from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from footnote.domain import (
    AnswerConflict,
    AnswerSentence,
    Citation,
    ConflictingStatement,
    Principal,
    Usage,
    Verdict,
)
from footnote.domain.answers import SuggestedQuestion
from footnote.domain.conversations import MessageAnswer, StagePlace, UsedEvidence
from footnote.errors import Conflict, InvalidRequest, NotFound
from footnote.store.conversations import (
    attach_document,
    change_conversation,
    create_conversation,
    detach_document,
    get_conversation,
    list_conversations,
    remove_conversation,
)
from footnote.store.database import Database, WorkspaceScope
from footnote.store.exchanges import (
    NewExchange,
    append_exchange,
    branch_answer,
    branch_exchange,
    choose_branch,
    forget_judgement,
    judge,
)
from footnote.store.messages import (
    judged_answers,
    list_messages,
    load_exchange,
    message_position,
    messages_until,
)
from footnote.store.publishing import MaintenanceLimits, delete_document
from tests.conftest import TestDatabase
from tests.store.plans import faults_of, plan_of, whole_reads
from tests.store.shelves import Shelf, new_shelf

ANNA = Principal(principal_id="anna", groups=("board",))
BERT = Principal(principal_id="bert")
LIMITS = MaintenanceLimits(merge_fan_in=8, hnsw_threshold_chunks=1000)
ROWS = 4_000

_ANSWER = TypeAdapter(MessageAnswer)


def a_citation(marker: int, document_id: UUID, quote: str) -> Citation:
    return Citation(
        marker=marker,
        chunk_id=f"{document_id}:1:0",
        document_id=document_id,
        document_title="Storm policy",
        filename="storm.md",
        heading_path=("Storm",),
        page=None,
        paragraph=1,
        quote=quote,
        char_start=0,
        char_end=len(quote),
    )


def an_answer(*quotes: tuple[UUID, str], asked_as: str = "What is due?") -> MessageAnswer:
    """An answer that consists of one sentence for each quote."""
    return MessageAnswer(
        found=bool(quotes),
        sentences=tuple(
            AnswerSentence(text=quote, markers=(number,), support=0.9, verdict=Verdict.SUPPORTED)
            for number, (_, quote) in enumerate(quotes, 1)
        )
        or (AnswerSentence(text="I could not find this.", markers=(), support=0.0),),
        citations=tuple(
            a_citation(number, document_id, quote)
            for number, (document_id, quote) in enumerate(quotes, 1)
        ),
        evidence=tuple(
            UsedEvidence(
                chunk_id=f"{document_id}:1:0",
                document_id=document_id,
                rank=number,
                score=0.5,
                similarity=None,
                stages=(StagePlace(stage="dense", rank=number, score=0.5),),
            )
            for number, (document_id, _) in enumerate(quotes, 1)
        ),
        confidence=0.8,
        asked_as=asked_as,
        usage=Usage(requests=1, input_tokens=10, output_tokens=2, cost_usd=0.01),
        timings_ms={"total": 3.5},
    )


def a_saying(question: str, answer: MessageAnswer) -> NewExchange:
    return NewExchange(
        question_id=uuid4(), question=question, reply_id=uuid4(), answer=answer, title=question
    )


@pytest.fixture
async def shelf(database: Database) -> Shelf:
    return await new_shelf(database)


def scope_as(shelf: Shelf, principal: Principal) -> AbstractAsyncContextManager[WorkspaceScope]:
    return shelf.database.workspace(shelf.workspace.workspace_id, principal)


async def a_conversation(shelf: Shelf, principal: Principal = ANNA) -> UUID:
    conversation_id = uuid4()
    async with scope_as(shelf, principal) as scope:
        await create_conversation(scope, conversation_id, "", "first")
    return conversation_id


async def say(
    shelf: Shelf,
    conversation_id: UUID,
    *sayings: tuple[str, MessageAnswer],
    principal: Principal = ANNA,
) -> list[UUID]:
    """Append the exchanges; the ids of questions and answers, in turn."""
    ids = []
    for question, answer in sayings:
        async with scope_as(shelf, principal) as scope:
            made = await append_exchange(scope, conversation_id, a_saying(question, answer))
        ids += [message.message_id for message in made]
    return ids


async def texts(shelf: Shelf, conversation_id: UUID, *, all_branches: bool = False) -> list[str]:
    async with scope_as(shelf, ANNA) as scope:
        page = await list_messages(scope, conversation_id, limit=100, all_branches=all_branches)
    return [message.text for message in page.messages]


async def remove(shelf: Shelf, document_id: UUID, principal: Principal) -> None:
    async with scope_as(shelf, principal) as scope:
        blobs = await delete_document(scope, document_id, LIMITS)
    assert blobs is not None


# --- whose it is ------------------------------------------------------------------------------


async def test_a_conversation_is_its_principals_alone(shelf: Shelf) -> None:
    document_id = await shelf.put("The premium is due in March.")
    mine = await a_conversation(shelf)
    await say(shelf, mine, ("When?", an_answer((document_id, "The premium is due in March."))))
    same_group = Principal(principal_id="carl", groups=("board",))
    for stranger in (BERT, same_group, Principal(principal_id="dora", groups=("anna",))):
        async with scope_as(shelf, stranger) as scope:
            page = await list_conversations(scope, limit=10, cursor=None)
            assert page.conversations == ()
            assert (await list_messages(scope, mine, limit=10)).messages == ()
            assert await judged_answers(scope, None, 10) == ((), None)


async def test_what_is_anothers_and_what_is_absent_look_the_same(shelf: Shelf) -> None:
    document_id = await shelf.put("The premium is due in March.")
    answer = an_answer((document_id, "The premium is due in March."))
    mine = await a_conversation(shelf)
    [question_id, _] = await say(shelf, mine, ("When?", answer))
    said: dict[UUID, list[str]] = {}
    for conversation_id in (mine, uuid4()):
        said[conversation_id] = []
        for verb in (
            get_conversation,
            lambda scope, each: change_conversation(scope, each, title="x", document_mode=None),
            remove_conversation,
            lambda scope, each: attach_document(scope, each, document_id),
            lambda scope, each: detach_document(scope, each, document_id),
            lambda scope, each: append_exchange(scope, each, a_saying("x", answer)),
            lambda scope, each: message_position(scope, each, question_id),
        ):
            with pytest.raises(NotFound) as caught:
                async with scope_as(shelf, BERT) as scope:
                    await verb(scope, conversation_id)
            said[conversation_id].append(str(caught.value).replace(str(conversation_id), "ID"))
    assert len({tuple(each) for each in said.values()}) == 1


async def test_a_message_cannot_be_written_into_anothers_conversation(shelf: Shelf) -> None:
    mine = await a_conversation(shelf)
    for principal, error in (
        ("bert", psycopg.errors.ForeignKeyViolation),
        ("anna", psycopg.errors.InsufficientPrivilege),
    ):
        with pytest.raises(error):
            async with scope_as(shelf, BERT) as scope:
                await scope.connection.execute(
                    "INSERT INTO messages (workspace_id, principal, conversation_id, message_no,"
                    " message_id, role, text, active)"
                    " VALUES (%s, %s, %s, 1, gen_random_uuid(), 'user', 'x', true)",
                    [shelf.workspace.workspace_id, principal, mine],
                )


async def test_another_workspace_sees_nothing(database: Database) -> None:
    acme, bolt = await new_shelf(database, "acme"), await new_shelf(database, "bolt")
    mine = await a_conversation(acme)
    async with scope_as(bolt, ANNA) as scope:
        with pytest.raises(NotFound):
            await get_conversation(scope, mine)


# --- lists and branches -----------------------------------------------------------------------


async def test_pages_hold_every_conversation_once_the_latest_first(shelf: Shelf) -> None:
    made = [await a_conversation(shelf) for _ in range(7)]
    await say(shelf, made[2], ("Anything?", an_answer()))
    found: list[UUID] = []
    cursor: str | None = None
    async with scope_as(shelf, ANNA) as scope:
        while cursor is not None or not found:
            page = await list_conversations(scope, limit=3, cursor=cursor)
            found += [each.conversation_id for each in page.conversations]
            cursor = page.next_cursor
        assert found == [made[2], *reversed([*made[:2], *made[3:]])]
        with pytest.raises(InvalidRequest, match="cursor"):
            await list_conversations(scope, limit=3, cursor="soon")


async def test_pages_of_messages_hold_each_once(shelf: Shelf) -> None:
    mine = await a_conversation(shelf)
    await say(shelf, mine, *[(f"question {number}", an_answer()) for number in range(3)])
    found: list[int] = []
    cursor: str | None = None
    async with scope_as(shelf, ANNA) as scope:
        while cursor is not None or not found:
            page = await list_messages(scope, mine, limit=4, cursor=cursor)
            found += [message.message_no for message in page.messages]
            cursor = page.next_cursor
        assert found == [1, 2, 3, 4, 5, 6]
        for wrong in ("soon", "-1", "9" * 30, "٣"):
            with pytest.raises(InvalidRequest, match="cursor"):
                await list_messages(scope, mine, limit=4, cursor=wrong)


async def test_an_answer_comes_back_as_it_was_kept(shelf: Shelf) -> None:
    document_id = await shelf.put("The premium is due in March.")
    answer = an_answer((document_id, "The premium is due in March."))
    mine = await a_conversation(shelf)
    await say(shelf, mine, ("When?", answer))
    async with scope_as(shelf, ANNA) as scope:
        question, reply = (await list_messages(scope, mine, limit=10)).messages
        assert (await get_conversation(scope, mine)).title == "When?"
    assert (question.role, question.text, question.answer) == ("user", "When?", None)
    assert reply.answer == answer
    assert reply.text == answer.text
    assert (question.parent_id, reply.parent_id) == (None, question.message_id)


async def test_branches_are_kept_and_one_path_is_active(shelf: Shelf) -> None:
    mine = await a_conversation(shelf)
    refusal = an_answer()
    await say(shelf, mine, ("one", refusal), ("two", refusal), ("three", refusal))
    async with scope_as(shelf, ANNA) as scope:
        second = (await list_messages(scope, mine, limit=10)).messages[2]
        place = await message_position(scope, mine, second.message_id)
        await branch_exchange(scope, mine, a_saying("zwei", refusal), place.parent_no)
    no = refusal.text
    assert await texts(shelf, mine) == ["one", no, "zwei", no]
    assert await texts(shelf, mine, all_branches=True) == [
        *("one", no, "two", no, "three", no, "zwei", no)
    ]
    async with scope_as(shelf, ANNA) as scope:
        await branch_answer(scope, mine, place.message_no, uuid4(), refusal)
    assert await texts(shelf, mine) == ["one", no, "two", no]
    async with scope_as(shelf, ANNA) as scope:
        numbers = [each.message_no for each in (await list_messages(scope, mine, limit=9)).messages]
        assert numbers == [1, 2, 3, 9]
        await choose_branch(scope, mine, 4)
    assert await texts(shelf, mine) == ["one", no, "two", no, "three", no]
    async with scope_as(shelf, ANNA) as scope:
        await choose_branch(scope, mine, 1)
    assert await texts(shelf, mine) == ["one", no, "zwei", no]


async def test_what_was_said_goes_back_along_the_branch(shelf: Shelf) -> None:
    mine = await a_conversation(shelf)
    await say(shelf, mine, ("one", an_answer(asked_as="one?")), ("two", an_answer()))
    async with scope_as(shelf, ANNA) as scope:
        await branch_exchange(scope, mine, a_saying("zwei", an_answer()), 2)
        said = await messages_until(scope, mine, 5, 10)
        assert [each.turn.text for each in said] == ["one", an_answer().text, "zwei"]
        assert [each.asked_as for each in said] == [None, "one?", None]
        assert len(await messages_until(scope, mine, 5, 2)) == 2
        assert await messages_until(scope, mine, None, 2) == ()


async def test_an_exchange_is_found_by_its_id_and_not_for_another_question(shelf: Shelf) -> None:
    mine = await a_conversation(shelf)
    [question_id, reply_id] = await say(shelf, mine, ("When?", an_answer()))
    async with scope_as(shelf, ANNA) as scope:
        kept = await load_exchange(scope, mine, question_id, "When?")
        assert kept is not None
        assert kept.reply.message_id == reply_id
        assert await load_exchange(scope, mine, uuid4(), "When?") is None
        with pytest.raises(Conflict):
            await load_exchange(scope, mine, question_id, "Where?")


async def test_feedback_takes_the_place_of_what_was_thought_before(shelf: Shelf) -> None:
    mine = await a_conversation(shelf)
    [_, reply_id] = await say(shelf, mine, ("When?", an_answer()))
    async with scope_as(shelf, ANNA) as scope:
        await judge(scope, mine, 2, "down", "not at all")
        judged = await judge(scope, mine, 2, "up", "")
    assert judged.feedback is not None
    assert (judged.feedback.thumb, judged.feedback.comment) == ("up", "")
    async with scope_as(shelf, ANNA) as scope:
        found, after = await judged_answers(scope, None, 1)
        assert [each.message_id for each in found] == [reply_id]
        assert await judged_answers(scope, after, 1) == ((), None)
        assert (await forget_judgement(scope, mine, 2)).feedback is None


# --- documents --------------------------------------------------------------------------------


async def test_documents_are_attached_once_and_only_what_may_be_seen(shelf: Shelf) -> None:
    seen = await shelf.put("The premium is due in March.")
    hidden = await shelf.put("The salary is secret.", access=("bert",))
    mine = await a_conversation(shelf)
    async with scope_as(shelf, ANNA) as scope:
        for _ in range(2):
            assert (await attach_document(scope, mine, seen)).document_ids == (seen,)
        said = []
        for document_id in (hidden, uuid4()):
            with pytest.raises(NotFound) as caught:
                await attach_document(scope, mine, document_id)
            said.append(str(caught.value).replace(str(document_id), "ID"))
        assert said[0] == said[1]
        for _ in range(2):
            assert (await detach_document(scope, mine, seen)).document_ids == ()


async def test_a_deleted_document_is_gone_from_every_answer_whoever_deletes_it(
    shelf: Shelf, own_database: TestDatabase
) -> None:
    first = await shelf.put("Zanzibar premium is due in March.")
    second = await shelf.put("Claims are reported at once.")
    answer = an_answer(
        (first, "Zanzibar premium is due in March."), (second, "Claims are reported at once.")
    )
    mine = await a_conversation(shelf)
    await say(shelf, mine, ("When?", answer))
    async with scope_as(shelf, ANNA) as scope:
        await attach_document(scope, mine, first)
    await remove(shelf, first, BERT)
    async with scope_as(shelf, ANNA) as scope:
        _, reply = (await list_messages(scope, mine, limit=10)).messages
        assert (await get_conversation(scope, mine)).document_ids == ()
    assert reply.text == "Claims are reported at once. [2]"
    assert reply.answer == answer.without_documents({first})
    assert reply.answer.removed_markers == (1,)
    with psycopg.connect(own_database.superuser_url) as connection:
        kept = connection.execute("SELECT answer::text FROM footnote.messages").fetchall()
        sources = connection.execute("SELECT document_id FROM footnote.message_sources").fetchall()
    assert "Zanzibar" not in str(kept)
    assert str(first) not in str(kept)
    assert sources == [(second,)]


async def test_what_is_hidden_later_is_hidden_in_answers_too(shelf: Shelf) -> None:
    document_id = await shelf.put("The premium is due in March.")
    mine = await a_conversation(shelf)
    answer = an_answer((document_id, "The premium is due in March."))
    await say(shelf, mine, ("When?", answer))
    async with scope_as(shelf, ANNA) as scope:
        await judge(scope, mine, 2, "up", "")
        await scope.connection.execute("UPDATE documents SET access = '{bert}'")
    async with scope_as(shelf, ANNA) as scope:
        _, reply = (await list_messages(scope, mine, limit=10)).messages
        [judged], _ = await judged_answers(scope, None, 10)
        said = await messages_until(scope, mine, 2, 10)
    for shown in (reply.answer, judged.answer):
        assert shown == answer.without_documents({document_id})
    assert "March" not in str([reply, judged, said])


async def test_what_is_deleted_while_the_answer_is_made_is_not_kept(shelf: Shelf) -> None:
    document_id = await shelf.put("The premium is due in March.")
    answer = an_answer((document_id, "The premium is due in March."))
    mine = await a_conversation(shelf)
    await remove(shelf, document_id, BERT)
    await say(shelf, mine, ("When?", answer))
    async with scope_as(shelf, ANNA) as scope:
        _, reply = (await list_messages(scope, mine, limit=10)).messages
    assert reply.answer == answer.without_documents({document_id})


async def test_a_removed_conversation_leaves_nothing(
    shelf: Shelf, own_database: TestDatabase
) -> None:
    document_id = await shelf.put("The premium is due in March.")
    mine = await a_conversation(shelf)
    await say(shelf, mine, ("When?", an_answer((document_id, "The premium is due in March."))))
    async with scope_as(shelf, ANNA) as scope:
        await attach_document(scope, mine, document_id)
        await judge(scope, mine, 2, "up", "")
        await remove_conversation(scope, mine)
    with psycopg.connect(own_database.superuser_url) as connection:
        for table in (
            *("conversations", "conversation_documents", "messages"),
            *("message_sources", "feedback"),
        ):
            statement = sql.SQL("SELECT * FROM footnote.{}").format(sql.Identifier(table))
            assert connection.execute(statement).fetchall() == []


DOCUMENTS = tuple(UUID(int=number) for number in range(1, 4))


@st.composite
def answers(draw: st.DrawFn) -> MessageAnswer:
    some = st.sampled_from(DOCUMENTS)
    cited = draw(st.lists(some, max_size=4))
    extra = draw(st.lists(some, max_size=2))
    markers = st.lists(st.integers(1, len(cited)), max_size=3) if cited else st.just([])
    sentences = draw(st.lists(markers, max_size=4))
    answer = an_answer(*[(document_id, f"quote {document_id}") for document_id in cited])
    return replace(
        answer,
        found=draw(st.booleans()),
        sentences=tuple(
            AnswerSentence(text=f"sentence {number}", markers=tuple(each), support=0.5)
            for number, each in enumerate(sentences)
        ),
        evidence=(*answer.evidence, *an_answer(*[(each, "more") for each in extra]).evidence),
        conflicts=tuple(map(a_conflict, draw(st.lists(st.lists(some, min_size=2, max_size=4))))),
        suggestions=draw(
            st.none() | st.lists(st.builds(a_suggestion, st.sampled_from(DOCUMENTS))).map(tuple)
        ),
    )


def a_conflict(document_ids: Sequence[UUID]) -> AnswerConflict:
    return AnswerConflict(
        subject="Acme",
        predicate="employs",
        statements=tuple(
            ConflictingStatement(
                fact_id=UUID(int=marker),
                text=f"{marker} people",
                value=str(marker),
                citation=a_citation(marker, document_id, f"Acme employs {marker} people."),
            )
            for marker, document_id in enumerate(document_ids, 1)
        ),
    )


def a_suggestion(document_id: UUID) -> SuggestedQuestion:
    return SuggestedQuestion(
        question=f"What of {document_id}?",
        chunk_id=f"{document_id}:1:0",
        document_title="title",
        confidence=0.5,
        document_ids=(document_id,),
    )


@pytest.fixture
def connection(test_database: TestDatabase) -> Iterator[psycopg.Connection]:
    with psycopg.connect(test_database.application_url) as opened:
        opened.execute("SET ROLE footnote_app")
        opened.execute("SET search_path = footnote, public")
        yield opened


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(answer=answers(), gone=st.lists(st.sampled_from(DOCUMENTS), max_size=3))
def test_the_database_removes_what_the_domain_removes(
    connection: psycopg.Connection, answer: MessageAnswer, gone: Sequence[UUID]
) -> None:
    kept: object = _ANSWER.dump_python(answer, mode="json")
    expected = answer
    for document_id in gone:
        if document_id not in expected.document_ids:
            continue  # No row says that the answer rests on it, so nothing is removed.
        row = connection.execute(
            "SELECT without_document(%s, %s)", [Jsonb(kept), str(document_id)]
        ).fetchone()
        assert row is not None
        kept = row[0]
        expected = expected.without_documents({document_id})
    assert _ANSWER.validate_python(kept) == expected
    assert expected == answer.without_documents(set(gone))


# --- plans ------------------------------------------------------------------------------------


@pytest.fixture
async def scope(shelf: Shelf, own_database: TestDatabase) -> AsyncIterator[WorkspaceScope]:
    """A workspace with many conversations and one that is long."""
    document_id = await shelf.put("anchor buoy chain")
    workspace_id = shelf.workspace.workspace_id
    with psycopg.connect(own_database.superuser_url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public")
        connection.execute(
            """
            INSERT INTO conversations (workspace_id, principal, conversation_id, title,
                document_mode)
            SELECT %s, 'anna', ('00000000-0000-0000-0000-' || lpad(number::text, 12, '0'))::uuid,
                '', 'first'
            FROM generate_series(1, %s) AS number
            """,
            [workspace_id, ROWS],
        )
        connection.execute(
            """
            INSERT INTO messages (workspace_id, principal, conversation_id, message_no, message_id,
                parent_no, role, text, active)
            SELECT %s, 'anna', '00000000-0000-0000-0000-000000000001', number, gen_random_uuid(),
                NULLIF(number - 1, 0), 'user', 'x', true
            FROM generate_series(1, %s) AS number
            """,
            [workspace_id, ROWS],
        )
        connection.execute(
            """
            INSERT INTO message_sources (workspace_id, document_id, principal, conversation_id,
                message_no)
            SELECT workspace_id, %s, principal, conversation_id, message_no FROM messages
            """,
            [document_id],
        )
        connection.execute(
            """
            INSERT INTO conversation_documents
            SELECT workspace_id, principal, conversation_id, %s FROM conversations
            """,
            [document_id],
        )
        connection.execute("SET session_replication_role = replica")  # Nobody is told of these.
        connection.execute(
            """
            INSERT INTO documents (workspace_id, document_id, collection, filename, title,
                media_type, source_type, byte_size, content_sha256, status, stage, version,
                created_by)
            SELECT %s, gen_random_uuid(), 'default', 'x', 'x', 'x', 'upload', 1, '\\x00',
                'indexed', 'publish', 1, 'x'
            FROM generate_series(1, %s)
            """,
            [workspace_id, ROWS],
        )
        connection.execute("VACUUM ANALYZE")
    async with scope_as(shelf, ANNA) as opened:
        yield opened


HOT = (
    ("conversations", "get", "conversations_pkey"),
    ("conversations", "list", "conversations_recent"),
    ("conversations", "change", "conversations_pkey"),
    ("conversations", "count_attached", "conversation_documents_pkey"),
    ("messages", "page", "messages_pkey"),
    ("messages", "said_in", "messages_pkey"),
    ("messages", "place", "messages_identity"),
    ("messages", "exchange_of", "messages_children"),
    ("messages", "last_active", "messages_pkey"),
    ("messages", "said_until", "messages_pkey"),
    ("messages", "take_numbers", "conversations_pkey"),
    ("messages", "visible_documents", "documents_pkey"),
    ("messages", "hold_documents", "documents_pkey"),
    ("messages", "make_active", "messages_pkey"),
    ("messages", "newest_below", "messages_children"),
    ("messages", "judged", "feedback_pkey"),
)


async def test_hot_statements_use_their_indexes(scope: WorkspaceScope) -> None:
    await scope.connection.execute("SET LOCAL enable_seqscan = off")
    parameters: dict[str, object] = {
        "conversation_id": UUID(int=1),
        "conversation_ids": [UUID(int=1)],
        "title": "x",
        "document_mode": "first",
        "before": None,
        "before_id": None,
        "after": 17,
        "all_branches": False,
        "limit": 20,
        "message_id": uuid4(),
        "message_no": 300,
        "count": 2,
        "document_ids": [uuid4()],
        "after_conversation": UUID(int=0),
        "after_message": 0,
    }
    faults = [fault for each in HOT for fault in await faults_of(scope, each, parameters)]
    assert faults == []
    plan = await plan_of(scope, REMOVING, {"document_id": uuid4()})
    assert '"message_sources_pkey"' in plan
    assert '"messages_pkey"' in plan
    assert whole_reads(plan) == set()


REMOVING = sql.SQL(
    """
    UPDATE messages SET answer = answer
    WHERE (workspace_id, principal, conversation_id, message_no) IN (
        SELECT workspace_id, principal, conversation_id, message_no FROM message_sources
        WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    )
    """
)
"""What the database does to answers when a document goes."""
