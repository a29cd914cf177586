"""The docs, held against what they describe."""
