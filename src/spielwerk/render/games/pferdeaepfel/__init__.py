"""Pferdeäpfel: two horses, and apples that close squares for good."""

from spielwerk.render.description import GameDescription, LevelRecipe
from spielwerk.render.games.pferdeaepfel import facts, look, words
from spielwerk.render.games.pferdeaepfel.editor import EDITOR, VIOLATIONS
from spielwerk.render.games.pferdeaepfel.scene import scene

GAME = GameDescription(
    scene=scene,
    colours=look.COLOURS,
    style=look.STYLE,
    glyphs=look.GLYPHS,
    title=words.TITLE,
    rulesets=words.RULESETS,
    seats=words.seats,
    parameters=words.PARAMETERS,
    refusals=words.REFUSALS,
    violations=VIOLATIONS,
    editor=EDITOR,
    recommended="trail",
    known_facts=facts.known_facts,
    levels=(
        LevelRecipe(level="perfect", spec="solver", rulesets=("trail",)),
        # As White, who loses against good play, its network finds what leads weaker players into mistakes.
        LevelRecipe(level="master", spec="puct:ms=2000", rulesets=("free", "free-place-first"), usual_rules=True),
    ),
)
