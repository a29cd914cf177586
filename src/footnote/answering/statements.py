"""Turn layout units of a model's text into statements that may be shown: plain and cited."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from footnote.answering.addresses import addresses_in
from footnote.answering.attribution import Attribution
from footnote.answering.layout import Kind, Unit
from footnote.answering.markers import CitedClause, read_markers
from footnote.answering.sanitise import plain_text, visible_text
from footnote.domain import AnswerSentence

FEWEST_WORDS = 3
FEWEST_LETTERS = 12
"""Minimum words or letters that must remain of a statement after an address was removed."""


@dataclass(slots=True)
class Statements:
    """Builds statements from units.

    A heading, a table header and a lead-in are joined with the statement below, since alone they
    say nothing that could have a footnote. Law: no statement's text has square brackets.
    """

    attribution: Attribution
    removed: int = 0
    """Number of cited sources that do not support the statement, or do not exist."""
    _lead: AnswerSentence | None = None

    async def of(self, unit: Unit) -> AnswerSentence | None:
        """The statement of a unit, not yet grounded; None for a heading, and if no words remain."""
        words, clauses = read_markers(visible_text(unit.body))
        if not any(map(str.isalnum, plain_text(words))):
            self.removed += sum(len(clause.numbers) for clause in clauses)
            return None
        markers, cited = await self._resolve_markers(clauses)
        addresses = self.attribution.addresses(cited)
        text = plain_text(words, addresses=addresses)
        if _is_remnant(words, text, addresses):
            self.removed += len(markers)
            return None
        is_lead = unit.kind in {Kind.HEADING, Kind.TABLE_HEAD} or (not markers and _announces(text))
        statement = self._with_lead(
            AnswerSentence(text=_formatted(unit, text), markers=markers, support=0.0, gap=unit.gap)
        )
        if is_lead:
            self._lead = statement
            return None
        return statement

    def rest(self) -> AnswerSentence | None:
        """A last heading with nothing below it."""
        lead, self._lead = self._lead, None
        return lead

    async def _resolve_markers(
        self, clauses: tuple[CitedClause, ...]
    ) -> tuple[tuple[int, ...], frozenset[int]]:
        """The markers to show, and the cited sources."""
        markers: list[int] = []
        cited: set[int] = set()
        for clause in clauses:
            for number in clause.numbers:
                quotes = await self.attribution.quotes(number, clause.clause)
                markers += [quote.marker for quote in quotes]
                if quotes:
                    cited.add(number)
                else:
                    self.removed += 1
        return tuple(dict.fromkeys(markers)), frozenset(cited)

    def _with_lead(self, statement: AnswerSentence) -> AnswerSentence:
        lead, self._lead = self._lead, None
        if lead is None:
            return statement
        return replace(
            statement,
            text=f"{lead.text}{statement.gap}{statement.text}",
            markers=tuple(dict.fromkeys(lead.markers + statement.markers)),
            gap=lead.gap,
        )


def _announces(text: str) -> bool:
    """Whether a text ends with a colon, or is all bold without an end mark, like a heading."""
    stripped = text.rstrip("*_ ")
    is_bold = text.startswith("**") and text.endswith("**") and text.count("**") == 2
    return stripped.endswith((":", "：")) or (is_bold and stripped[-1:].isalnum())


def _is_remnant(words: str, text: str, addresses: Collection[str]) -> bool:
    """Whether little more than `See` remains of a statement after an address was removed."""
    is_short = len(text.split()) < FEWEST_WORDS and sum(map(str.isalnum, text)) < FEWEST_LETTERS
    return is_short and not addresses_in(words) <= frozenset(addresses)


def _formatted(unit: Unit, text: str) -> str:
    """The text with its prefix; a row stays open, so that its markers go into its last cell."""
    if unit.kind is Kind.ROW:
        return _open_row(text)
    if unit.kind is Kind.TABLE_HEAD:
        head = _open_row(text)
        return head + "\n" + "|---" * head.count("|")
    return unit.sign + text


def _open_row(text: str) -> str:
    """A row with its left border but without the right one; empty cells stay.

    >>> _open_row("|  | Weight | |")
    '| | Weight |'
    """
    return "| " + text.strip().removeprefix("|").removesuffix("|").strip(" ")
