"""Laws that every ruleset obeys: each sentence of the contract in cpp/game.hpp, for every game there is.

A new game is covered the moment it is registered: its variants come from its own list of parameters.
"""

import pickle
import random
from collections.abc import Iterator

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.records import Record, Recorder

GAMES_PER_LAW = 6
POSITIONS_PER_GAME = 12


def variants(name: str) -> Iterator[sw.Game]:
    """The ruleset as it comes, and with every parameter at its ends."""
    default = sw.make(name)
    yield default
    for parameter in default.parameters:
        values: list[object] = []
        if parameter.kind == "int":
            values = [parameter.minimum, parameter.maximum]
        elif parameter.kind == "bool":
            values = [not parameter.default]
        elif parameter.kind == "choice":
            values = list(parameter.choices)
        for value in values:
            if value != parameter.default:
                yield sw.make(name, **{parameter.name: value})  # type: ignore[arg-type]


ALL = [game for name in sw.games() for game in variants(name)]
DEFAULTS = [sw.make(name) for name in sw.games()]


def label(game: sw.Game) -> str:
    default = sw.make(game.name).rules
    changed = [f"{name}={value}" for name, value in game.rules.items() if value != default[name]]
    return ",".join([game.name, *changed])


every_game = pytest.mark.parametrize("game", ALL, ids=label)


def random_game(game: sw.Game, seed: int, chance: str = "auto") -> Iterator[sw.State]:
    """A random game, position by position; at most a few hundred of them."""
    source = random.Random(seed)
    state = game.start(seed=seed, chance=chance)
    for _ in range(400):
        yield state
        if state.over:
            return
        state.play(source.choice(state.legal_actions))


def sampled_positions(game: sw.Game) -> Iterator[sw.State]:
    """Positions from all phases of a few random games, the last ones among them."""
    for seed in range(GAMES_PER_LAW):
        game_positions = [state.clone() for state in random_game(game, seed)]
        source = random.Random(seed)
        yield from source.sample(game_positions, min(POSITIONS_PER_GAME, len(game_positions)))
        yield game_positions[-1]


@every_game
def test_some_action_is_legal_exactly_while_the_game_runs(game: sw.Game) -> None:
    for state in sampled_positions(game):
        assert bool(state.legal_actions) == (not state.over)
        assert (state.player is None) == state.over
        assert state.legal_actions == sorted(set(state.legal_actions))


@every_game
def test_illegal_actions_are_refused_with_a_reason_and_change_nothing(game: sw.Game) -> None:
    source = random.Random(1)
    for state in sampled_positions(game):
        before = state.clone()
        legal = set(state.legal_actions)
        candidates = [*source.choices(range(game.num_actions), k=20), -1, game.num_actions, 2**40, 2**80]
        for action in candidates:
            if action in legal:
                continue
            with pytest.raises(sw.IllegalAction) as refused:
                state.play(action)
            assert refused.value.reason and refused.value.code
            assert state == before and state.to_text() == before.to_text()


@every_game
def test_copies_texts_and_pickles_are_exact(game: sw.Game) -> None:
    for state in sampled_positions(game):
        copies = [state.clone(), game.from_text(state.to_text()), pickle.loads(pickle.dumps(state))]
        for copy in copies:
            assert copy == state and hash(copy) == hash(state)
            assert copy.to_text() == state.to_text()
            assert copy.legal_actions == state.legal_actions and copy.player == state.player
            assert (copy.returns, copy.points, copy.winner, copy.reason) == (
                state.returns,
                state.points,
                state.winner,
                state.reason,
            )
            assert all(np.array_equal(copy.observation(s), state.observation(s)) for s in range(game.num_players))


@every_game
def test_a_copy_goes_its_own_way(game: sw.Game) -> None:
    state = game.start(seed=3)
    copy = state.clone()
    copy.play(copy.legal_actions[0])
    assert state == game.start(seed=3)
    assert state != copy


