"""Records: readable, exact, and refused where they break the rules."""

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import spielwerk as sw
from spielwerk.outcome import How, Outcome
from spielwerk.records import (
    Record,
    Recorder,
    RecordError,
    append_record,
    read_records,
    write_records,
)


def short_record() -> dict[str, Any]:
    recorder = Recorder(sw.make("pferdeaepfel/trail", size=3), seed=1, seats=["Ada", "greedy"])
    for action in ["b1", "b3", "c3", "a1"]:
        recorder.play(action)
    return recorder.record.to_json()


def test_a_record_reads_like_the_game() -> None:
    data = short_record()
    assert data["spielwerk"] == 1
    assert data["game"] == "pferdeaepfel/trail"
    assert data["rules"] == {"size": 3, "white_start": "a3", "black_start": "c1"}
    assert data["actions"] == ["b1", "b3", "c3", "a1"]
    assert data["seats"] == ["Ada", "greedy"]
    assert data["seed"] == 1


def test_whole_turns_are_recorded_as_single_actions() -> None:
    recorder = Recorder(sw.make("pferdeaepfel/classic"))
    for turn in ["b6@d4", "g3-", "C4", "-"]:
        recorder.play(turn)
    assert recorder.record.actions == ["b6", "@d4", "g3", "-", "c4", "-"]


def test_an_illegal_action_leaves_the_recorder_as_it_was() -> None:
    recorder = Recorder(sw.make("pferdeaepfel/classic"))
    recorder.play("b6")
    with pytest.raises(sw.IllegalAction):
        recorder.play("b6")
    with pytest.raises(sw.IllegalAction):
        recorder.play("@d4g3")
    assert recorder.record.actions == ["b6"]


def test_a_drawn_starter_is_recorded() -> None:
    for seed in range(6):
        recorder = Recorder(sw.make("pferdeaepfel/carry"), seed=seed)
        colour = "wb"[recorder.state.player or 0]
        assert recorder.record.start == f"W7/8/8/8/8/8/8/7B {colour} jump bb"
        recorder.play(recorder.state.legal_actions[0])
        assert recorder.record.replay() == recorder.state


def test_a_game_from_a_set_up_position_is_recorded_with_it() -> None:
    text = "W4/5/2o2/5/4B b"
    recorder = Recorder(sw.make("pferdeaepfel/trail", size=5), start=text)
    recorder.play("c2")
    assert recorder.record.start == text
    assert recorder.record.replay() == recorder.state


def test_many_records_live_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    records = [Record.from_json(short_record()) for _ in range(3)]
    write_records(path, records)
    append_record(path, records[0])
    assert list(read_records(path)) == [*records, records[0]]
    assert path.read_text().count("\n") == 4


def test_comments_and_evaluations_travel_along() -> None:
    data = short_record() | {"comments": {"2": "hm"}, "evaluations": {"2": -0.5}}
    record = Record.from_json(data)
    assert record.comments == {2: "hm"} and record.evaluations == {2: -0.5}
    assert Record.from_json(json.loads(json.dumps(record.to_json()))) == record


def with_variations(*, second: str = "a2") -> dict[str, Any]:
    """On the board of side 3, where the middle is never reached."""
    inner = {"actions": [second, "a1"]}
    outer = {"actions": ["c2", "a2"], "comments": {"2": "Black answers"}, "variations": {"2": [inner]}}
    return short_record() | {"variations": {"1": [outer]}, "comments": {"0": "White to move", "1": "a start"}}


def test_variations_and_their_comments_travel_along() -> None:
    data = {**with_variations(second="b3"), "result": short_record()["result"]}
    read = Record.from_json(json.loads(json.dumps(data)))
    assert read.to_json() == data
    assert read.variations[1][0].variations[2][0].actions == ["b3", "a1"]
    read.check()


def test_a_variation_may_go_on_where_the_game_ended() -> None:
    data = short_record() | {"actions": ["b1", "b3"], "result": None, "variations": {"3": [{"actions": ["c3", "a1"]}]}}
    Record.from_json(data).check()


@pytest.mark.parametrize(
    ("variations", "message"),
    [
        ({"1": [{"actions": ["c2", "c2"]}]}, "ply 2: 'c2' cannot be played"),
        ({"9": [{"actions": ["c2"]}]}, "ply 9: a variation stands where no action is"),
        ({"0": [{"actions": ["c2"]}]}, "ply 0: a variation stands where no action is"),
        ({"1": [{"actions": []}]}, "a variation is an object with one action or more"),
        ({"1": ["c2"]}, "a variation is an object with one action or more"),
        ({"1": {"actions": ["c2"]}}, "the field 'variations' must map ply numbers to values"),
        ({"1": [{"actions": ["c2"], "variations": {"1": [{"actions": ["b3"]}]}}]}, "ply 1: 'b3' cannot be played"),
    ],
)
def test_wrong_variations_are_refused(variations: Any, message: str) -> None:
    with pytest.raises(RecordError, match=re.escape(message)):
        Record.from_json(short_record() | {"variations": variations}).check()


