"""How size, latency and memory grow with workspaces and chunks, and a model checked against that.

    python bench/scale.py
    python bench/scale.py --stages 20x1000,20x4000,60x1000,100x2000 --json
    python bench/scale.py --stages 1000x20 --document-chunks 20    # many active workspaces

A stage WxC adds W workspaces of C chunks to the installation. The first of a size is published
through the store's own functions from synthetic documents (`synthetic.py`) and tended as the
maintenance job does; the others are copies of its rows, table by table, with its key, so that a
million chunks take minutes. Then every workspace is searched in turn, and the sizes of all tables
are read. The model `bytes = a * workspaces + b * chunks` is fitted to all stages but the last, for
each table, and compared with the last.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from uuid import UUID

import numpy as np
import psutil  # type: ignore[import-untyped]  # the package ships no types
import psycopg
from psycopg import conninfo, sql
from psycopg.types.multirange import Int4Multirange
from psycopg.types.range import Range

from footnote.domain import LOCAL_PRINCIPAL
from footnote.engine import Engine, WorkspaceEngine
from footnote.jobs.maintenance import maintain
from footnote.ports import RecallRequest
from footnote.store.embedded import SUPERUSER
from footnote.store.statements import load_statements
from installation import MODELS, Ready, bench_engine, put
from reporting import GIB, MIB, finish, machine, percentiles, progress, show
from synthetic import SyntheticDocument, SyntheticLanguage, vectors_like

COPIED = """
    SELECT class.relname, array_agg(attname::text) FROM pg_class AS class
    JOIN pg_attribute ON attrelid = class.oid AND attnum > 0 AND NOT attisdropped
        AND attgenerated = '' AND attname <> 'workspace_id'
    WHERE relnamespace = 'footnote'::regnamespace AND relkind = 'r'
        AND relname NOT IN ('workspaces', 'workspace_directory', 'login_directory',
            'credential_directory', 'audit_log', 'audit_queries', 'spans')
        AND EXISTS (
            SELECT FROM pg_attribute AS tenant
            WHERE tenant.attrelid = class.oid AND tenant.attname = 'workspace_id'
        )
    GROUP BY class.relname
"""
SHOWN = 10
TARGETS = ((1_000, 1_000_000), (10_000, 100_000_000))
PLANS = (
    ("lexical", "postings"),
    ("dense", "nearest_exactly"),
    ("passages", "passages"),
    ("index_state", "generation"),
)
PARAMETERS: dict[str, object] = {
    "blocks": [-1, -9, 7],
    "terms": [7],
    "lane_id": 1,
    "vector": None,
    "visible": Int4Multirange([Range(0, 1000)]),
    "numbers": [1, 5, 9],
    "limit": 100,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What was measured of the installation at one size."""

    workspaces: int
    chunks: int
    load_s: float
    bytes: dict[str, int]
    """Of each table, with indexes."""
    first: dict[str, float]
    """Recalls in workspaces that this process has not searched yet."""
    again: dict[str, float]
    of_the_first_stage: dict[str, float]
    """The same in workspaces that were there from the beginning."""
    plans: dict[str, str]
    process_mb: int


