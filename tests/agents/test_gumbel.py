"""Batched Gumbel search in the core: as its paper defines it, the same for every number of threads, exact where results
are certain."""

import hashlib
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import spielwerk as sw
from spielwerk import _core
from tests.agents.naive_gumbel import GumbelSearch, considered_visits, softmax

TWO_SIDED = [
    ("pferdeaepfel/classic", {"size": 5}),
    ("pferdeaepfel/trail", {"size": 5}),
    ("diavolo/standard", {"side": 4}),
]


def noise_of(planes: NDArray[Any], count: int) -> NDArray[np.float32]:
    """Numbers from -1 to 1 that follow from a position's planes."""
    digest = hashlib.sha256(planes.tobytes()).digest()
    source = np.random.default_rng(list(digest))
    return source.uniform(-1, 1, count).astype(np.float32)


def answers(game: sw.Game, planes: NDArray[Any], values: int = 1) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """A network that was never trained: logits and values of positions."""
    drawn = np.stack([noise_of(position, game.num_actions + values) for position in planes])
    return np.ascontiguousarray(2 * drawn[:, values:]), np.ascontiguousarray(drawn[:, :values])


def stepped(games: _core.SelfPlay, steps: int, values: int = 1) -> None:
    for _ in range(steps):
        games.step(*answers(games.game, games.observation, values))


def network(state: sw.State) -> tuple[dict[int, float], list[float]]:
    assert state.player is not None
    logits, value = answers(state.game, state.observation(state.player)[None])
    of_mover = float(value[0, 0])
    seats = [of_mover if seat == state.player else -of_mover for seat in range(2)]
    return {action: float(logits[0, action]) for action in state.legal_actions}, seats


# -- the definition --------------------------------------------------------------------------------


def test_sequential_halving_gives_each_phase_the_same_number_of_simulations() -> None:
    """m = 8, n = 48: three phases of 16 simulations; 8 actions twice, 4 actions four times, 2 actions eight times."""
    order = considered_visits(8, 48)
    assert order == [0] * 8 + [1] * 8 + [v for v in range(2, 6) for _ in range(4)] + [
        v for v in range(6, 14) for _ in range(2)
    ]


def single(game: sw.Game, simulations: int, seed: int = 0, **options: Any) -> _core.SelfPlay:
    """One game whose searches are all full."""
    options = {"full_share": 1.0, "opening": 0, "fast_simulations": 1, **options}
    games = _core.SelfPlay(game, 1, simulations=simulations, **options)
    games.reset(seed)
    return games


@pytest.mark.parametrize("simulations", [1, 2, 7, 16, 33, 64])
def test_visits_at_the_root_are_those_of_sequential_halving(simulations: int) -> None:
    game = sw.make("pferdeaepfel/classic")
    games = single(game, simulations, considered=8)
    stepped(games, 1 + simulations - 1)  # the root, then all simulations but the last: the search is still there
    root = games.root(0)
    assert root.simulations == simulations - 1
    wanted = Counter(considered_visits(min(8, len(root.actions)), simulations)[:-1])
    for visits, count in wanted.items():
        assert sum(seen > visits for seen in root.visits) == count


@pytest.mark.parametrize(("name", "rules"), TWO_SIDED)
@pytest.mark.parametrize("simulations", [4, 24])
def test_searches_are_those_of_the_plain_reference(name: str, rules: dict[str, Any], simulations: int) -> None:
    """Visits, mean values, improved policy and choice; nothing is proved here, which the reference could not."""
    game = sw.make(name, **rules)
    games = single(game, simulations, considered=8)
    reference = GumbelSearch(network, simulations, considered=8)
    state = games.state(0)
    stepped(games, 1)
    noise = dict(zip(games.root(0).actions, games.root(0).noise, strict=True))
    stepped(games, simulations - 1)  # the last simulation will end the search
    root, expected = games.root(0), reference.search(state, noise, simulations - 1)
    assert dict(zip(root.actions, root.visits, strict=True)) == expected.visits
    policy = reference.improved_policy(expected)
    for action, visits, mean, share in zip(root.actions, root.visits, root.means, root.policy, strict=True):
        assert share == pytest.approx(policy[action], abs=1e-4)
        assert not visits or mean == pytest.approx(expected.q(action), abs=1e-5)
    assert root.chosen == reference.chosen(expected, noise)

    symmetry = games.memory(0)[3]
    stepped(games, 1)
    expected = reference.search(state, noise, simulations)
    rows = games.take_rows()
    assert rows["place"].tolist() == [[0, 0, 0, state.player]]
    for action, share in reference.improved_policy(expected).items():
        assert rows["policy"][0, state.symmetric_action(action, symmetry)] == pytest.approx(share, abs=1e-4)
    state.play(reference.chosen(expected, noise))
    while not state.over and len(state.legal_actions) == 1:
        state.play(state.legal_actions[0])
    assert games.state(0) == state


