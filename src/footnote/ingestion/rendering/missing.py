"""A page that a document does not have."""

from __future__ import annotations


class NoSuchPage(Exception):
    """The document has fewer pages."""

    def __init__(self, page_count: int) -> None:
        super().__init__()
        self.page_count = page_count
