"""The operator's list of opponents, weakest first. Clients name a level by its id and nothing else.

A level lists specs in the order of preference; the first one whose kind of agent is there and that suits the
game plays. So search and networks join as soon as `spielwerk.agents` has them. A network stands where the figures
in its card put it: `"measured": {"greedy": {"rate": 0.83, "games": 400}}`, by the ids of levels.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from spielwerk.agents import KINDS
from spielwerk.agents.afterstates import afterstates_path, load_afterstates, shipped_families
from spielwerk.agents.evaluation import evaluation_path, load_evaluation, shipped_evaluations
from spielwerk.agents.network import model_card, run_model, seen_alike, shipped_models
from spielwerk.agents.puct import PuctAgent
from spielwerk.agents.specs import read_spec
from spielwerk.border import quoted
from spielwerk.games import Game, games, make
from spielwerk.render.description import description_of
from spielwerk.render.scene import Label
from spielwerk.server.learnt import rules_learnt
from spielwerk.server.protocol import Refused, SearchView
from spielwerk.training.boards import boards_of

# A level that may think longer than this is slow: slow ones never occupy all processes.
QUICK_SECONDS = 5.0


class Choice(BaseModel):
    """A spec and the games it is for; no name of a game means all of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    spec: str
    games: tuple[str, ...] = ()
    two_seats: bool = False
    dice: bool | None = None  # only games with dice, or only those without
    rules: dict[str, bool | int | str] | None = None
    any_size: bool = False  # not only these rules: a network that holds no size plays other boards, too
    summary: Label | None = None  # in place of the level's own
    above: str | None = None  # the level it was found stronger than; its place in the list then is right above that

    def suits(self, game: Game) -> bool:
        """Whether there is such an agent and it can play this game."""
        return (
            self.spec.partition(":")[0] in KINDS
            and (not self.games or game.name in self.games)
            and not (self.two_seats and game.num_players != 2)
            and self.dice in (None, game.has_chance)
            and (self.rules is None or self._knows(game, make(game.name, **self.rules)))
        )

    def _knows(self, game: Game, learnt: Game) -> bool:
        return game == learnt or (self.any_size and seen_alike(game, learnt))


