from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "audit.py"


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("audit", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOUND = {"name": "a", "version": "1", "vulns": []}
HOLED = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}
UNKNOWN = {"name": "c", "skip_reason": "Dependency not found on PyPI and could not be audited"}


@pytest.mark.parametrize(
    ("packages", "code", "said"),
    [
        pytest.param([SOUND], 0, "1 of 1 packages audited, 0 advisories", id="clean"),
        pytest.param([SOUND, HOLED], 1, "b 2: PYSEC-1, fixed in 3", id="an advisory"),
        pytest.param([UNKNOWN, UNKNOWN], 2, "nothing was audited", id="no source"),
        pytest.param([SOUND, UNKNOWN], 2, "does not know them: c", id="an unknown package"),
        pytest.param([HOLED, UNKNOWN], 1, "PYSEC-1", id="an advisory beside an unknown package"),
    ],
)
def test_what_was_not_audited_is_never_called_clean(
    audit: ModuleType, packages: list[object], code: int, said: str
) -> None:
    found, text = audit.verdict(json.dumps({"dependencies": packages}), "")
    assert found == code
    assert said in text


def test_a_report_that_never_came_is_said_so_with_its_reason(audit: ModuleType) -> None:
    code, text = audit.verdict("", "connection refused")
    assert code == 2
    assert "connection refused" in text
