"""An encrypted workspace finds and answers as any other does, and stores nothing readable."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import psycopg
import pytest
from psycopg import sql
from pydantic import SecretStr

from footnote.domain import Evidence, PlanChanges, SearchFilters, SearchRequest, SearchResponse
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.engine.exchanges import Asking
from footnote.errors import CiphertextDamaged, InvalidRequest, KeyUnavailable, UnsupportedSettings
from footnote.filters import condition_from
from footnote.jobs.inline import work_until_resting
from footnote.ports import Vector
from footnote.settings import Settings
from footnote.store.embedded import EmbeddedPostgres
from footnote.store.messages import answer_of
from tests.conftest import TestDatabase, fresh_database, settings_over
from tests.ingestion.mailfiles import plain_message

EXAMPLES = Path(__file__).parents[2] / "examples" / "documents"
NAMES = (
    "employee-handbook.txt",
    "meeting-2025-02-18-storm-review.md",
    "meeting-2025-04-24-management.md",
    "product-roadmap-2025.md",
    "buoy-fleet.csv",
    "harbour-contract.docx",
)
QUERIES = (
    "storm review",
    "how many days of holiday do employees have",
    "who pays for the harbour",
    "which buoys were lost",
    "battery",
    "roadmap for the next release",
    "remote work",
    "termination notice of the contract",
    "management decisions in April",
    "the price of a buoy",
    '"the storm"',
    "contract -storm",
)
PLANS = (
    PlanChanges(),
    PlanChanges(neighbours=2),
    PlanChanges(fusion="dense_only"),
    PlanChanges(fusion="lexical_only"),
    PlanChanges(diversity="mmr"),
)
MARKS = ("Zauberlehrling", "Quecksilber", "Nachtigall")
"""Words that stand in documents, questions and titles alone, which no dump may show."""
TIED = 5e-4
"""Scores closer than this may change places: what half precision makes of a vector and its turn."""
LETTER = f"""# The {MARKS[0]} letter

## About {MARKS[1]}

