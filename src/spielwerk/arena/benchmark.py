"""Who plays in the benchmark: the trained models there are, beside agents that never change."""

from pathlib import Path

from spielwerk.agents.network import model_card, shipped_models
from spielwerk.games import Game, make

FULL_GAMES = 100
QUICK_GAMES = 10

_SIMPLE = ("random", "greedy")
_SEARCHING = ("alphabeta:ms=20", "mcts:ms=20")
_SEARCHING_WITH_DICE = ("expectimax",)


def contestants(game: Game, models: Path | None = None) -> list[str]:
    """Specs of everybody who meets in this game: simple, searching, and trained, shipped or from a folder."""
    alternating = game.num_players == 2 and not game.has_chance
    searching = _SEARCHING if alternating else _SEARCHING_WITH_DICE
    trained = [f"network:{name}" for name in shipped_models() if plays(name, game)]
    if models is not None:
        trained += [f"network:{path}" for path in model_files(models) if plays(str(path), game)]
    return [*_SIMPLE, *searching, *trained]


def model_files(folder: Path) -> list[Path]:
    """Models with their cards, anywhere below a folder."""
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}")
    return sorted(path for path in folder.rglob("*.onnx") if path.with_suffix(".json").is_file())


def plays(model: str, game: Game) -> bool:
    """Whether a model was trained for exactly these rules."""
    card = model_card(model)
    return bool(card["game"] == game.name) and make(card["game"], **card["rules"]) == game
