"""Builds what a release consists of into a folder, the same bytes wherever a commit is built.

    python packages/release.py --out dist [--trial] [--key FILE]

Wheels, source archive, chart, image (where Docker answers), bill of materials, checksums and,
with a key, their signature. The wheels are installed by name into an empty environment, which
runs the demo.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMESPACE = "footnote-release"
"""What a signature is for, so that one made for something else does not count."""
SUMS = "SHA256SUMS"
MODELS_EPOCH = 1_580_601_600
"""The time in the wheel of the models, whose version says whether it changed: no commit's."""


def version_of(root: Path) -> str:
    """The version, from the one place where it stands."""
    source = (root / "src/footnote/__init__.py").read_text(encoding="utf-8")
    (version,) = re.findall(r'^__version__ = "(.+)"$', source, re.MULTILINE)
    return str(version)


def faults_of(root: Path) -> list[str]:
    """Why this checkout is no release, each with what to do; empty where it is one."""
    version = version_of(root)
    faults = []
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## {re.escape(version)} - \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE):
        faults.append(f"CHANGELOG.md has no heading “## {version} - YYYY-MM-DD”: name what is new")
    waiting = re.search(r"^## Unreleased$(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if waiting and waiting[1].strip():
        faults.append(f"CHANGELOG.md has lines under Unreleased: they belong below {version}")
    steps = sorted(each.name for each in (root / "src/footnote/store/migrations").glob("*.sql"))
    if not (root / f"tests/upgrades/databases/{steps[-1][:4]}.tar.xz").is_file():
        faults.append(
            f"later versions find no database of step {steps[-1][:4]} to upgrade: "
            "python tests/upgrades/make_fixture.py"
        )
    chart = (root / "deploy/chart/Chart.yaml").read_text(encoding="utf-8")
    for key, stated in re.findall(r'^(version|appVersion): "?([^"\n]+)"?$', chart, re.MULTILINE):
        if stated != version:
            faults.append(f"deploy/chart/Chart.yaml has {key} {stated}: set it to {version}")
    if not (root / "src/footnote/interfaces/http/web/index.html").is_file():
        faults.append("the web app is not built: make web")
    if git(root, "status", "--porcelain"):
        faults.append("the checkout has changes that are not committed: commit or remove them")
    if f"v{version}" not in git(root, "tag", "--points-at", "HEAD").split():
        there = git(root, "tag", "--list", f"v{version}")
        faults.append(
            f"the tag v{version} is at another commit: raise __version__ of the package"
            if there
            else f"the commit has no tag: git tag --sign v{version}"
        )
    return faults


def git(root: Path, *words: str) -> str:
    """What git says."""
    command = ("git", "-C", str(root), *words)
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def build_python(project: Path, out: Path, epoch: int, *targets: str) -> None:
    """Build a project of ours with every time in it set to `epoch`."""
    wanted = [word for target in targets for word in ("--target", target)]
    run("-m", "hatchling", "build", "--directory", str(out), *wanted, cwd=project, epoch=epoch)


def build_chart(root: Path, out: Path, version: str, epoch: int) -> Path:
    """The chart as Helm packs it, in order and without times and owners of this machine."""
    folder = root / "deploy/chart"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            entry = tarfile.TarInfo(f"footnote/{path.relative_to(folder).as_posix()}")
            entry.size, entry.mtime = path.stat().st_size, epoch
            with path.open("rb") as content:
                archive.addfile(entry, content)
    target = out / f"footnote-{version}.tgz"
    target.write_bytes(gzip.compress(packed.getvalue(), mtime=epoch))
    return target


def build_image(root: Path, out: Path, version: str, epoch: int) -> str:
    """Build the image for both processors as an archive, or say why not. Returns what to print."""
    target = out / f"footnote-{version}-image.tar"
    command = [
        *("docker", "buildx", "build", "--platform", "linux/amd64,linux/arm64"),
        *("--build-arg", f"SOURCE_DATE_EPOCH={epoch}", "--file", "deploy/container/Dockerfile"),
        *("--output", f"type=oci,dest={target},rewrite-timestamp=true", "."),
    ]
    answers = (
        shutil.which("docker")
        and not subprocess.run(
            ("docker", "buildx", "ls"), check=False, capture_output=True, timeout=60
        ).returncode
    )
    if not answers:
        return f"no image, as no Docker with buildx answers; with one: {' '.join(command)}"
    subprocess.run(command, check=True, cwd=root)
    return f"{target.name}: the image"


def try_out(root: Path, out: Path, version: str) -> None:
    """Install the wheels by name into an empty environment, run the demo, list what is in it."""
    with tempfile.TemporaryDirectory(prefix="footnote-release-") as name:
        folder = Path(name)
        folder.chmod(0o711)  # Postgres has an account of its own where root builds.
        run("-m", "venv", "--without-pip", str(folder / "venv"))
        python = folder / "venv/bin/python"
        run(
            *("-m", "pip", "--python", str(python), "install", "--quiet", "--no-compile"),
            *("--disable-pip-version-check", "--constraint", str(root / "requirements.lock")),
            *("--find-links", str(out), f"footnote-engine[ocr]=={version}"),
        )
        described = out / f"footnote-engine-{version}.cdx.json"
        run(
            *("-m", "cyclonedx_py", "environment", str(python), "--output-reproducible"),
            *("--pyproject", str(root / "pyproject.toml"), "--output-file", str(described)),
        )
        bill = json.loads(described.read_text(encoding="utf-8"))
        bill["metadata"]["component"]["version"] = version  # It reads none that code has.
        described.write_text(json.dumps(bill, indent=2), encoding="utf-8")
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        environment["FOOTNOTE_HOME"] = str(folder / "home")
        demo = (str(python.with_name("footnote")), "demo")
        subprocess.run(demo, check=True, cwd=folder, env=environment)


def write_sums(out: Path) -> Path:
    """SHA-256 of each file, as `sha256sum --check` reads it."""
    target = out / SUMS
    files = sorted(path for path in out.iterdir() if path.is_file() and SUMS not in path.name)
    lines = []
    for path in files:
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}\n")
    target.write_text("".join(lines), encoding="utf-8")
    return target


