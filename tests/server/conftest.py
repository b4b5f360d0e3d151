"""One server for all tests of a module."""

from collections.abc import Iterator

import pytest

from tests.server.client import Running, running, settings


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(settings(tmp_path_factory.mktemp("server"))) as started:
        yield started
