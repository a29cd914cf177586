"""Where Postgres is reached: by the application, past a connection pooler, and by the owner."""

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
"""A machine that is gone without a word is given up within 20 seconds; libpq's own defaults take
hours. What the address says itself stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseUrls:
    """The ways to one database."""

    application: str = field(repr=False)
    """Transactions of requests and jobs; a connection pooler may stand in between."""
    direct: str = field(repr=False)
    """The same login without a pooler, for what belongs to a connection: the queue, and LISTEN."""
    owner: str = field(repr=False)
    """The owner of the tables, without a pooler: migrations and index builds."""


def reachable(url: str) -> str:
    """The address with time limits, and with several hosts the one of them that takes writes."""
    said = conninfo.conninfo_to_dict(url)
    wanted = dict(_UNLESS_SAID)
    if "," in str(said.get("host") or ""):
        wanted["target_session_attrs"] = "read-write"
    return conninfo.make_conninfo(url, **{key: wanted[key] for key in wanted if key not in said})


def name_of(url: str) -> str:
    """Host and port of a server, without a login."""
    said = conninfo.conninfo_to_dict(url)
    return f"{said.get('host') or 'localhost'}:{said.get('port') or 5432}"


def is_pooled(connection: Connected, server_process: int) -> bool:
    """Whether something stands between that shares connections: it shows a number of its own."""
    return connection.info.backend_pid != server_process
