"""A server without rates, for tests that need a process to kill.

python -m tests.server.serve_for_tests PORT DATABASE
"""

import sys
from dataclasses import replace

from spielwerk.server.run import listening_socket, serve
from tests.server.client import settings

if __name__ == "__main__":
    # The load generator is one client with a thousand connections.
    configured = replace(
        settings(sys.argv[2]), port=int(sys.argv[1]), sockets_per_client=2000, connections_per_client=2500
    )
    with listening_socket(configured) as listener:
        port = listener.getsockname()[1]
        serve(configured, listener, lambda: print(f"ready {port}", flush=True))
