"""Who acts, where, and with which vectors."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from footnote.domain.json_form import json_form

DEFAULT_WORKSPACE = "default"
DEFAULT_COLLECTION = "default"
"""What is meant where none is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who acts inside a workspace."""

    principal_id: str
    groups: tuple[str, ...] = ()

    @property
    def access_names(self) -> tuple[str, ...]:
        """The names under which an access list may admit this principal."""
        return (self.principal_id, *self.groups)


LOCAL_PRINCIPAL = Principal(principal_id="local")
"""The one user of an installation without identities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """The tenancy boundary; nothing crosses it."""

    workspace_id: UUID
    name: str
    created_at: datetime


@json_form(computed=("fingerprint",))
@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """An embedding cohort: vectors of one lane are comparable, vectors of two are not."""

    name: str
    provider: str
    model: str
    dimensions: int
    revision: str
    languages: tuple[str, ...] = ()
    """ISO 639-1 codes the model was trained for; empty when it claims all."""

    @property
    def fingerprint(self) -> str:
        """What two lanes must share for their vectors to be comparable."""
        return f"{self.name}/{self.provider}/{self.model}/{self.dimensions}/{self.revision}"
