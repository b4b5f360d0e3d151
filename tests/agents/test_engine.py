"""Engines in other programs: they play what the agent itself would play, and whatever else they do is survived."""

import gc
import io
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import spielwerk as sw
from spielwerk.agents import KINDS
from spielwerk.agents.engines.agent import EngineAgent
from spielwerk.agents.engines.lines import Limits
from spielwerk.agents.engines.process import EngineProcess
from spielwerk.agents.engines.server import EngineServer
from spielwerk.errors import EngineError

ROOT = Path(__file__).parents[2]
CHEAT = Path(__file__).with_name("cheating_engine.py")
SERVED = f"{sys.executable} -m spielwerk engine"


def cheat(way: str, pids: Path | str = "", **options: float | str) -> EngineAgent:
    return EngineAgent(command=f"{sys.executable} {CHEAT} {way} {pids}", **options)  # type: ignore[arg-type]


@pytest.fixture
def state() -> sw.State:
    return sw.make("pferdeaepfel/trail").start()


def running(pid: int) -> bool:
    """Whether a process lives; one that is dead and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def assert_ended(pids: list[int]) -> None:
    limit = time.monotonic() + 20
    while any(map(running, pids)):
        assert time.monotonic() < limit, f"{[pid for pid in pids if running(pid)]} still run"
        time.sleep(0.01)


def children() -> list[str]:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    before = children()
    yield
    gc.collect()
    assert children() == before


# -- both directions -----------------------------------------------------------------------------------


def served(spec: str) -> EngineAgent:
    return EngineAgent(command=f"{SERVED} {spec}", startup=60)


def test_a_served_agent_plays_what_it_plays_itself_in_every_game() -> None:
    spec = "mcts:sims=40,seed=5"
    engine, itself = served(spec), sw.agent(spec)
    for name in sw.games():
        state = sw.make(name).start(seed=2)
        for _ in range(25):
            if state.over:
                break
            answer, meant = engine.decide(state), itself.decide(state)
            assert answer[0] == meant[0]
            assert replace(answer[1], milliseconds=0) == replace(meant[1], milliseconds=0)
            state.play(answer[0])
    engine.close()


@pytest.mark.parametrize(
    "spec", ["greedy:seed=3", "random:seed=3", "alphabeta:depth=2,seed=3", "expectimax:depth=1,seed=3"]
)
def test_whole_games_of_served_agents(spec: str) -> None:
    name = "ludo/teams" if spec.startswith("expectimax") else "pferdeaepfel/classic"
    engine, itself = served(spec), sw.agent(spec)
    state = sw.make(name, **({"max_plies": 60} if name.startswith("ludo") else {})).start(seed=4)
    while not state.over:
        action = engine.act(state)
        assert action == itself.act(state)
        state.play(action)
    engine.close()


def test_a_served_solver_tells_proofs_and_distances() -> None:
    state = sw.make("pferdeaepfel/trail", size=5).start()
    engine = served("solver:ms=20000,seed=1")
    answer = engine.analyse(state)
    engine.close()
    assert answer.proved and answer.lines[0].distance == 14
    assert all(line.proved and line.value == -1 for line in answer.lines)


def test_limits_reach_the_served_agent() -> None:
    state = sw.make("pferdeaepfel/classic").start()
    engine = EngineAgent(command=f"{SERVED} alphabeta:seed=1", depth=2, startup=60)
    assert engine.analyse(state).depth == 2
    engine.close()
    engine = EngineAgent(command=f"{SERVED} mcts:seed=1", nodes=30, startup=60)
    assert engine.analyse(state).nodes == 30
    engine.close()


def test_options_reach_the_served_agent(state: sw.State) -> None:
    engine = EngineAgent(command=f"{SERVED} alphabeta", options="depth=3; seed=7", startup=60)
    assert engine.analyse(state).lines == sw.agent("alphabeta:depth=3,seed=7").analyse(state).lines
    engine.close()
    engine.options = "dpeth=3"
    with pytest.raises(
        ValueError, match="has no option 'dpeth'; there are: depth, memory, model, ms, nodes, seed, threads"
    ):
        engine.act(state)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_the_example_in_javascript_plays_every_game() -> None:
    engine = EngineAgent(command=f"node {ROOT / 'examples/engines/random_engine.js'}", startup=60)
    for name in sw.games():
        state = sw.make(name).start(seed=1)
        for _ in range(40):
            if not state.over:
                state.play(engine.act(state))
    engine.close()


# -- specs ---------------------------------------------------------------------------------------------


def test_a_spec_holds_a_whole_command() -> None:
    short = sw.agent(f"engine:{sys.executable} -c --x=3,ms=20")
    quoted = sw.agent(f'engine:"{sys.executable} mcts:sims=1,seed=2",timeout=3')
    assert isinstance(short, EngineAgent) and isinstance(quoted, EngineAgent)
    assert (short.command, short.ms) == (f"{sys.executable} -c --x=3", 20)
    assert quoted.command == f"{sys.executable} mcts:sims=1,seed=2"
    for engine in (short, quoted, EngineAgent(command=f'{sys.executable} -c "print(1, 2)"')):
        assert sw.agent(engine.spec) == engine


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("engine", "name a program"),
        ("engine:/no/such/program", "there is no program '/no/such/program'"),
        ("engine:'", "is no command"),
        (f"engine:{sys.executable},ms=-1", "ms must be a number from 0"),
        (f"engine:{sys.executable},startup=0", "must be more than 0"),
        (f"engine:{sys.executable},sims=3", "no option 'sims=3'"),
    ],
)
def test_bad_specs_are_refused_before_anything_runs(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sw.agent(spec)


# -- misbehaviour --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "code", "message"),
    [
        ("crashes", "crashed", "ended with exit code 1: RuntimeError: out of ideas"),
        ("exits", "crashed", "ended with exit code 3"),
        ("breaks", "crashed", "was ended by SIGSEGV"),
        ("dies-at-once", "crashed", "ended with exit code 1: no licence"),
        ("closes-output", "crashed", "closed its output"),
        ("chatters", "flooded", "wrote more than"),
        ("drones", "flooded", "wrote a line of more than"),
        ("illegal", "illegal", "played 'a1': "),
        ("unheard-of", "illegal", r"played '\?\[2Jxyzzy': "),
        ("moves-nothing", "illegal", "played '': "),
        ("whole-turn", "illegal", "played 'c7 c7'"),
        ("nonsense", "malformed", "wrote nonsense: 'nan' is no number from -1 to 1"),
        ("newer", "malformed", "speaks version '2' of the protocol, not 1"),
        ("refuses", "refused", "says: I do not feel like it"),
        ("only-ludo", "refused", "does not play pferdeaepfel/trail"),
    ],
)
def test_a_failing_engine_is_told_apart_and_ended(
    state: sw.State, tmp_path: Path, way: str, code: str, message: str
) -> None:
    engine = cheat(way, tmp_path / "pids", startup=60, timeout=60)
    before = state.clone()
    with pytest.raises(EngineError, match=message) as failure:
        engine.act(state)
    assert failure.value.code == code
    assert str(failure.value).isprintable()
    assert state == before
    assert_ended([int(pid) for pid in (tmp_path / "pids").read_text().split()])


@pytest.mark.parametrize("way", ["silent", "grumbles", "chatters"])
def test_an_engine_that_takes_too_long_is_given_up_with_its_children(state: sw.State, tmp_path: Path, way: str) -> None:
    engine = cheat("honest", tmp_path / "pids", startup=60, options=f"style={way}", timeout=0.2)
    engine.command = engine.command.replace("honest", "with-child")
    with pytest.raises(EngineError, match=r"took too long over its move|wrote more than") as failure:
        engine.act(state)
    assert failure.value.code in ("silent", "flooded")
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2
    assert_ended(pids)


@pytest.mark.parametrize("way", ["never-starts", "deaf"])
def test_an_engine_that_does_not_start_is_given_up(state: sw.State, way: str) -> None:
    with pytest.raises(EngineError, match="took too long over its declaration") as failure:
        cheat(way, startup=0.3).act(state)
    assert failure.value.code == "silent"


def test_an_engine_that_does_not_read_cannot_block_us() -> None:
    process = EngineProcess([sys.executable, "-c", "import time; time.sleep(3600)"], "sleeper")
    with pytest.raises(EngineError, match="does not read what it is sent") as failure:
        process.send("x" * 1_000_000, deadline=time.monotonic() + 0.3)
    assert failure.value.code == "silent"


def test_a_move_that_nobody_asked_for_ends_the_game(state: sw.State) -> None:
    engine = cheat("plays-two", startup=60)
    state.play(engine.act(state))
    with pytest.raises(EngineError, match="gave a move that nobody had asked for"):
        engine.act(state)


def test_the_arena_counts_a_failing_engine_as_lost(tmp_path: Path) -> None:
    from spielwerk.arena.match import play
    from spielwerk.arena.schedule import Schedule

    spec = f"engine:{sys.executable} {CHEAT} illegal {tmp_path / 'pids'},startup=60"
    played = play(Schedule(sw.make("pferdeaepfel/trail"), (spec, "random"), opening=0).pairing(0)[0])
    assert played.result.scores == (0.0, 1.0)
    assert "played 'a1': a1 is no knight's jump" in played.result.forfeit
    assert_ended([int(pid) for pid in (tmp_path / "pids").read_text().split()])


def test_the_arenas_patience_ends_an_engine(tmp_path: Path) -> None:
    from spielwerk.arena.match import play
    from spielwerk.arena.schedule import Schedule

    spec = f"engine:{sys.executable} {CHEAT} silent {tmp_path / 'pids'},startup=60"
    lineup = ("greedy", spec)
    played = play(Schedule(sw.make("pferdeaepfel/trail"), lineup, opening=0, patience=2.0).pairing(0)[0])
    assert played.result.scores == (1.0, 0.0) and "took more than 2 seconds" in played.result.forfeit
    assert_ended([int(pid) for pid in (tmp_path / "pids").read_text().split()])


def test_the_next_game_starts_the_engine_again(state: sw.State) -> None:
    engine = cheat("exits", startup=60)
    for _ in range(2):
        with pytest.raises(EngineError, match="exit code 3"):
            engine.act(state)
    engine.options = "style=honest"
    assert engine.act(state) in state.legal_actions
    engine.close()
    assert engine.act(state) in state.legal_actions


def test_an_engine_without_a_clock_is_message_to_stop(state: sw.State) -> None:
    engine = cheat("waits-for-stop", startup=60, ms=1, timeout=60)
    assert state.text(engine.act(state)) == "c7"


def test_what_is_printed_beside_the_protocol_does_no_harm(state: sw.State) -> None:
    assert cheat("binary", startup=60).act(state) in state.legal_actions


def test_analyse_takes_the_info_lines(state: sw.State) -> None:
    analysis = cheat("honest", startup=60).analyse(state)
    assert (analysis.depth, analysis.nodes, analysis.milliseconds) == (3, 7, 1.5)
    assert (analysis.lines[0].actions, analysis.lines[0].value, analysis.lines[0].visits) == (["c7"], 0.5, 4)


def test_lines_are_cut_where_the_rules_forbid_them(state: sw.State) -> None:
    analysis = cheat("wild-lines", startup=60).analyse(state)
    assert [line.actions for line in analysis.lines] == [["c7"]]
    assert (analysis.lines[0].value, analysis.lines[0].proved) == (0.25, True)


def test_nobody_is_asked_where_nobody_acts() -> None:
    state = sw.make("pferdeaepfel/trail", size=3).start()
    while not state.over:
        state.play(state.legal_actions[0])
    with pytest.raises(ValueError, match="no seat is to act"):
        cheat("honest").act(state)


def test_a_forgotten_engine_is_ended(state: sw.State, tmp_path: Path) -> None:
    engine = cheat("with-child", tmp_path / "pids", startup=60)
    engine.act(state)
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert all(map(running, pids))
    del engine
    gc.collect()
    assert_ended(pids)


def test_a_killed_owner_takes_its_engine_along(tmp_path: Path) -> None:
    code = f"""