@dataclass(slots=True)
class Installation:
    """What was put where so far."""

    engine: Engine
    pool: list[Ready]
    workspaces: list[WorkspaceEngine] = field(default_factory=list)
    chunks: int = 0
    templates: dict[int, WorkspaceEngine] = field(default_factory=dict)

    async def grow(self, count: int, chunks: int) -> float:
        """Add workspaces of so many chunks; seconds that took."""
        started = perf_counter()
        with progress() as bars:
            bar = bars.add_task(f"{count} x {chunks}", total=count)
            for _ in range(count):
                name = f"bench-{len(self.workspaces)}"
                await self.engine.create_workspace(name)
                workspace = await self.engine.workspace(name)
                if chunks in self.templates:
                    template = self.templates[chunks].workspace.workspace_id
                    await asyncio.to_thread(
                        copy_workspace, self.engine, template, workspace.workspace.workspace_id
                    )
                else:
                    await self._publish(workspace, chunks)
                    self.templates[chunks] = workspace
                self.workspaces.append(workspace)
                self.chunks += chunks
                bars.advance(bar)
        return perf_counter() - started

    async def _publish(self, workspace: WorkspaceEngine, chunks: int) -> None:
        written = 0
        while written < chunks:
            ready = self.pool[written // len(self.pool[0].texts)]
            await put(self.engine, workspace.workspace, ready)
            written += len(ready.texts)
        await maintain(self.engine, workspace.workspace.workspace_id)


def copy_workspace(engine: Engine, template: UUID, fresh: UUID) -> None:
    """Give a new workspace the rows of another, and its key, so that its terms are found."""
    url = conninfo.make_conninfo(engine.owner_url, user=SUPERUSER)
    both = {"template": template, "fresh": fresh}
    with psycopg.connect(url) as connection:
        # Neither triggers nor foreign keys: what they would see is there already.
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute("SET LOCAL search_path = footnote, public")
        connection.execute(
            "UPDATE workspaces SET lexical_key = from_.lexical_key FROM workspaces AS from_ "
            "WHERE workspaces.workspace_id = %(fresh)s AND from_.workspace_id = %(template)s",
            both,
        )
        for table, columns in connection.execute(COPIED).fetchall():
            names = sql.SQL(", ").join(map(sql.Identifier, columns))
            into = sql.Identifier(table)
            connection.execute(
                sql.SQL("DELETE FROM {} WHERE workspace_id = %(fresh)s").format(into), both
            )
            connection.execute(
                sql.SQL(
                    "INSERT INTO {into} (workspace_id, {names}) SELECT %(fresh)s, {names} "
                    "FROM {into} WHERE workspace_id = %(template)s"
                ).format(into=into, names=names),
                both,
            )


async def documents(
    engine: Engine, language: SyntheticLanguage, chunks: int, count: int
) -> list[Ready]:
    """Documents of so many chunks each; workspaces, which share nothing, have the same."""
    chance = np.random.default_rng(0)
    vectors = await vectors_like(engine.embedder, language, chance)
    made: list[SyntheticDocument] = [language.document(chance, chunks) for _ in range(count)]
    return [
        Ready(
            title=f"Document {number}",
            language="en",
            texts=document.texts,
            terms=document.terms,
            vectors=vectors(chance, chunks),
        )
        for number, document in enumerate(made)
    ]


def sizes(engine: Engine) -> dict[str, int]:
    """Bytes of every table with its indexes, after what autovacuum would do within minutes."""
    with psycopg.connect(engine.owner_url, autocommit=True) as connection:
        names = [
            name
            for (name,) in connection.execute(
                "SELECT relname FROM pg_class WHERE relkind = 'r' "
                "AND relnamespace = 'footnote'::regnamespace"
            )
        ]
        for name in names:
            connection.execute(
                sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier("footnote", name))
            )
        rows = connection.execute(
            "SELECT name, pg_total_relation_size(format('footnote.%%I', name)::regclass) "
            "FROM unnest(%s::text[]) AS name",
            [names],
        ).fetchall()
    return dict(rows)


async def searched(
    workspaces: Sequence[WorkspaceEngine], language: SyntheticLanguage, queries: int
) -> dict[str, float]:
    """Milliseconds of recalls with their passages through all workspaces, and processor time."""
    chance = np.random.default_rng(1)
    milliseconds = []
    began = process_time()
    for number in range(queries):
        workspace = workspaces[number % len(workspaces)]
        engine, query = workspace.engine, language.query(chance)
        # Recall and not the whole search, which would look for spellings of words that a small
        # synthetic corpus lacks.
        request = RecallRequest(
            vector=await engine.embedder.embed_query(query),
            terms_of=partial(engine.analyzer.query_terms, query),
            limit=engine.settings.recall_limit,
        )
        index = workspace.index_in(engine.lane)
        started = perf_counter()
        recalled = await index.recall(request)
        await index.passages([hit.chunk_no for hit in recalled.dense[:SHOWN]])
        milliseconds.append((perf_counter() - started) * 1e3)
    return {
        **percentiles(milliseconds),
        "processor_ms": round((process_time() - began) * 1e3 / queries, 2),
    }


