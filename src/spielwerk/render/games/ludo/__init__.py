"""Ludo: a race around a cross, for two to four colours."""

from spielwerk.render.description import GameDescription
from spielwerk.render.games.ludo import look, words
from spielwerk.render.games.ludo.editor import EDITOR, VIOLATIONS
from spielwerk.render.games.ludo.scene import move_words, scene

GAME = GameDescription(
    scene=scene,
    style=look.STYLE,
    title=words.TITLE,
    rulesets=words.RULESETS,
    seats=words.seats,
    parameters=words.PARAMETERS,
    refusals=words.REFUSALS,
    violations=VIOLATIONS,
    editor=EDITOR,
    move_words=move_words,
    recommended="ffa",
)
