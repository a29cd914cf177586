from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HOLDING = """
import sys
from pathlib import Path
from footnote.ingestion.temporary_folders import TemporaryFolder

folder = TemporaryFolder("reading")
Path(folder.path, "page.txt").write_text("secret")
print(folder.path, flush=True)
sys.stdin.read()
"""
"""A process with a folder, which removes nothing of its own before it is told to end or killed."""


@contextmanager
def holding(parent: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    environment = {**os.environ, "TMPDIR": str(parent)}
    command = [sys.executable, "-c", HOLDING]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, **pipes) as process:  # type: ignore[call-overload]
        yield process, Path(process.stdout.readline().strip())
        process.kill()


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    with holding(tmp_path) as (process, abandoned):
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert (abandoned / "page.txt").read_text() == "secret"
    (tmp_path / "footnote-reading-notes.txt").write_text("somebody's file")
    with holding(tmp_path) as (_, used):
        assert not abandoned.exists()
        with holding(tmp_path) as (_, beside):
            # The folder of a process that lives stays.
            assert (used / "page.txt").read_text() == "secret"
            assert beside != used
    assert (tmp_path / "footnote-reading-notes.txt").is_file()
