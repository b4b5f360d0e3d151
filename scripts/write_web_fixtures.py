"""Writes web/tests/differences.json: a game's scenes with their differences, for the tests of the page."""

import json
from pathlib import Path
from typing import Any

import spielwerk as sw
from spielwerk.render import scene_of
from spielwerk.render.scene import apply_difference

TARGET = Path(__file__).parent.parent / "web" / "tests" / "differences.json"
GAME = "pferdeaepfel/classic-24"
SIZE = 4
ACTIONS = ("b2", "@a1", "c3", "-", "d3", "@b4", "a2")


def differences() -> dict[str, Any]:
    """The first scene, and for each action the difference and what it leads to."""
    state = sw.make(GAME, size=SIZE).start()
    before = scene_of(state, actions=[])
    first = shown = before.to_json()
    steps = []
    for ply, action in enumerate(ACTIONS, start=1):
        state.play(action)
        after = scene_of(state, actions=list(ACTIONS[:ply]))
        difference = after.difference(before)
        shown = apply_difference(shown, difference)
        expected = {key: value for key, value in shown.items() if key != "static"}
        steps.append({"action": action, "difference": difference, "expected": expected})
        before = after
    return {"first": first, "steps": steps}


def fixture_text() -> str:
    return json.dumps(differences(), ensure_ascii=False, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    TARGET.write_text(fixture_text(), encoding="utf-8")
    print(f"wrote {TARGET.name}")
