"""The description of the API, which takes a second to make."""

from typing import Any

from footnote.interfaces.http.app import create_app

DESCRIPTION: dict[str, Any] = create_app().openapi()
