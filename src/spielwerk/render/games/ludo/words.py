"""What Ludo says beside its pictures, in both languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spielwerk.render.description import ParameterDescription
from spielwerk.render.scene import GameLike, Label, same

if TYPE_CHECKING:
    from spielwerk.games import Game

TITLE = same("Ludo")
RULESETS = {
    "ffa": Label("Each for itself", "Jeder für sich"),
    "teams": Label("Teams", "Zwei gegen zwei"),
}
COLOURS = ("green", "yellow", "blue", "red")
NAMES = (Label("Green", "Grün"), Label("Yellow", "Gelb"), Label("Blue", "Blau"), Label("Red", "Rot"))
# On the tokens, for those who do not see colours: in German, green and yellow begin with the same letter.
LETTERS = (Label("G", "Gr"), Label("Y", "Ge"), same("B"), same("R"))


def seats(game: GameLike) -> tuple[Label, ...]:
    """What the seats are called: by their colours."""
    playing = str(game.rules.get("colours", ",".join(COLOURS))).split(",")
    return tuple(NAMES[COLOURS.index(colour)] for colour in playing)


def _colours(game: Game) -> list[str]:
    del game  # the same under all rules
    return ["green,yellow", "green,blue", "green,red", "green,yellow,blue", "green,yellow,red", ",".join(COLOURS)]


PARAMETERS = {
    "players": ParameterDescription(
        label=Label("Players", "Personen"),
        german_help="wie viele mitspielen; es sind die ersten Farben, wenn keine genannt sind",
    ),
    "colours": ParameterDescription(
        label=Label("Colours", "Farben"), german_help="wer mitspielt, aus green,yellow,blue,red", values=_colours
    ),
    "again_on_six": ParameterDescription(
        label=Label("Again after a six", "Noch einmal nach einer Sechs"),
        german_help="eine Sechs, mit der gezogen wurde, gibt noch einen Zug",
    ),
    "again_on_capture": ParameterDescription(
        label=Label("Again after a capture", "Noch einmal nach einem Schlag"),
        german_help="ein Schlag gibt noch einen Zug",
    ),
    "exact_finish": ParameterDescription(
        label=Label("Exact finish", "Genau ins Ziel"),
        german_help="Figuren dürfen nicht über das letzte Zielfeld hinaus",
    ),
    "max_plies": ParameterDescription(
        label=Label("Longest game", "Längste Partie"),
        german_help="nach so vielen Entscheidungen endet die Partie unentschieden",
    ),
    "ranking": ParameterDescription(
        label=Label("Play for places", "Um die Plätze spielen"),
        german_help="weiterspielen um den zweiten und dritten Platz",
    ),
}

REFUSALS = {
    "must-move": "Passen darf nur, wer nicht ziehen kann; möglich ist zum Beispiel {example}.",
    "finished": "Figur {text} ist schon im Ziel.",
    "needs-six": "Figur {text} kommt nur mit einer Sechs aus dem Hof.",
    "exact-finish": "Figur {text} zöge über das Ziel hinaus; hier muss die Zahl passen.",
    "blocked": "Figur {text} wird von einer Sperre aufgehalten.",
}
