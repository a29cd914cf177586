"""The parser the engine uses: each file is read in a child process with limits."""

from __future__ import annotations

from collections.abc import Coroutine
from types import TracebackType
from typing import Any, BinaryIO, Self

from footnote.domain import ParsedDocument
from footnote.errors import how_to_raise
from footnote.ingestion.children import ChildLimits, ChildPool
from footnote.ingestion.parsing.serialization import from_message
from footnote.ingestion.sandbox import SandboxMode
from footnote.ports import OcrChoice, OnProgress, ignore_progress


class ChildParser:
    """Reads files in at most `processes` child processes, started when first needed.

    A crash or a time-out ends the child and fails only the file that it was reading.
    """

    def __init__(
        self,
        *,
        ocr: OcrChoice = "auto",
        ocr_languages: str = "eng",
        pictures: int = 0,
        timeout_seconds: float = 300.0,
        cpu_seconds: int | None = None,
        memory_bytes: int = 4 * 1024**3,
        processes: int = 1,
        sandbox: SandboxMode = "auto",
    ) -> None:
        """As in `ReadingOptions` and `ChildLimits`."""
        self._children = ChildPool(
            "footnote.ingestion.parsing.child",
            {"ocr": ocr, "ocr_languages": ocr_languages, "pictures": pictures},
            ChildLimits(
                timeout_seconds=timeout_seconds,
                cpu_seconds=cpu_seconds,
                memory_bytes=memory_bytes,
                processes=processes,
                sandbox=sandbox,
                slow_advice="split it, or "
                + how_to_raise("parse", "FOOTNOTE_TIMEOUTS", timeout_seconds, "seconds"),
            ),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Stop all child processes."""
        await self._children.aclose()

    def __call__(
        self, content: BinaryIO, filename: str, on_progress: OnProgress = ignore_progress
    ) -> Coroutine[Any, Any, ParsedDocument]:
        """Read a file, reporting its pages to `on_progress`.

        Raises DocumentUnreadable when the file cannot be read, takes too long or crashes the
        reader, DocumentInterrupted when the operating system ended the reader.
        """
        return self._children.ask(filename, from_message, content, on_progress)
