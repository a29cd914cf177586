"""Alerts fire when they should, and ask for nothing that is not measured."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from opentelemetry.sdk.metrics import MeterProvider

from footnote.ports import telemetry
from footnote.telemetry.prometheus import PrometheusReader
from footnote.telemetry.switching import OF_QUEUES

DEPLOY = Path(__file__).parents[2] / "deploy"
RULES = DEPLOY / "chart/rules.yaml"
CASES = DEPLOY / "prometheus/rules.tests.yaml"
DASHBOARD = DEPLOY / "grafana/dashboard.json"
_SUFFIXES = ("", "_bucket", "_count", "_sum", "_total")
_NAME = re.compile(r"\b(?:footnote|rag|gen_ai|http|db)_[a-z0-9_]+\b")
_QUOTED = re.compile(r'"[^"]*"')


def measured() -> set[str]:
    """Every series that Prometheus may find, by the names of the instruments in the code."""
    reader = PrometheusReader()
    meter = MeterProvider(metric_readers=[reader]).get_meter("test")
    for instrument in vars(telemetry).values():
        name, unit = (getattr(instrument, f"_{each}", None) for each in ("name", "unit"))
        if isinstance(name, str) and hasattr(instrument, "record"):
            meter.create_histogram(name, unit=unit or "").record(1)
        elif isinstance(name, str) and hasattr(instrument, "add"):
            meter.create_counter(name, unit=unit or "").add(1)
    for name, unit, *_ in OF_QUEUES:
        meter.create_gauge(name, unit=unit).set(1)
    return {each.name + suffix for each in reader.families() for suffix in _SUFFIXES}


def asked(expression: str) -> set[str]:
    """The names of series in an expression, without those of labels."""
    bare = re.sub(r"\{[^}]*\}|\b(?:by|on)\s*\([^)]*\)", "", _QUOTED.sub("", expression))
    return set(_NAME.findall(bare))


def test_rules_and_dashboard_ask_for_what_is_measured() -> None:
    rules = [
        rule["expr"]
        for group in yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
        for rule in group["rules"]
    ]
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    drawn = [target["expr"] for panel in panels for target in panel.get("targets", ())]
    known = measured()
    wanted = {name for expression in (*rules, *drawn) for name in asked(expression)}
    assert len(wanted) > 20
    assert wanted - known == set()


def test_the_dashboard_asks_for_objectives_that_are_recorded() -> None:
    recorded = set(re.findall(r"record: (\S+)", RULES.read_text(encoding="utf-8")))
    drawn = set(re.findall(r"footnote:[\w:]+", DASHBOARD.read_text(encoding="utf-8")))
    assert drawn
    assert drawn <= recorded


def test_every_panel_has_a_place_of_its_own() -> None:
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert max(x for x, _ in cells) < 24, panel["title"]
        assert not cells & taken, panel["title"]
        taken |= cells


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
@pytest.mark.parametrize(
    "arguments",
    [("check", "rules", str(RULES)), ("test", "rules", str(CASES))],
    ids=["check", "test"],
)
def test_promtool_accepts_the_rules(arguments: tuple[str, ...]) -> None:
    ended = subprocess.run(
        ["promtool", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_every_alert_has_a_case_in_which_it_fires() -> None:
    alerts = set(re.findall(r"alert: (\w+)", RULES.read_text(encoding="utf-8")))
    cases = yaml.safe_load(CASES.read_text(encoding="utf-8"))
    fired = {
        test["alertname"]
        for case in cases["tests"]
        for test in case["alert_rule_test"]
        if test["exp_alerts"]
    }
    assert fired == alerts
