"""Store the tables of the language identifier in files that all processes memory-map.

They are 53 MB, of which a text touches little: pages that are never read take no memory, and those
that are read are shared.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_ARRAYS = {
    "nb_ptc": np.float16,
    "nb_pc": np.float32,
    "tk_nextmove": np.uint32,
    "tk_output": np.int32,
    "tk_row": np.uint16,
}
"""The dtype of each table; a model whose values do not fit it is not mapped."""
_CLASSES = "nb_classes.json"
_UNUSED_SECONDS = 7 * 86_400


def mapped_identifier(
    folder: Path, languages: Sequence[str], make: Callable[[], LanguageIdentifier]
) -> LanguageIdentifier:
    """Return the identifier that `make` gives for these languages, with memory-mapped tables.

    The files are written below the folder once for each version of py3langid and set of languages.
    Raises OSError where they cannot be written, and ValueError where the tables do not fit the
    expected types.
    """
    from py3langid.langid import LanguageIdentifier  # noqa: PLC0415  # as where it is made

    digest = hashlib.sha256(" ".join(languages).encode()).hexdigest()
    tables = folder / f"languages-{version('py3langid')}-{digest[:8]}"
    if not tables.is_dir():
        _write(tables, make())
        _remove_older(tables)
    arrays = {name: np.load(tables / f"{name}.npy", mmap_mode="r") for name in _ARRAYS}
    return LanguageIdentifier(
        np.asarray(arrays["nb_ptc"]),
        np.array(arrays["nb_pc"]),
        json.loads((tables / _CLASSES).read_text(encoding="utf-8")),
        memoryview(arrays["tk_nextmove"]),
        arrays["tk_output"].tolist(),
        norm_probs=True,
        tk_row=memoryview(arrays["tk_row"]),
    )


def _remove_older(tables: Path) -> None:
    """Delete the tables of other versions that no program has read for a week."""
    latest = time.time() - _UNUSED_SECONDS
    for folder in tables.parent.glob("languages-*"):
        if folder != tables:
            with suppress(OSError):
                files = [file.stat() for file in folder.rglob("*") if file.is_file()]
                times = [max(file.st_atime, file.st_mtime) for file in files]
                if max(times, default=folder.stat().st_mtime) < latest:
                    shutil.rmtree(folder)


def _write(tables: Path, identifier: LanguageIdentifier) -> None:
    tables.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=tables.parent, prefix="languages-") as name:
        folder = Path(name) / "tables"
        folder.mkdir()
        for table, kind in _ARRAYS.items():
            values = np.asarray(getattr(identifier, table))
            if not np.array_equal(values, converted := values.astype(kind)):
                raise ValueError(f"{table} does not fit {np.dtype(kind)}")
            with (folder / f"{table}.npy").open("wb") as file:
                np.save(file, converted)
                file.flush()
                os.fsync(file.fileno())
        (folder / _CLASSES).write_text(json.dumps(identifier.nb_classes), encoding="utf-8")
        try:
            folder.rename(tables)
        except OSError:
            if not tables.is_dir():  # Else another process was first.
                raise
