"""Units of a model's layout become statements that may be shown: plain, cited, one by one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from footnote.answering.attribution import Attribution
from footnote.answering.layout import Kind, Unit
from footnote.answering.markers import Marked, read_markers
from footnote.answering.sanitise import plain_text, visible_text
from footnote.domain import AnswerSentence, Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence of the answer, not yet grounded, and what its citing brought."""

    sentence: AnswerSentence
    made: tuple[Citation, ...] = ()
    """Citations that no statement before it had."""


@dataclass(slots=True)
class Statements:
    """Makes statements of units.

    A heading or the head of a table goes with the statement below it: alone it says nothing that
    could have a footnote. Law: square brackets stand in no statement's text.
    """

    attribution: Attribution
    removed: int = 0
    """Sources named so far whose words do not carry the statement, or that do not exist."""
    _lead: Statement | None = None

    async def of(self, unit: Unit) -> Statement | None:
        """The statement of a unit; None for a heading, and where no words are left."""
        words, marked = read_markers(visible_text(unit.body))
        if not any(map(str.isalnum, plain_text(words))):
            self.removed += sum(len(each.numbers) for each in marked)
            return None
        made_before = len(self.attribution.footnotes.citations)
        markers, cited = await self._resolved(marked)
        text = _laid_out(unit, plain_text(words, addresses=self.attribution.addresses(cited)))
        statement = Statement(
            sentence=AnswerSentence(text=text, markers=markers, support=0.0, gap=unit.gap),
            made=tuple(self.attribution.footnotes.citations[made_before:]),
        )
        statement = self._led(statement)
        if unit.kind in {Kind.HEADING, Kind.TABLE_HEAD}:
            self._lead = statement
            return None
        return statement

    def rest(self) -> Statement | None:
        """A heading with nothing below it."""
        lead, self._lead = self._lead, None
        return lead

    async def _resolved(self, marked: tuple[Marked, ...]) -> tuple[tuple[int, ...], frozenset[int]]:
        """The markers to show, and the sources that are cited."""
        markers: list[int] = []
        cited: set[int] = set()
        for each in marked:
            for number in each.numbers:
                quotes = await self.attribution.quotes(number, each.clause)
                markers += [quote.marker for quote in quotes]
                if quotes:
                    cited.add(number)
                else:
                    self.removed += 1
        return tuple(dict.fromkeys(markers)), frozenset(cited)

    def _led(self, statement: Statement) -> Statement:
        lead, self._lead = self._lead, None
        if lead is None:
            return statement
        below = statement.sentence
        return Statement(
            sentence=replace(
                below,
                text=f"{lead.sentence.text}{below.gap}{below.text}",
                markers=tuple(dict.fromkeys(lead.sentence.markers + below.markers)),
                gap=lead.sentence.gap,
            ),
            made=lead.made + statement.made,
        )


def _laid_out(unit: Unit, text: str) -> str:
    """The text with its sign; a row stays open, so that its markers stand in its last cell."""
    if unit.kind is Kind.ROW:
        return "| " + text.strip("| ")
    if unit.kind is Kind.TABLE_HEAD:
        head = "| " + text.strip("| ")
        return head + "\n" + "|---" * head.count("|")
    return unit.sign + text
