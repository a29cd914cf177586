"""Connection URLs of Postgres: for the application, without a pooler, and for the owner."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import conninfo

Connected = psycopg.Connection[Any] | psycopg.AsyncConnection[Any]

_DEFAULTS = {
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
    parameters = conninfo.conninfo_to_dict(url)
    defaults = dict(_DEFAULTS)
    if "," in str(parameters.get("host") or ""):
        defaults["target_session_attrs"] = "read-write"
    return conninfo.make_conninfo(
        url, **{key: defaults[key] for key in defaults if key not in parameters}
    )


def name_of(url: str) -> str:
    """Return host and port of a server, without a login."""
    parameters = conninfo.conninfo_to_dict(url)
    return f"{parameters.get('host') or 'localhost'}:{parameters.get('port') or 5432}"


def is_pooled(connection: Connected, server_process: int) -> bool:
    """Whether a pooler shares connections: it reports a process id of its own."""
    return connection.info.backend_pid != server_process
