"""Under which rules a network has learnt, in words, for those who meet it under others."""

from __future__ import annotations

from typing import Any

from spielwerk import catalogue
from spielwerk.games import Game, Parameter, make
from spielwerk.render.scene import Label, listed
from spielwerk.training.boards import boards_of, telling_rules

_USUAL = Label("under the usual rules", "unter den üblichen Regeln")


def rules_learnt(card: dict[str, Any]) -> Label:
    """What a model's card says: those that are not the usual ones, in brackets, each with all values of a mix."""
    config = card.get("config")
    mix = config.get("mix") if isinstance(config, dict) else None
    boards = list(boards_of(make(card["game"], **card["rules"]), str(mix or "")).values())
    unusual = {rule for board in boards for rule in telling_rules(board)}
    parameters = [parameter for parameter in boards[0].parameters if parameter.name in unusual]
    said = listed((_rule(parameter, boards) for parameter in parameters), separator="; ")
    return Label(f"({said.en})", f"({said.de})") if unusual else _USUAL


def _rule(parameter: Parameter, boards: list[Game]) -> Label:
    name = boards[0].name
    label = catalogue.parameter_label(name, parameter)
    values = _values(name, parameter, list(dict.fromkeys(board.rules[parameter.name] for board in boards)))
    return Label(f"{label.en} {values.en}", f"{label.de} {values.de}")


def _values(name: str, parameter: Parameter, values: list[Any]) -> Label:
    if parameter.kind == "int" and len(values) > 2:
        first, last = min(values), max(values)
        if last - first == len(values) - 1:
            return Label(f"{first} to {last}", f"{first} bis {last}")
    return listed(catalogue.choice_label(name, parameter, str(value)) for value in values)
