"""
The compiled core, in the fastest build this processor can run.

``SPIELWERK_CORE`` (portable, avx2) asks for a particular build.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Literal

import numpy
import numpy.typing
from numpy.typing import NDArray

from spielwerk._core import cpu as cpu
import spielwerk.outcome
import spielwerk.records
import spielwerk.render.scene


def available_builds() -> list[str]:
    """
    The builds that are installed and that this processor can run, the fastest last.
    """

build: str = ...

CHANCE: int = ...

class Parameter:
    """A rule that callers may vary."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def default(self) -> bool | int | str: ...

    @property
    def help(self) -> str: ...

    @property
    def minimum(self) -> int: ...

    @property
    def maximum(self) -> int: ...

    @property
    def choices(self) -> list[str]: ...

    def __repr__(self) -> str: ...

class Plane:
    """One layer of an observation."""

    @property
    def name(self) -> str: ...

    @property
    def meaning(self) -> str: ...

    @property
    def maximum(self) -> int: ...

    def __repr__(self) -> str: ...

class Game:
    """A ruleset with its parameters fixed."""

    @property
    def name(self) -> str: ...

    @property
    def summary(self) -> str: ...

    @property
    def rules(self) -> dict[str, bool | int | str]:
        """Every parameter with the value in force."""

    @property
    def parameters(self) -> list[Parameter]: ...

    @property
    def rules_version(self) -> int: ...

    @property
    def has_chance(self) -> bool: ...

    @property
    def zero_sum(self) -> bool: ...

    @property
    def num_players(self) -> int: ...

    @property
    def sides(self) -> list[int]:
        """By seat; seats of one side win and lose together."""

    @property
    def num_actions(self) -> int: ...

    @property
    def max_plies(self) -> int:
        """No game has more decisions than this."""

    @property
    def num_symmetries(self) -> int: ...

    @property
    def planes(self) -> list[Plane]: ...

    @property
    def action_planes(self) -> list[tuple[int, int]]:
        """
        For every action the planes that mark where it starts and where it ends; -1 for none.
        """

    @property
    def action_cells(self) -> list[tuple[int, int, int]]:
        """
        For every action its kind and its row and column on the observation's grid; kind -1 for actions beside the board.
        """

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """(planes, height, width)"""

    def start(self, seed: int | None = None, chance: str = 'auto') -> State:
        """
        A new game. Chance falls by itself from the seed, or is played by the caller when chance='explicit'.
        """

    def from_text(self, text: str, seed: int | None = None, chance: str = 'auto') -> State:
        """
        The position a text describes; ValueError with the reason when it is impossible.
        """

    def check(self, text: str, strict: bool = False) -> list[str]:
        """
        Everything that is wrong with a position's text: what from_text refuses and, if strict, also what no game could hold.
        """

    def replay(self, actions: Iterable[int | str] | spielwerk.records.Record) -> State:
        """The position after these actions, or at the end of a record."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __repr__(self) -> str: ...

class State:
    """A position of a game; plays, tells and pictures itself."""

    @property
    def game(self) -> Game: ...

    @property
    def player(self) -> int | None:
        """The seat to act, CHANCE, or None when the game is over."""

    @property
    def legal_actions(self) -> list[int]:
        """Ascending; empty once the game is over."""

    def play(self, action: int | str) -> None:
        """
        Plays an action by number or text, or a whole turn by text. IllegalAction says why not, and then nothing has changed.
        """

    @property
    def outcomes(self) -> list[tuple[int, float]]:
        """At a chance event: its outcomes with their probabilities."""

    @property
    def fallen(self) -> list[str]:
        """The dice that fell by themselves since the last action, as texts."""

    @property
    def over(self) -> bool: ...

    @property
    def returns(self) -> tuple[float, ...]:
        """By seat; zeros until over."""

    @property
    def winner(self) -> tuple[int, ...]:
        """The winning seats; empty for a draw or while the game runs."""

    @property
    def points(self) -> tuple[int, ...]:
        """By seat; zeros until over and where the ruleset scores none."""

    @property
    def stream(self) -> int:
        """
        The dice to come: from_text(text, seed=stream) goes on with the same ones.
        """

    @property
    def truncated(self) -> bool:
        """True when a ply limit ended the game."""

    @property
    def reason(self) -> str:
        """Why the game ended, as a short code."""

    @property
    def outcome(self) -> spielwerk.outcome.Outcome | None:
        """How the game ended, in one value; None while it runs."""

    def text(self, action: int) -> str:
        """The notation of an action."""

    def parse(self, text: str) -> int:
        """The action a single action's text names."""

    def split_turn(self, text: str) -> list[str]:
        """
        The single actions of a legal action or whole turn, in their canonical spelling.
        """

    def to_text(self) -> str:
        """The position as one line; game.from_text inverts it."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def clone(self) -> State: ...

    def __copy__(self) -> State: ...

    def __deepcopy__(self, memo: object, /) -> State: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

    def observation(self, seat: int) -> numpy.typing.NDArray[numpy.uint8]:
        """uint8 [planes, height, width] as `seat` sees it."""

    @property
    def mask(self) -> numpy.typing.NDArray[numpy.uint8]:
        """uint8 [num_actions], 1 where legal."""

    def observe(self, seat: int) -> tuple[numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.uint8]]:
        """Observation and mask in one call."""

    def evaluate(self, seat: int) -> float:
        """
        A quick heuristic from -1 to +1 for a seat; exact once the game is over.
        """

    @property
    def settled(self) -> int | None:
        """The seat that wins whatever is still played; None while that is open."""

    def symmetric(self, k: int) -> State:
        """The equivalent position under symmetry k."""

    def symmetric_action(self, action: int, k: int) -> int:
        """What an action becomes under symmetry k."""

    def perft(self, depth: int) -> int:
        """The number of sequences of exactly `depth` actions from here."""

    @property
    def position(self) -> dict[str, Any]:
        """The position as plain data."""

    def scene(self) -> spielwerk.render.scene.Scene:
        """The position as shapes, labels and hit areas."""

    def svg(self) -> str: ...

def evaluation_planes(game: Game) -> int:
    """
    Planes that an evaluation network sees: those of the observation, and a game's insights.
    """

def lessons(game: Game, games: int, seed: int, first_game: int, nodes: int, opening: int, errs: float, teacher: EvaluationNetwork | None = None) -> dict[str, NDArray[Any]]:
    """
    Positions of games that alpha-beta plays against itself, for an evaluation network.
    """

class EvaluationNetwork:
    """A small network that alpha-beta updates from position to position."""

    def __init__(self, anchors: Sequence[int], rows_of: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: int, table: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], first_bias: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], second_bias: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], last: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], last_bias: int, heuristic_weight: int) -> None: ...

class AfterstateNetwork:
    """A small network that expectimax asks about positions before a die."""

    def __init__(self, rows: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], last: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], last_bias: float, heuristic_weight: float) -> None: ...

    @property
    def rows(self) -> numpy.typing.NDArray[numpy.float32]: ...

    @property
    def bias(self) -> numpy.typing.NDArray[numpy.float32]: ...

    @property
    def last(self) -> numpy.typing.NDArray[numpy.float32]: ...

    @property
    def last_bias(self) -> float: ...

    @property
    def heuristic_weight(self) -> float: ...

    def learn(self, game: Game, games: int, seed: int, first_game: int, td_lambda: float, learning_rate: float) -> None:
        """
        Plays games against itself and learns from each by TD(lambda); game i of a seed is the same wherever it is played.
        """

def afterstate_features(game: Game) -> int:
    """
    How many features a network of afterstates knows; ValueError where a game has none.
    """

class Line:
    """One way the game may go on, as a search sees it."""

    @property
    def actions(self) -> list[int]: ...

    @property
    def value(self) -> float:
        """For the seat to act, -1 to +1."""

    @property
    def visits(self) -> int: ...

    @property
    def proved(self) -> bool:
        """The value is exact."""

class Report:
    """What a search found; lines are ordered best first."""

    @property
    def lines(self) -> list[Line]: ...

    @property
    def nodes(self) -> int: ...

    @property
    def depth(self) -> int: ...

    @property
    def milliseconds(self) -> float: ...

    @property
    def proved(self) -> bool: ...

class Search:
    """A search that keeps what it learnt between positions."""

    @property
    def game(self) -> Game: ...

    def search(self, state: State, depth: int = 0, nodes: int = 0, milliseconds: float = 0.0, seed: int | None = None) -> Report:
        """Searches until a limit is reached; 0 means none."""

    def study(self, state: State, depth: int = 0, nodes: int = 0, milliseconds: float = 0.0, seed: int | None = None) -> Report:
        """
        Searches each action as well, within the same time, so that values can be compared.
        """

    def stop(self) -> None:
        """
        Lets the search that another thread is running answer with what it has.
        """

def one_ply(state: State, seed: int | None = None) -> Report:
    """
    Each action's position as the heuristic sees it; the greedy choice first.
    """

def alphabeta(game: Game, threads: int = ..., megabytes: int = ..., network: EvaluationNetwork | None = ...) -> Search: ...

def expectimax(game: Game, network: AfterstateNetwork | None = ...) -> Search: ...

def mcts(game: Game, exploration: float = ..., max_nodes: int = ..., playouts: bool = ...) -> Search: ...

class ProvedLine(Line):
    """A line of a study that proves."""

    @property
    def distance(self) -> int | None:
        """
        Actions until the game ends, both sides playing their best; None while unknown.
        """

class ProofReport:
    """What a study proved; lines are ordered best first."""

    @property
    def lines(self) -> list[ProvedLine]: ...

    @property
    def nodes(self) -> int: ...

    @property
    def depth(self) -> int: ...

    @property
    def milliseconds(self) -> float: ...

    @property
    def proved(self) -> bool: ...

class Solution:
    """What a solver has proved about a position."""

    @property
    def solved(self) -> bool:
        """The result is proved; else it is unknown."""

    @property
    def verdict(self) -> Literal['win', 'loss', 'draw', 'unknown']:
        """For the seat to act, with best play of both sides."""

    @property
    def winner(self) -> int | None:
        """
        The seat that wins with best play; None for a draw, or while the result is unknown.
        """

    @property
    def distance(self) -> int | None:
        """
        Actions until the win against the best defence; None for a draw, or while unknown.
        """

    @property
    def at_least(self) -> int:
        """The win takes no fewer actions than this."""

    @property
    def line(self) -> list[int]:
        """
        Best play to the end; only its first action while the distance is unknown.
        """

    @property
    def promising(self) -> list[int]:
        """
        While the result is unknown: the actions proved not to lose, or, if there are none, all that are not proved to lose.
        """

    @property
    def nodes(self) -> int: ...

    @property
    def milliseconds(self) -> float: ...

class Solver:
    """
    Proves results of one ruleset and keeps what it learnt, in a transposition table of at most so many megabytes.
    """

    def __init__(self, game: Game, megabytes: int = ...) -> None: ...

    @property
    def game(self) -> Game: ...

    def solve(self, state: State, distance: bool = True, nodes: int = 0, milliseconds: float = 0.0, progress: Callable[[Solution], bool] | None = None) -> Solution:
        """
        The winner, then the distance, until a limit is reached (0 means none) or `progress`, called about ten times a second, says False.
        """

    def study(self, state: State, guesser: Search, milliseconds: float, seed: int | None = None) -> ProofReport:
        """
        A line per action: proved, or as the guesser sees it where no proof comes in time.
        """

    def stop(self) -> None:
        """Lets the study that another thread is running answer with what it has."""

class Puct:
    """
    PUCT search that asks for a network's answers, a batch of leaves at a time.
    """

    @property
    def game(self) -> Game: ...

    def begin(self, state: State, seed: int | None = None) -> None: ...

    @property
    def finished(self) -> bool:
        """The result is proved, or the tree is full."""

    @property
    def simulations(self) -> int: ...

    def select(self, most: int = ...) -> Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')]:
        """
        Observations of the leaves to judge next, overwritten by the next call; perhaps none.
        """

    def judge(self, logits: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]) -> None:
        """
        The network's answers about them: logits [n, actions], values [n] or [n, seats], the seat to act first.
        """

    def report(self, milliseconds: float = ...) -> Report: ...

def puct(game: Game, batch: int = ..., exploration: float = ..., first_play_reduction: float = ..., max_nodes: int = ...) -> Puct: ...

class GumbelRoot:
    """A Gumbel search as seen from its root, edge by edge."""

    @property
    def actions(self) -> list[int]: ...

    @property
    def noise(self) -> list[float]: ...

    @property
    def logits(self) -> list[float]: ...

    @property
    def visits(self) -> list[float]: ...

    @property
    def means(self) -> list[float]:
        """0 without a visit."""

    @property
    def policy(self) -> list[float]:
        """The improved policy."""

    @property
    def value(self) -> float:
        """What the network said."""

    @property
    def chosen(self) -> int: ...

    @property
    def exact(self) -> int:
        """The proved result for the seat to act; 2 for none."""

    @property
    def simulations(self) -> int: ...

class SelfPlay:
    """Many games that a network plays against itself under Gumbel search."""

    def __init__(self, game: Game, games: int, threads: int = ..., simulations: int = ..., fast_simulations: int = ..., full_share: float = ..., opening: int = ..., play_out_share: float = ..., considered: int = ..., visit_offset: float = ..., value_scale: float = ...) -> None: ...

    @property
    def game(self) -> Game: ...

    @property
    def observation(self) -> Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')]:
        """
        What the network is to judge next, [games, planes, height, width], overwritten in place.
        """

    def reset(self, seed: int | None = None) -> None: ...

    def restart(self) -> None:
        """Every game thinks again about its position, from nothing."""

    def step(self, logits: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]) -> None:
        """
        The network's answers: logits [games, actions], values [games] or [games, seats], the seat to act first.
        """

    def take_rows(self) -> dict[str, numpy.typing.NDArray[Any]]:
        """The positions that had a full search since the last call."""

    def take_ends(self) -> dict[str, numpy.typing.NDArray[Any]]:
        """The games that ended since the last call."""

    @property
    def counts(self) -> tuple[int, int, int]:
        """Decisions, evaluations and simulations since the reset."""

    def root(self, i: int) -> GumbelRoot: ...

    def state(self, i: int) -> State:
        """A copy of game i, its dice to come included."""

    def memory(self, i: int) -> tuple[int, int, int, int, bool]:
        """What game i needs beside its position to go on, as `place` takes it."""

    def place(self, i: int, state: State, stream: int, number: int, decisions: int, symmetry: int, plays_out: bool) -> None:
        """Puts game i into a position with its own dice; restart() must follow."""

class Batch:
    """Many games stepped at once; views are overwritten in place."""

    @property
    def game(self) -> Game: ...

    @property
    def observation(self) -> Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')]: ...

    @property
    def mask(self) -> Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')]: ...

    @property
    def reward(self) -> Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')]: ...

    @property
    def terminated(self) -> Annotated[NDArray[numpy.bool_], dict(order='C', device='cpu')]: ...

    @property
    def truncated(self) -> Annotated[NDArray[numpy.bool_], dict(order='C', device='cpu')]: ...

    @property
    def points(self) -> Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')]: ...

    @property
    def seat(self) -> Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')]: ...

    @property
    def final_observation(self) -> Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')]: ...

    @property
    def outlook(self) -> Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')]: ...

    @property
    def chosen(self) -> Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')]: ...

    def reset(self, seed: int | None = None) -> None: ...

    def step(self, actions: object | None) -> None: ...

    def random_actions(self, seed: int | None = None) -> None: ...

    def greedy_actions(self, seed: int | None = None) -> None: ...

    def evaluate(self) -> None: ...

    def state(self, i: int) -> State:
        """A copy of game i, its random stream included."""

    def place(self, i: int, state: State, with_dice: bool = ...) -> None:
        """
        Puts game i into a position, with the state's own dice to come if `with_dice`.
        """

def gpu_arguments() -> list[str]:
    """What a kernel is given, in this order, eight bytes each."""

def gpu_types() -> list[str]:
    """The C++ types of all games, as image types name them."""

def gpu_image(game: Game) -> tuple[str, bytes, list[tuple[int, bytes]], int, int] | None:
    """
    The rules for a GPU: type, bytes, tables with the offsets of their pointers, bytes of a position, words of a set of actions.
    """

def position_bytes(state: State) -> tuple[bytes, int]:
    """A position as the core holds it, and the state of its random stream."""

def position_from_bytes(game: Game, bytes: bytes, stream: int) -> State:
    """
    The inverse of position_bytes. Trusts its caller: never for bytes from outside.
    """

def rulesets() -> list[str]:
    """The names of all rulesets."""

def make(name: str, rules: dict[str, bool | int | str]) -> Game: ...

def game_seed(seed: int, index: int) -> int:
    """
    The seed of one game among many under one seed: after `vector(...).reset(seed=s)` game i is the one that `game.start(seed=game_seed(s, i))` begins.
    """

def batch(game: Game, num_envs: int, threads: int = 1, skip_forced: bool = False, opponent: str = 'none', seat: int = 0, illegal_loses: bool = False, keep_final: bool = False) -> Batch: ...

def greedy_action(state: State, seed: int | None = None) -> int:
    """
    The action whose position the game's heuristic likes best; ties at random.
    """

def random_playouts(game: Game, games: int, seed: int | None = None) -> tuple[int, int]:
    """Random games played inside the core: (games, decisions)."""
