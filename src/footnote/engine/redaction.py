"""Find the redaction settings that hold for texts sent from a workspace to hosted models."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from uuid import UUID

from footnote.domain.configuration import SettingValue
from footnote.domain.redaction import PersonalData, Redaction, RedactionSource
from footnote.domain.usage import UsageAbout, UsageNote
from footnote.engine.services import Services
from footnote.errors import InvalidRequest
from footnote.ports.metering import metering
from footnote.ports.redaction import redacting_as
from footnote.settings import Settings, checked_setting, listed
from footnote.store import configuration as stored
from footnote.store.database import SYSTEM
from footnote.store.usage import add_usage


def redaction_of(engine: Services, workspace_id: UUID) -> RedactionSource:
    """Return a function that reads the workspace's redaction settings from the database.

    It reads them for every text: the read is short beside a call of a hosted model, and a changed
    setting applies from the next text on in every process.
    """

    async def read() -> Redaction:
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            overrides = (await stored.read_configuration(scope)).settings
        values = {name: overrides[name].value for name in _STRICTEST if name in overrides}
        return redaction_from(engine.settings, values)

    return read


@asynccontextmanager
async def model_use_of_job(
    engine: Services,
    workspace_id: UUID,
    document_id: UUID | None = None,
    principal_id: str = SYSTEM.principal_id,
) -> AsyncIterator[None]:
    """Meter the model calls of a job, and redact their texts by the workspace's settings.

    Usage up to a failure is metered as well. It is charged to the principal.
    """
    notes: list[UsageNote] = []
    try:
        with metering(notes), redacting_as(redaction_of(engine, workspace_id)):
            yield
    finally:
        if notes:
            about = UsageAbout(principal=principal_id, document_id=document_id)
            async with engine.database.workspace(workspace_id, SYSTEM) as scope:
                await add_usage(scope, engine.metering.priced(about, notes))


def redaction_from(installed: Settings, overrides: Mapping[str, object]) -> Redaction:
    """Combine the redaction settings of the installation and of a workspace."""
    values: dict[str, SettingValue] = {}
    for name, value in overrides.items():
        try:
            checked = checked_setting(name, value)
        except InvalidRequest:
            # Another version of Footnote wrote it: take the strictest value.
            checked = _STRICTEST[name]
        values[name] = at_least(installed, name, checked)
    settings = installed.model_copy(update=values)
    return Redaction(
        kinds=frozenset(map(PersonalData, listed(settings.redact))),
        embeddings=settings.redact_embeddings,
        refuses_media=settings.redact_media == "refuse",
    )


def at_least(installed: Settings, name: str, value: SettingValue) -> SettingValue:
    """Return a workspace's value, made at least as strict as the installation's."""
    if not installed.redact:
        return value
    if name == "redact":
        kinds = {*listed(installed.redact), *listed(str(value))}
        return ",".join(kind for kind in PersonalData if kind in kinds)
    if name == "redact_embeddings":
        return installed.redact_embeddings or value
    if name == "redact_media" and installed.redact_media == "refuse":
        return "refuse"
    return value


_STRICTEST: Mapping[str, SettingValue] = {
    "redact": ",".join(PersonalData),
    "redact_embeddings": True,
    "redact_media": "refuse",
}