class Level(BaseModel):
    """An opponent to choose. `seconds` is when its answer is given up; an agent's own limit is below that.

    The strongest one that `advises` is whom a hint comes from if nobody else is chosen.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,40}$")]
    title: Label
    summary: Label
    choices: tuple[Choice, ...]
    seconds: Annotated[float, Field(gt=0, le=120)] = QUICK_SECONDS
    default: bool = False
    advises: bool = False

    def choice(self, game: Game) -> Choice | None:
        """What plays this game at this level, if anything does."""
        return next((choice for choice in self.choices if choice.suits(game)), None)

    def summary_for(self, game: Game) -> Label:
        """What is said about it where this game is chosen."""
        choice = self.choice(game)
        return choice.summary if choice is not None and choice.summary is not None else self.summary


def _level(
    id: str,
    title: tuple[str, str],
    summary: tuple[str, str],
    *choices: Choice,
    seconds: float,
    default: bool = False,
    advises: bool = False,
) -> Level:
    return Level(
        default=default,
        advises=advises,
        id=id,
        title=Label(*title),
        summary=Label(*summary),
        choices=(*_recipes(id), *choices),
        seconds=seconds,
    )


def _recipes(level: str) -> Iterator[Choice]:
    """What games themselves propose for a level."""
    for name in games():
        for recipe in description_of(name).levels:
            if recipe.level == level and name.partition("/")[2] in recipe.rulesets:
                yield Choice(spec=recipe.spec, games=(name,), rules=make(name).rules if recipe.usual_rules else None)


def _search(milliseconds: int, decisions: int) -> tuple[Choice, ...]:
    """By the clock; with dice so many decisions ahead, where more find nothing better (docs/strength.md)."""
    return (
        Choice(spec=f"alphabeta:ms={milliseconds}", two_seats=True, dice=False),
        Choice(spec=f"expectimax:depth={decisions}", dice=True, summary=_looking_ahead(decisions)),
        Choice(spec=f"mcts:ms={milliseconds}"),
    )


def _looking_ahead(decisions: int) -> Label:
    en, de = {2: ("two", "zwei"), 3: ("three", "drei"), 4: ("four", "vier")}[decisions]
    return Label(
        en=f"looks {en} decisions ahead, whatever the dice show",
        de=f"rechnet {de} Entscheidungen voraus, was auch immer gewürfelt wird",
    )


def _search_with_network(milliseconds: int) -> Iterator[Choice]:
    """Where an evaluation network is shipped: under the very rules it was trained for, all boards of a mix, and further
    ones that its card names since it was found stronger there, too."""
    for name in shipped_evaluations():
        card = load_evaluation(evaluation_path("shipped", make(name))).card
        learnt = make(name, **card["rules"])
        further = boards_of(learnt, card["also_on"]) if "also_on" in card else {}
        for board in (*boards_of(learnt, card.get("mix", "")).values(), *further.values()):
            yield Choice(spec=f"alphabeta:ms={milliseconds},model=shipped", games=(name,), rules=board.rules)


def _expectimax_with_network(decisions: int) -> Iterator[Choice]:
    """Where a network of afterstates is shipped, under the very rules whose games it learnt from."""
    ahead = _looking_ahead(decisions)
    summary = Label(en=f"{ahead.en}, with a trained network", de=f"{ahead.de}, mit einem trainierten Netz")
    for family in shipped_families():
        for variant in load_afterstates(afterstates_path("shipped", family)).card["variants"]:
            spec = f"expectimax:depth={decisions},model=shipped"
            yield Choice(spec=spec, games=(variant["game"],), rules=variant["rules"], summary=summary)


_WITHOUT_NETWORKS: tuple[Level, ...] = (
    _level(
        "random",
        ("Random", "Zufall"),
        ("plays anything that is allowed", "spielt irgendetwas Erlaubtes"),
        Choice(spec="random"),
        seconds=5,
    ),
    _level(
        "beginner",
        ("Beginner", "Anfänger"),
        ("sees the next move, and often overlooks it", "sieht den nächsten Zug und übersieht ihn oft"),
        Choice(spec="greedy:errs=0.35"),
        seconds=5,
        default=True,
    ),
    _level(
        "greedy",
        ("Greedy", "Gierig"),
        ("takes what looks best at once", "nimmt, was im Augenblick am besten aussieht"),
        Choice(spec="greedy"),
        seconds=5,
    ),
    _level(
        "club",
        ("Club player", "Vereinsspieler"),
        ("looks ahead for a fifth of a second", "rechnet eine Fünftelsekunde voraus"),
        *_search(200, 2),
        seconds=5,
    ),
    _level(
        "network",
        ("Network", "Netz"),
        ("trained; how strong it is was not measured", "trainiert; wie stark es ist, wurde nicht gemessen"),
        seconds=5,
    ),
    _level(
        "expert",
        ("Expert", "Experte"),
        ("looks ahead for a second", "rechnet eine Sekunde voraus"),
        *_search(1000, 3),  # without networks: hints and analyses come from here, and a page does these by itself
        seconds=10,
        advises=True,
    ),
    _level(
        "master",
        ("Master", "Meister"),
        ("looks ahead for two seconds", "rechnet zwei Sekunden voraus"),
        *_search_with_network(2000),
        *_expectimax_with_network(3),
        *_search(2000, 4),
        seconds=20,
    ),
    _level(
        "perfect",
        ("Perfect", "Vollkommen"),
        ("knows how the game ends", "weiß, wie das Spiel ausgeht"),
        seconds=30,
        advises=True,
    ),
)

# The options of agents that are nothing but a search of the core. A page that has the core can do these by itself.
_PLAIN_SEARCHES: dict[str, tuple[str, ...]] = {
    "greedy": (),
    "alphabeta": ("ms", "depth", "nodes", "memory"),
    "mcts": ("ms", "sims", "exploration", "playouts"),
    "expectimax": ("ms", "depth"),
    "solver": ("ms",),
}

# Whoever resigns where others play on is replaced by this level.
STAND_IN = "greedy"


def usual_levels() -> tuple[Level, ...]:
    """The built-in list; the networks that are shipped join by themselves."""
    networks = tuple(choice for name in shipped_models() for choice in _network(name))
    return tuple(
        level.model_copy(update={"choices": networks}) if level.id == "network" else level
        for level in _WITHOUT_NETWORKS
    )


class _Measured(BaseModel):
    """How a model fared against a level: its share of the points."""

    rate: Annotated[float, Field(ge=0, le=1)]
    games: Annotated[int, Field(gt=0)]


_MEASURED: TypeAdapter[dict[str, _Measured]] = TypeAdapter(dict[str, _Measured])


def _network(name: str) -> Iterator[Choice]:
    """A shipped model under the rules of its card, described by what was measured there; then on other boards."""
    card = model_card(name)
    try:
        measured = _MEASURED.validate_python(card.get("measured", {}))
    except ValidationError:
        raise ValueError(f"the card of the model {name} measures it by levels, each with rate and games") from None
    opponents = [level for level in _WITHOUT_NETWORKS if level.id in measured]
    beaten = [level for level in opponents if measured[level.id].rate >= 0.5]
    named = (beaten or opponents)[-1:]
    choice = Choice(
        spec=f"network:{name}",
        games=(name,),
        rules=card["rules"],
        summary=_record_of(measured[named[0].id], named[0]) if named else None,
        above=beaten[-1].id if beaten else _WITHOUT_NETWORKS[0].id if opponents else None,
    )
    not_measured = Label(
        "trained {}; how strong it is here was not measured",
        "trainiert {}; wie stark es hier ist, wurde nicht gemessen",
    )
    yield choice
    yield from _on_other_boards(choice, card, not_measured)


def _on_other_boards(choice: Choice, card: dict[str, Any], summary: Label) -> Iterator[Choice]:
    """The same network where it plays other boards, too; the summary has a place for the rules that it has learnt."""
    shape = card.get("network")
    if isinstance(shape, dict) and shape.get("any_size"):
        learnt = rules_learnt(card)
        said = Label(summary.en.format(learnt.en), summary.de.format(learnt.de))
        yield choice.model_copy(update={"any_size": True, "summary": said})


def _record_of(measured: _Measured, opponent: Level) -> Label:
    percent, games, title = round(100 * measured.rate), measured.games, opponent.title
    return Label(
        en=f"trained: {percent} % of the points against {title.en} in {games} games",
        de=f"trainiert: {percent} % der Punkte gegen „{title.de}“ in {games} Partien",
    )


def model_levels(folder: Path) -> tuple[Level, ...]:
    """A level for every run in a folder that has made a model, or for the one run that the folder is."""
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder of runs")
    runs = [folder] if run_model(folder) else sorted(path for path in folder.iterdir() if run_model(path))
    if not runs:
        raise ValueError(f"{folder} holds no run with a model; 'spielwerk train' makes them")
    return tuple(map(model_level, runs))


def run_id(run: Path) -> str:
    """What clients call a run: its name as far as an address can hold it, and what tells it from others."""
    run = run.resolve()
    digest = hashlib.sha256(str(run).encode(errors="surrogateescape")).hexdigest()[:8]
    plain = re.sub(r"[^a-z0-9]+", "-", run.name.lower()).strip("-")[:24]
    return "-".join(filter(None, (plain, digest)))


def model_level(run: Path) -> Level:
    """The run's newest model under a search of a second."""
    run = run.resolve()
    model = str(run_model(run))
    agent, card = PuctAgent(model=model, ms=1000), model_card(model)
    choice = Choice(spec=agent.spec, games=(card["game"],), rules=card["rules"])
    learnt = Label("trained here {}; looks ahead for a second", "hier trainiert {}; rechnet eine Sekunde voraus")
    title = quoted(run.name, 60)
    return Level(
        id=f"model-{run_id(run)}",
        title=Label(title, title),
        summary=Label("trained here; looks ahead for a second", "hier trainiert; rechnet eine Sekunde voraus"),
        choices=(choice, *_on_other_boards(choice, card, learnt)),
        seconds=10,
    )


