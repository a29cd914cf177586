"""Evidence becomes a cited, honest answer: context → select → ground → decide → cite."""

from footnote.answering.context import compose_context
from footnote.answering.pipeline import NOT_FOUND, ExtractiveAnswerer

__all__ = ["NOT_FOUND", "ExtractiveAnswerer", "compose_context"]
