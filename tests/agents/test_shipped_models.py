"""The networks in the package: optional, small, with a card that says where they come from."""

import hashlib
import random
from typing import Any

import pytest

import spielwerk as sw
from spielwerk.agents import afterstates
from spielwerk.agents.afterstates import afterstates_path, load_afterstates, shipped_families
from spielwerk.agents.evaluation import SUFFIX, evaluation_path, load_evaluation, shipped_evaluations
from spielwerk.agents.network import SHIPPED, model_card, shipped_models
from spielwerk.training.td import variants_of

MEGABYTE = 1_000_000


def test_a_game_has_a_network_for_all_of_its_rulesets_or_none_and_all_are_small() -> None:
    games = {name.partition("/")[0] for name in shipped_models()}
    assert shipped_models() == [name for name in sw.games() if name.partition("/")[0] in games]
    patterns = ("*/*.onnx", f"*/*{SUFFIX}", f"*{afterstates.SUFFIX}")
    sizes = [path.stat().st_size for pattern in patterns for path in SHIPPED.glob(pattern)]
    assert max(sizes) <= 2 * MEGABYTE
    assert sum(sizes) <= 16 * MEGABYTE


@pytest.mark.parametrize("name", shipped_models())
def test_a_card_tells_how_the_network_was_made_and_how_strong_it_is(name: str) -> None:
    card = model_card(name)
    game = sw.make(name)
    assert (card["game"], card["rules"], card["rules_version"]) == (name, game.rules, game.rules_version)
    assert name in card["command"] and card["steps"] > 0 and card["seconds"] > 0
    assert isinstance(card["seed"], int)
    assert card["command"].startswith(f"spielwerk train {card['method']} {name} --")
    for one in card.get("mean_of", []):
        assert one["command"].startswith(f"spielwerk train {card['method']} {name} --") and len(one["sha256"]) == 64
    assert card["sha256"] == hashlib.sha256((SHIPPED / f"{name}.onnx").read_bytes()).hexdigest()
    for anchor in ("random", "greedy"):
        scores = card["figures"][anchor]
        assert len(scores) == game.num_players
        assert all(score["interval"][0] <= score["rate"] <= score["interval"][1] for score in scores)
    assert card["measured"]["random"]["games"] >= 100


@pytest.mark.parametrize("name", shipped_models())
def test_a_shipped_network_plays_a_game_to_its_end(name: str) -> None:
    state = sw.make(name).start(seed=1)
    network, source = sw.agent(f"network:{name}"), random.Random(1)
    seat = state.player
    while not state.over:
        own = state.player == seat
        state.play(network.act(state) if own else source.choice(state.legal_actions))
    assert state.returns


def test_the_network_of_trail_beats_random_as_black() -> None:
    game, network, source = sw.make("pferdeaepfel/trail"), sw.agent("network:pferdeaepfel/trail"), random.Random(2)
    wins = 0
    for _ in range(20):
        state = game.start()
        while not state.over:
            state.play(network.act(state) if state.player == 1 else source.choice(state.legal_actions))
        wins += state.winner == (1,)
    assert wins >= 18


@pytest.mark.parametrize("name", shipped_evaluations())
def test_a_shipped_evaluation_network_says_how_it_was_made_and_what_it_is_worth(name: str) -> None:
    game = sw.make(name)
    card = load_evaluation(evaluation_path("shipped", game)).card
    assert (card["game"], card["rules"], card["rules_version"]) == (name, game.rules, game.rules_version)
    assert all(command.startswith(f"spielwerk train-nnue {name} --positions") for command in card["commands"])
    score = card["measured"]["alphabeta:ms=100"]
    assert score["games"] >= 100 and score["interval"][0] > 0.5


def test_the_card_of_an_evaluation_network_that_its_commands_no_longer_make_says_where_they_did() -> None:
    card = load_evaluation(evaluation_path("shipped", sw.make("pferdeaepfel/classic"))).card
    assert card["made_at"].startswith("commit f357f68 by these commands")
    assert card["config"]["heuristic"] == 2


