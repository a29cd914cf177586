"""Parse the address of a mailbox, and encode its folder's name for IMAP."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from footnote.errors import InvalidRequest

_PORTS = {"imaps": 993, "imap": 143}
_NOT_PRINTABLE_ASCII = re.compile(r"[^\x20-\x7e]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxAddress:
    """The server, user and folder of a mailbox."""

    host: str
    port: int
    user: str
    folder: str
    encrypted: bool

    @property
    def url(self) -> str:
        """The canonical form of the address, without a password."""
        scheme = "imaps" if self.encrypted else "imap"
        return f"{scheme}://{self.user}@{self.host}:{self.port}/{self.folder}"


def mailbox_at(address: str) -> MailboxAddress:
    """Parse the address of a mailbox. Raises InvalidRequest, without repeating a password."""
    try:
        parts = urlsplit(address)
        usual_port = _PORTS[parts.scheme]
        port = usual_port if parts.port is None else parts.port
    except (ValueError, KeyError) as error:
        raise InvalidRequest("the address of the mailbox cannot be read", hint=_HINT) from error
    if parts.password is not None:
        raise InvalidRequest(
            "the address of the mailbox holds a password",
            hint="leave it out, and set FOOTNOTE_IMAP_PASSWORD",
        )
    folder = unquote(parts.path).strip("/") or "INBOX"
    if not parts.hostname or not parts.username or not port or not folder.isprintable():
        raise InvalidRequest("the address of the mailbox cannot be read", hint=_HINT)
    if parts.scheme == "imap" and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        raise InvalidRequest(
            "a password would be sent without encryption", hint="give an imaps:// address"
        )
    return MailboxAddress(
        host=parts.hostname,
        port=port,
        user=unquote(parts.username),
        folder=folder,
        encrypted=parts.scheme == "imaps",
    )


def folder_name(folder: str) -> str:
    """Encode the name as a quoted string in the modified UTF-7 of RFC 3501, section 5.1.3."""

    def encode(run: re.Match[str]) -> str:
        coded = base64.b64encode(run[0].encode("utf-16-be")).decode().rstrip("=")
        return f"&{coded.replace('/', ',')}-"

    coded = _NOT_PRINTABLE_ASCII.sub(encode, folder.replace("&", "&-"))
    escaped = coded.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


_HINT = "give one like imaps://ada@mail.example.com/INBOX"
