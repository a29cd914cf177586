"""How long this machine listens to a recording and what memory that takes.

`python bench/listening.py --minutes 10 60` makes recordings with espeak-ng, out of the sentences
of `examples/documents/`, and writes them down as a worker does.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import subprocess
import time
from io import BytesIO
from itertools import cycle
from pathlib import Path
from uuid import UUID

from footnote.jobs.listening import LocalTranscriber
from footnote.language.sentences import sentence_spans
from footnote.models.speech.installed import find_speech

DOCUMENTS = Path(__file__).parents[1] / "examples" / "documents"
RATE = 22_050
"""Samples a second that espeak-ng makes."""


def spoken(minutes: float) -> bytes:
    """So much speech as a WAV file, most of it different sentences."""
    text = " ".join(path.read_text() for path in sorted(DOCUMENTS.glob("*.[mt][dx]*")))
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    sound, header = bytearray(), b""
    for first in cycle(range(0, len(sentences), 40)):
        said = " ".join(sentences[first : first + 40])
        command = ["espeak-ng", "-v", "en-us", "-s", "150", "--stdout"]
        made = subprocess.run(command, input=said.encode(), capture_output=True, check=True).stdout
        start = made.index(b"data") + 8
        header, sound = made[:start], sound + made[start:]
        if len(sound) >= minutes * 60 * RATE * 2:
            break
    return header + bytes(sound[: round(minutes * 60 * RATE) * 2])


def children() -> list[int]:
    """The processes that this one started and that live."""
    return [
        int(each)
        for each in Path("/proc/self/task", str(os.getpid()), "children").read_text().split()
    ]


def most_memory(process: int) -> float:
    """The most resident memory it ever had, in MiB; the one of its parent is not counted."""
    [line] = [
        line
        for line in Path("/proc", str(process), "status").read_text().splitlines()
        if line.startswith("VmHWM")
    ]
    return int(line.split()[1]) / 1024


async def measure(minutes: float) -> None:
    content = await asyncio.to_thread(spoken, minutes)
    transcriber = LocalTranscriber(
        find_speech("auto"),
        max_seconds=86_400,
        timeout_seconds=1800,
        memory_bytes=4 * 1024**3,
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    found = await transcriber(BytesIO(content), "audio/wav", workspace_id=UUID(int=1))
    took = time.perf_counter() - began
    most = max(map(most_memory, children()))
    await transcriber.close()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    computed = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    words = sum(len(each.text.split()) for each in found.utterances)
    assert found.duration_seconds is not None
    print(
        f"{found.duration_seconds / 60:.1f} min, {len(content) / 2**20:.0f} MiB: {took:.0f} s, "
        f"{took / found.duration_seconds:.3f} of its length, {computed:.0f} s of computing, "
        f"child at most {most:.0f} MiB, {words} words"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, nargs="+", default=[10.0])
    for minutes in parser.parse_args().minutes:
        asyncio.run(measure(minutes))


if __name__ == "__main__":
    main()