@every_game
def test_a_copy_and_a_pickle_continue_with_the_same_dice(game: sw.Game) -> None:
    state = game.start(seed=5)
    copies = [state.clone(), pickle.loads(pickle.dumps(state))]
    source = random.Random(0)
    for _ in range(60):
        if state.over:
            break
        action = source.choice(state.legal_actions)
        for each in (state, *copies):
            each.play(action)
        assert all(copy == state for copy in copies)


@every_game
def test_the_same_seed_is_the_same_game(game: sw.Game) -> None:
    for seed in range(3):
        first = [state.to_text() for state in random_game(game, seed)]
        second = [state.to_text() for state in random_game(game, seed)]
        assert first == second


@every_game
def test_a_game_ends_within_the_declared_maximum(game: sw.Game) -> None:
    source = random.Random(2)
    for seed in range(3):
        state = game.start(seed=seed)
        plies = 0
        while not state.over:
            state.play(source.choice(state.legal_actions))
            plies += 1
            assert plies <= game.max_plies


@every_game
def test_returns_are_zero_until_over_and_sum_to_zero_where_declared(game: sw.Game) -> None:
    for state in sampled_positions(game):
        assert len(state.returns) == len(state.points) == game.num_players
        assert all(-1 <= value <= 1 for value in state.returns)
        assert "-0.0" not in map(str, state.returns)
        if not state.over:
            assert not any(state.returns) and not any(state.points)
            assert state.winner == () and state.reason == "" and not state.truncated
        else:
            assert state.reason
            if game.zero_sum:
                assert abs(sum(state.returns)) < 1e-9
            assert all(state.returns[seat] == max(state.returns) > 0 for seat in state.winner)
            assert not state.truncated or not any(state.returns)


@every_game
def test_after_the_end_nothing_can_be_played(game: sw.Game) -> None:
    state = game.start(seed=1)
    source = random.Random(4)
    while not state.over:
        state.play(source.choice(state.legal_actions))
    final = state.clone()
    for action in range(min(game.num_actions, 50)):
        with pytest.raises(sw.IllegalAction, match="over"):
            state.play(action)
    assert state == final


@every_game
def test_notation_names_every_legal_action_once_and_is_parsed_back(game: sw.Game) -> None:
    for state in sampled_positions(game):
        texts = [state.text(action) for action in state.legal_actions]
        assert len(set(texts)) == len(texts)
        assert [state.parse(text) for text in texts] == state.legal_actions
        for action, text in list(zip(state.legal_actions, texts, strict=True))[:5]:
            by_number, by_text = state.clone(), state.clone()
            by_number.play(action)
            by_text.play(text)
            assert by_number == by_text


@every_game
def test_symmetric_positions_have_symmetric_actions_and_successors(game: sw.Game) -> None:
    for state in list(sampled_positions(game))[::4]:
        assert state.symmetric(0) == state
        for k in range(game.num_symmetries):
            image = state.symmetric(k)
            assert image.over == state.over and image.returns == state.returns
            moved = {state.symmetric_action(action, k): action for action in state.legal_actions}
            assert sorted(moved) == image.legal_actions
            for image_action, action in list(moved.items())[:4]:
                after, image_after = state.clone(), state.symmetric(k)
                after.play(action)
                image_after.play(image_action)
                assert after.symmetric(k) == image_after


@every_game
def test_observations_stay_within_their_planes_and_masks_name_the_legal_actions(game: sw.Game) -> None:
    maxima = np.array([plane.maximum for plane in game.planes])[:, None, None]
    for state in sampled_positions(game):
        mask = state.mask
        assert mask.shape == (game.num_actions,) and mask.dtype == np.uint8
        assert np.flatnonzero(mask).tolist() == state.legal_actions
        for seat in range(game.num_players):
            observation, mask_again = state.observe(seat)
            assert observation.shape == game.observation_shape and observation.dtype == np.uint8
            assert (observation <= maxima).all()
            assert np.array_equal(observation, state.observation(seat)) and np.array_equal(mask, mask_again)


@every_game
def test_positions_that_differ_look_different_to_the_seat_that_acts(game: sw.Game) -> None:
    seen: dict[bytes, str] = {}
    for state in sampled_positions(game):
        if state.over or state.player is None:
            continue
        observation = bytes([state.player]) + state.observation(state.player).tobytes()
        assert seen.setdefault(observation, state.to_text()) == state.to_text()


