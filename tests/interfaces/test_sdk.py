"""The Python surface: what is public, how it opens, and that its blocking twin is whole."""

import inspect
import subprocess
import sys
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
import structlog

import footnote
from footnote.engine import Engine, WorkspaceEngine
from footnote.interfaces.sdk.conversations import AsyncConversations
from footnote.interfaces.sdk.sync_client import Conversations
from footnote.settings import Settings
from footnote.sync import SyncEngine, SyncWorkspaceEngine

PUBLIC = """
open open_sync Settings Engine WorkspaceEngine SyncEngine SyncWorkspaceEngine AsyncClient
Client Workspace Principal
LOCAL_PRINCIPAL Lane Received work_until_resting Document DocumentPage DocumentOutcome
DocumentStatus
DocumentClass SourceType Stage Failure Retried Erasure ErasureCheck
SearchRequest SearchFilters condition_from
condition_from_text BlockKind PlanChanges Turn SearchResponse Evidence StageRecord NearDuplicate
Neighbour FacetCount Passage PassageContext
Highlight PageImage PageRectangles MarkedQuote QuoteMatch Rectangle PagesOfQuote
Answer AnswerSentence Verdict Citation ClosestPassage AnswerConflict ConflictingStatement
Usage AnswerEvent
SourcesFound TextWritten CitationMade SentenceGrounded ToolCalled ToolReturned UsageCounted
AnswerDone AnswerFailed
GroundingSource GroundingCheck ClaimCheck ClaimVerdict DecidedBy Guard GuardKind ClaimQuote
QuoteRelation
NewSource Visibility Right Role DocumentSort SortOrder RetentionKind BackgroundWork Measure Period
FactKind FactStatus EntityKind ClusterOf ClusterGranularity NewEvaluationRun EvaluationOrder
Act AuditHead ErasureEntry ArchivePiece
WorkspaceStats CacheStats
LaneStatus LaneState Reembedding ReembeddingState Health Check
FootnoteError InvalidRequest UnsupportedSettings NotFound Conflict QueueFull DocumentFailed
DocumentUnreadable DocumentInterrupted LaneMismatch LaneUnavailable ModelUnavailable
StoreUnavailable NotReady
""".split()
NOTE = b"# Claims\n\nA claim must be reported within 14 days of the loss.\n"


def verbs(kind: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(kind, callable) if not name.startswith("_")}


def test_the_public_surface_is_pinned() -> None:
    assert footnote.__all__ == PUBLIC
    assert all(getattr(footnote, name) is not None for name in PUBLIC)


def classes_in(annotation: object) -> set[type]:
    within = {each for argument in get_args(annotation) for each in classes_in(argument)}
    return within | ({annotation} if isinstance(annotation, type) else set())


def test_every_choice_and_record_that_a_verb_takes_is_public() -> None:
    taken: set[type] = set()
    for name in verbs(footnote.AsyncClient):
        verb = getattr(footnote.AsyncClient, name)
        hints = get_type_hints(verb)
        for parameter in inspect.signature(verb).parameters:
            taken |= classes_in(hints.get(parameter))
    ours = {each.__name__ for each in taken if each.__module__.startswith("footnote.domain")}
    # Conditions are made by `condition_from`.
    assert ours - {"Comparison", "AllOf", "AnyOf", "Not"} <= set(footnote.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = footnote.nothing_like_it


def test_importing_footnote_loads_nothing_heavy() -> None:
    heavy = ("numpy", "pydantic", "psycopg", "onnxruntime", "fastapi", "footnote.engine")
    code = f"import sys, footnote; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("twin", "original", "elsewhere"),
    [
        (SyncEngine, Engine, {"close"}),
        (SyncWorkspaceEngine, WorkspaceEngine, {"ensure_data_key", "read"}),
        (footnote.Client, footnote.AsyncClient, {"close"}),
        (Conversations, AsyncConversations, set()),
    ],
    ids=["engine", "workspace", "remote", "conversations"],
)
def test_the_blocking_twin_has_every_verb(twin: type, original: type, elsewhere: set[str]) -> None:
    asynchronous = {
        name
        for name in verbs(original)
        if inspect.iscoroutinefunction(getattr(original, name))
        or inspect.isasyncgenfunction(inspect.unwrap(getattr(original, name)))
    }
    assert asynchronous - elsewhere <= verbs(twin)
    for name in asynchronous - elsewhere:
        assert inspect.signature(getattr(twin, name)).parameters.keys() == (
            inspect.signature(getattr(original, name)).parameters.keys()
        )
        assert getattr(twin, name).__doc__


async def test_open_takes_settings_and_overrides(settings: Settings) -> None:
    async with footnote.open(settings, top_k=3) as engine:
        assert engine.settings.top_k == 3
        assert engine.settings.home == settings.home


async def test_a_program_that_sets_no_logs_up_keeps_standard_output_for_itself(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    configured = structlog.get_config() if structlog.is_configured() else None
    structlog.reset_defaults()
    try:
        async with footnote.open(settings):
            structlog.get_logger(__name__).warning("something happened")
    finally:
        structlog.reset_defaults()
        if configured is not None:
            structlog.configure(**configured)
    said = capsys.readouterr()
    assert "something happened" in said.err
    assert not said.out


async def test_open_refuses_a_setting_that_does_not_exist() -> None:
    with pytest.raises(footnote.UnsupportedSettings, match="colour"):
        async with footnote.open(colour="blue"):
            pass


def test_the_blocking_twin_walks_the_whole_journey(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "claims.md"
    file.write_bytes(NOTE)
    seen: list[int] = []
    with footnote.open_sync(settings) as engine:
        assert engine.health().ready
        assert engine.lane.dimensions == 384
        workspace = engine.workspace()
        assert workspace.workspace.name == "default"
        received = workspace.receive(file.read_bytes(), file.name, collection="notes")
        rested = workspace.work_until_resting(
            [received.document.document_id], lambda documents: seen.append(len(documents))
        )
        assert rested[received.document.document_id].status is footnote.DocumentStatus.INDEXED
        assert seen
        answer = workspace.ask("How soon must a claim be reported?")
        assert answer.found
        assert answer.citations[0].quote in NOTE.decode()
        told = list(workspace.ask_stream("How soon must a claim be reported?"))
        assert isinstance(told[-1], footnote.AnswerDone)
        assert told[-1].answer.text == answer.text
        assert workspace.ask(
            "How soon must a claim be reported?",
            plan="fast",
            changes=footnote.PlanChanges(fusion="rrf"),
            filters=footnote.SearchFilters(where=footnote.condition_from({"collection": "notes"})),
        ).found
        assert workspace.stats().search_cache.misses == 2
        with pytest.raises(footnote.NotFound):
            engine.workspace("nobody")
