"""Parts of backups come back as they were, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.errors import CiphertextDamaged, UnsupportedSettings
from footnote.security.encryption import backup_parts
from footnote.security.encryption.backup_parts import BackupCipher, backup_cipher_from

CIPHER = BackupCipher(b"k" * 32)
PIECE = backup_parts._PIECE_BYTES


def sealed(content: bytes, name: str = "a") -> bytes:
    return b"".join(CIPHER.seal(name, [content]))


def opened(part: bytes, name: str = "a", step: int = 4096) -> bytes:
    pieces = (part[start : start + step] for start in range(0, len(part), step))
    return b"".join(CIPHER.unseal(name, pieces))


@given(st.lists(st.binary(max_size=200), max_size=5), st.integers(1, 300))
def test_what_was_sealed_in_whatever_pieces_is_opened_in_whatever_pieces(
    pieces: list[bytes], step: int
) -> None:
    assert opened(b"".join(CIPHER.seal("a", pieces)), step=step) == b"".join(pieces)


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE])
def test_sizes_around_a_piece_come_back(size: int) -> None:
    assert opened(sealed(b"x" * size), step=PIECE) == b"x" * size


def test_no_byte_can_be_changed_added_or_left_out() -> None:
    part = sealed(b"The tenant pays 400 euros.")
    for place in range(len(part)):
        changed = bytearray(part)
        changed[place] ^= 1
        with pytest.raises(CiphertextDamaged):
            opened(bytes(changed))
        with pytest.raises(CiphertextDamaged):
            opened(part[:place])
    with pytest.raises(CiphertextDamaged):
        opened(part + b"x")


def test_whole_pieces_cannot_be_left_out_or_exchanged() -> None:
    part = sealed(bytes(PIECE) + b"\1" * PIECE + b"\2" * 10)
    head, size = part[:20], PIECE + 16
    first, second, last = (part[20 + n * size : 20 + (n + 1) * size] for n in range(3))
    for wrong in (head + first + second, head + second + first + last, head + first + last):
        with pytest.raises(CiphertextDamaged):
            opened(wrong, step=PIECE)


def test_a_part_under_another_name_or_key_is_refused() -> None:
    part = sealed(b"text")
    with pytest.raises(CiphertextDamaged):
        opened(part, name="b")
    with pytest.raises(CiphertextDamaged):
        b"".join(BackupCipher(b"l" * 32).unseal("a", [part]))


@pytest.mark.parametrize("named", ["/nowhere/key", "base64:short", "base64:?"])
def test_a_wrong_setting_is_refused_without_its_value(named: str) -> None:
    with pytest.raises(UnsupportedSettings) as refused:
        backup_cipher_from(named)
    assert "short" not in refused.value.with_hint
