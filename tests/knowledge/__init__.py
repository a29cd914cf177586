"""Tests of what follows from documents together."""
