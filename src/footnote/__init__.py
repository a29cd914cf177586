"""Footnote: document search and cited answers for many tenants on one Postgres."""