import os, signal, spielwerk as sw
engine = sw.agent("engine:{sys.executable} {CHEAT} with-child {tmp_path / "pids"},startup=60")
engine.act(sw.make("pferdeaepfel/trail").start())
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == -signal.SIGKILL
    assert_ended([int(pid) for pid in (tmp_path / "pids").read_text().split()])


def test_the_error_travels_between_processes() -> None:
    error = EngineError("./x", "silent", "took too long")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.code, copy.reason) == ("engine './x' took too long", "silent", "took too long")
    assert isinstance(copy, ValueError)


# -- the served side -----------------------------------------------------------------------------------


def conversation(spec: str, *commands: str) -> list[str]:
    answers = io.StringIO()
    EngineServer(spec, KINDS, answers).serve(io.StringIO("".join(f"{command}\n" for command in commands)))
    return answers.getvalue().splitlines()


def test_the_declaration() -> None:
    said = conversation("alphabeta:depth=2", "spielwerk 1", "quit")
    assert said[0].startswith("id name spielwerk ") and said[0].endswith(" alphabeta:depth=2")
    assert said[-1] == "protocol 1"
    assert "option depth int 0 actions to look ahead; 0 for no limit" in said
    assert "game pferdeaepfel/trail" in said and "game ludo/ffa" not in said


