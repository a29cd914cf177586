"""What was tried against Footnote and worked once, one file per theme, so that it never works again."""
