"""Hostile texts at every door of Python and the command line: a clear refusal in one line, or it works."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spielwerk as sw
from spielwerk.agents import agent
from spielwerk.agents.engines.lines import Limits, Thoughts, read_position, read_rules
from spielwerk.border import ascii_line, plain_line, quoted, readable
from spielwerk.records import Record, Recorder, RecordError
from tests.fuzz.texts import EFFORT, is_harmless_line, texts, values

Cli = Callable[..., Any]

RULESETS = sorted(sw.games())


@EFFORT
@given(texts, st.integers(1, 200))
def test_a_quotation_is_always_a_harmless_line(text: str, most: int) -> None:
    assert is_harmless_line(quoted(text, most), most)


@EFFORT
@given(texts)
def test_a_name_is_always_a_harmless_line(text: str) -> None:
    assert is_harmless_line(readable(text), 4 * len(text))
    assert readable(readable(text)) == readable(text)


@EFFORT
@given(texts)
def test_what_passes_the_border_is_a_harmless_line(text: str) -> None:
    for door in (plain_line, ascii_line):
        try:
            assert is_harmless_line(door(text, "it", 1000), 1000)
        except ValueError as refused:
            assert is_harmless_line(str(refused), 300)


def refused_or_done(door: Callable[[], object], most: int = 700) -> None:
    try:
        door()
    except ValueError as refused:
        assert is_harmless_line(str(refused), most), str(refused)


# Texts that nearly make sense reach further into a parser than noise does.
positions = {name: sw.make(name).start(seed=0).to_text() for name in RULESETS}


@EFFORT
@given(st.sampled_from(RULESETS), texts, st.integers(0, 100), st.integers(0, 8))
def test_positions_and_actions_are_refused_or_read(name: str, text: str, at: int, cut: int) -> None:
    game = sw.make(name)
    mixed = positions[name][:at] + text + positions[name][at + cut :]
    for position in (text, mixed):
        refused_or_done(lambda position=position: game.from_text(position).to_text())  # type: ignore[misc]
    state = game.start(seed=0)
    for action in (text, state.text(state.legal_actions[0]) + text):
        refused_or_done(lambda action=action: state.parse(action))  # type: ignore[misc]
        refused_or_done(lambda action=action: state.clone().play(action))  # type: ignore[misc]
        refused_or_done(lambda action=action: state.split_turn(action))  # type: ignore[misc]


@EFFORT
@given(st.sampled_from(RULESETS), texts, texts | st.integers() | st.booleans())
def test_rules_are_refused_or_made(name: str, rule: str, value: Any) -> None:
    refused_or_done(lambda: sw.make(rule))
    refused_or_done(lambda: sw.make(name, **{rule: value}))
    for parameter in sw.make(name).parameters:
        refused_or_done(lambda parameter=parameter: sw.make(name, **{parameter.name: value}))  # type: ignore[misc]


kinds = st.sampled_from(["random", "greedy", "alphabeta", "mcts", "expectimax", "solver"])
numbers = st.sampled_from(["nan", "inf", "-1", "1e99", "0x10", "9" * 40, "1_0", "", "٣"])


@EFFORT
@given(kinds, st.sampled_from(["ms", "sims", "depth", "nodes", "seed", "errs", "memory"]) | texts, numbers | texts)
def test_specs_are_refused_or_made(kind: str, option: str, value: str) -> None:
    for spec in (option, f"{kind}:{option}", f"{kind}:{option}={value}", f"{kind}:{value}"):
        refused_or_done(lambda spec=spec: agent(spec))  # type: ignore[misc]


def a_record() -> dict[str, Any]:
    recorder = Recorder(sw.make("pferdeaepfel/trail"), seed=1, seats=["A", "B"])
    recorder.play("b6")
    recorder.record.comments[1] = "good"
    return recorder.record.to_json() | {"result": None}


FIELDS = sorted({*a_record(), "start", "evaluations", "seed", "extra"})


@EFFORT
@given(st.dictionaries(st.sampled_from(FIELDS) | texts, values, max_size=3))
def test_records_are_refused_or_replayed(fields: dict[str, Any]) -> None:
    try:
        record = Record.from_json(a_record() | fields)
        record.replay()
    except RecordError as refused:
        assert is_harmless_line(str(refused), 2000)
    else:
        for text in [*record.seats, *record.comments.values(), *record.actions]:
            assert is_harmless_line(text, 100_000)


@EFFORT
@given(fields=st.dictionaries(st.sampled_from(FIELDS), values, max_size=2), noise=texts)
def test_files_of_records_are_refused_or_shown(cli: Cli, tmp_path: Path, fields: dict[str, Any], noise: str) -> None:
    file = tmp_path / "games.jsonl"
    for line in (json.dumps(a_record() | fields).encode(), noise.encode(errors="surrogatepass")):
        file.write_bytes(line + b"\n")
        code, out, err = cli("replay", str(file))
        assert code in (0, 2)
        assert is_harmless_line(err.removesuffix("\n"), 2100)
        assert not any(letter in out for letter in "\x1b\x00\u202e")


flags = st.sampled_from(["--rule", "--position", "--actions", "--seed", "--size", "--"])


@EFFORT
@given(words=st.lists(flags | texts, max_size=4))
def test_words_of_the_command_line_are_refused_or_obeyed(cli: Cli, words: list[str]) -> None:
    code, out, err = cli("show", "pferdeaepfel/trail", *words)
    assert code in (0, 2)
    assert is_harmless_line(err.removesuffix("\n"), 2100)
    assert "\x1b" not in out


@EFFORT
@given(st.sampled_from(["", "start moves ", "text ", "ms ", "depth ", "line 1 value ", "pv "]), texts)
def test_lines_of_engines_are_refused_or_read(start: str, text: str) -> None:
    line = start + text
    game = sw.make("pferdeaepfel/trail")
    doors: list[Callable[[], object]] = [
        lambda: read_rules(line),
        lambda: read_position(game, line),
        lambda: Limits.read(line),
        lambda: Thoughts().read(line),
    ]
    for door in doors:
        refused_or_done(door)


@pytest.mark.parametrize("name", RULESETS)
def test_every_position_written_is_read_again(name: str) -> None:
    game = sw.make(name)
    assert game.from_text(positions[name]).to_text() == positions[name]
