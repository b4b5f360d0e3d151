"""A limit for agents that know none themselves."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 60.0  # seconds for an action, beyond all limits that agents set themselves


class Overtime(BaseException):
    """An agent tried the arena's patience. Not an Exception, so that no agent catches it by accident."""


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Raises Overtime in what takes longer, again and again if need be; only in a main thread of a Unix process."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(*_: object) -> None:
        raise Overtime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
