"""How the tables of an installation lie, or would lie, on the nodes of a Citus cluster."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


class TableKind(StrEnum):
    """Where the rows of a table are."""

    DISTRIBUTED = "distributed"
    """Those of a workspace on one node, with all else that is the workspace's."""
    REFERENCE = "reference"
    """All of them on every node."""
    LOCAL = "local"
    """On the coordinator alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTable:
    """A table, and what becomes of it."""

    name: str
    kind: TableKind
    reason: str
    """Why it is not distributed; empty where it is."""
    size_bytes: int
    """With indexes and what is kept apart from the rows."""
    done: bool
    """Whether it lies so already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """Something that Citus does not take, or that would not do there what it does now."""

    table: str
    name: str
    """Of the key, policy or trigger."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPlan:
    """What distributing an installation takes."""

    citus: str | None
    """The version of the extension; None where it is not installed."""
    tables: tuple[PlannedTable, ...]
    """In the order in which they are distributed, local ones last."""
    obstacles: tuple[Obstacle, ...]
    """While there is one, nothing is distributed."""
    statements: tuple[str, ...]
    """What is left to run, in order."""
    ran: bool
    """Whether they were run just now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterNode:
    """A server of the cluster."""

    address: str
    """`host:port`."""
    active: bool
    takes_shards: bool
    shards: int
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspacePlacement:
    """Where a workspace lies."""

    workspace: str
    workspace_id: UUID
    shard_id: int
    address: str
    """The node, as `host:port`."""
    isolated: bool
    """Whether no other workspace shares its shard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterStatus:
    """How an installation is distributed now."""

    citus: str
    nodes: tuple[ClusterNode, ...]
    distributed: int
    """Tables that lie as planned."""
    left: tuple[str, ...]
    """Tables that do not yet."""
    placement: WorkspacePlacement | None
    """Of the workspace that was asked for."""
    rebalancing: str | None
    """The state of the last rebalancing; None where there was none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterMove:
    """What moving, isolating or rebalancing takes."""

    statements: tuple[str, ...]
    """Empty where it is so already."""
    ran: bool
