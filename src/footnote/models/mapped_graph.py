"""Convert a graph with embedded weights to one whose weights are memory-mapped.

ONNX Runtime copies the weights of a graph, and packs its matrices for the processor: both are in
a process's own memory. It can save the packed matrices, and use them from a file, whose pages
sessions and processes share; pages that are never read take no memory. Each packed matrix has a
hash of its expected content: a processor that needs another packing packs its own.
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

_MIN_BYTES = 1024
"""Least size of a weight that is stored in the file."""
_ALIGNMENT = 64
"""Alignment of every weight, in bytes: the kernels of float32 read whole registers, and the runtime
writes packed matrices at any offset."""
_PAGE = 4096

_log = structlog.get_logger(__name__)


def mapped(graph: Path) -> Path:
    """Return the graph with mapped weights, or itself if they cannot be written beside it.

    Built once by each version of the runtime; it takes a second, and twice the disk space of the
    weights.
    """
    import onnxruntime  # noqa: PLC0415  # large, and only for who runs a model

    path = graph.with_name(f"mapped-{onnxruntime.__version__}-{graph.name}")
    try:
        # It has the modification time of the graph that it is built from.
        if path.is_file() and path.stat().st_mtime_ns == graph.stat().st_mtime_ns:
            weights = re.compile(rf"{re.escape(graph.stem)}-[0-9a-f]{{16}}\.bin")
            for file in (
                path,
                *filter(
                    lambda candidate: weights.fullmatch(candidate.name), graph.parent.iterdir()
                ),
            ):
                note_use(file)
            return path
        with tempfile.TemporaryDirectory(dir=graph.parent, prefix="mapping-") as folder:
            _make(graph, path, Path(folder))
    except Exception as error:  # The graph itself works as well, but takes more memory.
        _log.info("weights_not_mapped", graph=str(graph), reason=str(error))
        return graph
    return path


def _make(graph: Path, path: Path, folder: Path) -> None:
    import onnx  # noqa: PLC0415  # slow, needed once
    import onnxruntime  # noqa: PLC0415  # as above

    optimized, weights = folder / path.name, folder / "packed"
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    options.optimized_model_filepath = str(optimized)
    for key, value in (
        ("session.optimized_model_external_initializers_file_name", weights.name),
        ("session.optimized_model_external_initializers_min_size_in_bytes", str(_MIN_BYTES)),
        ("session.save_external_prepacked_constant_initializers", "1"),
    ):
        options.add_session_config_entry(key, value)
    onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    shared = {
        tensor.name: list(tensor.external_data)
        for tensor in onnx.load(graph, load_external_data=False).graph.initializer
        if tensor.external_data
    }
    model = onnx.load(optimized, load_external_data=False)
    outside = [initializer for initializer in model.graph.initializer if initializer.external_data]
    aligned = folder / "aligned"
    with weights.open("rb") as source, aligned.open("wb") as target:
        new_tensors = [initializer for initializer in outside if initializer.name not in shared]
        # Data read at every run is contiguous, before data that is read when a session opens.
        for entry in _entries(new_tensors, packed=True):
            kernel, *places = entry.value.split("|")
            entry.value = "|".join(
                [kernel, *(_moved(location, source, target) for location in places)]
            )
        target.write(b"\0" * (-target.tell() % _PAGE))
        for tensor in new_tensors:
            entries = {entry.key: entry for entry in tensor.external_data}
            old_location = f"{entries['offset'].value};{entries['length'].value}"
            entries["offset"].value = _moved(old_location, source, target).partition(";")[0]
    with aligned.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:16]
    # Named by its content, so that no graph gets the packed matrices of another processor.
    data_file = path.with_name(f"{graph.stem}-{digest}.bin")
    for entry in _entries(new_tensors, packed=False):
        entry.value = data_file.name
    for tensor in outside:
        if tensor.name in shared:
            del tensor.external_data[:]
            tensor.external_data.extend(shared[tensor.name])
    optimized.write_bytes(model.SerializeToString())
    time = graph.stat().st_mtime_ns
    os.utime(optimized, ns=(time, time))
    for temporary, final in ((aligned, data_file), (optimized, path)):
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(final)


def _entries(
    tensors: list[onnx.TensorProto], *, packed: bool
) -> Iterator[onnx.StringStringEntryProto]:
    """Yield the entries with the places of packed matrices, or with the names of files."""
    for tensor in tensors:
        for entry in tensor.external_data:
            if entry.key.startswith("prepacked") if packed else entry.key == "location":
                yield entry


def _moved(location: str, source: BinaryIO, target: BinaryIO) -> str:
    """Copy the bytes at `offset;length`; return the location with its new offset."""
    offset, length, *extra = location.split(";")
    source.seek(int(offset))
    target.write(b"\0" * (-target.tell() % _ALIGNMENT))
    moved = target.tell()
    target.write(source.read(int(length)))
    return ";".join([str(moved), length, *extra])