def test_positions_by_record_and_by_text_are_the_same() -> None:
    rules = "rules pferdeaepfel/trail size=8"
    state = sw.make("pferdeaepfel/trail").replay(["b6", "g3"])
    for position in ("start moves b6 g3", f"text {state.to_text()}", "text W7/8/8/8/8/8/8/7B w moves b6 g3"):
        said = conversation("alphabeta:depth=3,seed=1", rules, f"position {position}", "go")
        assert said[-1] == f"bestmove {state.text(sw.agent('alphabeta:depth=3,seed=1').act(state))}"


def test_dice_are_part_of_the_record() -> None:
    moves = "d1 pass d6"
    said = conversation("greedy:seed=1", "rules ludo/ffa players=2", f"position start moves {moves}", "go")
    assert said[-1] in ("bestmove 0", "bestmove 1", "bestmove 2", "bestmove 3")
    said = conversation("greedy", "rules ludo/ffa", "position start", "go")
    assert said == ["error no seat is to act in this position"]


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        (["xyzzy"], "unknown command 'xyzzy'"),
        (["go"], "a position comes before go"),
        (["position start"], "rules come before a position"),
        (["rules"], "unknown ruleset ''"),
        (["rules go/19"], "unknown ruleset 'go/19'; there are: diavolo/standard"),
        (["rules pferdeaepfel/trail size=9"], "size must be a whole number from 3 to 8, not 9"),
        (["rules pferdeaepfel/trail colour=9"], "has no parameter 'colour=9'"),
        (["rules pferdeaepfel/trail", "position"], "a position is 'start' or 'text TEXT'"),
        (["rules pferdeaepfel/trail", "position text hello"], "impossible position"),
        (["rules pferdeaepfel/trail", "position start moves b6 b6"], "ply 2: 'b6' cannot be played"),
        (["rules pferdeaepfel/carry", "position start"], "several first positions"),
        (["rules pferdeaepfel/trail", "position start", "go plies 3"], "unknown limit 'plies'"),
        (["rules pferdeaepfel/trail", "position start", "go ms soon"], "'soon' is no number"),
        (["rules pferdeaepfel/trail", "position start", "go depth -1"], "'-1' is no whole number"),
        (["setoption depth deep"], "depth must be a whole number"),
        (["setoption size 3"], "no option 'size'; there are: ms, seed, depth, nodes"),
    ],
)
def test_the_server_answers_bad_commands_with_an_error_and_goes_on(commands: list[str], message: str) -> None:
    good = ["isready", "rules pferdeaepfel/trail", "position start", "go depth 1"]
    said = conversation("alphabeta:seed=1", *commands, *good)
    assert said[0].startswith("error ") and message in said[0]
    assert said[1] == "readyok" and said[-1].startswith("bestmove ")