def test_noise_is_gumbel_distributed() -> None:
    """Mean γ and variance π²/6."""
    game = sw.make("pferdeaepfel/classic")
    games = _core.SelfPlay(game, 2000, full_share=1.0, opening=0)
    games.reset(1)
    stepped(games, 1)
    noise = np.concatenate([games.root(game_number).noise for game_number in range(2000)])
    assert noise.mean() == pytest.approx(0.5772, abs=4 * math.sqrt(math.pi**2 / 6 / len(noise)))
    assert noise.var() == pytest.approx(math.pi**2 / 6, rel=0.06)


def test_completed_values_of_untried_actions_are_the_mixed_value() -> None:
    """With one visit at q: v_mix = (v + q) / 2, and σ(q) = (c_visit + 1) · c_scale · q."""
    game = sw.make("pferdeaepfel/trail")
    games = single(game, 8, visit_offset=10, value_scale=0.5)
    stepped(games, 2)
    root = games.root(0)
    (tried,) = [edge for edge, visits in enumerate(root.visits) if visits]
    mixed = (root.value + root.means[tried]) / 2
    completed = [root.means[tried] if edge == tried else mixed for edge in range(len(root.actions))]
    expected = softmax({edge: root.logits[edge] + 11 * 0.5 * completed[edge] for edge in range(len(completed))})
    assert root.policy == pytest.approx(list(expected.values()), abs=1e-5)


# -- certain results ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "rules"), [("pferdeaepfel/trail", {"size": 4}), ("diavolo/standard", {"side": 3})])
def test_proofs_agree_with_the_solver(name: str, rules: dict[str, Any]) -> None:
    game = sw.make(name, **rules)
    games = _core.SelfPlay(game, 64, simulations=200, full_share=1.0, opening=6, play_out_share=0.5)
    games.reset(3)
    solver = _core.Solver(game)
    found: Counter[str] = Counter()
    for _ in range(100):
        before = [games.state(number) for number in range(64)]
        stepped(games, 1)
        rows = games.take_rows()
        for (number, _, _, seat), exact, policy in zip(rows["place"], rows["exact"], rows["policy"], strict=True):
            assert seat == before[number].player and policy.sum() == pytest.approx(1, abs=1e-4)
            if exact != 2:
                verdict = solver.solve(before[number], distance=False).verdict
                assert {"win": 1, "draw": 0, "loss": -1}[verdict] == exact
                found[verdict] += 1
    assert found["win"] >= 5 and found["loss"] >= 5


def test_only_winning_actions_are_taught_where_a_win_is_proved() -> None:
    game = sw.make("pferdeaepfel/trail", size=4)
    games = _core.SelfPlay(game, 64, simulations=200, full_share=1.0, opening=6, play_out_share=1.0)
    games.reset(3)
    solver = _core.Solver(game)
    checked = 0
    for _ in range(60):
        before = [(games.state(number), games.memory(number)[3]) for number in range(64)]
        stepped(games, 1)
        rows = games.take_rows()
        for (number, _, _, seat), exact, policy in zip(rows["place"], rows["exact"], rows["policy"], strict=True):
            state, symmetry = before[number]
            for action in state.legal_actions if exact == 1 else ():
                if policy[state.symmetric_action(action, symmetry)] > 0:
                    after = state.clone()
                    after.play(action)
                    assert after.winner == (seat,) or solver.solve(after, distance=False).winner == seat
                    checked += 1
    assert checked > 10


def test_games_that_are_proved_end_with_what_was_proved() -> None:
    game = sw.make("pferdeaepfel/trail", size=4)
    games = _core.SelfPlay(game, 32, simulations=200, full_share=1.0, play_out_share=0.0)
    games.reset(1)
    stepped(games, 300)
    ends, rows = games.take_ends(), games.take_rows()
    returns = {tuple(place[:2]): result for place, result in zip(ends["place"], ends["returns"], strict=True)}
    proved = [
        (tuple(place[:2]), place[3], exact)
        for place, exact in zip(rows["place"], rows["exact"], strict=True)
        if exact != 2
    ]
    assert len(proved) > 10
    assert not ends["played_out"][ends["place"][:, 2] > 0].all()
    for key, seat, exact in proved:
        assert returns[key][seat] == exact


