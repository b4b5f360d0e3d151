"""Balance: what is measured is what was played, what is known is shown, and a report stands on its own."""

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import spielwerk as sw
from spielwerk.arena.schedule import Schedule
from spielwerk.arena.workers import InProcess
from spielwerk.balance.findings import findings
from spielwerk.balance.known import known_facts
from spielwerk.balance.page import page
from spielwerk.balance.samples import Sample, played_samples, random_samples
from spielwerk.balance.study import Cell, Plan, Proof, Study, levels_for, prove
from spielwerk.balance.variants import Variant, combined, one_at_a_time
from spielwerk.games import sides_of
from spielwerk.records import Record

Cli = Callable[..., Any]
QUICK = Plan(levels=("random", "greedy"), games=12, screening=4, finalists=2)


def studied(name: str, plan: Plan = QUICK, variants: list[Variant] | None = None, **rules: bool | int | str) -> Study:
    study = Study(sw.make(name, **rules), plan, variants or [])
    study.run(InProcess())
    return study


@pytest.fixture(scope="module")
def trail() -> Study:
    variants = one_at_a_time("pferdeaepfel/trail", {"size": 5})
    return studied("pferdeaepfel/trail", QUICK, variants, size=5)


# -- single games --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sw.games())
def test_random_games_of_a_batch_are_whole_games(name: str) -> None:
    game = sw.make(name)
    samples = random_samples(game, 40, seed=3)
    assert samples == random_samples(game, 40, seed=3)
    assert len(samples) == 40 and len({sample.line for sample in samples}) > 30
    for sample in samples:
        assert sum(sample.scores) == pytest.approx(1)
        assert sample.reason and 0 < sample.plies <= game.max_plies
        assert sample.choices >= 1 and 0 <= sample.closer < len(sides_of(game))


def test_a_played_game_is_measured_as_its_record_tells() -> None:
    from spielwerk.arena.match import play

    fixture = Schedule(sw.make("pferdeaepfel/classic"), ("greedy", "greedy"), 1).pairing(0)[0]
    (sample,) = played_samples([fixture])
    record = Record.from_json(play(fixture).record)
    *before, last = record.positions()
    assert sample.plies == len(record.actions)
    assert sample.choices == pytest.approx(sum(len(state.legal_actions) for state in before) / len(before))
    assert (sample.reason, sample.closer) == (last.reason, before[-1].player)


def test_random_games_of_a_batch_and_of_the_arena_are_alike() -> None:
    game = sw.make("pferdeaepfel/trail", size=6)
    batch = random_samples(game, 3000, seed=1)
    schedule = Schedule(game, ("random", "random"), 1, opening=0)
    arena = played_samples([schedule.pairing(number)[0] for number in range(600)])
    for measure in (lambda s: s.scores[0], lambda s: s.plies / 30, lambda s: s.choices / 5):
        assert sum(map(measure, batch)) / 3000 == pytest.approx(sum(map(measure, arena)) / 600, abs=0.07)


# -- variants ------------------------------------------------------------------------------------------


def test_variants_that_differ_by_a_symmetry_are_one() -> None:
    variants = one_at_a_time("pferdeaepfel/trail", {})
    starts = [variant for variant in variants if "white_start" in variant.changes]
    # With Black in a corner one diagonal is left to reflect in: 8 squares on it, 28 pairs beside it, less Black's own
    # and the one that the rules have anyway.
    assert len(starts) == 34
    assert {change.get("white_start") for v in starts for change in v.alike} >= {"b8", "a7"}


def test_every_ruleset_with_parameters_has_variants_and_none_is_the_ruleset_itself() -> None:
    for name in sw.games():
        variants = one_at_a_time(name, {})
        assert bool(variants) == bool(sw.make(name).parameters)
        assert all(variant.game != sw.make(name) and variant.changes for variant in variants)
        assert not any("max_plies" in variant.changes for variant in variants)


