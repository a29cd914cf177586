"""A graph with its weights within becomes one whose weights are mapped into memory.

ONNX Runtime copies the weights of a graph, and packs its matrices for the processor at hand: both
are a process's own. It can write down what it packed, and use that from a file, whose pages
sessions and processes share; those that nobody reads take no memory. The packed matrices bear a
hash of what they should be: a processor for which others are right packs its own.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import structlog

from footnote.models.unused_files import note_use

if TYPE_CHECKING:
    import onnx

_LEAST_BYTES = 1024
"""Of a weight that is worth a place in the file."""
_ALIGNMENT = 64
"""In bytes, of every weight: the kernels of float32 read whole registers, and the runtime writes
packed matrices wherever it has come to."""
_PAGE = 4096

_log = structlog.get_logger(__name__)


def mapped(graph: Path) -> Path:
    """The graph with mapped weights, or the graph itself where they cannot be written beside it.

    Made once by each version of the runtime; it takes a second, and the room of the weights twice.
    """
    import onnxruntime  # noqa: PLC0415  # large, and only for who runs a model

    path = graph.with_name(f"mapped-{onnxruntime.__version__}-{graph.name}")
    try:
        # It bears the time of what it is made of.
        if path.is_file() and path.stat().st_mtime_ns == graph.stat().st_mtime_ns:
            weights = re.compile(rf"{re.escape(graph.stem)}-[0-9a-f]{{16}}\.bin")
            for each in (
                path,
                *filter(lambda it: weights.fullmatch(it.name), graph.parent.iterdir()),
            ):
                note_use(each)
            return path
        with tempfile.TemporaryDirectory(dir=graph.parent, prefix="mapping-") as folder:
            _make(graph, path, Path(folder))
    except Exception as error:  # The graph itself is as good, but larger in memory.
        _log.info("weights_not_mapped", graph=str(graph), reason=str(error))
        return graph
    return path


def _make(graph: Path, path: Path, folder: Path) -> None:
    import onnx  # noqa: PLC0415  # slow, needed once
    import onnxruntime  # noqa: PLC0415  # as above

    written, weights = folder / path.name, folder / "packed"
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    options.optimized_model_filepath = str(written)
    for key, value in (
        ("session.optimized_model_external_initializers_file_name", weights.name),
        ("session.optimized_model_external_initializers_min_size_in_bytes", str(_LEAST_BYTES)),
        ("session.save_external_prepacked_constant_initializers", "1"),
    ):
        options.add_session_config_entry(key, value)
    onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    shared = {
        tensor.name: list(tensor.external_data)
        for tensor in onnx.load(graph, load_external_data=False).graph.initializer
        if tensor.external_data
    }
    model = onnx.load(written, load_external_data=False)
    outside = [each for each in model.graph.initializer if each.external_data]
    aligned = folder / "aligned"
    with weights.open("rb") as source, aligned.open("wb") as target:
        own = [each for each in outside if each.name not in shared]
        # What is read at every run lies together, before what is only read when a session opens.
        for entry in _entries(own, packed=True):
            kernel, *places = entry.value.split("|")
            entry.value = "|".join([kernel, *(_moved(each, source, target) for each in places)])
        target.write(b"\0" * (-target.tell() % _PAGE))
        for tensor in own:
            entries = {each.key: each for each in tensor.external_data}
            place = f"{entries['offset'].value};{entries['length'].value}"
            entries["offset"].value = _moved(place, source, target).partition(";")[0]
    with aligned.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:16]
    # Named by its content: no graph ever meets the packed matrices of another processor.
    data = path.with_name(f"{graph.stem}-{digest}.bin")
    for entry in _entries(own, packed=False):
        entry.value = data.name
    for tensor in outside:
        if tensor.name in shared:
            del tensor.external_data[:]
            tensor.external_data.extend(shared[tensor.name])
    written.write_bytes(model.SerializeToString())
    time = graph.stat().st_mtime_ns
    os.utime(written, ns=(time, time))
    for made, final in ((aligned, data), (written, path)):
        with made.open("rb") as file:
            os.fsync(file.fileno())
        made.replace(final)


def _entries(
    tensors: list[onnx.TensorProto], *, packed: bool
) -> Iterator[onnx.StringStringEntryProto]:
    """What says where the packed matrices of these weights are, or the files of all of them."""
    for tensor in tensors:
        for entry in tensor.external_data:
            if entry.key.startswith("prepacked") if packed else entry.key == "location":
                yield entry


def _moved(place: str, source: BinaryIO, target: BinaryIO) -> str:
    """Copy the bytes at `offset;length` and what may follow; the same with their new offset."""
    offset, length, *others = place.split(";")
    source.seek(int(offset))
    target.write(b"\0" * (-target.tell() % _ALIGNMENT))
    moved = target.tell()
    target.write(source.read(int(length)))
    return ";".join([str(moved), length, *others])
