"""Says what is missing in a file without text, by its type."""

from __future__ import annotations

from pathlib import PurePath

from footnote.ingestion import media

_NOTHING = ("no text was found in it", "check that the file is not empty")
_NO_PIXELS_READ = (
    "no text was found on its pages, which are pictures or empty",
    "check that they are sharp and upright, or upload a copy with a text layer",
)
_NO_TEXT_IN_PICTURE = (
    "no text was found in the picture",
    "if it shows text, check that it is sharp and upright; a photo without text can be found by "
    "its description: set FOOTNOTE_VISION_MODEL",
)
_NO_CAPTIONS = (
    "no caption was found in it",
    "check that each has a line of times above it, such as 00:00:01,000 --> 00:00:04,000",
)
_NO_MESSAGES = (
    "no message was found in it",
    "check that each begins with a line such as “From ada@example.com Mon May 6 09:00:00 2024”, "
    "with its headers right below, or export the mailbox anew",
)
_NO_CELLS = (
    "no cell with text was found in this notebook",
    "open it in Jupyter, save it anew and upload that copy",
)


def nothing_in(media_type: str, filename: str) -> tuple[str, str]:
    """Why a file that was read has nothing to index, and what to do about it."""
    if media_type == media.PDF:
        return _NO_PIXELS_READ
    if media.is_image(media_type):
        return _NO_TEXT_IN_PICTURE
    if media_type in (media.CAPTIONS, media.SUBRIP):
        return _NO_CAPTIONS
    if media_type == media.MBOX:
        return _NO_MESSAGES
    if media_type == media.JSON and PurePath(filename).suffix.lower() == ".ipynb":
        return _NO_CELLS
    return _NOTHING
