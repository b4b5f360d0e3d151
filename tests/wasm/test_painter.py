"""A browser without a server draws what the server draws, to the last digit, and says no in the same words."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import pytest

import spielwerk as sw
from scripts.build_wasm import FILE
from spielwerk.positions import NoPosition, position_view
from spielwerk.render import plain
from spielwerk.render.description import description_of
from tests.test_laws import ALL, DEFAULTS, label
from tests.wasm.painter import PYODIDE, Painter

PICTURES = 6  # of one game
LONGEST = 150  # plies

drawn = [game for game in ALL if description_of(game.name).scene is not plain.scene]
every_variant = pytest.mark.parametrize("game", drawn, ids=label)


@pytest.fixture(scope="module")
def painter() -> Iterator[Painter]:
    if not FILE.exists() or not PYODIDE.exists():
        pytest.skip("NO WEBASSEMBLY, PICTURES WITHOUT A SERVER ARE NOT TESTED: run `make wasm` (it needs Emscripten)")
    painter = Painter()
    yield painter
    painter.close()


def as_sent(view: object) -> object:
    return json.loads(json.dumps(view))


def random_game(game: sw.Game, plies: int) -> list[str]:
    rng = random.Random(game.name)
    state = game.start(seed=0, chance="explicit")
    actions: list[str] = []
    while not state.over and len(actions) < plies:
        actions.append(state.text(rng.choice(state.legal_actions)))
        state.play(actions[-1])
    return actions


@every_variant
def test_every_position_is_drawn_alike(painter: Painter, game: sw.Game) -> None:
    actions = random_game(game, LONGEST)
    for picture in range(PICTURES):
        some = actions[: round(picture * len(actions) / (PICTURES - 1))]
        native = position_view(game.name, game.rules, None, some)
        assert painter(game.name, game.rules, None, some) == as_sent(native), f"after {len(some)} plies"


@pytest.mark.parametrize("game", [game for game in DEFAULTS if game in drawn], ids=label)
def test_a_position_of_a_text_is_drawn_alike(painter: Painter, game: sw.Game) -> None:
    state = game.start(seed=0, chance="explicit")
    for action in random_game(game, 9):
        state.play(action)
    text = state.to_text()
    assert painter(game.name, {}, text, []) == as_sent(position_view(game.name, {}, text, []))


@pytest.mark.parametrize(
    ("name", "rules", "start", "actions"),
    [
        ("pferdeaepfel/nonsense", {}, None, []),
        ("pferdeaepfel/classic", {"size": 99}, None, []),
        ("pferdeaepfel/classic", {"nonsense": True}, None, []),
        ("pferdeaepfel/classic", {}, "nonsense", []),
        ("pferdeaepfel/classic", {}, None, ["c7", "a1"]),
        ("ludo/ffa", {}, None, ["d9"]),
        ("ludo/ffa", {}, None, [""]),
        ("diavolo/standard", {}, None, ["\N{SNOWMAN}"]),
    ],
)
def test_what_cannot_be_is_refused_alike(
    painter: Painter, name: str, rules: dict[str, bool | int], start: str | None, actions: list[str]
) -> None:
    with pytest.raises(NoPosition) as refused:
        position_view(name, rules, start, actions)
    assert painter(name, rules, start, actions) == {"error": str(refused.value), "code": refused.value.code}
