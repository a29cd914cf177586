"""Connection URLs of Postgres: for the application, without a pooler, and for the owner."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import conninfo

Connected = psycopg.Connection[Any] | psycopg.AsyncConnection[Any]

_UNLESS_SAID = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "2",
    "tcp_user_timeout": "20000",
}
"""Default connection parameters, used where the URL does not set them. A dead host is noticed
within 20 seconds; libpq's own defaults take hours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseUrls:
    """The connection URLs of one database."""

    application: str = field(repr=False)
    """For transactions of requests and jobs; may go through a connection pooler."""
    direct: str = field(repr=False)
    """The same login without a pooler, for session-level features: the queue, and LISTEN."""
    owner: str = field(repr=False)
    """The owner of the tables, without a pooler, for migrations and index builds."""


def reachable(url: str) -> str:
    """Add timeouts to a URL and, for several hosts, select the one that accepts writes."""
    said = conninfo.conninfo_to_dict(url)
    wanted = dict(_UNLESS_SAID)
    if "," in str(said.get("host") or ""):
        wanted["target_session_attrs"] = "read-write"
    return conninfo.make_conninfo(url, **{key: wanted[key] for key in wanted if key not in said})


def name_of(url: str) -> str:
    """Return host and port of a server, without a login."""
    said = conninfo.conninfo_to_dict(url)
    return f"{said.get('host') or 'localhost'}:{said.get('port') or 5432}"


def is_pooled(connection: Connected, server_process: int) -> bool:
    """Whether a pooler shares connections: it reports a process id of its own."""
    return connection.info.backend_pid != server_process
