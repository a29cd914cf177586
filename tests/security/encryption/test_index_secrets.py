"""The turn of vectors keeps cosines and is another one for each key."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.ports import Vectors
from footnote.security.encryption.index_secrets import KeyedIndexSecrets, orthogonal_matrix

SECRET = bytes(range(32))
KEYS = st.binary(min_size=32, max_size=32)


def unit_vectors(seed: int, count: int, dimensions: int) -> Vectors:
    vectors: Vectors = (
        np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    )
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths


@given(key=KEYS, dimensions=st.sampled_from([1, 2, 3, 33, 64, 65, 200]))
def test_the_matrix_is_orthogonal(key: bytes, dimensions: int) -> None:
    matrix = orthogonal_matrix(key, dimensions)
    assert np.abs(matrix.T @ matrix - np.eye(dimensions)).max() < 1e-5


@given(key=KEYS, seed=st.integers(0, 2**32 - 1))
def test_cosines_stay(key: bytes, seed: int) -> None:
    secrets = KeyedIndexSecrets.of(key)
    vectors = unit_vectors(seed, 12, 48)
    turned = secrets.turn(vectors)
    assert np.abs(turned @ turned.T - vectors @ vectors.T).max() < 1e-5
    assert np.abs(secrets.turn_back(turned) - vectors).max() < 1e-5


def test_cosines_in_half_precision_differ_by_its_rounding_alone() -> None:
    secrets = KeyedIndexSecrets.of(SECRET)
    vectors, query = unit_vectors(1, 2000, 384), unit_vectors(2, 1, 384)[0]
    halves = vectors.astype(np.float16).astype(np.float32)
    turned = secrets.turn(vectors).astype(np.float16).astype(np.float32)
    plain = halves @ query.astype(np.float16).astype(np.float32)
    blind = turned @ secrets.turn(query).astype(np.float16).astype(np.float32)
    assert np.abs(plain - blind).max() < 2e-4


def test_a_turned_vector_says_nothing_of_the_one_before() -> None:
    vectors = unit_vectors(3, 500, 384)
    turned = KeyedIndexSecrets.of(SECRET).turn(vectors)
    # As far apart as two random directions are: their cosines have a deviation of 1/sqrt(384).
    cosines = np.vecdot(vectors, turned)
    assert abs(float(cosines.mean())) < 0.02
    assert 0.03 < float(cosines.std()) < 0.08


def test_another_key_is_another_turn() -> None:
    first = orthogonal_matrix(SECRET, 16)
    other = orthogonal_matrix(SECRET[::-1], 16)
    assert np.abs(first - other).max() > 0.1


def test_the_same_key_turns_the_same_way_on_every_machine() -> None:
    # What this key gave when the format was fixed; a change makes stored vectors unreadable.
    matrix = orthogonal_matrix(SECRET, 384)
    assert matrix[0, :3].tolist() == pytest.approx([-0.04610178, -0.01940089, 0.01710403], abs=1e-6)


def test_terms_texts_and_vectors_have_keys_of_their_own() -> None:
    secrets = KeyedIndexSecrets.of(SECRET)
    assert secrets.lexical_key not in {SECRET, secrets._hash_key, secrets._turn_key}
    assert secrets._hash_key != secrets._turn_key


def test_blinded_hashes_tell_equal_texts_within_a_workspace_alone() -> None:
    text_hash = hashlib.sha256(b"a text").digest()[:16]
    here, there = KeyedIndexSecrets.of(SECRET), KeyedIndexSecrets.of(SECRET[::-1])
    assert here.blind(text_hash) == here.blind(text_hash) != there.blind(text_hash)
    assert here.blind(text_hash) != text_hash
    assert len(here.blind(text_hash)) == 16


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_secret_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        KeyedIndexSecrets.of(bytes(length))
