"""Matches of several rounds: colours exchanged after each, points added, the higher sum wins."""

import json

import pytest

from spielwerk.arena.match import play
from spielwerk.arena.rounds import match_score
from spielwerk.arena.store import GameStore
from spielwerk.arena.tournament import tournament_of
from spielwerk.cli import main
from spielwerk.games import make
from spielwerk.outcome import How, Outcome
from spielwerk.play.rounds import Rounds


def test_colours_are_exchanged_after_each_round_and_points_are_added() -> None:
    match = Rounds(3)
    assert [match.player_on(seat) for seat in (0, 1)] == [0, 1]
    match = match.after((24, 0))
    assert (match.sums, [match.player_on(seat) for seat in (0, 1)]) == ((24, 0), [1, 0])
    match = match.after((12, 0))
    assert match.sums == (24, 12)
    match = match.after((0, 7))
    assert (match.sums, match.over, match.winner) == ((24, 19), True, 0)


def test_equal_sums_draw_the_match() -> None:
    match = Rounds(2).after((5, 0)).after((5, 0))
    assert match.over
    assert match.winner is None


@pytest.mark.parametrize(("seat", "winner"), [(0, 0), (1, 1)])
def test_giving_up_a_round_gives_up_the_match(seat: int, winner: int) -> None:
    match = Rounds(4).after((24, 0)).after((0, 0), given_up_by_seat=seat)
    assert match.over
    assert match.winner == winner  # in the second round the first player has seat 1


def test_the_arena_scores_whole_matches() -> None:
    game = make("pferdeaepfel/original", size=5)
    with GameStore(None) as store:
        tournament = tournament_of(game, ["random", "greedy"], store, games=6)
        [meeting] = tournament.meetings
        fixtures = [fixture for number in range(3) for fixture in meeting.schedule.pairing(number)]
        played = [play(fixture) for fixture in fixtures]
        store.add(played)
        score = match_score(meeting, store, 4)  # the last two games fill no match
    by_player = {"random": 0, "greedy": 0}
    for item in played[:4]:
        for seat, points in enumerate(item.record["result"]["points"]):
            by_player[item.fixture.players[seat]] += points
    lineup = meeting.schedule.lineup
    assert score.points == tuple(by_player[name] for name in lineup)
    assert score.wins + score.draws + score.losses == 1
    assert score.wins == (score.points[0] > score.points[1])


def test_the_arena_command_tells_matches(capsys: pytest.CaptureFixture[str]) -> None:
    command = "arena random greedy --game pferdeaepfel/original --rule size=4 --games 5 --rounds 2 --workers 1"
    assert main([*command.split(), "--json"]) == 0
    [match] = json.loads(capsys.readouterr().out)["matches"]
    assert match["rounds"] == 2
    assert match["wins"] + match["draws"] + match["losses"] == 3


def test_the_terminal_plays_a_match_of_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    command = (
        "play pferdeaepfel/original --watch --seat greedy --seat random --rule size=4 --seed 1 --rounds 3 --lang en"
    )
    assert main(command.split()) == 0
    said = capsys.readouterr().out
    assert [f"Round {number} of 3" in said for number in (1, 2, 3, 4)] == [True, True, True, False]
    assert "won the match" in said or "The match is drawn" in said


def test_rounds_need_two_seats(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("play ludo/ffa --watch --rounds 2", "arena random greedy --game ludo/ffa --rounds 2"):
        assert main(command.split()) == 2
        assert "exchange colours" in capsys.readouterr().err


def test_a_round_without_points_counts_one_for_its_winner() -> None:
    game = make("pferdeaepfel/trail")
    won = Outcome((1,), (-1.0, 1.0), (0, 0), "stuck")
    assert Rounds(3).after_round(won).sums == (0, 1)
    assert Rounds(3).after_round(Outcome.nobody_won(game, How.AGREED)).sums == (0, 0)


def test_who_runs_out_of_time_gives_up_the_match() -> None:
    game = make("pferdeaepfel/trail")
    match = Rounds(3).after_round(Outcome.lost_by(game, 0, How.TIMED_OUT))
    assert (match.over, match.winner, match.sums) == (True, 1, (0, 0))
