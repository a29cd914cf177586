"""Evidence becomes a cited, honest answer: context → select → ground → decide → cite."""

from footnote.answering.context import NOT_FOUND, compose_context
from footnote.answering.pipeline import ExtractiveAnswerer
from footnote.answering.reader_answers import ReaderAnswerer

QuotingAnswerer = ExtractiveAnswerer | ReaderAnswerer
"""What answers with quotes alone."""

__all__ = [
    "NOT_FOUND",
    "ExtractiveAnswerer",
    "QuotingAnswerer",
    "ReaderAnswerer",
    "compose_context",
]
