"""The chart renders what its values ask for, and nothing that has more rights than it needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from footnote import __version__
from footnote.settings import Settings
from tests.deploy.test_containers import LISTENS

helm = pytest.importorskip(
    "helm_python", reason="helm-python-sdk is not installed: pip install --group chart"
)

CHART = Path(__file__).parents[2] / "deploy/chart"
DOCS = (CHART.parents[1] / "docs/kubernetes.md").read_text(encoding="utf-8")
SECRETS = ("FOOTNOTE_MASTER_KEY", "FOOTNOTE_IDENTITY_SECRET")
"""Keys that an installation would else make in a home, which a pod takes with it."""
LEAST: dict[str, Any] = {
    "existingSecret": "footnote",
    "settings": {"FOOTNOTE_BLOB_URL": "s3://footnote"},
}
EVERYTHING: dict[str, Any] = {
    **LEAST,
    "image": {"repository": "example/footnote", "digest": "sha256:" + "a" * 64},
    "settings": {"FOOTNOTE_IDENTITY": "keys", "FOOTNOTE_MIN_SIMILARITY": 0.1},
    "cloudnativepg": {"enabled": True, "loginSecret": "login"},
    "server": {"autoscaling": {"enabled": True}},
    "worker": {"autoscaling": {"by": "keda", "prometheusUrl": "http://prometheus:9090"}},
    "backup": {"enabled": True, "logSchedule": "*/15 * * * *"},
    "persistence": {"enabled": True},
    "ingress": {"enabled": True, "host": "footnote.example", "tlsSecret": "tls"},
    "metrics": {"podMonitor": True, "rules": True},
    "networkPolicy": {
        "fromNamespaces": ["ingress"],
        "metricsFromNamespaces": ["monitoring"],
        "egress": [{"ports": [{"protocol": "TCP", "port": 443}]}],
    },
}
BY_AN_ADAPTER = {**LEAST, "worker": {"autoscaling": {"by": "hpa"}}}
VARIANTS = pytest.mark.parametrize(
    "values",
    [LEAST, EVERYTHING, BY_AN_ADAPTER],
    ids=["least", "everything", "scaled by an adapter"],
)


def rendered(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every object that the chart makes of the values."""
    with helm.Chart.load(str(CHART)) as chart:
        texts = chart.render(dict(values), name="demo", namespace="prod")
    return [each for text in texts.values() for each in yaml.safe_load_all(text) if each]


