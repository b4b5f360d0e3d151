"""Evaluation networks: the core sums up what the rule for features says, and refuses what does not fit."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import spielwerk as sw
from spielwerk import _core
from spielwerk.agents.evaluation import (
    CEILING,
    HALVES,
    HIDDEN,
    ONE,
    SECOND,
    SURE,
    Evaluation,
    evaluation_path,
    load_evaluation,
    shipped_evaluations,
)
from spielwerk.agents.regions import REACH, REGIONS, regions_of
from spielwerk.cli import main
from tests.games.naive_diavolo import COLOURS, Edge, Group, NaiveDiavolo, corners, groups, neighbours, set_up

UNIT = 10_000
BOARDS: list[tuple[str, dict[str, Any], list[int]]] = [
    ("pferdeaepfel/trail", {}, [0, 1]),
    ("pferdeaepfel/classic", {"size": 5}, [0, 1]),
    ("pferdeaepfel/carry", {"starter": "white"}, [1]),
    ("diavolo/standard", {"side": 5}, []),
    ("diavolo/standard", {"side": 9}, []),
]


def features_of(planes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The features of a position from seat 0's planes ``[planes, height, width]``: cells of planes, counted on.

    A plane that is the same everywhere is a single feature by its value, and one without a cell that is 0 counts as all
    1, as cpp/search/nnue.hpp says.
    """
    flat = planes.reshape(len(planes), -1)
    cells = flat.shape[1]
    uniform = (flat == flat[:, :1]).all(1)
    full = (flat != 0).all(1)
    found = [np.flatnonzero((flat != 0) & ~full[:, None])]
    for plane in np.flatnonzero(full):
        value = int(flat[plane, 0]) if uniform[plane] else 1
        found.append(np.array([plane * cells + min(value, cells) - 1]))
    return np.sort(np.concatenate(found))


Square = tuple[int, int]
TOLD_AT_MOST = [27, 9, 6, 3, 5, 9, 32, 21, 9, 8]  # of DiavoloPP's counts, both colours'; then by how much they differ
JUMPS = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]


def jumps(squares: set[Square], size: int) -> set[Square]:
    """The squares a knight's jump away from any of these."""
    reached = {(row + down, column + right) for row, column in squares for down, right in JUMPS}
    return {(row, column) for row, column in reached if 0 <= row < size and 0 <= column < size}


def insights(state: sw.State) -> list[int]:
    """What a game adds for evaluation networks, from the position's text."""
    return (diavolo_insights if state.game.name.startswith("diavolo/") else pferdeaepfel_insights)(state)


def diavolo_insights(state: sw.State) -> list[int]:
    naive = set_up(int(state.game.rules["side"]), state.to_text())
    colours = sorted(COLOURS, key=naive.seat_of.__getitem__)
    counts = np.array([holdings(naive, colour) for colour in colours])
    beyond = np.maximum(0, counts.max(0) - TOLD_AT_MOST)
    return np.maximum(0, counts - beyond).reshape(-1).tolist()  # type: ignore[no-any-return]