def test_what_is_given_is_not_varied() -> None:
    variants = one_at_a_time("pferdeaepfel/classic", {"size": 5, "brown": 9})
    assert all(variant.game.rules["size"] == 5 and variant.game.rules["brown"] == 9 for variant in variants)


def test_wishes_are_combined() -> None:
    variants = combined("pferdeaepfel/classic", {}, ["brown=20,24", "golden=8,12"])
    assert [variant.label for variant in variants] == [
        "brown=20 golden=8",
        "brown=20 golden=12",
        "brown=24 golden=8",
        "brown=24 golden=12",
    ]
    pairs = combined("ludo/ffa", {}, ["colours=green,yellow;green,blue"])
    assert [variant.game.num_players for variant in pairs] == [2, 2]


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ("brown", "--vary is written NAME=VALUE"),
        ("browm=3", "no parameter 'browm'; it has: size"),
        ("brown=many", "brown must be a whole number"),
        ("brown=1", "brown must be a whole number from 2"),
        ("white_start=h1", "must be different squares"),
    ],
)
def test_bad_wishes_are_refused(wish: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        combined("pferdeaepfel/classic", {}, [wish])


# -- what is known -------------------------------------------------------------------------------------


def test_white_can_never_capture_where_both_start_on_one_colour() -> None:
    for name in ("trail", "free", "free-place-first", "classic", "classic-24", "original"):
        game = sw.make(f"pferdeaepfel/{name}")
        assert known_facts(game)[0].text.startswith("White can never capture.")
        endings = {(sample.reason, sample.closer) for sample in random_samples(game, 1500, seed=1)}
        assert ("capture", 1) in endings and ("capture", 0) not in endings


def test_black_can_never_capture_where_they_start_on_different_colours() -> None:
    for name, white_captures in (("trail", True), ("classic", False)):
        game = sw.make(f"pferdeaepfel/{name}", white_start="b8")
        assert "can never capture" in known_facts(game)[0].text and known_facts(game)[0].text.startswith("Black")
        endings = {(sample.reason, sample.closer) for sample in random_samples(game, 1500, seed=1)}
        assert ("capture", 1) not in endings and (("capture", 0) in endings) == white_captures


@pytest.mark.parametrize("size", [3, 4])
def test_mirrored_starts_are_lost_for_white_as_search_proves(size: int) -> None:
    squares = [f"{file}{rank}" for file in "abcd"[:size] for rank in range(1, size + 1)]
    explained = 0
    for white in squares:
        for black in squares:
            if white == black or "b2" in (white, black)[: 4 - size]:  # no jump from the middle of nine squares
                continue
            game = sw.make("pferdeaepfel/trail", size=size, white_start=white, black_start=black)
            if any(fact.winner == 1 for fact in known_facts(game)):
                explained += 1
                analysis = sw.agent("mcts:sims=20000,seed=1").analyse(game.start())
                assert analysis.proved and analysis.lines[0].value == -1
    assert explained > 10


def test_proofs() -> None:
    trail = sw.make("pferdeaepfel/trail")
    assert prove((trail.name, trail.rules, 1000)) == Proof(1, "an argument")
    other = sw.make("pferdeaepfel/trail", size=4, white_start="b4")
    proof = prove((other.name, other.rules, 10_000))
    assert proof is not None and proof.side == 0
    classic, carry = sw.make("pferdeaepfel/classic"), sw.make("pferdeaepfel/carry")
    assert prove((classic.name, classic.rules, 1000)) is None
    assert prove((carry.name, carry.rules, 1000)) is None


def test_on_small_boards_all_first_squares_are_proved() -> None:
    """Whoever can capture wins on 5×5; on 6×6 White does not where Black has the mirror image."""
    plan = Plan(levels=("random",), games=1, screening=1, finalists=1)
    for size, white, black in ((5, 42, 42), (6, 72, 92)):
        variants = combined("pferdeaepfel/trail", {"size": size}, ["white_start=*", "black_start=*"])
        study = studied("pferdeaepfel/trail", plan, variants, size=size)
        known = f"Proved for {white + black} of {white + black} variants"
        assert f"{known}: {white} are won by White, {black} are won by Black." in findings(study)


# -- studies -------------------------------------------------------------------------------------------


def sample(score: float, line: int, plies: int = 4) -> Sample:
    return Sample((score, 1 - score), plies, 2.0, "stuck", 0, str(line))


def cell(*scores: float, distinct: bool = True) -> Cell:
    made = Cell(Variant(sw.make("pferdeaepfel/trail"), {}), "random", len(scores))
    made.take([sample(score, number if distinct else 0) for number, score in enumerate(scores)])
    return made


def test_a_cell_tells_scores_draws_and_lengths() -> None:
    measured = cell(1, 1, 0.5, 0)
    assert [score.rate for score in measured.scores] == [0.625, 0.375]
    assert measured.scores[0].low < 0.625 < measured.scores[0].high
    assert measured.advantage.value == pytest.approx(0.125)
    assert measured.advantage.even
    assert (measured.drawn, measured.choices) == (0.25, 2)
    assert measured.length == pytest.approx((4, 4, 4))


def test_equal_games_are_one_piece_of_evidence() -> None:
    varied, repeated = cell(*[1] * 50), cell(*[1] * 50, distinct=False)
    assert repeated.distinct == 1
    assert (varied.advantage.even, repeated.advantage.even) == (False, True)


def test_forfeits_tell_nothing_about_the_rules() -> None:
    measured = cell(1, 0)
    measured.take([Sample((0.0, 1.0), 1, 1.0, "forfeit", 0, "x")])
    assert (len(measured.samples), measured.forfeits) == (2, 1)


def test_a_study_plays_what_was_asked_for(trail: Study) -> None:
    assert trail.complete
    assert [(cell.level, len(cell.samples)) for cell in trail.levels] == [("random", 120), ("greedy", 12)]
    assert {len(cell.samples) for cell in trail.screened} == {4}
    assert [len(cell.samples) for cell in trail.finals] == [12, 12]
    advantages = [abs(cell.advantage.value) for cell in trail.ranking]
    assert advantages == sorted(advantages)
    assert {cell.variant.label for cell in trail.ranking} >= {"as it is"}


def test_a_study_repeats_itself(trail: Study) -> None:
    again = studied("pferdeaepfel/trail", QUICK, trail.variants, size=5)
    assert again.to_json() == trail.to_json()


def test_a_study_shows_what_is_known_about_trail(trail: Study) -> None:
    text = "\n".join(findings(trail))
    assert "White can never capture." in text
    assert re.search(r"Captures that ended one of 132 games under these rules: 0 by White, \d+ by Black\.", text)
    assert "with best play Black wins" in text
    assert trail.to_json()["proved_winner"]["as it is"] == "Black"


def test_fairer_rules_are_found_where_there_are_any() -> None:
    """Among random players White lives long enough to win; more brown apples take that away."""
    plan = Plan(levels=("random",), games=100, screening=30, finalists=2)
    study = studied("pferdeaepfel/classic", plan, combined("pferdeaepfel/classic", {}, ["brown=20,24,36,40"]))
    assert study.strongest.advantage.low > 0.2
    assert [cell.variant.label for cell in study.fairer] == [cell.variant.label for cell in study.ranking[:2]]
    assert {cell.variant.label for cell in study.fairer} == {"brown=36", "brown=40"}
    assert any(text.startswith("Fairest of 4 variants: brown=") for text in findings(study))


def test_variants_that_cannot_be_opened_are_left_out() -> None:
    plan = Plan(levels=("greedy",), games=5, screening=5, opening=10)  # nine squares are spent before that
    study = studied("pferdeaepfel/trail", plan, combined("pferdeaepfel/trail", {}, ["size=3,7"]))
    assert [cell.variant.label for cell in study.screened] == ["size=7"]
    with pytest.raises(ValueError, match="open with fewer"):
        studied("pferdeaepfel/trail", plan, size=3)


def test_the_time_is_kept() -> None:
    plan = Plan(levels=("random", "greedy"), games=10, seconds=0)
    with pytest.raises(ValueError, match="no game of greedy was over in time"):
        studied("pferdeaepfel/trail", plan)


def test_games_of_more_sides_have_an_advantage_of_the_side_farthest_from_even() -> None:
    study = studied("ludo/ffa", Plan(levels=("random", "greedy"), games=4, opening=0), players=3)
    assert len(study.strongest.scores) == 3
    farthest = max(abs(score.rate - 1 / 3) for score in study.strongest.scores)
    assert abs(study.strongest.advantage.value) == pytest.approx(farthest)
    assert findings(study)


@pytest.mark.parametrize("name", sw.games())
def test_the_usual_players_can_play(name: str) -> None:
    game = sw.make(name)
    for level in levels_for(game):
        assert sw.agent(level).plays(game)


# -- the report ----------------------------------------------------------------------------------------


class Outside(HTMLParser):
    """Collects what a page would fetch or run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "link", "img", "iframe", "object", "embed"):
            self.found.append(tag)
        self.found += [f"{name}={value}" for name, value in attributes if name in ("src", "href", "onclick", "onload")]


def test_the_page_needs_nothing_from_outside(trail: Study) -> None:
    text = page([trail], "spielwerk balance '<x>'", "0")
    reader = Outside()
    reader.feed(text)
    assert reader.found == []
    assert "@import" not in text and "url(" not in text and "http" not in text
    assert "prefers-color-scheme:dark" in text
    assert "&lt;x&gt;" in text and "<x>" not in text


def test_the_page_shows_levels_variants_and_boards(trail: Study) -> None:
    text = page([trail], "", "0")
    for cell in (*trail.levels, *trail.ranking):
        assert f"<code>{cell.level}</code>" in text
        assert f"<code>{cell.variant.label}</code>" in text or not cell.variant.changes
    assert text.count('class="board"') == 2
    assert text.count('class="histogram"') == 2
    assert text.count("<svg") == text.count("</svg>")


# -- the command ---------------------------------------------------------------------------------------

WORDS = ["balance", "pferdeaepfel/trail", "--rule", "size=4", "--games", "4", "--screening", "2", "--finalists", "1"]
WORDS += ["--level", "random", "--level", "greedy", "--workers", "1", "--seed", "3"]


def test_balance_prints_tables_and_findings(cli: Cli, tmp_path: Path) -> None:
    code, out, err = cli(*WORDS, "--vary", "white_start=b4,c4", "--out", str(tmp_path / "report.html"))
    assert (code, err) == (0, "")
    assert "greedy" in out and "as it is" in out and "White can never capture" in out
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_balance_as_json(cli: Cli) -> None:
    (report,) = json.loads(cli(*WORDS, "--vary", "white_start=*", "--json").out)
    assert report["game"] == "pferdeaepfel/trail" and report["rules"]["size"] == 4
    assert [level["games"] for level in report["levels"]] == [40, 4]
    assert report["proved_winner"]["as it is"] == "Black"
    assert set(report["levels"][0]["scores"]) == {"White", "Black"}
    assert len(report["ranking"]) == 2 and report["fairest"] == report["ranking"][0]["variant"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["balance", "trail"], "did you mean 'pferdeaepfel/trail'?"),
        ([*WORDS, "--vary", "size=3", "--no-vary"], "exclude each other"),
        ([*WORDS, "--vary", "golden=3"], "no parameter 'golden'"),
        ([*WORDS, "--level", "gredy"], "unknown agent 'gredy'"),
        ([*WORDS, "--level", "human"], "people do not play"),
        ([*WORDS, "--games", "0"], "must be a whole number from 1"),
        ([*WORDS, "--out", "/no/such/folder/x.html"], "no folder /no/such/folder"),
        (["balance", "ludo/ffa", "--level", "alphabeta"], "cannot play ludo/ffa"),
    ],
)
def test_bad_input_of_balance(cli: Cli, words: list[str], message: str) -> None:
    code, _, err = cli(*words)
    assert code == 2 and message in err and err.count("\n") == 1
