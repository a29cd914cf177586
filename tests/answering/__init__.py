"""Promises of the answering wing."""
