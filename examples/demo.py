"""Walks a newcomer through Footnote: ingest the example documents, then ask them questions."""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

FOOTNOTE = Path(sys.executable).with_name("footnote")
DOCUMENTS = Path(__file__).resolve().parent / "documents"
WORKSPACE = "demo"
QUESTIONS = (
    (
        "Ask. An exact number may be part of a question.",
        "Who issued policy POL-88213-X?",
    ),
    (
        "Ask a table. The footnote quotes the row.",
        "What is the deductible for equipment in transit?",
    ),
    (
        "Ask a scanned page.",
        "How long does Tolliver guarantee the hull repair?",
    ),
    (
        "Ask the slides.",
        "Until when will spare parts for the Pelorus 3 be available?",
    ),
    (
        "Ask what the documents do not say. There is no answer without a footnote.",
        "Does the policy cover damage by earthquakes?",
    ),
)
"""What to say before each question, and the question."""


def main() -> int:
    """Run the walk; each step is a command the reader can repeat."""
    start_afresh(Path(os.environ.get("FOOTNOTE_HOME", "")))
    subprocess.run(
        [FOOTNOTE, "workspace", "create", WORKSPACE], stderr=subprocess.DEVNULL, check=False
    )
    say("Ingest a small company's papers: PDF, Word, Excel, slides, mail, scans …")
    if run("ingest", str(DOCUMENTS)) != 0:
        return 1
    say("Find an exact number. Words and meaning are searched together.")
    if run("search", "POL-88213-X", "--top-k", "2") != 0:
        return 1
    for remark, question in QUESTIONS:
        say(remark)
        if run("ask", question) != 0:
            return 1
    farewell()
    return 0


def start_afresh(home: Path) -> None:
    """Forget an earlier demo, unless somebody serves it; a folder that is not ours stays."""
    marker = home / "made-by-the-demo"
    if marker.exists():
        with (home / "postgres.users").open("ab") as users:
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print(f"{home} is being served, so the demo goes on with what is there.")
                return
            shutil.rmtree(home)
    if not home.exists():
        home.mkdir(mode=0o700, parents=True)
        marker.touch()


def say(line: str) -> None:
    """A remark between two commands."""
    print(f"\n── {line}", flush=True)


def run(*arguments: str) -> int:
    """Show a command, then run it in the demo's workspace."""
    print(f"$ footnote {shlex.join(arguments)}\n", flush=True)
    command = [str(FOOTNOTE), *arguments, "--workspace", WORKSPACE]
    return subprocess.run(command, check=False).returncode


def farewell() -> None:
    """How to go on from here."""
    home = os.environ.get("FOOTNOTE_HOME")
    setting = f"FOOTNOTE_HOME={shlex.quote(home)} " if home else ""
    print(
        f"""
── Done. Go on with the same documents:

  {setting}{FOOTNOTE} ask "What does a salinity sensor cost?" --workspace {WORKSPACE}
  {setting}{FOOTNOTE} --workspace {WORKSPACE} serve --open   # the web app and the HTTP API
  {setting}{FOOTNOTE} doctor     # what is installed, what is missing

The web app is on http://127.0.0.1:8080/?workspace={WORKSPACE} while it is served (make serve
builds it first).
"""
    )


if __name__ == "__main__":
    sys.exit(main())
