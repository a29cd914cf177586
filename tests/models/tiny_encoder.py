"""A text encoder small enough to build in a test: each word has a direction of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

from .tiny_cross_encoder import MARKS, WORDS, write_tokenizer

WIDTH = 48
WINDOW = 64


def build_encoder(
    folder: Path,
    *,
    model_file: str = "onnx/model.onnx",
    seed: int = 1,
    prompts: Mapping[str, str] | None = None,
) -> Path:
    """Write graph, tokenizer and sentence-transformers' files as exporters do. Gives the folder.

    last_hidden_state[b, t] = directions[input_ids[b, t]]; marks have a direction too.
    """
    (folder / model_file).parent.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder)
    directions = np.random.default_rng(seed).normal(size=(len(MARKS) + len(WORDS), WIDTH))
    constant = numpy_helper.from_array(directions.astype(np.float32), "directions")
    shape = ["batch", "tokens"]
    graph = helper.make_graph(
        [helper.make_node("Gather", ["directions", "input_ids"], ["last_hidden_state"])],
        "word-directions",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, shape)
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, WIDTH])],
        [constant],
    )
    opset = helper.make_opsetid("", 17)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=9)
    save(model, str(folder / model_file))
    if prompts is not None:
        written = json.dumps({"prompts": dict(prompts)})
        (folder / "config_sentence_transformers.json").write_text(written, encoding="utf-8")
    return folder


def pool_by_mark(folder: Path) -> None:
    """Have the first token stand for the text."""
    (folder / "1_Pooling").mkdir()
    written = json.dumps({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})
    (folder / "1_Pooling" / "config.json").write_text(written, encoding="utf-8")
