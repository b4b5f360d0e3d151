"""What Pferdeäpfel says beside its pictures, in both languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spielwerk.render.description import ParameterDescription
from spielwerk.render.scene import GameLike, Label, same

if TYPE_CHECKING:
    from spielwerk.games import Game

TITLE = same("Pferdeäpfel")
RULESETS = {
    "carry": Label("Hollow horses", "Hohle Pferde"),
    "classic": Label("Classic", "Klassisch"),
    "classic-24": Label("Classic 24", "Klassisch 24"),
    "free": Label("Free apples", "Freie Äpfel"),
    "free-place-first": Label("Free apples, placing first", "Freie Äpfel, erst legen"),
    "original": same("Original"),
    "trail": Label("Trail", "Spur"),
}
SEATS = (Label("White", "Weiß"), Label("Black", "Schwarz"))


def seats(game: GameLike) -> tuple[Label, ...]:
    """The same in every ruleset."""
    del game
    return SEATS


def _squares(game: Game) -> list[str]:
    size = int(game.rules["size"])
    return [f"{chr(ord('a') + file)}{rank}" for rank in range(size, 0, -1) for file in range(size)]


PARAMETERS = {
    "size": ParameterDescription(label=Label("Board size", "Brettgröße"), german_help="Felder je Seite"),
    "white_start": ParameterDescription(
        label=Label("White starts on", "Weiß beginnt auf"),
        german_help="das erste Feld von Weiß; ohne Angabe die Ecke oben links",
        values=_squares,
        seen_at_start=True,
    ),
    "black_start": ParameterDescription(
        label=Label("Black starts on", "Schwarz beginnt auf"),
        german_help="das erste Feld von Schwarz; ohne Angabe die Ecke unten rechts",
        values=_squares,
        seen_at_start=True,
    ),
    "brown": ParameterDescription(label=Label("Brown apples", "Braune Äpfel"), german_help="braune Äpfel zu Beginn"),
    "golden": ParameterDescription(
        label=Label("Golden apples", "Goldene Äpfel"), german_help="goldene Äpfel zu Beginn"
    ),
    "starter": ParameterDescription(
        label=Label("First move", "Erster Zug"),
        german_help="wer den ersten Zug hat",
        choices={"random": Label("by lot", "das Los entscheidet"), "white": SEATS[0], "black": SEATS[1]},
    ),
}

REFUSALS = {
    "jump-due": "Jetzt wird gesprungen, zum Beispiel {example}.",
    "place-due": "Jetzt ist der Apfel dran, zum Beispiel {example}.",
    "must-pass": "Kein Sprung ist möglich: Es bleibt nur {example}.",
    "not-stuck": "Passen darf nur ein schwarzes Pferd, das nicht springen kann.",
    "no-knight-jump": "„{text}“: Dorthin führt kein Rösselsprung.",
    "no-capture": "„{text}“: Auf dem Feld steht das andere Pferd, und hier wird es nicht geschlagen.",
    "apple-there": "„{text}“: Auf dem Feld liegt schon ein Apfel.",
    "horse-there": "„{text}“: Auf dem Feld steht ein Pferd.",
    "last-escape": "„{text}“ nähme Weiß den letzten Ausweg.",
}
