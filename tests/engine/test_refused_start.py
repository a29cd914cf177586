"""A start that is refused leaves nothing running, and doctor says what refuses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.doctor import examine
from footnote.domain import Check
from footnote.engine import open_engine
from footnote.errors import FootnoteError, UnsupportedSettings
from footnote.settings import Settings, settings_from

LACKS_A_KEY = {"answer_models": "openai:gpt-5"}
WRITER_LACKS_A_KEY = {"language_model": "openai:gpt-5", "answer_models": "ollama:x"}


async def test_models_that_are_refused_leave_no_postgres(home: Path) -> None:
    embedded = Settings(home=home, database_url=None, owner_database_url=None)
    for refused in (LACKS_A_KEY, WRITER_LACKS_A_KEY):
        with pytest.raises(UnsupportedSettings, match="needs a key"):
            await open_engine(settings_from(embedded, refused), models_at_first_use=True)
        assert (home / "postgres" / "PG_VERSION").exists(), "it was started"
        assert not (home / "postgres" / "postmaster.pid").exists()


@pytest.mark.parametrize(
    ("refused", "name"),
    [
        (LACKS_A_KEY, "answer models"),
        ({"language_model": "openai:gpt-5"}, "answer models"),
        (WRITER_LACKS_A_KEY, "language model"),
        ({"reranker": "tei"}, "reranker"),
        ({"grounding_judge": "language_model"}, "grounding judge"),
        ({"blob_url": "s3://bucket", "blob_options": '{"regoin": "here"}'}, "file store"),
    ],
)
async def test_doctor_says_why_models_are_refused(
    settings: Settings, refused: dict[str, str], name: str
) -> None:
    given = settings_from(settings, refused)
    with pytest.raises(FootnoteError) as caught:
        await open_engine(given, models_at_first_use=True)
    found = await examine(given)
    assert not found.ready
    wrong = [check for check in found.checks if not check.ok]
    assert Check(name=name, ok=False, detail=str(caught.value), hint=caught.value.hint) in wrong
    named = {"answer models", "language model", "reranker", "grounding judge", "file store"}
    assert named & {check.name for check in wrong} == {name}


async def test_doctor_names_the_models_that_answer(settings: Settings) -> None:
    async def told(**given: str) -> dict[str, str]:
        found = await examine(settings_from(settings, given))
        assert found.ready
        return {check.name: check.detail for check in found.checks}

    alone = await told()
    assert alone["answer models"] == "none: answers quote documents"
    assert "language model" not in alone
    both = await told(answer_models="ollama:x, ollama:y", language_model="ollama:z")
    assert (both["answer models"], both["language model"]) == ("ollama:x, ollama:y", "ollama:z")
    writer = await told(language_model="ollama:z")
    assert writer["answer models"] == "ollama:z"
    assert "language model" not in writer


async def test_doctor_names_what_else_a_start_makes(settings: Settings) -> None:
    given = settings_from(
        settings,
        {
            "reranker": "tei@http://127.0.0.1:9",
            "grounding_judge": "reader",
            "blob_url": "memory://",
        },
    )
    wanted = {"reranker", "grounding judge", "file store"}
    said = {each.name: each for each in (await examine(given)).checks if each.name in wanted}
    assert said.keys() == wanted
    assert all(each.ok for each in said.values())
    async with await open_engine(given, models_at_first_use=True) as engine:
        health = await (await engine.workspace()).examine_installation()
    assert {each.name: each for each in health.checks if each.name in wanted} == said
