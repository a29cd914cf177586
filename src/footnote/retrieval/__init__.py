"""A question becomes evidence."""
