"""What a moving average of the weights is worth: averages over several shares of a run against the weights themselves.

PYTHONPATH=src python benchmarks/ema.py ppo pferdeaepfel/classic --set steps=1000000 --set seed=1

All averages are of one run, and so are the weights they play against: those of that moment, in the middle of the run
(while the learning rate is high) and at its end (where it has fallen to zero). A run that goes on from another network
(`--from-pretrained`) is compared with that one, too. Games come in pairs with the seats exchanged, the likeliest
actions are played, and equal pairs count once.
"""

import argparse
import tempfile
from pathlib import Path

from torch.optim.optimizer import register_optimizer_step_post_hook

import spielwerk as sw
from spielwerk.training.config import CONFIGS, kind_of
from spielwerk.training.ema import Ema
from spielwerk.training.evaluation import rival_seatings, score_of
from spielwerk.training.gate import distinct_families
from spielwerk.training.launch import new_plan
from spielwerk.training.loop import Learner, Training
from spielwerk.training.networks import Network, frozen_copy
from spielwerk.training.selfplay import Match, played_match


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method", choices=CONFIGS)
    parser.add_argument("ruleset", metavar="RULESET[:rule=value]")
    parser.add_argument("--shares", type=float, nargs="+", default=[0.02, 0.05, 0.1, 0.2])
    parser.add_argument("--games", type=int, default=2000, help="of each average against the weights, at most")
    parser.add_argument("--from-pretrained", metavar="FILE|RUN|RULESET", help="where the run begins")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="any setting of the method")
    options = parser.parse_args()
    name, _, rule = options.ruleset.partition(":")
    key, _, value = rule.partition("=")
    game = sw.make(name, **({key: int(value)} if rule else {}))
    kind = CONFIGS[options.method]
    words = dict(change.split("=", 1) for change in options.set)
    settings = {name: kind_of(kind, name)(value) for name, value in words.items()}
    settings["device"] = "cpu"  # where every gradient step is seen
    with tempfile.TemporaryDirectory() as folder:
        plan = new_plan(
            game, options.method, settings, from_pretrained=options.from_pretrained, runs_dir=Path(folder)
        )  # fmt: skip
        learner = Training(plan.learner, plan.run).learner
        rivals = {"the weights": learner.network}
        if options.from_pretrained:
            rivals["the start"] = frozen_copy(learner.network)
        compare(learner, rivals, options.shares, options.games)


def compare(learner: Learner, rivals: dict[str, Network], shares: list[float], games: int) -> None:
    averages = {share: Ema(learner.network, share) for share in shares}

    def follow(*_: object) -> None:
        for average in averages.values():
            average.follow()

    register_optimizer_step_post_hook(follow)
    halfway = False
    for progress in learner.updates():
        if not halfway and progress.steps >= learner.config.steps / 2:
            halfway = True
            show(learner, averages, rivals, games)
    show(learner, averages, rivals, games)


def show(learner: Learner, averages: dict[float, Ema], rivals: dict[str, Network], games: int) -> None:
    print(f"{learner.game!r} after {learner.steps:,} steps:", flush=True)
    players = {f"{share:g}": average.network for share, average in averages.items()}
    for name, player in (players | {"the weights": learner.network}).items():
        for rival, network in rivals.items():
            if network is not player:
                print(f"  {name} against {rival}: {result(learner.game, player, network, games)}", flush=True)


def result(game: sw.Game, first: Network, second: Network, games: int) -> str:
    """The first network's score, then seat by seat."""
    played = played_match(Match(game.name, game.rules, first, second, games, 7, 1))
    distinct = distinct_families(played, len(rival_seatings(game)))
    return f"{score_of(distinct.gained)}; {', '.join(map(str, distinct.by_seat()))}"


if __name__ == "__main__":
    main()
