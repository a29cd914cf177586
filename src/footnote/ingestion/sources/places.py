"""Parse the address of a source, and match it against the places that the operator allows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, unquote, urlsplit

from footnote.errors import InvalidRequest, UnsupportedSettings

Kind = Literal["folder", "web", "objects", "mailbox"]

FOLDER = "folder:"
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("https", "http"), "web"),
    **dict.fromkeys(("s3", "gs", "az"), "objects"),
    **dict.fromkeys(("imaps", "imap"), "mailbox"),
}
_PORTS = {"https": 443, "http": 80, "imaps": 993, "imap": 143}
_WORKSPACE = "{workspace}"
"""Placeholder in an allowed place for the name of the requesting workspace."""
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]")
_BUCKET = re.compile(r"[A-Za-z0-9._$-]+")
_ENCODED = re.compile("%(?![0-9A-Fa-f]{2})")
_MAX_CHARACTERS = 2000
_HINT = "give one like folder:/srv/documents/claims, s3://bucket/claims or https://example.com/a"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLocation:
    """The address of a source, parsed into parts that can be compared."""

    address: str
    """The address to connect to, without a password."""
    scheme: str
    authority: str
    """Host and port, or a bucket; empty for a folder."""
    segments: tuple[str, ...]
    """Decoded segments of the path; none is empty, `.` or `..`."""

    @property
    def kind(self) -> Kind:
        """The kind of source."""
        return _KINDS.get(self.scheme, "folder")

    def holds(self, other: SourceLocation) -> bool:
        """Whether the other is this place or lies below it, segment by segment."""
        return (
            self.scheme == other.scheme
            and self.authority == other.authority
            and other.segments[: len(self.segments)] == self.segments
        )


def source_location(address: str) -> SourceLocation:
    """Parse the address of a source.

    Raises InvalidRequest for an address of no source, and for ambiguous spellings: with `.` or
    `..`, encoded slashes, a backslash, a password. The message does not repeat the address.
    """
    if not 0 < len(address) <= _MAX_CHARACTERS or not address.isprintable():
        raise _invalid_place("it is empty, too long, or holds a character that none may hold")
    if address.startswith(FOLDER):
        return _folder(address.removeprefix(FOLDER))
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise _invalid_place("its host or port cannot be read") from error
    kind = _KINDS.get(parts.scheme)
    if kind is None:
        raise _invalid_place(
            "it begins with none of folder:, https://, s3://, gs://, az://, imaps://"
        )
    if " " in address or parts.fragment or (parts.query and kind != "web"):
        raise _invalid_place("it holds a space, or more than a place")
    if parts.password is not None or (parts.username is not None and kind != "mailbox"):
        raise _invalid_place("it holds a name or a password")
    return _bucket(address, parts) if kind == "objects" else _server(address, parts, port)


def _folder(path: str) -> SourceLocation:
    if not path.startswith("/") or path.startswith("//"):
        raise _invalid_place("a folder is given from the root on, after one slash")
    segments = _segments(path)
    return SourceLocation(
        address=f"{FOLDER}/{'/'.join(segments)}", scheme="folder", authority="", segments=segments
    )


def _server(address: str, parts: SplitResult, port: int | None) -> SourceLocation:
    host = (parts.hostname or "").lower()
    if ":" in host:
        host = f"[{host}]"
    if not _HOST.fullmatch(host) or port == 0:
        raise _invalid_place("it names no host, or no port there is")
    return SourceLocation(
        address=address,
        scheme=parts.scheme,
        authority=f"{host}:{port or _PORTS[parts.scheme]}",
        segments=_segments(parts.path, encoded=True),
    )


def _bucket(address: str, parts: SplitResult) -> SourceLocation:
    if not _BUCKET.fullmatch(parts.netloc) or "%" in address or "?" in address:
        raise _invalid_place("it names no bucket, or holds a character that is read in two ways")
    segments = _segments(parts.path)
    return SourceLocation(
        address="/".join((f"{parts.scheme}://{parts.netloc}", *segments)),
        scheme=parts.scheme,
        authority=parts.netloc,
        segments=segments,
    )


def _segments(path: str, *, encoded: bool = False) -> tuple[str, ...]:
    """Split a path into segments. Raises InvalidRequest for empty, relative or ambiguous ones."""
    if encoded and _ENCODED.search(path):
        raise _invalid_place("it has a % that begins no encoded character")
    raw = path.removeprefix("/").removesuffix("/").split("/")
    try:
        segments = tuple(
            unquote(segment, errors="strict") if encoded else segment for segment in raw
        )
    except UnicodeDecodeError as error:
        raise _invalid_place("an encoded character of its path is no UTF-8") from error
    if segments == ("",):
        return ()
    for segment in segments:
        is_unsafe = not segment.isprintable() or "/" in segment or "\\" in segment
        # If it is decoded a second time, `%` could become a slash or a full stop.
        if not segment or segment in (".", "..") or is_unsafe or (encoded and "%" in segment):
            raise _invalid_place("a part of its path is empty, `.` or `..`, or holds a slash")
    return segments


def allowed_locations(setting: Iterable[str], workspace: str) -> tuple[SourceLocation, ...]:
    """Return the places that a setting allows for a workspace.

    `{workspace}` is replaced by its name; places with it are left out if the name is not a plain
    path segment. Raises UnsupportedSettings.
    """
    is_plain_name = _PLAIN_NAME.fullmatch(workspace) is not None
    places = []
    for text in setting:
        authority = text.partition("://")[2].partition("/")[0]
        parts = text.removeprefix(FOLDER).split("/")
        if _WORKSPACE in authority or any(
            _WORKSPACE in part and part != _WORKSPACE for part in parts
        ):
            raise _invalid_setting(text, f"{_WORKSPACE} must be a whole part of its path")
        try:
            place = source_location(
                text.replace(_WORKSPACE, workspace if is_plain_name else "workspace")
            )
        except InvalidRequest as error:
            raise _invalid_setting(text, str(error)) from error
        if place.kind == "folder" and not place.segments:
            raise _invalid_setting(text, "it opens every folder of the machine")
        if is_plain_name or _WORKSPACE not in text:
            places.append(place)
    return tuple(places)


def _invalid_setting(text: str, reason: str) -> UnsupportedSettings:
    return UnsupportedSettings(
        f"FOOTNOTE_SOURCE_PLACES cannot open {text!r}: {reason}", hint=f"{_HINT}; docs/sources.md"
    )


def _invalid_place(reason: str) -> InvalidRequest:
    return InvalidRequest(f"the place cannot be used: {reason}", hint=_HINT)