@every_game
def test_the_heuristic_stays_in_bounds_and_is_exact_at_the_end(game: sw.Game) -> None:
    for state in sampled_positions(game):
        for seat in range(game.num_players):
            value = state.evaluate(seat)
            assert -1 <= value <= 1
            if state.over:
                assert value == state.returns[seat]


@every_game
def test_what_is_settled_comes_true(game: sw.Game) -> None:
    for seed in range(GAMES_PER_LAW):
        winner = None
        for state in random_game(game, seed):
            assert winner is None or state.settled == winner, "nothing unsettles it"
            winner = state.settled
            if state.over and winner is not None:
                assert winner in state.winner and state.returns[winner] == 1


@every_game
def test_chance_is_automatic_or_explicit(game: sw.Game) -> None:
    for state in random_game(game, seed=6):
        assert state.player != sw.CHANCE and state.outcomes == []
    met_chance = False
    for state in random_game(game, seed=6, chance="explicit"):
        if state.player == sw.CHANCE:
            met_chance = True
            assert abs(sum(probability for _, probability in state.outcomes) - 1) < 1e-12
            assert [action for action, _ in state.outcomes] == state.legal_actions
            assert not state.mask.any()
        else:
            assert state.outcomes == []
    assert met_chance == game.has_chance


@every_game
def test_a_recorded_game_replays_to_the_same_position(game: sw.Game) -> None:
    source = random.Random(7)
    for seed in range(3):
        recorder = Recorder(game, seed=seed)
        while not recorder.state.over:
            recorder.play(source.choice(recorder.state.legal_actions))
        record = Record.from_json(recorder.record.to_json())
        assert record.replay() == recorder.state
        assert game.replay(record) == recorder.state
        assert game.replay(record.actions) == recorder.state


@every_game
def test_games_compare_hash_and_pickle_by_their_rules(game: sw.Game) -> None:
    twin = sw.make(game.name, **game.rules)
    assert twin == game and hash(twin) == hash(game)
    assert pickle.loads(pickle.dumps(game)) == game
    assert game.start(seed=1).game == game
    assert (game != sw.make(game.name)) == (game.rules != sw.make(game.name).rules)


@every_game
def test_the_batch_and_the_single_state_agree_step_by_step(game: sw.Game) -> None:
    count = 3
    env = sw.vector(game, num_envs=count)
    observation, mask, seat = env.reset(seed=11)
    for step in range(60):
        states = [env.state(i) for i in range(count)]
        for i, state in enumerate(states):
            assert state.player == seat[i]
            assert np.array_equal(observation[i], state.observation(int(seat[i])))
            assert np.array_equal(mask[i], state.mask)
        actions = env.random_actions(seed=step).copy()
        _, _, reward, terminated, truncated, _ = env.step(actions)
        for i, state in enumerate(states):
            assert actions[i] in state.legal_actions
            state.play(int(actions[i]))
            assert bool(terminated[i] or truncated[i]) == state.over
            assert bool(truncated[i]) == state.truncated
            assert np.allclose(reward[i], state.returns)
            if not state.over:
                assert env.state(i) == state


@pytest.mark.parametrize("game", DEFAULTS, ids=label)
@pytest.mark.parametrize("skip_forced", [False, True])
def test_the_number_of_threads_changes_nothing(game: sw.Game, skip_forced: bool) -> None:
    histories = []
    for threads in (1, 2, 5):
        env = sw.vector(game, num_envs=23, threads=threads, skip_forced=skip_forced)
        env.reset(seed=3)
        history = []
        for step in range(60):
            arrays = env.step(env.random_actions(seed=step))
            history.append([array.tobytes() for array in arrays])
        histories.append(history)
    assert histories[0] == histories[1] == histories[2]