def test_variations_lie_in_each_other_only_so_deep() -> None:
    nested: Any = {"actions": ["c2"]}
    for _ in range(60):
        nested = {"actions": ["c2"], "variations": {"1": [nested]}}
    with pytest.raises(RecordError, match="40 deep at most"):
        Record.from_json(short_record() | {"variations": {"1": [nested]}})


def test_an_illegal_ply_is_named() -> None:
    data = short_record()
    data["actions"][2] = "b3"
    with pytest.raises(RecordError, match="ply 3: 'b3' cannot be played: b3 is no knight's jump from b1") as refused:
        Record.from_json(data).replay()
    assert refused.value.ply == 3


def test_a_resigned_game_need_not_be_over() -> None:
    data = short_record()
    data["actions"] = data["actions"][:2]
    data["result"] = {"winner": [1], "returns": [-1.0, 1.0], "points": [0, 0], "reason": "resigned"}
    assert not Record.from_json(data).replay().over


def ended_at_the_table(game: str, reason: str, **changes: Any) -> dict[str, Any]:
    """A game that its first player lost at the table before the first action, with a wrong result."""
    lost = Outcome.lost_by(sw.make(game), 0, How(reason)).to_json()
    return {"spielwerk": 1, "game": game, "actions": [], "result": lost | changes}


@pytest.mark.parametrize("reason", ["resigned", "forfeit", "timeout"])
@pytest.mark.parametrize("game", ["pferdeaepfel/trail", "ludo/ffa", "ludo/teams"])
def test_a_loss_at_the_table_is_one_of_a_whole_side(game: str, reason: str) -> None:
    Record.from_json(ended_at_the_table(game, reason)).replay()
    seats = sw.make(game).num_players
    wrong: list[dict[str, Any]] = [
        {"winner": []},
        {"winner": [0]},
        {"winner": [2, 3] if game == "ludo/ffa" else [1, 2, 3][:seats]},
        {"winner": [1, 3], "returns": [-1.0, 1.0, -1.0]},
        {"returns": [0.0] * seats},
        {"returns": [-1.0]},
        {"points": [1] * seats},
        {"points": []},
    ]
    for changes in wrong:
        with pytest.raises(RecordError, match=f"the record's result is '{reason}': one side of 0"):
            Record.from_json(ended_at_the_table(game, reason, **changes)).replay()


def test_forfeits_of_earlier_arenas_are_read() -> None:
    data = ended_at_the_table("ludo/ffa", "forfeit", returns=[-1.0, 1.0, 1.0, 1.0])
    assert Record.from_json(data).replay().player == sw.CHANCE


def test_what_was_agreed_is_a_draw() -> None:
    draw = Outcome.nobody_won(sw.make("pferdeaepfel/trail"), How.AGREED).to_json()
    data = ended_at_the_table("pferdeaepfel/trail", "agreed") | {"result": draw}
    Record.from_json(data).replay()
    for changes in ({"winner": [1]}, {"returns": [-1.0, 1.0]}, {"returns": [0.0]}, {"points": [0, 1]}):
        with pytest.raises(RecordError, match="'agreed', a draw"):
            Record.from_json(data | {"result": draw | changes}).replay()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"winner": [True]}, "'winner' must be a list of numbers"),
        ({"winner": 1}, "'winner' must be a list of numbers"),
        ({"returns": ["-1", "1"]}, "'returns' must be a list of numbers"),
        ({"returns": [-1, 10**400]}, "'returns' must be numbers from -1 to 1"),
        ({"returns": [-1, float("nan")]}, "'returns' must be numbers from -1 to 1"),
        ({"points": [0.5, 0]}, "'points' must be a list of numbers"),
        ({"truncated": "no"}, "'truncated' true or false"),
        ({"truncated": True}, "no ply limit truncates it"),
        ({"stake": 5}, "and nothing else"),
    ],
)
def test_a_result_at_the_table_has_the_shape_of_all_results(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        Record.from_json(ended_at_the_table("pferdeaepfel/trail", "resigned", **change)).replay()


def test_nobody_resigns_a_game_that_is_over() -> None:
    data = short_record()
    state = Record.from_json(data).replay()
    while not state.over:
        data["actions"].append(state.text(state.legal_actions[0]))
        state.play(state.legal_actions[0])
    data["result"] = Outcome.lost_by(state.game, 0, How.RESIGNED).to_json()
    with pytest.raises(RecordError, match="the game's is"):
        Record.from_json(data).replay()


def test_a_result_that_is_refused_is_not_quoted_at_length() -> None:
    with pytest.raises(RecordError) as refused:
        Record.from_json(short_record() | {"result": {"reason": "x" * 100_000}}).replay()
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("seats", [["Ada"], ["Ada", "Bob", "Cleo"]])
def test_a_record_names_every_seat_or_none(seats: list[str]) -> None:
    with pytest.raises(RecordError, match="'seats' must name 2 seats or none, not"):
        Record.from_json(short_record() | {"seats": seats}).replay()
    Record.from_json(short_record() | {"seats": []}).replay()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"spielwerk": 2}, "format 2 is unknown"),
        ({"game": "chess"}, "unknown ruleset 'chess'"),
        ({"game": 3}, "'game' must be a text"),
        ({"rules": {"size": 99}}, "size must be"),
        ({"rules": []}, "'rules' must be an object"),
        ({"rules_version": 7}, "version 7 of the rules"),
        ({"actions": "b1 b3"}, "'actions' must be a list"),
        ({"actions": [1]}, "'actions' must be a list of texts"),
        ({"start": "nonsense"}, "impossible position"),
        ({"result": {"winner": [0]}}, "the record's result is"),
        ({"comments": {"x": "y"}}, "must map ply numbers"),
        ({"seed": "x"}, "'seed' must be a whole number"),
    ],
)
def test_wrong_records_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        Record.from_json(short_record() | change).replay()


