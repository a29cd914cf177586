"""A statement and its quotes become signals of agreement, each to be weighed apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from footnote.answering.claims import (
    WINDOW,
    Claims,
    misplaced_figures,
    missing_dates,
    missing_figures,
)
from footnote.answering.names import Name, holds_name
from footnote.answering.negation import (
    affirmed_terms,
    denied_terms,
    one_sided,
    prefixed_opposites,
)
from footnote.answering.opposites import STRICT, opposed

PREFIX_DENIAL = 0.5
"""`denial` where one text has a word and the other has it with a denying prefix."""
LONGEST_GAP = 4
"""Terms in a row, not in the quotes, from which a gap is as wide as can be."""
MANY_TERMS = 8
"""Terms not in the quotes from which more say no more."""
ENOUGH = 0.5
"""Coverage below which a statement has little in common with its quotes."""
NAME_WEIGHT = 1.5
"""Weight of a name's term in coverage beside a plain word's 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What speaks for and against a statement, given its quotes; each in 0…1 but `similarity`.

    The number of terms was tried too, and the cosine of the terms that are not in the quotes:
    neither ranked held-out statements better, and the first let short ones hold without any word
    in common.
    """

    similarity: float
    """Highest cosine with one of the quotes or with all of them, −1…1; 0 without an embedder."""
    coverage: float
    """Weighted share of the statement's terms in the quotes."""
    context_coverage: float
    """The same, with the passages the quotes are from, their titles and headings."""
    pair_coverage: float
    """Share of neighbouring terms that also stand together in one of the quotes."""
    gap: float
    """Longest run of terms that are not in the quotes, over `LONGEST_GAP`."""
    lacks_figures: float
    """n / (1 + n) of the figures and dates claimed that no quote holds."""
    strays: float
    """1 when one of them does not stand in the passages around the quotes either, beside a term
    that it stands beside here."""
    misplaced: float
    """n / (1 + n) of the figures that no quote holds beside a term they stand beside here."""
    lacks_names: float
    """n / (1 + n) of the sure names that no quote holds."""
    foreign_names: float
    """n / (1 + n) of the sure names that are not in the passages, titles and headings either."""
    lacks_nouns: float
    """n / (1 + n) of the other capitalised words that no quote holds."""
    denial: float
    """How far one side affirms what the other denies."""
    opposed: float
    """1 when they use opposite words, such as before and after."""
    opposed_limits: float
    """1 when the opposites are of those that leave no room: at least and at most."""
    far_gap: float
    """The same run for the passages, titles and headings."""
    unheld: float
    """Terms that are not in the quotes, over `MANY_TERMS`."""
    thin: float
    """How far `coverage` is below `ENOUGH`, 0…1: there hardly anything that is true is left."""
    far_thin: float
    """The same of `context_coverage`."""


SIGNAL_NAMES: tuple[str, ...] = tuple(Agreement.__dataclass_fields__)
FOR = ("similarity", "coverage", "context_coverage", "pair_coverage")
"""Signals that never speak against a statement."""
AGAINST = (
    "gap",
    "far_gap",
    "unheld",
    "thin",
    "far_thin",
    "lacks_figures",
    "strays",
    "misplaced",
    "lacks_names",
    "foreign_names",
    "lacks_nouns",
    "denial",
    "opposed",
    "opposed_limits",
)
"""Signals that never speak for a statement: so a wrong figure never makes it better."""


