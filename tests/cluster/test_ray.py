"""Games on a cluster: those of one machine to the last digit, whoever dies on the way."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import spielwerk as sw
from spielwerk.arena.cluster import RayWorkers, release_here
from spielwerk.arena.report import report
from spielwerk.arena.results import Result
from spielwerk.arena.store import GameStore, Ruleset
from spielwerk.arena.tournament import Tournament, tournament_of
from spielwerk.arena.workers import InProcess, UnfitError, Workers
from tests.cluster.conftest import Nodes

PACKAGE = Path(__file__).parents[2] / "src" / "spielwerk"
TRAIL = sw.make("pferdeaepfel/trail")
PLAYERS = ("random", "greedy", "mcts:sims=400")
Join = Callable[[], RayWorkers]


def tournament(store: GameStore, games: int, players: tuple[str, ...] = PLAYERS) -> Tournament:
    return tournament_of(TRAIL, players, store, games=games)


def played(workers: Workers, games: int, on_game: Callable[[Tournament, Result], None] = lambda *_: None) -> Any:
    """A whole tournament: its records, results and ratings, without the times that games took."""
    with GameStore() as store:
        all_games = tournament(store, games)
        all_games.run(workers, lambda result: on_game(all_games, result))
        return whole(all_games, store)


def whole(all_games: Tournament, store: GameStore) -> Any:
    results = [asdict(replace(result, milliseconds=())) for result in all_games.results]
    records = sorted((record.to_json() for record in store.records()), key=str)
    return results, records, report(Ruleset.of(TRAIL), all_games.results).ratings


@dataclass(frozen=True)
class Watched:
    """A work that waits as long as nobody is to go on, and says which node it has begun on."""

    work: Callable[[Any], Any]
    folder: Path

    def __call__(self, about: Any) -> Any:
        import ray

        node = ray.get_runtime_context().get_node_id()
        while (self.folder / "wait").exists():
            (self.folder / node).touch()
            time.sleep(0.01)
        return self.work(about)


def kill_at_work(nodes: Nodes, name: str, folder: Path) -> None:
    """Kills a node in the middle of a work."""
    begun = folder / nodes.id_of(name)
    (folder / "wait").touch()
    begun.unlink(missing_ok=True)
    deadline = time.monotonic() + 120
    while not begun.exists():
        assert time.monotonic() < deadline, f"nothing begins on the node {name}"
        time.sleep(0.01)
    nodes.kill(name)
    (folder / "wait").unlink()


def test_a_tournament_with_two_nodes_killed_midway_equals_the_serial_one(
    nodes: Nodes, joined: Join, capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("second", "third"):
        nodes.add(name)
    workers = joined()
    submit = workers.submit
    monkeypatch.setattr(workers, "submit", lambda work, about: submit(Watched(work, tmp_path), about))

    def kill(all_games: Tournament, _: Result) -> None:
        if all_games.finished in (20, 60):
            kill_at_work(nodes, {20: "second", 60: "third"}[all_games.finished], tmp_path)

    assert played(workers, 60, kill) == played(InProcess(), 60)
    assert workers.deaths["node"] >= 2
    time.sleep(2)  # by now the cluster knows that they are dead
    assert capfd.readouterr() == ("", "")


def test_a_killed_worker_costs_the_games_in_flight(joined: Join) -> None:
    workers = joined()

    def kill(all_games: Tournament, _: Result) -> None:
        if all_games.finished in (10, 40):
            workers.submit(os._exit, 1).exception()  # takes the place of a game, and its worker with it

    assert played(workers, 30, kill) == played(InProcess(), 30)
    assert workers.deaths["worker"] >= 2


def test_work_that_always_kills_its_worker_is_given_up(joined: Join) -> None:
    workers = joined()
    with pytest.raises(BrokenExecutor, match="3 times"):
        workers.submit(os._exit, 1).result()
    assert workers.deaths["worker"] == 3


def test_short_works_travel_together_and_come_back_in_their_place(joined: Join) -> None:
    workers = joined()
    assert [workers.submit(abs, -number).result() for number in range(20)] == list(range(20))
    assert workers.slots > 2
    asked = [workers.submit(abs, -number) for number in range(1000)]
    assert [future.result() for future in asked] == list(range(1000))


def test_a_traceback_becomes_a_line_with_the_node_and_a_file(joined: Join) -> None:
    workers = joined()
    with pytest.raises(ValueError, match=r"^node first: ZeroDivisionError: .*\(see (.*)\)$") as caught:
        workers.submit((1).__truediv__, 0).result()
    file = Path(str(caught.value).rpartition("(see ")[2][:-1])
    assert "Traceback" in file.read_text() and "node first" in file.read_text()
    file.unlink()


def test_errors_that_people_understand_stay_as_they_are(joined: Join) -> None:
    with pytest.raises(ValueError, match=r"^invalid literal for int"):
        joined().submit(int, "seven").result()


# -- which nodes may work --------------------------------------------------------------------------

OTHER_RELEASE = """
import importlib.metadata as metadata
known = metadata.version
metadata.version = lambda name: "0.0.9" if name == "spielwerk" else known(name)
"""


def test_a_node_with_another_release_is_refused_by_name(nodes: Nodes, joined: Join, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(OTHER_RELEASE)
    with (
        nodes.having("old-node", PYTHONPATH=str(tmp_path)),
        pytest.raises(UnfitError, match=r"^node old-node has spielwerk 0\.0\.9, not "),
    ):
        joined()


def test_a_node_that_joins_later_is_refused_by_name(nodes: Nodes, joined: Join, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(OTHER_RELEASE)
    workers = joined()
    with nodes.having("late-node", PYTHONPATH=str(tmp_path)), pytest.raises(UnfitError, match=r"^node late-node has"):
        played(workers, 4000)


def test_what_differs_is_named() -> None:
    here = release_here()
    rules = here.rules | {"ludo/ffa": 99}
    assert here.difference(here) == ""
    assert "99 of the rules of ludo/ffa" in here.difference(replace(here, rules=rules))
    assert "core" in here.difference(replace(here, core="other"))
    assert "models" in here.difference(replace(here, models="other"))


ENGINE = """#!{python}
from spielwerk.cli import run
import sys
sys.argv[1:] = ["engine", "greedy:seed=1"]
run()
"""


def with_engine(folder: Path) -> str:
    """A search path with the program on it."""
    program = folder / "some-engine"
    program.write_text(ENGINE.format(python=sys.executable))
    program.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def test_engines_play_only_where_their_program_is(
    nodes: Nodes, joined: Join, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_program = with_engine(tmp_path)
    monkeypatch.setenv("PATH", with_program)
    with GameStore() as store, GameStore() as other:
        games = tournament(store, 4, ("engine:some-engine", "random"))
        with pytest.raises(ValueError, match=r"^no node of the cluster has the program some-engine$"):
            games.run(joined())
        with nodes.having("with-engine", PATH=with_program):
            games.run(joined())
        here = tournament(other, 4, ("engine:some-engine", "random"))
        here.run(InProcess())
        assert whole(games, store) == whole(here, other)
        assert not any(result.forfeit for result in games.results)


def test_engines_whose_nodes_are_gone_are_not_waited_for(
    nodes: Nodes, joined: Join, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_program = with_engine(tmp_path)
    monkeypatch.setenv("PATH", with_program)
    with GameStore() as store, nodes.having("with-engine", PATH=with_program):
        games = tournament(store, 1000, ("engine:some-engine", "random"))
        with pytest.raises(UnfitError, match=r"^no node of the cluster has the program some-engine$"):
            games.run(joined(), lambda _: nodes.kill("with-engine") if games.finished == 1 else None)


# -- the command line ------------------------------------------------------------------------------

GAMES = 120
COMMAND = [sys.executable, "-m", "spielwerk", "arena", "mcts:sims=400", "greedy", "--game", "pferdeaepfel/trail"]


def test_a_killed_driver_goes_on_from_its_store(nodes: Nodes, tmp_path: Path) -> None:
    store = str(tmp_path / "games.db")
    command = [*COMMAND, "--games", str(GAMES), "--store", store, "--ray", nodes.address, "--json"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 180
    while stored(store) < 10 and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    before = stored(store)
    assert before < GAMES
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    assert (done.returncode, done.stderr) == (0, "")
    with GameStore(store) as opened, GameStore() as other:
        here = tournament(other, GAMES, ("mcts:sims=400", "greedy"))
        here.run(InProcess())
        resumed = tournament(opened, GAMES, ("mcts:sims=400", "greedy"))
        assert resumed.finished == GAMES
        assert whole(resumed, opened) == whole(here, other)


def stored(file: str) -> int:
    if not Path(file).exists():
        return 0
    with GameStore(file) as store:
        return sum(len(results) for _, results in store.all_results())


@pytest.mark.usefixtures("ray_is_wanted")
def test_an_interrupt_ends_a_ray_of_its_own_without_a_word(tmp_path: Path) -> None:
    store = str(tmp_path / "games.db")
    command = [*COMMAND, "--games", "100000", "--store", store, "--ray", "--workers", "2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 180
    while stored(store) < 10:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == 130


@pytest.mark.parametrize(
    ("address", "words"),
    [("random", "HOST:PORT or auto"), ("127.0.0.1:1", "there is no cluster"), ("127.0.0.1:99999", "HOST:PORT or auto")],
)
def test_an_address_where_nothing_is_gets_one_line(cli: Any, address: str, words: str) -> None:
    done = cli("arena", "random", "greedy", "--game", "pferdeaepfel/trail", "--games", "2", "--ray", address)
    assert done.code == 2 and done.err.count("\n") == 1 and words in done.err


@pytest.mark.parametrize(
    "words",
    [
        "arena random greedy --game pferdeaepfel/trail --games 2 --ray",
        "balance pferdeaepfel/trail --no-vary --ray",
        "benchmark pferdeaepfel/trail --quick --ray",
    ],
)
def test_without_the_extra_one_line_names_it(
    cli: Any, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "ray", None)
    done = cli(*words.split())
    assert done.code == 2
    assert done.err == "spielwerk: this needs ray, which is not installed; pip install 'spielwerk[ray]' brings it\n"


def test_one_module_knows_ray() -> None:
    loads = re.compile(r"""^\s*(?:import|from) ray\b|\bneed\("ray\b""", re.MULTILINE)
    knowing = {file.name for file in PACKAGE.rglob("*.py") if loads.search(file.read_text())}
    assert knowing == {"cluster.py", "rllib.py"}
