"""Filters as people and programs write them: JSON in, a condition on documents out."""

from __future__ import annotations

from footnote.filters.fields import METADATA as METADATA
from footnote.filters.grammar import MAX_COMPARISONS as MAX_COMPARISONS
from footnote.filters.grammar import MAX_DEPTH as MAX_DEPTH
from footnote.filters.grammar import MAX_VALUES as MAX_VALUES
from footnote.filters.grammar import checked_condition as checked_condition
from footnote.filters.grammar import condition_from as condition_from
from footnote.filters.grammar import condition_from_text as condition_from_text
from footnote.filters.grammar import condition_to_json as condition_to_json
