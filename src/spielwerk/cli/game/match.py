"""A person at the terminal against agents, against another person, or watching."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.markdown import Markdown
from rich.text import Text

from spielwerk import rule_pages
from spielwerk.cli.game.picture import Picture, picture_of, seat_name
from spielwerk.cli.game.seating import SeatedGame, Setting
from spielwerk.cli.game.terminal import Terminal
from spielwerk.cli.game.texts import Texts
from spielwerk.cli.output import columns
from spielwerk.errors import IllegalAction
from spielwerk.hints import closest
from spielwerk.play import Turn
from spielwerk.play.rounds import Rounds
from spielwerk.records import append_record, read_records

SIDE_BY_SIDE_WIDTH = 66  # from here on there is room for words beside the board
TURNS_SHOWN = 4
ACTIONS_SHOWN = 8


class _Word(NamedTuple):
    """Something to type that is no action; its help is the text `help-<name>`."""

    name: str
    others: tuple[str, ...] = ()
    takes_file: bool = False


_WORDS = (
    _Word("help", ("?", "hilfe", "h")),
    _Word("undo", ("zurück", "u")),
    _Word("hint", ("tipp",)),
    _Word("legal", ("erlaubt", "l")),
    _Word("rules", ("regeln",)),
    _Word("save", ("speichern",), takes_file=True),
    _Word("resign", ("aufgeben",)),
    _Word("new", ("neu",)),
    _Word("quit", ("exit", "ende", "q")),
)
_NAMES = {spelling: word.name for word in _WORDS for spelling in (word.name, *word.others)}


@dataclass
class Match:
    """Game after game, until the person leaves."""

    setting: Setting
    terminal: Terminal
    texts: Texts
    delay: float = 0
    save_to: Path | None = None
    rounds: Rounds | None = None  # a match of several, with those behind it
    game: SeatedGame = field(init=False)
    _running: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        self.game = SeatedGame(self.setting)
        self._answers: dict[str, Callable[[str], None]] = {
            "help": self._help,
            "undo": self._undo,
            "hint": self._hint,
            "legal": self._legal,
            "rules": self._rules,
            "save": self._save,
            "resign": self._resign,
            "new": self._new,
            "quit": self._quit,
        }

    def run(self) -> None:
        """Plays games until the person leaves; one game when only agents play."""
        self._show()
        while self._running:
            if self.game.over:
                self._after_the_end()
            elif self.game.human_to_act:
                self._ask()
            else:
                self._let_agents_play()

    # -- turns -------------------------------------------------------------------------------------

    def _let_agents_play(self) -> None:
        """One agent's turn; shown when it is complete."""
        seat = self.game.state.player
        if self.terminal.live and self.setting.humans:
            self._show()
            self._say("thinking", seat=self._seat_name(seat or 0))
        while self.game.state.player == seat and not self.game.over:
            self.game.agent_plays()
        self._show()
        if not self.game.human_to_act:
            time.sleep(self.delay)

    def _ask(self) -> None:
        answer = self.terminal.ask(f"{self._seat_name(self.game.state.player or 0)}> ")
        if answer is None:
            self._quit()
        elif not answer:
            self._take_empty_answer()
        elif not self._take_word(answer):
            self._take_action(answer)

    def _take_empty_answer(self) -> None:
        actions = self._legal_texts()
        if len(actions) == 1:
            self._take_action(actions[0])
        else:
            self._show()
            self._say("empty-answer")

    def _take_word(self, answer: str) -> bool:
        word, _, rest = answer.partition(" ")
        name = _NAMES.get(word.lower())
        if name is None:
            return False
        self._answers[name](rest.strip())
        return True

    def _take_action(self, text: str) -> None:
        try:
            self.game.play_typed(text)
        except IllegalAction as illegal:
            self._explain(illegal, text)
        else:
            self._show_unless_an_agent_answers()

    def _explain(self, illegal: IllegalAction, text: str) -> None:
        self.terminal.say(
            self.texts.reason(self.setting.game.name, illegal, text, self._legal_texts()[0]), style="yellow"
        )
        word = text.split(maxsplit=1)[0]
        if illegal.code == "notation" and len(word) > 3 and (command := closest(word, _NAMES)):
            self._say("suggest-command", command=command)

    def _after_the_end(self) -> None:
        if self.save_to is not None:
            self._store(self.save_to)
        after = self._rounds_after_this()
        if after is not None:
            self._tell_rounds(after)
        if not self.setting.humans:
            if after is None or after.over:
                self._running = False
            else:
                self._new()
            return
        self._say("after-the-end")
        while self._running and self.game.over:
            answer = self.terminal.ask("> ")
            if answer is None:
                self._quit()
            elif not answer:
                self._new()
            elif not self._take_word(answer):
                self._say("after-the-end")

    # -- rounds ------------------------------------------------------------------------------------

    def _rounds_after_this(self) -> Rounds | None:
        """Where the match stands once the game that is over counts; a game can still be taken back."""
        if self.rounds is None or self.game.outcome is None:
            return None
        return self.rounds.after_round(self.game.outcome)

    def _tell_rounds(self, after: Rounds) -> None:
        one, two = self._names_in_match()
        points = f"{after.sums[0]} : {after.sums[1]}"
        self._say("round", number=after.played, total=after.total, one=one, points=points, two=two)
        if after.over:
            key = "match-drawn" if after.winner is None else "match-won"
            self._say(key, player=(one, two)[after.winner or 0], points=points)

    def _names_in_match(self) -> list[str]:
        """By player; numbered where both are called the same."""
        assert self.rounds is not None
        names = [self._player_name(self.rounds.player_on(player)) for player in (0, 1)]
        return names if names[0] != names[1] else [f"{name} {number}" for number, name in enumerate(names, start=1)]

    def _begin_next_round(self) -> None:
        """The colours are exchanged; after the last round a match begins again."""
        after = self._rounds_after_this()
        if after is not None:
            self.rounds = Rounds(after.total) if after.over else after
            self.setting = replace(self.setting, agents=self.setting.agents[::-1])

    # -- what can be typed -------------------------------------------------------------------------

    def _help(self, _: str = "") -> None:
        actions = " ".join(self._legal_texts()[:2]) or "…"
        rows = [(Text(actions, "bold"), self.texts("help-action"))]
        for word in _WORDS:
            file = " " + self.texts("file") if word.takes_file else ""
            rows.append((Text(f"{word.name}{file}", "bold"), self.texts(f"help-{word.name}")))
        self.terminal.say(columns(*rows))
        self._say("marks")

    def _undo(self, _: str = "") -> None:
        if self.game.undo():
            self._show()
            self._say("undone")
        else:
            self._say("nothing-to-undo")

    def _hint(self, _: str = "") -> None:
        if self.game.over:
            self._say("over-already")
            return
        actions, value = self.game.hint()
        self._say("hint", actions=" ".join(actions), value=f"{value:+.2f}")

    def _legal(self, _: str = "") -> None:
        actions = self._legal_texts()
        self._say("all-legal", count=len(actions))
        self.terminal.say(Columns(actions, padding=(0, 1)))

    def _rules(self, _: str = "") -> None:
        page = rule_pages.rule_page(self.setting.game.name, self.texts.lang)
        if page is None:
            self._say("no-rule-page", ruleset=self.setting.game.name)
        else:
            self.terminal.page(Markdown(page), self.texts("more"))

    def _save(self, path: str) -> None:
        if not path:
            self._say("save-where")
            return
        try:
            self._store(Path(path))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            self._say("not-saved", reason=f"{path}: {reason}")

    def _store(self, path: Path) -> None:
        number = _games_in(path) + 1
        append_record(path, self.game.record)
        self._say("saved", number=number, path=path)

    def _resign(self, _: str = "") -> None:
        if self.game.over:
            self._say("over-already")
            return
        self.game.resign()
        self._show()

    def _new(self, _: str = "") -> None:
        """The next game; with a seed it has the next one, so that it is another game."""
        self._begin_next_round()
        seed = self.setting.seed
        self.setting = replace(self.setting, seed=None if seed is None else seed + 1)
        self.game = SeatedGame(self.setting)
        self._show()
        self._say("new-game")

    def _quit(self, _: str = "") -> None:
        self._running = False
        self._say("goodbye")

    # -- the screen --------------------------------------------------------------------------------

    def _show_unless_an_agent_answers(self) -> None:
        if self.game.human_to_act or self.game.over:
            self._show()

    def _show(self) -> None:
        game, console = self.game, self.terminal.console
        picture = picture_of(game.state, game.record.actions, self.texts, console, legal=game.human_to_act)
        self.terminal.clear()
        self.terminal.say(Text(self._title(), "bold"), "")
        if console.width >= SIDE_BY_SIDE_WIDTH:
            self.terminal.say(columns((picture.board, self._side(picture)), gap=4))
        else:
            self.terminal.say(picture.board, "", self._side(picture))
        self.terminal.say("")
        if game.human_to_act:
            self._show_choices()

    def _title(self) -> str:
        name = self.setting.game.name
        game, ruleset = name.split("/")
        titles = [rule_pages.title(page, self.texts.lang) for page in (f"{game}/index", name)]
        return " · ".join(title or part for title, part in zip(titles, (game, ruleset), strict=True))

    def _side(self, picture: Picture) -> Group:
        """Whose turn it is or who won, supplies, seats, and the latest turns."""
        headline, detail = picture.headline, picture.detail
        if self.game.loser is not None:
            headline, detail = self._resignation()
        words = [
            Text(headline, "bold"),
            Text(detail),
            *(Text(note, "dim") for note in picture.notes),
            Text(""),
        ]
        seats = [
            (Text(self._seat_name(seat)), Text(self._player_name(seat), "cyan"))
            for seat in range(self.setting.game.num_players)
        ]
        parts: list[RenderableType] = [*words, columns(*seats)]
        if turns := self.game.turns()[-TURNS_SHOWN:]:
            parts += [Text(""), columns(*map(self._turn_row, turns))]
        return Group(*parts)

    def _turn_row(self, turn: Turn) -> tuple[Text, Text]:
        return Text(self._seat_name(turn.seat), "dim"), Text(" ".join(turn.actions))

    def _resignation(self) -> tuple[str, str]:
        outcome = self.game.outcome
        winners = self.texts("and").join(map(self._seat_name, outcome.winner if outcome else ()))
        loser = self._seat_name(self.game.loser or 0)
        return self.texts("wins", seats=winners), self.texts("resigned", seat=loser)

    def _show_choices(self) -> None:
        actions = self._legal_texts()
        if len(actions) <= ACTIONS_SHOWN:
            self._say("possible", actions=" ".join(actions))
        else:
            # The last action is often one of a kind, like declining.
            some = " ".join([*actions[:3], actions[-1]])
            self._say("possible-many", count=len(actions), actions=some)
        if len(actions) == 1:
            self._say("only-one", action=actions[0])
        if not self.game.turns():
            self._say("help-line")

    def _say(self, key: str, **values: object) -> None:
        self.terminal.say(self.texts(key, **values), style="dim")

    def _legal_texts(self) -> list[str]:
        return [self.game.state.text(action) for action in self.game.state.legal_actions]

    def _seat_name(self, seat: int) -> str:
        return seat_name(self.setting.game, seat, self.texts)

    def _player_name(self, seat: int) -> str:
        player = self.setting.agents[seat]
        return self.texts("you") if player.kind == "human" else player.spec


def _games_in(path: Path) -> int:
    """How many records a file holds; RecordError rather than adding to a file of another kind."""
    return sum(1 for _ in read_records(path)) if path.exists() else 0
