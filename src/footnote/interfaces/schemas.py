"""How records become JSON, and those that only HTTP and `--json` know.

The records of `footnote.domain` are served as they are; `domain/json_form.py` says where JSON
differs from their fields. What is here wraps several of them, or shows them otherwise.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Self, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from footnote import domain
from footnote.domain import (
    DocumentOutcome,
    DocumentVersion,
    LaneStatus,
    Retried,
    SavedView,
    SimilarDocument,
    Workspace,
)
from footnote.domain.configuration import SettingChange, WorkspaceSetting
from footnote.domain.credentials import ApiKey
from footnote.domain.entities import EntityDecision
from footnote.domain.erasure import ErasureEntry, ReplayedErasure
from footnote.domain.evaluations import EvaluationRun, StartedEvaluation
from footnote.domain.events import WebhookEndpoint
from footnote.domain.facts import RecalledFact
from footnote.domain.listing import CollectionSummary
from footnote.domain.models_in_use import EXTRACTIVE, McpServer, ModelsInUse
from footnote.domain.retention import LegalHold, RetentionRule
from footnote.domain.sharing import ShareLink
from footnote.domain.sources import WorkspaceSource
from footnote.domain.tracing import TraceSummary
from footnote.domain.usage import Budget, PersonUsageRow, UsageRow
from footnote.errors import FootnoteError

JsonObject = Mapping[str, object]
Kind = TypeVar("Kind")

_adapter = cache(TypeAdapter)
"""Made once for each kind; it stays."""


def adapter(kind: type[Kind]) -> TypeAdapter[Kind]:
    """The adapter that reads and writes a kind of record as JSON."""
    return cast("TypeAdapter[Kind]", _adapter(cast("Hashable", kind)))


def json_of(record: object, *, indent: int | None = None) -> str:
    """A record as JSON text."""
    return adapter(type(record)).dump_json(record, by_alias=True, indent=indent).decode()


def object_of(record: object) -> dict[str, object]:
    """A record as a JSON object."""
    value = adapter(type(record)).dump_python(record, mode="json", by_alias=True)
    return cast("dict[str, object]", value)


def decoded(kind: type[Kind], value: object) -> Kind:
    """A record from a server's JSON; members it does not know are passed over.

    Raises FootnoteError.
    """
    try:
        return adapter(kind).validate_python(value)
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        location = ".".join(map(str, detail["loc"]))
        raise FootnoteError(
            f"the server's {kind.__name__} is not understood at {location!r}: {detail['msg']}",
            hint="Run the same version of Footnote on both sides.",
        ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantList:
    """The roles that were granted."""

    grants: tuple[domain.Grant, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReport:
    """What a workspace used."""

    rows: tuple[UsageRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonUsageReport:
    """What each person, key and service used."""

    rows: tuple[PersonUsageRow, ...]
    """Latest day first, and then who cost most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionList:
    """The collections that you administer."""

    collections: tuple[CollectionSummary, ...]
    """By name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRunList:
    """The evaluation runs that a workspace keeps."""

    runs: tuple[EvaluationRun, ...]
    """Latest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedEvaluationList:
    """The evaluations that workers were told to ask lately."""

    started: tuple[StartedEvaluation, ...]
    """Latest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceList:
    """The sources that a workspace follows."""

    sources: tuple[WorkspaceSource, ...]
    """Oldest first."""
    places: tuple[str, ...]
    """Below which sources may be named over the network; none where the operator opened none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityDecisionList:
    """What was decided of an entity."""

    decisions: tuple[EntityDecision, ...]
    """Latest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledFactList:
    """Facts that were found for a query."""

    facts: tuple[RecalledFact, ...]
    """The best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetList:
    """The budgets of a workspace."""

    budgets: tuple[Budget, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingList:
    """The settings that a workspace may have of its own."""

    settings: tuple[WorkspaceSetting, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingHistory:
    """Changes of a workspace's settings."""

    changes: tuple[SettingChange, ...]
    """Latest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionRules:
    """After how many days what is deleted."""

    rules: tuple[RetentionRule, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalHoldList:
    """Legal holds."""

    legal_holds: tuple[LegalHold, ...]
    """Oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureList:
    """The ledger of erasures."""

    erasures: tuple[ErasureEntry, ...]
    """Oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayReport:
    """What became of erasures that were to be carried out again."""

    erasures: tuple[ReplayedErasure, ...]
    """In their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentOutcomes:
    """What became of every document that was to be changed or deleted."""

    documents: tuple[DocumentOutcome, ...]
    """In the order they were named, each once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryReport:
    """The outcome for every document that was to be tried again."""

    documents: tuple[Retried, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestedFile:
    """The outcome for one file of a command line."""

    path: str
    duplicate: bool
    new_version: bool
    document: domain.Document | None = None
    """None when the file was not accepted."""
    attachments: tuple[domain.Document, ...] = ()
    refusal: str | None = None
    """Why it was not accepted, and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestCounts:
    """How many things of the named places had each outcome."""

    unchanged: int = 0
    """The same as before; not read where that can be told."""
    added: int = 0
    changed: int = 0
    """A new version."""
    retried: int = 0
    """Failed before; the same bytes are tried again."""
    renamed: int = 0
    """The same document under another path."""
    known: int = 0
    """The bytes of another document."""
    removed: int = 0
    """Gone, and so deleted."""
    kept: int = 0
    """Gone, but the document has other places too."""
    refused: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """The outcome for every file of a command line, in their order."""

    files: tuple[IngestedFile, ...]
    counts: IngestCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceList:
    """The newest traces that are kept."""

    traces: tuple[TraceSummary, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceList:
    """Every workspace of this installation."""

    workspaces: tuple[Workspace, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneList:
    """The lanes of a workspace, by number."""

    lanes: tuple[LaneStatus, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WhoAsks:
    """Who asks, as a credential proved it, and what they may do in a workspace."""

    workspace: str
    principal: str
    groups: tuple[str, ...]
    role: domain.Role | None
    """In the whole workspace; None for roles in collections alone."""
    collections: Mapping[str, domain.Role]
    """Collections in which there is a role of their own."""
    rights: tuple[domain.Right, ...]
    """What the credential may be used for."""
    credential: str
    """How it was proved, without its secret: `key:ID`, `link:ID`, `token:ISSUER`, `session:ID`,
    `gateway` or `local`.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyList:
    """The API keys of a workspace, oldest first, without their secrets."""

    keys: tuple[ApiKey, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionList:
    """The versions that were received of a document, the last first."""

    versions: tuple[DocumentVersion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarDocuments:
    """Documents that are like another, nearest first."""

    documents: tuple[SimilarDocument, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewList:
    """A principal's views of the list of documents, in the order in which they were first kept."""

    views: tuple[SavedView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareLinkList:
    """Share links, oldest first, without their tokens."""

    share_links: tuple[ShareLink, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookList:
    """The webhooks of a workspace."""

    webhooks: tuple[WebhookEndpoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Whether a trial message was delivered."""

    delivered: bool
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServerList:
    """A workspace's MCP servers, by name."""

    mcp_servers: tuple[McpServer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The models that answer in a workspace."""

    configured: tuple[str, ...]
    """Those of the installation."""
    chosen: tuple[str, ...] | None
    """Those that the workspace chose; None if it follows the installation."""
    used: tuple[str, ...]
    """Those that are asked, each when those before it failed; `extractive` only quotes."""

    @classmethod
    def from_domain(cls, in_use: ModelsInUse) -> Self:
        """Name the absence of models `extractive`."""
        chosen = in_use.chosen
        return cls(
            configured=in_use.configured,
            chosen=chosen if chosen is None else chosen or (EXTRACTIVE,),
            used=in_use.used or (EXTRACTIVE,),
        )
