"""What is raised when a read cannot be served by a replica of the database."""

from __future__ import annotations


class ReplicaLost(Exception):
    """A replica does not answer; ask the primary.

    No caller of the engine sees it, and no stage of a search goes on without what it asked for.
    """
