"""The models that describe scenes to the protocol say what scenes really send."""

from itertools import pairwise

import pytest
from pydantic import ValidationError

import spielwerk as sw
from spielwerk.render import scene_of
from spielwerk.render.scene import Scene
from spielwerk.server.scene_models import SceneByKey, SceneDifference, WholeScene

STEPS = 12


def first_scenes(ruleset: str) -> list[Scene]:
    state, texts = sw.make(ruleset).start(seed=1), list[str]()
    scenes = [scene_of(state, actions=texts)]
    for step in range(STEPS):
        if state.over:
            break
        texts.append(state.text(state.legal_actions[step % len(state.legal_actions)]))
        state.play(texts[-1])
        scenes.append(scene_of(state, actions=texts))
    return scenes


@pytest.mark.parametrize("ruleset", sw.games())
def test_scenes_and_differences_are_what_their_models_say(ruleset: str) -> None:
    scenes = first_scenes(ruleset)
    for scene in scenes:
        WholeScene.model_validate(scene.to_json())
        SceneByKey.model_validate(scene.dynamic_json())
    for before, after in pairwise(scenes):
        SceneDifference.model_validate(after.difference(before))


@pytest.mark.parametrize("lost", ["headline", "detail", "remarks", "notes", "summary", "title", "layers", "hits"])
def test_nothing_may_be_missing_or_added(lost: str) -> None:
    sent = scene_of(sw.make("pferdeaepfel/trail").start()).to_json()
    with pytest.raises(ValidationError, match=lost):
        WholeScene.model_validate({key: value for key, value in sent.items() if key != lost})
    with pytest.raises(ValidationError, match="moon"):
        WholeScene.model_validate(sent | {"moon": 1})
