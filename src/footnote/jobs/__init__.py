"""The durable queue and its worker."""
