"""Messages and bodies of the laboratory: analysis, review, puzzles. docs/protocol.md says what they mean."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, TypeAdapter

from spielwerk.puzzles.puzzle import Difficulty
from spielwerk.server.protocol import (
    ActionText,
    Error,
    Inbound,
    LevelId,
    MessageId,
    Outbound,
    Ping,
    Plain,
    Pong,
    PositionText,
    ResultView,
    RuleName,
    RulesetName,
    RuleValue,
    SceneJson,
    Words,
)

MAX_ANALYSIS_MESSAGE = 49_152  # bytes; the actions of a long game are the longest part
MAX_STUDY_ACTIONS = 4000
MAX_COMPARED = 2
MIN_CONTESTANTS, MAX_CONTESTANTS = 2, 6

Rules = Annotated[dict[RuleName, RuleValue], Field(max_length=20)]
PlaceName = Annotated[str, StringConstraints(max_length=80), Plain]
StaticKey = Annotated[str, StringConstraints(max_length=64), Plain]
Slot = Literal["first", "second", "proof"]


class PositionRequest(Inbound):
    """A game from its start, or from the text of a position, and what was played then."""

    game: RulesetName
    rules: Rules = Field(default_factory=dict)
    start: PositionText | None = None
    actions: Annotated[list[ActionText], Field(default_factory=list, max_length=MAX_STUDY_ACTIONS)]
    static: StaticKey | None = None


class MoveView(Outbound):
    """One action and whose it was; None for a die."""

    text: str
    seat: int | None


class PositionView(Outbound):
    """`spielwerk.positions.position_view` says what each field means."""

    game: str
    title: Words
    rules: dict[str, bool | int | str]
    rules_version: int
    seats: list[Words]
    start: str | None
    position: str
    moves: list[MoveView]
    player: int | None
    outcomes: list[str]
    odds: list[float]
    legal: list[str]
    evaluation: list[float]
    can_prove: bool
    result: ResultView | None
    scene: SceneJson


class EditRequest(Inbound):
    """A text to edit; `tool` and `place` say what to change, a tool alone where it can be used."""

    game: RulesetName
    rules: Rules = Field(default_factory=dict)
    text: PositionText | None = None
    tool: PlaceName | None = None
    place: PlaceName | None = None


class ToolView(Outbound):
    id: str
    label: Words
    group: Words
    symbol: str
    at_once: bool
    active: bool


class EditView(Outbound):
    """`violations` keep the position from being used, `doubts` say that no game could hold it."""

    text: str
    violations: list[Words]
    doubts: list[Words]
    tools: list[ToolView]
    scene: SceneJson | None


class Think(Inbound):
    """Asks levels about a position; what was asked before is stopped."""

    type: Literal["think"]
    id: MessageId
    game: RulesetName
    rules: Rules = Field(default_factory=dict)
    position: PositionText
    levels: Annotated[list[LevelId], Field(default_factory=list, max_length=MAX_COMPARED)]
    proof: bool = False


class ReviewGame(Inbound):
    """Asks a level about every ply of a game; what was asked before is stopped."""

    type: Literal["review"]
    id: MessageId
    game: RulesetName
    rules: Rules = Field(default_factory=dict)
    start: PositionText | None = None
    actions: Annotated[list[ActionText], Field(max_length=MAX_STUDY_ACTIONS)]
    level: LevelId


class StopThinking(Inbound):
    type: Literal["stop"]


class PuzzleItem(Outbound):
    """A puzzle in the list; `distance` is how many actions the win takes."""

    id: str
    game: str
    rules: dict[str, bool | int | str]
    difficulty: Difficulty
    distance: int


class PuzzleView(PuzzleItem):
    """`line` begins with the only action that wins; `draws` are actions that draw, all others lose."""

    position: str
    player: int
    line: list[str]
    draws: list[str]


AnalysisRequest = Annotated[Think | ReviewGame | StopThinking | Ping, Field(discriminator="type")]
ANALYSIS_REQUEST: TypeAdapter[Any] = TypeAdapter(AnalysisRequest)


class LineView(Outbound):
    """`value` is for the seat to act, certain where `proved`; `distance` is how many actions are left then.

    `policy` is how likely a network plays the first action, before any search; None for agents without one.
    """

    actions: list[str]
    value: float
    visits: int
    proved: bool
    distance: int | None
    policy: float | None


class Thought(Outbound):
    """What one of those asked thinks by now, best line first, with a line for every action. `done`: no more comes."""

    type: Literal["thought"] = "thought"
    id: MessageId
    slot: Slot
    lines: list[LineView]
    depth: int
    nodes: int
    milliseconds: int
    done: bool


class PlyReviewView(Outbound):
    """`spielwerk.review.PlyReview` says what each field means."""

    ply: int
    seat: int | None
    action: str
    best: str
    value: float
    best_value: float
    proved: bool
    choices: int
    evaluation: list[float]
    luck: list[float]
    choice: list[float]
    mark: Literal["", "inaccuracy", "mistake", "proved"]


class Reviewed(Outbound):
    """Some more plies, and what follows from all so far: `accuracy` in per cent, `luck` and `choice` with dice."""

    type: Literal["reviewed"] = "reviewed"
    id: MessageId
    plies: list[PlyReviewView]
    accuracy: list[float | None]
    luck: list[float]
    choice: list[float]
    done: bool


AnalysisMessage = Annotated[Thought | Reviewed | Error | Pong, Field(discriminator="type")]
ANALYSIS_MESSAGE: TypeAdapter[Any] = TypeAdapter(AnalysisMessage)


RunStatus = Literal["running", "finished", "stopped"]
CurveKind = Literal["anchor", "evaluation", "score", "length", "loss", "rate"]


class RunItem(Outbound):
    """A training run; `level` is whom to play against, None while it has made no network that can be used."""

    id: str
    name: str
    method: str
    game: str
    title: Words
    rules: dict[str, bool | int | str]
    seats: list[Words]
    started: str
    status: RunStatus
    steps: int
    seconds: float
    level: str | None


class TrainingView(Outbound):
    """`shown` says whether this server shows runs at all; the newest run comes first."""

    shown: bool
    runs: list[RunItem]


class CurveView(Outbound):
    """A number along a run's steps. `promoted` is for evaluations: whether the network became the best."""

    kind: CurveKind
    name: str
    seat: int | None
    steps: list[int]
    values: list[float]
    promoted: list[bool]


