"""Records of values: read back where they stand, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given
from hypothesis import strategies as st

from footnote.errors import CiphertextDamaged, KeyUnavailable
from footnote.ports import CiphertextLocation
from footnote.security.encryption.records import OVERHEAD, AesGcmCipher, version_of

HERE = UUID(int=1)
KEYS = {1: bytes(range(32)), 2: bytes(range(1, 33))}
PLACE = CiphertextLocation("chunks", "7", "text")


def cipher(workspace: UUID = HERE, current: int = 1) -> AesGcmCipher:
    return AesGcmCipher.of(workspace, KEYS, current)


@given(plain=st.binary(max_size=300), table=st.text(), row=st.text(), column=st.text())
def test_a_value_is_read_back_where_it_stands(
    plain: bytes, table: str, row: str, column: str
) -> None:
    place = CiphertextLocation(table, row, column)
    sealed = cipher().seal(plain, place)
    assert cipher().unseal(sealed, place) == plain
    assert len(sealed) == len(plain) + OVERHEAD


@pytest.mark.parametrize(
    "elsewhere",
    [
        CiphertextLocation("messages", "7", "text"),
        CiphertextLocation("chunks", "8", "text"),
        CiphertextLocation("chunks", "7", "context"),
        # The same letters, cut at other places.
        CiphertextLocation("chunk", "s7", "text"),
        CiphertextLocation("chunks", "7t", "ext"),
    ],
    ids=["table", "row", "column", "table into row", "row into column"],
)
def test_a_value_that_was_moved_cannot_be_read(elsewhere: CiphertextLocation) -> None:
    with pytest.raises(CiphertextDamaged):
        cipher().unseal(cipher().seal(b"secret", PLACE), elsewhere)


def test_a_value_of_another_workspace_cannot_be_read_even_under_the_same_key() -> None:
    with pytest.raises(CiphertextDamaged):
        cipher(UUID(int=2)).unseal(cipher().seal(b"secret", PLACE), PLACE)


@given(bit=st.integers(0, 8 * (OVERHEAD + 6) - 1))
def test_no_bit_of_a_record_can_be_changed(bit: int) -> None:
    sealed = bytearray(cipher().seal(b"secret", PLACE))
    sealed[bit // 8] ^= 1 << bit % 8
    with pytest.raises((CiphertextDamaged, KeyUnavailable)):
        cipher().unseal(bytes(sealed), PLACE)


@given(length=st.integers(0, OVERHEAD + 5))
def test_a_record_that_was_cut_off_is_damaged(length: int) -> None:
    with pytest.raises(CiphertextDamaged):
        cipher().unseal(cipher().seal(b"secret", PLACE)[:length], PLACE)


def test_a_record_tells_the_version_of_its_key() -> None:
    assert version_of(cipher(current=2).seal(b"secret", PLACE)) == 2


def test_old_versions_are_read_and_new_values_are_under_the_current_one() -> None:
    old = cipher(current=1).seal(b"secret", PLACE)
    newer = cipher(current=2)
    assert newer.unseal(old, PLACE) == b"secret"
    assert version_of(newer.seal(b"secret", PLACE)) == 2


def test_a_version_that_was_destroyed_is_named() -> None:
    left = replace(cipher(), keys={1: cipher().keys[1]})
    with pytest.raises(KeyUnavailable, match="version 2"):
        left.unseal(cipher(current=2).seal(b"secret", PLACE), PLACE)


def test_equal_values_have_different_records() -> None:
    assert len({cipher().seal(b"secret", PLACE) for _ in range(100)}) == 100


def test_a_record_is_what_the_documentation_of_the_format_says() -> None:
    # From outside: AES-256-GCM of the library over the parts that the module's first lines name.
    sealed = cipher().seal(b"secret", PLACE)
    bound = (
        b"\x01\x00\x00\x00\x01" + HERE.bytes
        + b"\x00\x00\x00\x06chunks" + b"\x00\x00\x00\x017" + b"\x00\x00\x00\x04text"
    )  # fmt: skip
    assert AESGCM(KEYS[1]).decrypt(sealed[5:17], sealed[17:], bound) == b"secret"
