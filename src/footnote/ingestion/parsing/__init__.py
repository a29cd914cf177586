"""Bytes become blocks: one reader per format, run in a child process with limits."""
