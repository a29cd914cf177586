"""The multilingual model equals an independent forward pass, and failures say what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import pytest

from footnote.errors import INSTALL_MODELS, LaneUnavailable
from footnote.models import e5_file
from footnote.models.bert_graph import WORDS
from footnote.models.e5 import (
    DOCUMENT_PREFIX,
    KNOWN_VECTORS_FILE,
    MAX_TOKENS,
    QUERY_PREFIX,
    centre,
    load_e5,
    shared_files,
)
from footnote.models.e5_file import E5File, packaged_file, read_packaged
from footnote.models.sentence_encoder import SentenceEncoder, without_lines_of_capitals
from footnote.models.tokenizing import UnigramPieces

from .bert_reference import Array, reference_vector

SENTENCES = [
    "Wo steht die Kündigungsfrist?",
    "Either party may terminate this agreement with ninety days' notice in writing.",
    "",
    "Résumé: naïve façade, 東京, POL-2024/88-A. " * 3,
    "保险人应当在三十日内作出核定。" * 60,
]


@pytest.fixture(scope="module")
def package(e5_folder: Path) -> E5File:
    return read_packaged()


@pytest.fixture(scope="module")
def weights(package: E5File) -> dict[str, npt.NDArray[np.float32]]:
    """Every weight in fp32, the embedding matrix unpacked number by number."""
    packed, scales = package.packed_words()
    numbers = np.empty((package.rows, package.shape.width), dtype=np.float32)
    numbers[:, 0::2], numbers[:, 1::2] = packed & 15, packed >> 4
    return {**package.weights(), WORDS: (numbers - 8) * np.repeat(scales, 32, axis=1)}


@pytest.fixture(scope="module")
def tokenizer(e5_folder: Path) -> UnigramPieces:
    return UnigramPieces(shared_files(e5_folder).tokenizer.read_bytes())


@pytest.fixture(scope="module")
def fp32(e5_folder: Path) -> Iterator[SentenceEncoder]:
    embedder = load_e5(e5_folder, "fp32", threads=2, batch_tokens=2048)
    yield embedder
    embedder.close()


def reference(
    package: E5File,
    weights: dict[str, npt.NDArray[np.float32]],
    tokenizer: UnigramPieces,
    texts: list[str],
) -> Array:
    ids = tokenizer.encode(texts, MAX_TOKENS)
    vectors = np.stack([reference_vector(weights, package.shape, each) for each in ids]) - centre()
    unit: Array = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


async def test_fp32_equals_an_independent_forward_pass(
    fp32: SentenceEncoder,
    package: E5File,
    weights: dict[str, npt.NDArray[np.float32]],
    tokenizer: UnigramPieces,
) -> None:
    assert max(fp32.count_tokens(SENTENCES)) > MAX_TOKENS
    documents = [DOCUMENT_PREFIX + text for text in SENTENCES]
    expected = reference(package, weights, tokenizer, documents)
    np.testing.assert_allclose(fp32.encode(SENTENCES), expected, atol=2e-5)
    asked = reference(package, weights, tokenizer, [QUERY_PREFIX + SENTENCES[0]])[0]
    np.testing.assert_allclose(await fp32.embed_query(SENTENCES[0]), asked, atol=2e-5)


def test_the_known_vectors_equal_an_independent_forward_pass(
    package: E5File, weights: dict[str, npt.NDArray[np.float32]], tokenizer: UnigramPieces
) -> None:
    resource = files("footnote.models").joinpath(KNOWN_VECTORS_FILE)
    known = json.loads(resource.read_text(encoding="utf-8"))
    texts = [DOCUMENT_PREFIX + text for text in known["sentences"]]
    expected = reference(package, weights, tokenizer, texts)[:, : len(known["fp32"][0])]
    np.testing.assert_allclose(known["fp32"], expected, atol=2e-5)
    np.testing.assert_allclose(known["int8"], expected, atol=2e-2)


def test_int8_agrees_with_fp32(fp32: SentenceEncoder, e5: SentenceEncoder) -> None:
    similarities = np.sum(fp32.encode(SENTENCES) * e5.encode(SENTENCES), axis=1)
    assert similarities.min() > 0.98


def test_integer_products_fit_the_sums_of_processors_without_vnni(
    e5: SentenceEncoder, e5_folder: Path
) -> None:
    """Two products of an activation and a weight are added in 16 bits there."""
    (graph,) = e5_folder.glob("*/embedder-int8-*.onnx")
    model = onnx.load(graph, load_external_data=False)
    integers = [each for each in model.graph.initializer if each.name.endswith(".int8")]
    assert len(integers) == 12 * 6
    for each in integers:
        largest = np.abs(onnx.numpy_helper.to_array(each).astype(np.int64)).max()
        assert 2 * 255 * largest <= np.iinfo(np.int16).max


def test_a_question_is_nearest_to_its_answer_in_another_language(e5: SentenceEncoder) -> None:
    passages = e5.encode(
        [
            "Der Mieter zahlt die Miete am ersten Werktag eines jeden Monats.",
            "Pinguine brüten im Polarwinter.",
            "Die Gesellschaft hat ihren Sitz in Bremen.",
        ]
    )
    questions = e5.encode(["When is the rent due?", "租金什么时候支付？"])
    assert (questions @ passages.T).argmax(axis=1).tolist() == [0, 0]


def test_the_lane_claims_all_languages(e5: SentenceEncoder) -> None:
    assert (e5.lane.name, e5.lane.provider) == ("document", "packaged")
    assert e5.lane.model == "multilingual-e5-small"
    assert e5.lane.dimensions == 384
    assert e5.lane.languages == ()
    assert "int8" in e5.lane.revision


def test_graphs_share_one_embedding_matrix(
    e5: SentenceEncoder, fp32: SentenceEncoder, e5_folder: Path
) -> None:
    (words,) = e5_folder.rglob("words.bin")
    for graph in words.parent.glob("*.onnx"):
        model = onnx.load(graph, load_external_data=False)
        tables = [each for each in model.graph.initializer if each.name.startswith("words")]
        # The upper part of a reader begins with the states of the lower one.
        begins = any(each.name == "input_ids" for each in model.graph.input)
        assert {each.external_data[0].value for each in tables} == (
            {words.name} if begins else set()
        )


def test_what_is_built_is_built_once(e5: SentenceEncoder, e5_folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in e5_folder.rglob("*")}
    load_e5(e5_folder, "int8", threads=1, batch_tokens=512).close()
    assert {path: path.stat().st_mtime_ns for path in e5_folder.rglob("*")} == before


def test_pieces_know_which_characters_they_stand_for(tokenizer: UnigramPieces) -> None:
    text = "The ﬁrst\nrent, 東京."
    found = tokenizer.pieces(text)
    assert len(found.ids) == len(found.offsets)
    covered = "".join(text[begin:end] for begin, end in found.offsets)
    assert covered.replace("\n", "").split() == text.replace("\n", "").split()
    assert tokenizer.padding == 1


@pytest.mark.parametrize("space", ["\n", "\t", "\u00a0", "\u200b", "  "], ids=ascii)
def test_every_white_space_is_one_space(tokenizer: UnigramPieces, space: str) -> None:
    assert tokenizer.encode([f"one{space}two{space}"], 9) == tokenizer.encode(["one two"], 9)


def test_texts_that_share_nothing_are_far_apart(e5: SentenceEncoder) -> None:
    vectors = e5.encode(
        [
            "Pinguine brüten im Polarwinter.",
            "The insurer pays no more than the sum insured.",
            "租金每月第一天支付。",
            "La receta lleva dos huevos y un poco de harina.",
        ]
    )
    cosines = (vectors @ vectors.T)[np.triu_indices(4, 1)]
    assert cosines.max() < 0.4


async def test_a_question_in_capitals_is_the_question(e5: SentenceEncoder) -> None:
    asked = await e5.embed_query("where is the notice period of the lease?")
    shouted = await e5.embed_query("WHERE IS THE NOTICE PERIOD OF THE LEASE?")
    np.testing.assert_array_equal(asked, shouted)
    heading = e5.encode(["LIMITATION OF LIABILITY\nThe insurer pays no more than the sum insured."])
    written = e5.encode(["limitation of liability\nThe insurer pays no more than the sum insured."])
    np.testing.assert_array_equal(heading, written)


@pytest.mark.parametrize("text", ["NATO", "POL-88213-X", "the NATO treaty", "", "東京 大阪"])
def test_what_is_not_a_line_of_capitals_keeps_its_letters(text: str) -> None:
    assert without_lines_of_capitals(text) == text


def test_missing_weights_say_how_to_install_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_file, "PACKAGES", (("a_package_that_is_not_there", ""),))
    with pytest.raises(LaneUnavailable) as raised:
        packaged_file()
    assert raised.value.hint == INSTALL_MODELS


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: content[:0],
        lambda content: b"PK\x03\x04" + content[4:],
        lambda content: content[:4_000_000],
        lambda content: content[:-100],
        lambda content: content[:100] + bytes(4_000_000) + content[4_000_100:],
    ],
    ids=["empty", "another format", "cut in the vocabulary", "cut in the tensors", "zeros"],
)
def test_a_file_of_another_form_is_refused_by_name(e5_folder: Path, spoil: object) -> None:
    assert callable(spoil)
    with pytest.raises(LaneUnavailable, match=r"e5-small-q4\.bin is not the one") as raised:
        E5File(spoil(packaged_file().read_bytes())).weights()
    assert INSTALL_MODELS in (raised.value.hint or "")


def test_another_version_of_the_file_is_refused(
    e5_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = bytearray(packaged_file().read_bytes())
    content[-1] ^= 1
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / e5_file.FILE).write_bytes(content)
    (tmp_path / "other" / "__init__.py").write_text("raise ImportError('it is never imported')")
    monkeypatch.setattr(e5_file, "PACKAGES", (("other", ""),))
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(LaneUnavailable, match="SHA-256"):
        load_e5(tmp_path / "models", "int8", threads=1, batch_tokens=512)
