"""The reader that comes with Footnote, as it judges statements."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from footnote.models.reader import PackagedReader, load_reader
from footnote.models.readers import packaged_file


@pytest.fixture(scope="module")
async def packaged_reader(model_home: Path) -> AsyncIterator[PackagedReader]:
    """Loaded once for the tests of a file."""
    file = packaged_file()
    assert file is not None
    reader = load_reader(file, model_home / "models", 1)
    yield reader
    await reader.close()
