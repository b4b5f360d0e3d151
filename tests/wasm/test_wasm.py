"""The core for browsers says what the native one says: rules, pinned counts, refusals, searches, to the bit."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

import spielwerk as sw
from scripts import write_conformance
from scripts.build_wasm import FILE
from spielwerk import _core
from spielwerk.agents.specs import Analysis, analysis_of
from spielwerk.conformance import Case, read_kit
from tests.test_laws import ALL, DEFAULTS, label
from tests.wasm.bridge import Refused, WasmCore

PLIES = 120
COUNTED = 100_000  # sequences

every_variant = pytest.mark.parametrize("game", ALL, ids=label)
every_ruleset = pytest.mark.parametrize("game", DEFAULTS, ids=label)
every_kit = pytest.mark.parametrize("name", write_conformance.KITS)


@pytest.fixture(scope="module")
def core() -> Iterator[WasmCore]:
    if not FILE.exists():
        pytest.skip("NO WEBASSEMBLY, THE CORE FOR BROWSERS IS NOT TESTED: run `make wasm` (it needs Emscripten)")
    core = WasmCore()
    yield core
    core.close()


def seen(state: sw.State) -> dict[str, Any]:
    """A native position as the core for browsers shows it."""
    return {
        "position": state.to_text(),
        "player": "chance" if state.player == sw.CHANCE else state.player,
        "actions": state.legal_actions,
        "texts": [state.text(action) for action in state.legal_actions],
        "odds": [probability for _, probability in state.outcomes],
        "fallen": list(state.fallen),
        "returns": list(state.returns),
        "winner": list(state.winner),
        "points": list(state.points),
        "truncated": state.truncated,
        "ending": state.reason,
        "evaluation": [state.evaluate(seat) for seat in range(state.game.num_players)],
        "facts": state.position,
    }


def cases(name: str) -> list[Case]:
    text = (write_conformance.FOLDER / f"{name}.json").read_text(encoding="utf-8")
    return read_kit(text, name)


def test_it_has_every_ruleset_with_its_parameters(core: WasmCore) -> None:
    native = {
        name: [
            (one.name, one.kind, one.default, one.help)
            for one in sorted(sw.make(name).parameters, key=lambda one: one.name)
        ]
        for name in sw.games()
    }
    found = {
        ruleset["name"]: sorted(
            (one["name"], one["kind"], one["default"], one["help"]) for one in ruleset["parameters"]
        )
        for ruleset in core("rulesets")
    }
    assert found == native


@every_variant
def test_random_games_go_in_lock_step(core: WasmCore, game: sw.Game) -> None:
    facts = core.take(game.name, game.rules)
    assert (facts["name"], facts["rules"], facts["rules_version"]) == (game.name, game.rules, game.rules_version)
    assert (facts["seats"], facts["actions"], facts["max_plies"]) == (
        game.num_players,
        game.num_actions,
        game.max_plies,
    )
    for seed, chance in ((1, "automatic"), (2, "explicit")):
        source = random.Random(seed)
        state = game.start(seed=seed, chance="auto" if chance == "automatic" else "explicit")
        shown = core("start", seed, chance)
        for ply in range(PLIES):
            assert shown == seen(state)
            if state.over:
                break
            action = source.choice(state.legal_actions)
            state.play(action)
            shown = core("act", action) if ply % 2 else core("play", shown["texts"][shown["actions"].index(action)])


@every_variant
def test_positions_go_through_their_text(core: WasmCore, game: sw.Game) -> None:
    core.take(game.name, game.rules)
    source, state = random.Random(3), game.start(seed=3, chance="explicit")
    for _ in range(30):
        shown = core("position", state.to_text(), 0, "explicit")
        assert shown == seen(game.from_text(state.to_text(), chance="explicit"))
        if state.over:
            break
        state.play(source.choice(state.legal_actions))


@every_kit
def test_the_pinned_counts_hold(core: WasmCore, name: str) -> None:
    for case in cases(name):
        core.take(case["game"], case["rules"])
        core("start", 0, "explicit")
        for depth, count in enumerate(case["counts"], start=1):
            if count <= COUNTED:
                assert core("count", depth) == count, (case["game"], case["rules"], depth)


@every_kit
def test_the_games_of_the_conformance_kit_are_played(core: WasmCore, name: str) -> None:
    for case in cases(name):
        for game in case["games"]:
            core.take(case["game"], case["rules"])
            shown = core("start", 0, "explicit")
            for action, expected in zip([*game["actions"], None], game["positions"], strict=True):
                assert (shown["position"], shown["player"]) == (expected["text"], expected["player"])
                assert sorted(shown["texts"]) == expected["legal"]
                if action is not None:
                    shown = core("play", action)


@every_kit
def test_what_the_conformance_kit_refuses_is_refused(core: WasmCore, name: str) -> None:
    for case in cases(name):
        core.take(case["game"], case["rules"])
        for refusal in case["refusals"]:
            core("start", 0, "explicit")
            for move in refusal["moves"]:
                core("play", move)
            before = core("show")
            with pytest.raises(Refused) as refused:
                core("play", refusal["action"])
            assert (refused.value.code, str(refused.value)) == (refusal["code"], refusal["reason"])
            assert core("show") == before


@every_ruleset
@pytest.mark.parametrize("kind", ["greedy", "alphabeta", "mcts", "expectimax"])
def test_searches_find_the_same_to_the_bit(core: WasmCore, game: sw.Game, kind: str) -> None:
    native = searches(game)[kind]
    core.take("pferdeaepfel/free", {})  # forgets what searches have learnt
    core.take(game.name, game.rules)
    if native is None:
        with pytest.raises(Refused, match="alphabeta plays games of two seats without dice"):
            core("search", kind, 1, "depth=1")
        return
    source, state = random.Random(5), game.start(seed=5)
    core("start", 5, "automatic")
    for seed in range(4):
        limit = {"alphabeta": ["nodes=3000"], "mcts": ["sims=300"], "expectimax": ["depth=1"], "greedy": []}[kind]
        expected = native(state, seed)
        found = core("search", kind, seed, *limit)
        assert (found["nodes"], found["depth"], found["proved"]) == (expected.nodes, expected.depth, expected.proved)
        assert [tuple(line.values()) for line in found["lines"]] == [
            (line.actions, line.value, line.visits, line.proved, None) for line in expected.lines
        ]
        for _ in range(2):
            action = source.choice(state.legal_actions)
            state.play(action)
            core("act", action)


def searches(game: sw.Game) -> dict[str, Any]:
    """The native searches of a game with the limits of the test; None where the game is beyond one."""
    mcts, expectimax = _core.mcts(game, max_nodes=1 << 20), _core.expectimax(game)
    fits = game.num_players == 2 and not game.has_chance
    alphabeta = _core.alphabeta(game) if fits else None

    def reported(report: Any) -> Any:
        def run(state: sw.State, seed: int) -> Analysis:
            return analysis_of(state, report(state, seed))

        return run

    return {
        "greedy": reported(lambda state, seed: _core.one_ply(state, seed=seed)),
        "mcts": reported(lambda state, seed: mcts.search(state, nodes=300, seed=seed)),
        "expectimax": reported(lambda state, seed: expectimax.search(state, depth=1, seed=seed)),
        "alphabeta": alphabeta and reported(lambda state, seed: alphabeta.search(state, nodes=3000, seed=seed)),
    }


def test_a_study_compares_all_actions(core: WasmCore) -> None:
    core.take("pferdeaepfel/free", {"size": 5})
    shown = core("start", 0, "automatic")
    found = core("study", "alphabeta", 1, "ms=200")
    assert sorted(line["actions"][0] for line in found["lines"]) == sorted(shown["texts"])
    values = [line["value"] for line in found["lines"]]
    assert values == sorted(values, reverse=True)


def test_proofs_are_those_of_the_native_solver(core: WasmCore) -> None:
    game = sw.make("pferdeaepfel/trail", size=5)
    core.take(game.name, game.rules)
    core("start", 0, "automatic")
    native, found = sw.agent("solver:ms=60000").analyse(game.start()), core("study", "solver", 1, "ms=60000")
    assert native.proved and found["proved"]
    assert {(line["actions"][0], line["value"], line["distance"]) for line in found["lines"]} == {
        (line.actions[0], line.value, line.distance) for line in native.lines
    }
    assert all(line["proved"] for line in found["lines"])


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (("dance",), "no verb 'dance'"),
        (("game", "chess"), "unknown ruleset 'chess'"),
        (("game", "ludo/ffa", "players"), "not of the form name=value"),
        (("game", "ludo/ffa", "players=nine"), "players must be a whole number from 2 to 4, not nine"),
        (("game", "ludo/ffa", "ranking=maybe"), "ranking must be true or false, not maybe"),
        (("game", "ludo/ffa", "dice=3"), "has no parameter 'dice'"),
        (("start", "-1", "explicit"), "seed must be a whole number"),
        (("start", "1", "loaded"), "chance is explicit or automatic"),
        (("position", "\x01\x00", "0", "explicit"), "'position' with 4 arguments"),
        (("position", "x" * 200_000, "0", "explicit"), "at most 100000 characters"),
        (("act", "9" * 40), "an action must be a whole number"),
        (("count", "-1"), "depth must be from 0 to 100"),
        (("search", "oracle", "1", "ms=1"), "unknown search 'oracle'"),
        (("search", "mcts", "1"), "a search needs a limit"),
        (("search", "mcts", "1", "ms=nan"), "ms must be a number from 0"),
        (("search", "mcts", "1", "luck=1"), "no setting 'luck'"),
        (("search", "alphabeta", "1", "memory=100000", "ms=1"), "memory must be from 0 to 256"),
        (("search", "solver", "1", "ms=10"), "can be solved"),
        (("search", "solver", "1", "depth=3"), "the solver needs a limit of ms"),
    ],
)
def test_bad_requests_are_answered_with_one_line(core: WasmCore, request_: tuple[str, ...], message: str) -> None:
    core.take("ludo/ffa", {})
    with pytest.raises(Refused) as refused:
        core(*request_)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert core("show")["position"]