def pods(objects: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The pods of all workloads, each with the name of the workload."""
    for each in objects:
        spec = each.get("spec", {})
        template = spec.get("jobTemplate", {}).get("spec", spec).get("template")
        if each["kind"] in ("Deployment", "Job", "CronJob"):
            yield each["metadata"]["name"], template


@VARIANTS
def test_it_renders_and_lints(values: dict[str, Any]) -> None:
    found = rendered(values)
    names = [(each["kind"], each["metadata"]["name"]) for each in found]
    assert len(set(names)) == len(names)
    kinds = {kind for kind, _ in names}
    assert {"Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy", "Job"} <= kinds
    assert helm.lint(str(CHART), dict(values))["errors"] == []


def test_everything_that_can_be_asked_for_is_made() -> None:
    kinds = {each["kind"] for each in rendered(EVERYTHING)}
    assert kinds >= {
        *("Cluster", "CronJob", "HorizontalPodAutoscaler", "Ingress", "PersistentVolumeClaim"),
        *("PodMonitor", "PrometheusRule", "ScaledObject", "ServiceAccount"),
    }


@VARIANTS
def test_no_pod_has_a_right_that_it_does_not_need(values: dict[str, Any]) -> None:
    for name, pod in pods(rendered(values)):
        spec = pod["spec"]
        assert spec["automountServiceAccountToken"] is False, name
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert not {"hostNetwork", "hostPID", "hostIPC"} & set(spec)
        for volume in spec["volumes"]:
            assert set(volume) <= {"name", "emptyDir", "persistentVolumeClaim"}
        for container in spec["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert container["resources"]["limits"]["memory"]
            assert container["resources"]["requests"]["cpu"]
            image, _, version = container["image"].rpartition(":")
            assert image
            assert version != "latest"


def test_backups_are_made_by_their_schedules_one_at_a_time() -> None:
    jobs = {each["metadata"]["name"]: each for each in rendered(EVERYTHING)}
    nightly, often = jobs["demo-footnote-backup"]["spec"], jobs["demo-footnote-backup-log"]["spec"]
    assert (nightly["schedule"], often["schedule"]) == ("15 2 * * *", "*/15 * * * *")
    assert nightly["concurrencyPolicy"] == often["concurrencyPolicy"] == "Forbid"
    args = [
        each["jobTemplate"]["spec"]["template"]["spec"]["containers"][0]["args"]
        for each in (nightly, often)
    ]
    assert args == [["backup", "create"], ["backup", "create", "--log"]]
    assert "CronJob" not in {each["kind"] for each in rendered(LEAST)}


@VARIANTS
def test_load_restarts_nothing(values: dict[str, Any]) -> None:
    for _, pod in pods(rendered(values)):
        for container in pod["spec"]["containers"]:
            assert set(container.get("livenessProbe", {"tcpSocket": 0})) & {"tcpSocket"}


@VARIANTS
def test_a_server_is_asked_on_the_port_that_it_listens_on(values: dict[str, Any]) -> None:
    objects = rendered(values)
    [server] = [pod for name, pod in pods(objects) if name == "demo-footnote-server"]
    [container] = server["spec"]["containers"]
    ports = {each["name"]: each["containerPort"] for each in container["ports"]}
    assert str(ports["http"]) == LISTENS
    assert container["startupProbe"]["httpGet"] == {"path": "/health", "port": "http"}
    assert container["readinessProbe"]["httpGet"] == {"path": "/health", "port": "http"}
    assert container["livenessProbe"]["tcpSocket"] == {"port": "http"}
    specs = {(each["kind"], each["metadata"]["name"]): each.get("spec", {}) for each in objects}
    [service] = specs["Service", "demo-footnote"]["ports"]
    assert service["targetPort"] == "http"
    [entry] = specs["NetworkPolicy", "demo-footnote-server"]["ingress"]
    assert entry["ports"] == [{"protocol": "TCP", "port": "http"}]
    assert re.findall(r"port (\d+) from the same namespace", DOCS) == [LISTENS]


@VARIANTS
def test_no_pod_starts_without_the_keys_that_all_of_them_share(values: dict[str, Any]) -> None:
    for name, pod in pods(rendered(values)):
        for container in pod["spec"]["containers"]:
            given = {each["name"]: each.get("valueFrom") for each in container["env"]}
            for key in SECRETS:
                assert given.get(key) == {"secretKeyRef": {"name": "footnote", "key": key}}, name


@VARIANTS
def test_files_lie_in_an_object_store_or_on_a_volume_that_stays(values: dict[str, Any]) -> None:
    for name, pod in pods(rendered(values)):
        [container] = pod["spec"]["containers"]
        mounts = {each["mountPath"]: each["name"] for each in container["volumeMounts"]}
        volumes = {each["name"]: each for each in pod["spec"]["volumes"]}
        volume = mounts.get("/var/lib/footnote/blobs")
        if volume is None:
            assert "FOOTNOTE_BLOB_URL" in {each["name"] for each in container["env"]}, name
        else:
            assert volumes[volume]["persistentVolumeClaim"], name


def test_what_the_docs_say_to_install_has_its_keys_and_keeps_its_files() -> None:
    made = re.findall(r"--from-literal=(FOOTNOTE_\w+)=", DOCS)
    assert {*SECRETS, "FOOTNOTE_DATABASE_URL"} <= set(made)
    commands = re.findall(r"helm install footnote deploy/chart((?:.*\\\n)*.*)", DOCS)
    assert len(commands) == 2
    for command in commands:
        values: dict[str, Any] = {}
        for path, value in re.findall(r"--set (\S+?)=(\S+)", command):
            *folders, last = path.split(".")
            place = values
            for each in folders:
                place = place.setdefault(each, {})
            place[last] = value == "true" or value.replace("…", "a" * 64)
        assert rendered(values), command


@VARIANTS
def test_every_selector_meets_its_pods_and_no_others(values: dict[str, Any]) -> None:
    objects = rendered(values)
    templates = {name: pod["metadata"]["labels"] for name, pod in pods(objects)}

    def met(selector: Mapping[str, str]) -> set[str]:
        return {
            name
            for name, labels in templates.items()
            if all(labels.get(key) == value for key, value in selector.items())
        }

    for each in objects:
        name, spec = each["metadata"]["name"], each.get("spec", {})
        if each["kind"] in ("Deployment", "PodDisruptionBudget"):
            assert met(spec["selector"]["matchLabels"]) == {name}
        elif each["kind"] == "Service":
            assert met(spec["selector"]) == {"demo-footnote-server"}
        elif name.endswith("-nothing"):
            assert met(spec["podSelector"]["matchLabels"]) == set(templates)
            assert spec["policyTypes"] == ["Ingress", "Egress"]
            assert "ingress" not in spec
            assert "egress" not in spec


def test_every_setting_that_is_given_exists() -> None:
    known = {f"FOOTNOTE_{name.upper()}" for name in Settings.model_fields}
    for _, pod in pods(rendered(EVERYTHING)):
        for container in pod["spec"]["containers"]:
            given = {each["name"] for each in container["env"]}
            assert given <= known
            assert container["args"][0] in ("serve", "worker", "upgrade", "backup")
    text = "".join(path.read_text(encoding="utf-8") for path in CHART.rglob("*.yaml"))
    assert set(re.findall(r"\bFOOTNOTE_[A-Z_]+\b", text)) <= known


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({}, "existingSecret names the secret"),
        ({**LEAST, "replicas": 2}, "replicas"),
        ({**LEAST, "image": {"repository": "a", "tag": "latest"}}, "tag"),
        ({**LEAST, "image": {"repository": "a", "digest": "abc"}}, "digest"),
        ({**LEAST, "settings": {"PATH": "/"}}, "PATH"),
        *(({**LEAST, "settings": {each: "a" * 64}}, each) for each in SECRETS),
        ({**LEAST, "settings": {"FOOTNOTE_ADDRESS": "0.0.0.0:80"}}, "FOOTNOTE_ADDRESS"),
        ({**LEAST, "settings": {"FOOTNOTE_METRICS_ADDRESS": "[::]:9"}}, "FOOTNOTE_METRICS_ADDRESS"),
        ({"existingSecret": "footnote"}, "files would be lost.*persistence.enabled"),
        ({**LEAST, "settings": {"FOOTNOTE_BLOB_URL": ""}}, "settings.FOOTNOTE_BLOB_URL"),
        ({**LEAST, "ingress": {"enabled": True}}, "host"),
        ({**LEAST, "backup": {"enabled": True, "schedule": ""}}, "schedule"),
        ({**LEAST, "worker": {"autoscaling": {"by": "keda"}}}, "prometheusUrl"),
        ({**LEAST, "cloudnativepg": {"enabled": True}}, "loginSecret"),
    ],
)
def test_wrong_values_are_refused_by_name(values: dict[str, Any], named: str) -> None:
    with pytest.raises(helm.HelmError, match=named):
        rendered(values)


def test_the_chart_is_of_the_version_that_it_installs() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    assert (chart["version"], chart["appVersion"]) == (__version__, __version__)