The deductible of the {MARKS[2]} policy is EUR 4711 for each event.
"""
DELIVERY = f"# Delivery note\n\nCarton 7 holds the {MARKS[1]} probes."


@dataclass(frozen=True, slots=True)
class Both:
    """The same documents in a workspace as any other, and in an encrypted one."""

    plain: WorkspaceEngine
    encrypted: WorkspaceEngine
    databases: tuple[TestDatabase, TestDatabase]
    """Of the one and of the other."""
    home: Path
    engine: Engine
    """Of the encrypted one."""


@cache
def message() -> bytes:
    """One message with its attachment, the same bytes each time."""
    mail = plain_message(body="The delivery note is attached.", subject=f"{MARKS[0]} note")
    mail.add_attachment(DELIVERY.encode(), "text", "markdown", filename="delivery.md")
    return mail.as_bytes()


async def filled(engine: Engine) -> WorkspaceEngine:
    workspace = await engine.workspace()
    files = {name: (EXAMPLES / name).read_bytes() for name in NAMES}
    files |= {"letter.md": LETTER.encode(), "mail.eml": message()}
    for name, content in files.items():
        # One after the other: keywords depend on what was there before, ties on the order.
        received = await workspace.receive(content, name)
        whose = [received.document.document_id]
        await work_until_resting(engine, workspace, whose, lambda _: None)
    return workspace


def encrypting(settings: Settings) -> Settings:
    return settings.model_copy(update={"encryption": "on"})


@pytest.fixture(scope="module")
async def both(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Both]:
    async with AsyncExitStack() as stack:
        opened, databases = [], []
        for kind in ("plain", "encrypted"):
            database = stack.enter_context(fresh_database(postgres))
            settings = settings_over(database, tmp_path_factory.mktemp(kind), model_home)
            if kind == "encrypted":
                settings = encrypting(settings)
            engine = await stack.enter_async_context(await open_engine(settings))
            opened.append(await filled(engine))
            databases.append(database)
        yield Both(opened[0], opened[1], (databases[0], databases[1]), settings.home, engine)


def shown(evidence: tuple[Evidence, ...]) -> list[tuple[object, ...]]:
    """What a reader sees of results, in their order, without ids and the last digits of scores."""
    return [
        (
            each.passage.filename,
            each.passage.ordinal,
            each.passage.text,
            tuple(each.passage.heading_path),
            each.passage.document_title,
            each.passage.char_start,
            each.passage.char_end,
            each.passage.parent_title,
        )
        for each in evidence
    ]


def assert_same(plain: tuple[Evidence, ...], encrypted: tuple[Evidence, ...]) -> None:
    """The same results in the same order, but for those that half precision cannot tell apart."""
    assert [each.score for each in encrypted] == pytest.approx(
        [each.score for each in plain], abs=TIED
    )
    scores = {row: each.score for row, each in zip(shown(plain), plain, strict=True)}
    for place, row in enumerate(shown(encrypted)):
        assert scores.get(row, plain[-1].score) == pytest.approx(plain[place].score, abs=TIED)


async def searched(workspace: WorkspaceEngine, query: str) -> SearchResponse:
    return await workspace.search(SearchRequest(query=query, changes=PlanChanges(cache=False)))


# --- the same results ---------------------------------------------------------------------------


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: str(plan)[12:40])
async def test_results_and_their_order_are_the_same(both: Both, plan: PlanChanges) -> None:
    for query in QUERIES:
        request = SearchRequest(query=query, changes=plan)
        plain = await both.plain.search(request)
        encrypted = await both.encrypted.search(request)
        assert encrypted.degraded == plain.degraded
        assert_same(plain.evidence, encrypted.evidence)


async def test_a_search_that_compares_in_postgres_is_the_same_as_one_in_memory(both: Both) -> None:
    await searched(both.encrypted, "storm")
    await both.encrypted.engine.vector_cache.settled()
    held = await searched(both.encrypted, "losses at sea")
    both.encrypted.engine.vector_cache.forget(both.encrypted.workspace_id)
    asked = await searched(both.encrypted, "losses at  sea")
    assert shown(held.evidence) == shown(asked.evidence)


async def test_the_default_search_gives_the_same_list(both: Both) -> None:
    for query in QUERIES:
        plain = await both.plain.search(SearchRequest(query=query))
        encrypted = await both.encrypted.search(SearchRequest(query=query))
        # Each key turns vectors another way, and so rounds near ties another way.
        assert_same(plain.evidence, encrypted.evidence)


async def test_answers_are_the_same(both: Both) -> None:
    for question in ("What is the deductible of the Nachtigall policy?", "Who wrote the moon?"):
        plain, encrypted = await both.plain.ask(question), await both.encrypted.ask(question)
        assert encrypted.text == plain.text
        assert encrypted.found == plain.found == ("deductible" in question)
        assert [each.quote for each in encrypted.citations] == [
            each.quote for each in plain.citations
        ]


@pytest.mark.parametrize(
    "where",
    [
        {"title": {"contains": "zauberlehrling"}},
        {"title": {"eq": "The Zauberlehrling letter"}},
        {"title": {"ne": "The Zauberlehrling letter"}},
        {"not": {"title": {"in": ["The Zauberlehrling letter", "no other"]}}},
        {"title": {"exists": True}},
        {"any": [{"title": {"contains": "nowhere"}}, {"filename": {"contains": "meeting"}}]},
    ],
    ids=str,
)
async def test_filters_on_titles_are_the_same(both: Both, where: Mapping[str, object]) -> None:
    request = SearchRequest(query="letter", filters=SearchFilters(where=condition_from(where)))
    plain = await both.plain.search(request)
    encrypted = await both.encrypted.search(request)
    assert shown(encrypted.evidence) == shown(plain.evidence)


@pytest.mark.parametrize("key", ["subject", "title"])
async def test_metadata_that_says_what_a_document_is_about_cannot_be_filtered_by(
    both: Both, key: str
) -> None:
    filters = SearchFilters(where=condition_from({f"metadata.{key}": "Note"}))
    with pytest.raises(InvalidRequest, match="is encrypted in this workspace"):
        await both.encrypted.search(SearchRequest(query="note", filters=filters))
    with pytest.raises(InvalidRequest, match="is encrypted in this workspace"):
        await both.encrypted.search(SearchRequest(query="note", facets=(f"metadata.{key}",)))
    assert (await both.plain.search(SearchRequest(query="note", filters=filters))).evidence == ()


async def test_documents_are_listed_and_read_the_same(both: Both) -> None:
    async def seen(workspace: WorkspaceEngine) -> list[object]:
        found: list[object] = []
        for each in sorted(
            (await workspace.documents()).documents, key=lambda each: (each.filename, each.title)
        ):
            whose = each.document_id
            text = await workspace.text(whose, most_characters=5000)
            passages = await workspace.passages(whose, limit=100)
            found.append(
                (
                    each.filename, each.title, each.metadata, each.summary, each.sections,
                    # Which they are hangs on the documents that came before it.
                    len(each.keywords),
                    None if text is None else (text.text, text.characters),
                    [(one.text, one.heading_path, one.document_title) for one in passages],
                    (await workspace.original(whose)).content,
                )
            )  # fmt: skip
        return found

    plain, encrypted = await seen(both.plain), await seen(both.encrypted)
    assert plain == encrypted
    assert len(plain) == len(NAMES) + 3


# --- nothing readable ----------------------------------------------------------------------------


def dumped(database: TestDatabase) -> Iterator[tuple[str, str]]:
    """Every row of every table, as text and as the letters in its bytes."""
    with psycopg.connect(database.superuser_url) as connection:
        tables = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'footnote'::regnamespace"
            " AND relkind = 'r'"
        ).fetchall()
        for (table,) in tables:
            for row in connection.execute(
                sql.SQL("SELECT * FROM footnote.{}").format(sql.Identifier(table))
            ):
                for value in row:
                    if isinstance(value, bytes):
                        yield table, value.decode("latin-1")
                    yield table, str(value)


async def test_no_word_of_documents_questions_or_titles_is_stored_readable(both: Both) -> None:
    workspace = both.encrypted
    talk = await workspace.create_conversation(title=f"About {MARKS[0]}")
    exchange = await workspace.ask_in_conversation(
        talk.conversation_id, Asking(question=f"What is the deductible of the {MARKS[2]} policy?")
    )
    await workspace.give_feedback(
        talk.conversation_id, exchange.reply.message_id, "up", f"{MARKS[1]}!"
    )
    assert MARKS[2] in exchange.reply.text
    everything = list(dumped(both.databases[1]))
    assert len({table for table, _ in everything}) > 15
    found = {
        (table, mark)
        for table, value in everything
        for mark in MARKS
        if mark.lower() in value.lower()
    }
    assert found == set()


async def test_no_word_of_a_file_is_stored_readable(both: Both) -> None:
    names = [f"{each.name}" for each in both.home.iterdir()]
    assert "blobs" in names
    stored = [path for path in (both.home / "blobs").rglob("*") if path.is_file()]
    assert len(stored) >= len(NAMES) + 3
    assert all(path.read_bytes().startswith(b"FNB1") for path in stored)
    words = [mark.encode() for mark in MARKS]
    assert not [path for path in stored for word in words if word in path.read_bytes()]


async def test_the_dump_of_an_unencrypted_workspace_would_show_them(both: Both) -> None:
    with psycopg.connect(both.databases[0].superuser_url) as connection:
        rows = connection.execute("SELECT text FROM footnote.chunks").fetchall()
    assert any(MARKS[2] in text for (text,) in rows)


async def test_stored_vectors_are_not_those_of_the_model(both: Both) -> None:
    def vectors(database: TestDatabase) -> list[Vector]:
        with psycopg.connect(database.superuser_url) as connection:
            rows = connection.execute(
                "SELECT embedding::text FROM footnote.embeddings JOIN footnote.chunks"
                " USING (workspace_id, chunk_no) JOIN footnote.documents"
                " USING (workspace_id, document_id) ORDER BY filename, ordinal, byte_size"
            ).fetchall()
        return [np.array(json.loads(text), dtype=np.float32) for (text,) in rows]

    plain, encrypted = map(vectors, both.databases)
    assert len(plain) == len(encrypted) > 20
    cosines = [float(one @ other) for one, other in zip(plain, encrypted, strict=True)]
    assert abs(sum(cosines) / len(cosines)) < 0.1


# --- what is changed and deleted -----------------------------------------------------------------


async def test_a_value_moved_to_another_row_is_refused(both: Both) -> None:
    with psycopg.connect(both.databases[1].superuser_url) as connection:
        rows = connection.execute(
            "SELECT chunk_no, text FROM footnote.chunks ORDER BY chunk_no LIMIT 2"
        ).fetchall()
        (first, kept), (_, other) = rows
        connection.execute(
            "UPDATE footnote.chunks SET text = %s WHERE chunk_no = %s", [other, first]
        )
        connection.commit()
        whose = connection.execute(
            "SELECT document_id FROM footnote.chunks WHERE chunk_no = %s", [first]
        ).fetchone()
        assert whose is not None
        try:
            with pytest.raises(CiphertextDamaged, match=r"chunks\.text"):
                await both.encrypted.passages(whose[0], limit=100)
        finally:
            connection.execute(
                "UPDATE footnote.chunks SET text = %s WHERE chunk_no = %s", [kept, first]
            )


async def test_an_answer_loses_what_rested_on_a_deleted_document(both: Both) -> None:
    await both.engine.create_workspace("forgetful")
    own = await both.engine.workspace("forgetful")
    received = await own.receive(b"# Boats\n\nThe Marlin was built in Cadiz in 1987.", "boats.md")
    whose = received.document.document_id
    await work_until_resting(own.engine, own, [whose], lambda _: None)
    talk = await own.create_conversation()
    exchange = await own.ask_in_conversation(
        talk.conversation_id, Asking(question="Where was the Marlin built?")
    )
    assert "Cadiz" in exchange.reply.text
    assert exchange.reply.answer is not None
    erased = await own.erase_document(whose)
    assert erased.complete
    async with own.system_scope() as scope:
        rows = await scope.all("SELECT * FROM messages WHERE answer IS NOT NULL")
        answers = [answer_of(replace(scope, principal=own.principal), talk.conversation_id, row)
                   for row in rows]  # fmt: skip
    assert len(answers) == 1
    assert "Cadiz" not in repr(answers)


# --- the mode of a workspace ----------------------------------------------------------------------


async def test_a_workspace_without_encryption_is_refused_where_it_is_demanded(
    engine: Engine, own_database: TestDatabase
) -> None:
    await engine.workspace()
    async with await open_engine(encrypting(engine.settings)) as strict:
        workspace = await strict.workspace()
        with pytest.raises(UnsupportedSettings, match="made without encryption"):
            await workspace.documents()
        with pytest.raises(UnsupportedSettings, match="made without encryption"):
            await workspace.receive(b"secret", "secret.txt")
        await strict.create_workspace("new")
        await (await strict.workspace("new")).documents()


async def test_an_encrypted_workspace_stays_so_where_encryption_is_off(both: Both) -> None:
    settings = both.encrypted.engine.settings.model_copy(update={"encryption": "off"})
    async with await open_engine(settings) as lax:
        workspace = await lax.workspace()
        found = await workspace.search(SearchRequest(query="Nachtigall"))
        assert MARKS[2] in found.evidence[0].passage.text


async def test_without_the_master_key_nothing_can_be_read(both: Both, tmp_path: Path) -> None:
    another = SecretStr("base64:" + base64.b64encode(bytes(32)).decode())
    settings = both.encrypted.engine.settings.model_copy(update={"master_key": another})
    async with await open_engine(settings) as stranger:
        workspace = await stranger.workspace()
        with pytest.raises(KeyUnavailable, match="under master key"):
            await workspace.documents()