def read_levels(file: Path | None, models: Path | None = None, *, allow_engines: bool = False) -> tuple[Level, ...]:
    """The built-in list, or the operator's own from a JSON file of the same shape; then the models of a folder."""
    listed = usual_levels() if file is None else _levels_in(file, allow_engines=allow_engines)
    return listed + (() if models is None else model_levels(models))


def _levels_in(file: Path, *, allow_engines: bool) -> tuple[Level, ...]:
    """A file may come from anywhere: the programs it names are started only where that was allowed in so many words."""
    try:
        levels = TypeAdapter(tuple[Level, ...]).validate_json(file.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(f"{file} is no list of levels: {place}: {first['msg']}") from None
    programs = [choice.spec for level in levels for choice in level.choices if choice.spec.startswith("engine")]
    if programs and not allow_engines:
        raise ValueError(f"{file} names a program, '{programs[0][:60]}'; --allow-engines lets the server start it")
    if STAND_IN not in {level.id for level in levels}:
        raise ValueError(f"{file}: a level '{STAND_IN}' is needed; it plays on for those who resign")
    return levels


def levels_for(game: Game, levels: Sequence[Level]) -> list[Level]:
    """Those that can play this game, weakest first."""
    places = {level.id: float(number) for number, level in enumerate(levels)}

    def place(level: Level) -> float:
        choice = level.choice(game)
        above = choice.above if choice is not None else None
        return places[level.id] if above not in places else places[above] + 0.5

    return sorted((level for level in levels if level.choice(game) is not None), key=place)


def plain_search(spec: str) -> SearchView | None:
    """The search that a spec names, where the agent is nothing else: no network, no errors on purpose."""
    kind, given = read_spec(spec, KINDS)
    options = _PLAIN_SEARCHES.get(kind.kind)
    if options is None or not given.keys() <= set(options):
        return None
    made = kind(**given)
    return SearchView(kind=kind.kind, settings={name: value for name in options if (value := getattr(made, name))})


def adviser_for(game: Game, levels: Sequence[Level]) -> Level | None:
    """Whom to ask for a hint if nobody is chosen."""
    advisers = [level for level in levels_for(game, levels) if level.advises]
    return advisers[-1] if advisers else None


def level_named(id: str, game: Game, levels: Sequence[Level]) -> Level:
    """The level of this id; refused with those there are."""
    there = levels_for(game, levels)
    for level in there:
        if level.id == id:
            return level
    raise Refused("malformed", f"unknown level '{id[:40]}'; there are: {', '.join(level.id for level in there)}")
