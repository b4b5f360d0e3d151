"""Asks what the command line left open: ruleset, rules, who plays. Enter takes the answer in brackets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from rich.table import Table
from rich.text import Text

import spielwerk as sw
from spielwerk import rule_pages
from spielwerk.agents import KINDS, agent
from spielwerk.cli.game.picture import seat_name
from spielwerk.cli.game.terminal import Terminal
from spielwerk.cli.game.texts import Texts
from spielwerk.cli.options import DEFAULT_RULESET, make_game
from spielwerk.games import Game

TWO_COLUMNS_WIDTH = 60  # narrower terminals get explanations below the names


class InputEndedError(Exception):
    """There is nobody left to ask."""


class _Choice(NamedTuple):
    number: int
    name: str
    help: str


class Menu:
    def __init__(self, terminal: Terminal, texts: Texts) -> None:
        self.terminal = terminal
        self.texts = texts

    def welcome(self) -> None:
        self.terminal.say(Text("spielwerk", "bold"), Text(self.texts("welcome"), "dim"))

    def ruleset(self) -> str:
        names = sw.games()
        self._head(self.texts("which-ruleset"))
        for game, rulesets in groupby(enumerate(names, start=1), lambda entry: entry[1].partition("/")[0]):
            self.terminal.say(rule_pages.title(f"{game}/index", self.texts.lang) or game)
            self._offer(
                [_Choice(number, name.partition("/")[2], self._one_line_rules(name)) for number, name in rulesets]
            )
        while True:
            answer = self._ask(DEFAULT_RULESET)
            if name := _chosen(answer, names):
                return name
            self.terminal.say(self.texts("no-such-answer", answer=answer[:40]), style="yellow")

    def game(self, ruleset: str) -> Game:
        """The ruleset with the rules the person wants."""
        parameters = sw.make(ruleset).parameters
        usual = " ".join(f"{entry.name}={entry.default}" for entry in parameters if entry.default != "")
        self._head(self.texts("which-rules", usual=usual))
        while True:
            answer = self._ask("")
            try:
                return make_game(ruleset, answer.split())
            except ValueError as error:
                self.terminal.say(str(error), style="yellow")

    def seats(self, game: Game) -> list[str]:
        return [self._player(seat_name(game, seat, self.texts), default_spec(seat)) for seat in range(game.num_players)]

    def _player(self, seat: str, default: str) -> str:
        kinds = sorted(KINDS, key=lambda kind: kind != "human")
        self._head(self.texts("who-plays", seat=seat))
        self._offer([_Choice(number, kind, self._kind_help(kind)) for number, kind in enumerate(kinds, start=1)])
        while True:
            answer = self._ask(default)
            spec = _chosen(answer, kinds) or answer
            try:
                agent(spec)
            except ValueError as error:
                self.terminal.say(str(error), style="yellow")
            else:
                return spec

    def _kind_help(self, kind: str) -> str:
        key = f"agent-{kind}"
        return self.texts(key) if self.texts.has(key) else KINDS[kind].summary

    def _one_line_rules(self, ruleset: str) -> str:
        return rule_pages.one_line_rules(ruleset, self.texts.lang) or sw.make(ruleset).summary

    def _offer(self, choices: Sequence[_Choice]) -> None:
        table = Table.grid(padding=(0, 2, 0, 0))
        for choice in choices:
            number, name, help = Text(str(choice.number), "cyan"), Text(choice.name, "bold"), Text(choice.help, "dim")
            if self.terminal.console.width >= TWO_COLUMNS_WIDTH:
                table.add_row(number, name, help)
            else:
                table.add_row(number, Text("\n").join((name, help)))
        self.terminal.say(table)

    def _head(self, question: str) -> None:
        self.terminal.say("", Text(question, "bold"))

    def _ask(self, default: str) -> str:
        answer = self.terminal.ask(f"[{default}]> " if default else "> ")
        if answer is None:
            raise InputEndedError
        return answer or default


def default_spec(seat: int) -> str:
    """Who plays a seat about which nothing was said: the person first, agents after."""
    return "greedy" if seat else "human"


def _chosen(answer: str, names: Sequence[str]) -> str | None:
    """The name that is meant by its number, itself, or its part after the slash where that is unique."""
    if answer.isdecimal():
        return names[int(answer) - 1] if 1 <= int(answer) <= len(names) else None
    meant = [name for name in names if answer.lower() in (name, name.rpartition("/")[2])]
    return meant[0] if len(meant) == 1 else None