def holdings(naive: NaiveDiavolo, colour: str) -> list[int]:
    naive.colour = colour
    fitting, components = naive.lands_that_fit(), naive.components(colour)
    growing = [
        sum(
            len(group) == size and any(field in fitting for land in group for field in neighbours(land, naive.side))
            for group in groups(naive.lands_of(colour), naive.side)
        )
        for size in (3, 2, 1)
    ]

    def islands(component: set[Group]) -> int:
        return sum(len(group) == 4 for group in component)

    def worth(number: int) -> int:
        return sum(range(number + 1))

    def gain(edge: Edge) -> int:
        joined = [islands(component) for component in components if any(corners(group) & edge for group in component)]
        return worth(sum(joined)) - sum(worth(number) for number in joined)

    gains = [gain(edge) for edge in naive.possible_bridges()]
    most = max((islands(component) for component in components), default=0)
    have = [naive.score(colour), len(naive.islands(colour)), most]
    return [*have, *growing, -(-len(fitting) // 4), len(gains), sum(g > 0 for g in gains), max(gains, default=0)]


def pferdeaepfel_insights(state: sw.State) -> list[int]:
    board, colour, *more = state.to_text().split()
    size, horses, free = int(state.game.rules["size"]), {}, set()
    for row, rank in enumerate(board.split("/")):
        column = 0
        for glyph in rank:
            gap = int(glyph) if glyph.isdigit() else 1
            free |= {(row, column + i) for i in range(gap)} if glyph.isdigit() else set()
            if glyph in "WBwb":
                horses[glyph.upper()] = {(row, column)}
            column += gap
    after_jump = bool(more) and more[0] == "place" and not state.game.name.endswith("place-first")
    white_is_next = (colour == "w") != after_jump
    hunted = jumps(horses["B"], size)
    white = [jumps(horses["W"], size) & free]
    black = [hunted & free]
    for reach in (white, black):
        for _ in range(2):
            reach.append(jumps(reach[-1], size) & free)
    safe = white[0] - (hunted if white_is_next else jumps(black[0], size))
    white_near, black_near = white[0] | white[1], black[0] | black[1]
    counted = [safe, jumps(safe, size) & free, white[0] & hunted, white[1] - hunted, *white, *black]
    return [len(squares) for squares in (*counted, white_near - black_near, black_near - white_near)]


def planes_of(state: sw.State, with_insights: bool) -> NDArray[np.uint8]:
    seen = state.observation(0)
    added = [np.full(seen.shape[1:], count, np.uint8) for count in insights(state)] if with_insights else []
    return np.concatenate([seen, np.stack(added)]) if added else seen


def random_network(game: sw.Game, anchors: list[int], seed: int = 0, with_insights: bool = False) -> Evaluation:
    draw = np.random.default_rng(seed)
    planes, height, width = game.observation_shape
    planes = _core.evaluation_planes(game) if with_insights else planes
    cells = height * width
    rows = planes * cells
    places, halves = (cells if anchors else 1), max(1, len(anchors))
    parts: dict[str, NDArray[Any]] = {
        "anchors": np.array(anchors, np.int32),
        "rows_of": np.arange(rows),
        "table": draw.integers(-20, 21, halves * places * rows * HIDDEN),
        "first_bias": draw.integers(0, 40, HALVES * HIDDEN),
        "second": draw.integers(-30, 31, SECOND * HALVES * HIDDEN),
        "second_bias": draw.integers(-900, 900, SECOND),
        "last": draw.integers(-60, 61, SECOND),
        "scalars": np.array([rows, 77, 60]),
    }
    return Evaluation(parts, {"game": game.name, "rules": game.rules})


def network_of_any_size(planes: int) -> Evaluation:
    """One whose rows belong to planes and regions."""
    draw = np.random.default_rng(6)
    network = random_network(sw.make("diavolo/standard", side=5), [])
    rows = planes * REGIONS
    network.parts["rows_of"] = draw.permutation(rows)
    network.parts["table"] = draw.integers(-5, 6, rows * HIDDEN)
    network.parts["scalars"][0] = rows
    return Evaluation(network.parts, network.card | {"mix": "side=5,6"})


def expected(game: sw.Game, network: Evaluation, state: sw.State) -> int:
    """The logit for seat 0, slowly and from nothing, in ten-thousandths of a sure one."""
    observed, height, width = game.observation_shape
    parts = network.parts
    found = features_of(planes_of(state, parts["rows_of"].size > observed * height * width))
    cells, rows = height * width, int(parts["scalars"][0])
    anchors = parts["anchors"].tolist()
    places = cells if anchors else 1
    table = parts["table"].reshape(-1, places, rows, HIDDEN)
    hidden = np.zeros(HALVES * HIDDEN, np.int64)
    for half in range(len(table)):
        hidden[half * HIDDEN : (half + 1) * HIDDEN] = parts["first_bias"][half * HIDDEN : (half + 1) * HIDDEN]
        own = found[found // cells == anchors[half]] % cells if anchors else [0]
        hidden[half * HIDDEN : (half + 1) * HIDDEN] += table[half, own[0]][parts["rows_of"][found]].sum(0)
    hidden = hidden.clip(0, CEILING)
    second = parts["second"].reshape(SECOND, -1) @ hidden + parts["second_bias"]
    second = np.trunc(second / ONE).astype(np.int64).clip(0, CEILING)
    result = int(parts["last"] @ second) + int(parts["scalars"][1])
    heuristic = int(np.floor((UNIT - 1) * abs(state.evaluate(0)) + 0.5)) * (1 if state.evaluate(0) > 0 else -1)
    logit = int(result * UNIT / ONE**2) + int(heuristic * int(parts["scalars"][2]) / ONE)
    return max(1 - UNIT, min(UNIT - 1, int(logit / SURE)))


def logit_of(value: float) -> int:
    """What stands behind the value of a line."""
    return round(float(np.arctanh(value)) * UNIT / SURE)


def saved(folder: Path, network: Evaluation) -> Path:
    path = folder / "net.safetensors"
    path.write_bytes(network.to_bytes())
    return path


@pytest.mark.parametrize("with_insights", [True, False], ids=["insights", "observation"])
@pytest.mark.parametrize(("name", "rules", "anchors"), BOARDS)
def test_the_search_sees_what_the_rule_for_features_says(
    name: str, rules: dict[str, Any], anchors: list[int], with_insights: bool, tmp_path: Path
) -> None:
    game = sw.make(name, **rules)
    network = random_network(game, anchors, with_insights=with_insights)
    agent = sw.agent(f"alphabeta:depth=1,model={saved(tmp_path, network)}")
    state, compared = game.start(seed=1), 0
    player = sw.agent("random:seed=5")
    while not state.over and compared < 25:
        best = agent.analyse(state).lines[0]
        after = state.clone()
        after.play(best.actions[0])
        if not after.over and after.settled is None:
            sign = 1 if state.player == 0 else -1
            assert logit_of(best.value) == sign * expected(game, network, after)
            compared += 1
        state.play(player.act(state))
    assert compared > 5


@pytest.mark.parametrize(("name", "rules", "anchors"), BOARDS)
def test_positions_far_below_the_root_are_summed_up_right(
    name: str, rules: dict[str, Any], anchors: list[int], tmp_path: Path
) -> None:
    """The value of a line is that of its last position, however it was reached."""
    game = sw.make(name, **rules)
    network = random_network(game, anchors, seed=3, with_insights=True)
    path = saved(tmp_path, network)
    for depth in (2, 3):
        best = sw.agent(f"alphabeta:depth={depth},seed=1,model={path}").analyse(game.start(seed=1)).lines[0]
        state = game.start(seed=1)
        for action in best.actions:
            state.play(action)
        if len(best.actions) == depth and not state.over:
            assert logit_of(best.value) == expected(game, network, state)


@pytest.mark.parametrize("with_insights", [True, False], ids=["insights", "observation"])
@pytest.mark.parametrize(("side", "played"), [(3, 0), (5, 0), (8, 0), (12, 0), (12, 80), (20, 0), (20, 250)])
def test_a_network_of_any_size_sees_planes_and_regions(
    side: int, played: int, with_insights: bool, tmp_path: Path
) -> None:
    game = sw.make("diavolo/standard", side=side)
    network = network_of_any_size(_core.evaluation_planes(game) if with_insights else game.observation_shape[0])
    agent = sw.agent(f"alphabeta:depth=1,model={saved(tmp_path, network)}")
    state, player, compared = game.start(seed=1), sw.agent("random:seed=5"), 0
    for _ in range(played):
        state.play(player.act(state))
    while not state.over and compared < 12:
        best = agent.analyse(state).lines[0]
        after = state.clone()
        after.play(best.actions[0])
        if not after.over:
            assert logit_of(best.value) == (1 if state.player == 0 else -1) * expected(game, network.on(game), after)
            compared += 1
        state.play(player.act(state))
    assert compared > 2


def with_even_weights(network: Evaluation, weight: int, bias: int) -> Evaluation:
    """Every feature counts the same, so that the largest sum is the same everywhere."""
    network.parts["table"] = np.full_like(network.parts["table"], weight)
    network.parts["first_bias"] = np.full(HALVES * HIDDEN, bias)
    return network


def is_taken(network: Evaluation, game: sw.Game) -> bool:
    try:
        _core.alphabeta(game, megabytes=1, network=network.on(game).network())
    except ValueError as refused:
        assert "might need more than 16 bits" in str(refused)
        return False
    return True


@pytest.mark.parametrize("sign", [1, -1])
def test_sums_fit_into_16_bits_or_the_network_is_refused(sign: int) -> None:
    game = sw.make("diavolo/standard", side=5)
    network, limits = random_network(game, []), np.iinfo(np.int16)
    limit = limits.max if sign > 0 else limits.min
    weight = sign * 33
    bias = limit - weight * network.parts["rows_of"].size
    assert is_taken(with_even_weights(network, weight, bias), game)
    assert not is_taken(with_even_weights(network, weight, bias + sign), game)


def test_sums_must_fit_wherever_an_anchor_stands() -> None:
    game = sw.make("pferdeaepfel/trail")
    network = with_even_weights(random_network(game, [0, 1]), 0, 0)
    network.parts["table"].reshape(HALVES, 64, -1)[1, 63] = 127
    network.parts["first_bias"][HIDDEN:] = np.iinfo(np.int16).max - 127 * network.parts["rows_of"].size
    assert is_taken(network, game)
    network.parts["first_bias"][-1] += 1
    assert not is_taken(network, game)


@pytest.mark.parametrize("side", [12, 30])
def test_sums_that_need_more_than_16_bits_are_right_on_large_boards(side: int, tmp_path: Path) -> None:
    game = sw.make("diavolo/standard", side=side)
    network = with_even_weights(network_of_any_size(game.observation_shape[0]), -120, 40)
    network.parts["table"][::2] = 120
    agent = sw.agent(f"alphabeta:depth=1,model={saved(tmp_path, network)}")
    state = game.start(seed=1)
    best = agent.analyse(state).lines[0]
    state.play(best.actions[0])
    found = features_of(planes_of(state, with_insights=False))
    assert 120 * len(found) > np.iinfo(np.int16).max
    assert logit_of(best.value) == expected(game, network.on(game), state)


@pytest.mark.parametrize("name", shipped_evaluations())
def test_sums_of_shipped_networks_fit(name: str) -> None:
    assert is_taken(load_evaluation(evaluation_path("shipped", sw.make(name))), sw.make(name))


def test_regions_are_told_by_their_distances_from_the_border() -> None:
    """On a triangle of points (column, row) there are three borders; what lies deeper than REACH is one region."""
    for side in (3, 6, 9, 14):
        game = sw.make("diavolo/standard", side=side)
        regions = regions_of(game).reshape(side + 1, side + 1)
        told: dict[tuple[int, ...], int] = {}
        for row in range(side + 1):
            for column in range(side + 1 - row):
                distances = tuple(min(REACH, far) for far in (row, column, side - row - column))
                assert told.setdefault(distances, int(regions[row, column])) == regions[row, column]
        assert len(set(told.values())) == len(told), "regions differ where distances do"
        assert told[0, 0, REACH] == regions_of(sw.make("diavolo/standard")).item(0), "a corner is one on every board"


def test_regions_of_a_square_are_told_by_four_borders() -> None:
    regions = regions_of(sw.make("pferdeaepfel/trail", size=8)).reshape(8, 8)
    assert len(np.unique(regions)) == (2 * REACH + 1) ** 2 and len(np.unique(regions[3:5, 3:5])) == 1
    assert regions.max() < REGIONS


@pytest.mark.parametrize("name", ["classic", "original", "free", "free-place-first", "carry", "trail"])
def test_lessons_hold_the_features_of_positions_that_games_reach(name: str) -> None:
    """Whatever symmetry a position is seen under, its insights are the same."""
    game = sw.make(f"pferdeaepfel/{name}")
    lessons = _core.lessons(game, games=3, seed=4, first_game=0, nodes=50, opening=3, errs=0.2)
    observed, height, width = game.observation_shape
    cells = height * width
    assert len(lessons["ends"]) == len(lessons["scores"]) == len(lessons["results"]) == len(lessons["heuristics"]) > 20
    for begin, end in zip([0, *lessons["ends"][:-1]], lessons["ends"], strict=True):
        found = lessons["features"][begin:end]
        assert (np.diff(found) > 0).all() and found[-1] < _core.evaluation_planes(game) * cells
        horses = [found[found // cells == plane] for plane in (0, 1)]
        assert [len(one) for one in horses] == [1, 1]
        free_squares = cells - np.count_nonzero(found // cells == 2)
        told = found[found >= observed * cells]
        counts = dict(zip((told // cells - observed).tolist(), (told % cells + 1).tolist(), strict=True))
        assert all(count <= free_squares for count in counts.values())
        assert counts.get(4, 0) <= 8 and counts.get(7, 0) <= 8 and counts.get(0, 0) <= counts.get(4, 0)


def test_lessons_depend_on_seed_and_number_alone() -> None:
    game = sw.make("pferdeaepfel/classic", size=5)

    def lessons(first: int, games: int) -> dict[str, Any]:
        return _core.lessons(game, games=games, seed=9, first_game=first, nodes=60, opening=4, errs=0.1)

    whole, first, second = lessons(0, 2), lessons(0, 1), lessons(1, 1)
    for part in ("features", "heuristics", "scores", "results"):
        assert np.array_equal(whole[part], np.concatenate([first[part], second[part]]))


def test_lessons_are_refused_where_alphabeta_cannot_play() -> None:
    with pytest.raises(ValueError, match="two seats without dice"):
        _core.lessons(sw.make("ludo/ffa"), games=1, seed=0, first_game=0, nodes=10, opening=0, errs=0.0)
    with pytest.raises(ValueError, match="nodes must be at least 1"):
        _core.lessons(sw.make("pferdeaepfel/trail"), games=1, seed=0, first_game=0, nodes=0, opening=0, errs=0.0)


def test_a_file_holds_the_whole_network(tmp_path: Path) -> None:
    network = random_network(sw.make("pferdeaepfel/trail"), [0, 1])
    again = Evaluation.from_bytes(saved(tmp_path, network).read_bytes(), "file")
    assert again.card == network.card
    for name, part in network.parts.items():
        assert np.array_equal(again.parts[name], part)
    assert sw.agent(f"alphabeta:nodes=200,model={tmp_path / 'net.safetensors'}").act(
        sw.make("pferdeaepfel/trail").start()
    )


def test_safetensors_can_read_it(tmp_path: Path) -> None:
    numpy = pytest.importorskip("safetensors.numpy")
    network = random_network(sw.make("pferdeaepfel/trail"), [0, 1])
    tensors = numpy.load_file(str(saved(tmp_path, network)))
    assert set(tensors) == set(network.parts)


@pytest.mark.parametrize("data", [b"", b"\xff" * 40, b"\x02\0\0\0\0\0\0\0{}", b"\x08\0\0\0\0\0\0\0[1,2,3,4]"])
def test_other_files_are_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    path.write_bytes(data)
    with pytest.raises(ValueError, match="is no evaluation network"):
        sw.agent(f"alphabeta:model={path}").act(sw.make("pferdeaepfel/trail").start())


def test_networks_of_other_games_and_sizes_are_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, random_network(sw.make("pferdeaepfel/trail"), [0, 1]))
    for other in (sw.make("pferdeaepfel/free"), sw.make("pferdeaepfel/trail", size=5)):
        with pytest.raises(ValueError, match="is for"):
            sw.agent(f"alphabeta:model={path}").act(other.start())
    with pytest.raises(ValueError, match="there is no evaluation network"):
        sw.agent("alphabeta:model=no-such-file").act(sw.make("pferdeaepfel/trail").start())


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("table", np.zeros(7, np.int8)),
        ("rows_of", np.full(4 * 64, 9999, np.int16)),
        ("anchors", np.array([99], np.int32)),
        ("anchors", np.array([0, 1, 2], np.int32)),
        ("second_bias", np.full(SECOND, 2**31 - 1, np.int32)),
        ("scalars", np.array([-5, 0, 0], np.int32)),
    ],
)
def test_weights_that_do_not_fit_are_refused(part: str, value: Any, tmp_path: Path) -> None:
    network = random_network(sw.make("pferdeaepfel/trail"), [0, 1])
    network.parts[part] = value
    path = saved(tmp_path, network)
    with pytest.raises(ValueError, match="evaluation network"):
        sw.agent(f"alphabeta:model={path}").act(sw.make("pferdeaepfel/trail").start())


def test_training_makes_a_network_that_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    out = tmp_path / "trail.nnue.safetensors"
    command = ["train-nnue", "pferdeaepfel/trail", "--rule", "size=5", "--positions", "300", "--nodes", "100"]
    assert main([*command, "--epochs", "2", "--workers", "1", "--seed", "3", "--json", "--out", str(out)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["positions"] == 300 and report["figures"]["network_error"] > 0
    first = out.read_bytes()
    assert main([*command, "--epochs", "2", "--workers", "1", "--seed", "3", "--json", "--out", str(out)]) == 0
    assert out.read_bytes() == first, "the same seed gives the same network"
    game = sw.make("pferdeaepfel/trail", size=5)
    network = Evaluation.from_bytes(first, "file")
    assert network.parts["anchors"].tolist() == [0, 1], "the horses"
    assert sw.agent(f"alphabeta:nodes=500,model={out}").act(game.start()) in game.start().legal_actions


def test_the_heuristic_counts_for_as_many_times_what_was_learnt_as_is_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    once, twice = (tmp_path / f"{name}.nnue.safetensors" for name in ("once", "twice"))
    command = ["train-nnue", "pferdeaepfel/trail", "--rule", "size=5", "--positions", "300", "--nodes", "100"]
    command += ["--epochs", "1", "--workers", "1", "--device", "cpu", "--seed", "3"]
    assert main([*command, "--out", str(once)]) == 0
    assert main([*command, "--out", str(twice), "--heuristic", "2"]) == 0
    learnt, doubled = Evaluation.read(once), Evaluation.read(twice)
    assert (learnt.card["config"]["heuristic"], doubled.card["config"]["heuristic"]) == (1, 2)
    assert doubled.with_heuristic(3).card["config"]["heuristic"] == 6, "by hand, too"
    assert doubled.weights == learnt.with_heuristic(2).weights != learnt.weights
    assert doubled.parts["scalars"][2] == 2 * learnt.parts["scalars"][2] > 0
    assert learnt.with_heuristic(1e300).parts["scalars"][2] == 32_000, "beyond all that a weight can be"
    assert main([*command, "--out", str(twice), "--heuristic", "0"]) == 2


def test_training_on_a_mix_makes_one_network_for_boards_of_any_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    out = tmp_path / "mix.nnue.safetensors"
    command = ["train-nnue", "diavolo/standard", "--positions", "400", "--nodes", "50", "--epochs", "2"]
    command += ["--workers", "1", "--device", "cpu", "--out", str(out)]
    assert main([*command, "--mix", "side=4,5", "--seed", "3"]) == 0
    network = Evaluation.read(out)
    assert network.card["mix"] == "side=4,5" and network.parts["anchors"].size == 0
    for side in (3, 4, 5, 7, 11):
        state = sw.make("diavolo/standard", side=side).start()
        assert sw.agent(f"alphabeta:nodes=200,model={out}").act(state) in state.legal_actions
    with pytest.raises(ValueError, match="is for"):
        sw.agent(f"alphabeta:model={out}").act(sw.make("pferdeaepfel/trail").start())
    assert main([*command, "--mix", "side=6,7", "--teacher", str(out)]) == 0, "it teaches on any board"
    capsys.readouterr()
    for mix, refusal in (("side=5", "several values"), ("height=5,6", "height"), ("side", "one rule and its values")):
        assert main([*command, "--mix", mix]) == 2
        assert refusal in capsys.readouterr().err


def test_a_network_of_any_size_with_other_planes_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, network_of_any_size(3))
    with pytest.raises(ValueError, match="other planes"):
        sw.agent(f"alphabeta:model={path}").act(sw.make("diavolo/standard").start())


def test_a_network_teaches_the_next_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    first, second, other = (tmp_path / f"{name}.nnue.safetensors" for name in ("first", "second", "other"))
    command = ["train-nnue", "pferdeaepfel/trail", "--rule", "size=5", "--positions", "600", "--nodes", "100"]
    command += ["--epochs", "6", "--workers", "1", "--device", "cpu"]
    assert main([*command, "--seed", "3", "--out", str(first)]) == 0
    assert main([*command, "--seed", "4", "--out", str(second), "--teacher", str(first)]) == 0
    assert main([*command, "--seed", "4", "--out", str(other)]) == 0
    assert Evaluation.read(second).card["config"]["teacher"] == str(first)
    taught, untaught = (Evaluation.read(file).parts["table"] for file in (second, other))
    assert taught.size != untaught.size or (taught != untaught).any(), "the teacher's games are others"
    capsys.readouterr()
    assert main([*command, "--out", str(other), "--teacher", "no-such-file"]) == 2
    assert "there is no evaluation network no-such-file" in capsys.readouterr().err


def test_training_refuses_what_alphabeta_cannot_play(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    assert main(["train-nnue", "ludo/ffa", "--out", str(tmp_path / "x")]) == 2
    assert "two seats without dice" in capsys.readouterr().err
    assert main(["train-nnue", "pferdeaepfel/trail", "--out", str(tmp_path / "no" / "x")]) == 2
    assert "there is no folder" in capsys.readouterr().err
