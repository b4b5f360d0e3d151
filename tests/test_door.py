"""The public door: its names, its errors, and how little it loads."""

import subprocess
import sys

import numpy as np
import pytest

import spielwerk as sw

RULESETS = [
    "diavolo/standard",
    "ludo/ffa",
    "ludo/teams",
    "pferdeaepfel/carry",
    "pferdeaepfel/classic",
    "pferdeaepfel/classic-24",
    "pferdeaepfel/free",
    "pferdeaepfel/free-place-first",
    "pferdeaepfel/original",
    "pferdeaepfel/trail",
]


def test_every_ruleset_is_listed_in_order() -> None:
    assert sw.games() == sorted(sw.games())
    assert set(RULESETS) <= set(sw.games())


def test_importing_spielwerk_loads_no_environment_server_or_training_library() -> None:
    heavy = "('pettingzoo', 'gymnasium', 'torch', 'rich', 'fastapi', 'numpy')"
    code = f"import sys, spielwerk; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names_are_all_there() -> None:
    for name in sw.__all__:
        assert getattr(sw, name) is not None
    assert sw.CHANCE == -1
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = sw.nonsense


def test_an_unknown_ruleset_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"unknown ruleset 'chess'; there are: .*pferdeaepfel/trail"):
        sw.make("chess")
    with pytest.raises(ValueError, match="not int"):
        sw.make(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"nonsense": 1}, "no parameter 'nonsense'; it has: size, white_start, black_start, brown, golden"),
        ({"size": 2}, "size must be a whole number from 3 to 8, not 2"),
        ({"size": 9}, "size must be a whole number from 3 to 8, not 9"),
        ({"size": 10**30}, "size is far too large"),
        ({"size": "big"}, "size must be a whole number"),
        ({"size": True}, "size must be a whole number"),
        ({"size": 5.5}, "size must be a number, a flag or a text, not float"),
        ({"size": None}, "not NoneType"),
        ({"brown": 1}, "brown must be a whole number from 2"),
        ({"golden": 0}, "golden must be a whole number from 1"),
        ({"white_start": "i9"}, "white_start must be a square from a1 to h8, not i9"),
        ({"size": 5, "black_start": "h1"}, "black_start must be a square from a1 to e5, not h1"),
        ({"white_start": "h1"}, "must be different squares"),
        ({"size": 3, "white_start": "b2"}, "leaves the first horse no jump"),
        ({"starter": "white"}, "no parameter 'starter'"),
    ],
)
def test_bad_parameters_are_refused_naming_what_is_allowed(rules: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sw.make("pferdeaepfel/classic", **rules)  # type: ignore[arg-type]


def test_rules_are_resolved_and_shown() -> None:
    game = sw.make("pferdeaepfel/classic", size=6)
    assert game.rules == {"size": 6, "brown": 28, "golden": 12, "white_start": "a6", "black_start": "f1"}
    assert eval(repr(game), {"spielwerk": sw}) == game


@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1, 2**200, -5, np.int64(7)])
def test_any_whole_number_is_a_seed(seed: int) -> None:
    game = sw.make("pferdeaepfel/carry")
    assert game.start(seed=seed) == game.start(seed=seed)


def test_bad_seeds_and_chance_modes_are_refused() -> None:
    game = sw.make("pferdeaepfel/trail")
    with pytest.raises(ValueError, match="seed must be a whole number or None, not str"):
        game.start(seed="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="chance must be 'auto' or 'explicit'"):
        game.start(chance="maybe")


def test_a_random_starter_is_drawn_from_the_seed() -> None:
    game = sw.make("pferdeaepfel/carry")
    starters = {game.start(seed=seed).player for seed in range(20)}
    assert starters == {0, 1}
    assert {game.start().player for _ in range(40)} == {0, 1}


@pytest.mark.parametrize(
    "action", [3.5, None, [], "", "z9", "b6b6", "b6 ", "@", "-", "pass", "ä", "b6" * 400, "a" * 39 + "ü" * 5, "\ud800"]
)
def test_actions_that_are_none_are_refused_in_one_line(action: object) -> None:
    state = sw.make("pferdeaepfel/trail").start()
    before = state.clone()
    with pytest.raises(sw.IllegalAction) as refused:
        state.play(action)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)
    assert state == before


def test_illegal_actions_carry_a_code_for_translation() -> None:
    state = sw.make("pferdeaepfel/trail").start()
    with pytest.raises(sw.IllegalAction) as refused:
        state.play("a1")
    assert refused.value.code == "no-knight-jump"
    assert refused.value.reason == "a1 is no knight's jump from a8"


def test_numpy_integers_are_actions() -> None:
    state = sw.make("pferdeaepfel/trail").start()
    state.play(np.flatnonzero(state.mask)[0])


