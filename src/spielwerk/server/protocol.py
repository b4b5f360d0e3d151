"""Every message and every body, as models. docs/protocol.md says what they mean.

The page's types are generated from these models: OpenAPI for HTTP, JSON Schema for the socket.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter
from pydantic_core import core_schema, to_json

from spielwerk.border import plain_line, quoted, readable
from spielwerk.play.clock import Pace
from spielwerk.play.rounds import MOST_ROUNDS
from spielwerk.render.scene import Label
from spielwerk.server import scene_models
from spielwerk.server.refusals import in_german
from spielwerk.server.scene_models import SceneByKey, SceneDifference, WholeScene

PROTOCOL = 1
MAX_MESSAGE_BYTES = 4096
MAX_BODY_BYTES = 65_536
MAX_RECORD_BYTES = 200_000
MAX_SEATS = 8
MAX_NAME = 40
MAX_TOKENS = 8
MAX_SEED = 2**63 - 1
MAX_NUMBER = 2**31 - 1
MAX_MESSAGE = 500  # characters of an error

Status = Literal["waiting", "running", "over"]
SeatKind = Literal["human", "open", "agent"]
OfferKind = Literal["takeback", "rematch"]
Permission = Literal["play", "takeback", "resign", "rematch", "answer"]
EventKind = Literal["play", "dice", "takeback", "resign", "flag", "join", "offer", "over", "rematch"]
Fallback = Literal["overtime", "crash", "failure", "clock"]
ErrorCode = Literal[
    "illegal", "stale", "not_yours", "not_now", "malformed", "too_large", "too_many", "unknown", "closing", "internal",
    "forbidden", "not_found",
]  # fmt: skip
ERROR_CODES: tuple[ErrorCode, ...] = get_args(ErrorCode)


Name = Annotated[str, StringConstraints(max_length=MAX_NAME), AfterValidator(readable)]
Token = Annotated[str, StringConstraints(min_length=16, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Plain = AfterValidator(lambda text: plain_line(text, "the text", MAX_BODY_BYTES))
RulesetName = Annotated[str, StringConstraints(max_length=60), Plain]
LevelId = Annotated[str, StringConstraints(max_length=40), Plain]
ActionText = Annotated[str, StringConstraints(min_length=1, max_length=200), Plain]
PositionText = Annotated[str, StringConstraints(min_length=1, max_length=8000), Plain]
MessageId = Annotated[int, Field(ge=0, le=MAX_NUMBER)] | Annotated[str, StringConstraints(max_length=40)]
Number = Annotated[int, Field(ge=0, le=MAX_NUMBER)]
RuleName = Annotated[str, StringConstraints(max_length=40), Plain]
RuleValue = (
    bool
    | Annotated[int, Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]
    | Annotated[str, StringConstraints(max_length=80), Plain]
)


class Outbound(BaseModel):
    """What the server says."""

    model_config = ConfigDict(extra="forbid")


class Inbound(BaseModel):
    """What a client says: nothing is converted, nothing unknown is passed over."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


# One text, or one for each language where they differ.
Words = scene_models.Words

# Scenes: made by spielwerk.render.scene as plain data and described by models that follow from it.


class _AsIs:
    """Plain data that is sent as it is and described by a model."""

    def __init__(self, model: Any) -> None:
        self._described = TypeAdapter(model)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.any_schema()

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        return handler(self._described.core_schema)


WholeSceneJson = Annotated[dict[str, Any], _AsIs(WholeScene)]
SceneJson = Annotated[dict[str, Any], _AsIs(WholeScene | SceneByKey)]
SceneUpdateJson = Annotated[dict[str, Any], _AsIs(WholeScene | SceneByKey | SceneDifference)]


# Tables


class SeatView(Outbound):
    kind: SeatKind
    name: str | None
    label: Words
    level: str | None
    level_title: Words | None
    team: int | None
    connected: bool


class ActionView(Outbound):
    """`words` say what the action did, where the game has such words."""

    text: str
    seat: int | None
    turn: int
    words: Words | None


class ResultView(Outbound):
    winner: list[int]
    points: list[int]
    returns: list[float]
    reason: str
    truncated: bool
    text: Words


class ClockSetting(Outbound):
    """What was agreed: seconds per game or per move, or days per move."""

    pace: Pace
    amount: int
    increment: int


class ClockView(ClockSetting):
    """`left_ms` is what each seat had left when this was said; that of the seat `running` goes on."""

    left_ms: list[int]
    running: int | None


class MatchView(Outbound):
    """The match this game is a round of; `points` are by seat, this round's included once it is over."""

    rounds: int
    round: int
    points: list[int]
    over: bool
    winner: list[int]


class OfferView(Outbound):
    kind: OfferKind
    seat: int


