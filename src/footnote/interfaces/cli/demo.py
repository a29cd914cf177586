"""`footnote demo`: a walk through the example documents, by commands the reader can repeat."""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import typer

from footnote.engine.diagnosis import optional_checks
from footnote.errors import InvalidRequest
from footnote.interfaces.cli.command_runner import prepared

WORKSPACE = "demo"
OF_A_PICTURE = "How long does Tolliver guarantee the hull repair?"
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
        OF_A_PICTURE,
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
_PICTURES = ("scanned-*", "*.png")
"""What cannot be read without text recognition."""


def demo() -> int:
    """Ingest the example documents and ask them questions, in a folder of their own."""
    settings = prepared()
    home_is_set = "home" in settings.model_fields_set
    home = (
        settings.home
        if home_is_set
        else Path(tempfile.gettempdir()) / f"footnote-demo-{os.getuid()}"
    )
    start_afresh(home)
    environment = {**os.environ, "FOOTNOTE_HOME": str(home)}
    _run(environment, "workspace", "create", WORKSPACE, visible=False)
    _say("Ingest a small company's papers: PDF, Word, Excel, slides, mail, scans …")
    recognition = next(
        check for check in optional_checks(settings) if check.name == "text recognition"
    )
    ignored = [] if recognition.ok else [f"--ignore={pattern}" for pattern in _PICTURES]
    if ignored:
        typer.echo(f"Scans are left out, as {recognition.detail}: {recognition.hint}")
    commands = [
        ("", ("ingest", str(documents()), *ignored)),
        (
            "Find an exact number. Words and meaning are searched together.",
            ("search", "POL-88213-X", "--top-k", "2"),
        ),
        *(
            (remark, ("ask", question))
            for remark, question in QUESTIONS
            if recognition.ok or question != OF_A_PICTURE
        ),
    ]
    for remark, words in commands:
        if remark:
            _say(remark)
        if _run(environment, *words, "--workspace", WORKSPACE):
            return 1
    _print_next_steps(home)
    return 0


def documents() -> Path:
    """The example documents: those of the package, or in a clone those of the repository.

    Raises InvalidRequest where neither are there.
    """
    package = Path(__file__).parents[2]
    for folder in (package / "examples", package.parents[1] / "examples" / "documents"):
        if folder.is_dir():
            return folder
    raise InvalidRequest(
        "the example documents are not installed", hint="reinstall footnote-engine from its wheel"
    )


def start_afresh(home: Path) -> None:
    """Forget an earlier demo, unless somebody serves it; a folder that is not ours stays."""
    marker = home / "made-by-the-demo"
    if marker.exists():
        with (home / "postgres.users").open("ab") as users:
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                typer.echo(f"{home} is being served, so the demo goes on with what is there.")
                return
            shutil.rmtree(home)
    if not home.exists():
        home.mkdir(mode=0o700, parents=True)
        marker.touch()


def _say(line: str) -> None:
    typer.echo(f"\n── {line}")


def _run(environment: dict[str, str], *words: str, visible: bool = True) -> int:
    """Show a command, then run it as one of the command line."""
    if visible:
        typer.echo(f"$ footnote {shlex.join(words)}\n")
    sys.stdout.flush()
    command = (sys.executable, "-m", "footnote.interfaces.cli.main", *words)
    errors = None if visible else subprocess.DEVNULL
    return subprocess.run(command, env=environment, stderr=errors, check=False).returncode


def _print_next_steps(home: Path) -> None:
    executable = Path(sys.executable).with_name("footnote")
    program = (
        "footnote" if shutil.which("footnote") == str(executable) else shlex.quote(str(executable))
    )
    prefix = f"FOOTNOTE_HOME={shlex.quote(str(home))} {program}"
    typer.echo(
        f"""
── Done. Go on with the same documents:

  {prefix} ask "What does a salinity sensor cost?" --workspace {WORKSPACE}
  {prefix} --workspace {WORKSPACE} serve --open   # the web app and the HTTP API
  {prefix} doctor     # what is installed, what is missing

The web app is on http://127.0.0.1:8080/?workspace={WORKSPACE} while it is served (in a clone, make
serve builds it first).
"""
    )
