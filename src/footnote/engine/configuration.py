"""The settings of a workspace: its own values, which override the installation's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from footnote.domain.backfill import BackgroundWork
from footnote.domain.configuration import (
    SettingChange,
    SettingSource,
    SettingValue,
    WorkspaceSetting,
)
from footnote.engine.redaction import at_least
from footnote.engine.services import Services, WorkspaceAccess
from footnote.engine.stages import Configuration
from footnote.errors import InvalidRequest, NotFound
from footnote.models.judges import OwnedJudge
from footnote.models.reader_roles import ReaderJudge
from footnote.settings import (
    PER_WORKSPACE,
    Settings,
    checked_setting,
    listed,
    per_workspace,
    similar_names_hint,
    variables_of,
)
from footnote.store import configuration as stored
from footnote.store.configuration import StoredConfiguration, StoredSetting
from footnote.store.database import WorkspaceScope
from footnote.store.injection_screening import any_unmarked
from footnote.store.keywords import next_waiting
from footnote.store.queue import (
    enqueue_clustering_if_enabled,
    enqueue_entities_if_enabled,
    enqueue_facts_if_enabled,
    enqueue_keywords,
    enqueue_marking,
    enqueue_summarising_if_enabled,
)
from footnote.validation.messages import printable

_MAX_CACHED = 10_000
_OF_FACTS = ("facts", "fact_kinds", "fact_classes")
_OF_ENTITIES = ("entities", "entity_kinds")
_OLDER_NAMES = {
    "facts": "facts_by_model",
    "entities": "entities_by_model",
    "summaries": "summaries_by_model",
    "clusters": "chunk_clusters",
}
"""Settings that replaced two switches, by the name of the second, whose stored rows are still
read."""
CHANGES_SHOWN = 100

Limit = Annotated[int, Field(ge=1, le=1000)]


async def configuration_of(workspace: WorkspaceAccess) -> Configuration:
    """Read the settings of the workspace, and cache them in this process."""
    async with workspace.system_scope() as scope:
        stored_configuration = await stored.read_configuration(scope)
    overrides = {
        name: stored_setting.value
        for name, stored_setting in _valid_overrides(workspace.engine, stored_configuration).items()
    }
    installed = workspace.engine.settings
    configuration = Configuration(
        change_no=stored_configuration.change_no,
        settings=installed.model_copy(update=overrides) if overrides else installed,
    )
    cached = workspace.engine.known_configurations
    if len(cached) >= _MAX_CACHED:
        cached.clear()
    cached[workspace.workspace_id] = configuration
    return configuration


async def settings_in_use(workspace: WorkspaceAccess) -> tuple[WorkspaceSetting, ...]:
    """List every setting that a workspace can override, with its effective value.

    The result says who set the values, so it raises Forbidden for a share link.
    """
    workspace.refuse_guest("see the settings")
    async with workspace.scope() as scope:
        overrides = _valid_overrides(workspace.engine, await stored.read_configuration(scope))
    installed = workspace.engine.settings
    return tuple(_workspace_setting(name, installed, overrides.get(name)) for name in PER_WORKSPACE)


async def setting(workspace: WorkspaceAccess, name: str) -> WorkspaceSetting:
    """Return one setting, by its name or its environment variable. Raises NotFound."""
    setting_name = _setting_name(name)
    return next(entry for entry in await settings_in_use(workspace) if entry.name == setting_name)


async def change_setting(
    workspace: WorkspaceAccess, name: str, value: SettingValue
) -> WorkspaceSetting:
    """Give the workspace a value of its own, from the next search on, in every process.

    The value may be text, as in the environment; `null` unsets what may be unset. Raises NotFound
    for a name that is none, and InvalidRequest for a value that the setting cannot have.
    """
    setting_name = _setting_name(name)
    checked = _checked(workspace.engine, setting_name, value)
    if checked != at_least(workspace.engine.settings, setting_name, checked):
        raise InvalidRequest(
            f"{setting_name} cannot be {printable(checked)} here: the installation redacts more",
            hint="a workspace can add to what the installation redacts, and take nothing away",
        )
    async with workspace.scope() as scope:
        await stored.change_setting(scope, setting_name, checked)
        await _unset_older(scope, setting_name)
        await _enqueue_affected(scope, workspace.engine.settings, setting_name)
    return await setting(workspace, setting_name)


async def unset_setting(workspace: WorkspaceAccess, name: str) -> WorkspaceSetting:
    """Remove the workspace's own value, from the next search on. Raises NotFound."""
    setting_name = _setting_name(name)
    async with workspace.scope() as scope:
        await stored.unset_setting(scope, setting_name)
        await _unset_older(scope, setting_name)
        await _enqueue_affected(scope, workspace.engine.settings, setting_name)
    return await setting(workspace, setting_name)


async def paused_work(workspace: WorkspaceAccess) -> frozenset[BackgroundWork]:
    """Return the kinds of background work that are paused in a workspace."""
    settings = (await configuration_of(workspace)).settings
    return frozenset(BackgroundWork(kind) for kind in listed(settings.paused_work))


