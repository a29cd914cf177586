"""Every verb of the engine is bound in one table, which both faces have."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

import footnote.engine
from footnote.engine import WorkspaceEngine, WorkspaceVerbs
from footnote.sync import SyncWorkspaceEngine

HELPERS = {
    *("serving", "configuration_of", "prepare_search", "run_search", "as_of_now"),
    *("answer_writer_for", "answer_writer_of", "agent_model_for", "models_asked"),
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
    *("with_conflicts", "contradicting_facts", "whole_of"),
    *("suggestions_after", "suggestions_made", "suggestions_wanted"),
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