async def plans(workspace: WorkspaceEngine) -> dict[str, str]:
    """By which indexes the hot statements go."""
    found = {}
    vector = np.zeros(workspace.engine.lane.dimensions, dtype=np.float32)
    database = workspace.engine.database
    async with database.workspace(workspace.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        for module, name in PLANS:
            statement = sql.SQL("EXPLAIN ") + sql.SQL(load_statements(module)[name])
            rows = await scope.all(statement, PARAMETERS | {"vector": vector})
            lines = [next(iter(row.values())) for row in rows]
            used = [line.partition("using ")[2].split()[0] for line in lines if "using " in line]
            whole = [line.partition("(")[0].strip(" ->") for line in lines if "Seq Scan" in line]
            found[f"{module}.{name}"] = ", ".join(sorted({*used, *whole}))
    return found


def fitted(stages: Sequence[Stage]) -> dict[str, tuple[float, float]]:
    """Bytes for each workspace and for each chunk, by table; never below nothing."""
    counts = np.array([[stage.workspaces, stage.chunks] for stage in stages], dtype=np.float64)
    found = {}
    for table in stages[0].bytes:
        measured = np.array([stage.bytes[table] for stage in stages], dtype=np.float64)
        both, *_ = np.linalg.lstsq(counts, measured, rcond=None)
        if both.min() < 0:
            alone = [float(measured @ column / (column @ column)) for column in counts.T]
            errors = [
                float(np.square(measured - column * each).sum())
                for column, each in zip(counts.T, alone, strict=True)
            ]
            both = np.where(np.arange(2) == np.argmin(errors), alone, 0.0)
        found[table] = (float(both[0]), float(both[1]))
    return found


def predicted(
    model: dict[str, tuple[float, float]], workspaces: int, chunks: int
) -> dict[str, float]:
    return {table: a * workspaces + b * chunks for table, (a, b) in model.items()}


async def measure(options: argparse.Namespace) -> tuple[list[Stage], dict[str, object]]:
    before = machine()
    stages: list[Stage] = []
    process = psutil.Process()
    async with bench_engine(options.models, options.home) as engine:
        language = SyntheticLanguage(engine.analyzer)
        most = max(chunks for _, chunks in options.stages)
        size = options.document_chunks
        pool = await documents(engine, language, size, -(-most // size))
        installation = Installation(engine, pool)
        empty_mb = round(process.memory_info().rss / MIB)
        print(f"The process takes {empty_mb} MB before anything is searched.", flush=True)
        for count, chunks in options.stages:
            seconds = await installation.grow(count, chunks)
            table_bytes = sizes(engine)
            asked = installation.workspaces[-options.queries :]
            first = await searched(asked, language, len(asked))
            await engine.vector_cache.settled()
            again = await searched(asked, language, options.queries)
            oldest = installation.workspaces[: options.stages[0][0]]
            gc.collect()
            stages.append(
                Stage(
                    workspaces=len(installation.workspaces),
                    chunks=installation.chunks,
                    load_s=round(seconds, 1),
                    bytes=table_bytes,
                    first=first,
                    again=again,
                    of_the_first_stage=await searched(oldest, language, options.queries),
                    plans=await plans(oldest[0]),
                    process_mb=round(process.memory_info().rss / MIB),
                )
            )
            print(_line(stages[-1]), flush=True)
        cache_mb = round(engine.settings.cache_bytes / MIB)
    return stages, {
        "machine": before,
        "cache_mb": cache_mb,
        "empty_mb": empty_mb,
        "stages": [asdict(stage) for stage in stages],
    }


def _line(stage: Stage) -> str:
    return (
        f"{stage.workspaces} workspaces, {stage.chunks} chunks: "
        f"{sum(stage.bytes.values()) / MIB:,.0f} MB, process {stage.process_mb} MB, loaded in "
        f"{stage.load_s} s; recall {stage.again}, at first {stage.first}, in the workspaces of the "
        f"first stage {stage.of_the_first_stage}"
    )


def present(stages: Sequence[Stage]) -> None:
    last = stages[-1].bytes
    shown = [name for name in sorted(last, key=lambda name: -last[name]) if last[name] > MIB / 2]
    rows = [[name, *(f"{stage.bytes[name] / MIB:,.1f}" for stage in stages)] for name in shown]
    rows.append(["all", *(f"{sum(stage.bytes.values()) / MIB:,.1f}" for stage in stages)])
    named = [f"{stage.workspaces}: {stage.chunks:,}" for stage in stages]
    show("MB by workspaces and chunks", ["table", *named], rows)
    same = all(stage.plans == stages[0].plans for stage in stages)
    print("The plans of hot statements are the same at each stage:" if same else "Plans changed:")
    for stage in stages[-1:] if same else stages:
        for name, used in stage.plans.items():
            print(f"  {name}: {used}")
    if len(stages) > 2:
        check_model(stages, shown)


def check_model(stages: Sequence[Stage], shown: Sequence[str]) -> None:
    """Fit without the last stage, compare with it, and extrapolate."""
    model, last = fitted(stages[:-1]), stages[-1]
    checked = predicted(model, last.workspaces, last.chunks)
    rows = [
        [
            name,
            *(f"{each:,.0f}" for each in model[name]),
            f"{checked[name] / MIB:,.1f}",
            f"{last.bytes[name] / MIB:,.1f}",
        ]
        for name in shown
    ]
    columns = ["table", "bytes a workspace", "a chunk", "modelled MB", "measured MB"]
    show("Model, fitted without the last stage", columns, rows)
    error = sum(checked.values()) / sum(last.bytes.values()) - 1
    print(f"The model is off by {error:+.1%} at the last stage.")
    for workspaces, chunks in TARGETS:
        if chunks <= last.chunks:
            continue
        total = sum(predicted(model, workspaces, chunks).values()) / GIB
        print(f"  {workspaces:,} workspaces, {chunks:,} chunks: {total:,.1f} GB, not measured")


def stages_from(text: str) -> list[tuple[int, int]]:
    stages = []
    for part in text.split(","):
        count, _, chunks = part.partition("x")
        stages.append((int(count), int(chunks)))
    return stages


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stages", type=stages_from, default="20x1000,20x4000,60x1000,100x2000")
    parser.add_argument("--document-chunks", type=int, default=250, help="chunks of a document")
    parser.add_argument("--queries", type=int, default=200, help="searches at each stage")
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--home", type=Path, help="keep what is loaded in this folder")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    stages, report = asyncio.run(measure(options))
    present(stages)
    finish(report, options.json)


if __name__ == "__main__":
    main()
