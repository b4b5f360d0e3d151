"""Paints the pictures of the rule pages and the README from docs/rules/pictures.json, with words in both languages."""

import json
from pathlib import Path

import spielwerk as sw
from spielwerk.render import svg_of

RULES = Path(__file__).parents[1] / "docs/rules"


def pictures() -> dict[str, str]:
    """File name to SVG, for every picture of the list: `name.svg`, and `name.de.svg` for German pages."""
    painted = {}
    for name, entry in json.loads((RULES / "pictures.json").read_text()).items():
        game = sw.make(entry["game"], **entry.get("rules", {}))
        actions = entry.get("actions", [])
        state = game.from_text(entry["text"]) if "text" in entry else game.replay(actions)
        painted[name] = svg_of(state, actions=actions, legal=entry.get("legal", False))
        german = svg_of(state, actions=actions, legal=entry.get("legal", False), lang="de")
        painted[name.replace(".svg", ".de.svg")] = german
    return painted


if __name__ == "__main__":
    (RULES / "img").mkdir(exist_ok=True)
    for name, svg in pictures().items():
        (RULES / "img" / name).write_text(svg)
