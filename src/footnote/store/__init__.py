"""Postgres and blobs: the only room that contains SQL."""
