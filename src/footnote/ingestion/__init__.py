"""A file becomes published chunks: receive → parse → chunk → enrich → embed → publish."""
