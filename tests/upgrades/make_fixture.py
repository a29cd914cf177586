"""Makes a small database with the version of Footnote that runs it, for later versions to upgrade.

    python tests/upgrades/make_fixture.py

writes `tests/upgrades/databases/NUMBER.tar.xz`, named after the newest migration: the database as
SQL, the files, and what was answered to which question, with its citations. Run it for each
release. It asks a server over HTTP and runs commands, which older versions have too;
`PYTHONPATH=…/src` makes one of them.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any
from uuid import uuid4

import footnote
from footnote.store import embedded

_HERE = Path(__file__).resolve().parent
_DOCUMENTS = _HERE.parents[1] / "examples" / "documents"
_SETTINGS = {"FOOTNOTE_FACTS": "rules", "FOOTNOTE_ENTITIES": "rules", "FOOTNOTE_SUMMARIES": "rules"}
"""Versions that do not have them do not look at them."""

_DERIVED = {"entities", "facts", "summaries"}

WORKSPACES = {
    "people": ("employee-handbook.txt", "meeting-2025-04-24-management.md"),
    "harbour": ("insurance-policy.pdf", "price-list-2025.xlsx", "harbour-contract.docx"),
}
QUESTIONS = (
    "How many days of paid leave does everyone have?",
    "When does the summer party take place?",
    "Who issued policy POL-88213-X?",
    "What is the deductible for equipment in transit?",
)
_COMMAND = (sys.executable, "-m", "footnote.interfaces.cli.main")
_PATIENCE_SECONDS = 900.0


def main() -> None:
    """Make the fixture of this version."""
    with tempfile.TemporaryDirectory(prefix="fn-") as folder:
        Path(folder).chmod(0o711)  # Postgres runs as another user where this one is root.
        home = Path(folder) / "home"
        home.mkdir()
        models = os.environ.get("FOOTNOTE_TEST_MODELS")
        if models:
            (home / "models").symlink_to(models)
        env = {**os.environ, **_SETTINGS, "FOOTNOTE_HOME": str(home), "FOOTNOTE_LOG": "error"}
        for name in WORKSPACES:
            subprocess.run((*_COMMAND, "workspace", "create", name), env=env, check=True)
        with _serving(env) as url:
            said = {name: _filled(url, name) for name in WORKSPACES}
        _write(home, said)


@contextmanager
def _serving(env: dict[str, str]) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    process = subprocess.Popen((*_COMMAND, "serve", "--port", str(port)), env=env)
    url = f"http://127.0.0.1:{port}"
    try:
        _until(lambda: _call(f"{url}/health") is not None or process.poll() is not None)
        yield url
    finally:
        process.terminate()
        process.wait(60)


def _filled(url: str, workspace: str) -> dict[str, Any]:
    """Hand the documents in and ask the questions; what was answered."""
    for name in WORKSPACES[workspace]:
        _upload(f"{url}/v1/documents", workspace, _DOCUMENTS / name)

    def indexed() -> bool:
        documents = _asked(f"{url}/v1/documents", workspace)["documents"]
        return all(each["status"] in {"indexed", "failed"} for each in documents)

    _until(indexed)
    # What is derived of documents comes after them, where the version derives anything.
    _until(lambda: not _waiting(url, workspace))
    answers = [{"question": each, "citations": _cited(url, workspace, each)} for each in QUESTIONS]
    made = _asked(f"{url}/v1/conversations", workspace, {"title": "Of before"})
    place = f"{url}/v1/conversations/{made['conversation_id']}/messages"
    _asked(place, workspace, {"question": next(a["question"] for a in answers if a["citations"])})
    messages = _asked(place, workspace)["messages"]
    return {
        "answers": answers,
        "conversation": {"id": made["conversation_id"], "messages": len(messages)},
    }


def _waiting(url: str, workspace: str) -> bool:
    try:
        kinds = _asked(f"{url}/v1/backfill", workspace)["kinds"]
    except urllib.error.HTTPError:
        return False  # A version of before.
    return any(each["waiting"] for each in kinds if each["kind"] in _DERIVED)


def _cited(url: str, workspace: str, question: str) -> list[list[str | int | None]]:
    """File, page and quote of each citation of the answer, none of a refusal."""
    answer = _asked(f"{url}/v1/answers", workspace, {"question": question})
    if not answer["found"]:
        return []
    return [[each["filename"], each["page"], each["quote"]] for each in answer["citations"]]


def _write(home: Path, said: dict[str, Any]) -> None:
    steps = (files("footnote.store") / "migrations").iterdir()
    newest = max(step.name.removesuffix(".sql") for step in steps if step.name.endswith(".sql"))
    server = embedded.start_embedded(home)
    dump = home / "database.sql"
    try:
        subprocess.run(
            [
                server.binaries / "pg_dump",
                "--schema=footnote",
                f"--file={dump}",
                server.url(embedded.SUPERUSER),
            ],
            check=True,
        )
    finally:
        server.release()
    about = {"version": footnote.__version__, "migration": newest, "workspaces": said}
    (home / "about.json").write_text(json.dumps(about, indent=1, ensure_ascii=False))
    target = _HERE / "databases" / f"{newest.split('_')[0]}.tar.xz"
    target.parent.mkdir(exist_ok=True)
    with tarfile.open(target, "w:xz") as archive:
        for name in ("database.sql", "about.json", "blobs"):
            archive.add(home / name, name)
    sys.stdout.write(f"{target.name}: {target.stat().st_size:,} bytes, of {newest}\n")


def _asked(url: str, workspace: str, body: dict[str, Any] | None = None) -> Any:
    headers = {"Footnote-Workspace": workspace, "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, headers)) as reply:
        return json.load(reply)


def _upload(url: str, workspace: str, path: Path) -> None:
    boundary = uuid4().hex
    data = b"".join(
        (
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; '.encode(),
            f'filename="{path.name}"\r\n\r\n'.encode(),
            path.read_bytes(),
            f"\r\n--{boundary}--\r\n".encode(),
        )
    )
    headers = {
        "Footnote-Workspace": workspace,
        "Content-Type": f"multipart/form-data; boundary={boundary}",
    }
    urllib.request.urlopen(urllib.request.Request(url, data, headers)).close()


def _call(url: str) -> Any:
    try:
        with urllib.request.urlopen(url) as reply:
            return json.load(reply)
    except OSError:
        return None


def _until(done: Any) -> None:
    ends = time.monotonic() + _PATIENCE_SECONDS
    while not done():
        if time.monotonic() > ends:
            raise TimeoutError
        time.sleep(0.3)


if __name__ == "__main__":
    main()
