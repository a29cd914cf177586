"""Which files a command line means, and under which names they are taken in."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from footnote.ingestion.sources.ignoring import IGNORE_FILE, Ignoring
from footnote.validation.text import is_storable


def existing(text: str) -> Path:
    """The path that an argument names. Raises typer.BadParameter."""
    if not text:
        raise typer.BadParameter("a path is empty; name a file or a folder")
    if not os.path.lexists(text):
        raise typer.BadParameter(f"there is no file or folder {text!r}")
    return Path(text)


ADDRESS_SCHEMES = ("https", "http", "s3", "gs", "az", "imaps", "imap")
_BUCKET = "a bucket or container"
_BEHIND = {
    **dict.fromkeys(("https", "http"), "a host"),
    **dict.fromkeys(("imaps", "imap"), "a user and a host"),
}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")


@dataclass(frozen=True, slots=True)
class InputPath:
    """What one argument means: a path, or else an address."""

    path: Path | None
    address: str = ""


def parse_input_path(text: str) -> InputPath:
    """The path or address that an argument names. Raises typer.BadParameter."""
    scheme, separator, remainder = text.partition("://")
    if remainder and scheme.lower() in ADDRESS_SCHEMES:
        return InputPath(None, text)
    if separator and scheme.lower() in ADDRESS_SCHEMES:
        raise typer.BadParameter(
            f"nothing comes after {text}; name {_BEHIND.get(scheme.lower(), _BUCKET)} there"
        )
    if remainder and _SCHEME.fullmatch(scheme) and not os.path.lexists(text):
        supported = ", ".join(f"{name}://" for name in ADDRESS_SCHEMES[:-1])
        raise typer.BadParameter(
            f"nothing can be taken in from {scheme.lower()}://; name a file, a folder or an "
            f"address with {supported} or {ADDRESS_SCHEMES[-1]}://"
        )
    return InputPath(existing(text))


def entries(paths: Sequence[Path], ignored: Sequence[str] = ()) -> Iterator[Path]:
    """The files at and below the paths, each once, as absolute paths in which links stay.

    Hidden files, lock files, and what `ignored` or an ignore file names are left out. Linked
    folders are not entered. What cannot be read, or is a link that leads out of the paths, is
    included all the same, so that it can be refused by its name.
    """
    seen: set[str] = set()
    for path in paths:
        for entry in _below(path, ignored) if path.is_dir() else [path]:
            location = location_below(entry, paths)
            if location not in seen:
                seen.add(location)
                yield entry.absolute()


def regular_files(paths: Sequence[Path]) -> Iterator[Path]:
    """The regular files at and below the paths, each once, as absolute paths without links."""
    return (
        Path(os.path.realpath(path))
        for path in entries(paths)
        if path.is_file() and not leads_out(path, paths)
    )


def _below(folder: Path, ignored: Sequence[str]) -> Iterator[Path]:
    errors: list[OSError] = []
    requested = Ignoring().with_lines(ignored)
    rules: dict[str, tuple[Ignoring, str]] = {}
    for parent, folders, names in os.walk(folder, onerror=errors.append):
        ignoring, top = rules.get(parent, (requested, parent))
        if IGNORE_FILE in names:
            ignoring, top = requested.with_lines(_lines(Path(parent, IGNORE_FILE))), parent
        folders[:] = sorted(
            name for name in folders if not ignoring(_relative(parent, name, top), is_folder=True)
        )
        rules |= {str(Path(parent, name)): (ignoring, top) for name in folders}
        yield from (
            Path(parent, name)
            for name in sorted(names)
            if not ignoring(_relative(parent, name, top), is_folder=False)
        )
    yield from (Path(error.filename) for error in errors)


def _relative(parent: str, name: str, top: str) -> str:
    return Path(parent, name).relative_to(top).as_posix()


def _lines(path: Path) -> list[str]:
    """The lines of an ignore file; none of one that cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def leads_out(path: Path, roots: Sequence[Path]) -> bool:
    """Whether this is a link to something that is neither one of the roots nor below one."""
    if not path.is_symlink():
        return False
    # realpath, since Path.resolve raises on a link that leads in a circle
    target = Path(os.path.realpath(path))
    return not any(target.is_relative_to(os.path.realpath(root)) for root in roots)


def refusal_of(path: Path, roots: Sequence[Path]) -> str:
    """Why there is no file to read, and what to do; empty for a regular file."""
    if leads_out(path, roots):
        target = printable(os.path.realpath(path))
        return f"it is a link to {target}, outside of what was named; name that too to take it in"
    try:
        mode = path.stat().st_mode
    except OSError as error:
        return f"it cannot be read: {error.strerror}; check the path and its rights"
    if stat.S_ISDIR(mode):
        return "the folder cannot be read; check its rights"
    return "" if stat.S_ISREG(mode) else "it is not a regular file; name a file or a folder"


def has_plain_name(path: Path) -> bool:
    """Whether the path, and what it leads to, could be read as text."""
    return is_storable(str(path)) and is_storable(os.path.realpath(path))


def printable(text: str) -> str:
    """A file name, with each of its bytes that is no text as `%` and two digits."""
    return "".join(
        f"%{ord(character) - 0xDC00:02X}" if "\udc80" <= character <= "\udcff" else character
        for character in _as_utf8(text)
    )


def location_of(path: Path) -> str:
    """The real path as text that preserves its bytes: itself, or a file URI."""
    return _as_storable(os.path.realpath(path))


def location_below(path: Path, roots: Sequence[Path]) -> str:
    """The same, but for a link that leads out of the roots the path of the link itself."""
    if not leads_out(path, roots):
        return location_of(path)
    return _as_storable(str(Path(os.path.realpath(path.parent), path.name)))


def _as_storable(path: str) -> str:
    location = _as_utf8(path)
    return location if is_storable(location) else Path(path).as_uri()


def _as_utf8(name: str) -> str:
    """A file name as it is in UTF-8, also where the locale made Python read it as ASCII."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
