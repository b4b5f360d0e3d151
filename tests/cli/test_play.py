"""The terminal game, played through pipes."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import spielwerk as sw
from spielwerk.records import read_records
from spielwerk.render import scene_of
from spielwerk.render.scene import Lang

Cli = Callable[..., Any]
TWO_PEOPLE = ("--seat", "human", "--seat", "human")
PFERDEAEPFEL = [name for name in sw.games() if name.startswith("pferdeaepfel/")]


BOARD = {"pferdeaepfel": "size", "diavolo": "side"}  # the parameter that makes a board small


def small(ruleset: str, size: int) -> dict[str, int]:
    return {BOARD[ruleset.partition("/")[0]]: size}


def rule_words(ruleset: str, size: int) -> tuple[str, ...]:
    return tuple(word for name, value in small(ruleset, size).items() for word in ("--rule", f"{name}={value}"))


def random_game(ruleset: str, seed: int, size: int = 8) -> tuple[list[str], sw.State]:
    """The actions of a random game, and its end."""
    choose = random.Random(seed).choice
    state, actions = sw.make(ruleset, **small(ruleset, size)).start(seed=seed), []
    while not state.over:
        action = choose(state.legal_actions)
        actions.append(state.text(action))
        state.play(action)
    return actions, state


@pytest.mark.parametrize(
    ("ruleset", "lang"),
    [*((name, "en") for name in PFERDEAEPFEL), ("pferdeaepfel/trail", "de"), ("pferdeaepfel/classic", "de")],
)
def test_a_whole_game_of_two_people(cli: Cli, ruleset: str, lang: Lang) -> None:
    actions, end = random_game(ruleset, seed=1, size=6)
    words = ("play", ruleset, *TWO_PEOPLE, *rule_words(ruleset, 6), "--seed", "1", "--lang", lang)
    code, out, err = cli(*words, typed="\n".join(actions) + "\n")
    assert (code, err) == (0, "")
    result = scene_of(end).headline
    assert result.in_language(lang) in out
    assert out.rstrip().endswith({"en": "Goodbye.", "de": "Auf Wiedersehen."}[lang])


@pytest.mark.parametrize("ruleset", PFERDEAEPFEL)
def test_a_whole_game_against_an_agent(cli: Cli, ruleset: str) -> None:
    """A person who types every action there is, again and again: some are legal, the game comes to its end."""
    game = sw.make(ruleset, **small(ruleset, 4))
    tries = [game.start(seed=0).text(action) for action in range(game.num_actions)]
    code, out, err = cli("play", ruleset, *rule_words(ruleset, 4), "--seed", "3", typed="\n".join(tries * 12) + "\n")
    assert (code, err) == (0, "")
    assert " wins" in out or "Draw" in out
    assert "Traceback" not in out


def test_enter_accepts_the_menu_as_it_is(cli: Cli) -> None:
    code, out, _ = cli("play", "--terminal", typed="\n\n\n\nquit\n")
    assert code == 0
    assert "Which ruleset?" in out
    assert "White  you" in out
    assert "Black  greedy" in out
    assert "Possible: c7 b6" in out


def test_menu_answers_by_number_and_name(cli: Cli) -> None:
    typed = "99\nnonsense\ncarry\nsize=99\nsize=6 starter=black\nrandom:seed=3\n99\n1\nquit\n"
    out = cli("play", "--terminal", typed=typed).out
    assert "'99' is none of the answers" in out
    assert "'nonsense' is none of the answers" in out
    assert "size must be a whole number from 3 to 8, not 99" in out
    assert "unknown agent '99'" in out
    assert "White  random:seed=3" in out
    assert "Black  you" in out
    assert "Black to move" in out


@pytest.mark.parametrize("typed", ["", "\n", "\n\n", "\n\n\n", "\n\n\n\n", "7\n\n\n\nb6\n"])
def test_the_end_of_the_input_is_a_polite_goodbye(cli: Cli, typed: str) -> None:
    code, out, err = cli("play", "--terminal", typed=typed)
    assert (code, err) == (0, "")
    assert out.rstrip().endswith("Goodbye.")


def test_whole_turns_blanks_and_capitals(cli: Cli) -> None:
    out = cli("play", "pferdeaepfel/classic", *TWO_PEOPLE, typed="b6@d4\ng3 -\nC8\n@E5\n").out
    assert "White  b6 @d4" in out
    assert "Black  g3 -" in out
    assert "White  c8 @e5" in out


def test_enter_plays_the_only_action(cli: Cli) -> None:
    words = ("play", "pferdeaepfel/trail", "--position", "W7/2o5/8/8/8/8/8/7B w", *TWO_PEOPLE)
    out = cli(*words, typed="\n").out
    assert "Enter plays b6." in out
    assert "White  b6" in out


def test_undo_takes_back_the_turn_and_the_answer_to_it(cli: Cli) -> None:
    out = cli("play", "pferdeaepfel/classic", "--seed", "1", typed="undo\nb6\nundo\nb6@d4\nundo\nc7\n").out
    assert "You have not moved yet." in out
    assert out.count("Taken back.") == 2
    boards = out.split("Pferdeäpfel · Classic")
    assert "White  c7" in boards[-1]
    assert "White  b6" not in boards[-1]


def test_undo_after_the_end_goes_on(cli: Cli) -> None:
    actions, _ = random_game("pferdeaepfel/trail", seed=2)
    typed = "\n".join([*actions, "undo", actions[-1], "new", "quit"])
    out = cli("play", "pferdeaepfel/trail", *TWO_PEOPLE, typed=typed + "\n").out
    assert out.count("Enter starts a new game") == 2
    assert "A new game." in out


def test_hint_legal_and_help(cli: Cli) -> None:
    out = cli("play", "pferdeaepfel/free", "--seed", "1", typed="hint\nlegal\n?\nb6\nlegal\n").out
    assert "greedy would play" in out
    assert "2 legal actions:\nc7 b6\n" in out
    assert "take back your last turn" in out
    assert "62 legal actions:" in out


def test_illegal_actions_show_the_reason_and_change_nothing(cli: Cli) -> None:
    out = cli("play", "pferdeaepfel/classic", typed="a1\n@d4\nxyz\nhnit\n\nb6-\n").out
    assert "a1 is no knight's jump from a8." in out
    assert "White jumps before laying an apple." in out
    assert "'xyz' is no action of pferdeaepfel/classic" in out
    assert "Did you mean 'hint'?" in out
    assert "Type an action" in out
    assert "White  b6 -" in out


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(st.text(st.characters(exclude_characters="\n\r", codec="utf-8")), max_size=8))
def test_whatever_is_typed_is_answered(cli: Cli, lines: list[str]) -> None:
    typed = "\n".join(line for line in lines if not line.strip().lower().startswith(("save", "speichern")))
    code, out, err = cli("play", "pferdeaepfel/carry", "--seed", "1", typed=typed + "\n" + "ü" * 50 + "\nsave a\0b\n")
    assert (code, err) == (0, "")
    assert out.rstrip().endswith("Goodbye.")


@pytest.mark.parametrize(
    ("ruleset", "position", "typed", "reason"),
    [
        ("trail", "W7/8/8/8/8/8/8/7B w", "a1", "„a1“: Dorthin führt kein Rösselsprung."),
        ("trail", "W7/8/1o6/8/8/8/8/7B w", "b6", "„b6“: Auf dem Feld liegt schon ein Apfel."),
        ("trail", "W7/8/8/8/8/8/8/7B w", "zz", "„zz“ ist keine Aktion dieses Regelwerks; möglich ist zum Beispiel c7."),
        ("trail", "W7/8/8/8/8/8/8/7B w", "b6f2", "„b6f2“ ist mehr als ein Zug."),
        ("free", "W7/8/8/8/8/8/8/7B w place", "b6", "Jetzt ist der Apfel dran, zum Beispiel @b8."),
        ("free", "W7/8/8/8/8/8/8/7B w place", "@h1", "„@h1“: Auf dem Feld steht ein Pferd."),
        ("free", "W7/8/8/8/8/8/8/7B w jump", "@b8", "Jetzt wird gesprungen, zum Beispiel c7."),
        ("classic", "W7/8/1B6/8/8/8/8/8 w jump", "b6", "Auf dem Feld steht das andere Pferd"),
        ("classic", "W7/2o5/8/8/8/8/8/7B b place", "@b6", "„@b6“ nähme Weiß den letzten Ausweg."),
        ("carry", "W7/8/8/8/8/8/8/7B w jump bb", "pass", "Passen darf nur ein schwarzes Pferd"),
        ("carry", "W7/8/8/8/8/6o1/5o2/7B b jump bb", "g3", "Kein Sprung ist möglich: Es bleibt nur pass."),
    ],
)
def test_reasons_in_german(cli: Cli, ruleset: str, position: str, typed: str, reason: str) -> None:
    words = ("play", f"pferdeaepfel/{ruleset}", "--position", position, *TWO_PEOPLE, "--lang", "de")
    assert reason in " ".join(cli(*words, typed=f"{typed}\n").out.split())


def test_save_and_replay(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    typed = f"save\nb6\nsave {file}\nresign\nsave {file}\nsave {tmp_path}\n"
    out = cli("play", "pferdeaepfel/trail", "--seed", "1", typed=typed, width=200).out
    assert "Type: save FILE" in out
    assert f"Saved as game 2 of {file}." in out
    assert "Not saved: " in out
    running, resigned = read_records(file)
    assert running.result is None
    assert resigned.result is not None
    assert (resigned.result["winner"], resigned.result["reason"]) == ([1], "resigned")
    assert resigned.seats == ["human", "greedy:seed=2"]
    assert len(resigned.actions) == 2
    assert resigned.replay() == running.replay()


def test_save_does_not_touch_files_of_another_kind(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear Alex,\n")
    out = cli("play", "pferdeaepfel/trail", typed=f"save {file}\n", width=200).out
    assert "Not saved" in out
    assert file.read_text() == "Dear Alex,\n"


def test_resign_and_its_undo(cli: Cli) -> None:
    out = cli("play", "pferdeaepfel/trail", typed="resign\nresign\nundo\nb6\n", lang="de_DE.UTF-8").out
    assert "Gewonnen: Schwarz" in out
    assert "Weiß hat aufgegeben" in out
    assert "Die Partie ist schon zu Ende." in out
    assert "Weiß     b6" in out


@pytest.mark.parametrize(("lang", "words"), [("en", "whoever is captured"), ("de", "wer geschlagen wird")])
@pytest.mark.parametrize("width", [40, 80])
def test_rules_show_the_page(cli: Cli, lang: str, words: str, width: int) -> None:
    out = cli("play", "pferdeaepfel/trail", "--lang", lang, typed="rules\n", width=width).out
    assert words in " ".join(out.split())
    assert ".svg" not in out
    assert all(len(line) <= width for line in out.splitlines())


def test_words_are_understood_in_german_too(cli: Cli) -> None:
    out = cli("play", "pferdeaepfel/trail", "--lang", "de", typed="hilfe\ntipp\nneu\nende\n").out
    assert "deinen letzten Zug zurücknehmen" in out
    assert "greedy würde" in out
    assert "Eine neue Partie." in out


@pytest.mark.parametrize(
    ("lang", "german"), [("de_DE.UTF-8", True), ("de", True), ("en_GB.UTF-8", False), ("C", False), ("fr_FR", False)]
)
def test_the_language_follows_the_environment(cli: Cli, lang: str, german: bool) -> None:
    out = cli("play", "pferdeaepfel/trail", lang=lang).out
    assert ("Weiß am Zug" in out) == german


def test_watching_is_repeatable_with_a_seed(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    words = ("play", "pferdeaepfel/carry", "--watch", "--seat", "random", "--seed", "5", "--save", str(file))
    first, second = cli(*words).out, cli(*words).out
    assert first.replace("game 1 of", "game 2 of") == second
    one, two = read_records(file)
    assert one == two
    assert one.seats == ["random:seed=5", "greedy:seed=6"]


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("ruleset", sw.games())
def test_the_screen_keeps_within_the_terminal(cli: Cli, ruleset: str, width: int) -> None:
    out = cli("play", ruleset, "--watch", "--seed", "1", "--lang", "de", width=width).out
    assert all(len(line) <= width for line in out.splitlines())


@pytest.mark.usefixtures("without_modules")
def test_a_game_without_a_module_is_played_from_its_text(cli: Cli) -> None:
    actions, end = random_game("pferdeaepfel/classic", seed=1)
    out = cli("play", "pferdeaepfel/classic", *TWO_PEOPLE, typed="\n".join(actions) + "\n").out
    assert "8 W . . . . . . .  " in out
    assert "Player 1 to move" in out
    assert f"Player {end.winner[0] + 1} wins" in out
    assert end.reason in out


def test_positions_can_be_the_start(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    text = "7W/8/6B1/8/8/8/8/8 b"
    words = ("play", "pferdeaepfel/trail", "--position", text, *TWO_PEOPLE, "--save", str(file))
    out = cli(*words, typed="h8\n").out
    assert "[♘]" in out
    assert "Black captured the horse" in out
    record = json.loads(file.read_text())
    assert record["start"] == text
