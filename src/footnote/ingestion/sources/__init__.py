"""Parse and check the addresses of sources, and compare their listings."""
