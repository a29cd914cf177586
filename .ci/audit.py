"""Asks for known vulnerabilities of the pinned packages, and says so where nobody could be asked.

pip-audit ends well and reports none where its source answers nothing at all, as behind a mirror
that has packages but no advisories.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

LOCK = Path(__file__).parents[1] / "requirements.lock"
CLEAN, VULNERABLE, NOT_AUDITED = 0, 1, 2


def verdict(report: str, said: str) -> tuple[int, str]:
    """The exit code and what to print, of pip-audit's report in JSON and what it said beside it."""
    try:
        packages = json.loads(report)["dependencies"]
    except (ValueError, KeyError):
        return NOT_AUDITED, f"nothing was audited: pip-audit ended without a report\n{said.strip()}"
    skipped = sorted(each["name"] for each in packages if "skip_reason" in each)
    audited = len(packages) - len(skipped)
    found = [
        f"{each['name']} {each['version']}: {advisory['id']}, fixed in "
        f"{', '.join(advisory['fix_versions']) or 'no version yet'}"
        for each in packages
        for advisory in each.get("vulns", ())
    ]
    if not audited:
        return NOT_AUDITED, (
            f"nothing was audited: no source of advisories knew any of {len(packages)} packages; "
            "run this where pypi.org or osv.dev can be reached"
        )
    lines = [*found, f"{audited} of {len(packages)} packages audited, {len(found)} advisories"]
    if skipped:
        lines.append(f"not audited, as their source does not know them: {', '.join(skipped)}")
    if found:
        return VULNERABLE, "\n".join(lines)
    return (NOT_AUDITED if skipped else CLEAN), "\n".join(lines)


def main() -> int:
    """Audit the lock file; arguments are pip-audit's, such as `--vulnerability-service osv`."""
    ran = subprocess.run(
        (
            *(sys.executable, "-m", "pip_audit", "--requirement", str(LOCK), "--disable-pip"),
            *("--no-deps", "--format", "json", "--progress-spinner", "off", *sys.argv[1:]),
        ),
        capture_output=True,
        text=True,
        check=False,
    )
    code, said = verdict(ran.stdout, ran.stderr)
    sys.stdout.write(f"{said}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
