"""Filters as people and programs write them: JSON in, a condition on documents out."""

from __future__ import annotations

from footnote.filters.fields import METADATA
from footnote.filters.grammar import (
    MAX_COMPARISONS,
    MAX_DEPTH,
    MAX_VALUES,
    checked_condition,
    condition_from,
    condition_from_text,
    condition_to_json,
)

__all__ = [
    "MAX_COMPARISONS",
    "MAX_DEPTH",
    "MAX_VALUES",
    "METADATA",
    "checked_condition",
    "condition_from",
    "condition_from_text",
    "condition_to_json",
]
