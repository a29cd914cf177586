"""Places on a plane keep neighbours together, are the same again, and move little with news."""

from __future__ import annotations

import numpy as np
import pytest

from footnote.knowledge.areas import areas_of
from footnote.knowledge.layout import STEPS, lay_out
from footnote.models.testing import HashEmbedder
from tests.knowledge.groups import DIMENSIONS, grouped, kept_neighbours, nearest


def test_the_same_vectors_have_the_same_places() -> None:
    vectors = grouped(5, 30)
    assert np.array_equal(lay_out(vectors), lay_out(vectors.copy()))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 17, 70])
def test_any_number_of_documents_lies_within_the_map(count: int) -> None:
    places = lay_out(grouped(1, count))
    assert places.shape == (count, 2)
    assert np.isfinite(places).all()
    assert np.abs(places).max(initial=0) <= 1
    if count > 1:
        assert np.abs(places).max() == pytest.approx(1)


def test_neighbours_stay_neighbours_far_more_often_than_by_chance() -> None:
    vectors = grouped(12, 25)
    places = lay_out(vectors)
    kept = kept_neighbours(vectors, places)
    by_chance = 10 / (len(vectors) - 1)
    assert kept > 10 * by_chance
    # Of the plane through the two directions of most difference, this is the rest that it lacks.
    centred = vectors - vectors.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    assert kept > 1.5 * kept_neighbours(vectors, centred @ directions[:2].T)


def test_groups_are_apart() -> None:
    groups, members = 12, 25
    places = lay_out(grouped(groups, members))
    for row, others in enumerate(nearest(places, 5)):
        same = sum(other // members == row // members for other in others)
        assert same >= 4, row


def test_equal_documents_lie_together_and_not_all_on_one_point() -> None:
    vectors = np.repeat(grouped(3, 1), 20, axis=0)
    places = lay_out(vectors)
    assert len({tuple(each) for each in places.round(6).tolist()}) > 30
    assert all({other // 20 for other in others} == {row // 20}
               for row, others in enumerate(nearest(places, 5)))  # fmt: skip


def test_vectors_of_no_length_do_no_harm() -> None:
    places = lay_out(np.zeros((9, DIMENSIONS), np.float32))
    assert np.isfinite(places).all()


def test_a_few_documents_more_move_the_others_little() -> None:
    vectors = grouped(12, 25)
    order = np.random.default_rng(3).permutation(len(vectors))
    before = lay_out(vectors[order[:-6]])
    after = lay_out(vectors[order])[:-6]
    moved = np.linalg.norm(after - before, axis=1)
    assert np.median(moved) < 0.15
    # By chance two places of such a map are about one apart.
    shuffled = np.random.default_rng(4).permutation(before)
    assert np.median(moved) < np.median(np.linalg.norm(shuffled - before, axis=1)) / 5


def test_turning_all_vectors_leaves_each_where_its_likes_are() -> None:
    """Encrypted workspaces keep vectors turned by a secret; their maps are as good."""
    vectors = grouped(8, 25)
    turn, _ = np.linalg.qr(np.random.default_rng(5).standard_normal((DIMENSIONS, DIMENSIONS)))
    turned = lay_out((vectors @ turn).astype(np.float32))
    assert kept_neighbours(vectors, turned) == pytest.approx(
        kept_neighbours(vectors, lay_out(vectors)), abs=0.05
    )


def test_each_step_is_told() -> None:
    told: list[tuple[int, int]] = []
    lay_out(grouped(2, 10), lambda done, total: told.append((done, total)))
    assert told == [(done, STEPS) for done in range(1, STEPS + 1)]


async def test_texts_on_the_same_subject_share_an_area() -> None:
    subjects = ("berth fees harbour crowns", "chess queen gambit pawn", "yeast dough oven flour")
    texts = [f"{subject} {subject} {number}" for subject in subjects for number in range(12)]
    vectors = await HashEmbedder().embed_documents(texts)
    areas = areas_of(lay_out(vectors))
    groups = [set(areas[first : first + 12].tolist()) for first in (0, 12, 24)]
    assert not groups[0] & groups[1]
    assert not groups[1] & groups[2]
