"""A game looked at again: proved mistakes, opinions, accuracy, and what the dice did; docs/review.md defines it all."""

import pytest

import spielwerk as sw
from spielwerk.review import PlyReview, accuracies, choice_of, expected, luck_of, review, shares_of_dice

TRAIL = sw.make("pferdeaepfel/trail", size=5)
LUDO = sw.make("ludo/ffa")
RACE = "G!=f,f,f,h4 Y=y,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=- sixes=0000 plies=200"


def decision(value: float, best_value: float, *, proved: bool = False, choices: int = 3) -> PlyReview:
    return PlyReview(1, 0, "a", "b", value, best_value, proved, choices, [], [], [])


def played(game: sw.Game, spec: str, seed: int) -> list[str]:
    recorder = sw.records.Recorder(game, seed=seed)
    agent = sw.agent(spec)
    while recorder.state.player is not None:
        recorder.play(agent.act(recorder.state))
    return recorder.record.actions


def test_a_proved_mistake_is_told_apart_from_an_opinion() -> None:
    assert decision(-1, 1, proved=True).mark == "proved"
    assert decision(1, 1, proved=True).mark == ""
    assert decision(0.2, 0.7).mark == "mistake"
    assert decision(0.5, 0.7).mark == "inaccuracy"
    assert decision(0.65, 0.7).mark == ""


def test_accuracy_is_the_share_of_the_best_chance_that_was_kept() -> None:
    # A chance is (value + 1) / 2: from 0.8 to 0.4 half is kept, from 0.5 to 0.5 all of it.
    reviews = [decision(-0.2, 0.6), decision(0.0, 0.0)]
    assert accuracies(TRAIL, reviews) == [pytest.approx(75.0), None]
    assert accuracies(TRAIL, [decision(-1, -1)]) == [None, None], "nothing was left to give away"
    assert accuracies(TRAIL, [decision(-1, 1, choices=1)]) == [None, None], "nothing was to be decided"


def test_every_ply_of_a_game_is_reviewed_with_what_the_solver_knows() -> None:
    actions = played(TRAIL, "random:seed=3", 3)
    reviews = review(TRAIL, None, actions, sw.agent("alphabeta:nodes=2000"), proof_ms=2000)
    assert [one.ply for one in reviews] == list(range(1, len(actions) + 1))
    assert [one.action for one in reviews] == actions
    solver, state = sw.solver.Solver(TRAIL), TRAIL.start()
    for one in reviews:
        assert one.proved, "on this board all is known"
        after = state.clone()
        after.play(one.action)
        value = solver.solve(state).winner
        reached = after.winner[0] if after.over and after.winner else None if after.over else solver.solve(after).winner
        assert (one.mark == "proved") == (value == state.player and reached != state.player)
        state = after


def test_plies_can_be_reviewed_in_parts() -> None:
    actions = played(TRAIL, "random:seed=3", 3)
    agent = sw.agent("greedy")
    whole = review(TRAIL, None, actions, agent, proof_ms=2000)
    assert review(TRAIL, None, actions, agent, proof_ms=2000, plies=range(2, 5)) == whole[1:4]
    with pytest.raises(ValueError, match="h8"):
        review(TRAIL, None, ["h8"], agent)


def test_luck_is_fair_before_the_die_falls() -> None:
    """Over all numbers, weighed by how likely they are, it is nothing for anyone."""
    state = LUDO.from_text(
        "G=4,9,y,y Y=20,y,y,y B=40,y,y,y R=y,y,y,y turn=G die=- sixes=0000 plies=40", chance="explicit"
    )
    for seat in range(4):
        total = sum(chance * luck_of(state, state.text(action))[seat] for action, chance in state.outcomes)
        assert total == pytest.approx(0)


def test_the_number_that_wins_is_luck_and_no_decision() -> None:
    """Green's last piece is one square from its goal: a one ends the game, anything else moves nothing."""
    state = sw.make("ludo/ffa", exact_finish=True).from_text(RACE, chance="explicit")
    won, other = luck_of(state, "d1"), luck_of(state, "d4")
    assert won[0] > 0 > other[0]
    assert won[0] == pytest.approx(-5 * other[0]), "one of six numbers wins"
    state.play("d1")
    assert len(state.legal_actions) == 1
    assert choice_of(state, state.text(state.legal_actions[0]))[0] == pytest.approx(0)
    assert expected(state)[0] == pytest.approx(1), "it is won"


def test_a_decision_is_measured_against_the_best_one() -> None:
    state = LUDO.from_text("G=4,9,y,y Y=20,y,y,y B=40,y,y,y R=y,y,y,y turn=G die=6 sixes=1000 plies=40")
    changes = {state.text(action): choice_of(state, state.text(action))[0] for action in state.legal_actions}
    assert max(changes.values()) == pytest.approx(0)
    assert min(changes.values()) < 0


def test_dice_and_decisions_of_a_game_of_ludo_are_summed_apart() -> None:
    game = sw.make("ludo/ffa", players=2)
    actions = played(game, "random:seed=1", 1)
    reviews = review(game, None, actions, sw.agent("expectimax:depth=1"))
    assert [one.seat is None for one in reviews] == [action.startswith("d") for action in actions]
    luck, choice = shares_of_dice(game, reviews)
    assert luck[0] == pytest.approx(sum(one.luck[0] for one in reviews if one.seat is None))
    assert all(one.choice[one.seat] <= 1e-9 for one in reviews if one.seat is not None), "nobody beats the best choice"
    assert choice[0] < 0 and choice[1] < 0, "random players give things away"