def agree(
    statement: Claims,
    quotes: Sequence[Claims],
    context: Sequence[Claims],
    *,
    similarity: float = 0.0,
) -> Agreement:
    """The signals of a statement with at least one quote; `context` is what surrounds them.

    The order of quotes and context does not matter.
    """
    held = frozenset[str]().union(*(each.term_set for each in quotes))
    around = held.union(*(each.term_set for each in context))
    weights = _weights(statement)
    coverage, context_coverage = _share(weights, held), _share(weights, around)
    lacking = missing_figures(statement, quotes)
    undated = missing_dates(statement, quotes)
    everywhere = [*quotes, *context]
    misplaced = misplaced_figures(statement, quotes)
    astray = set(lacking) & set(misplaced_figures(statement, context))
    sure = [name for name in statement.names if name.sure]
    nouns = [name for name in statement.names if not name.sure]
    opposites = _opposites(statement, quotes)
    return Agreement(
        similarity=similarity,
        coverage=coverage,
        context_coverage=context_coverage,
        pair_coverage=_pairs(statement, quotes),
        gap=_gap(statement, held),
        far_gap=_gap(statement, around),
        unheld=min(1.0, len(statement.term_set - held) / MANY_TERMS),
        lacks_figures=_graded(len(lacking) + len(undated)),
        strays=float(bool(astray or missing_dates(statement, everywhere))),
        misplaced=_graded(len(misplaced) + len(undated)),
        lacks_names=_graded(_unheld(sure, quotes)),
        foreign_names=_graded(_unheld(sure, everywhere)),
        lacks_nouns=_graded(_unheld(nouns, quotes)),
        denial=_denial(statement, quotes, held),
        opposed=float(bool(opposites)),
        opposed_limits=float(bool(opposites & STRICT)),
        thin=_thin(coverage) if weights else 0.0,
        far_thin=_thin(context_coverage) if weights else 0.0,
    )


def _weights(statement: Claims) -> dict[str, float]:
    named = {name.word for name in statement.names if name.sure}
    return {
        each.term: NAME_WEIGHT if statement.text[each.start : each.end].casefold() in named else 1.0
        for each in statement.terms
    }


def _share(weights: dict[str, float], held: frozenset[str]) -> float:
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in held) / total if total else 0.0


def _thin(coverage: float) -> float:
    return max(0.0, 1.0 - coverage / ENOUGH)


def _pairs(statement: Claims, quotes: Sequence[Claims]) -> float:
    wanted = {frozenset((one.term, other.term)) for one, other in pairwise(statement.terms)}
    if not wanted:
        return 0.0
    held = {
        frozenset((each.term, other.term))
        for quote in quotes
        for at, each in enumerate(quote.terms)
        for other in quote.terms[at + 1 : at + 1 + WINDOW]
    }
    return len(wanted & held) / len(wanted)


def _gap(statement: Claims, held: frozenset[str]) -> float:
    longest = run = 0
    for each in statement.terms:
        run = 0 if each.term in held else run + 1
        longest = max(longest, run)
    return min(1.0, longest / LONGEST_GAP)


def _unheld(names: Sequence[Name], texts: Sequence[Claims]) -> int:
    return sum(
        not any(holds_name(name, each.words, each.acronyms, each.text) for each in texts)
        for name in names
    )


def _graded(count: int) -> float:
    """0 for none, one half for one, and ever nearer to 1: the first one says most."""
    return count / (1.0 + count)


def _denial(statement: Claims, quotes: Sequence[Claims], held: frozenset[str]) -> float:
    said = affirmed_terms(statement.denials, statement.terms)
    denied = denied_terms(statement.denials)
    said_there = frozenset[str]().union(
        *(affirmed_terms(each.denials, each.terms) for each in quotes)
    )
    denied_there = frozenset[str]().union(*(denied_terms(each.denials) for each in quotes))
    strongest = one_sided(statement.denials, said_there, denied_there)
    for quote in quotes:
        # What the quotes both deny and affirm, the statement may have from either place.
        strongest = max(strongest, one_sided(quote.denials, said, denied, ignored=said_there))
    if prefixed_opposites(statement.term_set, held) and bool(denied) == bool(denied_there):
        strongest = max(strongest, PREFIX_DENIAL)
    return strongest


def _opposites(statement: Claims, quotes: Sequence[Claims]) -> frozenset[str]:
    """Opposites that hold against every quote that uses either word at all."""
    found: set[str] = set()
    agreed: set[str] = set()
    for quote in quotes:
        against = opposed(statement.sides, quote.sides)
        found |= against
        agreed |= (statement.sides.keys() & quote.sides.keys()) - against
    return frozenset(found - agreed)
