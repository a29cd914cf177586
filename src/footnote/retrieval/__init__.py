"""Turn a question into evidence."""
