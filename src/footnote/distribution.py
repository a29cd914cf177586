"""What the package is called where it is installed from, its version, and how an extra is got."""

from __future__ import annotations

DISTRIBUTION = "footnote-engine"
"""The name that pip knows; `footnote`, the name to import, belongs to another project there."""
VERSION = "0.1.0"


def how_to_install(extra: str) -> str:
    """The command that brings an extra, as long as the package is installed from a clone."""
    return f"in a clone of Footnote: pip install '.[{extra}]'"
