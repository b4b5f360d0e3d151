"""Thinking time, ruling by ruling; a clock knows no other time than it is given."""

import pytest

from spielwerk.play import Clock, TimeControl

SECOND, DAY = 1000, 86_400_000


def clock(text: str) -> Clock:
    return Clock(TimeControl.from_text(text), seats=2)


def turn(clock: Clock, seat: int, start_ms: int, end_ms: int) -> None:
    clock.run_for(seat, start_ms)
    clock.end_turn(seat, end_ms)


@pytest.mark.parametrize("text", ["game:300+5", "game:60", "move:30", "days:3"])
def test_a_time_control_reads_back_from_its_text(text: str) -> None:
    assert str(TimeControl.from_text(text)) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("game:2", "from 3 to 10800 seconds, not 2"),
        ("move:4000", "from 3 to 3600 seconds"),
        ("days:15", "from 1 to 14 days"),
        ("move:30+5", "an increment"),
        ("game:60+999", "an increment of 0 to 180 seconds"),
        ("hourglass:3", "is written like"),
    ],
)
def test_no_time_to_play_in_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        TimeControl.from_text(text)


def test_the_first_turn_costs_nothing_but_has_to_be_made_within_the_time() -> None:
    own = clock("game:60")
    turn(own, 0, 0, 50 * SECOND)
    assert own.left_ms == [60 * SECOND, 60 * SECOND]
    own.run_for(1, 50 * SECOND)
    assert not own.has_flagged(109 * SECOND)
    assert own.has_flagged(110 * SECOND)


def test_a_game_clock_is_charged_and_gains_the_increment_with_each_turn() -> None:
    own = clock("game:60+5")
    turn(own, 0, 0, 10 * SECOND)
    turn(own, 0, 10 * SECOND, 30 * SECOND)
    assert own.left_ms[0] == (60 - 20 + 5) * SECOND


def test_the_time_for_a_move_is_there_in_full_again_after_each_turn() -> None:
    own = clock("move:30")
    for start in (0, 40, 80):
        turn(own, 0, start * SECOND, (start + 29) * SECOND)
        assert own.left_ms[0] == 30 * SECOND
    own.run_for(0, 200 * SECOND)
    assert own.has_flagged(230 * SECOND)


def test_correspondence_counts_days_per_move() -> None:
    own = clock("days:2")
    turn(own, 0, 0, DAY)
    own.run_for(1, DAY)
    assert own.deadline_ms == 3 * DAY


def test_a_pause_costs_nobody_time_but_what_was_used_before_it() -> None:
    own = clock("game:60")
    turn(own, 0, 0, SECOND)
    turn(own, 1, SECOND, 2 * SECOND)
    own.run_for(0, 2 * SECOND)
    own.pause(from_ms=12 * SECOND, now_ms=5000 * SECOND)
    assert own.left_at(5000 * SECOND)[0] == 50 * SECOND
    assert own.deadline_ms == 5050 * SECOND


def test_a_pause_that_began_before_the_last_move_starts_with_that_move() -> None:
    own = clock("move:30")
    own.run_for(0, 100 * SECOND)
    own.pause(from_ms=20 * SECOND, now_ms=500 * SECOND)
    assert own.left_at(500 * SECOND)[0] == 30 * SECOND


def test_a_server_whose_time_goes_back_gives_no_time_away() -> None:
    own = clock("game:60")
    own.run_for(0, 100 * SECOND)
    assert own.left_at(90 * SECOND)[0] == 60 * SECOND
