"""Processes of Footnote that are started again whenever they end."""

from __future__ import annotations

from asyncio.subprocess import DEVNULL
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.interfaces.serving import MAIN
from tests.processes import Process, start_python


@dataclass
class Kept:
    """A process that is started again whenever it ends, as a supervisor does."""

    arguments: tuple[str, ...]
    env: Mapping[str, str]
    log: Path
    """What it writes, over all its starts."""
    process: Process | None = None
    starts: int = 0

    async def keep(self) -> None:
        while True:
            with self.log.open("ab") as log:
                self.process = await start_python(
                    *(*MAIN, *self.arguments),
                    env=self.env,
                    stdin=DEVNULL,
                    stdout=log,
                    stderr=log,
                )
            self.starts += 1
            await self.process.wait()

    def kill(self) -> None:
        if self.process is not None and self.process.returncode is None:
            self.process.kill()

    async def stop(self) -> None:
        if self.process is not None:
            with suppress(ProcessLookupError):
                self.process.terminate()
            await self.process.wait()

    def said(self, lines: int = 12) -> str:
        """The last lines of what it wrote."""
        text = self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""
        return "\n".join(text.splitlines()[-lines:])
