"""Log lines as OpenTelemetry sends them: the event and its ids, never the words of an error."""

from __future__ import annotations

import logging

from opentelemetry._logs import LoggerProvider, LogRecord, SeverityNumber

_SEVERITIES = (
    (logging.CRITICAL, SeverityNumber.FATAL, "FATAL"),
    (logging.ERROR, SeverityNumber.ERROR, "ERROR"),
    (logging.WARNING, SeverityNumber.WARN, "WARN"),
    (logging.INFO, SeverityNumber.INFO, "INFO"),
    (logging.NOTSET, SeverityNumber.DEBUG, "DEBUG"),
)
_OURS = "footnote"
_SCALARS = (str, bool, int, float)
_EXCLUDED_KEYS = frozenset({"event", "level", "logger", "timestamp", "exc_info", "_record"})


class SentLogs(logging.Handler):
    """Exports each log line with the trace and span in which it was written.

    Only Footnote's own lines: those of a library may quote its input.
    """

    def __init__(self, provider: LoggerProvider) -> None:
        super().__init__()
        self._logger = provider.get_logger(_OURS)

    def emit(self, record: logging.LogRecord) -> None:
        """Send a line; a failure is handled as `logging` handles those of its handlers."""
        if record.name.partition(".")[0] != _OURS:
            return
        try:
            members = record.msg if isinstance(record.msg, dict) else {"event": record.getMessage()}
            attributes: dict[str, str | bool | int | float] = {
                str(key): value
                for key, value in members.items()
                if key not in _EXCLUDED_KEYS and isinstance(value, _SCALARS)
            }
            if record.exc_info and record.exc_info[0] is not None:
                attributes["exception.type"] = record.exc_info[0].__qualname__
            number, text = next(
                (number, text) for level, number, text in _SEVERITIES if record.levelno >= level
            )
            self._logger.emit(
                LogRecord(
                    timestamp=int(record.created * 1e9),
                    severity_number=number,
                    severity_text=text,
                    body=str(members.get("event", "")),
                    attributes={"logger.name": record.name, **attributes},
                )
            )
        except Exception:
            self.handleError(record)
