"""Secrets are long, kept as keyed hashes, and the key of the hashes is made once."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from footnote.errors import UnsupportedSettings
from footnote.security.secrets import FILE, Pepper, new_secret, pepper_from, read_secret


def test_a_secret_has_256_bits_and_is_read_back() -> None:
    made = new_secret("fn")
    assert made.text.startswith("fn_")
    assert len(bytes.fromhex(made.secret)) == 32
    assert read_secret("fn", made.text) == made
    assert made.secret not in repr(made)
    assert new_secret("fn").text != made.text


@pytest.mark.parametrize("text", ["", "fn_", "fn_0_0", "fs_" + "0" * 16 + "_" + "0" * 64, "fn_x\n"])
def test_what_was_never_handed_out_is_not_looked_up(text: str) -> None:
    assert read_secret("fn", text) is None


def test_a_hash_is_of_one_secret_under_one_key() -> None:
    made, other = new_secret("fn"), new_secret("fn")
    pepper = Pepper(b"k" * 32)
    kept = pepper.hash_of(made)
    assert len(kept) == 32
    assert pepper.matches(made, kept)
    assert not pepper.matches(other, kept)
    assert not Pepper(b"l" * 32).matches(made, kept)
    assert pepper.derived("a") != pepper.derived("b")


def test_the_file_is_made_once_however_many_ask(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with ThreadPoolExecutor(8) as threads:
        keys = {each.key for each in threads.map(lambda _: pepper_from(None, home), range(32))}
    assert len(keys) == 1
    assert (home / FILE).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in home.iterdir()] == [FILE]


def test_a_configured_secret_comes_first(tmp_path: Path) -> None:
    configured = pepper_from("x" * 32, tmp_path)
    assert configured == pepper_from("x" * 32, tmp_path / "elsewhere")
    assert not (tmp_path / FILE).exists()
    with pytest.raises(UnsupportedSettings, match="fewer than 32"):
        pepper_from("short", tmp_path)


def test_what_is_no_file_is_told_of_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / FILE)
    with pytest.raises(UnsupportedSettings, match="is no file"):
        pepper_from(None, tmp_path)


def test_a_damaged_file_is_told_of(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"short")
    with pytest.raises(UnsupportedSettings, match="damaged"):
        pepper_from(None, tmp_path)
