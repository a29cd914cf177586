"""Every verb of the engine is bound in one table, which both faces have."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import footnote.engine
from footnote.domain import Right
from footnote.engine import WorkspaceEngine, WorkspaceVerbs
from footnote.sync import SyncWorkspaceEngine

HELPERS = {
    *("serving", "configuration_of", "prepare_search", "run_search", "refreshed"),
    "changed_access_names",
    *("answer_writer_for", "answer_writer_of", "agent_model_for", "models_to_try"),
    *(
        "extraction_of",
        "entity_extraction_of",
        "wants_clusters",
        "summarising_of",
        "fact_progress_of_rules",
        "entity_progress_without_model",
        "reading_progress",
        "write_summary",
        "write_document",
        *("paused_work", "is_paused"),
    ),
    *(
        "with_conflicts",
        "contradicting_facts",
        "corpus_evidence",
        "searched_by_part",
        "section_around",
    ),
    *("suggestions_after", "suggestions_event", "suggestion_count"),
}
"""What verbs share."""
BOUND = {name for name in vars(WorkspaceVerbs) if not name.startswith("_")}


def _functions_of_a_workspace() -> Iterator[str]:
    for found in iter_modules(footnote.engine.__path__):
        module = import_module(f"footnote.engine.{found.name}")
        for name, each in vars(module).items():
            is_async = inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each)
            if is_async and each.__module__ == module.__name__ and not name.startswith("_"):
                first = next(iter(inspect.signature(each).parameters.values()), None)
                if first is not None and first.annotation == "WorkspaceAccess":
                    yield name


def test_every_verb_is_bound_by_its_own_name() -> None:
    assert set(_functions_of_a_workspace()) - HELPERS == BOUND
    for name in BOUND:
        assert getattr(WorkspaceEngine, name).__name__ == name


def test_every_verb_has_a_blocking_twin_with_its_arguments_and_its_text() -> None:
    for name in BOUND:
        verb, twin = getattr(WorkspaceEngine, name), getattr(SyncWorkspaceEngine, name)
        plain = inspect.unwrap(verb)
        assert inspect.iscoroutinefunction(plain) or inspect.isasyncgenfunction(plain), name
        assert not inspect.iscoroutinefunction(twin), name
        assert inspect.signature(verb) == inspect.signature(twin), name
        assert twin.__doc__ == verb.__doc__
        assert verb.__doc__


def _used(tree: ast.Module, module: str) -> Iterator[tuple[str, str]]:
    """What stands in a module, each with the full name of something that it uses."""
    imported = {
        each.asname or each.name: f"{node.module}.{each.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for each in node.names
    }
    for outer in tree.body:
        for node in ast.walk(outer):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                yield getattr(outer, "name", ""), f"{imported.get(node.value.id)}.{node.attr}"
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield getattr(outer, "name", ""), imported.get(node.id, f"{module}.{node.id}")


def test_what_administrators_may_is_reached_by_the_table_alone() -> None:
    # The function itself asks for no right: who calls it past the table must be such a verb.
    administering = {
        f"{verb.__module__}.{name}"
        for name in BOUND
        if vars(WorkspaceVerbs)[name].right is Right.ADMINISTER
        for verb in [getattr(WorkspaceEngine, name)]
    }
    root = Path(footnote.engine.__path__[0]).parent
    past_the_table = {
        (f"{module}.{user}", used)
        for path in root.rglob("*.py")
        for module in [".".join(("footnote", *path.relative_to(root).with_suffix("").parts))]
        if module != "footnote.engine.workspace"
        for user, used in _used(ast.parse(path.read_text(encoding="utf-8")), module)
        if used in administering
    }
    known = {used for _, used in past_the_table}
    assert "footnote.engine.usage.budgets" in known, "it is looked for as it is written"
    assert {each for each in past_the_table if each[0] not in administering} == {
        # Its model uses the tools of the servers; who may see where they are is another matter.
        ("footnote.engine.answers.agent_stream", "footnote.engine.answer_models.mcp_servers"),
        # Of `pause_backfill` and `resume_backfill`.
        ("footnote.engine.backfill._set_paused", "footnote.engine.configuration.change_setting"),
    }
