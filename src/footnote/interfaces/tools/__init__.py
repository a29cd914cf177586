"""The document tools as the libraries that run agents want them; `footnote.tools` is the way in."""
