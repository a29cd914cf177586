"""Settings of a workspace's own hold from the next search on, in every process, and are logged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace

import psycopg
import pytest

from footnote.domain import (
    Evidence,
    PlanChanges,
    Principal,
    Role,
    SearchFilters,
    SearchRequest,
)
from footnote.domain.configuration import SettingSource, SettingValue
from footnote.domain.grounding import GroundingSource
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.errors import Forbidden, InvalidRequest, NotFound
from footnote.jobs.inline import work_until_resting
from footnote.settings import PER_WORKSPACE, Settings, settings_from, variables_of
from footnote.store import configuration as stored
from tests.conftest import TestDatabase
from tests.models.rerank_server import KEY, rerank_server
from tests.wire import WireServer, says
from tests.wire.replies import Reply
from tests.wire.server import Asked

QUERY = SearchRequest(query="Which deductible has clause ZX-4471?")
TEXTS = (
    "# Clause ZX-4471\n\nThe deductible of clause ZX-4471 is EUR 500 for storm damage.",
    "# Retention\n\nWhat the insured person bears of each loss is EUR 700.",
    "# Premium\n\nThe premium is due in March. Clause ZX-9 says so.",
)


async def filled(workspace: WorkspaceEngine) -> None:
    for number, text in enumerate(TEXTS):
        received = await workspace.receive(text.encode(), f"{number}.md")
        document_id = received.document.document_id
        await work_until_resting(workspace.engine, workspace, [document_id], lambda _: None)


@pytest.fixture
async def elsewhere(settings: Settings, workspace: WorkspaceEngine) -> AsyncIterator[Engine]:
    """Another process over the same database, as far as anything is kept in memory.

    It has a reranker.
    """
    await filled(workspace)
    async with rerank_server() as server:
        keys = json.dumps({server.url: KEY})
        configured = {"reranker": f"cohere@{server.url}", "model_keys": keys}
        async with await open_engine(settings_from(settings, configured)) as other:
            yield other


def stages_of(evidence: Iterable[Evidence]) -> set[str]:
    return {record.stage for each in evidence for record in each.explanation}


FUSIONS = {"adaptive", "rrf", "weighted_blend", "dense_only", "lexical_only"}
ROLLOUT: tuple[tuple[str, SettingValue, set[str]], ...] = (
    ("DOCUMENT_RERANKER_ENABLED", "False", {"adaptive", "lexical"}),
    ("DOCUMENT_HYBRID_RETRIEVAL_ENABLED", "False", {"dense_only"}),
    ("DOCUMENT_FUSION_STRATEGY", "dense_only", {"dense_only"}),
    ("DOCUMENT_HYBRID_RETRIEVAL_ENABLED", "True", {"dense_only"}),
    ("DOCUMENT_FUSION_STRATEGY", "weighted_blend", {"weighted_blend", "lexical"}),
    ("DOCUMENT_FUSION_STRATEGY", "rrf", {"rrf", "lexical"}),
    ("DOCUMENT_RERANKER_ENABLED", "True", {"rrf", "lexical", "rerank"}),
)
"""The order in which the stages are turned on, one after the other, and what evidence then says."""


async def test_the_rollout_goes_step_by_step_and_another_process_follows_each(
    workspace: WorkspaceEngine, elsewhere: Engine
) -> None:
    there = await elsewhere.workspace(workspace.workspace.name)
    everywhere = FUSIONS | {"lexical", "rerank"}
    first = await there.search(QUERY)
    assert stages_of(first.evidence) & everywhere == {"adaptive", "lexical", "rerank"}
    for name, value, stages in ROLLOUT:
        assert (await there.search(QUERY)).cached is not None  # it would be given again
        await workspace.change_setting(name, value)
        found = await there.search(QUERY)
        assert (found.cached, found.degraded) == (None, ()), name
        assert stages_of(found.evidence) & everywhere == stages, (name, value)
        answer = await there.ask(QUERY.query)
        assert stages_of(answer.evidence) & everywhere == stages, (name, value)
    for name, *_ in ROLLOUT:
        await workspace.unset_setting(name)
    assert [each.passage for each in (await there.search(QUERY)).evidence] == [
        each.passage for each in first.evidence
    ]


async def test_what_is_set_is_what_a_request_does_not_say(
    workspace: WorkspaceEngine, elsewhere: Engine
) -> None:
    there = await elsewhere.workspace(workspace.workspace.name)
    assert len((await there.search(QUERY)).evidence) == 3
    await workspace.change_setting("TOP_K_FINAL", "1")
    assert len((await there.search(QUERY)).evidence) == 1
    assert len((await there.ask(QUERY.query)).evidence) == 1
    assert there.settings.top_k == 1
    assert len((await there.search(replace(QUERY, top_k=2))).evidence) == 2
    await workspace.change_setting("top_k", 3)
    await workspace.change_setting("min_similarity", 1.0)
    assert (await there.search(QUERY)).evidence == ()
    asked = replace(QUERY, filters=SearchFilters(min_similarity=-1.0))
    assert len((await there.search(asked)).evidence) == 3
    await workspace.change_setting("min_similarity", "null")
    await workspace.change_setting("plan", "fast")
    assert (await there.search(QUERY)).plan == "fast"
    assert (await there.search(replace(QUERY, plan="balanced"))).plan == "balanced"
    fused = replace(QUERY, changes=PlanChanges(fusion="lexical_only"))
    assert "lexical_only" in stages_of((await there.search(fused)).evidence)


async def test_a_weight_that_no_plan_names_changes_cached_results_too(
    workspace: WorkspaceEngine, elsewhere: Engine
) -> None:
    there = await elsewhere.workspace(workspace.workspace.name)
    await workspace.change_setting("fusion", "rrf")
    for constant in (10, 1000):
        await workspace.change_setting("RRF_K", constant)
        best = (await there.search(QUERY)).evidence[0]
        [fused] = [each.score_after for each in best.explanation if each.stage == "rrf"]
        assert fused == pytest.approx(2 / (constant + 1))


async def test_an_answer_of_before_is_not_given_under_other_settings(
    workspace: WorkspaceEngine, elsewhere: Engine
) -> None:
    there = await elsewhere.workspace(workspace.workspace.name)
    await there.ask(QUERY.query)
    assert (await there.ask(QUERY.query)).cached
    await workspace.change_setting("neighbours", 1)
    assert not (await there.ask(QUERY.query)).cached
    assert (await there.ask(QUERY.query)).cached
    await workspace.unset_setting("neighbours")
    assert not (await there.ask(QUERY.query)).cached


async def test_another_workspace_keeps_its_own(engine: Engine, workspace: WorkspaceEngine) -> None:
    await engine.create_workspace("beside")
    beside = await engine.workspace("beside")
    await workspace.change_setting("top_k", 3)
    await beside.change_setting("top_k", 5)
    for each, value in ((workspace, 3), (beside, 5)):
        assert (await each.setting("top_k")).value == value
        [change] = await each.setting_history()
        assert (change.change_no, change.value) == (1, value)


async def test_every_setting_is_listed_with_what_holds_and_why(workspace: WorkspaceEngine) -> None:
    ann = replace(workspace, principal=Principal(principal_id="ann", role=Role.ADMIN))
    changed = await ann.change_setting("fusion", "rrf")
    listed = {each.name: each for each in await workspace.settings_in_use()}
    assert tuple(listed) == PER_WORKSPACE
    assert listed["fusion"] == changed
    assert (changed.value, changed.installation_value) == ("rrf", "adaptive")
    assert (changed.source, changed.changed_by) == (SettingSource.WORKSPACE, "ann")
    assert changed.variables == ("FOOTNOTE_FUSION", "DOCUMENT_FUSION_STRATEGY")
    others = [each for name, each in listed.items() if name != "fusion"]
    assert {each.source for each in others} == {SettingSource.INSTALLATION}
    assert all(each.value == getattr(workspace.engine.settings, each.name) for each in others)


@pytest.mark.parametrize("name", PER_WORKSPACE)
async def test_every_variable_names_its_setting(workspace: WorkspaceEngine, name: str) -> None:
    for called in (name, name.upper(), *variables_of(name)):
        assert (await workspace.setting(called)).name == name


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("top_k", 0, "at least 1"),
        ("top_k", "many", "a whole number"),
        ("top_k", True, "a whole number"),
        ("top_k", None, "a whole number"),
        ("hybrid", "perhaps", "true or false"),
        ("fusion", "best", "'weighted_blend'"),
        ("blend_alpha", "nan", "at most 1"),
        ("rrf_dense_weight", "inf", "a finite number"),
        ("rrf_k", 10**9, "at most 1000000"),
    ],
)
async def test_a_value_that_a_setting_cannot_have_is_refused_as_from_the_environment(
    workspace: WorkspaceEngine, name: str, value: SettingValue, said: str
) -> None:
    with pytest.raises(InvalidRequest, match=said):
        await workspace.change_setting(name, value)
    assert await workspace.setting_history() == ()


@pytest.mark.parametrize("name", ["home", "FOOTNOTE_MASTER_KEY", "", "top k", "\0"])
async def test_other_settings_are_not_of_a_workspace(workspace: WorkspaceEngine, name: str) -> None:
    for attempt in (
        workspace.setting(name),
        workspace.change_setting(name, "1"),
        workspace.unset_setting(name),
        workspace.setting_history(name),
    ):
        with pytest.raises(NotFound):
            await attempt


async def test_who_changed_what_when_is_kept(
    workspace: WorkspaceEngine, test_database: TestDatabase
) -> None:
    ann = replace(workspace, principal=Principal(principal_id="ann", role=Role.ADMIN))
    await ann.change_setting("min_similarity", 0.5)
    await workspace.change_setting("SIMILARITY_THRESHOLD", None)
    await workspace.change_setting("min_similarity", "null")  # it is so already
    await workspace.change_setting("hybrid", False)
    await ann.unset_setting("min_similarity")
    await ann.unset_setting("min_similarity")
    told = [
        (each.change_no, each.name, each.changed_by, each.was_set, each.is_set, each.value)
        for each in await workspace.setting_history()
    ]
    assert told == [
        (4, "min_similarity", "ann", True, False, None),
        (3, "hybrid", "local", False, True, False),
        (2, "min_similarity", "local", True, True, None),
        (1, "min_similarity", "ann", False, True, 0.5),
    ]
    assert [each.change_no for each in await workspace.setting_history("min_similarity")] == [
        4,
        2,
        1,
    ]
    assert [each.change_no for each in await workspace.setting_history(limit=1)] == [4]
    entries = (await workspace.audit_entries()).entries
    done = [(each.verb, each.subject.get("name")) for each in entries if each.outcome == "done"]
    assert ("change_setting", "hybrid") in done
    for statement in (
        "UPDATE footnote.setting_changes SET name = ''",
        "DELETE FROM footnote.setting_changes",
    ):
        with (
            psycopg.connect(test_database.application_url) as connection,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            connection.execute(statement)


async def test_changes_at_the_same_time_are_numbered_one_after_the_other(
    workspace: WorkspaceEngine,
) -> None:
    await asyncio.gather(*(workspace.change_setting("top_k", each) for each in range(1, 9)))
    history = await workspace.setting_history()
    assert [each.change_no for each in history] == list(range(8, 0, -1))
    assert [each.previous for each in history[:-1]] == [each.value for each in history[1:]]
    assert (await workspace.setting("top_k")).value == history[0].value


async def test_readers_see_settings_and_administrators_change_them(
    workspace: WorkspaceEngine,
) -> None:
    reader = replace(workspace, principal=Principal(principal_id="rae", role=Role.READER))
    await workspace.change_setting("top_k", 2)
    assert (await reader.setting("top_k")).value == 2
    assert len(await reader.settings_in_use()) == len(PER_WORKSPACE)
    assert len(await reader.setting_history()) == 1
    writer = replace(reader, principal=Principal(principal_id="wil", role=Role.WRITER))
    for attempt in (writer.change_setting("top_k", 3), writer.unset_setting("top_k")):
        with pytest.raises(Forbidden):
            await attempt
    assert (await reader.setting("top_k")).value == 2


async def test_a_value_of_another_version_is_as_if_it_was_not_set(
    workspace: WorkspaceEngine, elsewhere: Engine, test_database: TestDatabase
) -> None:
    await workspace.change_setting("top_k", 1)
    with psycopg.connect(test_database.superuser_url, autocommit=True) as connection:
        connection.execute(
            "UPDATE footnote.setting_changes SET value = '0' WHERE workspace_id = %s",
            [workspace.workspace_id],
        )
    there = await elsewhere.workspace(workspace.workspace.name)
    assert len((await there.search(QUERY)).evidence) == 3
    assert (await there.setting("top_k")).source is SettingSource.INSTALLATION


def writes_or_judges(asked: Asked) -> Reply:
    """An answer, and a judgement where one is asked for."""
    judged = "You judge whether statements" in str(asked.payload)
    return says("1: 90" if judged else "The deductible of clause ZX-4471 is EUR 500 [1].")


def judgements(server: WireServer) -> int:
    return sum("You judge whether statements" in str(each.payload) for each in server.asked)


async def test_a_workspace_does_without_the_judge_of_the_installation(
    settings: Settings, workspace: WorkspaceEngine
) -> None:
    await filled(workspace)
    source = GroundingSource(id="clause", text="The deductible of clause ZX-4471 is EUR 500.")
    statements = ["Clause ZX-4471 has a deductible of EUR 500."]
    with WireServer(respond=writes_or_judges) as server:
        configured = {
            "language_model": f"qwen3@{server.openai_url}",
            "grounding_judge": "language_model",
            "reader": "none",
        }
        async with await open_engine(settings_from(settings, configured)) as other:
            there = await other.workspace(workspace.workspace.name)
            await there.ask(QUERY.query)
            by_model = await there.check_grounding([source], statements=statements)
            before = judgements(server)
            assert before >= 2  # of the answer, and of the check
            await workspace.change_setting("grounding_judge", "none")
            again = await there.ask(QUERY.query)
            by_rules = await there.check_grounding([source], statements=statements)
            assert (judgements(server), again.cached) == (before, False)
            assert by_rules.judge != by_model.judge
            with pytest.raises(InvalidRequest, match="no grounding judge 'reader'"):
                await there.change_setting("grounding_judge", "reader")
            await there.change_setting("grounding_judge", "language_model")
            assert (await there.check_grounding([source], statements=statements)).judge == (
                by_model.judge
            )


@pytest.mark.parametrize("judge", ["language_model", "vertex"])
async def test_a_workspace_cannot_have_texts_sent_where_the_installation_sends_none(
    workspace: WorkspaceEngine, judge: str
) -> None:
    with pytest.raises(InvalidRequest, match="has no grounding judge") as refused:
        await workspace.change_setting("grounding_judge", judge)
    assert "FOOTNOTE_GROUNDING_JUDGE" in (refused.value.hint or "")


@pytest.mark.parametrize("none", ["", " , ,"])
@pytest.mark.parametrize("switch", ["facts", "entities"])
async def test_kinds_that_are_none_are_refused_with_what_switches_off(
    workspace: WorkspaceEngine, switch: str, none: str
) -> None:
    name = {"facts": "fact_kinds", "entities": "entity_kinds"}[switch]
    with pytest.raises(InvalidRequest, match=f"{name} .* set {switch} to false"):
        await workspace.change_setting(name, none)
    assert (await workspace.setting(name)).source is SettingSource.INSTALLATION


@pytest.mark.parametrize(
    ("rows", "held"),
    [
        ({"facts": True, "facts_by_model": True}, {"facts": "model"}),
        ({"facts": True}, {"facts": "rules"}),
        ({"entities_by_model": True}, {"entities": "off"}),
        ({"clusters": True, "chunk_clusters": True}, {"clusters": "all"}),
        ({"chunk_clusters": True}, {"clusters": "chunks"}),
        ({"clusters": True, "chunk_clusters": False}, {"clusters": "documents"}),
        ({"summaries": False, "summaries_by_model": True}, {"summaries": "off"}),
    ],
)
async def test_what_was_set_by_two_switches_holds_until_it_is_set_anew(
    workspace: WorkspaceEngine, rows: dict[str, SettingValue], held: dict[str, str]
) -> None:
    async with workspace.scope() as scope:
        for name, value in rows.items():
            await stored.change_setting(scope, name, value)
    for name, value in held.items():
        assert (await workspace.setting(name)).value == value
        new = "chunks" if name == "clusters" else "rules"
        await workspace.change_setting(name, new)
        assert (await workspace.setting(name)).value == new
        await workspace.unset_setting(name)
        assert (await workspace.setting(name)).source is SettingSource.INSTALLATION
