"""No function of the store reaches another workspace, with whatever ids it is called.

Each function that works in a scope is called in one workspace with the ids of another; afterwards
every row of the other one is as it was, and nothing that was returned tells of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import psycopg
import pytest
from psycopg import sql

import footnote.store
from footnote.domain import (
    AllOf,
    Failure,
    Identity,
    Principal,
    ReembeddingState,
    Role,
    SavedView,
    SearchFilters,
    Stage,
    Usage,
    Visibility,
)
from footnote.domain.clusters import ClusterGranularity, ClusterOf
from footnote.domain.conversations import MessageAnswer
from footnote.domain.entities import EntityKind
from footnote.domain.erasure import ErasureEntry, ErasureTarget
from footnote.domain.events import EventCursor, PushedDocument
from footnote.domain.facts import FactFailure, FactStatus
from footnote.domain.models_in_use import McpServer
from footnote.domain.people import PeopleQuery, WantedGroup, WantedUser
from footnote.domain.relationships import DocumentKey, EntityPair, KeyRole
from footnote.domain.retention import RetentionKind
from footnote.domain.sources import NewSource
from footnote.domain.summaries import WrittenSentence
from footnote.domain.usage import Measure, Period
from footnote.engine import Engine, WorkspaceEngine
from footnote.engine.fact_extraction import fact_lane
from footnote.errors import FootnoteError
from footnote.index.quoting import quotable
from footnote.index.ranges import ChunkRanges
from footnote.jobs.inline import work_until_resting
from footnote.ports import QuestionName
from footnote.store import people
from footnote.store.answer_statistics import StatisticsPeriod
from footnote.store.api_keys import NewKey
from footnote.store.audit import AuditFilter
from footnote.store.blob_claims import BlobClaim
from footnote.store.blobs import LocalBlobs
from footnote.store.clusters import ClusterName
from footnote.store.conditions import Compiled
from footnote.store.database import SYSTEM, WorkspaceScope
from footnote.store.entities import EntityFilter
from footnote.store.erasure import Family
from footnote.store.erasures import ErasureDocuments
from footnote.store.exchanges import NewExchange
from footnote.store.fact_conflicts import QuotedSpan
from footnote.store.facts import FactFilter
from footnote.store.idempotency import IdempotentRequest
from footnote.store.keywords import WaitingDocument
from footnote.store.listing import Listing
from footnote.store.part_readings import PartReading
from footnote.store.publishing import MaintenanceLimits
from footnote.store.quotes import StoredText
from footnote.store.receiving import Incoming, QueueLimits
from footnote.store.sessions import NewSession
from footnote.store.summaries import NewSentence, UnsummarisedDocument
from footnote.store.usage import UsageFilter
from footnote.store.written_summaries import Writing
from tests.attack.test_foreign_and_absent import (
    CANARY,
    and_their_settings,
    what_one_has,
)
from tests.conftest import TestDatabase
from tests.evaluation.factories import a_new_run, an_order, an_outcome
from tests.interfaces.records import a_document
from tests.store.cluster_factories import a_run, some_members
from tests.store.entity_factories import a_keyed_entity, an_unread, first_of_all
from tests.store.fact_factories import a_keyed_fact, a_version, some_facts
from tests.store.test_tenancy import CUSTOMER_TABLES

StoreFunction = Callable[..., Coroutine[object, object, object]]

pytestmark = pytest.mark.usefixtures("own_database")

NOT_CALLED = {
    # What they are given was read in the same scope before; tests/store holds what they make of it.
    *("dense.ask_nearest", "dense.complete_similarities", "phrase_filter.narrow"),
    *("lexical.ask_postings", "lexical.read_postings", "lexical.find_holders"),
    *("lexical.load_lists", "lexical.count_lists", "merging.load_postings"),
    *("routing.ask_routes", "routing.replace_document_vector", "passages.read_passages"),
    *("passages.load_widened", "documents.texts_of_spans", "merging.insert_postings"),
    *("publishing.publish", "publishing.reserve", "receiving.requeue_failed"),
    *("idempotency.store_outcome",),
    # They do nothing where tables are not distributed; tests/store/test_coordinator.py calls them.
    *("coordinator.enter_credential", "coordinator.enter_login", "coordinator.leave_directories"),
    *("coordinator.announce_events",),
    # They run whatever statement or function they are given.
    *("database.execute_as_system", "queue.enqueue", "audit.append_batch"),
}

REFUSALS = (
    FootnoteError,
    psycopg.errors.IntegrityError,
    psycopg.errors.InsufficientPrivilege,  # by a policy of row-level security
    # Where a function counts on another having looked for the thing before.
    ValueError,
    AssertionError,
)


_ALWAYS = StatisticsPeriod(
    begin=datetime(2000, 1, 1, tzinfo=UTC), end=datetime(2100, 1, 1, tzinfo=UTC)
)


def a_waiting_document(theirs: Mapping[str, str]) -> WaitingDocument:
    return WaitingDocument(document_id=UUID(theirs["document_id"]), version=1, language=None)


def functions() -> Iterator[tuple[str, StoreFunction]]:
    """Every public function of the store that works in a scope, by module and name."""
    for found in iter_modules(footnote.store.__path__):
        module = import_module(f"footnote.store.{found.name}")
        for name, each in vars(module).items():
            own = inspect.iscoroutinefunction(each) and each.__module__ == module.__name__
            if name.startswith("_") or not own:
                continue
            first = next(iter(inspect.signature(each).parameters.values()), None)
            if first is not None and "WorkspaceScope" in str(first.annotation):
                yield f"{found.name}.{name}", each


def arguments(theirs: Mapping[str, str], scope: WorkspaceScope, home: Path) -> dict[str, Any]:
    """What to hand over by the name of a parameter: the other workspace's names throughout."""
    document_id, conversation_id = UUID(theirs["document_id"]), UUID(theirs["conversation_id"])
    answer = MessageAnswer(
        found=False, sentences=(), citations=(), evidence=(), confidence=0.0, asked_as="?"
    )
    week = timedelta(days=7)
    return {
        "document_id": document_id,
        "document_ids": [document_id],
        "ids": (document_id, document_id),
        "conversation_id": conversation_id,
        "conversation_ids": [conversation_id],
        "says": lambda _: True,
        "answers": [answer],
        "message_id": UUID(theirs["message_id"]),
        "question_id": UUID(theirs["message_id"]),
        "reply_id": uuid4(),
        "message_no": 1,
        "question_no": 1,
        "parent_no": 1,
        "credential_id": theirs["key_id"],
        "replacement": "0123456789abcdef",
        "endpoint_id": UUID(theirs["webhook_id"]),
        "fingerprint": "0" * 64,
        "ingest_id": UUID(theirs["ingest_id"]),
        "user_id": UUID(theirs["user_id"]),
        "group_id": UUID(theirs["group_id"]),
        "chunk_id": f"{document_id}:1:0",
        "chunk_numbers": list(range(50)),
        "numbers": list(range(50)),
        "languages": ["en", "de"],
        "called": f"{CANARY}.md",
        "subject": "ann",
        "principal": "local",
        "principals": ["local"],
        "role": Role.ADMIN,
        "collection": "default",
        "visibility": Visibility.PRIVATE,
        "access": ["eve"],
        "secret_hash": b"0" * 32,
        "overlap": timedelta(0),
        "content_sha256": "ab" * 32,
        "claim": BlobClaim(blob_key=theirs["blob_key"], claim_id=uuid4()),
        "blob_keys": [theirs["blob_key"]],
        "blobs": LocalBlobs(home),
        "family": Family(
            document_ids=(document_id,),
            chunks=ChunkRanges.from_pairs([(0, 50)]),
            blob_keys=(theirs["blob_key"],),
        ),
        "title": "mine",
        "document_mode": "only",
        "limit": 50,
        "cursor": None,
        "status": None,
        "condition": AllOf(conditions=()),
        "most_characters": 10_000,
        "after": EventCursor(transaction_id=0, event_no=0),
        "exchange": NewExchange(
            question_id=uuid4(), question="?", reply_id=uuid4(), answer=answer, title="mine"
        ),
        "answer": answer,
        "suggestions": (),
        "listing": Listing(query=CANARY[:4]),
        "facets": ["status", "tags"],
        "document": a_document(document_id=document_id),
        "tags": ("mine",),
        "metadata": {"mine": 1},
        "view": SavedView(name="mine", query="mine"),
        "thumb": "down",
        "comment": "mine",
        "question": "When does the merger close?",
        "all_branches": True,
        "fields": ["language", "collection"],
        "filters": SearchFilters(document_ids=(document_id,)),
        "request": IdempotentRequest(
            principal_id="local", key="k", fingerprint=b"0" * 32, lifetime_seconds=60.0
        ),
        "lane_id": 1,
        "current": 1,
        "retention": week,
        "delay": week,
        "name": theirs["name"],
        "texts_per_second": None,
        "state": ReembeddingState.FAILED,
        "step": "reseal",
        "failure": "mine",
        "version": 1,
        "fan_in": 2,
        "window": 3,
        "limits": MaintenanceLimits(hnsw_threshold_chunks=1),
        "pushed": PushedDocument(
            url="https://example.com/",
            collection="default",
            external_id="mine",
            filename=None,
            metadata={},
            tags=(),
        ),
        "first": False,
        "due": None,
        "delay_seconds": 3600.0,
        "text": "mine",
        "places": ["/"],
        "external_id": "mine",
        "old_external_id": theirs["external_id"],
        "filename": "mine.md",
        "mark": "1",
        "url": "https://example.com/",
        "kinds": ("document.indexed",),
        "kind": RetentionKind.DOCUMENTS,
        "hold_id": UUID(theirs["hold_id"]),
        "run_id": UUID(theirs["evaluation_id"]),
        "run": a_new_run(),
        "order": an_order(),
        "source_id": UUID(theirs["source_id"]),
        "job_id": uuid4(),
        "figures": {"seen": 1},
        "last_error": "mine",
        "anywhere": True,
        "actor": Identity(principal=Principal(principal_id="eve"), role=Role.ADMIN),
        "fact_id": UUID(theirs["fact_id"]),
        "fact_ids": [UUID(theirs["fact_id"])],
        "pending": a_version(document_id),
        "extractor": "mine",
        "classes": (),
        "keyed": [a_keyed_entity(CANARY)],
        "published": an_unread(document_id),
        "pairs": (EntityPair(first=0, second=1, weight=1.0, spans=((0, 1),)),),
        "keys": (DocumentKey(role=KeyRole.IS, text=CANARY, span=(0, 1)),),
        "links": first_of_all,
        "entity_id": UUID(theirs["entity_id"]),
        "entity_ids": [UUID(theirs["entity_id"])],
        "other_id": UUID(theirs["entity_id"]),
        "decision_id": UUID(theirs["decision_id"]),
        "decided_by": "eve",
        "documents": (document_id,),
        "attempts": 3,
        "begun": (),
        "read_for": "facts",
        "reading": None,
        "with_new": True,
        "with_begun": True,
        "extractors": ("mine",),
        "claims": 10,
        "facts": 10,
        "rows": (),
        "starts": [0],
        "preferred": [UUID(theirs["fact_id"])],
        "lane_name": "fact",
        "terms": [CANARY],
        "by_default": True,
        "of": ClusterOf.DOCUMENTS,
        "keywords": ("mine",),
        "among": 1,
        "granularity": ClusterGranularity.FINE,
        "unsummarised": UnsummarisedDocument(
            document_id=document_id, version=1, title="mine", language=None, keywords=()
        ),
        "summariser": "mine",
        "writer": "mine",
        "writing": Writing(
            sentences=(WrittenSentence(text="mine", support=1.0, sources=()),),
            left_out=0,
            usage=Usage(),
        ),
        "most_bytes": 10,
        "sentences": (NewSentence(start=0, end=4, text="mine", weight=1.0),),
        "vectors": np.ones((1, 4), np.float32),
        "coarser": ClusterGranularity.MIDDLE,
        "cluster_id": UUID(theirs["cluster_id"]),
        "cluster_ids": [UUID(theirs["cluster_id"])],
        "golden": theirs["golden"],
        "outcome": an_outcome("q1"),
        "cost_usd": 1.0,
        "retained": 1,
        "certificate_id": UUID(theirs["hold_id"]),
        "erasure": ErasureDocuments(
            target=ErasureTarget.PRINCIPAL,
            name="local",
            document_ids=(document_id,),
            before=datetime(2100, 1, 1, tzinfo=UTC),
        ),
        "entry": ErasureEntry(
            certificate_id=UUID(theirs["hold_id"]),
            workspace_id=scope.workspace_id,
            target=ErasureTarget.DOCUMENT,
            name="mine",
            document_ids=(uuid4(),),
            erased_at=datetime(2100, 1, 1, tzinfo=UTC),
            erased_by="local",
        ),
        "quoted": quotable("The merger closes.", ("merger",), "en"),
        "chunks": ChunkRanges.from_pairs([(0, 50)]),
        "written": (
            StoredText(
                place="questions",
                principal="local",
                conversation_id=conversation_id,
                number=1,
                texts=("?",),
            ),
        ),
        "reason": "mine",
        "lifted": True,
        "principal_id": None,
        "days": 1,
        "until": datetime(2100, 1, 1, tzinfo=UTC),
        "secret": "s",
        "error": "mine",
        "disable_at": 1,
        "names": ["extractive"],
        "value": 1,
        "server": McpServer(name=theirs["name"], url="https://example.org/", headers={}),
        "query": PeopleQuery(),
        "session": NewSession(
            credential_id=theirs["key_id"],
            secret_hash=b"0" * 32,
            principal="eve",
            groups=(),
            role=None,
            issuer="https://example.com",
            subject="eve",
            provider_session=None,
            lifetime=week,
        ),
        "incoming": Incoming(
            filename="mine.md",
            media_type="text/markdown",
            byte_size=4,
            content_sha256="ab" * 32,
            blob_key="",
            collection="default",
            external_id=theirs["external_id"],
            parent_id=document_id,
        ),
        "uses": (),
        "measure": Measure.TOKENS,
        "period": Period.DAY,
        "most": 1.0,
        "warn_share": 0.5,
        "shared": conversation_id,
        "sharer": Principal(principal_id="eve"),
        "lifetime": week,
        "lane": None,
        "at_hand": None,
        "target": None,
        "scope": scope,
    }


