"""The program that paints one moving picture: reads a job as JSON from stdin, writes the GIF to stdout.

It is started as `python -m spielwerk.server.painter`: seconds of painting must not keep the server from answering.
"""

from __future__ import annotations

import json
import os
import sys

from spielwerk.records import Record
from spielwerk.render.animation import gif

_NICENESS = 10


def main() -> None:
    """One job."""
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    job = json.load(sys.stdin)
    sys.stdout.buffer.write(gif(Record.from_json(job["record"]), theme=job["theme"], lang=job["lang"]))


if __name__ == "__main__":
    main()
