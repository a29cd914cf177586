"""What tells that a text quotes another."""

from __future__ import annotations

from footnote.index.quoting import RUN, all_quotable, quotable

LEASE = "The tenant of berth 7 pays 400 euros in rent each month and repaints the hull."


def test_terms_are_shared_as_the_index_has_them() -> None:
    quoted = quotable(LEASE, (), "en")
    assert quoted.shared_terms("Who is REPAINTING what?") == {"repaint"}
    assert quoted.shared_terms("Is it the one of the two?") == frozenset(), "function words"
    assert quoted.shared_terms("") == frozenset()


def test_words_in_a_row_are_told_and_fewer_are_not() -> None:
    words = LEASE.rstrip(".").split()
    quoted = quotable(LEASE, (), "en")
    assert quoted.has_run_of("They say: " + " ".join(words[2 : 2 + RUN]).upper() + "?")
    assert not quoted.has_run_of(" ".join(words[2 : 1 + RUN]))
    assert not quoted.has_run_of(" ".join(reversed(words)))


def test_a_name_counts_as_a_whole() -> None:
    quoted = quotable("", ("annual report 2025", "a.b"), "en")
    assert quoted.shared_terms("Where is the Annual-Report 2025?") == {"annual", "report", "2025"}
    assert quoted.shared_terms("Where is the annual budget of 2025?") == frozenset()
    assert quoted.shared_terms("a.b") == frozenset(), "too short to be told from other words"


def test_several_are_quoted_like_one() -> None:
    both = all_quotable([quotable(LEASE, ("lease",), "en"), quotable("Die Miete", (), "de")])
    assert both.shared_terms("repainting the lease and the Mieten") >= {"repaint", "leas", "miet"}
    assert both.has_run_of(LEASE)
    assert not all_quotable([]).has_run_of(LEASE)
    assert all_quotable([]).shared_terms(LEASE) == frozenset()