def special(name: str, theirs: Mapping[str, str]) -> dict[str, Any]:
    """Arguments that mean something else in one function."""
    found: dict[str, dict[str, Any]] = {
        "conversations.create_conversation": {"conversation_id": uuid4()},
        "message_search.messages_saying": {"after": (UUID(int=0), 0)},
        "api_keys.add_key": {
            "requested": NewKey(
                name="mine", owner="eve", groups=(), rights=(), collections=(), lifetime=None
            )
        },
        "audit.list_entries": {"filters": AuditFilter()},
        "audit.entries_about": {"principal": "local", "by_others": True, "after": 0},
        "workspace_sources.add_source": {
            "requested": NewSource(place="folder:/srv/mine"),
            "kind": "folder",
        },
        "workspace_sources.postpone": {"seconds": 1.0},
        "personal_data.rows_about": {"section": "profile", "principal": CANARY, "after": ""},
        "personal_data.documents_about": {"principal": "local", "after": ""},
        "personal_data.audit_about": {"principal": "local", "by_others": True, "after": 0},
        "access.grants_of": {"principal": SYSTEM},
        "injection_screening.mark_passages": {"suspicious": {1: True, 2: False}},
        "entity_graph.load_entity_graph": {
            "names": (
                QuestionName(start=0, end=1, text=CANARY, keys=(f"form\n{CANARY.lower()}",)),
            ),
            "visible": ChunkRanges.everything(),
        },
        "entity_storage.store_entities": {"pending": an_unread(UUID(theirs["document_id"]))},
        "relationships.neighbours": {"kinds": tuple(EntityKind)},
        "relationships.most_mentioned": {"kinds": tuple(EntityKind)},
        "relationships.first_sentences_of_pairs": {
            "pairs": [(UUID(theirs["entity_id"]), UUID(theirs["entity_id"]))]
        },
        "relationships.first_mentions": {
            "pairs": [(UUID(theirs["document_id"]), UUID(theirs["entity_id"]))]
        },
        "entities.list_entities": {"filters": EntityFilter(), "after": None},
        "entities.entities_with_keys": {"keys": (CANARY.lower(),)},
        "entities.entities_called": {"names": ((EntityKind.ORGANISATION, CANARY.lower()),)},
        "entity_decisions.split_entity": {"names": (CANARY,)},
        "entities.document_mentions": {"after": (UUID(int=0), -1)},
        "facts.list_facts": {"filters": FactFilter(statuses=tuple(FactStatus)), "after": None},
        "fact_conflicts.conflicting_facts": {"after": None},
        "passages.passages_at": {"positions": [(UUID(theirs["document_id"]), 0)]},
        "fact_conflicts.facts_quoted": {
            "places": [
                QuotedSpan(document_id=UUID(theirs["document_id"]), start=0, end=10**6),
            ]
        },
        "fact_conflicts.disagreements": {"claims": [bytes.fromhex(theirs["claim_key"])]},
        "clusters.store_clusters": {
            "run": a_run(),
            "memberships": [some_members([UUID(theirs["document_id"])], [1], uuid4())],
        },
        "clusters.store_members": {
            "run": 1,
            "membership": some_members(
                [UUID(theirs["document_id"])], [1], UUID(theirs["cluster_id"])
            ),
        },
        "clusters.members_of_run": {"run": 1},
        "clusters.numbers_looked_at": {"run": 1},
        "clusters.vectors_of": {"numbers": np.arange(9, dtype=np.int32)},
        **{
            f"reading_progress.{each}": {"kind": "facts"}
            for each in ("unread_documents", "count_read", "unread_bytes")
        },
        "reading_progress.note_failure": {
            "kind": "facts",
            "version": an_unread(UUID(theirs["document_id"])),
        },
        "reading_progress.reading_failures": {"kind": "facts", "record": FactFailure},
        "keywords.store_keywords": {"document": a_waiting_document(theirs)},
        "keywords.pass_over": {"document": a_waiting_document(theirs)},
        "clusters.name_cluster": {
            "name": ClusterName(label=("mine",), labelled_by="terms"),
            "numbers": [1],
        },
        "facts.decide_fact": {"status": FactStatus.REJECTED},
        "part_readings.store_reading": {"number": 1, "reading": PartReading(reader="mine")},
        "part_readings.drop_readings": {"keep": {}},
        "part_readings.readings_of": {"reader": "mine"},
        "messages.judged_answers": {"after": None},
        "retention.delete_due_queries": {"after": 0},
        "events.get_event": {"cursor": EventCursor(transaction_id=1, event_no=1)},
        "people.add_user": {"requested": WantedUser(user_name="mine")},
        "people.change_user": {"requested": WantedUser(user_name="mine")},
        "people.add_group": {
            "requested": WantedGroup(display_name="mine", member_ids=(UUID(theirs["user_id"]),))
        },
        "people.change_group": {"requested": WantedGroup(display_name="mine")},
        "legal_holds.set_hold": {"collection": None},
        "publishing.mark_failed": {
            "failure": Failure(stage=Stage.PARSE, cause="mine", advice="mine", retryable=False)
        },
        "pushes.move_push": {"state": "failed"},
        "usage.usage_by_day": {
            "filters": UsageFilter(
                first_day=date(2000, 1, 1),
                last_day=date(2100, 1, 1),
                conversation_id=UUID(theirs["conversation_id"]),
            )
        },
        "usage.usage_by_person": {
            "first_day": date(2000, 1, 1),
            "last_day": date(2100, 1, 1),
        },
        "collections.list_collections": {"names": None, "grants": {}},
        "answer_statistics.citation_report": {"period": _ALWAYS, "collections": None},
        "answer_statistics.unanswered_questions": {"period": _ALWAYS},
        "facets.count_values": {"name": "tags", "documents": Compiled(sql.SQL("true"), {})},
        "views.remove_view": {"name": f"{CANARY}.md"},
        "share_links.get_link": {"credential_id": theirs["link_id"]},
        "share_links.revoke_link": {"credential_id": theirs["link_id"]},
        "receiving.require_room": {"limits": QueueLimits(workspace=10**6, overall=10**6)},
    }
    return found.get(name, {})


