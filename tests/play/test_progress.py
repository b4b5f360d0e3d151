"""One game in progress: who played what, taking back, and endings at the table."""

import random
from collections import Counter

import pytest

import spielwerk as sw
from spielwerk.outcome import How, Outcome
from spielwerk.play import Action, GameInProgress
from spielwerk.play.progress import next_turn

DICE = [name for name in sw.games() if sw.make(name).has_chance]


def play_at_random(game: GameInProgress, decisions: int, source: random.Random) -> None:
    for _ in range(decisions):
        if not game.over:
            game.play(source.choice(game.state.legal_actions))


@pytest.mark.parametrize("name", sw.games())
@pytest.mark.parametrize("chance", ["auto", "explicit"])
def test_a_game_is_noted_as_it_is_played(name: str, chance: str) -> None:
    game = GameInProgress(sw.make(name), seed=3, chance=chance)
    play_at_random(game, 10_000, random.Random(3))
    assert game.over and game.outcome == game.state.outcome
    assert [action.text for action in game.actions] == game.record.actions
    assert game.record.replay() == game.state == game.position(len(game.actions))
    for ply, action in enumerate(game.actions[:40]):
        player = game.position(ply).player
        assert action.seat == (None if player == sw.CHANCE else player)
    assert game.decisions == sum(action.seat is not None for action in game.actions)


def test_turns_are_counted_over_steps_and_dice() -> None:
    actions: list[Action] = []
    for seat in (None, 0, None, 0, 0, 1, None, None, 2):
        actions.append(Action("x", seat, next_turn(actions, seat)))
    assert [action.turn for action in actions] == [1, 1, 2, 2, 2, 3, 4, 5, 5]


def test_steps_of_a_turn_belong_together() -> None:
    game = GameInProgress(sw.make("pferdeaepfel/classic"))
    for text in ("b6@d4", "g3", "-"):
        game.play(text)
    assert [tuple(turn) for turn in game.turns()] == [(0, ["b6", "@d4"]), (1, ["g3", "-"])]


def test_a_turn_begins_with_its_die() -> None:
    game = GameInProgress(sw.make("ludo/ffa"), seed=1)
    assert not game.turns(), "a die alone is nobody's turn yet"
    seat, die = game.state.player, game.record.actions[0]
    game.play("pass")
    assert [tuple(turn) for turn in game.turns()] == [(seat, [die, "pass"])]


@pytest.mark.parametrize("name", sw.games())
@pytest.mark.parametrize("chance", ["auto", "explicit"])
def test_taking_back_leads_to_the_position_before(name: str, chance: str) -> None:
    game, source = GameInProgress(sw.make(name), seed=5, chance=chance), random.Random(5)
    play_at_random(game, 9, source)
    ply = game.takeback_ply(range(game.game.num_players))
    assert ply is not None
    before, texts = game.position(ply), list(game.record.actions)
    game.take_back(ply)
    assert game.state == before and game.record.actions == texts[:ply]
    assert game.record.result is None and len(game.actions) == ply
    play_at_random(game, 10_000, source)
    assert game.over and game.record.replay() == game.state


def test_an_unfinished_turn_is_taken_back_step_by_step() -> None:
    game = GameInProgress(sw.make("pferdeaepfel/classic"))
    game.play("b6@d4")
    game.play("g3")
    assert game.takeback_ply([1]) == 2 and game.is_half_made(2)
    assert game.takeback_ply([0]) == 0 and game.takeback_ply([0, 1]) == 2
    game.play("-")
    assert game.takeback_ply([1]) == 2 and not game.is_half_made(2)


def test_who_has_not_acted_has_nothing_to_take_back() -> None:
    game = GameInProgress(sw.make("pferdeaepfel/trail"))
    assert game.takeback_ply([0, 1]) is None
    game.play("b6")
    assert game.takeback_ply([1]) is None


@pytest.mark.parametrize("name", DICE)
def test_taking_back_tells_nothing_about_the_next_die(name: str) -> None:
    pairs: Counter[bool] = Counter()
    for seed in range(400):
        game = GameInProgress(sw.make(name), seed=seed)
        first = game.state.text(game.state.legal_actions[0])
        game.play(first)
        seen = game.record.actions[2]
        game.take_back(1)
        game.play(first)
        pairs[game.record.actions[2] == seen] += 1
    assert 30 < pairs[True] < 110, "of 400 dice that are drawn independently about a sixth agree"


@pytest.mark.parametrize("name", DICE)
def test_the_same_seed_and_the_same_takebacks_are_the_same_game(name: str) -> None:
    def actions() -> list[str]:
        game, source = GameInProgress(sw.make(name), seed=8), random.Random(8)
        for _ in range(5):
            play_at_random(game, 6, source)
            game.take_back(len(game.actions) - 4)
        return game.record.actions

    assert actions() == actions()


def test_a_loss_at_the_table_ends_the_game() -> None:
    game = GameInProgress(sw.make("ludo/teams"), seed=1)
    game.lose(2, How.TIMED_OUT)
    assert game.over and game.loser == 2
    assert game.outcome == Outcome.lost_by(game.game, 2, How.TIMED_OUT)
    assert game.record.result == game.outcome.to_json()
    game.record.replay()
    with pytest.raises(sw.IllegalAction, match="the game is over"):
        game.play(game.state.legal_actions[0])


def test_a_loss_at_the_table_can_be_taken_back() -> None:
    game = GameInProgress(sw.make("ludo/teams"), seed=1)
    game.lose(2, How.RESIGNED)
    game.resume()
    assert not game.over and game.loser is None and game.record.result is None
    game.play(game.state.legal_actions[0])


def test_what_is_over_cannot_be_lost() -> None:
    game = GameInProgress(sw.make("pferdeaepfel/trail"), seed=1)
    play_at_random(game, 10_000, random.Random(1))
    result = game.record.result
    with pytest.raises(sw.IllegalAction, match="the game is over"):
        game.lose(0, How.RESIGNED)
    assert game.record.result == result and game.loser is None


def test_every_seat_has_a_name_or_none() -> None:
    with pytest.raises(ValueError, match="ludo/teams has 4 seats, not 2"):
        GameInProgress(sw.make("ludo/teams"), seats=["Ada", "Bob"])