# A game by the rules that pferdeaepfel/original had before they followed the sheet of 1981.
VERSION_1 = (
    "c7 @g2 f2 @d5 e6 @c8 h3 @a6 g5 @h5 f4 @c3 h7 @f6 e2 @g4 f8 @g7 d4 @g6 d7 @f3 f5 @b8 b6 @b7 g3 @c4 a4 "
    "@d8 f1 @c6 c5 @a7 d2 @b3 e4 @d3 e4 "
)


def test_a_game_of_earlier_rules_that_today_ends_otherwise_is_refused_for_that() -> None:
    result = {"winner": [0], "returns": [1.0, -1.0], "points": [11, 0], "reason": "immobilized", "truncated": False}
    old = Record("pferdeaepfel/original", {}, VERSION_1.split(), rules_version=1, result=result)
    with pytest.raises(RecordError, match=r"^the record follows version 1 .* plays version 2, where ply \d+"):
        old.replay()


def test_a_game_of_earlier_rules_that_today_ends_the_same_is_a_game_of_today() -> None:
    recorder = Recorder(sw.make("pferdeaepfel/original", size=4), seed=1)
    source = random.Random(3)
    while not recorder.state.over:
        recorder.play(source.choice(recorder.state.legal_actions))
    old = replace(recorder.record, rules_version=1)
    assert old.replay() == recorder.state
    for other in (replace(old, result=None), replace(old, rules_version=3)):
        with pytest.raises(RecordError, match="of the rules of"):
            other.replay()
    assert recorder.record.result is not None
    elsewhere = replace(old, result=recorder.record.result | {"points": [99, 0]})
    with pytest.raises(RecordError, match=r"version 1 .* the record's result is"):
        elsewhere.replay()


@pytest.mark.parametrize("line", ["[]", "nonsense", "{}", '{"spielwerk": 1}', "[" * 100_000])
def test_lines_that_are_no_records_are_refused_by_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(short_record()) + "\n\n" + line + "\n")
    with pytest.raises(RecordError, match="line 3"):
        list(read_records(path))


def test_a_record_of_other_rules_is_refused() -> None:
    record = Record.from_json(short_record())
    with pytest.raises(RecordError, match="not of"):
        sw.make("pferdeaepfel/trail").replay(record)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no finding
@given(field=st.sampled_from(sorted(short_record() | {"start": "", "comments": {}})), value=JSON)
def test_any_value_in_any_field_is_read_or_refused(field: str, value: Any) -> None:
    try:
        Record.from_json(short_record() | {field: value}).replay()
    except RecordError as refused:
        assert "\n" not in str(refused)


@given(
    name=st.sampled_from(sw.games()),
    text=st.text(alphabet="12345678oOgWBwbXx/ jumplacenbg", max_size=80) | st.text(max_size=60),
)
def test_any_text_is_a_position_or_refused(name: str, text: str) -> None:
    game = sw.make(name)
    try:
        state = game.from_text(text)
    except ValueError as refused:
        assert str(refused)
    else:
        assert game.from_text(state.to_text()) == state


@given(name=st.sampled_from(sw.games()), action=st.text(max_size=12) | st.integers())
def test_any_action_is_played_or_refused_without_a_trace(name: str, action: int | str) -> None:
    state = sw.make(name).start(seed=1)
    before = state.clone()
    try:
        state.play(action)
    except sw.IllegalAction:
        assert state == before
    else:
        assert state != before