class Origin(Outbound):
    table: str
    ply: int


class TableView(Outbound):
    """A table as seen by one client."""

    id: str
    protocol: int = PROTOCOL
    game: str
    rules: dict[str, bool | int | str]
    start: str | None
    created: str
    public: bool
    hotseat: bool
    seq: int
    ply: int
    status: Status
    seats: list[SeatView]
    you: list[int]
    player: int | None
    actions: list[ActionView]
    result: ResultView | None
    offers: list[OfferView]
    can: list[Permission]
    origin: Origin | None
    next: str | None
    clock: ClockView | None
    match: MatchView | None
    scene: SceneJson | None = None
    legal: list[str] | None = None


class TableItem(Outbound):
    """A table in the lobby or the archive."""

    id: str
    game: str
    rules: dict[str, bool | int | str]
    status: Status
    ply: int
    seats: list[SeatView]
    created: str
    result: ResultView | None
    public: bool
    clock: ClockSetting | None


class PlyView(Outbound):
    ply: int
    action: str | None
    seat: int | None
    turn: int | None
    scene: SceneJson


# HTTP bodies and answers


class SeatRequest(Inbound):
    kind: SeatKind
    name: Name | None = None
    level: LevelId | None = None


class ClockRequest(Inbound):
    pace: Annotated[Pace, Field(strict=False)]
    amount: Number
    increment: Number = 0


class ContinueRequest(Inbound):
    ply: Number
    seats: Annotated[list[SeatRequest], Field(min_length=1, max_length=MAX_SEATS)]
    public: bool = False
    hotseat: bool = False
    pace_ms: Annotated[int, Field(ge=0, le=5000)] | None = None


class OpenRequest(Inbound):
    game: RulesetName
    rules: Annotated[dict[RuleName, RuleValue], Field(max_length=20)] = {}
    seats: Annotated[list[SeatRequest], Field(min_length=1, max_length=MAX_SEATS)]
    public: bool = False
    hotseat: bool = False
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] | None = None
    start: PositionText | None = None
    clock: ClockRequest | None = None
    rounds: Annotated[int, Field(ge=2, le=MOST_ROUNDS)] | None = None
    pace_ms: Annotated[int, Field(ge=0, le=5000)] | None = None


class Opened(Outbound):
    """`owner` is the token that deletes the table."""

    id: str
    tokens: dict[str, str]
    invites: dict[str, str]
    owner: str


class JoinRequest(Inbound):
    seat: Annotated[int, Field(ge=0, lt=MAX_SEATS)] | None = None
    name: Name | None = None
    invite: Token | None = None


class Joined(Outbound):
    seat: int
    token: str


class HintRequest(Inbound):
    level: LevelId
    ply: Number | None = None


class Hint(Outbound):
    """`value` of the action is for the seat to act, certain where `proved`; `evaluation` is by seat before it.

    Both are from -1 to 1. `distance` is how many actions are left under best play, where that is known.
    `lines` are the best ways to go on, best first. `level` is who answered: not the one asked if that took too long.
    """

    level: str
    action: str
    text: Words
    value: float
    proved: bool
    distance: int | None
    evaluation: list[float]
    lines: list[list[str]]


class Uploaded(Outbound):
    """`owner` is the token that deletes the table."""

    id: str
    owner: str


class InfoLimits(Outbound):
    name: int
    record: int


class Info(Outbound):
    version: str
    protocol: int
    languages: list[str]
    limits: InfoLimits
    addresses: list[str]


class ParameterView(Outbound):
    name: str
    label: Words
    kind: Literal["int", "bool", "choice", "text"]
    default: bool | int | str
    minimum: int
    maximum: int
    choices: list[str]
    choice_labels: list[Words]
    help: Words


class GameView(Outbound):
    name: str
    title: Words
    family: Words
    family_summary: Words
    summary: Words
    recommended: bool
    lesson: bool
    seats: list[Words]
    lost_seats: list[int]
    teams: list[list[int]] | None
    parameters: list[ParameterView]


class DemoView(Outbound):
    """The beginning of a game between agents, picture by picture."""

    scene: WholeSceneJson
    steps: list[SceneUpdateJson]


class LessonStep(Outbound):
    """`after` has every action that is taken for an answer, and the picture it leads to."""

    say: Words
    done: Words
    scene: WholeSceneJson
    after: dict[str, SceneUpdateJson]


class LessonView(Outbound):
    game: str
    steps: list[LessonStep]


class StartView(Outbound):
    """A ruleset under chosen parameters."""

    scene: WholeSceneJson
    seats: list[Words]
    teams: list[list[int]] | None


class RatingView(Outbound):
    """Measured strength in Elo with its interval of 95 %, and in how many games; `random` is worth 0."""

    elo: int
    low: int
    high: int
    games: int


