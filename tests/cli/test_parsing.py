"""Words on the command line, in whatever order people write them."""

from itertools import permutations

import pytest

from spielwerk.cli.parsing import read_arguments

COMMANDS = [
    ("arena", ["random greedy", "--game pferdeaepfel/trail", "--games 4", "--json"]),
    ("train", ["ppo pferdeaepfel/trail", "--steps 100", "--seed 1"]),
    ("show", ["pferdeaepfel/trail", "--seed 1", "--json"]),
    ("play", ["pferdeaepfel/trail", "--seat greedy", "--watch"]),
    ("balance", ["pferdeaepfel/trail ludo/ffa", "--games 4", "--json"]),
    ("analyse", ["pferdeaepfel/trail", "--agent greedy", "--lines 3"]),
    ("replay", ["games.jsonl", "--ply 3", "--json"]),
    ("bot", ["greedy", "--url http://127.0.0.1/t/x", "--seat 1"]),
]


@pytest.mark.parametrize(("command", "parts"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_flags_may_stand_before_and_after_what_they_are_about(command: str, parts: list[str]) -> None:
    orders = [" ".join([command, *order]).split() for order in permutations(parts)]
    read = [vars(read_arguments(words)[1]) for words in orders]
    assert all(arguments == read[0] for arguments in read)


def test_flags_may_stand_between_two_words() -> None:
    _, arguments = read_arguments(["arena", "random", "--games", "4", "greedy", "--game", "pferdeaepfel/trail"])
    assert arguments.players == ["random", "greedy"]
    _, arguments = read_arguments(["train", "ppo", "--steps", "100", "pferdeaepfel/trail"])
    assert (arguments.method, arguments.ruleset, arguments.steps) == ("ppo", "pferdeaepfel/trail", 100)
