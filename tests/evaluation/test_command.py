"""`footnote eval` as a person or a pipeline calls it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from footnote.domain import PlanChanges
from footnote.errors import InvalidRequest
from footnote.interfaces.cli.evaluation_session import (
    ENGINE_SETTINGS,
    INGESTION_SETTINGS,
    SECRET_ENDINGS,
    Order,
    check_paths,
    sides_of,
)
from footnote.settings import Settings
from tests.evaluation.factories import write_golden
from tests.interfaces.serving import Ended, environment, footnote

POLICY = "# Marine policy\n\nA claim must be reported to the insurer within 14 days.\n"
ROWS = (
    {
        "id": "q1",
        "question": "How soon must a claim be reported to the insurer?",
        "kind": "fact",
        "relevant": [{"document": "policy.md", "quote": "within 14 days"}],
        "answer": "Within 14 days.",
    },
    {"id": "q2", "question": "Who won the chess championship in 1972?", "kind": "absent"},
)


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """A golden set beside the only document it is about."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "policy.md").write_text(POLICY)
    return write_golden(folder / "golden.jsonl", *ROWS)


def order(**changes: object) -> Order:
    values: dict[str, object] = {
        "golden": Path("golden.jsonl"),
        "workspace": None,
        "folder": None,
        "plan": None,
        "against": None,
        "changes": (),
        "other_changes": (),
        "k": 10,
        "concurrency": 1,
        "gate": None,
        "save": None,
        "html": None,
        "keep": False,
        "worst": 5,
        "as_json": False,
    }
    return Order(**{**values, **changes})  # type: ignore[arg-type]  # takes any field


def complaint(ended: Ended) -> str:
    return str(json.loads(ended.out)["error"]["message"])


async def test_a_workspace_is_measured_saved_gated_and_reported(
    settings: Settings, golden: Path, tmp_path: Path
) -> None:
    env = environment(settings)
    assert (await footnote(env, "ingest", str(golden.parent / "policy.md"))).code == 0
    saved, page = tmp_path / "baseline.json", tmp_path / "report.html"
    shown = await footnote(
        env, "eval", str(golden), "--save", str(saved), "--html", str(page), "--worst", "3"
    )
    assert shown.code == 0, shown.err
    assert "recall@10" in shown.out
    assert "fact" in shown.out
    assert "2/2" in shown.err
    assert page.read_text().startswith("<!doctype html>")

    passed = await footnote(env, "eval", str(golden), "--gate", str(saved), "--json")
    told = json.loads(passed.out)
    assert (passed.code, told["regressions"], passed.err) == (0, [], "")
    for key in (
        *("ndcg@10", "recall@10", "precision@10", "mrr@10", "citation_precision", "quote_found"),
        *("answered", "refused", "right", "diversity", "page_accuracy", "span_accuracy"),
        *("latency_p50_ms", "latency_p95_ms", "by_kind"),
    ):
        assert key in told
    assert told["recall@10"] == told["right"] == told["refused"] == told["quote_found"] == 1

    many = write_golden(tmp_path / "many.jsonl", *({**ROWS[0], "id": f"q{i}"} for i in range(8)))
    assert (await footnote(env, "eval", str(many), "--save", str(saved))).code == 0
    higher = json.loads(saved.read_text())
    higher["results"]["precision@10"] = [[0.9, 1.0]] * 8
    saved.write_text(json.dumps(higher))
    failed = await footnote(env, "eval", str(many), "--gate", str(saved))
    assert failed.code == 1
    assert "Regression: precision@10 fell from 0.900 to 0.100" in failed.out

    other = await footnote(env, "eval", str(golden), "--gate", str(saved))
    assert other.code == 2
    assert "has changed" in other.err

    compared = await footnote(
        env, "eval", str(golden), "--against-set", "fusion=lexical_only", "--json"
    )
    told = json.loads(compared.out)
    assert compared.code == 0, compared.out
    assert set(told) >= {"a", "b", "differences"}
    assert told["b"]["plan"] == "default, fusion=lexical_only"
    assert told["differences"]["recall@10"]["better"] is None


