"""What row-level security costs where it compares many rows, in three forms, by turns.

    python bench/row_security.py --rows 20000

`look-up` is the policy of before rows carried who may see them, `carried` that of now, `each row`
that of now as a Citus cluster has it, where the names of the caller are read for each row. One
document in five has a list. Also: writing chunks whose statement reads the list once, and chunks to
which a trigger copies it one by one, beside chunks without.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

from footnote.domain import Principal, Role, Workspace
from footnote.domain.distribution import ClusterPlan
from footnote.engine import open_engine
from footnote.settings import Settings
from footnote.store.addresses import DatabaseUrls
from footnote.store.database import SYSTEM
from footnote.store.distribution import plan_distribution

ROUNDS = 7
FORMS = ("look-up", "carried", "each row")
READER = Principal(
    principal_id="bob", groups=tuple(f"group {number}" for number in range(10)), role=Role.READER
)
OF_COLLECTION = Principal(
    principal_id="eve", groups=("group 7",), role=None, collections=(("default", Role.READER),)
)
LOOK_UP = """
    workspace_id = current_workspace() AND (
        '*' = ANY ((SELECT current_access())::text[])
        OR EXISTS (
            SELECT FROM documents
            WHERE documents.workspace_id = chunks.workspace_id
                AND documents.document_id = chunks.document_id
        )
    )
"""
STATEMENTS = {
    "chunks, all": "SELECT count(*) FROM chunks WHERE workspace_id = %(workspace)s",
    "chunks of a kind": "SELECT string_agg(int4send(chunk_no), ''::bytea) FROM chunks"
    " WHERE workspace_id = %(workspace)s AND kind = 'paragraph'",
    "100 passages": "SELECT * FROM chunks"
    " WHERE workspace_id = %(workspace)s AND chunk_no = ANY (%(numbers)s)",
    "documents, all": "SELECT count(*) FROM documents WHERE workspace_id = %(workspace)s",
    "page of documents": "SELECT * FROM documents WHERE workspace_id = %(workspace)s"
    " ORDER BY created_at, document_id LIMIT 50",
}
DOCUMENTS = """
    INSERT INTO documents (workspace_id, document_id, collection, filename, title, media_type,
        source_type, byte_size, content_sha256, status, stage, version, created_by, access)
    SELECT %s, gen_random_uuid(), 'default', 'a.txt', 'a', 'text/plain', 'upload', 1, '\\x00',
        'indexed', 'publish', 1, 'ann',
        CASE n %% 10 WHEN 0 THEN '{ann,"group:group 7"}'::text[] WHEN 1 THEN '{ann}' END
    FROM generate_series(1, %s) AS n
"""
CHUNKS = """
    INSERT INTO chunks (workspace_id, chunk_no, document_id, version, ordinal, kind, text,
        body_offset, char_start, char_end, spans, heading_path, paragraph_start, paragraph_end,
        token_count)
    SELECT workspace_id, row_number() OVER (), document_id, 1, {ordinal}, 'paragraph',
        repeat('some words of a page ', 40), 0, 0, 1, '[]', '{{}}', 1, 1, 1
    FROM {documents}
