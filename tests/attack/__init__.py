"""Attacks that were tried on Footnote, and are tried again with every change."""