def test_stop_cuts_a_search_short_and_is_ignored_when_idle() -> None:
    commands = ["rules pferdeaepfel/free", "position start", "stop", "go depth 99", "isready", "stop", "isready"]
    said = conversation("alphabeta:seed=1", *commands)
    assert said[0] == "readyok" and said[-1] == "readyok"
    assert sum(line.startswith("bestmove ") for line in said) == 1


@pytest.mark.parametrize("last", ["quit\n", ""])
@pytest.mark.parametrize("go", ["go depth 4", "go ms 60000"])
def test_quit_and_the_end_of_input_stop_the_search_and_wait_for_it(go: str, last: str) -> None:
    commands = f"rules pferdeaepfel/trail\nposition start moves b6 g3\n{go}\n{last}"
    command = [*SERVED.split(), "alphabeta"]
    done = subprocess.run(command, input=commands, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "bestmove " in done.stdout


def test_a_limit_that_an_agent_does_not_have_leaves_its_own() -> None:
    commands = ["rules pferdeaepfel/trail", "position start", "go nodes 5"]
    said = conversation("expectimax:depth=3,seed=1", *commands)
    assert "info depth 3 " in said[-2] and said[-1].startswith("bestmove ")


def test_a_solver_stops_when_it_is_message() -> None:
    commands = ["rules pferdeaepfel/free", "position start", "go ms 600000", "stop"]
    assert conversation("solver:seed=1", *commands)[-1].startswith("bestmove ")


def test_people_cannot_be_served() -> None:
    with pytest.raises(ValueError, match="asks at a terminal"):
        EngineServer("human", KINDS, io.StringIO())


def test_limits_are_written_and_read() -> None:
    for limits in (Limits(), Limits(ms=12.5), Limits(ms=1e6, nodes=3, depth=4)):
        assert Limits.read(limits.line().removeprefix("go").strip()) == limits