async def test_a_worker_is_told_to_ask_and_asked_how_far_it_is(
    settings: Settings, golden: Path
) -> None:
    env = environment(settings)
    assert "No worker was told" in (await footnote(env, "eval-runs", "started")).out
    begun = await footnote(env, "eval-runs", "start", str(golden), "--k", "5", "--json")
    assert begun.code == 0, begun.err
    told = json.loads(begun.out)
    assert (told["golden_name"], told["k"], told["state"]) == ("golden.jsonl", 5, "queued")
    again = ("eval-runs", "start", "--again", told["golden"])
    assert "is under way" in (await footnote(env, *again)).err
    cancelled = await footnote(env, "eval-runs", "cancel", told["run_id"])
    assert cancelled.out == f"Cancelled the run {told['run_id']}.\n"
    begun = await footnote(env, *again)
    assert "A worker will ask 2 questions" in begun.out
    listed = json.loads((await footnote(env, "eval-runs", "started", "--json")).out)["started"]
    assert [each["state"] for each in listed] == ["queued", "cancelled"]
    shown = await footnote(env, "eval-runs", "started")
    assert told["golden"] in shown.out
    for wrong in ((), (str(golden), "--again", told["golden"])):
        refused = await footnote(env, "eval-runs", "start", *wrong)
        assert refused.code == 2
        assert "either a file of questions or --again" in refused.err


async def test_runs_are_kept_listed_compared_and_deleted(settings: Settings, golden: Path) -> None:
    env = environment(settings)
    assert "No runs are kept" in (await footnote(env, "eval-runs", "list")).out
    assert (await footnote(env, "ingest", str(golden.parent / "policy.md"))).code == 0
    asked = ("eval", str(golden), "--keep", "--against-set", "min_similarity=1", "--json")
    kept = await footnote(env, *asked)
    assert kept.code == 0, kept.err
    second, first = re.findall(r"the run is kept as (\S+)", kept.err)[::-1]

    listed = json.loads((await footnote(env, "eval-runs", "list", "--json")).out)["runs"]
    assert [each["run_id"] for each in listed] == [second, first]
    assert [each["golden_name"] for each in listed] == ["golden.jsonl"] * 2
    assert listed[1]["figures"]["right"] == 1
    shown = await footnote(env, "eval-runs", "list", "--limit", "1")
    assert second in shown.out
    assert first not in shown.out

    told = json.loads((await footnote(env, "eval-runs", "show", first, "--json")).out)
    assert [each["verdict"] for each in told["outcomes"]] == ["right", "rightly refused"]
    table = (await footnote(env, "eval-runs", "show", first)).out
    assert "ndcg@10" in table
    assert "How soon must a claim" in table

    compared = await footnote(env, "eval-runs", "compare", first, second, "--json")
    found = json.loads(compared.out)
    assert [found["a"]["run_id"], found["b"]["run_id"]] == [first, second]
    assert "right" in {each["metric"] for each in found["differences"]}
    table = (await footnote(env, "eval-runs", "compare", first, second)).out
    assert "b - a" in table

    deleted = await footnote(env, "eval-runs", "delete", first)
    assert deleted.out == f"Deleted the run {first}.\n"
    gone = await footnote(env, "eval-runs", "show", first)
    assert gone.code == 3
    assert "there is no evaluation run" in gone.err


