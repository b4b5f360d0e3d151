"""Networks of afterstates: judged by the rule for features, trained to the same weights everywhere, or refused."""

import json
import random
from collections import Counter
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spielwerk as sw
from spielwerk import _core
from spielwerk.agents.afterstates import HIDDEN, AfterstateModel
from spielwerk.cli import main
from spielwerk.training.td import GAMES_PER_LOOK, TdConfig, first_network, learning, train_afterstates, variants_of

PLACES, TRACK, HOME, FINISHED, YARD, COLOURS = 59, 52, 52, 57, 58, 4
LAST_BEFORE_HOME = 50
SAFE = {0, 8, 13, 21, 26, 34, 39, 47}
KINDS = {
    "place": 2 * PLACES, "double": TRACK, "plays": 1, "to roll": 1, "yard": 5, "finished": 5, "to go": 23,
    "danger": 2 * 8 * 3 * 3, "prey": 2 * 2 * 7,
}  # fmt: skip
FIRST_OF = dict(zip(KINDS, accumulate(KINDS.values(), initial=0), strict=False))
OF_COLOUR = sum(KINDS.values())
FEATURES = (COLOURS + 1) * OF_COLOUR + 3
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("ludo/ffa", {}),
    ("ludo/ffa", {"players": 2}),
    ("ludo/ffa", {"colours": "yellow,blue,red"}),
    ("ludo/ffa", {"players": 3, "ranking": True, "again_on_capture": False}),
    ("ludo/ffa", {"colours": "green,blue", "exact_finish": True, "again_on_six": False}),
    ("ludo/teams", {}),
    ("ludo/teams", {"exact_finish": True, "again_on_six": False}),
]


def random_model(seed: int = 0, family: str = "ludo") -> AfterstateModel:
    draw = np.random.default_rng(seed)
    parts = {
        "rows": draw.normal(0, 0.2, FEATURES * HIDDEN).astype(np.float32),
        "bias": draw.normal(0, 0.2, HIDDEN).astype(np.float32),
        "last": draw.normal(0, 0.2, HIDDEN).astype(np.float32),
        "scalars": np.array([0.1, 0.7], np.float32),
    }
    return AfterstateModel(parts, {"family": family})


