"""Reports of `spielwerk balance --json` for the page: which variants were played, and whom they favour.

Reports may come from elsewhere: what is read of them is bounded, and rules must be rules of a game.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from spielwerk import catalogue
from spielwerk.arena.report import side_names
from spielwerk.balance.study import Share, advantage_of
from spielwerk.balance.variants import MOST_VARIANTS, Variant
from spielwerk.border import quoted
from spielwerk.games import Game, Parameter, make
from spielwerk.render import seat_labels
from spielwerk.render.scene import Label
from spielwerk.server import views
from spielwerk.server.lab_protocol import BalanceView, ChangeView, ScoreView, StudyItem, StudyView, VariantView
from spielwerk.server.protocol import Refused, Words

MOST_FILES = 50
MOST_BYTES = 16_000_000
MOST_STUDIES = 100
_BRIEFLY = "public, max-age=60"

_YES, _NO = Label("yes", "ja"), Label("no", "nein")

Rate = Annotated[float, Field(ge=0, le=1)]
RuleValue = bool | int | str


class _Score(BaseModel):
    score: Rate
    low: Rate
    high: Rate


class _Length(BaseModel):
    mean: Annotated[float, Field(ge=0, le=1e9)]


class _Cell(BaseModel):
    """What the page shows of `spielwerk.balance.study.Cell.to_json`."""

    variant: Annotated[dict[str, RuleValue], Field(max_length=20)]
    level: str
    games: Annotated[int, Field(ge=1, le=10**9)]
    scores: Annotated[dict[str, _Score], Field(max_length=8)]
    draw_rate: Rate
    length: _Length


_Cells = Annotated[list[_Cell], Field(max_length=MOST_VARIANTS)]


class _Study(BaseModel):
    game: str
    rules: Annotated[dict[str, RuleValue], Field(max_length=20)]
    rules_version: int
    complete: bool
    levels: Annotated[list[_Cell], Field(min_length=1, max_length=20)]
    screening: _Cells
    ranking: _Cells
    proved_winner: dict[str, str | None]


_STUDIES: TypeAdapter[list[_Study]] = TypeAdapter(Annotated[list[_Study], Field(max_length=MOST_STUDIES)])


class Balance:
    """The studies of a file or of a folder; ValueError for what is no report."""

    def __init__(self, place: Path | None) -> None:
        self._shown = place is not None
        found = [] if place is None else [_study_view(study, file) for file in _files(place) for study in _read(file)]
        self._studies = {study.id: study for study in found[:MOST_STUDIES]}

    def view(self) -> BalanceView:
        items = [StudyItem(**one.model_dump(include=set(StudyItem.model_fields))) for one in self._studies.values()]
        return BalanceView(shown=self._shown, studies=items)

    def study(self, id: str) -> StudyView:
        if id not in self._studies:
            raise Refused("not_found", "there is no such report")
        return self._studies[id]


def _files(place: Path) -> list[Path]:
    if place.is_dir():
        return sorted(place.glob("*.json"))[:MOST_FILES]
    if not place.is_file():
        raise ValueError(f"there is no report {place}; 'spielwerk balance RULESET --json > {place}' makes it")
    return [place]


def _read(file: Path) -> list[_Study]:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise ValueError(f"{file} is larger than {MOST_BYTES} bytes")
        return _STUDIES.validate_json(file.read_bytes())
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{file} is no report of 'spielwerk balance --json': {where}: {first['msg']}") from None


def _study_view(study: _Study, file: Path) -> StudyView:
    try:
        game = make(study.game, **study.rules)
        return StudyView(
            id=_id(study),
            game=game.name,
            title=views.words(catalogue.full_title(game.name)),
            complete=study.complete,
            players=[_variant_view(study, cell, screened=False) for cell in study.levels],
            variants=list(_variants(study)),
        )
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{file}: {quoted(study.game, 60)}: {quoted(str(error), 200)}") from None


def _id(study: _Study) -> str:
    facts = json.dumps(study.model_dump(), sort_keys=True)
    return hashlib.sha256(facts.encode()).hexdigest()[:12]


def _given(study: _Study) -> dict[str, RuleValue]:
    """What these rules change of their ruleset; others may depend on it, as first squares do on the size."""
    usual = make(study.game).rules
    return {name: value for name, value in study.rules.items() if value != usual.get(name)}


def _variants(study: _Study) -> Iterator[VariantView]:
    """The rules as they stand, then others: those played in full, then those that were only screened."""
    full = [(cell, False) for cell in (study.levels[-1], *study.ranking)]
    cells = [*full, *((cell, True) for cell in study.screening)]
    seen: list[dict[str, RuleValue]] = []
    for cell, screened in cells:
        if cell.variant not in seen:
            seen.append(cell.variant)
            yield _variant_view(study, cell, screened=screened)


def _variant_view(study: _Study, cell: _Cell, *, screened: bool) -> VariantView:
    rules = {**_given(study), **cell.variant}
    game = make(study.game, **rules)
    names = side_names(game)
    scores = [cell.scores[name] for name in names]
    advantage = advantage_of([Share(one.score, one.low, one.high) for one in scores])
    return VariantView(
        changes=[_change(game, name, value) for name, value in cell.variant.items()],
        rules=rules,
        seats=game.num_players,
        sides=views.side_words(game),
        player=quoted(cell.level, 80),
        games=cell.games,
        scores=[ScoreView(rate=one.score, low=one.low, high=one.high) for one in scores],
        favoured=_favoured(scores),
        side=advantage.side,
        advantage=abs(advantage.value),
        draw_rate=cell.draw_rate,
        length=cell.length.mean,
        screened=screened,
        proved=_proved(study, Variant(game, cell.variant), names),
    )


def _favoured(scores: list[_Score]) -> int | None:
    """The side with the most, if its interval lies above an even share."""
    best = max(range(len(scores)), key=lambda side: scores[side].score)
    return best if scores[best].low > 1 / len(scores) and not math.isclose(scores[best].low, 1 / len(scores)) else None


def _proved(study: _Study, variant: Variant, names: tuple[str, ...]) -> int | None:
    winner = study.proved_winner.get(variant.label)
    return names.index(winner) if winner in names else None


def _parameter(game: Game, name: str) -> Parameter:
    return next(parameter for parameter in game.parameters if parameter.name == name)


def _change(game: Game, name: str, value: RuleValue) -> ChangeView:
    parameter = _parameter(game, name)
    if isinstance(value, bool):
        said = views.words(_YES if value else _NO)
    elif parameter.kind == "choice":
        said = views.words(catalogue.choice_label(game.name, parameter, str(value)))
    else:
        said = _named(game, str(value))
    return ChangeView(name=name, label=views.words(catalogue.parameter_label(game.name, parameter)), value=said)


def _named(game: Game, value: str) -> Words:
    """A value as it is, unless it names seats, which have names in both languages."""
    seats = {label.en.lower(): label for label in seat_labels(game)}
    parts = value.split(",")
    if not seats.keys() >= set(parts):
        return quoted(value, 60)
    return views.words(Label(", ".join(seats[part].en for part in parts), ", ".join(seats[part].de for part in parts)))


def add_balance(router: APIRouter, balance: Balance) -> None:
    @router.get("/balance")
    async def show_balance() -> BalanceView:
        """The reports on balance that this server shows."""
        return balance.view()

    @router.get("/balance/{id}")
    async def show_study(id: str, response: Response) -> StudyView:
        """One of them, with all its variants."""
        response.headers["Cache-Control"] = _BRIEFLY
        return balance.study(id)
