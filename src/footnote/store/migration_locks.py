"""Find the locks that a migration step takes on existing tables."""

from __future__ import annotations

import re
from collections.abc import Mapping

from footnote.domain.upgrading import LockMode
from footnote.store.migration_files import Migration

_TABLE = r'(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(?:ONLY\s+)?(?:footnote\.)?"?(\w+)"?'
_PATTERNS: tuple[tuple[str, LockMode], ...] = (
    (rf"ALTER TABLE\s+{_TABLE}\s+VALIDATE\s+CONSTRAINT", LockMode.NOTHING_WAITS),
    (rf"ALTER TABLE\s+{_TABLE}", LockMode.EVERYTHING_WAITS),
    (rf"DROP TABLE\s+{_TABLE}", LockMode.EVERYTHING_WAITS),
    (rf"LOCK TABLE\s+{_TABLE}\s+IN SHARE MODE", LockMode.WRITERS_WAIT),
    (rf"TRUNCATE(?:\s+TABLE)?\s+{_TABLE}", LockMode.EVERYTHING_WAITS),
    (rf"(?:CREATE|ALTER|DROP) POLICY\s+\w+\s+ON\s+{_TABLE}", LockMode.EVERYTHING_WAITS),
    (rf"DROP TRIGGER\s+\w+\s+ON\s+{_TABLE}", LockMode.EVERYTHING_WAITS),
    (r"CREATE (?:UNIQUE )?INDEX CONCURRENTLY\b.*?\bON\s+" + _TABLE, LockMode.NOTHING_WAITS),
    (r"CREATE (?:UNIQUE )?INDEX\b.*?\bON\s+" + _TABLE, LockMode.WRITERS_WAIT),
    (r"CREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER\b.*?\bON\s+" + _TABLE, LockMode.WRITERS_WAIT),
    (rf"(?:UPDATE|DELETE FROM|INSERT INTO)\s+{_TABLE}", LockMode.NOTHING_WAITS),
    (rf"COMMENT ON (?:COLUMN|TABLE)\s+{_TABLE}", LockMode.NOTHING_WAITS),
)
_REFERENCES = re.compile(rf"\bREFERENCES\s+{_TABLE}", re.IGNORECASE)
_CREATES = re.compile(rf"CREATE TABLE\s+{_TABLE}", re.IGNORECASE)
_DROPS_INDEX = re.compile(rf"(?:DROP|ALTER) INDEX\s+{_TABLE}", re.IGNORECASE)
_WEIGHT = {mode: weight for weight, mode in enumerate(LockMode)}


def locks_of(step: Migration, index_tables: Mapping[str, str]) -> Mapping[str, LockMode]:
    """Return the strongest lock that the step takes on each table it does not create itself.

    `index_tables` maps the indexes that exist before the step to their tables.
    """
    created: set[str] = set()
    locks: dict[str, LockMode] = {}

    def note(table: str, mode: LockMode) -> None:
        if table not in created and _WEIGHT[mode] >= _WEIGHT[locks.get(table, mode)]:
            locks[table] = mode

    for statement in step.parts:
        text = " ".join(statement.split())
        for pattern, mode in _PATTERNS:
            match = re.match(pattern, text, re.IGNORECASE)
            if match is not None:
                note(match[1], mode)
                break
        match = _DROPS_INDEX.match(text)
        if match is not None and match[1] in index_tables:
            note(index_tables[match[1]], LockMode.EVERYTHING_WAITS)
        match = _CREATES.match(text)
        if match is not None:
            created.add(match[1])
        if re.match(r"(CREATE|ALTER) TABLE", text, re.IGNORECASE):
            for table in _REFERENCES.findall(text):
                note(table, LockMode.WRITERS_WAIT)
    return locks
