"""Build files from packaged weights once, and check the vectors of a built model."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet, WeakValueDictionary

import numpy as np

from footnote.errors import LaneUnavailable
from footnote.models.encoder_shape import Precision
from footnote.models.mapped_graph import mapped
from footnote.models.unused_files import note_use, remove_unused
from footnote.ports import Vectors

if TYPE_CHECKING:
    # It takes 10 MB, which a process that runs no model saves.
    import onnxruntime

TOLERANCE = {"fp32": 1e-3, "int8": 2e-2}
"""Largest deviation of a component; components are about 0.05, processors round differently."""

_open_sessions: WeakValueDictionary[tuple[int, int, int], onnxruntime.InferenceSession]
_open_sessions = WeakValueDictionary()
"""Sessions by device, inode and modification time of the file, as long as a model uses them."""
_checked_sessions: WeakSet[onnxruntime.InferenceSession] = WeakSet()
"""Sessions that yielded the known vectors; the check takes a tenth of a second."""


def built(path: Path, build: Callable[[], bytes]) -> Path:
    """Return the file, built when absent.

    Processes that start together each build a file of their own; the last to finish
    replaces the others' with the same bytes. Raises LaneUnavailable when the folder is unusable.
    """
    try:
        if path.is_file():
            path.open("rb").close()  # Checks the permission, which the runtime would not report.
            note_use(path)
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_atomically(path, build())
    except PermissionError as error:
        raise LaneUnavailable(
            f"this user may not use the folder of the embedding model, {path.parent}",
            hint="allow this user to read and write it, or set FOOTNOTE_HOME to another folder",
        ) from error
    except OSError as error:
        raise LaneUnavailable(
            f"the embedding model cannot be built in {path.parent}: {error}",
            hint="make the folder writable and see that the disk has 200 MB free",
        ) from error
    return path


def available_cores() -> int:
    """Return how many cores this process may run on; all of them where that is unknown."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def open_session(graph: Path) -> onnxruntime.InferenceSession:
    """Open the built graph, each of its runs in one thread. Raises LaneUnavailable.

    A session has no state between its runs, which may be concurrent: all models of a process share
    one session for each graph, with its weights and its loading time.
    """
    import onnxruntime  # noqa: PLC0415  # as above

    file = graph.stat()
    identity = (file.st_dev, file.st_ino, file.st_mtime_ns)
    session = _open_sessions.get(identity)
    if session is not None:
        return session
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.use_env_allocators", "1")
    _share_arena()
    path = mapped(graph)
    try:
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise LaneUnavailable(
            f"the built model cannot be loaded: {error}",
            hint=f"delete the folder {graph.parent} and start again",
        ) from error
    _open_sessions[identity] = session
    remove_unused(graph.parent)
    return session


@cache
def _share_arena() -> None:
    """Have all sessions of the process allocate the memory of their runs from one arena.

    An arena keeps the memory of the largest runs; four models with one each keep 120 MB, with a
    shared one 35 MB, at the same speed.
    """
    import onnxruntime  # noqa: PLC0415  # as above

    onnxruntime.create_and_register_allocator(
        onnxruntime.OrtMemoryInfo(
            "Cpu",
            onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR,
            0,
            onnxruntime.OrtMemType.DEFAULT,
        ),
        onnxruntime.OrtArenaCfg(0, -1, -1, -1),
    )


def check_known_vectors(
    session: onnxruntime.InferenceSession,
    encode: Callable[[list[str]], Vectors],
    resource: str,
    precision: Precision,
    folder: Path,
) -> None:
    """Raise LaneUnavailable unless the model over this session yields the known vectors.

    These are the first components of the vectors of a few sentences, as this graph computed them
    where an independent forward pass agreed. A shared session is checked once.
    """
    if session in _checked_sessions:
        return
    content = files("footnote.models").joinpath(resource).read_text(encoding="utf-8")
    reference = json.loads(content)
    expected = np.array(reference[precision], dtype=np.float32)
    actual = encode(reference["sentences"])
    deviation = np.abs(actual[:, : expected.shape[1]] - expected).max()
    norms = np.linalg.norm(actual, axis=1)
    if not (deviation <= TOLERANCE[precision] and np.allclose(norms, 1.0, atol=1e-3)):
        raise LaneUnavailable(
            f"the embedding model in {folder} does not yield the vectors it should "
            f"(off by {deviation:.4f})",
            hint=f"delete the folder {folder} and start again",
        )
    _checked_sessions.add(session)


def _write_atomically(path: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, suffix=".partial")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
