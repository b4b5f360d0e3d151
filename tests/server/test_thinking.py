"""Agents think in processes of their own."""

import asyncio
import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.agents import KINDS
from spielwerk.agents.network import SHIPPED, load_model, read_model, shipped_models
from spielwerk.cli import main
from spielwerk.server.learnt import rules_learnt
from spielwerk.server.levels import adviser_for, level_named, levels_for, read_levels, usual_levels
from spielwerk.server.protocol import Refused
from spielwerk.server.table import _stand_in_action
from spielwerk.server.thinker import _Agents, answer
from spielwerk.server.thinking import NoAnswer, Question, ThinkingPool
from tests.server.client import human, running, settings

STATE = sw.make("pferdeaepfel/trail").start(seed=1)

# Agents for these tests only, made known to the thinking processes by a module that Python loads at its start.
TRICKS = """
import os, sys, time
from dataclasses import dataclass
from typing import ClassVar

def install():
    from spielwerk.agents import KINDS
    from spielwerk.agents.specs import Agent

    def kind(name, act):
        KINDS[name] = dataclass(type(name.title(), (Agent,), {"kind": name, "summary": "", "act": act}))

    kind("sleeps", lambda self, state: time.sleep(60))
    kind("naps", lambda self, state: time.sleep(0.4) or state.legal_actions[0])
    kind("dies", lambda self, state: os._exit(3))
    kind("fails", lambda self, state: 1 // 0)
    kind("prints", lambda self, state: print("noise") or state.legal_actions[0])
    kind("cheats", lambda self, state: 63)
    kind("solver", lambda self, state: state.legal_actions[0])
    from spielwerk.agents import Analysis, Line
    def proof(self, state):
        return Analysis([Line([state.text(state.legal_actions[0])], -1.0, proved=True, distance=12)], proved=True)
    KINDS["solver"].analyse = proof

install()
"""


@pytest.fixture
def tricks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tricks.py").write_text(TRICKS)
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nif 'spielwerk.server.thinker' in ' '.join(sys.orig_argv): import tricks\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")


def ask(spec: str, *, key: str = "k", seconds: float = 30.0) -> Question:
    return Question.about(STATE, key=key, spec=spec, seconds=seconds)


def with_pool(processes: int, script: Any) -> Any:
    async def run() -> Any:
        pool = ThinkingPool(processes, waiting=50)
        try:
            return await script(pool)
        finally:
            await pool.close()

    return asyncio.run(run())


@pytest.mark.usefixtures("tricks")
def test_a_process_that_fails_dies_or_sleeps_is_replaced() -> None:
    async def script(pool: ThinkingPool) -> list[str]:
        heard = []
        for spec in ("fails", "dies", "sleeps", "prints", "random"):
            try:
                heard.append((await pool.ask(ask(spec, seconds=0.5 if spec == "sleeps" else 30)))["action"])
            except NoAnswer as failure:
                heard.append(failure.why)
        return heard

    *failures, noisy, fine = with_pool(1, script)
    assert failures == ["failure", "crash", "overtime"]
    assert noisy in ("b6", "c7") and fine in ("b6", "c7")


@pytest.mark.usefixtures("tricks")
def test_slow_questions_leave_a_process_for_quick_ones() -> None:
    async def script(pool: ThinkingPool) -> float:
        await pool.ask(ask("random"))
        slow = [asyncio.create_task(pool.ask(ask("sleeps", key=f"s{n}", seconds=30))) for n in range(4)]
        await asyncio.sleep(0.1)
        began = time.monotonic()
        for _ in range(3):
            await pool.ask(ask("random", key="quick", seconds=5))
        took = time.monotonic() - began
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        return took

    assert with_pool(2, script) < 5


@pytest.mark.usefixtures("tricks")
def test_games_take_turns_by_the_time_they_have_used() -> None:
    """A game that asks for much does not go before one that asks for the first time."""

    async def script(pool: ThinkingPool) -> list[str]:
        order: list[str] = []

        async def one(key: str) -> None:
            await pool.ask(ask("naps", key=key, seconds=30))
            order.append(key)

        await one("greedy game")
        await asyncio.gather(*(one(key) for key in ("busy", "greedy game", "newcomer")))
        return order

    assert with_pool(1, script) == ["greedy game", "busy", "newcomer", "greedy game"]


