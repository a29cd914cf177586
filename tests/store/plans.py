"""What Postgres plans for a statement."""

from __future__ import annotations

import json

from psycopg import sql

from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements


async def plan_of(
    scope: WorkspaceScope, statement: sql.Composable, parameters: dict[str, object]
) -> str:
    row = await scope.single(sql.SQL("EXPLAIN (FORMAT JSON) ") + statement, parameters)
    return json.dumps(row["QUERY PLAN"])


async def faults_of(
    scope: WorkspaceScope,
    statement: tuple[str, str, str],
    parameters: dict[str, object],
) -> list[str]:
    """What is wrong with the plan of a named statement that should use an index and no scan."""
    module, name, index = statement
    plan = await plan_of(scope, sql.SQL(load_statements(module)[name]), parameters)
    faults = [f"{module}.{name} reads {table} whole" for table in sorted(whole_reads(plan))]
    if f'"{index}' not in plan:
        faults.append(f"{module}.{name} does without {index}")
    return faults


def whole_reads(plan: str) -> set[str]:
    """The tables that the plan reads from end to end."""
    found = set()

    def visit(node: object) -> None:
        if isinstance(node, dict):
            if node.get("Node Type") == "Seq Scan":
                found.add(node["Relation Name"])
            node = list(node.values())
        if isinstance(node, list):
            for each in node:
                visit(each)

    visit(json.loads(plan))
    return found