async def whole(database: TestDatabase, workspace_id: UUID) -> dict[str, list[str]]:
    """Every row of a workspace, as the superuser sees it."""
    async with await psycopg.AsyncConnection.connect(database.superuser_url) as connection:
        found = {}
        for table in CUSTOMER_TABLES:
            statement = sql.SQL(
                "SELECT to_jsonb(t)::text FROM footnote.{} AS t WHERE workspace_id = %s"
            ).format(sql.Identifier(table))
            rows = await (await connection.execute(statement, [workspace_id])).fetchall()
            found[table] = sorted(row[0] for row in rows)
        return found


async def their_names(engine: Engine, bolt: WorkspaceEngine) -> dict[str, str]:
    """One of each thing of the other workspace."""
    names = {
        **await what_one_has(engine, bolt, Visibility.WORKSPACE),
        **await and_their_settings(bolt),
    }
    await bolt.grant_role("ann", Role.READER)
    await bolt.set_retention(RetentionKind.DOCUMENTS, 36_500)
    document = await bolt.document(UUID(names["document_id"]))
    async with bolt.system_scope() as scope:
        user = await people.add_user(scope, WantedUser(user_name=CANARY))
        group = await people.add_group(scope, WantedGroup(display_name=CANARY))
        key = await scope.single(
            "SELECT blob_key FROM document_versions WHERE workspace_id = %(workspace_id)s LIMIT 1"
        )
        claimed = await scope.single(
            "SELECT claim_key FROM facts WHERE workspace_id = %(workspace_id)s LIMIT 1"
        )
    return {
        **names,
        "claim_key": claimed["claim_key"].hex(),
        "user_id": str(user.user_id),
        "group_id": str(group.group_id),
        "blob_key": key["blob_key"],
        "external_id": document.external_id or "none",
    }


