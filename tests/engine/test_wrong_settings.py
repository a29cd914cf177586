"""A setting that cannot be used is refused at the start, by the name of its variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.engine.answer_models import answer_models_from, plain
from footnote.engine.configured_models import (
    judge_from_settings,
    language_model_from_settings,
    reader_from_settings,
    reranker_from_settings,
)
from footnote.engine.credential_settings import credentials_from
from footnote.engine.encryption import key_ring_from
from footnote.engine.lanes import embedders_from
from footnote.errors import UnsupportedSettings
from footnote.ingestion.sources.places import allowed_locations
from footnote.jobs.media_models import media_models
from footnote.security.gateway import networks_from
from footnote.security.secrets import FILE
from footnote.settings import Settings, listed, settings_from, variables_of
from footnote.store.blobs import blobs_from
from footnote.store.home import require_home
from footnote.store.object_stores import require_known_options
from footnote.telemetry.prices import prices_from

WRONG = ("nonsense", "-1", '{"nonsense": 1}')
ANY_TEXT = {
    *("token_secret", "login_client_secret", "imap_password", "webhook_secret"),
    *("allowed_hosts", "google_project", "home"),
}
"""What nobody can tell a wrong value of."""
NOT_READ_ALONE = {"backup_url", "backup_key"}
"""What says how something is done that no other setting asks for."""
BELOW_NOTHING = {"min_similarity"}
"""What may be -1."""


async def begin(settings: Settings) -> None:
    """Make what a server and a worker make of their settings, without reaching anything."""
    prices_from(settings.prices)
    allowed_locations(listed(settings.source_places), "default")
    for name in ("blob_options", "backup_options", "source_options"):
        require_known_options(plain(getattr(settings, name)), name)
    blobs_from(settings.home / "blobs", settings.blob_url, plain(settings.blob_options))
    require_home(settings.home)
    key_ring_from(settings)
    networks_from(settings.proxy_addresses, "proxy_addresses")
    credentials_from(settings)
    embedders = embedders_from(settings, at_first_use=True)
    await embedders.primary()
    await embedders.close()
    await answer_models_from(settings).close()
    language, reader = language_model_from_settings(settings), reader_from_settings(settings)
    reranker = reranker_from_settings(settings, reader)
    judge = judge_from_settings(settings, reader, language)
    for each in (language, reranker, judge, reader):
        if each is not None:
            await each.close()
    async with media_models(settings):
        pass


@pytest.mark.parametrize("name", Settings.model_fields)
async def test_a_wrong_value_is_refused_by_the_name_of_its_variable(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = variables_of(name)[0]
    base = {} if name == "home" else {"home": tmp_path}
    monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)
    for wrong in WRONG:
        monkeypatch.setenv(variable, wrong)
        said = None
        try:
            await begin(settings_from(None, base))
        except UnsupportedSettings as error:
            said = error.with_hint
        free = ANY_TEXT | NOT_READ_ALONE | (BELOW_NOTHING if wrong == "-1" else set())
        assert name in free if said is None else variable in said, (wrong, said)


@pytest.mark.parametrize(
    "given",
    [
        {"embedding_models": "fastembed:nonsense"},
        {"embedding_models": "fastembed:/nonsense"},
        {"embedding_models": "compatible:nonsense"},
        {"embedding_models": "openai:nonsense#x"},
        {"embedding_models": "multilingual#99999"},
        {"embedding_models": "multilingual#128"},
        {"reranker": "tei@zz"},
        {"vision_model": "zzz"},
        {"answer_models": "google-gla:nonsense"},
        {"blob_url": "s3://"},
        {"backend_url": "https://nonsense.example"},
        {"home": "/dev/null"},
        {"reader": "/nonsense.safetensors"},
    ],
    ids=str,
)
async def test_a_wrong_name_is_refused_by_the_name_of_its_variable(
    given: dict[str, str], tmp_path: Path
) -> None:
    if given.get("embedding_models", "").startswith("fastembed"):
        pytest.importorskip("fastembed", reason="fastembed is not installed")
    [name] = given
    with pytest.raises(UnsupportedSettings) as refused:
        await begin(settings_from(Settings(home=tmp_path), given))
    assert variables_of(name)[0] in refused.value.with_hint


async def test_a_damaged_key_of_credentials_is_found_before_anybody_asks(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"short")
    with pytest.raises(UnsupportedSettings, match="is damaged: it has 5 bytes"):
        credentials_from(Settings(home=tmp_path, identity="keys"))
    (tmp_path / FILE).unlink()
    (tmp_path / FILE).symlink_to(tmp_path / "gone")
    with pytest.raises(UnsupportedSettings, match="a link to nothing"):
        credentials_from(Settings(home=tmp_path, identity="keys"))
    # Where nobody is asked who they are, it is not needed.
    await credentials_from(Settings(home=tmp_path, identity="")).http.aclose()
