"""What was tried against Footnote and once worked, one file per theme: it never works again."""
