"""What the server writes down about itself: one JSON object a line, bounded, and without tokens.

Lines go to standard error, where systemd and containers collect them, or to a file that is rotated. A message that
repeats is written a few times a minute and then counted, so that no client can fill the disk by misbehaving.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from typing import Any

from spielwerk.server.settings import Settings

_LOGGERS = ("spielwerk", "uvicorn", "uvicorn.error", "asyncio")
_OLD_FILES = 4
_LINES_A_MINUTE = 10
_LONGEST = 4000
_TEMPLATES_REMEMBERED = 500
# Tokens and invitations are 43 such characters; nothing else in the server's words is nearly as long.
_SECRET = re.compile(r"[A-Za-z0-9_-]{32,}")


class Repeated(logging.Filter):
    """Lets a message through a few times a minute; the next one after that says how many were left out."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._seen: dict[tuple[str, str], tuple[int, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether this one is written."""
        minute, key = int(self._now() // 60), (record.name, str(record.msg))
        then, count = self._seen.get(key, (minute, 0))
        if then != minute:
            record.left_out = max(0, count - _LINES_A_MINUTE)
            count = 0
        if len(self._seen) >= _TEMPLATES_REMEMBERED and key not in self._seen:
            self._seen.clear()
        self._seen[key] = (minute, count + 1)
        return count < _LINES_A_MINUTE


class Lines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, source and message; where there is one, the error."""
        entry: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "source": record.name,
            "message": _SECRET.sub("…", record.getMessage().strip())[:_LONGEST],
        }
        if record.exc_info:
            entry["error"] = _SECRET.sub("…", self.formatException(record.exc_info))[-_LONGEST:]
        if left_out := getattr(record, "left_out", 0):
            entry["left_out"] = left_out
        return json.dumps(entry, ensure_ascii=False)


def set_up_logging(settings: Settings) -> None:
    """Sends everything the server says from here on to one place."""
    handler = _handler(settings)
    handler.setFormatter(Lines())
    handler.addFilter(Repeated())
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = [handler] if "." not in name else []
        logger.propagate = "." in name
        logger.setLevel(logging.INFO if name == "spielwerk" else logging.WARNING)


def _handler(settings: Settings) -> logging.Handler:
    if settings.log_file is None:
        return logging.StreamHandler(sys.stderr)
    try:
        return RotatingFileHandler(
            settings.log_file, maxBytes=max(1, settings.log_bytes // (_OLD_FILES + 1)), backupCount=_OLD_FILES
        )
    except OSError as error:
        raise ValueError(f"cannot write the log {settings.log_file}: {error.strerror}") from None
