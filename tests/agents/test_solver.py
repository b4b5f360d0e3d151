"""The solver: right where everything can be played out, right where results are known, and on time."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import spielwerk as sw
from spielwerk.agents.search import SolverAgent
from spielwerk.solver import Solution, Solver

# Rules under which a game is over soon. A game that is not listed is not compared with playing everything out.
SMALL: dict[str, list[dict[str, Any]]] = {
    "diavolo/standard": [{"side": 3}],
    "pferdeaepfel/carry": [{"size": 3, "brown": 3, "golden": 2}, {"size": 4, "brown": 4, "golden": 2}],
    "pferdeaepfel/classic": [{"size": 3, "brown": 3, "golden": 2}, {"size": 4, "brown": 4, "golden": 2}],
    "pferdeaepfel/classic-24": [{"size": 3, "brown": 5, "golden": 2}, {"size": 4, "brown": 5, "golden": 2}],
    "pferdeaepfel/free": [{"size": 3}, {"size": 4}],
    "pferdeaepfel/free-place-first": [{"size": 3}, {"size": 4}],
    "pferdeaepfel/original": [{"size": 3, "brown": 5, "golden": 2}, {"size": 4, "brown": 5, "golden": 2}],
    "pferdeaepfel/trail": [{"size": 4}, {"size": 5}, {"size": 5, "white_start": "b5"}, {"size": 6}],
}


class TooManyError(Exception):
    """The position is too far from the end to be played out here."""


@dataclass
class Everything:
    """Plays out every line: the result for seat 0 and how long it takes, fast wins and long defences being best."""

    patience: int

    def __post_init__(self) -> None:
        self.known: dict[str, tuple[float, int]] = {}

    def best(self, state: sw.State) -> tuple[float, int]:
        if state.player is None:
            return state.returns[0], 0
        key = state.to_text()
        if key not in self.known:
            self.patience -= 1
            if self.patience < 0:
                raise TooManyError
            mine = 1 if state.player == 0 else -1
            outcomes = [self.best(played(state, action)) for action in state.legal_actions]
            self.known[key] = max(outcomes, key=lambda outcome: preference(mine * outcome[0], outcome[1]))
            result, length = self.known[key]
            self.known[key] = result, length + 1
        return self.known[key]


def preference(result: float, length: int) -> tuple[float, int]:
    return result, -length if result > 0 else length


def played(state: sw.State, action: int) -> sw.State:
    following = state.clone()
    following.play(action)
    return following


def late_positions(game: sw.Game, count: int, seed: int) -> list[tuple[sw.State, float, int]]:
    """Positions of random games with what best play leads to."""
    source = random.Random(seed)
    found: list[tuple[sw.State, float, int]] = []
    while len(found) < count:
        state = game.start(seed=source.randrange(1000))
        path = [state.clone()]
        while not state.over:
            state.play(source.choice(state.legal_actions))
            path.append(state.clone())
        everything = Everything(patience=400)
        for position in reversed(path):
            try:
                found.append((position, *everything.best(position)))
            except TooManyError:
                break
    return found


@pytest.mark.parametrize("name", SMALL)
def test_it_agrees_with_playing_everything_out(name: str) -> None:
    for rules in SMALL[name]:
        game = sw.make(name, **rules)
        for state, result, length in late_positions(game, 60, seed=5):
            solution = Solver(game, megabytes=1).solve(state)
            assert solution.solved
            if result == 0:
                assert (solution.winner, solution.distance) == (None, None), state.to_text()
            else:
                assert solution.winner == (0 if result > 0 else 1), state.to_text()
                assert solution.distance == length, state.to_text()


@pytest.mark.parametrize("name", SMALL)
def test_its_line_is_best_play_to_the_end(name: str) -> None:
    game = sw.make(name, **SMALL[name][0])
    for state, result, length in late_positions(game, 30, seed=6):
        line = Solver(game, megabytes=1).solve(state).line
        if result == 0:
            assert state.over or line[0] in state.legal_actions
            continue
        assert len(line) == length
        after = state.clone()
        for action in line:
            after.play(action)
        assert after.over
        assert after.returns[0] == result


@pytest.mark.parametrize(("size", "plies"), [(3, 4), (4, 2), (5, 14), (6, 18)])
def test_trail_from_the_start(size: int, plies: int) -> None:
    game = sw.make("pferdeaepfel/trail", size=size)
    solution = Solver(game).solve(game.start())
    assert (solution.winner, solution.distance, len(solution.line)) == (1, plies, plies)


def test_black_wins_trail_on_the_full_board() -> None:
    game = sw.make("pferdeaepfel/trail")
    solution = Solver(game).solve(game.start(), distance=False)
    assert solution.winner == 1


@pytest.mark.parametrize(("size", "actions"), [(3, 8), (4, 3)])
def test_free_from_the_start(size: int, actions: int) -> None:
    game = sw.make("pferdeaepfel/free", size=size)
    solution = Solver(game).solve(game.start())
    assert (solution.winner, solution.distance) == (1, actions)


def test_a_finished_game_has_its_result() -> None:
    game = sw.make("pferdeaepfel/trail", size=3)
    state = game.start()
    while not state.over:
        state.play(state.legal_actions[0])
    solution = Solver(game).solve(state)
    assert ((solution.winner,), solution.distance, solution.line) == (state.winner, 0, [])


def test_limits_leave_what_is_known() -> None:
    game = sw.make("pferdeaepfel/trail")
    solution = Solver(game).solve(game.start(), nodes=5000)
    assert solution.winner == 1 and solution.distance is None
    assert solution.at_least >= 10
    assert solution.nodes == 5000
    assert solution.line[0] in game.start().legal_actions
    unsolved = Solver(sw.make("pferdeaepfel/free")).solve(sw.make("pferdeaepfel/free").start(), nodes=1000)
    assert (unsolved.solved, unsolved.winner, unsolved.line) == (False, None, [])


@pytest.mark.parametrize("name", ["diavolo/standard", "pferdeaepfel/classic"])
def test_where_the_result_is_unknown_promising_actions_are_no_worse_than_others(name: str) -> None:
    unknown = 0
    for rules in SMALL[name]:
        game = sw.make(name, **rules)
        for state, _, _ in late_positions(game, 60, seed=7):
            solution = Solver(game, megabytes=1).solve(state, nodes=12)
            assert (solution.promising == []) == solution.solved
            if solution.solved:
                continue
            unknown += 1
            everything, mine = Everything(patience=100_000), 1 if state.player == 0 else -1
            lost = {action for action in state.legal_actions if mine * everything.best(played(state, action))[0] < 0}
            promising = set(solution.promising)
            assert promising <= set(state.legal_actions)
            assert promising.isdisjoint(lost) or set(state.legal_actions) - promising <= lost, state.to_text()
    assert unknown > 0


def test_progress_is_told_and_can_end_it() -> None:
    game = sw.make("pferdeaepfel/trail")
    heard: list[int] = []

    def listen(solution: Solution) -> bool:
        heard.append(solution.at_least)
        return solution.at_least < 12

    solution = Solver(game).solve(game.start(), progress=listen)
    assert heard == sorted(heard)
    assert heard[-1] == solution.at_least == 12


def test_the_same_question_takes_the_same_search() -> None:
    game = sw.make("pferdeaepfel/trail", size=6)
    first, second = (Solver(game).solve(game.start()) for _ in range(2))
    assert (first.nodes, first.line) == (second.nodes, second.line)


# -- the door ------------------------------------------------------------------------------------


def test_solve_tells_the_verdict_for_who_is_to_act() -> None:
    state = sw.make("pferdeaepfel/trail", size=5).start()
    solution = sw.solve(state, seconds=60)
    assert (solution.solved, solution.verdict, solution.winner, solution.distance) == (True, "loss", 1, 14)
    state.play(solution.line[0])
    assert sw.solve(state, distance=False).verdict == "win"


def test_solve_says_what_it_could_not_prove() -> None:
    solution = sw.solve(sw.make("pferdeaepfel/free").start(), nodes=1000)
    assert (solution.solved, solution.verdict, solution.winner, solution.line) == (False, "unknown", None, [])


def test_solve_refuses_what_makes_no_sense() -> None:
    state = sw.make("pferdeaepfel/trail", size=3).start()
    for seconds in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="seconds must be a number above 0"):
            sw.solve(state, seconds)
    with pytest.raises(ValueError, match="nodes must not be negative"):
        sw.solve(state, nodes=-1)
    with pytest.raises(ValueError, match="has dice"):
        sw.solve(sw.make("ludo/ffa").start(seed=0))
    while not state.over:
        state.play(state.legal_actions[0])
    with pytest.raises(ValueError, match="the game is over"):
        sw.solve(state)


# -- what can be solved ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ludo/ffa", "ludo/teams"])
def test_dice_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} has dice: only games of two seats"):
        Solver(sw.make(name))


def test_a_solver_is_bound_to_its_rules() -> None:
    with pytest.raises(ValueError, match="other rules"):
        Solver(sw.make("pferdeaepfel/trail")).solve(sw.make("pferdeaepfel/trail", size=5).start())


# -- the agent -------------------------------------------------------------------------------------


@pytest.mark.parametrize("opponent", ["random", "greedy", "solver"])
def test_the_agent_never_loses_a_won_position(opponent: str) -> None:
    game = sw.make("pferdeaepfel/trail", size=6)
    for seed in range(3):
        agents = [sw.agent(opponent if opponent == "solver" else f"{opponent}:seed={seed}"), sw.agent("solver")]
        state, plies = game.start(), 0
        while not state.over:
            state.play(agents[state.player or 0].act(state))
            plies += 1
        assert state.winner == (1,)
        assert plies <= 18 and (plies == 18 or opponent != "solver")


def test_its_analysis_is_proved_and_tells_the_distance() -> None:
    state = sw.make("pferdeaepfel/trail", size=5).start()
    for action in ["b3", "d3", "d2", "e5"]:
        state.play(action)
    analysis = sw.agent("solver").analyse(state)
    assert analysis.proved and len(analysis.lines) == len(state.legal_actions)
    everything = Everything(patience=100_000)
    for line in analysis.lines:
        result, length = everything.best(played(state, state.parse(line.actions[0])))
        assert (line.proved, line.value, line.distance) == (True, result, length + 1)
        assert len(line.actions) == line.distance
    lengths = [preference(line.value, line.distance or 0) for line in analysis.lines]
    assert lengths == sorted(lengths, reverse=True)


def test_where_no_proof_comes_in_time_alphabeta_plays() -> None:
    state = sw.make("diavolo/standard").start()
    agent = sw.agent("solver:ms=40")
    assert agent.act(state) in state.legal_actions
    analysis = agent.analyse(state)
    assert not analysis.proved
    assert {line.actions[0] for line in analysis.lines} == {state.text(action) for action in state.legal_actions}


def test_alphabeta_does_not_play_against_what_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    game = sw.make("diavolo/standard", side=3)
    agent = SolverAgent(ms=4)
    overruled = 0
    for state, _, _ in late_positions(game, 60, seed=8):
        solution = Solver(game, megabytes=1).solve(state, nodes=12)
        if solution.solved:
            continue
        monkeypatch.setattr(agent, "_proof", lambda *_, solution=solution: solution)
        for favourite in state.legal_actions:
            ranked = [favourite, *(action for action in state.legal_actions if action != favourite)]
            monkeypatch.setattr(agent._alphabeta, "ranked", lambda _, ranked=ranked: ranked)
            action = agent.act(state)
            assert action in solution.promising
            assert action == favourite or favourite not in solution.promising
            overruled += action != favourite
    assert overruled > 0


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("solver:ms=0", "ms and memory must be above 0"),
        ("solver:ms=-1", "ms must be a number from 0 to"),
        ("solver:ms=nan", "ms must be a number from 0 to"),
        ("solver:memory=0", "ms and memory must be above 0"),
    ],
)
def test_bad_options_are_refused(spec: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        sw.agent(spec)


# -- the mirror lemma (docs/proofs.md) -----------------------------------------------------------------


def mirrors(size: int) -> list[list[int]]:
    """Where each square goes under the five symmetries of the square that undo themselves."""
    last = size - 1
    maps: list[Callable[[int, int], tuple[int, int]]] = [
        lambda row, column: (last - row, last - column),
        lambda row, column: (column, row),
        lambda row, column: (last - column, last - row),
        lambda row, column: (row, last - column),
        lambda row, column: (last - row, column),
    ]
    squares = [divmod(square, size) for square in range(size * size)]
    return [[row * size + column for row, column in (image(*square) for square in squares)] for image in maps]


def knight_jumps(size: int) -> list[list[int]]:
    squares = [divmod(square, size) for square in range(size * size)]
    return [
        [to for to, (r, c) in enumerate(squares) if {abs(r - row), abs(c - column)} == {1, 2}]
        for row, column in squares
    ]


def mover_wins(free: frozenset[int], mover: int, other: int, jumps: list[list[int]], known: dict[object, bool]) -> bool:
    """Trail by its rules alone: jump to a free square or onto the other horse; who cannot, has lost."""
    key = free, mover, other
    if key not in known:
        known[key] = any(
            to == other or (to in free and not mover_wins(free - {to}, other, to, jumps, known)) for to in jumps[mover]
        )
    return known[key]


def symmetric_positions(size: int, image: list[int], count: int) -> list[tuple[frozenset[int], int, int]]:
    """Positions that `image` maps onto themselves with the horses exchanged: all of them, or `count` by lot."""
    source = random.Random(size)
    orbits = sorted({frozenset((square, image[square])) for square in range(size * size)}, key=sorted)
    pairs = [sorted(orbit) for orbit in orbits if len(orbit) == 2]
    found = []
    everything = len(pairs) * 2 ** (len(orbits) - 1) <= count
    for number in range(len(pairs) * 2 ** (len(orbits) - 1) if everything else count):
        bits, which = divmod(number, len(pairs)) if everything else (source.getrandbits(len(orbits)), number)
        horse, other = pairs[which % len(pairs)]
        rest = [orbit for orbit in orbits if horse not in orbit]
        free = frozenset().union(*(orbit for i, orbit in enumerate(rest) if bits >> i & 1))
        found.append((free, horse, other))
    return found


@pytest.mark.parametrize(("size", "count"), [(3, 10**6), (4, 10**6), (5, 300), (6, 60)])
def test_who_moves_in_a_mirrored_position_loses(size: int, count: int) -> None:
    jumps = knight_jumps(size)
    for image in mirrors(size):
        known: dict[object, bool] = {}
        for free, horse, other in symmetric_positions(size, image, count):
            assert other not in jumps[horse]
            assert not mover_wins(free, horse, other, jumps, known)
            assert not mover_wins(free, other, horse, jumps, known)


@pytest.mark.parametrize("size", [3, 4, 5, 6])
def test_black_wins_by_answering_with_the_point_reflection(size: int) -> None:
    """Every line of White's against Black's strategy, by the rules of the core."""
    game = sw.make("pferdeaepfel/trail", size=size)
    image = mirrors(size)[0]
    seen, waiting = set(), [game.start()]
    while waiting:
        state = waiting.pop()
        for action in state.legal_actions:
            after = played(state, action)
            assert after.player == 1
            after.play(image[action])  # refused if it were illegal
            if after.over:
                assert after.winner == (1,)
            elif (key := after.to_text()) not in seen:
                seen.add(key)
                waiting.append(after)