async def test_no_function_of_the_store_reaches_another_workspace(
    engine: Engine, test_database: TestDatabase, tmp_path: Path
) -> None:
    for name in ("acme", "bolt"):
        await engine.create_workspace(name)
    acme, bolt = await engine.workspace("acme"), await engine.workspace("bolt")
    theirs = await their_names(engine, bolt)
    own = await acme.receive(b"An own paper.", "own.md")
    await work_until_resting(engine, acme, [own.document.document_id], lambda _: None)
    before = await whole(test_database, bolt.workspace_id)
    assert all(
        before[table] for table in ("documents", "chunks", "messages", "api_keys", "share_links")
    )
    called = set()
    for name, function in functions():
        if name in NOT_CALLED:
            continue
        async with acme.system_scope() as scope:
            given = arguments(theirs, scope, tmp_path) | special(name, theirs)
            given |= dict.fromkeys(("lane", "at_hand", "target"), engine.lane)
            own_facts = some_facts(fact_lane(engine.embedder), a_keyed_fact(CANARY, "mine"))
            given |= {"extracted": own_facts, "vector": own_facts.vectors[0]}
            wanted = list(inspect.signature(function).parameters.values())[1:]
            kwargs = {each.name: given[each.name] for each in wanted}
            try:
                async with scope.connection.transaction():
                    returned = repr(await function(scope, **kwargs))
            except REFUSALS as error:
                returned = str(error)
        called.add(name)
        asked = repr(kwargs)
        assert CANARY not in returned.replace(f"{CANARY}.md", ""), (name, returned)
        for key in ("document_id", "conversation_id", "webhook_id", "user_id", "group_id"):
            assert theirs[key] not in returned or theirs[key] in asked, (name, returned)
        assert await whole(test_database, bolt.workspace_id) == before, name
    assert called == {name for name, _ in functions()} - NOT_CALLED