@pytest.mark.parametrize("game", DEFAULTS, ids=label)
def test_skipping_forced_decisions_changes_no_outcome(game: sw.Game) -> None:
    """A batch that skips follows the same game as a state that plays forced actions one by one."""
    env = sw.vector(game, num_envs=4, skip_forced=True)
    env.reset(seed=5)
    for step in range(150):
        states = [env.state(i) for i in range(4)]
        actions = env.random_actions(seed=step).copy()
        _, mask, reward, terminated, truncated, _ = env.step(actions)
        assert (mask.sum(axis=1) > 1).all()
        for i, state in enumerate(states):
            state.play(int(actions[i]))
            while not state.over and len(state.legal_actions) == 1:
                state.play(state.legal_actions[0])
            assert bool(terminated[i] or truncated[i]) == state.over
            assert np.allclose(reward[i], state.returns)
            if not state.over:
                assert env.state(i) == state


@pytest.mark.parametrize("game", DEFAULTS, ids=label)
def test_a_batch_refuses_illegal_actions_whole(game: sw.Game) -> None:
    env = sw.vector(game, num_envs=4)
    env.reset(seed=1)
    before = [env.state(i) for i in range(4)]
    actions = env.random_actions(seed=1).copy()
    actions[2] = game.num_actions
    with pytest.raises(ValueError, match="illegal in game 2"):
        env.step(actions)
    assert [env.state(i) for i in range(4)] == before


@pytest.mark.parametrize("game", DEFAULTS, ids=label)
def test_a_batch_starts_from_a_position_of_choice(game: sw.Game) -> None:
    state = game.start(seed=9)
    state.play(state.legal_actions[-1])
    env = sw.vector(game, num_envs=3)
    env.reset(seed=1)
    env.place(1, state)
    assert env.state(1) == state
    assert np.array_equal(env.mask[1], state.mask)


@pytest.mark.parametrize("game", DEFAULTS, ids=label)
def test_a_batch_can_go_on_with_the_dice_of_a_state(game: sw.Game) -> None:
    state = game.start(seed=9)
    env = sw.vector(game, num_envs=2)
    env.reset(seed=1)
    env.place(1, game.from_text(state.to_text(), seed=state.stream), with_dice=True)
    for _ in range(60):
        actions = env.random_actions(seed=3).copy()
        state.play(int(actions[1]))
        env.step(actions)
        if state.over:
            break
        assert env.state(1) == state
        assert env.state(1).stream == state.stream


@pytest.mark.parametrize("game", DEFAULTS, ids=label)
def test_greedy_in_a_batch_looks_one_action_ahead(game: sw.Game) -> None:
    env = sw.vector(game, num_envs=4)
    env.reset(seed=2)
    for _ in range(20):
        chosen = env.greedy_actions(seed=5).copy()
        for i in range(4):
            values = {}
            for action in env.state(i).legal_actions:
                after = game.from_text(env.state(i).to_text(), chance="explicit")
                after.play(action)
                values[action] = after.evaluate(int(env.seat[i]))
            assert values[int(chosen[i])] == pytest.approx(max(values.values()))
        env.step(chosen)


@every_game
def test_actions_lie_on_cells_of_their_own(game: sw.Game) -> None:
    cells = game.action_cells
    assert len(cells) == game.num_actions
    on_board = [cell for cell in cells if cell[0] >= 0]
    assert len(set(on_board)) == len(on_board)
    _, height, width = game.observation_shape
    assert all(0 <= row < height and 0 <= column < width for _, row, column in on_board)


@every_game
def test_points_in_a_batch_are_those_of_the_game_that_ended(game: sw.Game) -> None:
    env = sw.vector(game, num_envs=1)
    env.reset(seed=4)
    for number in range(300):
        state = env.state(0)
        action = int(env.random_actions(seed=number)[0])
        env.step(np.array([action]))
        if env.terminated[0] or env.truncated[0]:
            state.play(action)
            assert tuple(env.points[0]) == state.points
            break


@every_game
def test_sides_win_and_lose_together(game: sw.Game) -> None:
    sides = game.sides
    assert len(sides) == game.num_players
    for seed in range(3):
        *_, last = random_game(game, seed)
        for winner in last.winner:
            assert all(seat in last.winner for seat in range(len(sides)) if sides[seat] == sides[winner])
