"""Carries out `footnote eval`: measures, compares, gates, writes and shows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import typer
from pydantic import TypeAdapter, ValidationError
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from footnote.domain import Document, DocumentStatus, PlanChanges
from footnote.engine import open_engine
from footnote.engine.evaluations import require_keepable
from footnote.errors import InvalidRequest
from footnote.evaluation.compare import Difference, compare
from footnote.evaluation.gate import (
    Regression,
    baseline_of,
    read_baseline,
    regressions,
    write_baseline,
)
from footnote.evaluation.golden import GoldenSet, read_golden
from footnote.evaluation.report import Comparison, html_report
from footnote.evaluation.run import DEFAULT_PLAN, Run, Setup
from footnote.evaluation.session import Corpus, Session, Side, Watch, measure
from footnote.evaluation.stored_runs import stored_form
from footnote.evaluation.summary import Value, differences_summary, summary
from footnote.interfaces.cli import evaluation_tables, present
from footnote.interfaces.cli.command_runner import prepared, wait_for
from footnote.interfaces.cli.paths import regular_files
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings, settings_from
from footnote.validation.messages import wrong_value

ENGINE_SETTINGS = frozenset(
    {
        "home",
        "database_url",
        "direct_database_url",
        "owner_database_url",
        "replica_database_urls",
    }
)
"""Settings that say which engine is asked, which is no way of searching."""

SECRET_ENDINGS = ("_key", "_keys", "_options", "_password", "_secret", "_token")
"""The endings of settings that no report should name."""

INGESTION_SETTINGS = frozenset(
    {
        "chunk_policy",
        "document_limits",
        "ocr",
    }
)
"""Settings that change nothing about documents which are there."""

_CHANGES = TypeAdapter(PlanChanges)
_PLAN_FIELDS = frozenset(field.name for field in fields(PlanChanges))


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What was asked for."""

    golden: Path
    workspace: str | None
    folder: Path | None
    plan: str | None
    against: str | None
    changes: tuple[str, ...]
    other_changes: tuple[str, ...]
    k: int
    concurrency: int
    gate: Path | None
    save: Path | None
    html: Path | None
    keep: bool
    worst: int
    as_json: bool

    @property
    def compares(self) -> bool:
        """Whether there is a second run."""
        return self.against is not None or bool(self.other_changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the evaluation came to."""

    session: Session
    differences: tuple[Difference, ...]
    regressions: tuple[Regression, ...] | None
    """None without a gate."""


def carry_out(order: Order) -> bool:
    """Do it, and say whether the gate, if there is one, was passed."""
    settings = prepared()
    golden = read_golden(order.golden)
    check_paths(order)
    if order.keep:
        require_keepable(len(golden.questions))
    baseline = read_baseline(order.gate, order.k, golden.digest) if order.gate else None
    sides = sides_of(order, settings)
    session = _measurement(order, golden, sides)
    run = session.runs[0]
    outcome = Outcome(
        session=session,
        differences=compare(*session.runs) if order.compares else (),
        regressions=regressions(run, baseline) if baseline else None,
    )
    if order.save:
        write_baseline(order.save, baseline_of(run))
    if order.keep:
        wait_for(_keep(settings, order.workspace, session.runs))
    if order.html:
        runs = outcome.session.runs
        second = Comparison(other=runs[1], differences=outcome.differences) if runs[1:] else None
        page = html_report(runs[0], second, outcome.regressions or (), written_at=datetime.now(UTC))
        try:
            order.html.write_text(page, encoding="utf-8")
        except OSError as error:
            raise InvalidRequest(
                f"{order.html} cannot be written: {error.strerror}",
                hint="check the path and its rights",
            ) from error
    # Say on standard error what makes the figures worse than they should be.
    for document in session.failed_documents:
        sentence = present.failure_sentence(document)
        _note(f"{document.filename} could not be indexed: {sentence}")
    for name in session.runs[0].missing_documents:
        _note(f"no document is called {name}, though questions expect it")
    present.show_degraded(dict.fromkeys(note for run in session.runs for note in run.degraded))
    if order.as_json:
        typer.echo(json.dumps(_json(outcome), indent=2, ensure_ascii=False))
    else:
        _show(order, outcome)
    return not outcome.regressions


def sides_of(order: Order, settings: Settings) -> list[Side]:
    """The one or two ways of searching that are measured. Raises InvalidRequest."""
    sides = [_side(order, settings, order.plan, order.changes)]
    if order.compares:
        sides.append(_side(order, settings, order.against or order.plan, order.other_changes))
    return sides


def check_paths(order: Order) -> None:
    """Refuse what can be refused before time is spent. Raises InvalidRequest."""
    if order.folder is not None and order.workspace is not None:
        raise InvalidRequest(
            "--ingest asks a workspace of its own, so --workspace cannot name another",
            hint="leave one of the two out",
        )
    if order.folder is not None and order.keep:
        raise InvalidRequest(
            "--ingest asks a workspace that is gone afterwards, so nothing can be kept in it",
            hint="leave --keep or --ingest out",
        )
    for path in (order.save, order.html):
        if path is not None and not path.resolve().parent.is_dir():
            raise InvalidRequest(
                f"{path} cannot be written: there is no such folder", hint="make the folder first"
            )


async def _keep(settings: Settings, workspace: str | None, runs: Sequence[Run]) -> None:
    async with await open_engine(settings) as engine:
        workspace_engine = await engine.workspace(workspace)
        for run in runs:
            stored = await workspace_engine.keep_evaluation(stored_form(run))
            _note(f"the run is kept as {stored.run_id}")


def _side(order: Order, settings: Settings, plan: str | None, assignments: Sequence[str]) -> Side:
    pairs = dict(_pair(assignment) for assignment in assignments)
    changes = {key: value for key, value in pairs.items() if key in _PLAN_FIELDS}
    overrides: dict[str, object] = {
        key: value for key, value in pairs.items() if key not in changes
    }
    for key in overrides:
        _check_setting(key, ingests=order.folder is not None)
    name = ", ".join([plan or DEFAULT_PLAN, *assignments])
    return Side(
        setup=Setup(
            plan=plan,
            changes=_plan_changes(changes),
            k=order.k,
            concurrency=order.concurrency,
            named=name,
        ),
        settings=settings_from(settings, overrides) if overrides else settings,
    )


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise InvalidRequest(
            f"{text!r} does not set anything", hint="write it as KEY=VALUE, as in --set route=true"
        )
    return key.strip().replace("-", "_"), value.strip()


def _check_setting(key: str, *, ingests: bool) -> None:
    if key not in Settings.model_fields:
        raise InvalidRequest(
            f"there is nothing called {key!r} to set",
            hint=f"a plan has {', '.join(sorted(_PLAN_FIELDS))}; docs/settings.md has the settings",
        )
    if key in ENGINE_SETTINGS or key.endswith(SECRET_ENDINGS):
        raise InvalidRequest(
            f"{key} cannot be set here", hint=f"set FOOTNOTE_{key.upper()} in the environment"
        )
    if key in INGESTION_SETTINGS and not ingests:
        raise InvalidRequest(
            f"{key} changes nothing about documents that are there",
            hint="name a folder with --ingest to measure what it does",
        )


def _plan_changes(values: Mapping[str, str]) -> PlanChanges:
    try:
        return _CHANGES.validate_python(values)
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        key = str(wrong["loc"][0])
        raise InvalidRequest(
            f"{key}={values[key]} cannot be used: {wrong_value(wrong)}", hint="give another value"
        ) from error


def _measurement(order: Order, golden: GoldenSet, sides: Sequence[Side]) -> Session:
    files: tuple[Path, ...] = ()
    if order.folder is not None:
        # A golden set beside its documents would answer its own questions.
        files = tuple(
            file for file in regular_files([order.folder]) if file != order.golden.resolve()
        )
        if not files:
            raise InvalidRequest(
                f"there is no document in {order.folder}", hint="name a folder with documents"
            )
    corpus = Corpus(files=files, workspace=order.workspace)
    with _progress(visible=not order.as_json) as progress:
        questions = len(sides) * len(golden.questions)
        indexing = progress.add_task("indexing", total=None, visible=False)
        asking = progress.add_task("asking", total=questions, visible=False, start=False)

        def ingesting(documents: Mapping[UUID, Document]) -> None:
            resting = (DocumentStatus.INDEXED, DocumentStatus.FAILED)
            done = sum(document.status in resting for document in documents.values())
            progress.update(indexing, total=len(documents), completed=done, visible=True)

        def count_question(_done: int, _total: int) -> None:
            progress.start_task(asking)
            progress.update(asking, advance=1, visible=True)

        watch = Watch(ingesting=ingesting, asking=count_question)
        return wait_for(measure(golden, sides, corpus, work_until_resting, watch))


def _progress(*, visible: bool) -> Progress:
    return Progress(
        TextColumn("{task.description:<9}"),
        BarColumn(bar_width=28),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=present.notices(),
        disable=not visible,
    )


def _note(sentence: str) -> None:
    present.notices().print(f"Note: {present.plain(sentence)}", style="yellow", soft_wrap=True)


def _json(outcome: Outcome) -> dict[str, Value]:
    runs = outcome.session.runs
    details: dict[str, Value] = {
        "failed_documents": [failed.filename for failed in outcome.session.failed_documents]
    }
    if outcome.regressions is not None:
        details["regressions"] = [
            {
                "metric": regression.label,
                "before": regression.before,
                "now": regression.now,
                "p": regression.p,
                "sentence": regression.sentence,
            }
            for regression in outcome.regressions
        ]
    if len(runs) == 1:
        return {**summary(runs[0]), **details}
    a, b = map(summary, runs)
    return {"a": a, "b": b, "differences": differences_summary(outcome.differences), **details}


def _show(order: Order, outcome: Outcome) -> None:
    console = present.terminal()
    runs = outcome.session.runs
    if outcome.differences:
        evaluation_tables.show_differences(console, runs, outcome.differences)
    else:
        evaluation_tables.show_figures(console, runs[0])
    evaluation_tables.show_kinds(console, runs[0])
    evaluation_tables.show_worst(console, runs[0], order.worst)
    if outcome.regressions is not None:
        evaluation_tables.show_gate(console, outcome.regressions)
