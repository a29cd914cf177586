"""What is redacted in the texts of a workspace before they leave for hosted models."""

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
    """What holds in a workspace, read afresh whenever a text is to leave.

    A hosted model takes longer than that, and a change holds from the next text on, in every
    process.
    """

    async def read() -> Redaction:
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            own = (await stored.read_configuration(scope)).settings
        values = {name: own[name].value for name in _STRICTEST if name in own}
        return redaction_from(engine.settings, values)

    return read


@asynccontextmanager
async def model_use_of_job(
    engine: Services,
    workspace_id: UUID,
    document_id: UUID | None = None,
    principal_id: str = SYSTEM.principal_id,
) -> AsyncIterator[None]:
    """Meter what a job asks of models within, and redact it as the workspace wants.

    What it used until it failed is metered, too, as used by the principal.
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


def redaction_from(installed: Settings, own: Mapping[str, object]) -> Redaction:
    """What the installation and a workspace want together."""
    values: dict[str, SettingValue] = {}
    for name, value in own.items():
        try:
            checked = checked_setting(name, value)
        except InvalidRequest:
            # Another version of Footnote wrote it: the strictest it can mean.
            checked = _STRICTEST[name]
        values[name] = at_least(installed, name, checked)
    settings = installed.model_copy(update=values)
    return Redaction(
        kinds=frozenset(map(PersonalData, listed(settings.redact))),
        embeddings=settings.redact_embeddings,
        refuses_media=settings.redact_media == "refuse",
    )


def at_least(installed: Settings, name: str, value: SettingValue) -> SettingValue:
    """A workspace's value, with what the installation redacts: a workspace can only add to it."""
    if not installed.redact:
        return value
    if name == "redact":
        both = {*listed(installed.redact), *listed(str(value))}
        return ",".join(kind for kind in PersonalData if kind in both)
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