@pytest.mark.usefixtures("tricks")
def test_clients_take_turns_however_many_games_one_of_them_has() -> None:
    async def script(pool: ThinkingPool) -> list[str]:
        order: list[str] = []

        async def one(client: str, number: int) -> None:
            question = Question.about(STATE, key=f"{client} {number}", spec="naps", seconds=30, client=client)
            await pool.ask(question)
            order.append(client)

        rude = [asyncio.create_task(one("rude", number)) for number in range(6)]
        await asyncio.sleep(0.1)
        await asyncio.gather(one("honest", 0), one("honest", 1))
        await asyncio.gather(*rude)
        return order

    order = with_pool(1, script)
    assert order[:4] in (["rude", "honest", "rude", "honest"], ["rude", "honest", "honest", "rude"])


@pytest.mark.usefixtures("tricks")
def test_slow_questions_of_one_client_leave_a_process_for_anothers_slow_ones() -> None:
    async def script(pool: ThinkingPool) -> float:
        rude = [
            asyncio.create_task(
                pool.ask(Question.about(STATE, key=str(number), spec="sleeps", seconds=30, client="rude"))
            )
            for number in range(4)
        ]
        await asyncio.sleep(0.1)
        began = time.monotonic()
        await pool.ask(Question.about(STATE, key="mine", spec="naps", seconds=30, client="honest"))
        took = time.monotonic() - began
        for task in rude:
            task.cancel()
        await asyncio.gather(*rude, return_exceptions=True)
        return took

    assert with_pool(3, script) < 15


def test_one_client_cannot_fill_the_queue() -> None:
    async def script(pool: ThinkingPool) -> None:
        pool._most_waiting_per_client = 5
        questions = [Question.about(STATE, key=str(n), spec="random", seconds=30, client="rude") for n in range(20)]
        tasks = [asyncio.create_task(pool.ask(question)) for question in questions]
        answers = await asyncio.gather(
            *tasks,
            pool.ask(Question.about(STATE, key="mine", spec="random", seconds=30, client="honest")),
            return_exceptions=True,
        )
        assert sum(isinstance(answer, Refused) for answer in answers) == 14, "one thinks, five wait"
        assert isinstance(answers[-1], dict)

    with_pool(1, script)


@pytest.mark.usefixtures("tricks")
def test_a_hung_process_is_replaced_and_the_question_asked_again() -> None:
    async def script(pool: ThinkingPool) -> None:
        await pool.ask(ask("random"))
        process = pool._idle[-1]._process
        assert process is not None
        os.kill(process.pid, signal.SIGSTOP)
        said = await pool.ask(ask("random", seconds=4))
        assert said["action"] and pool.retried == 1

    with_pool(1, script)


def test_a_full_queue_refuses_more() -> None:
    async def script(pool: ThinkingPool) -> None:
        tasks = [asyncio.create_task(pool.ask(ask("random", key=str(n)))) for n in range(60)]
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        assert any(isinstance(answer, Refused) and answer.code == "too_many" for answer in answers)
        assert any(isinstance(answer, dict) for answer in answers)

    with_pool(1, script)


@pytest.mark.usefixtures("tricks")
@pytest.mark.parametrize(("spec", "why"), [("dies", "crash"), ("cheats", "failure"), ("sleeps", "overtime")])
def test_the_game_goes_on_when_an_agent_gives_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str, why: str
) -> None:
    monkeypatch.setitem(KINDS, spec, KINDS["random"])
    title = {"en": spec, "de": spec}
    levels = [
        {"id": name, "title": title, "summary": title, "choices": [{"spec": name}], "seconds": 0.5}
        for name in (spec, "greedy")
    ]
    file = tmp_path / "levels.json"
    file.write_text(json.dumps(levels))
    with running(settings(tmp_path, levels_file=file, agent_processes=1)) as server:
        opened = server.open("pferdeaepfel/trail", human(), {"kind": "agent", "level": spec})
        with server.player(opened["id"], *opened["tokens"].values(), scenes=False) as player:
            player.play("b6")
            event = player.until("event", kind="play", seat=1)
            assert event["fallback"] == why
            player.play(event["legal"][0])
        record = server.get(f"/api/tables/{opened['id']}/record")
        assert record["comments"]["2"] == f"played by a stand-in: {why}"
    assert main(["backup", str(tmp_path / "all.jsonl"), "--database", str(tmp_path / "games.db")]) == 0
    assert json.loads((tmp_path / "all.jsonl").read_text())["comments"]["2"] == f"played by a stand-in: {why}"