async def is_paused(workspace: WorkspaceAccess, work: BackgroundWork) -> bool:
    """Return whether a kind of background work is paused."""
    return work in await paused_work(workspace)


async def _enqueue_affected(scope: WorkspaceScope, installed: Settings, changed: str) -> None:
    """Enqueue the work that a changed setting affects, so that existing documents are processed.

    A change of `paused_work` enqueues every kind; workers skip those still paused.
    """
    any_kind = changed == "paused_work"
    if any_kind or changed in _OF_ENTITIES:
        await enqueue_entities_if_enabled(scope, by_default=installed.entities != "off")
    if any_kind or changed in _OF_FACTS:
        await enqueue_facts_if_enabled(scope, by_default=installed.facts != "off")
    if any_kind or changed == "clusters":
        await enqueue_clustering_if_enabled(scope, by_default=installed.clusters != "off")
    if any_kind or changed == "summaries":
        await enqueue_summarising_if_enabled(scope, by_default=installed.summaries != "off")
    if any_kind and await any_unmarked(scope):
        await enqueue_marking(scope)
    if any_kind and await next_waiting(scope) is not None:
        await enqueue_keywords(scope)


async def setting_history(
    workspace: WorkspaceAccess, name: str | None = None, *, limit: Limit = CHANGES_SHOWN
) -> tuple[SettingChange, ...]:
    """The latest changes of a setting, or of all, latest first.

    Raises NotFound, and Forbidden for a link.
    """
    workspace.refuse_guest("see who changed the settings")
    setting_name = None if name is None else _setting_name(name)
    async with workspace.scope() as scope:
        return await stored.setting_history(scope, setting_name, limit)


def judge_in_use(workspace: WorkspaceAccess) -> OwnedJudge | None:
    """Return the judge of how well quotes support a sentence, by the settings last read."""
    engine, kind = workspace.engine, workspace.settings.grounding_judge
    if kind == engine.settings.grounding_judge:
        return engine.judge
    return ReaderJudge(reader=engine.reader) if kind == "reader" and engine.reader else None


def _checked(engine: Services, name: str, value: object) -> SettingValue:
    """The validated value. Raises InvalidRequest."""
    checked = checked_setting(name, value)
    if name == "grounding_judge":
        # Only the installation decides which service gets texts and who pays.
        reader = () if engine.reader is None else ("reader",)
        judges = tuple(dict.fromkeys(("none", *reader, engine.settings.grounding_judge)))
        if checked not in judges:
            raise InvalidRequest(
                f"the installation has no grounding judge {printable(checked)}",
                hint=f"there is {', '.join(judges)}; FOOTNOTE_GROUNDING_JUDGE sets up another",
            )
    return checked


def _valid_overrides(
    engine: Services, stored_configuration: StoredConfiguration
) -> dict[str, StoredSetting]:
    """Return the workspace's own values that are still valid.

    In place of an invalid one the installation's applies, so that a search does not fail.
    """
    accepted = {}
    for name, stored_setting in _with_older_settings(
        engine.settings, stored_configuration.settings
    ).items():
        if name not in PER_WORKSPACE:
            continue
        try:
            checked = _checked(engine, name, stored_setting.value)
        except InvalidRequest:
            continue
        accepted[name] = replace(stored_setting, value=at_least(engine.settings, name, checked))
    return accepted


def _with_older_settings(
    installed: Settings, overrides: Mapping[str, StoredSetting]
) -> Mapping[str, StoredSetting]:
    """Return the values of a workspace, with former pairs of switches merged into one setting."""
    merged = dict(overrides)
    for name, older_name in _OLDER_NAMES.items():
        older = merged.pop(older_name, None)
        if older is None:
            continue
        base = merged.get(name, replace(older, value=getattr(installed, name)))
        enabled = base.value not in (False, "off")
        if name == "clusters":
            combined = {(True, True): "all", (True, False): "documents", (False, True): "chunks"}
            value = combined.get((enabled, older.value is True), "off")
        else:
            value = ("model" if older.value is True else "rules") if enabled else "off"
        merged[name] = replace(base, value=value)
    return merged


async def _unset_older(scope: WorkspaceScope, name: str) -> None:
    if name in _OLDER_NAMES:
        await stored.unset_setting(scope, _OLDER_NAMES[name])


def _setting_name(requested: str) -> str:
    name = per_workspace(requested)
    if name is None:
        raise NotFound(
            f"a workspace has no setting {printable(requested)}",
            hint=similar_names_hint(requested),
        )
    return name


def _workspace_setting(
    name: str, installed: Settings, override: StoredSetting | None
) -> WorkspaceSetting:
    installation_value: SettingValue = getattr(installed, name)
    return WorkspaceSetting(
        name=name,
        value=installation_value if override is None else override.value,
        source=SettingSource.INSTALLATION if override is None else SettingSource.WORKSPACE,
        installation_value=installation_value,
        variables=variables_of(name),
        description=Settings.model_fields[name].description or "",
        changed_by=None if override is None else override.changed_by,
        changed_at=None if override is None else override.changed_at,
    )