async def test_a_folder_is_ingested_for_the_occasion_and_nothing_is_left(
    settings: Settings, golden: Path
) -> None:
    (golden.parent / "notes.bin").write_bytes(b"\x00\x01\x02")
    home = settings.home
    before = sorted(home.rglob("*"))
    ended = await footnote(
        environment(settings), "eval", str(golden), "--ingest", str(golden.parent), "--json"
    )
    assert ended.code == 0, ended.out
    told = json.loads(ended.out)
    assert told["right"] == 1
    assert told["failed_documents"] == ["notes.bin"]
    assert "notes.bin could not be indexed" in ended.err
    assert sorted(home.rglob("*")) == before
    shown = await footnote(environment(settings), "documents", "list", "--json")
    assert json.loads(shown.out)["documents"] == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param("route", "does not set anything", id="no value"),
        pytest.param("rout=true", "nothing called 'rout'", id="no such key"),
        pytest.param("route=perhaps", "route=perhaps cannot be used", id="no truth"),
        pytest.param("fusion=magic", "fusion=magic cannot be used", id="no fusion"),
        pytest.param("top_k=0", "The setting top_k cannot be used", id="too small"),
        pytest.param("home=elsewhere", "home cannot be set here", id="engine"),
        pytest.param("model_keys=x", "model_keys cannot be set", id="secret"),
        pytest.param("chunk_policy=balanced-99", "changes nothing", id="while ingesting"),
    ],
)
def test_what_cannot_be_set_is_refused_with_a_remedy(given: str, said: str) -> None:
    with pytest.raises(InvalidRequest, match=re.escape(said)) as caught:
        sides_of(order(changes=(given,)), Settings())
    assert caught.value.hint


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        pytest.param({"html": Path("absent/report.html")}, "no such folder", id="report"),
        pytest.param({"save": Path("absent/baseline.json")}, "no such folder", id="baseline"),
        pytest.param({"folder": Path(), "workspace": "acme"}, "cannot name another", id="two"),
    ],
)
def test_a_wrong_path_is_refused_before_time_is_spent(
    changes: dict[str, object], said: str
) -> None:
    with pytest.raises(InvalidRequest, match=said):
        check_paths(order(**changes))


def test_nothing_is_kept_in_a_workspace_that_is_gone_afterwards() -> None:
    with pytest.raises(InvalidRequest, match="nothing can be kept in it"):
        check_paths(order(folder=Path(), keep=True))


async def test_a_refusal_touches_nothing(golden: Path, tmp_path: Path) -> None:
    env = environment(Settings(home=tmp_path / "never"))
    ended = await footnote(env, "eval", str(golden), "--gate", "absent.json", "--json")
    assert ended.code == 2
    assert "absent.json cannot be read" in complaint(ended)
    assert not (tmp_path / "never").exists()


async def test_a_broken_golden_file_is_refused_with_its_line(tmp_path: Path) -> None:
    path = write_golden(tmp_path / "golden.jsonl", ROWS[0], {"relevant": []})
    env = environment(Settings(home=tmp_path / "never"))
    ended = await footnote(env, "eval", str(path), "--json")
    assert ended.code == 2
    assert complaint(ended) == "golden.jsonl, line 2: question is missing"
    assert json.loads(ended.out)["error"]["hint"]


def test_values_are_typed_as_plans_and_settings_want_them() -> None:
    given = ("route=true", "neighbours=2", "fusion=lexical_only", "rrf-k=30")
    [side] = sides_of(order(changes=given, plan="fast"), Settings())
    assert side.setup.changes == PlanChanges(route=True, neighbours=2, fusion="lexical_only")
    assert side.setup.plan == "fast"
    assert side.setup.name == "fast, route=true, neighbours=2, fusion=lexical_only, rrf-k=30"
    assert side.settings.rrf_k == 30


def test_the_second_run_has_its_own_plan_and_changes() -> None:
    first, second = sides_of(
        order(plan="fast", against="thorough", other_changes=("top_k=3",)), Settings()
    )
    assert (first.setup.plan, second.setup.plan) == ("fast", "thorough")
    assert first.settings.top_k == Settings().top_k
    assert second.settings.top_k == 3
    [_, same] = sides_of(order(plan="fast", other_changes=("route=true",)), Settings())
    assert same.setup.plan == "fast"


def test_every_guarded_setting_exists_and_every_secret_is_guarded() -> None:
    fields = Settings.model_fields
    assert set(fields) >= ENGINE_SETTINGS | INGESTION_SETTINGS
    secrets = {name for name, field in fields.items() if "SecretStr" in str(field.annotation)}
    assert secrets
    assert all(name.endswith(SECRET_ENDINGS) for name in secrets)


def test_a_setting_of_ingestion_may_be_set_for_a_folder() -> None:
    [side] = sides_of(order(folder=Path(), changes=("chunk_policy=balanced-99",)), Settings())
    assert side.settings.chunk_policy == "balanced-99"
    with pytest.raises(InvalidRequest):
        sides_of(order(changes=("chunk_policy=balanced-99",)), Settings())
