"""Small recordings, made on the spot: a tone as WAV, and the first bytes of other formats."""

from __future__ import annotations

import io
import math
import struct
import wave


def wav(*, seconds: float = 1.0, rate: int = 8000) -> bytes:
    """A tone of 440 Hz in one channel of 16 bits."""
    target = io.BytesIO()
    with wave.open(target, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(rate)
        tones = (
            round(9000 * math.sin(2 * math.pi * 440 * index / rate))
            for index in range(int(seconds * rate))
        )
        sound.writeframes(b"".join(struct.pack("<h", tone) for tone in tones))
    return target.getvalue()


HEADS = {
    "audio/wav": wav(seconds=0.01),
    "audio/mpeg": b"\xff\xfb\x90\x64" + bytes(413),
    "audio/mp4": b"\x00\x00\x00\x20ftypM4A \x00\x00\x00\x00M4A mp42isom\x00\x00\x00\x00",
    "audio/ogg": b"OggS\x00\x02" + bytes(22) + b"\x01\x1eOpusHead" + bytes(16),
    "audio/flac": b"fLaC\x00\x00\x00\x22" + bytes(34),
    "video/webm": b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01" + bytes(40),
}
"""By media type, a file that begins like one."""