def hits(state: sw.State) -> list[tuple[int, int, int]]:
    """Who could hit which piece (by its number in all) with which die, square by square."""
    facts = state.position
    pieces, teams = facts["pieces"], state.game.name == "ludo/teams"
    side = [seat % 2 if teams else seat for seat in range(len(facts["colours"]))]
    standing: dict[int, list[int]] = {}
    for number, place in enumerate(pieces):
        if 0 <= place < TRACK and place not in SAFE:
            standing.setdefault(place, []).append(number)
    found = []
    for number, place in enumerate(pieces):
        hunter = number // 4
        if not 0 <= place < TRACK:
            continue
        for die in range(1, 7):
            walked = (place - 13 * facts["colours"][hunter]) % TRACK
            if facts["captured"][hunter] and walked + die > LAST_BEFORE_HOME:
                break
            square = (place + die) % TRACK
            there = standing.get(square, [])
            if len(there) == 2:
                break
            found += [(hunter, victim, die) for victim in there if side[victim // 4] != side[hunter]]
    return found


def features(state: sw.State, seat: int) -> list[int]:
    """Slowly, from what the position tells to programs."""
    facts = state.position
    colours, teams = facts["colours"], state.game.name == "ludo/teams"
    threats, found = hits(state), []
    for other, colour in enumerate(colours):
        partner = teams and other != seat and other % 2 == seat % 2
        first = OF_COLOUR * (COLOURS if partner else (colour - colours[seat]) % COLOURS)
        captured, to_roll = facts["captured"][other], facts["to_move"] == other
        places = [YARD if piece == -1 else piece for piece in facts["pieces"][4 * other : 4 * other + 4]]

        def add(kind: str, number: int = 0, first: int = first) -> None:
            assert 0 <= number < KINDS[kind]
            found.append(first + FIRST_OF[kind] + number)

        def cell(place: int) -> int:
            return (place - 13 * colours[seat]) % TRACK if place < TRACK else place

        for number, place in enumerate(places):
            add("place", PLACES * captured + cell(place))
            by = [hunter == facts["to_move"] for hunter, victim, _ in threats if victim == 4 * other + number]
            if by:
                stage = (place - 13 * colour) % TRACK // 7
                add("danger", ((8 * captured + stage) * 3 + min(sum(by), 2)) * 3 + min(by.count(False), 2))
        for place, count in Counter(places).items():
            if place < TRACK and count >= 2:
                add("double", cell(place))
        add("plays")
        if to_roll:
            add("to roll")
        add("yard", places.count(YARD))
        add("finished", places.count(FINISHED))
        add("to go", sum(steps_to_go(colour, place) for place in places) // 10)
        add("prey", 7 * (2 * captured + to_roll) + len({die for hunter, _, die in threats if hunter == other}))
    return [*found, (COLOURS + 1) * OF_COLOUR + facts["sixes"][facts["to_move"]]]


def steps_to_go(colour: int, place: int) -> int:
    if place == YARD:
        return 57
    return FINISHED - place if place >= HOME else LAST_BEFORE_HOME + 6 - (place - 13 * colour) % TRACK


def expected(model: AfterstateModel, state: sw.State, seat: int) -> float:
    """The network's value for a seat, slowly."""
    if state.over:
        return float(state.returns[seat])
    rows = model.parts["rows"].reshape(FEATURES, HIDDEN).astype(float)
    hidden = rows[features(state, seat)].sum(0) + model.parts["bias"]
    last_bias, heuristic_weight = model.parts["scalars"].astype(float)
    total = hidden.clip(0) @ model.parts["last"].astype(float) + last_bias + heuristic_weight * state.evaluate(seat)
    return float(np.tanh(total))


@pytest.mark.parametrize(("name", "rules"), VARIANTS)
def test_positions_before_the_die_are_judged_by_their_features(name: str, rules: dict[str, Any]) -> None:
    game, model = sw.make(name, **rules), random_model()
    assert _core.afterstate_features(game) == FEATURES
    search = _core.expectimax(game, network=model.network())
    looked_at = 0
    for seed in range(3):
        state, draw = game.start(seed=seed, chance="explicit"), random.Random(seed)
        while not state.over and looked_at < 400 * (seed + 1):
            if state.player is not None and state.player != sw.CHANCE:
                for line in search.search(state, depth=1, seed=1).lines:
                    after = state.clone()
                    after.play(line.actions[0])
                    assert line.value == pytest.approx(expected(model, after, state.player), abs=2e-3)
                    looked_at += 1
            state.play(draw.choice(state.legal_actions))
    assert looked_at > 300


def test_one_network_learns_all_variants_and_the_same_everywhere() -> None:
    assert [(game.name, game.num_players) for game in variants_of("ludo")] == [
        ("ludo/ffa", 2), ("ludo/ffa", 3), ("ludo/ffa", 4), ("ludo/teams", 4),
    ]  # fmt: skip
    config = TdConfig(games=16, seed=5)
    one, other = train_afterstates("ludo", config), train_afterstates("ludo", config)
    assert all(np.array_equal(one.parts[name], other.parts[name]) for name in one.parts)
    assert not np.array_equal(one.parts["rows"], train_afterstates("ludo", TdConfig(games=16, seed=6)).parts["rows"])


def test_the_network_is_the_mean_of_what_it_was_in_its_last_games() -> None:
    config, variants = TdConfig(games=3 * GAMES_PER_LOOK, averaged=0.5), variants_of("ludo")
    network = first_network(FEATURES, config.seed)
    looks = [network.rows for done in learning(network, variants, config) if done in (400, 600)]
    assert np.array_equal(
        train_afterstates("ludo", config).parts["rows"], np.mean(looks, 0, np.float64).astype(np.float32)
    )


def test_learning_brings_the_network_nearer_to_results() -> None:
    """Of positions in games that it has not seen, without the heuristic's help."""
    parts = random_model().parts | {"scalars": np.zeros(2, np.float32), "last": np.zeros(HIDDEN, np.float32)}
    network = AfterstateModel(parts, {"family": "ludo"}).network()
    game = sw.make("ludo/ffa", players=2)
    before = _error(game, network)
    network.learn(game, games=1500, seed=1, first_game=0, td_lambda=0.3, learning_rate=0.005)
    assert _error(game, network) < 0.95 * before  # the dice decide most of it


def _error(game: sw.Game, network: _core.AfterstateNetwork) -> float:
    search, errors = _core.expectimax(game, network=network), []
    for seed in range(1000, 1020):
        state, agent, seen = game.start(seed=seed), sw.agent(f"greedy:seed={seed}"), []
        while not state.over:
            best = search.search(state, depth=1, seed=1).lines[0]
            seen.append((state.player or 0, best.value))
            state.play(agent.act(state))
        errors += [(state.returns[seat] - value) ** 2 for seat, value in seen]
    return float(np.mean(errors))


def test_a_file_keeps_the_network_and_agents_play_by_it(tmp_path: Path) -> None:
    file = tmp_path / "net.td.safetensors"
    model = random_model()
    file.write_bytes(model.to_bytes())
    again = AfterstateModel.from_bytes(file.read_bytes(), "it")
    assert again.card == model.card and all(np.array_equal(again.parts[n], model.parts[n]) for n in model.parts)
    state = sw.make("ludo/teams").start(seed=3)
    agent = sw.agent(f"expectimax:depth=2,model={file},seed=1")
    for _ in range(30):
        state.play(agent.act(state))


@pytest.mark.parametrize("name", ["rows", "bias", "last", "scalars"])
def test_weights_that_are_no_numbers_are_refused(tmp_path: Path, name: str) -> None:
    file = tmp_path / "net.td.safetensors"
    parts = random_model().parts
    parts[name][-1] = np.nan
    file.write_bytes(AfterstateModel(parts, {"family": "ludo"}).to_bytes())
    with pytest.raises(ValueError, match="no numbers"):
        sw.agent(f"expectimax:model={file}").act(sw.make("ludo/ffa").start(seed=0))


def test_what_is_no_network_or_another_games_is_refused(tmp_path: Path) -> None:
    file, state = tmp_path / "net.td.safetensors", sw.make("ludo/ffa").start(seed=0)
    for data, reason in (
        (b"", "is no network of afterstates"),
        (b"\xff" * 40, "is no network of afterstates"),
        (random_model(family="halma").to_bytes(), "is for halma, not ludo/ffa"),
        (AfterstateModel(random_model().parts | {"rows": np.zeros(8)}, {"family": "ludo"}).to_bytes(), "another game"),
    ):
        file.write_bytes(data)
        with pytest.raises(ValueError, match=reason):
            sw.agent(f"expectimax:model={file}").act(state)
    with pytest.raises(ValueError, match="there is no network"):
        sw.agent(f"expectimax:model={tmp_path / 'none'}").act(state)
    with pytest.raises(ValueError, match="has no features of afterstates"):
        _core.afterstate_features(sw.make("pferdeaepfel/trail"))
    for bad in ({"games": -1}, {"td_lambda": 2.0}, {"learning_rate": float("nan")}):
        given = {"games": 1, "seed": 0, "first_game": 0, "td_lambda": 0.5, "learning_rate": 0.1} | bad
        with pytest.raises(ValueError, match="must be from"):
            random_model().network().learn(sw.make("ludo/ffa"), **given)


def test_the_command_trains_and_refuses_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "net.td.safetensors"
    assert main(["train-td", "ludo", "--games", "8", "--out", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["config"]["games"] == 8
    assert main(["analyse", "ludo/ffa", "--seed", "1", "--agent", f"expectimax:model={file}"]) == 0
    capsys.readouterr()
    for words in (
        ["chess", "--out", str(file)],
        ["diavolo", "--out", str(file)],
        ["ludo", "--out", str(tmp_path / "no/x")],
    ):
        assert main(["train-td", *words]) == 2
        assert capsys.readouterr().err.count("\n") == 1