class SearchView(Outbound):
    """A search of the core with its settings, as `cpp/wasm.cpp` reads them."""

    kind: str
    settings: dict[str, float]


class LevelView(Outbound):
    """An opponent.

    `rating` is None where nobody measured this level under these rules; `search` is what it does where that is a plain
    search, which a page with the core can do by itself.
    """

    id: str
    title: Words
    summary: Words
    default: bool
    adviser: bool
    rating: RatingView | None
    search: SearchView | None


class RulePage(Outbound):
    title: str
    html: str


class ErrorBody(Outbound):
    code: ErrorCode
    message: Words
    reason_code: str | None = None


class ErrorAnswer(Outbound):
    error: ErrorBody


# Client to server


class Hello(Inbound):
    type: Literal["hello"]
    protocol: int
    tokens: Annotated[list[Token], Field(max_length=MAX_TOKENS)] = []
    seq: Number = 0
    static: Annotated[str, StringConstraints(max_length=64)] | None = None
    scenes: bool = True
    thinks: bool = False


class Play(Inbound):
    type: Literal["play"]
    id: MessageId
    seq: Number
    action: ActionText


class Takeback(Inbound):
    type: Literal["takeback"]
    id: MessageId
    seq: Number


class Answer(Inbound):
    type: Literal["answer"]
    id: MessageId
    seq: Number
    offer: OfferKind
    accept: bool


class Resign(Inbound):
    type: Literal["resign"]
    id: MessageId
    seq: Number
    seat: Annotated[int, Field(ge=0, lt=MAX_SEATS)] | None = None


class Rematch(Inbound):
    type: Literal["rematch"]
    id: MessageId
    seq: Number


class Advice(Inbound):
    """The answer to `consult`; no action where the client cannot."""

    type: Literal["advice"]
    id: MessageId
    seq: Number
    action: ActionText | None


class Ping(Inbound):
    type: Literal["ping"]
    id: MessageId | None = None


Command = Play | Takeback | Answer | Resign | Rematch
AnyMessage = Hello | Command | Advice | Ping
ClientMessage = Annotated[AnyMessage, Field(discriminator="type")]
CLIENT_MESSAGE: TypeAdapter[AnyMessage] = TypeAdapter(ClientMessage)


# Server to client


class Snapshot(TableView):
    type: Literal["snapshot"] = "snapshot"


class Event(Outbound):
    """Fields that a kind of event has no use for are left out."""

    type: Literal["event"] = "event"
    seq: int
    kind: EventKind
    ply: int
    status: Status
    player: int | None
    offers: list[OfferView]
    can: list[Permission] = []
    seat: int | None = None
    text: str | None = None
    words: Words | None = None
    turn: int | None = None
    offer: OfferKind | None = None
    declined: bool | None = None
    fallback: Fallback | None = None
    seats: list[SeatView] | None = None
    result: ResultView | None = None
    clock: ClockView | None = None
    match: MatchView | None = None
    table: str | None = None
    tokens: dict[str, str] | None = None
    scene: SceneUpdateJson | None = None
    legal: list[str] | None = None


class Ack(Outbound):
    type: Literal["ack"] = "ack"
    id: MessageId
    seq: int


class Error(Outbound):
    type: Literal["error"] = "error"
    id: MessageId | None = None
    code: ErrorCode
    message: Words
    reason_code: str | None = None


class Thinking(Outbound):
    type: Literal["thinking"] = "thinking"
    seat: int


class Consult(Outbound):
    """Asks one client, which said that it `thinks`, for the action of an agent."""

    type: Literal["consult"] = "consult"
    seq: int
    seat: int
    search: SearchView


class Presence(Outbound):
    type: Literal["presence"] = "presence"
    connected: list[bool]
    watchers: int


class Closing(Outbound):
    type: Literal["closing"] = "closing"
    retry_ms: int


class Pong(Outbound):
    type: Literal["pong"] = "pong"
    id: MessageId | None = None


ServerMessage = Annotated[
    Snapshot | Event | Ack | Error | Thinking | Consult | Presence | Closing | Pong, Field(discriminator="type")
]
SERVER_MESSAGE: TypeAdapter[Any] = TypeAdapter(ServerMessage)


def as_json(value: Any) -> str:
    """Plain data as JSON text."""
    return to_json(value).decode()


class Refused(Exception):
    """Something a client may not do; it is told why, and nothing has changed."""

    def __init__(
        self, code: ErrorCode, message: str, reason_code: str | None = None, german: str | None = None
    ) -> None:
        message = quoted(message, MAX_MESSAGE)
        super().__init__(message)
        self.code = code
        self.message = message
        self.reason_code = reason_code
        self.words: Words = Label(message, german or in_german(message, code))
