"""Authentication, authorisation, and encryption of stored data."""