@pytest.mark.parametrize("name", ["diavolo/standard", "ludo/ffa", "pferdeaepfel/trail"])
def test_refusals_quote_any_text_readably(name: str) -> None:
    game = sw.make(name)
    for text in ("ä", "ä" * 30, "x" * 39 + "ö", "W7/8/ü/8", "G=ä,y", "white ä; red; red to move"):
        with pytest.raises(ValueError, match=r"\w+") as refused:
            game.from_text(text)
        assert type(refused.value) is ValueError


def test_texts_that_are_no_unicode_are_wrong_values() -> None:
    game = sw.make("pferdeaepfel/trail")
    for ask in (game.from_text, game.start().parse, game.start().split_turn, sw.make):
        with pytest.raises(ValueError, match="not valid Unicode"):
            ask("\ud800")
        with pytest.raises(ValueError, match="a text is wanted, not NoneType"):
            ask(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("seat", [-1, 2, 10**6])
def test_seats_out_of_range_are_refused(seat: int) -> None:
    state = sw.make("pferdeaepfel/trail").start()
    for ask in (state.observation, state.observe, state.evaluate):
        with pytest.raises(ValueError, match="seat must be from 0 to 1"):
            ask(seat)


def test_states_of_other_rules_differ() -> None:
    small, large = sw.make("pferdeaepfel/trail", size=5), sw.make("pferdeaepfel/trail")
    assert small.start() != large.start()
    assert small.start() != "a text"
    assert sw.make("pferdeaepfel/classic").start() != sw.make("pferdeaepfel/original").start()


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (np.zeros(4, np.float64), "float64 of shape"),
        (np.zeros(3, np.int64), r"shape \(4,\), not int64 of shape \(3,\)"),
        (np.zeros((4, 1), np.int64), "int32 or int64"),
        (np.zeros(8, np.int64)[::2], "contiguous"),
        ([0, 0, 0, 0], "not list"),
        (None, "not NoneType"),
        (np.full(4, -1), "illegal in game 0"),
        (np.full(4, 2**40), "illegal in game 0"),
    ],
)
def test_wrong_action_arrays_are_refused(actions: object, message: str) -> None:
    env = sw.vector("pferdeaepfel/trail", num_envs=4)
    env.reset(seed=0)
    before = env.observation.copy()
    with pytest.raises(ValueError, match=message):
        env.step(actions)  # type: ignore[arg-type]
    assert np.array_equal(env.observation, before)


def test_a_batch_needs_a_reset_and_sensible_numbers() -> None:
    with pytest.raises(ValueError, match="reset"):
        sw.vector("pferdeaepfel/trail", num_envs=4).step(np.zeros(4, np.int64))
    with pytest.raises(ValueError, match="num_envs must be from 1"):
        sw.vector("pferdeaepfel/trail", num_envs=0)
    with pytest.raises(ValueError, match="threads must be from 1"):
        sw.vector("pferdeaepfel/trail", num_envs=4, threads=0)
    env = sw.vector("pferdeaepfel/trail", num_envs=4)
    env.reset()
    with pytest.raises(ValueError, match="game must be from 0 to 3"):
        env.state(4)
    with pytest.raises(ValueError, match="other rules"):
        env.place(0, sw.make("pferdeaepfel/trail", size=5).start())


def test_batch_views_outlive_the_batch() -> None:
    observation, _, _ = sw.vector("pferdeaepfel/trail", num_envs=4).reset(seed=0)
    assert observation.sum() > 0


@pytest.mark.parametrize("spec", ["", "nobody", "greedy:depth=3", "random:seed=x", "random:seed", 3])
def test_bad_agent_specs_are_refused(spec: object) -> None:
    with pytest.raises(ValueError, match="agent"):
        sw.agent(spec)  # type: ignore[arg-type]


@pytest.mark.parametrize("spec", ["random", "random:seed=3", "greedy", "greedy:seed=1"])
def test_agents_tell_their_spec_and_play_legally(spec: str) -> None:
    agent = sw.agent(spec)
    assert agent.spec == spec
    state = sw.make("pferdeaepfel/classic").start()
    while not state.over:
        state.play(agent.act(state))
    with pytest.raises(ValueError, match="no seat is to act"):
        agent.act(state)


def test_seeded_agents_repeat_themselves() -> None:
    games = []
    for _ in range(2):
        agent, state, texts = sw.agent("greedy:seed=5"), sw.make("pferdeaepfel/free").start(), []
        while not state.over:
            action = agent.act(state)
            texts.append(state.text(action))
            state.play(action)
        games.append(texts)
    assert games[0] == games[1]


def test_the_human_agent_asks_until_the_answer_is_legal(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["nonsense", "a1", "b6"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    state = sw.make("pferdeaepfel/trail").start()
    assert state.text(sw.agent("human").act(state)) == "b6"
