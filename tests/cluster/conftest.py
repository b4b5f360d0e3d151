"""A real Ray of several nodes, all on this machine's loopback."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from spielwerk.arena.cluster import LOOPBACK_ONLY, QUIET, RayWorkers

# Read when Ray is loaded: loopback only.
os.environ |= QUIET | LOOPBACK_ONLY

_SMALL = {"object_store_memory": 80 * 2**20, "node_ip_address": "127.0.0.1"}
# A dead node is found out in seconds instead of a quarter of a minute.
_WATCHFUL = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 500, "health_check_failure_threshold": 3}


class Nodes:
    """A cluster whose head only keeps the books, and nodes of one core each that tests add and kill."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster
        self._nodes: dict[str, Any] = {}

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def add(self, name: str, **environment: str) -> None:
        node = self._cluster.add_node(num_cpus=1, node_name=name, env_vars=environment or None, **_SMALL)
        self._nodes[name] = node

    def id_of(self, name: str) -> str:
        """As works see it (`ray.get_runtime_context().get_node_id()`)."""
        return str(self._nodes[name].node_id)

    def kill(self, name: str) -> None:
        """As a machine that loses its power: nothing is said to anybody."""
        self._cluster.remove_node(self._nodes.pop(name), allow_graceful=False)

    @contextmanager
    def having(self, name: str, **environment: str) -> Iterator[None]:
        """With one more node, for a while."""
        self.add(name, **environment)
        try:
            yield
        finally:
            if name in self._nodes:
                self.kill(name)

    def stop(self) -> None:
        self._cluster.shutdown()


@pytest.fixture(scope="session")
def ray_is_wanted() -> None:
    """Ray has hung where other tests had run in the same process before: it gets a process of its own, and a limit."""
    if not os.environ.get("SPIELWERK_TEST_CLUSTER"):
        pytest.skip("RAY IS NOT TESTED: make test-cluster does")
    if sys.platform == "win32":
        pytest.skip("RAY IS NOT TESTED: several nodes on one machine need Linux or macOS")
    pytest.importorskip("ray", reason="RAY IS NOT TESTED: pip install 'spielwerk[ray]' brings it")


@pytest.fixture(scope="session")
def nodes(ray_is_wanted: None) -> Iterator[Nodes]:
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "include_dashboard": False, "_system_config": _WATCHFUL, **_SMALL}
    started = Nodes(Cluster(initialize_head=True, head_node_args=head))
    started.add("first")
    yield started
    started.stop()


@pytest.fixture
def joined(nodes: Nodes) -> Iterator[Callable[[], RayWorkers]]:
    """Joins the cluster, once at a time, and leaves it after the test."""
    with ExitStack() as stack:

        def join() -> RayWorkers:
            stack.close()
            workers = RayWorkers(nodes.address)
            stack.callback(workers.close)
            return workers

        yield join
