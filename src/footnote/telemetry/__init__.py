"""What running Footnote takes."""
