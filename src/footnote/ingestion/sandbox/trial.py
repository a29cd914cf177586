"""Check the sandbox by attempting, in a confined process, what hostile code would attempt."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory

from footnote.errors import UnsupportedSettings
from footnote.ingestion.sandbox import Confinement, SandboxMode, command


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Which attempts were refused."""

    network: bool
    """To open a socket."""
    writing: bool
    """To write a file outside its folder."""
    reading: bool
    """To read a file that is no part of a program."""

    @property
    def all_refused(self) -> bool:
        """Whether none succeeded."""
        return self.network and self.writing and self.reading


def try_out(mode: SandboxMode) -> Trial | None:
    """Run the attempts in a confined process; None if it fails, as where it cannot be confined."""
    with TemporaryDirectory(prefix="footnote-") as folder, NamedTemporaryFile() as outside_file:
        confinement = Confinement(mode=mode, folder=folder)
        result = subprocess.run(
            command(confinement, __name__),
            input=outside_file.name.encode(),
            capture_output=True,
            check=False,
        )
    return Trial(**json.loads(result.stdout)) if result.returncode == 0 else None


def require_sandbox() -> None:
    """Raise UnsupportedSettings where a confined process can do what it must not."""
    trial = try_out("required")
    if trial is None or not trial.all_refused:
        raise UnsupportedSettings(
            "the processes that read files cannot be confined on this kernel, which "
            "FOOTNOTE_PARSER_SANDBOX requires",
            hint="run footnote doctor for what it lacks: Landlock is in Linux 5.13 and newer, and "
            "a container's own seccomp profile must allow both; or set it to auto",
        )


def _is_refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except PermissionError:
        return True
    return False


if __name__ == "__main__":
    outside = Path(sys.stdin.read())
    trial = Trial(
        network=_is_refused(lambda: socket.socket(socket.AF_INET).close()),
        writing=_is_refused(lambda: outside.write_bytes(b"")),
        reading=_is_refused(outside.read_bytes),
    )
    sys.stdout.write(json.dumps(asdict(trial)))
