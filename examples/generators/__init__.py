"""Turn the texts under `sources/` into the PDF, Office, mail and image files under `documents/`."""
