"""Turn evidence into a cited answer: read → choose → cite, or write → cite → ground."""

from footnote.answering.context import NOT_FOUND, compose_context
from footnote.answering.reader_answers import ReaderAnswerer

__all__ = ["NOT_FOUND", "ReaderAnswerer", "compose_context"]
