"""Encryption at rest: data keys of workspaces, the master keys over them, and turned vectors."""
