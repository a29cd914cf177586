"""Knowledge drawn from all documents: facts, entities, clusters, areas, summaries."""
