"""The Model Context Protocol: documents as tools, resources and prompts, over HTTP and stdio."""
