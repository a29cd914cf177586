"""Signs what is sent to endpoints, and checks what is said to come from a known sender.

`Footnote-Signature: t=<unix seconds>,v1=<hex>` where v1 is the HMAC-SHA256, under the shared
secret, of the seconds in decimal, a full stop, and the body as it was sent. The time is part of
what is signed, so an old message cannot be made young again; a receiver refuses what is older
than five minutes, and knows a message that comes twice by the event's id.
"""

from __future__ import annotations

import hashlib
import hmac
import re

HEADER = "Footnote-Signature"
TOLERANCE_SECONDS = 300

_SHAPE = re.compile(r"t=(\d{1,12}),v1=([0-9a-f]{64})")


def signature(secret: str, body: bytes, unix_seconds: int) -> str:
    """The value of the header for this body at this time."""
    return f"t={unix_seconds},v1={_mac(secret, body, unix_seconds)}"


def is_genuine(secret: str, body: bytes, header: str, now: float) -> bool:
    """Whether a holder of the secret signed this body within the last five minutes."""
    match = _SHAPE.fullmatch(header.strip())
    if match is None:
        return False
    moment = int(match[1])
    genuine = hmac.compare_digest(_mac(secret, body, moment), match[2])
    return genuine and abs(now - moment) <= TOLERANCE_SECONDS


def _mac(secret: str, body: bytes, unix_seconds: int) -> str:
    signed = f"{unix_seconds}.".encode() + body
    return hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
