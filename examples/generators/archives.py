"""Write a zip-based Office file again without the moment it was made, so that it compares equal."""

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

EPOCH = (2025, 1, 1, 0, 0, 0)


def without_clock(archive: bytes) -> bytes:
    """Return the archive with its members in their order and all at one fixed time."""
    buffer = BytesIO()
    with ZipFile(BytesIO(archive)) as old, ZipFile(buffer, "w", ZIP_DEFLATED) as new:
        for member in old.infolist():
            fixed = ZipInfo(member.filename, date_time=EPOCH)
            fixed.compress_type = ZIP_DEFLATED
            new.writestr(fixed, old.read(member))
    return buffer.getvalue()


def with_text_replaced(archive: bytes, *, member: str, old: str, new: str) -> bytes:
    """Return the archive with one text exchanged in one member."""
    contents = members(archive)
    contents[member] = contents[member].replace(old.encode(), new.encode())
    buffer = BytesIO()
    with ZipFile(buffer, "w") as written:
        for name, content in contents.items():
            written.writestr(ZipInfo(name), content)
    return without_clock(buffer.getvalue())


def members(archive: bytes) -> dict[str, bytes]:
    """Return the unpacked members by name."""
    with ZipFile(BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}
