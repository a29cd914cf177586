"""Writes the OpenAPI description of the server, from which the app's types are made."""

import json
import sys
from pathlib import Path

from footnote.interfaces.http.app import create_app

Path(sys.argv[1]).write_text(json.dumps(create_app().openapi()), encoding="utf-8")
