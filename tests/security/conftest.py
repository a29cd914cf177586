"""A provider for each test."""

from collections.abc import Iterator

import pytest

from tests.security.provider import Provider, provider


@pytest.fixture
def issuer() -> Iterator[Provider]:
    with provider() as served:
        yield served
