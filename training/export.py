"""Write trained weights as the one file that Footnote ships: layers in 7 bits by channel, heads in fp32.

    python training/export.py --weights reader.pt --out src/footnote/models/reader.safetensors --calibration calibration.json

Weights lie in -63..63, so that two products of them with unsigned bytes fit 16 bits: processors without VNNI add such
pairs with saturation, and would answer otherwise with 8 bits.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file

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


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--calibration", type=Path, help="what training/calibrate.py wrote")
    parser.add_argument("--revision", default="1")
    options = parser.parse_args()
    weights = {n: v.float().numpy() for n, v in torch.load(options.weights).items()}
    tensors: dict[str, np.ndarray] = {}
    for name, value in weights.items():
        part = name.split(".")
        if part[0] == "layers" and part[2] in MATRICES and part[3] == "weight":
            whole, scale = quantised(value)
            tensors[name], tensors[".".join([*part[:3], "scale"])] = whole, scale
        elif name == "position.weight":
            tensors["position"] = value.astype(np.float16)
        else:
            tensors[name] = value.astype(np.float32)
    layers = 1 + max(int(n.split(".")[1]) for n in tensors if n.startswith("layers."))
    width = tensors["position"].shape[1]
    config = {
        "width": width, "layers": layers, "heads": 12, "epsilon": 1e-12,
        "inner": int(tensors["layers.0.fi.weight"].shape[0]), "positions": int(tensors["position"].shape[0]),
    }  # fmt: skip
    calibration = json.loads(options.calibration.read_text()) if options.calibration else {
        "answer": {"weights": [0.5, 0.5], "bias": 0.0}, "support": {"temperature": 1.0},
    }  # fmt: skip
    metadata = {"config": json.dumps(config), "calibration": json.dumps(calibration), "revision": options.revision,
                "card": "see training/README.md"}  # fmt: skip
    save_file({n: np.ascontiguousarray(v) for n, v in tensors.items()}, options.out, metadata)
    print(
        options.out,
        options.out.stat().st_size,
        hashlib.sha256(options.out.read_bytes()).hexdigest(),
    )


if __name__ == "__main__":
    main()
