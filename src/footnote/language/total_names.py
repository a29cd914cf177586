"""Recognise the names of total rows, in the languages that tables are most often in."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+|[Σ∑]")
_NAMES = frozenset(
    """
    total totals subtotal subtotals sum sums overall Σ ∑
    summe gesamt gesamtsumme gesamtbetrag insgesamt zwischensumme endsumme
    totaux somme suma sumas totale totali subtotale somma totais soma
    totaal subtotaal eindtotaal totalt summa ialt razem łącznie ogółem celkem součet toplam
    итого всего сумма разом усього 合计 总计 小计 总和 合計 總計 小計 総計 合计数 합계 총계 소계
    المجموع الإجمالي कुल योग
    """.casefold().split()
)
_FILLER_WORDS = frozenset("grand sub sous general général générale geral generale in all".split())


def has_total_name(name: str) -> bool:
    """Return whether a word of a name says that the row is a total of others.

    >>> [has_total_name(name) for name in ("Total north", "**Summe**", "Σ", "Northern fleet")]
    [True, True, True, False]
    """
    return not _NAMES.isdisjoint(_words(name))


def is_total_name(name: str) -> bool:
    """Return whether a name has only words for a total; a year may be added.

    >>> [is_total_name(name) for name in ("Grand total", "Total 2024", "Total north", "")]
    [True, True, False, False]
    """
    words = [word for word in _words(name) if not word.isdigit()]
    return has_total_name(name) and _NAMES.union(_FILLER_WORDS).issuperset(words)


def _words(name: str) -> list[str]:
    return _WORD.findall(name.casefold())
