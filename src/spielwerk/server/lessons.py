"""First steps in a game, on real boards: what is said, what may be clicked, and what it leads to."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from spielwerk import rule_pages
from spielwerk.games import State, make
from spielwerk.positions import scene_at
from spielwerk.render.scene import Label
from spielwerk.server import protocol, views


@lru_cache
def lesson(family: str) -> protocol.LessonView | None:
    """The lesson of a game; None where nobody has written one."""
    steps = _written().get(family)
    return None if steps is None else protocol.LessonView(game=steps[0]["game"], steps=[_step(step) for step in steps])


def families() -> list[str]:
    """Those with a lesson."""
    return list(_written())


@lru_cache
def _written() -> dict[str, list[dict[str, Any]]]:
    return dict(json.loads(rule_pages.lessons()))


def _step(written: dict[str, Any]) -> protocol.LessonStep:
    state = make(written["game"], **written["rules"]).from_text(written["text"])
    before = scene_at(state, ())
    texts = [state.text(action) for action in state.legal_actions]
    wanted = texts if written["play"] == "any" else written["play"]
    return protocol.LessonStep(
        say=views.words(Label(**written["say"])),
        done=views.words(Label(**written["done"])),
        scene=before.to_json(),
        after={text: scene_at(_after(state, text), (), legal=False).difference(before) for text in wanted},
    )


def _after(state: State, text: str) -> State:
    after = state.clone()
    after.play(text)
    return after
