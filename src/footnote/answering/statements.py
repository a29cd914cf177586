"""Units of a model's layout become statements that may be shown: plain, cited, one by one."""

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
"""One of both must be left of a statement that an address was taken out of."""


@dataclass(slots=True)
class Statements:
    """Makes statements of units.

    A heading, the head of a table and a line that announces what follows go with the statement
    below: alone they say nothing that could have a footnote. Law: square brackets stand in no
    statement's text.
    """

    attribution: Attribution
    removed: int = 0
    """Sources named so far whose words do not carry the statement, or that do not exist."""
    _lead: AnswerSentence | None = None

    async def of(self, unit: Unit) -> AnswerSentence | None:
        """A unit's statement, not yet grounded; None for a heading, and where no words are left."""
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
        """A heading with nothing below it."""
        lead, self._lead = self._lead, None
        return lead

    async def _resolve_markers(
        self, clauses: tuple[CitedClause, ...]
    ) -> tuple[tuple[int, ...], frozenset[int]]:
        """The markers to show, and the sources that are cited."""
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
    """Whether a text ends in a colon, or is bold as a whole and no sentence, as headings are."""
    stripped = text.rstrip("*_ ")
    is_bold = text.startswith("**") and text.endswith("**") and text.count("**") == 2
    return stripped.endswith((":", "：")) or (is_bold and stripped[-1:].isalnum())


def _is_remnant(words: str, text: str, addresses: Collection[str]) -> bool:
    """Whether hardly more than `See` is left of a statement whose address was taken out."""
    is_short = len(text.split()) < FEWEST_WORDS and sum(map(str.isalnum, text)) < FEWEST_LETTERS
    return is_short and not addresses_in(words) <= frozenset(addresses)


def _formatted(unit: Unit, text: str) -> str:
    """The text with its sign; a row stays open, so that its markers stand in its last cell."""
    if unit.kind is Kind.ROW:
        return _open_row(text)
    if unit.kind is Kind.TABLE_HEAD:
        head = _open_row(text)
        return head + "\n" + "|---" * head.count("|")
    return unit.sign + text


def _open_row(text: str) -> str:
    """A row with its outer borders taken off and the left one set again; empty cells stay.

    >>> _open_row("|  | Weight | |")
    '| | Weight |'
    """
    return "| " + text.strip().removeprefix("|").removesuffix("|").strip(" ")