def test_the_stand_in_plays_what_looks_best_and_not_anything() -> None:
    state, source = sw.make("pferdeaepfel/classic").start(seed=1), random.Random(1)
    for _ in range(12):
        best = {state.text(sw.agent(f"greedy:seed={seed}").act(state)) for seed in range(60)}
        assert len(best) < len(state.legal_actions) or len(state.legal_actions) < 4
        assert _stand_in_action(state) in best
        state.play(source.choice(state.legal_actions))


def test_thinking_processes_end_with_the_server() -> None:
    async def script(pool: ThinkingPool) -> int:
        await pool.ask(ask("random"))
        process = pool._idle[-1]._process
        assert process is not None
        return process.pid

    pid = with_pool(1, script)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_thinking_process_notices_that_nobody_asks_any_more() -> None:
    import subprocess

    process = subprocess.Popen(
        [sys.executable, "-m", "spielwerk.server.thinker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None and process.stdout is not None
    assert b"ready" in process.stdout.readline()
    process.stdin.close()
    assert process.wait(10) == 0
    process.stdout.close()


def test_levels_go_from_weak_to_strong_and_need_their_agents() -> None:
    game = sw.make("pferdeaepfel/trail")
    ids = [level.id for level in levels_for(game, usual_levels())]
    assert ids[:3] == ["random", "beginner", "greedy"]
    for level in levels_for(game, usual_levels()):
        choice = level.choice(game)
        assert choice is not None and choice.spec.partition(":")[0] in KINDS
    with pytest.raises(Refused, match="there are: random"):
        level_named("greedy:seed=1", game, usual_levels())


@pytest.mark.parametrize(
    ("name", "rules", "network"),
    [
        ("ludo/ffa", {}, True),
        ("ludo/ffa", {"players": 2}, True),
        ("ludo/ffa", {"players": 3}, True),
        ("ludo/teams", {}, True),
        ("ludo/ffa", {"ranking": True}, False),
        ("ludo/teams", {"exact_finish": True}, False),
    ],
)
def test_the_strongest_level_thinks_with_a_shipped_network_of_afterstates_where_it_learnt(
    name: str, rules: dict[str, Any], network: bool
) -> None:
    game = sw.make(name, **rules)
    specs = {level.id: choice.spec for level in usual_levels() if (choice := level.choice(game)) is not None}
    assert specs["expert"] == "expectimax:depth=3", "a page can do that by itself"
    assert specs["master"] == ("expectimax:depth=3,model=shipped" if network else "expectimax:depth=4")


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts a model that says nothing where shipped ones are looked for."""
    onnx = pytest.importorskip("onnx", reason="the training extras are not installed")
    monkeypatch.setattr("spielwerk.agents.network.SHIPPED", tmp_path / "models")

    def ship(name: str, **card: Any) -> sw.Game:
        game = sw.make(name)
        path = tmp_path / "models" / f"{name}.onnx"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(silent_model(onnx, game))
        path.with_suffix(".json").write_text(json.dumps({"game": name, "rules": game.rules, **card}))
        return game

    yield ship
    read_model.cache_clear()


def silent_model(onnx: Any, game: sw.Game) -> bytes:
    """Zero for every action and for the value."""
    helper, kind = onnx.helper, onnx.TensorProto
    features = int(np.prod(game.observation_shape))
    weights = [
        onnx.numpy_helper.from_array(np.zeros(shape, np.float32), name)
        for name, shape in (("actions", (features, game.num_actions)), ("worth", (features, 1)))
    ]
    nodes = [
        helper.make_node("Cast", ["planes"], ["numbers"], to=kind.FLOAT),
        helper.make_node("Flatten", ["numbers"], ["flat"]),
        helper.make_node("MatMul", ["flat", "actions"], ["logits"]),
        helper.make_node("MatMul", ["flat", "worth"], ["column"]),
        helper.make_node("Reshape", ["column", "flat_shape"], ["value"]),
    ]
    graph = helper.make_graph(
        nodes,
        "silent",
        [helper.make_tensor_value_info("planes", kind.UINT8, ["batch", *game.observation_shape])],
        [
            helper.make_tensor_value_info("logits", kind.FLOAT, ["batch", game.num_actions]),
            helper.make_tensor_value_info("value", kind.FLOAT, None),
        ],
        [*weights, onnx.numpy_helper.from_array(np.array([-1]), "flat_shape")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


def test_shipped_networks_join_the_levels_by_themselves(shipped: Any) -> None:
    game = shipped("pferdeaepfel/trail")
    level = level_named("network", game, usual_levels())
    assert "not measured" in level.summary_for(game).en
    choice = level.choice(game)
    assert choice is not None
    question = {"ask": "act", "spec": choice.spec, "game": game.name, "rules": game.rules}
    said = answer(question | {"position": STATE.to_text()}, _Agents())
    assert said["action"] in [STATE.text(action) for action in STATE.legal_actions]
    for other in (sw.make("pferdeaepfel/classic"), sw.make("pferdeaepfel/trail", size=6)):
        assert "network" not in [level.id for level in levels_for(other, usual_levels())], "it was not trained for this"


@pytest.mark.parametrize(
    ("rates", "above", "said"),
    [
        ({"greedy": 0.83, "club": 0.41}, "greedy", "83 % of the points against Greedy in 400 games"),
        ({"greedy": 0.83, "club": 0.41, "expert": 0.6}, "expert", "60 % of the points against Expert in 400 games"),
        ({"greedy": 0.2}, "random", "20 % of the points against Greedy in 400 games"),
    ],
)
def test_a_network_stands_where_its_figures_put_it(
    shipped: Any, rates: dict[str, float], above: str, said: str
) -> None:
    measured = {level: {"rate": rate, "games": 400} for level, rate in rates.items()}
    game = shipped("pferdeaepfel/trail", measured=measured)
    ids = [level.id for level in levels_for(game, usual_levels())]
    assert ids[ids.index("network") - 1] == above
    assert said in level_named("network", game, usual_levels()).summary_for(game).en


def test_a_card_with_nonsense_for_figures_is_refused_in_one_line(shipped: Any) -> None:
    shipped("pferdeaepfel/trail", measured={"greedy": 3})
    with pytest.raises(ValueError, match="the card of the model pferdeaepfel/trail"):
        usual_levels()


def test_hints_come_from_a_quick_adviser_or_from_the_solver_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(KINDS, "solver", raising=False)
    trail, ludo = sw.make("pferdeaepfel/trail"), sw.make("ludo/ffa")
    for game in (trail, ludo):
        adviser = adviser_for(game, usual_levels())
        assert adviser is not None and adviser.id == "expert"
    monkeypatch.setitem(KINDS, "solver", KINDS["random"])
    solver = adviser_for(trail, usual_levels())
    assert solver is not None and solver.id == "perfect"


@pytest.mark.usefixtures("tricks")
def test_a_proof_is_told_with_its_distance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "solver", KINDS["random"])
    with running(settings(tmp_path, agent_processes=1)) as server:
        opened = server.open("pferdeaepfel/trail", human(), human(), hotseat=True)
        hint = server.http.post(f"/api/tables/{opened['id']}/hint", json={"level": "perfect"}).json()
    assert (hint["level"], hint["value"], hint["proved"], hint["distance"]) == ("perfect", -1.0, True, 12)


@pytest.mark.usefixtures("tricks")
def test_where_an_adviser_takes_too_long_a_quicker_one_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "sleeps", KINDS["random"])
    words = {"en": "x", "de": "x"}
    levels = [
        {"id": "greedy", "seconds": 4, "advises": True, "choices": [{"spec": "greedy"}]},
        {"id": "slow", "seconds": 4.5, "advises": True, "choices": [{"spec": "sleeps"}]},
    ]
    (tmp_path / "levels.json").write_text(json.dumps([{"title": words, "summary": words, **level} for level in levels]))
    monkeypatch.setattr("spielwerk.server.tables.HINT_SECONDS", 2.0)
    with running(settings(tmp_path, agent_processes=1, levels_file=tmp_path / "levels.json")) as server:
        opened = server.open("pferdeaepfel/trail", human(), human(), hotseat=True)
        hint = server.http.post(f"/api/tables/{opened['id']}/hint", json={"level": "slow"}).json()
    assert hint["level"] == "greedy"


def test_an_operators_list_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "levels.json"
    for content in ("[", "{}", '[{"id": "x"}]', "[]"):
        file.write_text(content)
        with pytest.raises(ValueError, match=r"levels\.json"):
            read_levels(file)


def test_a_list_of_levels_starts_no_program_unless_that_is_allowed(tmp_path: Path) -> None:
    words = {"en": "x", "de": "x"}
    levels = [
        {"id": id, "title": words, "summary": words, "choices": [{"spec": spec}]}
        for id, spec in (("greedy", "greedy"), ("own", "engine:touch x"))
    ]
    (tmp_path / "levels.json").write_text(json.dumps(levels))
    with pytest.raises(ValueError, match="--allow-engines"):
        read_levels(tmp_path / "levels.json")
    assert len(read_levels(tmp_path / "levels.json", allow_engines=True)) == 2


def test_the_beginner_loses_to_greedy_and_beats_random() -> None:
    """Believable: better than chance, worse than the agent it imitates."""
    game = sw.make("pferdeaepfel/free", size=6)

    def wins(first: str, second: str) -> int:
        won = 0
        for number in range(60):
            agents = [
                sw.agent(f"{first}{',' if ':' in first else ':'}seed={number}"),
                sw.agent(f"{second}:seed={number}"),
            ]
            mine = number % 2
            order = agents if mine == 0 else agents[::-1]
            state = game.start(seed=number)
            while not state.over:
                assert state.player is not None
                state.play(order[state.player].act(state))
            won += mine in state.winner
        return won

    assert wins("greedy:errs=0.35", "random") > 30 > wins("greedy:errs=0.35", "greedy")


def test_signals_to_the_server_do_not_reach_thinkers() -> None:
    async def script(pool: ThinkingPool) -> None:
        await pool.ask(ask("random"))
        process = pool._idle[-1]._process
        assert process is not None
        assert os.getsid(process.pid) != os.getsid(0)
        os.kill(process.pid, signal.SIGKILL)
        await asyncio.sleep(0.1)
        assert (await pool.ask(ask("random")))["action"], "another process answers"
        assert pool.replaced == pool.retried == 1

    with_pool(1, script)


def test_runs_of_a_folder_are_levels_under_their_names(tmp_path: Path) -> None:
    game = sw.make("pferdeaepfel/trail")
    for name in ("Mein Lauf, zwei", "other"):
        folder = tmp_path / name / "best"
        folder.mkdir(parents=True)
        for suffix in (".onnx", ".json"):
            shutil.copyfile((SHIPPED / game.name).with_suffix(suffix), folder / f"model{suffix}")
    (tmp_path / "empty").mkdir()
    levels = read_levels(None, tmp_path)
    added = levels[len(usual_levels()) :]
    assert [level.title.en for level in added] == ["Mein Lauf, zwei", "other"]
    assert added == read_levels(None, tmp_path)[len(usual_levels()) :], "ids outlast a restart of the server"
    choice = level_named(added[0].id, game, levels).choice(game)
    assert choice is not None
    question = {"ask": "act", "spec": choice.spec, "game": game.name, "rules": game.rules}
    said = answer(question | {"position": STATE.to_text()}, _Agents())
    assert said["action"] in [STATE.text(action) for action in STATE.legal_actions]
    assert [level.title.en for level in read_levels(None, tmp_path / "other")[-1:]] == ["other"]
    smaller = sw.make("pferdeaepfel/trail", size=6)
    assert "trained here under the usual rules" in level_named(added[0].id, smaller, levels).summary_for(smaller).en
    start = smaller.start(seed=0)
    said = answer(question | {"rules": smaller.rules, "position": start.to_text()}, _Agents())
    assert said["action"] in [start.text(action) for action in start.legal_actions]
    other = sw.make("pferdeaepfel/classic")
    assert added[0].id not in [level.id for level in levels_for(other, levels)], "it was not trained for this"


def test_a_run_whose_network_holds_a_size_is_a_level_on_no_other_board(tmp_path: Path) -> None:
    name = "ludo/ffa"
    (tmp_path / "run/best").mkdir(parents=True)
    for suffix in (".onnx", ".json"):
        shutil.copyfile((SHIPPED / name).with_suffix(suffix), tmp_path / f"run/best/model{suffix}")
    (level,) = read_levels(None, tmp_path)[len(usual_levels()) :]
    assert level.choice(sw.make(name)) is not None
    assert level.choice(sw.make(name, players=2)) is None


@pytest.mark.parametrize("name", shipped_models())
def test_shipped_networks_are_offered_on_other_boards_where_they_hold_no_size(name: str) -> None:
    network = next(level for level in usual_levels() if level.id == "network")
    rules: dict[str, dict[str, Any]] = {
        "diavolo": {"side": 30},
        "ludo": {"exact_finish": True},
        "pferdeaepfel": {"size": 5},
    }
    other = sw.make(name, **rules[name.partition("/")[0]])
    assert (network.choice(other) is not None) == load_model(name).any_size


def test_a_network_is_not_offered_where_planes_have_another_scale() -> None:
    network = next(level for level in usual_levels() if level.id == "network")
    game = sw.make("pferdeaepfel/classic", brown=200)
    assert network.choice(game) is None
    assert not load_model(game.name).plays(game)


@pytest.mark.parametrize(
    ("rules", "mix", "said"),
    [
        ({}, "", ("under the usual rules", "unter den üblichen Regeln")),
        ({"size": 6}, "", ("(Board size 6)", "(Brettgröße 6)")),
        (
            {"starter": "white"},
            "size=5,6,7",
            ("(Board size 5 to 7; First move White)", "(Brettgröße 5 bis 7; Erster Zug Weiß)"),
        ),
        ({}, "size=5,8", ("(Board size 5, 8)", "(Brettgröße 5, 8)")),
    ],
)
def test_a_card_says_under_which_rules_a_network_has_learnt(
    rules: dict[str, Any], mix: str, said: tuple[str, str]
) -> None:
    learnt = rules_learnt({"game": "pferdeaepfel/carry", "rules": rules, "config": {"mix": mix}})
    assert (learnt.en, learnt.de) == said


def test_a_folder_without_models_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no run with a model") as refused:
        read_levels(None, tmp_path)
    assert "\n" not in str(refused.value)
    with pytest.raises(ValueError, match="is no folder"):
        read_levels(None, tmp_path / "nowhere")


def study(spec: str, milliseconds: float, position: str = "") -> Question:
    state = sw.make("pferdeaepfel/classic").start(seed=1)
    return Question.about(state, key="k", spec=spec, seconds=60, ask="study", milliseconds=milliseconds)


def test_a_study_says_what_every_action_is_worth() -> None:
    async def script(pool: ThinkingPool) -> dict[str, Any]:
        return await pool.ask(study("alphabeta:ms=1000", 1000))

    said = with_pool(1, script)
    assert {line["actions"][0] for line in said["lines"]} == {"b6", "c7"}
    assert all(len(line["actions"]) > 1 for line in said["lines"]), "each with how it goes on"
    assert said["nodes"] > 0 and said["depth"] > 0 and said["final"] is False


def test_agents_without_a_clock_study_once() -> None:
    async def script(pool: ThinkingPool) -> list[dict[str, Any]]:
        return [await pool.ask(study(spec, 100)) for spec in ("greedy", "alphabeta:depth=2")]

    assert [said["final"] for said in with_pool(1, script)] == [True, True]


@pytest.mark.parametrize("spec", ["alphabeta:ms=1", "mcts:ms=1", "solver"])
def test_whoever_stops_waiting_stops_the_thinking(spec: str) -> None:
    """The only process is free for the next question long before the minute that the first one would take."""

    async def script(pool: ThinkingPool) -> dict[str, Any]:
        long = asyncio.create_task(pool.ask(study(spec, 60_000)))
        while pool.thinking == 0:
            await asyncio.sleep(0.01)
        await asyncio.sleep(1.0)
        long.cancel()
        return await asyncio.wait_for(pool.ask(study("greedy", 1)), 20)

    assert with_pool(1, script)["final"]
