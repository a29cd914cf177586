"""Write trained weights as the one file that Footnote ships: layers in 7 bits by channel, heads in fp32.

    python training/export.py --weights reader.pt --out src/footnote/models/reader.safetensors --calibration calibration.json

Weights lie in -63..63, so that two products of them with unsigned bytes fit 16 bits: processors without VNNI add such
pairs with saturation, and would answer otherwise with 8 bits.

With `--frozen 6 --start src/footnote/models/reader.safetensors` the layers that training left as they were, and the probes on them, are
taken over from there to the bit, so that what was fitted to those layers stays valid; `mentions.safetensors` and `unmet_words.safetensors`
beside `--start` are written beside `--out`, in the name of the new file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from encoder import SHARED, STACKS, with_judging
from safetensors import safe_open
from safetensors.numpy import save_file

from footnote.models.reader_weights import read_weights

LIMIT = 63
MATRICES = ("q", "k", "v", "ao", "fi", "fo")


def quantised(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int8 of shape (out, in) within the limit, and one scale for each output channel.

    The scale of a channel is the one, of a few below its largest weight, with the least squared error.
    """
    largest = np.abs(weight).max(axis=1) + 1e-12
    best, least = largest / LIMIT, np.full(len(weight), np.inf, np.float32)
    for share in (1.0, 0.95, 0.9, 0.85, 0.8, 0.7):
        scale = largest * share / LIMIT
        rounded = np.clip(np.rint(weight / scale[:, None]), -LIMIT, LIMIT)
        error = ((rounded * scale[:, None] - weight) ** 2).sum(axis=1)
        best, least = np.where(error < least, scale, best), np.minimum(error, least)
    whole = np.clip(np.rint(weight / best[:, None]), -LIMIT, LIMIT).astype(np.int8)
    return whole, best.astype(np.float32)


def quantised_layers(layers: torch.nn.Module, name: str) -> dict[str, np.ndarray]:
    """Take the matrices of layers in 7 bits, and return all their weights as the reader's file has them."""
    tensors: dict[str, np.ndarray] = {}
    with torch.no_grad():
        for own, value in layers.named_parameters():
            part = own.split(".")
            if part[1] in MATRICES and part[2] == "weight":
                whole, scale = quantised(value.numpy())
                value.copy_(torch.from_numpy(whole * scale[:, None]))
                tensors[f"{name}.{own}"] = whole
                tensors[f"{name}.{part[0]}.{part[1]}.scale"] = scale
            else:
                tensors[f"{name}.{own}"] = value.numpy().astype(np.float32)
    return tensors


def taken_over(
    tensors: dict[str, np.ndarray], calibration: dict[str, Any], start: Path, frozen: int
) -> None:
    """Put the lowest layers, and the probes on them, in the place of those of the same weights."""
    with safe_open(start, "numpy") as shipped:
        for name in shipped.keys():  # noqa: SIM118
            part = name.split(".")
            lower = part[0] == "layers" and int(part[1]) < frozen
            if not (
                lower
                or part[0]
                in (
                    "position",
                    "norm",
                    "ordering",
                    "orders",
                    "operation",
                    "rewriting",
                    "parting",
                    "tables",
                )
            ):
                continue
            value = shipped.get_tensor(name)
            if name in tensors and not np.allclose(tensors[name], value, rtol=0.01, atol=0.01):
                raise SystemExit(f"{name} is not what it is in {start}: was it frozen?")
            tensors[name] = value
        probes = json.loads(shipped.metadata()["calibration"]).get("probes")
    if probes is not None:
        if probes["layers"] > frozen:
            raise SystemExit(f"The probes of {start} read layers that were trained")
        calibration["probes"] = probes


def renamed(start: Path, out: Path) -> None:
    """Write what was fitted to the lowest layers beside the new file, as fitted to that."""
    weights = read_weights(out)
    for name, key, told in (
        ("mentions", "reader", weights.digest),
        ("unmet_words", "encoder", weights.encoder),
    ):
        with safe_open(start.with_name(f"{name}.safetensors"), "numpy") as fitted:
            tensors = {each: fitted.get_tensor(each) for each in fitted.keys()}  # noqa: SIM118
            metadata = fitted.metadata()
        written = out.with_name(f"{name}.safetensors")
        save_file(tensors, written, {**metadata, key: told})
        print(written, hashlib.sha256(written.read_bytes()).hexdigest())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--calibration", type=Path, help="what training/calibrate.py wrote")
    parser.add_argument("--revision", default="1")
    parser.add_argument("--start", type=Path, help="the file as it ships that training began with")
    parser.add_argument("--frozen", type=int, default=0, help="lower layers that stayed")
    options = parser.parse_args()
    weights = {n: v.float().numpy() for n, v in with_judging(torch.load(options.weights)).items()}
    tensors: dict[str, np.ndarray] = {}
    for name, value in weights.items():
        part = name.split(".")
        if part[0] in STACKS and part[2] in MATRICES and part[3] == "weight":
            whole, scale = quantised(value)
            tensors[name], tensors[".".join([*part[:3], "scale"])] = whole, scale
        elif name == "position.weight":
            tensors["position"] = value.astype(np.float16)
        else:
            tensors[name] = value.astype(np.float32)
    layers, judging = (
        len({n.split(".")[1] for n in tensors if n.startswith(f"{each}.")}) for each in STACKS
    )
    width = tensors["position"].shape[1]
    config = {
        "width": width, "layers": layers, "shared": SHARED, "judging": judging, "heads": 12, "epsilon": 1e-12,
        "inner": int(tensors["layers.0.fi.weight"].shape[0]), "positions": int(tensors["position"].shape[0]),
    }  # fmt: skip
    calibration = json.loads(options.calibration.read_text()) if options.calibration else {
        "answer": {"weights": [0.5, 0.5], "bias": 0.0}, "support": {"temperature": 1.0},
    }  # fmt: skip
    if options.start is not None:
        taken_over(tensors, calibration, options.start, options.frozen)
    metadata = {"config": json.dumps(config), "calibration": json.dumps(calibration), "revision": options.revision,
                "card": "see training/README.md"}  # fmt: skip
    save_file({n: np.ascontiguousarray(v) for n, v in tensors.items()}, options.out, metadata)
    print(
        options.out,
        options.out.stat().st_size,
        hashlib.sha256(options.out.read_bytes()).hexdigest(),
    )
    if options.start is not None:
        renamed(options.start, options.out)


if __name__ == "__main__":
    main()
