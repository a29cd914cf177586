"""Pages become pictures, and quotes are found on them."""
