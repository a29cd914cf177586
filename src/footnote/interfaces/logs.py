"""Log lines, ours and those of libraries, in one shape on standard error."""

from __future__ import annotations

import logging
import sys
import warnings
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from structlog.typing import EventDict, Processor

    from footnote.settings import Settings

_EXPORTER = "opentelemetry.exporter.otlp"
_ACCESS = "uvicorn.access"
_CHATTY = ("httpx", "httpcore", "procrastinate", "psycopg.pool", _ACCESS)
"""Libraries whose `info` is our `debug`."""


_LONGEST_SEGMENT = 40
"""Characters of an id; what is longer in a path may be a credential where an id was wanted."""


def write_logs(settings: Settings) -> None:
    """Send every log line to standard error, in the shape and from the level of the settings."""
    level = logging.getLevelNamesMapping()[settings.logged[1].upper()]
    before: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        _with_trace,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=before, processors=_rendering(settings)
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [lines]
    root.setLevel(level)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(level if level <= logging.DEBUG else logging.WARNING)
    # `telemetry_not_sent` says it once; the exporter says it with every try.
    logging.getLogger(_EXPORTER).setLevel(level if level <= logging.DEBUG else logging.CRITICAL)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *before,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    access = logging.getLogger(_ACCESS)
    access.filters[:] = [_without_credentials]
    logging.captureWarnings(capture=True)
    if level > logging.DEBUG:
        warnings.simplefilter("ignore")


def _with_trace(_: object, __: str, line: EventDict) -> EventDict:
    """Say in which trace and span the line is written, so that one leads to the other."""
    from footnote.ports.telemetry import current_ids  # noqa: PLC0415  # slow to import

    ids = current_ids()
    if ids is not None:
        line["trace_id"], line["span_id"] = ids
    return line


def _without_credentials(record: logging.LogRecord) -> bool:
    """Cut from the address of a request its query and what is too long for an id."""
    if isinstance(record.args, tuple):
        record.args = tuple(
            _redacted_address(argument)
            if isinstance(argument, str) and argument.startswith("/")
            else argument
            for argument in record.args
        )
    return True


def _redacted_address(address: str) -> str:
    path, query, _ = address.partition("?")
    segments = (
        segment if len(segment) <= _LONGEST_SEGMENT else f"{segment[: _LONGEST_SEGMENT // 4]}…"
        for segment in path.split("/")
    )
    return "/".join(segments) + ("?…" if query else "")


def _rendering(settings: Settings) -> list[Processor]:
    strip = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    if settings.logged[0]:
        return [
            strip,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(sort_keys=True),
        ]
    return [
        strip,
        structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(),
            exception_formatter=structlog.dev.plain_traceback,  # no local variables in a log
        ),
    ]
