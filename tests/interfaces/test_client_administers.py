"""The client makes keys, reads the audit log and sets budgets, as the engine's own verbs do."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime, timedelta

import pytest

import footnote
from footnote.domain import Right
from footnote.domain.audit import Act, Outcome
from footnote.domain.usage import Measure, Period
from footnote.engine import WorkspaceEngine
from footnote.errors import Conflict, Forbidden, InvalidRequest, NotAuthenticated, NotFound
from footnote.interfaces.sdk import administering
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import served


@pytest.mark.usefixtures("within_one_day")
async def test_the_client_administers_a_workspace(
    settings: Settings, workspace: WorkspaceEngine
) -> None:
    boss = await workspace.create_key("boss", rights=["read", "write", "administer"])
    async with served(settings_from(settings, {"identity": "keys"})) as http:
        base_url = str(http.base_url)
        async with footnote.AsyncClient(base_url, api_key=boss.secret) as client:
            who = await client.identity()
            assert (who.principal, who.rights) == ("service:boss", tuple(Right))
            made = await client.create_key("ingest", rights=["read"], expires_in_days=2)
            assert made.key in await client.keys()
            again = await client.rotate_key(made.key.key_id, overlap_hours=0)
            with pytest.raises(Forbidden):
                async with footnote.AsyncClient(base_url, api_key=again.secret) as reader:
                    await reader.audit_entries()
            await client.revoke_key(again.key.key_id)
            with pytest.raises(NotAuthenticated):
                async with footnote.AsyncClient(base_url, api_key=again.secret) as reader:
                    await reader.identity()
            with pytest.raises(NotFound):
                await client.revoke_key("../keys")

            [set_now] = await client.set_budget(Measure.COST_USD, Period.DAY, 20)
            assert await client.budgets() == (set_now,)
            await client.remove_budget(Measure.COST_USD, Period.DAY)
            with pytest.raises(NotFound):
                await client.remove_budget(Measure.COST_USD, Period.DAY)
            await client.receive(b"The keeper earns EUR 4,100.", "pay.txt")
            today = datetime.now(UTC).date()
            assert {each.day for each in await client.usage(since=today - timedelta(1))} <= {
                today - timedelta(1),
                today,
            }
            with pytest.raises(InvalidRequest):
                await client.usage(since=today, until=today - timedelta(1))

            assert all(each.day <= today for each in await client.usage_by_person(since=today))
            [held] = await client.collections()
            assert (held.name, held.documents) == ("default", 1)
            with pytest.raises(Conflict):
                await client.delete_collection("default")
            assert {each.name for each in (await client.examine_installation()).checks} > {
                "home",
                "office pages",
            }

            page = await client.audit_entries(principal_id="service:boss", act=Act.CHANGED, limit=3)
            assert len(page.entries) == 3
            assert page.next_cursor
            refused = await client.audit_entries(since=datetime.now(UTC) - timedelta(hours=1))
            assert Outcome.REFUSED in {each.outcome for each in refused.entries}
            verified = await client.verify_audit()
            assert verified.intact
            assert (await client.verify_audit([verified.head])).intact


def test_the_client_means_what_the_engine_means() -> None:
    for name, verb in vars(administering).items():
        if not inspect.iscoroutinefunction(verb) or name == "identity" or name.startswith("_"):
            continue
        ours = list(inspect.signature(verb).parameters.values())[1:]
        engines = list(inspect.signature(getattr(WorkspaceEngine, name)).parameters.values())[1:]
        told = [(each.name, each.kind, each.default) for each in ours]
        assert told == [(each.name, each.kind, each.default) for each in engines], name
