"""One game in progress, as terminal, arena and server share it, and how games end."""

from spielwerk.outcome import How, Outcome
from spielwerk.play.clock import Clock, TimeControl
from spielwerk.play.progress import Action, GameInProgress, Turn

__all__ = ["Action", "Clock", "GameInProgress", "How", "Outcome", "TimeControl", "Turn"]
