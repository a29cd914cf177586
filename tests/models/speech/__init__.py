"""Tests of what listens on this machine."""
