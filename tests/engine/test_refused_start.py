"""A start that is refused leaves nothing running."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from footnote.engine import open_engine
from footnote.errors import UnsupportedSettings
from footnote.settings import Settings, settings_from

LACKS_A_KEY = {"answer_models": "openai:gpt-5"}
WRITER_LACKS_A_KEY = {"language_model": "openai:gpt-5", "answer_models": "ollama:x"}


@pytest.fixture
def home(model_home: Path) -> Iterator[Path]:
    """A folder that Postgres may reach, with the models already built."""
    with tempfile.TemporaryDirectory(prefix="fn-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o711)
        model_home.mkdir(parents=True, exist_ok=True)
        (folder / "models").symlink_to(model_home)
        yield folder


async def test_models_that_are_refused_leave_no_postgres_and_no_connection(home: Path) -> None:
    embedded = Settings(home=home, database_url=None, owner_database_url=None)
    before = asyncio.all_tasks()
    for refused in (LACKS_A_KEY, WRITER_LACKS_A_KEY):
        with pytest.raises(UnsupportedSettings, match="needs a key"):
            await open_engine(settings_from(embedded, refused), models_at_first_use=True)
        assert (home / "postgres" / "PG_VERSION").exists(), "it was started"
        assert not (home / "postgres" / "postmaster.pid").exists()
        assert asyncio.all_tasks() == before
