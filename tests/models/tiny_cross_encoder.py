"""A cross-encoder small enough to build in a test: it counts the words a pair has in common."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
from onnx import TensorProto, helper, numpy_helper, save
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

WORDS = (
    "the tenant pays rent on first working day of each month when is due by penguins hatch eggs "
    "during polar winter payment monthly deposit returned after lease ends word anchor chain"
).split()
MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
WINDOW = 64
BIAS = -2.0


def build_cross_encoder(
    folder: Path, *, model_file: str = "onnx/model.onnx", bias: float = BIAS
) -> Path:
    """Write graph and tokenizer as exporters do. Gives the folder.

    Logit = Σ over words (times in the query · times in the text) / √(words in the text) + bias.
    """
    (folder / model_file).parent.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder)
    _write_graph(folder / model_file, bias)
    return folder


def write_tokenizer(folder: Path) -> None:
    vocabulary = {word: number for number, word in enumerate((*MARKS, *WORDS))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    marks = [("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=marks
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"model_max_length": WINDOW, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}), encoding="utf-8")


def _write_graph(path: Path, bias: float) -> None:
    size = len(MARKS) + len(WORDS)
    words = np.eye(size, dtype=np.float32)
    words[: len(MARKS)] = 0  # Marks and unknown words have nothing in common.
    constants: dict[str, npt.NDArray[np.float32] | npt.NDArray[np.int64]] = {
        "words": words,
        "one": np.array(1, dtype=np.int64),
        "last": np.array([-1], dtype=np.int64),
        "places": np.array([1], dtype=np.int64),
        "bias": np.array(bias, dtype=np.float32),
        "floor": np.array(1, dtype=np.float32),
    }
    nodes = [
        helper.make_node("Gather", ["words", "input_ids"], ["tokens"]),
        helper.make_node("Mul", ["token_type_ids", "attention_mask"], ["in_text"]),
        helper.make_node("Sub", ["one", "token_type_ids"], ["first"]),
        helper.make_node("Mul", ["first", "attention_mask"], ["in_query"]),
    ]
    for side in ("query", "text"):
        nodes += [
            helper.make_node("Cast", [f"in_{side}"], [f"{side}_float"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", [f"{side}_float", "last"], [f"{side}_mask"]),
            helper.make_node("Mul", ["tokens", f"{side}_mask"], [f"{side}_tokens"]),
            helper.make_node("ReduceSum", [f"{side}_tokens", "places"], [side], keepdims=0),
        ]
    nodes += [
        helper.make_node("Mul", ["query", "text"], ["common"]),
        helper.make_node("ReduceSum", ["common", "last"], ["shared"], keepdims=1),
        helper.make_node("ReduceSum", ["text", "last"], ["length"], keepdims=1),
        helper.make_node("Max", ["length", "floor"], ["positive"]),
        helper.make_node("Sqrt", ["positive"], ["root"]),
        helper.make_node("Div", ["shared", "root"], ["weighed"]),
        helper.make_node("Add", ["weighed", "bias"], ["logits"]),
    ]
    shape = ["batch", "tokens"]
    graph = helper.make_graph(
        nodes,
        "word-overlap",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, shape)
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    opset = helper.make_opsetid("", 17)
    save(helper.make_model(graph, opset_imports=[opset], ir_version=9), str(path))
