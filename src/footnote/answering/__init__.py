"""Evidence becomes a cited, honest answer: context → select → ground → decide → cite."""

from footnote.answering.context import NOT_FOUND, compose_context
from footnote.answering.pipeline import ExtractiveAnswerer

__all__ = ["NOT_FOUND", "ExtractiveAnswerer", "compose_context"]