# -- many games ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sw.games())
def test_every_game_is_played_and_the_threads_change_nothing(name: str) -> None:
    game = sw.make(name)
    seats = game.num_players if len(set(game.sides)) > 2 else 1
    count = 150  # enough for several threads to have something to do
    results: list[list[Any]] = []
    for threads in (1, 3):
        games = _core.SelfPlay(game, count, threads, simulations=8, fast_simulations=3, full_share=0.5)
        games.reset(5)
        stepped(games, 60, seats)
        rows, ends = games.take_rows(), games.take_ends()
        results.append([*rows.values(), *ends.values(), games.observation.copy()])
        results[-1].append([games.state(number).to_text() for number in range(count)])
    for first, second in zip(*results, strict=True):
        assert np.array_equal(first, second)
    policy, mask = results[0][2], results[0][1]
    assert len(policy) and np.allclose(policy.sum(1), 1, atol=1e-3) and not (policy[mask == 0] > 0).any()


def test_equal_seeds_play_equal_games_and_others_do_not() -> None:
    game = sw.make("ludo/ffa")

    def played(seed: int) -> list[str]:
        games = _core.SelfPlay(game, 4, simulations=6, fast_simulations=3)
        games.reset(seed)
        stepped(games, 40, 4)
        return [games.state(number).to_text() for number in range(4)]

    assert played(3) == played(3) != played(4)


def test_games_go_on_from_positions_that_were_written_down() -> None:
    game = sw.make("ludo/teams")
    games = _core.SelfPlay(game, 5, simulations=6, fast_simulations=3)
    games.reset(2)
    stepped(games, 50)
    twin = _core.SelfPlay(game, 5, simulations=6, fast_simulations=3)
    for number in range(5):
        state = games.state(number)
        twin.place(number, game.from_text(state.to_text(), seed=state.stream), *games.memory(number))
    for each in (games, twin):
        each.restart()
        each.take_rows(), each.take_ends()
        stepped(each, 60)
    assert np.array_equal(games.observation, twin.observation)
    first, second = games.take_rows(), twin.take_rows()
    assert all(np.array_equal(first[key], second[key]) for key in first)


def test_rows_show_a_symmetric_position_with_its_policy() -> None:
    game = sw.make("pferdeaepfel/trail", size=5)
    games = single(game, 4, seed=9)
    for _ in range(40):
        before, symmetry = games.state(0), games.memory(0)[3]
        stepped(games, 1)
        rows = games.take_rows()
        if len(rows["place"]) == 1:
            image = before.symmetric(symmetry)
            assert before.player is not None
            assert np.array_equal(rows["observation"][0], image.observation(before.player))
            assert np.array_equal(rows["mask"][0], image.mask)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"games": 0}, "games must be from 1"),
        ({"simulations": 0}, "simulations must be from 1"),
        ({"full_share": 1.5}, "full_share must be from 0 to 1"),
        ({"full_share": float("nan")}, "full_share must be from 0 to 1"),
        ({"value_scale": -1.0}, "must not be negative"),
        ({"opening": -1}, "opening must be from 0"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _core.SelfPlay(sw.make("pferdeaepfel/trail"), **{"games": 2, **options})


def test_answers_of_the_wrong_shape_are_refused() -> None:
    games = _core.SelfPlay(sw.make("ludo/ffa"), 3)
    logits, values = np.zeros((3, 5), np.float32), np.zeros((3, 4), np.float32)
    with pytest.raises(ValueError, match="reset"):
        games.step(logits, values)
    games.reset(0)
    games.step(logits, values)
    for wrong in (np.zeros((2, 5), np.float32), np.zeros((3, 6), np.float32), np.zeros(3, np.float32)):
        with pytest.raises(ValueError, match="logits must have the shape"):
            games.step(wrong, values)
    with pytest.raises(ValueError, match="values must have the shape"):
        games.step(logits, np.zeros((3, 3), np.float32))
    with pytest.raises(ValueError, match="ludo/ffa has 4 sides"):
        games.step(logits, np.zeros(3, np.float32))
    wild = np.full((3, 5), np.nan, np.float32)
    for _ in range(50):  # numbers that are none do no harm
        games.step(wild, np.full((3, 4), np.inf, np.float32))
