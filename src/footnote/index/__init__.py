"""The inverted index as pure values: text to terms, terms to segments, postings to BM25 scores."""