def sign(sums: Path, key: Path) -> Path:
    """Sign the checksums with an SSH key; the public half will do where an agent has the other."""
    signature = sums.with_name(f"{SUMS}.sig")
    signature.unlink(missing_ok=True)
    command = ("ssh-keygen", "-Y", "sign", "-n", NAMESPACE, "-f", str(key), str(sums))
    subprocess.run(command, check=True)
    return signature


def run(*words: str, cwd: Path | None = None, epoch: int | None = None) -> None:
    """Run this Python. Ends the program where that fails, as it has said why."""
    environment = os.environ | ({} if epoch is None else {"SOURCE_DATE_EPOCH": str(epoch)})
    if subprocess.run((sys.executable, *words), check=False, cwd=cwd, env=environment).returncode:
        raise SystemExit(f"this failed: python {' '.join(words)}")


def main() -> None:
    """Check, build, try out and sign."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--trial", action="store_true", help="build what is no release, unsigned")
    parser.add_argument("--key", type=Path, help="SSH key to sign with; its public half may do")
    given = parser.parse_args()
    version, faults = version_of(ROOT), faults_of(ROOT)
    for fault in faults:
        print(f"not a release: {fault}", file=sys.stderr)
    if faults and not given.trial:
        raise SystemExit("nothing was built; TRIAL=1 builds it all the same, unsigned")
    if given.key and not given.key.is_file():
        raise SystemExit(f"there is no key {given.key}")
    out = given.out.resolve() / version
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    epoch = int(git(ROOT, "log", "-1", "--format=%ct"))
    print(f"Building {version}, dated {datetime.fromtimestamp(epoch, UTC):%Y-%m-%d} …", flush=True)
    build_python(ROOT, out, epoch, "sdist", "wheel")
    build_python(ROOT / "packages/models", out, MODELS_EPOCH, "wheel")
    build_chart(ROOT, out, version, epoch)
    print(build_image(ROOT, out, version, epoch), flush=True)
    print("Installing it into an empty environment, for the demo …", flush=True)
    try_out(ROOT, out, version)
    sums = write_sums(out)
    print(sums.read_text(encoding="utf-8"), end="")
    if faults or not given.key:
        why = "it is no release" if faults else "no key was given: KEY=FILE"
        print(f"{out}: not signed, as {why}")
    else:
        print(f"{sign(sums, given.key)}: the signature")


if __name__ == "__main__":
    main()