class RunCurves(Outbound):
    id: str
    curves: list[CurveView]


class ArenaPlayer(Outbound):
    """`elo` with its interval of 95 %; None for those who share no chain of games with the others."""

    name: str
    elo: float | None
    low: float | None
    high: float | None
    games: int
    points: float


class ArenaCell(Outbound):
    """How a player did against another; `rate` is the share of the points, with its interval of 95 %."""

    player: str
    opponent: str
    games: int
    wins: int
    draws: int
    losses: int
    rate: float
    low: float
    high: float


class TournamentView(Outbound):
    """All games under one ruleset; `anchor` is the player whose rating is 0, None where the mean is."""

    id: str
    game: str
    title: Words
    rules: dict[str, bool | int | str]
    sides: list[Words]
    games: int
    anchor: str | None
    players: list[ArenaPlayer]
    cells: list[ArenaCell]


TournamentStatus = Literal["running", "finished", "out_of_time", "stopped", "failed"]


class StartedTournament(Outbound):
    """The one that a visitor started last; `tournament` is the id of the one that its games belong to."""

    tournament: str
    game: str
    title: Words
    levels: list[Words]
    games: int
    finished: int
    status: TournamentStatus


class ArenaLimits(Outbound):
    """Of tournaments that visitors start."""

    games: int
    seconds: float


class ArenaView(Outbound):
    """`shown` says whether this server shows a store at all; `left_out` counts games that could not be read.

    `may_start` says whether whoever asks may start a tournament.
    """

    shown: bool
    tournaments: list[TournamentView]
    left_out: int
    may_start: bool
    limits: ArenaLimits | None
    started: StartedTournament | None


class ContestantView(Outbound):
    """A level that can play in a tournament."""

    id: str
    title: Words


class TournamentRequest(Inbound):
    """So many games for every two of these levels."""

    game: RulesetName
    levels: Annotated[list[LevelId], Field(min_length=MIN_CONTESTANTS, max_length=MAX_CONTESTANTS)]
    games: Annotated[int, Field(ge=1, le=1000)]


class ChangeView(Outbound):
    """A parameter that a variant changes, in words."""

    name: str
    label: Words
    value: Words


class ScoreView(Outbound):
    """A side's mean score with its interval of 95 %."""

    rate: float
    low: float
    high: float


class VariantView(Outbound):
    """Rules that were played by the same player on all sides.

    `favoured` is the side that scores more than an even share beyond doubt, None where the interval allows that there
    is none. `side` is the one whose score is farthest from even, of two the first, and `advantage` says how far.
    `screened` means few games; `proved` is the side that wins with best play.
    """

    changes: list[ChangeView]
    rules: dict[str, bool | int | str]
    seats: int
    sides: list[Words]
    player: str
    games: int
    scores: list[ScoreView]
    favoured: int | None
    side: int
    advantage: float
    draw_rate: float
    length: float
    screened: bool
    proved: int | None


class StudyItem(Outbound):
    """A report about one ruleset; `complete` says whether there was time for all its games."""

    id: str
    game: str
    title: Words
    complete: bool


class StudyView(StudyItem):
    """`players` played the rules as they stand, the weakest first; `variants` begin with these rules."""

    players: list[VariantView]
    variants: list[VariantView]


class BalanceView(Outbound):
    """`shown` says whether this server shows a report at all."""

    shown: bool
    studies: list[StudyItem]


class ArenaGame(Outbound):
    """Players and parts of the point by side."""

    id: str
    players: list[str]
    scores: list[float]
    plies: int
    forfeit: bool
    finished: str
