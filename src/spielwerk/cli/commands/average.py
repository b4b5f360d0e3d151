"""Average networks weight by weight (a model soup), where one was trained on from the other, or all from the same one.

The mean is often stronger than any of them: chance of the last steps is averaged out, what all have learnt stays. Of
networks that began apart it plays at random; measure it with `spielwerk arena`. Needs PyTorch: pip install
'spielwerk[train]'.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from spielwerk.cli.options import add_json
from spielwerk.cli.standings import check_folder

EXAMPLES = """
spielwerk train ppo diavolo/standard --from-pretrained diavolo/standard --mix side=5,8,12 --seconds 3600 --run mix
spielwerk average diavolo/standard mix --out mean.onnx
spielwerk arena network:mean.onnx network:diavolo/standard --game diavolo/standard --games 1000
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "models", nargs="*", metavar="MODEL", help="the networks: rulesets with a shipped one, runs, or .onnx files"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="for the mean: FILE.onnx and FILE.json")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Averages and writes."""
    from spielwerk.extras import need

    need("torch")
    from spielwerk.cli.output import print_json, print_line
    from spielwerk.training.averaging import average_models

    check_folder(arguments.out)
    card = average_models(arguments.models, arguments.out)
    if arguments.json:
        print_json({"file": str(arguments.out.with_suffix(".onnx")), **card})
    else:
        print_line(
            f"{arguments.out.with_suffix('.onnx')}: the mean of {len(arguments.models)} networks of {card['game']}"
        )
    return 0
