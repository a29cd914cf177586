"""A packaged model may be loaded ahead, for who opens it next."""

from pathlib import Path

import pytest

from footnote.errors import LaneUnavailable
from footnote.models import embedders
from footnote.models.aligned import AlignedEncoder
from footnote.models.embedder_specs import PACKAGED, Packaged, parse_spec
from footnote.models.embedders import EmbedderChoices, begin_loading, opener
from footnote.models.sentence_encoder import SentenceEncoder


async def test_who_opens_a_model_that_is_being_loaded_waits_for_that_one(
    model_home: Path, packaged_models: AlignedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[object] = []
    packaged = PACKAGED["multilingual"]

    def load(*arguments: object, at_first_use: bool = False) -> SentenceEncoder | AlignedEncoder:
        loads.append(arguments)
        return packaged.load(*arguments, at_first_use=at_first_use)  # type: ignore[arg-type]

    counted = {"multilingual": Packaged(model=packaged.model, load=load)}
    monkeypatch.setattr(embedders, "PACKAGED", counted)
    choices = EmbedderChoices(models_folder=model_home, threads=1)
    begin_loading("multilingual", model_home, 1)
    for expected in (1, 2):  # the second time nothing was loaded ahead
        opened = await opener(choices)(parse_spec("multilingual"), None)
        assert opened.embedder.lane == packaged_models.lane
        assert len(loads) == expected
        await opened.close()


@pytest.mark.parametrize("name", ["multilingual", "minilm", "e5"])
async def test_a_model_for_its_first_use_has_a_lane_and_nothing_loaded(
    tmp_path: Path, packaged_models: AlignedEncoder, name: str
) -> None:
    choices = EmbedderChoices(models_folder=tmp_path / "models", threads=1, at_first_use=True)
    opened = await opener(choices)(parse_spec(name), None)
    lanes = {
        "multilingual": packaged_models.lane,
        "minilm": packaged_models.english.lane,
        "e5": packaged_models.multilingual.lane,
    }
    assert opened.embedder.lane == lanes[name]
    assert opened.embedder.max_tokens
    assert not (tmp_path / "models").exists()
    await opened.close()


async def test_a_model_is_loaded_by_its_first_use(
    model_home: Path, packaged_models: AlignedEncoder
) -> None:
    choices = EmbedderChoices(models_folder=model_home, threads=1, at_first_use=True)
    opened = await opener(choices)(parse_spec("multilingual"), None)
    texts = ["a lease of seven years", "ein Mietvertrag über sieben Jahre"]
    expected = await packaged_models.embed_documents(texts)
    assert (await opened.embedder.embed_documents(texts) == expected).all()
    await opened.close()


@pytest.mark.parametrize("name", ["multilingual", "openai:text-embedding-3-small"])
def test_nothing_is_built_ahead(tmp_path: Path, name: str) -> None:
    begin_loading(name, tmp_path / "models", 1)
    assert not embedders._begun
    assert not (tmp_path / "models").exists()


async def test_a_failure_is_told_to_who_opens_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, at_first_use: bool = False) -> AlignedEncoder:
        raise LaneUnavailable("the weights are gone")

    broken = {"multilingual": Packaged(model="m", load=fail)}
    monkeypatch.setattr(embedders, "PACKAGED", broken)
    begin_loading("multilingual", tmp_path, 1)
    choices = EmbedderChoices(models_folder=tmp_path, threads=1)
    with pytest.raises(LaneUnavailable, match="gone"):
        await opener(choices)(parse_spec("multilingual"), None)
