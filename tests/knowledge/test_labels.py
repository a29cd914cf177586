"""Labels are what the documents of a group have and the others lack."""

from __future__ import annotations

import numpy as np
import pytest

from footnote.knowledge.labels import labels_of, weighed_terms


def test_a_label_is_what_a_group_has_and_the_others_lack() -> None:
    terms = [["harbour", "report", "Berth"]] * 4 + [["Chess", "report", "chess club"]] * 4
    labels = labels_of(np.array([0] * 4 + [1] * 4), terms)
    assert labels[0][:2] == ("Berth", "harbour")
    # One that is part of another is not said twice.
    assert labels[1][0] == "Chess"
    assert "chess club" not in labels[1]


def test_a_label_is_written_as_it_is_written_most() -> None:
    terms = [["NASA"], ["NASA"], ["nasa"], ["other"], ["other"]]
    assert labels_of(np.array([0, 0, 0, 1, 1]), terms) == [("NASA",), ("other",)]


def test_what_one_document_of_several_has_is_no_label() -> None:
    assert labels_of(np.zeros(3, np.int32), [["a"], ["b"], []]) == [()]


def test_a_weight_is_class_based_tf_idf() -> None:
    groups = np.array([0, 0, 1, 1], np.int32)
    [[first], [second]] = weighed_terms(groups, [["a", "x"], ["a"], ["b"], ["b", "x"]], 5)
    assert (first.term, first.documents) == ("a", 2)
    assert first.weight == pytest.approx(np.log1p(2.0))
    assert second.term == "b"


def test_what_all_groups_have_alike_is_no_label() -> None:
    terms = [["policy", "insurance"]] * 20
    terms[3:6] = [["policy", "insurance", "boats"]] * 3
    groups = np.array([0] * 14 + [1] * 6, np.int32)
    assert labels_of(groups, terms) == [("boats",), ()]
    apart = [*terms[:14], *[["policy", "insurance", "cars"]] * 4, *terms[18:]]
    assert labels_of(groups, apart) == [("boats",), ("cars",)]


def test_no_two_groups_have_the_same_label() -> None:
    shared = ["mooring", "buoy", "chain"]
    terms = [[*shared, "lamp"]] * 4 + [[*shared, "float"]] * 4 + [["ledger"]] * 12
    groups = np.array([0] * 4 + [1] * 4 + [2] * 12, np.int32)
    first, second, third = labels_of(groups, terms)
    assert third == ("ledger",)
    assert set(first) != set(second)
    alike = labels_of(groups, [shared] * 8 + [["ledger"]] * 12)
    assert alike == [("buoy", "chain", "mooring"), (), ("ledger",)]