@pytest.mark.parametrize("name", shipped_evaluations())
def test_alpha_beta_plays_a_game_to_its_end_with_the_shipped_evaluation_network(name: str) -> None:
    state = sw.make(name).start(seed=1)
    first, second = (sw.agent(spec) for spec in ("alphabeta:nodes=300,model=shipped", "greedy:seed=1"))
    while not state.over:
        state.play((first if state.player == 0 else second).act(state))
    assert state.returns


def test_the_evaluation_network_of_diavolo_says_on_which_boards_it_was_measured() -> None:
    card = load_evaluation(evaluation_path("shipped", sw.make("diavolo/standard"))).card
    assert card["mix"] == "side=5,6,7,8,9,10,11,12"
    assert card["also_on"] == "side=13,14,15,16,17,18,19,20"
    for side in (5, 6, 7, 9, 10, 11, 12, 16, 20):
        score = card["measured"][f"alphabeta:ms=30, side={side}"]
        assert score["interval"][0] > 0.5


@pytest.mark.parametrize("side", [3, 8, 9, 12, 20, 30])
def test_the_evaluation_network_of_diavolo_plays_every_side(side: int) -> None:
    state = sw.make("diavolo/standard", side=side).start()
    state.play(sw.agent("alphabeta:nodes=200,model=shipped").act(state))


@pytest.mark.parametrize("family", shipped_families())
def test_a_shipped_network_of_afterstates_says_how_it_was_made_and_what_it_is_worth(family: str) -> None:
    card = load_afterstates(afterstates_path("shipped", family)).card
    assert card["family"] == family and card["seconds"] > 0
    assert card["command"].startswith(f"spielwerk train-td {family} --games {card['config']['games']} ")
    assert f"--seed {card['config']['seed']} " in card["command"]
    learnt = [(game.name, game.rules, game.rules_version) for game in variants_of(family)]
    assert [(one["game"], one["rules"], one["rules_version"]) for one in card["variants"]] == learnt
    for variant in card["variants"]:
        score = variant["measured"]["expectimax:depth=3"]
        equals = 1 / len(set(sw.make(variant["game"], **variant["rules"]).sides))
        assert score["games"] >= 1000 and score["interval"][0] > equals and "expectimax:depth=3" in score["command"]


AFTERSTATE_RULES: list[tuple[str, dict[str, Any]]] = [
    ("ludo/ffa", {}),
    ("ludo/ffa", {"players": 2, "exact_finish": True}),
    ("ludo/ffa", {"players": 3, "ranking": True}),
    ("ludo/ffa", {"colours": "yellow,red", "again_on_six": False, "again_on_capture": False}),
    ("ludo/ffa", {"ranking": True, "exact_finish": True, "again_on_six": False}),
    ("ludo/ffa", {"max_plies": 50}),
    ("ludo/teams", {}),
    ("ludo/teams", {"exact_finish": True, "again_on_six": False, "again_on_capture": False}),
]


@pytest.mark.parametrize(("name", "rules"), AFTERSTATE_RULES)
def test_expectimax_plays_a_game_to_its_end_with_the_shipped_network_of_afterstates(
    name: str, rules: dict[str, Any]
) -> None:
    """By all seats, under every switch of the rules."""
    state, agent = sw.make(name, **rules).start(seed=1), sw.agent("expectimax:depth=1,model=shipped,seed=1")
    while not state.over:
        analysis = agent.analyse(state)
        assert all(-1 <= line.value <= 1 for line in analysis.lines)
        state.play(state.parse(analysis.lines[0].actions[0]))
    assert state.returns


def test_where_no_network_of_afterstates_is_shipped_the_error_names_those_that_are() -> None:
    with pytest.raises(ValueError, match=r"pferdeaepfel\.td\.safetensors.*; shipped are: ludo"):
        sw.agent("expectimax:model=shipped").act(sw.make("pferdeaepfel/trail").start())