"""


async def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=20_000)
    rows = options.parse_args().rows
    with tempfile.TemporaryDirectory(prefix="fn-") as folder:
        Path(folder).chmod(0o711)
        async with await open_engine(Settings(home=Path(folder) / "home")) as engine:
            workspace = (await engine.workspace()).workspace
            await asyncio.to_thread(measure, engine.owner_url, workspace, rows)


def measure(owner_url: str, workspace: Workspace, rows: int) -> None:
    urls = DatabaseUrls(application=owner_url, direct=owner_url, owner=owner_url)
    plan = plan_distribution(urls, 8)
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute("SET search_path = footnote, public, extensions")
        bind(owner, workspace, SYSTEM)
        owner.execute(
            "INSERT INTO collections (workspace_id, name) VALUES (%s, 'default')",
            [workspace.workspace_id],
        )
        owner.execute(DOCUMENTS, [workspace.workspace_id, rows])
        compare_writing(owner, workspace, rows)
        of_each = sql.SQL(CHUNKS).format(ordinal=sql.SQL("0"), documents=sql.SQL("documents"))
        owner.execute(of_each)
        owner.execute("VACUUM ANALYZE documents, chunks")
        compare_reading(owner, workspace, plan, rows)


def compare_writing(owner: psycopg.Connection, workspace: Workspace, rows: int) -> None:
    """Chunks of one document, as a publication writes them."""
    one = sql.SQL("(SELECT * FROM documents LIMIT 1) AS one, generate_series(1, {}) AS n").format(
        rows
    )
    plain = CHUNKS.format(ordinal="n", documents=one.as_string(owner))
    given = plain.replace("token_count)", "token_count, readers)").replace(
        "1, 1, 1\n", "1, 1, 1, (SELECT readers_of(access, collection) FROM documents LIMIT 1)\n"
    )
    ways = {"without": ("DISABLE", plain), "once": ("ENABLE", given), "each": ("ENABLE", plain)}
    took: dict[str, list[float]] = {way: [] for way in ways}
    for way in tuple(ways) * ROUNDS:
        state, statement = ways[way]
        owner.execute(f"ALTER TABLE chunks {state} TRIGGER copy_readers".encode())
        begun = time.perf_counter()
        owner.execute(statement.encode())
        took[way].append(time.perf_counter() - begun)
        owner.execute("DELETE FROM chunks WHERE workspace_id = %s", [workspace.workspace_id])
        owner.execute("VACUUM chunks")
    owner.execute("ALTER TABLE chunks ENABLE TRIGGER copy_readers")
    without, once, each = (statistics.median(found) for found in took.values())
    print(
        f"writing {rows:,} chunks without the list {without * 1000:.0f} ms, read once "
        f"x{once / without:.2f}, copied by a trigger x{each / without:.2f}"
    )


def compare_reading(
    owner: psycopg.Connection, workspace: Workspace, plan: ClusterPlan, rows: int
) -> None:
    expression = (
        "SELECT pg_get_expr(polqual, polrelid) FROM pg_policy WHERE polrelid = %s::regclass"
    )
    carried = {
        table: owner.execute(expression, [table]).fetchone() for table in ("chunks", "documents")
    }
    took: dict[tuple[str, str, str], list[float]] = {}
    for form in FORMS * ROUNDS:
        for table, found in carried.items():
            assert found is not None
            as_it_is = LOOK_UP if (form, table) == ("look-up", "chunks") else found[0]
            owner.execute(f"ALTER POLICY within_workspace ON {table} USING ({as_it_is})".encode())
        if form == "each row":
            for statement in plan.statements:
                if statement.startswith("ALTER POLICY"):
                    owner.execute(statement.encode())
        for who, principal in (("reader", READER), ("collection", OF_COLLECTION), ("job", SYSTEM)):
            with bound(owner, workspace, principal):
                for name, statement in STATEMENTS.items():
                    given = {
                        "workspace": workspace.workspace_id,
                        "numbers": list(range(1, rows, rows // 100)),
                    }
                    owner.execute(statement.encode(), given)
                    begun = time.perf_counter()
                    owner.execute(statement.encode(), given).fetchall()
                    took.setdefault((name, who, form), []).append(time.perf_counter() - begun)
    for name in STATEMENTS:
        for who in ("reader", "collection", "job"):
            medians = [statistics.median(took[name, who, form]) for form in FORMS]
            shares = ", ".join(
                f"{form} x{each / medians[0]:.2f}"
                for form, each in zip(FORMS[1:], medians[1:], strict=True)
            )
            print(f"{name}, as {who}: look-up {medians[0] * 1000:.1f} ms, {shares}")


@contextmanager
def bound(owner: psycopg.Connection, workspace: Workspace, principal: Principal) -> Iterator[None]:
    bind(owner, workspace, principal)
    yield
    bind(owner, workspace, SYSTEM)


def bind(owner: psycopg.Connection, workspace: Workspace, principal: Principal) -> None:
    """The owner is bound by the policies like all others."""
    owner.execute(
        "SELECT set_config('footnote.workspace_id', %s, false),"
        " set_config('footnote.access', (%s::text[])::text, false)",
        [str(workspace.workspace_id), list(principal.access_names)],
    )


if __name__ == "__main__":
    asyncio.run(main())
