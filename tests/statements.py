"""Statements that the process sends to Postgres, recorded as they pass the driver."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest


def recorded_statements(patched: pytest.MonkeyPatch) -> list[object]:
    """A list to which each statement is appended that a cursor of psycopg executes from now on."""
    recorded: list[object] = []
    execute = psycopg.AsyncCursor.execute

    async def recording(cursor: Any, statement: Any, *given: Any, **options: Any) -> Any:
        recorded.append(statement)
        return await execute(cursor, statement, *given, **options)

    patched.setattr(psycopg.AsyncCursor, "execute", recording)
    return recorded
